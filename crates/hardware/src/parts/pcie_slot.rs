//! A PCI Express slot of a board.

use crate::part::part;
use crate::pcie::{PcieGeneration, PcieSlotSpec};

part! {
    /// A PCI Express slot: the lanes that are wired to it, and how fast they go.
    PcieSlotPart, PcieSlot = "pcie-slot" {
        /// Fastest PCIe generation that the slot is wired for.
        generation: PcieGeneration = "gen1", required;
        /// Lanes that are wired.
        lanes: u64 = 8, required, positive, at_most(32.0);
    }
}

impl PcieSlotPart {
    /// Generation and lanes, in the notation of topologies: `gen1 x8`.
    pub fn spec(&self) -> PcieSlotSpec {
        PcieSlotSpec {
            generation: self.generation,
            lanes: self.lanes as u32,
        }
    }
}
