//! Memory modules: peak rates are arithmetic from the grade.

use bandgraph_units::{Fraction, Power};

use crate::memory::channel_rate;
use crate::parts::MemoryPart;

pub(super) fn entries() -> Vec<MemoryPart> {
    let mut entries: Vec<MemoryPart> = grades().collect();
    entries.push(fully_buffered());
    entries
}

/// Registered modules. Their power is an assumption by generation.
fn grades() -> impl Iterator<Item = MemoryPart> {
    // The exact rates behind grades that are rounded: 667 is two thirds of a thousand.
    [
        ("ddr2-667", "JESD79-2", 2000.0 / 3.0, [2.0, 5.0]),
        ("ddr2-800", "JESD79-2", 800.0, [2.0, 5.0]),
        ("ddr3-1066", "JESD79-3", 3200.0 / 3.0, [1.5, 4.0]),
        ("ddr3-1333", "JESD79-3", 4000.0 / 3.0, [1.5, 4.0]),
        ("ddr4-2666", "JESD79-4", 8000.0 / 3.0, [1.5, 4.5]),
        ("ddr4-3200", "JESD79-4", 3200.0, [1.5, 4.5]),
        ("ddr5-4800", "JESD79-5", 4800.0, [3.0, 8.0]),
    ]
    .into_iter()
    .map(|(name, standard, million_transfers, [idle, active])| MemoryPart {
        name: name.to_owned(),
        source: format!(
            "{standard} (transfer rate × 8 bytes); assumption: 80 % sustainable; assumption: power of a registered module"
        ),
        transfer_rate: channel_rate(million_transfers),
        sustainable: Fraction::new(0.8),
        idle_power: Power::new(idle),
        active_power: Power::new(active),
        ..MemoryPart::default()
    })
}

/// DDR2 behind a buffer on each module, which takes nearly 5 W whatever it does.
fn fully_buffered() -> MemoryPart {
    MemoryPart {
        name: "ddr2-667-fbdimm".to_owned(),
        source: "JESD206 (channels of DDR2 behind buffers); HP ISS Technology Update, volume 7 number 1, 2008 (5 W a module \
                 more than registered DDR2, hardly rising with load); assumption: 70 % sustainable; assumption: power of \
                 the memory behind the buffer, as ddr2-667"
            .to_owned(),
        transfer_rate: channel_rate(2000.0 / 3.0),
        sustainable: Fraction::new(0.7),
        idle_power: Power::new(7.0),
        active_power: Power::new(10.0),
        ..MemoryPart::default()
    }
}
