//! A PCI Express switch.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bytes, Time};

use crate::part::part;
use crate::pcie::PcieGeneration;

part! {
    /// A PCI Express switch: one port toward the bridge, which the slots below it share.
    PcieSwitchPart, PcieSwitch = "pcie-switch" {
        /// Fastest PCIe generation that its ports support.
        generation: PcieGeneration = "gen1", required;
        /// Largest payload of a packet that it passes on.
        maximum_payload: Bytes = "256 B", exact, at_least(128.0), at_most(4096.0),
            because("as root complexes below them set it");
        /// Time from the first bit of a packet on one port to its first bit on the other, one way, without
        /// the packet's own time on the link.
        latency: Time = "150 ns", listed, at_most(1e-3), because("as data sheets give it for cut-through"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: data sheets give 100 to 160 ns"));
        /// Whether a packet is forwarded as soon as its header is there. If not, all of it is received first,
        /// which adds the packet's time on the link.
        cut_through: bool = true, because("as data sheets of switches since generation 2 say");
        /// Whether it is a chipset, which has a link of its own to the processor (DMI) and takes none of its
        /// PCIe lanes.
        chipset: bool = false, because("a switch takes lanes of the processor");
    }
}
