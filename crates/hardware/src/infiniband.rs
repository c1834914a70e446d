//! InfiniBand: link rates, and the link-layer overhead of packets.
//!
//! A packet on the wire is a local route header, the transport packet (headers, data and the invariant
//! checksum, from the protocol), and the variant checksum, between two delimiters of one symbol each. Port
//! counters include the bytes from the local route header to the invariant checksum. Global route headers,
//! for other subnets, are not modelled.
//!
//! Sources: `InfiniBand` Architecture Specification, volume 1, release 1.2, sections 6.2 and 7.7 (headers,
//! checksums), 16.1.3.5 (counters); volume 2, sections 5.2 and 6.3 (delimiters, link rates).

use bandgraph_units::{Bandwidth, Bytes};

/// Bytes of the local route header.
pub const LOCAL_ROUTE_HEADER: f64 = 8.0;
/// Bytes of the variant checksum.
pub const VARIANT_CHECKSUM: f64 = 2.0;
/// Bytes of the symbols that delimit a packet.
pub const DELIMITERS: f64 = 2.0;

/// Bytes of a packet on the wire in addition to the transport packet: 12.
pub const PACKET_OVERHEAD: f64 = LOCAL_ROUTE_HEADER + VARIANT_CHECKSUM + DELIMITERS;

/// The rate of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneRate {
    /// Single data rate: 2.5 Gbit/s, 8b/10b.
    Single,
    /// Double data rate: 5 Gbit/s, 8b/10b.
    Double,
    /// Quad data rate: 10 Gbit/s, 8b/10b.
    Quad,
    /// Fourteen data rate: 14.0625 Gbit/s, 64b/66b.
    Fourteen,
    /// Enhanced data rate: 25.78125 Gbit/s, 64b/66b.
    Enhanced,
}

impl LaneRate {
    /// Data rate of a link of this number of lanes in one direction, without line coding.
    pub fn bandwidth(self, lanes: u32) -> Bandwidth {
        let (bits, coding) = match self {
            Self::Single => (2.5e9, 8.0 / 10.0),
            Self::Double => (5e9, 8.0 / 10.0),
            Self::Quad => (10e9, 8.0 / 10.0),
            Self::Fourteen => (14.062_5e9, 64.0 / 66.0),
            Self::Enhanced => (25.781_25e9, 64.0 / 66.0),
        };
        Bandwidth::new(bits * coding / 8.0 * f64::from(lanes))
    }
}

/// Bytes on the wire of a packet with `transport` bytes from the transport.
pub fn wire_bytes(transport: Bytes) -> Bytes {
    Bytes::new(transport.get() + PACKET_OVERHEAD)
}

/// Bytes in port counters of a packet with `transport` bytes from the transport.
pub fn counted_bytes(transport: Bytes) -> Bytes {
    Bytes::new(transport.get() + LOCAL_ROUTE_HEADER)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The well-known data rates of links with four lanes, in Gbit/s.
    #[test]
    fn four_lanes_have_the_published_rates() {
        for (rate, gigabits) in [
            (LaneRate::Single, 8.0),
            (LaneRate::Double, 16.0),
            (LaneRate::Quad, 32.0),
            (LaneRate::Fourteen, 54.545),
            (LaneRate::Enhanced, 100.0),
        ] {
            let found = rate.bandwidth(4).get() * 8.0 / 1e9;
            assert!((found - gigabits).abs() < 0.001, "{found}");
        }
    }

    /// By hand: the middle packet of an RDMA write with an MTU of 2048 has a base transport header of 12,
    /// 2048 of data, 4 of checksum; 2074 with route header 8 and checksum 2, and 2076 with delimiters.
    #[test]
    fn packets_are_framed() {
        let transport = Bytes::new(12.0 + 2048.0 + 4.0);
        assert_eq!(wire_bytes(transport), Bytes::new(2076.0));
        assert_eq!(counted_bytes(transport), Bytes::new(2072.0));
    }
}
