//! The TCP segments of messages, and their acknowledgements.
//!
//! A message of `B` bytes fills `floor(B / MSS)` segments, and the rest is one more. Each message starts a
//! new segment: calls and replies are written as a whole, and pushed. The maximum segment size is the MTU
//! minus 20 bytes of IPv4 header (RFC 791), 20 of TCP header (RFC 9293), and 12 for timestamps if they are
//! used (RFC 7323).
//!
//! Acknowledgements: a receiver must send one at least every `ack_every` *full* segments (RFC 5681, section
//! 4.2, with `ack_every` = 2). Remaining ones are delayed and piggybacked on the next message in the other
//! direction, which in steady use is the next call or the next reply. So a message with `F` full segments
//! costs `floor(F / ack_every)` pure acknowledgements, and a message that fits one segment costs none.

use bandgraph_units::Bytes;

use crate::NetworkSettings;
use crate::exchange::{Exchange, OneWay, Packets};

/// IPv4 header without options, in bytes.
const IP_HEADER: f64 = 20.0;
/// TCP header without options, in bytes.
const TCP_HEADER: f64 = 20.0;
/// The timestamps option with its padding, in bytes.
const TIMESTAMPS: f64 = 12.0;

/// The header bytes of a segment.
fn headers(settings: &NetworkSettings) -> f64 {
    IP_HEADER + TCP_HEADER + if settings.tcp_timestamps { TIMESTAMPS } else { 0.0 }
}

/// The maximum message bytes of a segment: at least 1 with any settings.
fn maximum_segment(settings: &NetworkSettings) -> f64 {
    (settings.mtu.get() - headers(settings)).floor().max(1.0)
}

/// The full segments and the last segment of one message, and the acknowledgements that it causes.
struct Sent {
    full: Packets,
    last: Packets,
    acknowledgements: Packets,
}

fn send(message: Bytes, settings: &NetworkSettings) -> Sent {
    let headers = headers(settings);
    let segment = maximum_segment(settings);
    let full = (message.get() / segment).floor();
    let rest = message.get() - full * segment;
    let last = if rest > 0.0 { 1.0 } else { 0.0 };
    Sent {
        full: Packets::of_software(full, headers + segment),
        last: Packets::of_software(last, headers + rest),
        acknowledgements: Packets::of_software(
            (full / f64::from(settings.ack_every.max(1))).floor(),
            headers,
        ),
    }
}

/// Calls of one size, each with one reply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Call {
    /// Calls per operation.
    pub(crate) count: f64,
    /// Bytes per call, data included.
    pub(crate) bytes: f64,
    /// Bytes per reply, data included.
    pub(crate) reply: f64,
}

impl Call {
    /// An operation with a single call.
    pub(crate) fn once(call: f64, reply: f64) -> Self {
        Self {
            count: 1.0,
            bytes: call,
            reply,
        }
    }

    /// The calls of an operation of `io_size` bytes if one call moves at most `largest`: full ones, and one
    /// for the rest. `sizes` returns the bytes of a call and of its reply for an amount of data.
    pub(crate) fn split(io_size: f64, largest: f64, sizes: impl Fn(f64) -> (f64, f64)) -> Vec<Self> {
        let full = (io_size / largest).floor();
        let rest = io_size - full * largest;
        let last = if rest > 0.0 || full == 0.0 { 1.0 } else { 0.0 };
        [(full, largest), (last, rest)]
            .into_iter()
            .filter(|&(count, _)| count > 0.0)
            .map(|(count, bytes)| {
                let (bytes, reply) = sizes(bytes);
                Self { count, bytes, reply }
            })
            .collect()
    }
}

/// The exchange of an operation with these calls (at most three sizes), which reads and writes these amounts
/// of data.
pub(crate) fn exchange(calls: &[Call], [read, written]: [f64; 2], settings: &NetworkSettings) -> Exchange {
    let mut exchange = Exchange {
        payload_read: read,
        payload_written: written,
        ..Exchange::default()
    };
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    let (mut acknowledged_calls, mut acknowledged_replies) = (0.0, 0.0);
    for one in calls {
        let times = |packets: Packets| Packets {
            count: packets.count * one.count,
            ..packets
        };
        let (call, reply) = (
            send(Bytes::new(one.bytes), settings),
            send(Bytes::new(one.reply), settings),
        );
        sent.extend([times(call.full), times(call.last)]);
        received.extend([times(reply.full), times(reply.last)]);
        acknowledged_calls += one.count * call.acknowledgements.count;
        acknowledged_replies += one.count * reply.acknowledgements.count;
        exchange.calls += one.count;
        exchange.call_bytes += one.count * one.bytes;
        exchange.reply_bytes += one.count * one.reply;
    }
    let acknowledgements = |count| Packets::of_software(count, headers(settings));
    exchange.to_server = OneWay::of(&sent, acknowledgements(acknowledged_replies));
    exchange.to_client = OneWay::of(&received, acknowledgements(acknowledged_calls));
    exchange
}

