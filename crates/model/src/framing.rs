//! The bytes of packets at a port of the server: on the wire, in its counter, and in memory.

use bandgraph_hardware::{LinkLayer, ethernet, infiniband};
use bandgraph_topology::Topology;
use bandgraph_units::Bytes;
use bandgraph_workload::{OneWay, Packets};

/// The framing of packets at a port.
#[derive(Clone, Copy)]
pub(crate) struct Framing(LinkLayer);

impl Framing {
    /// The framing of a port of the server.
    pub(crate) fn of(topology: &Topology, port: usize) -> Self {
        Self(topology.ports()[port].kind.link_layer)
    }

    /// Bytes of one operation on the wire in one direction, including gaps.
    pub(crate) fn wire_bytes(self, direction: &OneWay) -> f64 {
        match self.0 {
            LinkLayer::Ethernet => frames(direction, ethernet::wire_bytes),
            LinkLayer::Infiniband => frames(direction, infiniband::wire_bytes),
        }
    }

    /// Bytes of one operation in a port counter in one direction.
    pub(crate) fn counted_bytes(self, direction: &OneWay) -> f64 {
        match self.0 {
            LinkLayer::Ethernet => frames(direction, ethernet::counted_bytes),
            LinkLayer::Infiniband => frames(direction, infiniband::counted_bytes),
        }
    }

    /// Bytes of a packet in memory. An Ethernet frame made by software includes its header, without preamble,
    /// check sequence and gap; RDMA adapters make all headers themselves.
    pub(crate) fn stored_bytes(self, packets: &Packets) -> f64 {
        match self.0 {
            LinkLayer::Ethernet if packets.headers_are_of_software() => {
                ethernet::counted_bytes(Bytes::new(packets.stored_bytes_each)).get()
                    - ethernet::CHECK_SEQUENCE
            }
            _ => packets.stored_bytes_each,
        }
    }
}

fn frames(direction: &OneWay, bytes: fn(Bytes) -> Bytes) -> f64 {
    let packets = direction.packets.iter().filter(|packets| packets.count > 0.0);
    packets
        .map(|packets| packets.count * bytes(Bytes::new(packets.ip_bytes_each)).get())
        .sum()
}
