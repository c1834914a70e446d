//! TCP without a file protocol: endless streams, as network benchmarks send them.
//!
//! A read is data that the server transmits, a write is data that it receives; one operation is a part of the
//! stream with the I/O size. There are no message boundaries, so that every segment is full, and the numbers
//! of segments and acknowledgements are fractions.

use bandgraph_units::Bytes;

use super::Protocol;
use crate::{DataDirection, Exchange, NetworkSettings, OperationKind, tcp};

pub(super) const TCP_STREAM: Protocol = Protocol {
    serves_files: false,
    operations: &[OperationKind::Read, OperationKind::Write],
    has_connection_per_thread: true,
    has_calls: false,
    ..Protocol::new("tcp-stream", exchange)
};

pub(super) fn exchange(kind: OperationKind, io_size: Bytes, settings: &NetworkSettings) -> Exchange {
    let (along, against) = tcp::stream(io_size, settings);
    let nothing = Exchange::default();
    match kind.data() {
        DataDirection::Read => Exchange {
            to_client: along,
            to_server: against,
            payload_read: io_size.get(),
            calls: 1.0,
            reply_bytes: io_size.get(),
            ..nothing
        },
        DataDirection::Write => Exchange {
            to_server: along,
            to_client: against,
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
    use super::*;
    use crate::ProtocolKind;

    /// The payload shares of an endless stream: 94.15 % of the bytes on the wire at an MTU of 1500 with
    /// timestamps, 99.0 % at 9000.
    #[test]
    fn streams_have_the_published_shares() {
        for (mtu, share) in [(1500.0, 0.9415), (9000.0, 0.9900)] {
            let settings = NetworkSettings {
                mtu: Bytes::new(mtu),
                ..NetworkSettings::default()
            };
            for kind in [OperationKind::Read, OperationKind::Write] {
                let stream = crate::exchange(ProtocolKind::TcpStream, kind, Bytes::new(10_000.0), &settings);
                let along = if kind == OperationKind::Read {
                    stream.to_client
                } else {
                    stream.to_server
                };
                let found = 10_000.0 / along.bytes_with(38.0);
                assert!((found - share).abs() < 1e-4, "{found}");
                assert_eq!(stream.payload(), 10_000.0);
            }
        }
    }

    #[test]
    fn acknowledgements_come_back_for_every_other_segment() {
        let stream = crate::protocol::usual(ProtocolKind::TcpStream, OperationKind::Read, 14_480.0);
        assert_eq!(stream.to_client.frames, 10.0);
        assert_eq!(stream.to_server.acknowledgements(), 5.0);
        assert_eq!(stream.to_server.data_segments(), 0.0);
    }
}
