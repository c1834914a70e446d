//! Ethernet framing.
//!
//! A frame on the wire is a preamble with start delimiter, a header, the payload, a check sequence, and a gap
//! before the next frame: IEEE 802.3, clauses 3 and 4. Port counters include the bytes from the header to the
//! check sequence. VLAN tags are not modelled.

use bandgraph_units::Bytes;

/// Bytes of preamble and start delimiter.
pub const PREAMBLE: f64 = 8.0;
/// Bytes of destination, source and type.
pub const HEADER: f64 = 14.0;
/// Bytes of the frame check sequence.
pub const CHECK_SEQUENCE: f64 = 4.0;
/// Bytes of the gap between frames, at its standard minimum.
pub const GAP: f64 = 12.0;

/// Bytes of a frame on the wire in addition to its payload: 38.
pub const FRAME_OVERHEAD: f64 = PREAMBLE + HEADER + CHECK_SEQUENCE + GAP;
/// Bytes of a frame in port counters in addition to its payload: 18.
pub const FRAME_COUNTED: f64 = HEADER + CHECK_SEQUENCE;
/// Smallest frame, header and check sequence included; shorter payloads are padded.
pub const MINIMUM_FRAME: f64 = 64.0;

/// Payload of a frame after padding.
fn padded(payload: Bytes) -> f64 {
    payload.get().max(MINIMUM_FRAME - FRAME_COUNTED)
}

/// Bytes of a frame with `payload` (an IP packet) on the wire, including the gap.
pub fn wire_bytes(payload: Bytes) -> Bytes {
    Bytes::new(padded(payload) + FRAME_OVERHEAD)
}

/// Bytes of a frame with `payload` (an IP packet) in port counters.
pub fn counted_bytes(payload: Bytes) -> Bytes {
    Bytes::new(padded(payload) + FRAME_COUNTED)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IPv4 header, and TCP header with timestamps.
    const IP: f64 = 20.0;
    const TCP: f64 = 32.0;

    fn tcp_share(mtu: f64, tcp_header: f64) -> f64 {
        (mtu - IP - tcp_header) / wire_bytes(Bytes::new(mtu)).get()
    }

    #[test]
    fn tcp_payload_shares_are_the_published_ones() {
        assert!((tcp_share(1500.0, TCP) - 0.9415).abs() < 5e-5);
        assert!((tcp_share(9000.0, TCP) - 0.990).abs() < 5e-4);
        // Without timestamps, the well-known rate of gigabit Ethernet: 949 Mbit/s.
        assert!((tcp_share(1500.0, 20.0) - 0.9493).abs() < 5e-5);
    }

    /// The maximum rate of the shortest frames on gigabit Ethernet: 1,488,095 per second (RFC 2544 test
    /// setups, section 20).
    #[test]
    fn short_packets_are_padded() {
        let frame = wire_bytes(Bytes::new(1.0));
        assert_eq!(frame, wire_bytes(Bytes::new(46.0)));
        assert_eq!(frame, Bytes::new(84.0));
        assert_eq!((125e6 / frame.get()).floor(), 1_488_095.0);
        assert_eq!(counted_bytes(Bytes::ZERO), Bytes::new(64.0));
        assert_eq!(counted_bytes(Bytes::new(1500.0)), Bytes::new(1518.0));
    }
}
