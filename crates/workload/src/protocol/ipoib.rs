//! NFS version 3 and TCP streams over IP over InfiniBand.
//!
//! TCP and IP are the same as on Ethernet; every IP packet has a header of 4 bytes of IPoIB. In datagram mode
//! (RFC 4391) it is one unreliable datagram, so that the MTU of IP is that of InfiniBand minus those 4 bytes:
//! 2044. In connected mode (RFC 4755) it is a message of up to 65520 bytes on a reliable connection; the
//! adapter splits it into packets, and its peer acknowledges it. `run.mtu` applies to Ethernet only.

use bandgraph_units::Bytes;

use super::{Medium, Protocol, nfs3_tcp, tcp_stream};
use crate::exchange::{OneWay, PACKET_GROUPS, Packets};
use crate::{CONNECTED_MTU, Exchange, NetworkSettings, OperationKind, infiniband};

/// The header of each IP packet: a protocol number and two reserved bytes.
const IPOIB_HEADER: f64 = 4.0;

pub(super) const NFS3_IPOIB: Protocol = Protocol {
    medium: Medium::Infiniband,
    ..Protocol::new("nfs3-ipoib", |kind, io_size, settings| {
        over_infiniband(nfs3_tcp::exchange, kind, io_size, settings)
    })
};

pub(super) const TCP_STREAM_IPOIB: Protocol = Protocol {
    medium: Medium::Infiniband,
    name: "tcp-stream-ipoib",
    exchange: |kind, io_size, settings| over_infiniband(tcp_stream::exchange, kind, io_size, settings),
    ..tcp_stream::TCP_STREAM
};

/// An exchange over IP in the packets of `InfiniBand`.
fn over_infiniband(
    exchange: fn(OperationKind, Bytes, &NetworkSettings) -> Exchange,
    kind: OperationKind,
    io_size: Bytes,
    settings: &NetworkSettings,
) -> Exchange {
    let mtu = if settings.ipoib_connected {
        CONNECTED_MTU
    } else {
        settings.infiniband_mtu - Bytes::new(IPOIB_HEADER)
    };
    let ip = exchange(kind, io_size, &NetworkSettings { mtu, ..*settings });
    let [to_server, to_client] = if settings.ipoib_connected {
        let acknowledged = [ip.to_client.frames, ip.to_server.frames];
        [
            connected(&ip.to_server, acknowledged[0], settings),
            connected(&ip.to_client, acknowledged[1], settings),
        ]
    } else {
        [
            datagrams(&ip.to_server, settings),
            datagrams(&ip.to_client, settings),
        ]
    };
    Exchange {
        to_server,
        to_client,
        ..ip
    }
}

/// An IP packet with its IPoIB header.
fn encapsulated(packets: Packets) -> Packets {
    Packets::of_software(packets.count, packets.ip_bytes_each + IPOIB_HEADER)
}

fn datagrams(ip: &OneWay, settings: &NetworkSettings) -> OneWay {
    let packets = ip
        .packets
        .map(|packets| infiniband::datagrams(encapsulated(packets), settings));
    OneWay::of(&packets[..PACKET_GROUPS - 1], packets[PACKET_GROUPS - 1])
}

/// Messages on a connection, and acknowledgements of the `acknowledged` messages in the other direction. TCP
/// acknowledgements are messages here; pure acknowledgements are those of the connection.
fn connected(ip: &OneWay, acknowledged: f64, settings: &NetworkSettings) -> OneWay {
    let mut groups: Vec<Packets> = Vec::new();
    for packets in ip.packets.iter().filter(|packets| packets.count > 0.0) {
        let encapsulated = encapsulated(*packets);
        let message = infiniband::send(Bytes::new(encapsulated.ip_bytes_each), settings);
        for piece in message.iter().filter(|piece| piece.count > 0.0) {
            let piece = Packets {
                count: piece.count * packets.count,
                ..*piece
            };
            match groups
                .iter_mut()
                .find(|group| group.ip_bytes_each == piece.ip_bytes_each)
            {
                Some(group) => *group = merged(*group, piece),
                None => groups.push(piece),
            }
        }
    }
    OneWay::of(&groups, infiniband::acknowledgements(acknowledged, settings))
}

/// Merges two groups of packets of the same size.
fn merged(a: Packets, b: Packets) -> Packets {
    let count = a.count + b.count;
    Packets {
        count,
        requests_each: (a.count * a.requests_each + b.count * b.requests_each) / count,
        ..a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProtocolKind;

    fn read(io_size: f64, settings: &NetworkSettings) -> Exchange {
        crate::exchange(
            ProtocolKind::Nfs3Ipoib,
            OperationKind::Read,
            Bytes::new(io_size),
            settings,
        )
    }

    /// By hand: IP packets of 2044 carry 1992 bytes. The reply to a read of 8 KiB is 8324 bytes with its
    /// record mark: 4 full packets and 356 bytes. Every packet has 4 + 8 + 12 + 4 bytes of headers; two
    /// acknowledgements of 52 come back.
    #[test]
    fn datagrams_by_hand() {
        let read = read(8192.0, &NetworkSettings::default());
        assert_eq!(read.to_client.frames, 5.0);
        assert_eq!(read.to_client.ip_bytes, 8324.0 + 5.0 * (52.0 + 28.0));
        assert_eq!(read.to_server.frames, 3.0);
        assert_eq!(read.to_server.ip_bytes, 140.0 + 52.0 + 2.0 * 52.0 + 3.0 * 28.0);
        assert_eq!(read.payload(), 8192.0);
    }

    /// By hand: a stream of TCP has segments of 2044 - 52 bytes in datagrams, 508.03 of them for 1012 KB,
    /// each a packet of InfiniBand; half as many acknowledgements come back.
    #[test]
    fn streams_have_the_segments_of_datagrams() {
        let settings = NetworkSettings::default();
        let io_size = Bytes::new(1_012_000.0);
        let stream = crate::exchange(
            ProtocolKind::TcpStreamIpoib,
            OperationKind::Read,
            io_size,
            &settings,
        );
        assert!((stream.to_client.frames - 508.032).abs() < 1e-3);
        assert!((stream.to_server.frames - 254.016).abs() < 1e-3);
        assert_eq!(stream.payload(), io_size.get());
    }

    /// By hand: the reply is one IP packet of 8324 + 52 bytes, 8380 with IPoIB: 4 packets of 2048 and one of
    /// 188. The call is one packet of 196. Each message is acknowledged.
    #[test]
    fn connections_by_hand() {
        let settings = NetworkSettings {
            ipoib_connected: true,
            ..NetworkSettings::default()
        };
        let read = read(8192.0, &settings);
        assert_eq!(
            (read.to_client.data_segments(), read.to_client.acknowledgements()),
            (5.0, 1.0)
        );
        assert_eq!(read.to_client.ip_bytes, 8380.0 + 5.0 * 16.0 + 20.0);
        assert_eq!(read.to_server.ip_bytes, 196.0 + 16.0 + 20.0);
    }

    /// A large read takes 17 messages with few packet sizes.
    #[test]
    fn large_reads_take_many_messages() {
        let settings = NetworkSettings {
            ipoib_connected: true,
            ..NetworkSettings::default()
        };
        let large = read(1_048_576.0, &settings);
        assert!(large.to_client.data_segments() > 512.0);
        let stored: f64 = large
            .to_client
            .packets
            .iter()
            .map(|packets| packets.count * packets.stored_bytes_each)
            .sum();
        // Record mark, reply and data, and 56 bytes per IP packet.
        assert_eq!(stored, 1_048_708.0 + 17.0 * 56.0);
    }
}
