//! What packets cost in software, besides operations and bytes.
//!
//! Where segments are as large as the software hands them down (large segment offload, jumbo frames), their cost is part
//! of that of bytes. Where they are small, as with IP over InfiniBand, each costs instructions and misses of its own.
//!
//! Transmit rings: processors fill them without waiting for each other, but the more of them are in use, the more often
//! a packet, its connection and its ring meet a processor that did not have their lines: threads that serve rings are
//! switched to and moved, and the lines move after them. Published for one card (network-2008-2009): with 2 rings 9.0
//! and 10.8 cycles a byte for 12 and 40 connections, with all rings 11.1 and 15.7, more context switches, and
//! `HyperTransport` above 60 %. With `r` rings in use, which are no more than there are connections (12 of 12, 24 of 40),
//! the four figures are within 3 % of 9.0 × (1 or 1.2 for the connections) × (1 + 0.021 × (r − 2)). So here: a number of
//! misses for every packet sent and every ring in use beyond the first, and one for every connection beyond the first,
//! whose state pushes that of others out of the caches. Three of the four figures set the parameters, with the cost of
//! bytes; the fourth tests them.
//!
//! Interrupts and connections of a port are bound to some of the cores, which is all that one port can use: the same
//! four rows keep 3 cores busy with 12 connections and 5 with 40, of the 16 that there are.

use bandgraph_hardware::FieldInfo;
use bandgraph_workload::Exchange;

use crate::stack::number;

/// What packets cost in software.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PacketCosts {
    /// Instructions for every packet, sent or received.
    pub instructions_per_packet: f64,
    /// Cache lines missed for every packet, sent or received.
    pub misses_per_packet: f64,
    /// Cache lines missed for every packet with data that is sent, and every transmit ring in use beyond the first.
    pub misses_per_packet_and_ring: f64,
    /// Cache lines missed for every packet with data that is sent, and every connection beyond the first.
    pub misses_per_packet_and_connection: f64,
    /// Cores that do the work of one port, because its interrupts and the connections on it are bound to them; zero for
    /// all there are.
    pub cores_per_port: f64,
}

impl PacketCosts {
    /// The fields that files may set.
    pub const FIELDS: [FieldInfo; 5] = [
        number(
            "instructions_per_packet",
            "Instructions for every packet, sent or received.",
            0.0,
            1e9,
        ),
        number(
            "misses_per_packet",
            "Cache lines missed for every packet, sent or received.",
            0.0,
            1e6,
        ),
        number(
            "misses_per_packet_and_ring",
            "Cache lines missed for every packet sent, and every transmit ring in use beyond the first.",
            0.0,
            1e6,
        ),
        number(
            "misses_per_packet_and_connection",
            "Cache lines missed for every packet sent, and every connection on the port beyond the first.",
            0.0,
            1e6,
        ),
        number(
            "cores_per_port",
            "Cores that do the work of one port, because its interrupts and connections are bound to them; 0 for all.",
            0.0,
            65_536.0,
        ),
    ];

    pub(crate) fn number_mut(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "instructions_per_packet" => &mut self.instructions_per_packet,
            "misses_per_packet" => &mut self.misses_per_packet,
            "misses_per_packet_and_connection" => &mut self.misses_per_packet_and_connection,
            "cores_per_port" => &mut self.cores_per_port,
            "misses_per_packet_and_ring" => &mut self.misses_per_packet_and_ring,
            _ => return None,
        })
    }

    /// Instructions and misses of one operation, on a port with so many transmit rings that so many threads use, each
    /// with a connection of its own.
    pub(crate) fn of_operation(&self, exchange: &Exchange, rings: u64, threads: f64) -> (f64, f64) {
        let all = exchange.to_client.frames + exchange.to_server.frames;
        let in_use = (rings as f64).min(threads).max(1.0);
        let others = (threads - 1.0).max(0.0);
        let moved =
            self.misses_per_packet_and_ring * (in_use - 1.0) + self.misses_per_packet_and_connection * others;
        (
            self.instructions_per_packet * all,
            self.misses_per_packet * all + moved * exchange.to_client.data_segments(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_units::Bytes;
    use bandgraph_workload::{NetworkSettings, OperationKind, ProtocolKind, exchange};

    /// By hand: 14,480 bytes are 10 segments of an MTU of 1500, and 5 acknowledgements.
    #[test]
    fn packets_are_charged_by_hand() {
        let costs = PacketCosts {
            instructions_per_packet: 1000.0,
            misses_per_packet: 2.0,
            misses_per_packet_and_ring: 0.5,
            misses_per_packet_and_connection: 0.0,
            cores_per_port: 0.0,
        };
        let stream = |kind| {
            exchange(
                ProtocolKind::TcpStream,
                kind,
                Bytes::new(14_480.0),
                &NetworkSettings::default(),
            )
        };
        let sent = stream(OperationKind::Read);
        assert_eq!(costs.of_operation(&sent, 1, 40.0), (15_000.0, 30.0));
        assert_eq!(
            costs.of_operation(&sent, 24, 40.0),
            (15_000.0, 30.0 + 0.5 * 23.0 * 10.0)
        );
        // No more rings are in use than there are connections.
        assert_eq!(
            costs.of_operation(&sent, 24, 12.0),
            costs.of_operation(&sent, 12, 40.0)
        );
        // What is received uses no ring; acknowledgements that are sent carry no data.
        let received = stream(OperationKind::Write);
        assert_eq!(costs.of_operation(&received, 24, 40.0), (15_000.0, 30.0));
    }
}
