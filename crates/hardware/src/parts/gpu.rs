//! A GPU, or another accelerator with memory, which can hold the data of transfers between cards.

use bandgraph_config::AssumedRange;
use bandgraph_units::{Bandwidth, Bytes, Power};

use super::CardHeight;
use crate::card::{Card, sides_of_fields};
use crate::part::part;
use crate::pcie::PcieGeneration;

part! {
    /// A GPU, as a card in a slot. Other cards read its memory and write it over its link.
    GpuPart, Gpu = "gpu" {
        /// Rate of its own memory, which is far above that of its link.
        memory_rate: Bandwidth = "1 TB/s", required, positive, at_least(1e9), at_most(1e14);
        /// PCIe generation of the card.
        pcie_generation: PcieGeneration = "gen4", listed, because("that of most cards in use");
        /// PCIe lanes of the card.
        pcie_lanes: u64 = 16, listed, positive, at_most(32.0), because("sixteen, as slots for them have");
        /// Largest payload of a PCIe packet it takes or sends.
        maximum_payload: Bytes = "256 B", at_least(128.0), at_most(4096.0),
            measured("`lspci -vv`: MaxPayload in DevCtl"), because("as GPUs say in lists of PCI devices"),
            assumed(AssumedRange(0.5, 1.0, "128 or 256 bytes: the lower of root and card"));
        /// Largest read that it requests at once.
        maximum_read_request: Bytes = "512 B", at_least(128.0), at_most(4096.0), stated_by("bsdhw-pciconf");
        /// Largest packet or read request of its own copies, from and to main memory or another GPU.
        /// Transfers of other cards have packets of their own.
        copy_packet: Bytes = "128 B", at_least(64.0), at_most(4096.0),
            because("a line of the cache of most GPUs, which fits measured copies in gen2 to gen4"),
            assumed(AssumedRange(1.0, 4.0, "128 to 512 bytes: some move as much as their link allows"));
        /// Bits of the addresses it uses: above 32, the headers of its requests are 4 bytes longer.
        address_bits: u64 = 64, at_least(32.0), at_most(64.0), stated_by("pcie-base");
        /// Reads that it keeps in flight.
        outstanding_reads: u64 = 256, positive, at_most(65536.0), because("tags of 8 bits"),
            assumed(AssumedRange(0.125, 3.0, "32 to 768: tags of 5, 8 or 10 bits, or some of them"));
        /// Height of the card; a module on a board of its own fits slots of any height.
        height: CardHeight = "full", because("cards with a large cooler");
        /// Power when idle; unknown if it and `active_power` are zero.
        idle_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.1, "70 to 110 %: the design power is a limit that loads stay below"));
        /// Power when fully used. In between, power follows utilisation.
        active_power: Power = "0 W", at_most(1e6),
            because("unknown, so that the power of its server is not computed"),
            assumed(AssumedRange(0.7, 1.1, "70 to 110 %: the design power is a limit that loads stay below"));
    }
}

impl Card for GpuPart {
    sides_of_fields!();

    fn rate(&self) -> Bandwidth {
        self.memory_rate
    }

    fn copy_packet(&self) -> Option<Bytes> {
        Some(self.copy_packet)
    }

    fn has_memory(&self) -> bool {
        true
    }
}
