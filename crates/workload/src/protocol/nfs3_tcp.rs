//! NFS version 3 over TCP: messages of [`nfs3`], each with the record mark of RFC 5531, section 11.

use bandgraph_units::Bytes;

use super::Protocol;
use super::nfs3::{self, Messages, padded};
use crate::tcp::{self, Call};
use crate::{Exchange, NetworkSettings, OperationKind};

/// Length and last-fragment flag of each message on a stream.
const RECORD_MARK: f64 = 4.0;

pub(super) const NFS3_TCP: Protocol = Protocol::new("nfs3-tcp", exchange);

pub(super) fn exchange(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    over_tcp(&nfs3::messages(kind, io_size, settings), settings)
}

/// Messages with their data, each with a record mark.
pub(super) fn over_tcp(messages: &Messages, settings: &NetworkSettings) -> Exchange {
    let call = RECORD_MARK + messages.call + padded(messages.written);
    let reply = RECORD_MARK + messages.reply + padded(messages.read);
    tcp::exchange(
        &[Call::once(call, reply)],
        [messages.read, messages.written],
        settings,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProtocolKind;
    use crate::protocol::usual;

    const GIB: f64 = 1_073_741_824.0;

    fn nfs(kind: OperationKind, io_size: f64, settings: &NetworkSettings) -> Exchange {
        crate::exchange(ProtocolKind::Nfs3Tcp, kind, Bytes::new(io_size), settings)
    }

    fn jumbo() -> NetworkSettings {
        NetworkSettings {
            mtu: Bytes::new(9000.0),
            ..NetworkSettings::default()
        }
    }

    /// Published: 223,969 reads/s of 8 KiB over jumbo frames are 1.71 GiB/s of payload and 1.79 GiB/s at the
    /// ports, sum of both directions with headers.
    #[test]
    fn measured_reads_of_8_kib_cost_the_measured_network_bytes() {
        let jumbo = jumbo();
        for tcp_timestamps in [false, true] {
            let settings = NetworkSettings {
                tcp_timestamps,
                ..jumbo
            };
            let read = nfs(OperationKind::Read, 8192.0, &settings);
            let payload = 223_969.0 * read.payload() / GIB;
            let network = 223_969.0 * read.bytes_with(18.0) / GIB;
            assert!((payload / 1.71 - 1.0).abs() < 0.01, "{payload}");
            assert!((network / 1.79 - 1.0).abs() < 0.01, "{network}");
            assert!((payload / network - 0.955).abs() < 0.005, "{}", payload / network);
        }
    }

    /// By hand, for the same read: call 4 + 24 + 56 + 8 + 48 = 140, reply 4 + 24 + 104 + 8192 = 8324.
    #[test]
    fn read_of_8_kib_by_hand() {
        let jumbo = jumbo();
        let read = nfs(OperationKind::Read, 8192.0, &jumbo);
        assert_eq!((read.call_bytes, read.reply_bytes), (140.0, 8324.0));
        assert_eq!((read.to_server.frames, read.to_server.ip_bytes), (1.0, 192.0));
        assert_eq!((read.to_client.frames, read.to_client.ip_bytes), (1.0, 8376.0));
        // Over plain Ethernet: 8324 = 5 x 1448 + 1084, two acknowledgements.
        let plain = nfs(OperationKind::Read, 8192.0, &NetworkSettings::default());
        assert_eq!(
            (plain.to_server.frames, plain.to_server.ip_bytes),
            (3.0, 192.0 + 2.0 * 52.0)
        );
        assert_eq!(
            (plain.to_client.frames, plain.to_client.ip_bytes),
            (6.0, 8324.0 + 6.0 * 52.0)
        );
    }

    #[test]
    fn writes_are_large_calls_with_small_replies() {
        let jumbo = jumbo();
        let write = nfs(OperationKind::Write, 8192.0, &jumbo);
        assert_eq!((write.call_bytes, write.reply_bytes), (148.0 + 8192.0, 164.0));
        assert_eq!((write.payload_read, write.payload_written), (0.0, 8192.0));
        let large = nfs(OperationKind::Write, 1_048_576.0, &jumbo);
        // 1,048,724 = 117 x 8948 + 1808.
        assert_eq!(large.to_server.frames, 118.0);
        assert_eq!(large.to_client.acknowledgements(), 58.0);
    }

    #[test]
    fn data_is_filled_up_to_words() {
        let nfs = |kind, io_size| usual(ProtocolKind::Nfs3Tcp, kind, io_size);
        for (io_size, padded) in [(0.0, 0.0), (1.0, 4.0), (4.0, 4.0), (5.0, 8.0)] {
            let read = nfs(OperationKind::Read, io_size);
            assert_eq!(read.reply_bytes, 132.0 + padded);
            assert_eq!(read.payload(), io_size);
            assert_eq!(nfs(OperationKind::Write, io_size).call_bytes, 148.0 + padded);
        }
    }
}