/// The traffic of `bytes` of an endless stream, in its own and in the opposite direction: only full segments,
/// and their acknowledgements, both as fractions.
pub(crate) fn stream(bytes: Bytes, settings: &NetworkSettings) -> (OneWay, OneWay) {
    let headers = headers(settings);
    let segment = maximum_segment(settings);
    let segments = bytes.get() / segment;
    let acknowledgements = segments / f64::from(settings.ack_every.max(1));
    (
        OneWay::of(
            &[Packets::of_software(segments, headers + segment)],
            Packets::default(),
        ),
        OneWay::of(&[], Packets::of_software(acknowledgements, headers)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(mtu: f64, tcp_timestamps: bool) -> NetworkSettings {
        NetworkSettings {
            mtu: Bytes::new(mtu),
            tcp_timestamps,
            ..NetworkSettings::default()
        }
    }

    /// 1448 of 1538 bytes and 8948 of 9038: the published payload shares of an endless stream, including the
    /// 38 bytes of Ethernet per frame.
    #[test]
    fn endless_stream_has_the_published_payload_share() {
        for (mtu, share) in [(1500.0, 0.941_5), (9000.0, 0.990_0)] {
            let stream = send(Bytes::new(1e9), &settings(mtu, true));
            let wire = stream.full.count * (stream.full.ip_bytes_each + 38.0);
            assert!((1e9 / wire - share).abs() < 1e-4, "{mtu}: {}", 1e9 / wire);
        }
    }

    #[test]
    fn segments_by_hand() {
        // MTU 1500 without timestamps: 1460 bytes each. 4380 = 3 x 1460, without a rest.
        let exact = send(Bytes::new(4380.0), &settings(1500.0, false));
        assert_eq!(
            (exact.full.count, exact.last.count, exact.acknowledgements.count),
            (3.0, 0.0, 1.0)
        );
        assert_eq!(exact.full.ip_bytes_each, 1500.0);
        assert_eq!(exact.acknowledgements.ip_bytes_each, 40.0);
        // One byte more needs another packet of 41 bytes.
        let more = send(Bytes::new(4381.0), &settings(1500.0, false));
        assert_eq!(
            (more.full.count, more.last.count, more.last.ip_bytes_each),
            (3.0, 1.0, 41.0)
        );
        // 1 MiB with its headers over jumbo frames: 1,048,708 = 117 x 8948 + 1792, and 58 acknowledgements.
        let large = send(Bytes::new(1_048_708.0), &settings(9000.0, true));
        assert_eq!(
            (large.full.count, large.last.ip_bytes_each),
            (117.0, 1792.0 + 52.0)
        );
        assert_eq!(large.acknowledgements.count, 58.0);
        // An empty message needs no packet.
        let nothing = send(Bytes::ZERO, &settings(1500.0, true));
        assert_eq!(
            (
                nothing.full.count,
                nothing.last.count,
                nothing.acknowledgements.count
            ),
            (0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn acknowledgements_travel_against_the_data() {
        let Exchange {
            to_server, to_client, ..
        } = exchange(
            &[Call::once(100.0, 100_000.0)],
            [100_000.0, 0.0],
            &settings(1500.0, true),
        );
        // 69 full segments of 1448, and 88 bytes more.
        assert_eq!(to_client.data_segments(), 70.0);
        assert_eq!(to_server.acknowledgements(), 34.0);
        assert_eq!(to_client.acknowledgements(), 0.0);
        assert_eq!(to_server.frames, 35.0);
        assert_eq!(to_server.ip_bytes, 152.0 + 34.0 * 52.0);
        assert_eq!(to_client.ip_bytes, 100_000.0 + 70.0 * 52.0);
        assert_eq!(to_client.bytes_with(18.0), 100_000.0 + 70.0 * 70.0);
    }

    /// By hand: 130 bytes in calls of 60 are two full ones and one of 10; 120 bytes are two.
    #[test]
    fn large_operations_are_cut_into_calls() {
        let calls = |bytes| Call::split(bytes, 60.0, |data| (8.0, 16.0 + data));
        let sizes = |calls: Vec<Call>| -> Vec<(f64, f64)> {
            calls.iter().map(|call| (call.count, call.reply)).collect()
        };
        assert_eq!(sizes(calls(130.0)), [(2.0, 76.0), (1.0, 26.0)]);
        assert_eq!(sizes(calls(120.0)), [(2.0, 76.0)]);
        assert_eq!(sizes(calls(0.0)), [(1.0, 16.0)]);
        let whole = exchange(&calls(130.0), [130.0, 0.0], &settings(1500.0, true));
        assert_eq!(whole.reply_bytes, 3.0 * 16.0 + 130.0);
        assert_eq!((whole.to_client.frames, whole.to_server.frames), (3.0, 3.0));
        assert_eq!(whole.to_client.ip_bytes, whole.reply_bytes + 3.0 * 52.0);
    }
}
