//! Memory controllers.
//!
//! A channel is 64 bits wide and moves 8 bytes a transfer, so its peak rate is transfers per second × 8 (JEDEC DDR
//! standards). A controller with several channels spreads lines over them. What it sustains under mixed reads and writes
//! is a share of that peak ([`MemoryPart::sustainable`]).

use bandgraph_units::Bandwidth;

use crate::parts::MemoryPart;

/// Bytes of one transfer on a channel.
pub const CHANNEL_BYTES: f64 = 8.0;

/// Peak rate of a channel at so many million transfers a second: 5.336 GB/s for DDR2-667 at 667.
///
/// The true rates of grades such as 667 are thirds (666.67 million); [`channel_rate`] takes the exact figure.
pub const fn channel_rate(million_transfers: f64) -> Bandwidth {
    Bandwidth::new(million_transfers * 1e6 * CHANNEL_BYTES)
}

/// Peak bandwidth of a controller.
pub fn controller_capacity(part: &MemoryPart, channels: u32) -> Bandwidth {
    part.transfer_rate * f64::from(channels)
}

/// Bandwidth that a controller sustains.
pub fn controller_sustained(part: &MemoryPart, channels: u32) -> Bandwidth {
    controller_capacity(part, channels) * part.sustainable.get()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    /// Published peak rates: PC2-5300 is 5.333 GB/s, PC2-6400 6.4, PC3-10600 10.667, PC4-25600 25.6, PC5-38400 38.4.
    #[test]
    fn module_grades_have_their_published_rates() {
        for (name, gigabytes) in [
            ("ddr2-667", 5.333),
            ("ddr2-800", 6.4),
            ("ddr3-1066", 8.533),
            ("ddr3-1333", 10.667),
            ("ddr4-2666", 21.333),
            ("ddr4-3200", 25.6),
            ("ddr5-4800", 38.4),
        ] {
            let part = catalogue().memory(name).expect("it is in the catalogue");
            let rate = part.transfer_rate.get() / 1e9;
            assert!((rate - gigabytes).abs() < 0.001, "{name}: {rate}");
        }
    }

    #[test]
    fn channels_add_up() {
        let part = catalogue().memory("ddr2-667").expect("it is in the catalogue");
        let peak = controller_capacity(part, 2);
        assert!((peak.get() - 10.667e9).abs() < 1e6);
        assert_eq!(
            controller_sustained(part, 2).get(),
            peak.get() * part.sustainable.get()
        );
    }
}
