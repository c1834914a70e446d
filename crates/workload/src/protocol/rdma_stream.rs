//! RDMA writes without a file protocol, as `ib_write_bw` and `osu_bibw` send them, on `InfiniBand` or as
//! RoCE.
//!
//! A read is data that the server writes into the client's memory, a write is data that the client writes
//! into the server's. The software of the receiver has no part in it.

use bandgraph_units::Bytes;

use super::{Medium, Protocol};
use crate::exchange::{OneWay, Packets};
use crate::infiniband::{acknowledgements, rdma_write};
use crate::{DataDirection, Exchange, NetworkSettings, OperationKind};

pub(super) const RDMA_STREAM: Protocol = Protocol {
    medium: Medium::Rdma,
    serves_files: false,
    operations: &[OperationKind::Read, OperationKind::Write],
    has_connection_per_thread: true,
    has_calls: false,
    ..Protocol::new("rdma-stream", exchange)
};

fn exchange(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    let message = rdma_write(io_size, settings);
    let acknowledged = OneWay::of(&[], acknowledgements(1.0, settings));
    let nothing = Exchange::default();
    match kind.data() {
        DataDirection::Read => Exchange {
            to_client: OneWay::of(&message, Packets::default()),
            to_server: acknowledged,
            payload_read: io_size.get(),
            calls: 1.0,
            reply_bytes: io_size.get(),
            ..nothing
        },
        DataDirection::Write => Exchange {
            // The work request is the client's.
            to_server: OneWay::of(
                &message.map(|packets| Packets {
                    requests_each: 0.0,
                    ..packets
                }),
                Packets::default(),
            ),
            to_client: acknowledged,
            payload_written: io_size.get(),
            calls: 1.0,
            call_bytes: io_size.get(),
            ..nothing
        },
        DataDirection::None => nothing,
    }
}

#[cfg(test)]
mod tests {
    use crate::{NetworkSettings, OperationKind, ProtocolKind, exchange};
    use bandgraph_units::Bytes;

    /// By hand, with packets of 4096: 16 bytes of headers each, 16 more in the first, and an acknowledgement
    /// of 20 the other way. The same in both directions.
    #[test]
    fn a_message_is_acknowledged_once() {
        let settings = NetworkSettings {
            infiniband_mtu: Bytes::new(4096.0),
            ..NetworkSettings::default()
        };
        let of = |kind| exchange(ProtocolKind::RdmaStream, kind, Bytes::new(65_536.0), &settings);
        let (read, write) = (of(OperationKind::Read), of(OperationKind::Write));
        for (along, against) in [
            (&read.to_client, &read.to_server),
            (&write.to_server, &write.to_client),
        ] {
            assert_eq!(
                (along.frames, along.ip_bytes),
                (16.0, 65_536.0 + 16.0 * 16.0 + 16.0)
            );
            assert_eq!((against.frames, against.ip_bytes), (1.0, 20.0));
            assert_eq!(against.data_segments(), 0.0);
        }
        assert_eq!((read.payload_read, write.payload_written), (65_536.0, 65_536.0));
    }
}
