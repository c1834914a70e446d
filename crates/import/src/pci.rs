//! PCI addresses and the rates of PCI Express generations.

use std::fmt;

/// The address of a PCI function.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PciAddress {
    /// Domain (segment); virtual machines use up to 32 bits.
    pub domain: u32,
    /// Bus.
    pub bus: u8,
    /// Device on the bus, 0 to 31.
    pub device: u8,
    /// Function of the device, 0 to 7; with alternative routing (ARI) up to 255.
    pub function: u8,
}

impl PciAddress {
    /// From `0000:81:00.0` or `81:00.0`, all in hexadecimal. The segment `ffff`, which firmware prints where
    /// it knows none, is domain 0.
    pub fn parse(text: &str) -> Option<Self> {
        let (place, function) = text.trim().rsplit_once('.')?;
        let (bus, device) = place.rsplit_once(':')?;
        let (domain, bus) = bus.rsplit_once(':').unwrap_or(("0", bus));
        let hex = |text: &str| u32::from_str_radix(text, 16).ok();
        let domain = hex(domain)?;
        Some(Self {
            domain: if domain == 0xffff { 0 } else { domain },
            bus: u8::try_from(hex(bus)?).ok()?,
            device: u8::try_from(hex(device)?).ok().filter(|&device| device < 32)?,
            function: u8::try_from(hex(function)?).ok()?,
        })
    }

    /// The same device, function 0.
    #[must_use]
    pub const fn first_function(self) -> Self {
        Self { function: 0, ..self }
    }
}

/// As people write it, since findings show values whatever their type.
impl fmt::Debug for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            domain,
            bus,
            device,
            function,
        } = self;
        if *domain != 0 {
            write!(f, "{domain:04x}:")?;
        }
        write!(f, "{bus:02x}:{device:02x}.{function:x}")
    }
}

/// The two ids of a function or of a board in hexadecimal: of the vendor, and of what it is (`8086:10fb`).
pub(crate) fn ids_of(text: &str, between: char) -> Option<(u16, u16)> {
    let (vendor, device) = text.split_once(between)?;
    let hex = |id| u16::from_str_radix(id, 16).ok();
    Some((hex(vendor)?, hex(device)?))
}

/// The classes of functions that matter, with their ids. Source: the list of PCI ids.
const CLASSES: [(&str, u16); 17] = [
    ("SCSI storage controller", 0x0100),
    ("IDE interface", 0x0101),
    ("RAID bus controller", 0x0104),
    ("SATA controller", 0x0106),
    ("Serial Attached SCSI controller", 0x0107),
    ("Non-Volatile memory controller", 0x0108),
    ("Ethernet controller", 0x0200),
    ("Infiniband controller", 0x0207),
    ("Network controller", 0x0280),
    ("VGA compatible controller", 0x0300),
    ("3D controller", 0x0302),
    ("Display controller", 0x0380),
    ("Host bridge", 0x0600),
    ("PCI bridge", 0x0604),
    ("Fibre Channel", 0x0c04),
    ("InfiniBand", 0x0c06),
    ("Processing accelerators", 0x1200),
];

/// The id of a class that a program prints in words.
pub(crate) fn class_named(words: &str) -> Option<u16> {
    let found = CLASSES.iter().find(|(name, _)| *name == words);
    found.map(|&(_, id)| id)
}

/// The generation of a transfer rate in GT/s; `None` for rates that no generation has.
pub(crate) fn generation_of(gigatransfers: f64) -> Option<u8> {
    [(2.5, 1), (5.0, 2), (8.0, 3), (16.0, 4), (32.0, 5), (64.0, 6)]
        .into_iter()
        .find(|&(rate, _)| (rate - gigatransfers).abs() < 0.01)
        .map(|(_, generation)| generation)
}

/// Lanes that a link can have; `None` for other numbers, 0 among them.
pub(crate) fn lanes_of(number: u64) -> Option<u8> {
    u8::try_from(number)
        .ok()
        .filter(|lanes| [1, 2, 4, 8, 12, 16, 32].contains(lanes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_several_spellings() {
        let address = PciAddress::parse("0000:81:00.1").expect("an address");
        assert_eq!(address.to_string(), "81:00.1");
        assert_eq!(PciAddress::parse("81:00.1"), Some(address));
        assert_eq!(PciAddress::parse("ffff:81:00.1"), Some(address));
        assert_eq!(
            PciAddress::parse("10000:01:00.0").map(|address| address.domain),
            Some(0x10000)
        );
        for wrong in ["", "81:00", "81:20.0", "x1:00.0", "100:00.0", "."] {
            assert_eq!(PciAddress::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn unknown_rates_and_widths_have_no_value() {
        assert_eq!(generation_of(8.0), Some(3));
        assert_eq!(generation_of(0.0), None);
        assert_eq!(lanes_of(0), None);
        assert_eq!(lanes_of(16), Some(16));
    }
}
