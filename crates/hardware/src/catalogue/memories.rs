//! Memory modules: peak rates are arithmetic from the grade.

use bandgraph_units::Fraction;

use crate::memory::channel_rate;
use crate::parts::MemoryPart;

pub(super) fn entries() -> Vec<MemoryPart> {
    // The exact rates behind grades that are rounded: 667 is two thirds of a thousand.
    [
        ("ddr2-667", "JESD79-2", 2000.0 / 3.0),
        ("ddr2-800", "JESD79-2", 800.0),
        ("ddr3-1066", "JESD79-3", 3200.0 / 3.0),
        ("ddr3-1333", "JESD79-3", 4000.0 / 3.0),
        ("ddr4-2666", "JESD79-4", 8000.0 / 3.0),
        ("ddr4-3200", "JESD79-4", 3200.0),
        ("ddr5-4800", "JESD79-5", 4800.0),
    ]
    .into_iter()
    .map(|(name, standard, million_transfers)| MemoryPart {
        name: name.to_owned(),
        source: format!("{standard} (transfer rate × 8 bytes); assumption: 80 % sustainable"),
        transfer_rate: channel_rate(million_transfers),
        sustainable: Fraction::new(0.8),
        loaded_latency: String::new(),
    })
    .collect()
}
