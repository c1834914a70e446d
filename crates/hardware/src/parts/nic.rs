//! A network card.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use super::{CardHeight, LinkLayer};
use crate::card::{Card, NetworkPorts, sides_of_fields};
use crate::part::part;
use crate::pcie::PcieGeneration;

part! {
    /// A network card, or network ports that sit on a bridge.
    NicPart, Nic = "nic" {
        /// Ports on the card.
        ports: u64 = 1, required, positive, at_most(64.0);
        /// Rate of one port in each direction, on the wire.
        port_rate: Bandwidth = "1 Gbit/s", exact, in_bits, required, positive, at_least(1e3), at_most(1e12);
        /// Rate of both directions of a port together: less than twice the rate of one where they share
        /// a bus or an engine. Zero: they share nothing.
        duplex_rate: Bandwidth = "0 B/s", at_most(2e12),
            because("both directions are independent, as full duplex is");
        /// Rate of all its ports together in each direction: less than the sum of their rates where the card
        /// or its engine is the limit. Zero: each port carries its rate.
        card_rate: Bandwidth = "0 B/s", at_most(1e12), because("each port carries its rate");
        /// The network that its ports are for.
        link_layer: LinkLayer = "ethernet", because("most cards are for it");
        /// Whether ports for Ethernet do RDMA over it (RoCE version 2). Ports for InfiniBand always do RDMA.
        rdma: bool = false, because("none, unless its maker says so");
        /// Whether the ports sit on the bridge itself and take no slot. The PCIe fields then do not matter.
        integrated: bool = false, because("a card in a slot");
        /// PCIe generation of the card.
        pcie_generation: PcieGeneration = "gen1", listed, because("that of the oldest cards");
        /// PCIe lanes of the card.
        pcie_lanes: u64 = 8, listed, positive, at_most(32.0), because("eight, as most cards have");
        /// Largest payload of a PCIe packet it takes or sends.
        maximum_payload: Bytes = "128 B", exact, at_least(128.0), at_most(4096.0), stated_by("pcie-base"),
            because("the least that every device takes");
        /// Largest read from memory it requests at once.
        maximum_read_request: Bytes = "512 B", exact, at_least(128.0), at_most(4096.0),
            stated_by("bsdhw-pciconf");
        /// Bits of the addresses it uses: above 32, the headers of its requests are 4 bytes longer.
        address_bits: u64 = 64, at_least(32.0), at_most(64.0), stated_by("pcie-base");
        /// Reads from memory that it keeps in flight.
        outstanding_reads: u64 = 16, positive, at_most(65536.0),
            because("half of what tags of 5 bits number"),
            assumed(AssumedRange(0.5, 2.0, "half to twice: cards use some of the tags, or all"));
        /// Bytes of descriptors and status that it moves over the bus for a frame, in addition to the frame;
        /// on
        /// InfiniBand, for a work request.
        descriptor_bytes: Bytes = "16 B", at_most(65536.0),
            because("one descriptor, into which its status is written"), assumed(AssumedRange(0.7, 1.3,
                "±30 %: status is written for several frames at a time, or in an entry of its own"));
        /// Bytes of received packets of one connection that it can merge into one before its driver sees them
        /// (hardware GRO), where a profile has that on (`hardware_merging`). Zero: it merges none.
        merged_bytes: Bytes = "0 B", at_most(1e6), because("it merges none, as far as known");
        /// Whether its driver has merging on by default, whatever the profile says.
        merges_by_default: bool = false, because("drivers of most cards leave it off");
        /// Shortest time between two interrupts of one vector of a port.
        interrupt_interval: Time = "0 s", at_most(1.0),
            measured("`ethtool -c`: rx-usecs"), because("no moderation");
        /// Frames received after which it interrupts before that time is over. Zero: never before.
        interrupt_frames: u64 = 0, at_most(1e6), because("the time decides, as drivers set it");
        /// Interrupts of a port that different cores take, each of which keeps that time. Zero: one for each
        /// transmit ring.
        interrupt_vectors: u64 = 0, at_most(65536.0), because("drivers make a vector for each ring");
        /// Transmit rings of a port, each of which one processor can fill without waiting for the others.
        transmit_rings: u64 = 1, positive, at_most(65536.0), because("one, as the simplest cards have"),
            assumed(AssumedRange(0.5, 2.0,
                "half to twice: drivers make one for each processor, up to a limit of theirs"));
        /// Height of the bracket.
        height: CardHeight = "low", because("most have a low bracket, or are delivered with one");
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: transceivers, rate and cable differ"));
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.6, 1.5, "±40 to 50 %: transceivers, rate and cable differ"));
    }
}

impl Card for NicPart {
    sides_of_fields!(integrated);

    fn rate(&self) -> Bandwidth {
        self.port_rate
    }

    fn network(&self) -> Option<NetworkPorts> {
        Some(NetworkPorts {
            count: self.ports,
            rate: self.port_rate,
            duplex_rate: self.duplex_rate,
            card_rate: self.card_rate,
            link_layer: self.link_layer,
            rdma: self.rdma || self.link_layer == LinkLayer::Infiniband,
            descriptor_bytes: self.descriptor_bytes,
            merged_bytes: self.merged_bytes,
            merges_by_default: self.merges_by_default,
            interrupt_interval: self.interrupt_interval,
            interrupt_frames: self.interrupt_frames,
            interrupt_vectors: if self.interrupt_vectors == 0 {
                self.transmit_rings
            } else {
                self.interrupt_vectors
            },
            transmit_rings: self.transmit_rings,
        })
    }
}
