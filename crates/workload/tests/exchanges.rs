//! Properties of the exchange of every operation, size and setting.

use bandgraph_units::Bytes;
use bandgraph_workload::{Mix, NetworkSettings, OneWay, OperationKind, ProtocolKind, exchange};
use proptest::prelude::*;

fn settings() -> impl Strategy<Value = NetworkSettings> {
    (576_u32..=65_535, any::<bool>(), 1_u32..=64, 7_u32..=102).prop_map(
        |(mtu, tcp_timestamps, ack_every, words)| NetworkSettings {
            mtu: Bytes::new(f64::from(mtu)),
            tcp_timestamps,
            ack_every,
            credentials: Bytes::new(f64::from(words * 4)),
            ..NetworkSettings::default()
        },
    )
}

fn kinds() -> impl Strategy<Value = OperationKind> {
    prop::sample::select(OperationKind::ALL)
}

/// No packet exceeds the MTU, the groups add up to the totals, and without headers the message remains.
fn check_direction(
    direction: &OneWay,
    message: f64,
    settings: &NetworkSettings,
) -> Result<(), TestCaseError> {
    let headers = if settings.tcp_timestamps { 52.0 } else { 40.0 };
    let mut data = 0.0;
    let (mut frames, mut bytes) = (0.0, 0.0);
    for group in direction.packets.iter().filter(|group| group.count > 0.0) {
        prop_assert!(group.ip_bytes_each >= headers && group.ip_bytes_each <= settings.mtu.get());
        data += group.count * (group.ip_bytes_each - headers);
        frames += group.count;
        bytes += group.count * group.ip_bytes_each;
    }
    prop_assert_eq!(data, message);
    prop_assert_eq!(frames, direction.frames);
    prop_assert_eq!(bytes, direction.ip_bytes);
    prop_assert_eq!(direction.data_segments() + direction.acknowledgements(), frames);
    // As few segments as the message needs.
    prop_assert_eq!(
        direction.data_segments(),
        (message / (settings.mtu.get() - headers)).ceil()
    );
    Ok(())
}

proptest! {
    #[test]
    fn packets_carry_the_messages(kind in kinds(), io_size in 0_u32..=1_073_741_824, settings in settings()) {
        let io_size = f64::from(io_size);
        let exchange = exchange(ProtocolKind::Nfs3Tcp, kind, Bytes::new(io_size), &settings);
        check_direction(&exchange.to_server, exchange.call_bytes, &settings)?;
        check_direction(&exchange.to_client, exchange.reply_bytes, &settings)?;
        prop_assert_eq!(exchange.payload(), if kind.moves_data() { io_size } else { 0.0 });
        prop_assert!(exchange.call_bytes + exchange.reply_bytes > exchange.payload());
        // Every group of segments causes at most one acknowledgement.
        let every = f64::from(settings.ack_every);
        prop_assert!(exchange.to_server.acknowledgements() * every <= exchange.to_client.data_segments());
        prop_assert!(exchange.to_client.acknowledgements() * every <= exchange.to_server.data_segments());
    }

    #[test]
    fn more_data_never_costs_less(io_size in 0_u32..10_000_000, more in 1_u32..100_000, settings in settings()) {
        for kind in [OperationKind::Read, OperationKind::Write] {
            let bytes = |size: u32| {
                exchange(ProtocolKind::Nfs3Tcp, kind, Bytes::new(f64::from(size)), &settings).bytes_with(18.0)
            };
            prop_assert!(bytes(io_size + more) >= bytes(io_size));
        }
    }

    #[test]
    fn broken_settings_do_not_panic(
        kind in kinds(),
        io_size in any::<f64>(),
        mtu in any::<f64>(),
        credentials in any::<f64>(),
        ack_every in any::<u32>(),
        tcp_timestamps: bool,
    ) {
        let settings = NetworkSettings {
            mtu: Bytes::new(mtu),
            mtu_is_given: tcp_timestamps,
            timestamps_are_given: tcp_timestamps,
            tcp_timestamps,
            ack_every,
            credentials: Bytes::new(credentials),
            infiniband_mtu: Bytes::new(mtu),
            ipoib_connected: tcp_timestamps,
            memcached_key: Bytes::new(io_size),
            directory_entries: 30,
            roce: !tcp_timestamps,
        };
        for protocol in ProtocolKind::ALL {
            let exchange = exchange(*protocol, kind, Bytes::new(io_size), &settings);
            prop_assert!(exchange.payload() >= 0.0);
        }
        let _ = settings.validate();
    }

    #[test]
    fn shares_of_a_mix_add_up(weights in prop::collection::vec(1e-15_f64..1e15, 1..=22)) {
        let entries: Vec<_> = OperationKind::ALL.iter().copied().zip(weights.iter().copied()).collect();
        let mix = Mix::new(&entries).expect("finite weights above zero, each kind once");
        let sum: f64 = mix.shares().iter().map(|(_, share)| share.get()).sum();
        prop_assert!((sum - 1.0).abs() < 1e-9);
        prop_assert_eq!(mix.shares().len(), weights.len());
    }
}
