//! The configuration space of a PCI function as bytes: what `lspci -xxxx` and `sysfs` hold.
//!
//! Offsets are those of the PCI, PCI Express and HyperTransport specifications. Without privileges a system
//! gives the first 64 bytes only; then there are ids and no capabilities.

use super::northbridge;
use crate::facts::{Device, Facts, HyperTransportLink, PortKind};
use crate::origin::Origin;
use crate::pci::lanes_of;

/// Adds what the bytes say of `device`, and returns the HyperTransport links among its capabilities. What a
/// northbridge says of its fabric is added to `facts`.
pub(crate) fn decode(
    bytes: &[u8],
    at: Origin,
    device: &mut Device,
    facts: &mut Facts,
) -> Vec<HyperTransportLink> {
    let byte = |offset: usize| bytes.get(offset).copied();
    let word = |offset: usize| Some(u16::from_le_bytes([byte(offset)?, byte(offset + 1)?]));
    let Some(vendor) = word(0).filter(|&vendor| vendor != 0xffff && vendor != 0) else {
        return Vec::new();
    };
    let set = |value: Option<u16>| value.map(|value| at.says(value));
    device.vendor = Some(at.says(vendor));
    device.device = set(word(2));
    device.class = byte(9)
        .zip(word(10))
        .map(|(interface, class)| at.says(u32::from(class) << 8 | u32::from(interface)));
    let is_bridge = byte(0x0e).is_some_and(|kind| kind & 0x7f == 1);
    if is_bridge {
        device.secondary_bus = byte(0x19).map(|bus| at.says(bus));
        device.subordinate_bus = byte(0x1a).map(|bus| at.says(bus));
    } else {
        device.subsystem_vendor = set(word(0x2c));
        device.subsystem = set(word(0x2e));
    }
    let mut links = Vec::new();
    let has_capabilities = word(6).is_some_and(|status| status & 0x10 != 0);
    let mut next = byte(0x34).filter(|_| has_capabilities).map_or(0, usize::from) & 0xfc;
    // A chain of 256 bytes has at most 48 entries; a damaged one may run in circles.
    for _ in 0..48 {
        let Some(id) = byte(next).filter(|_| next >= 0x40) else {
            break;
        };
        match id {
            0x07 => device.is_conventional = Some(at.says(true)),
            0x08 => links.extend(hypertransport(next, &byte, &word, at, device)),
            0x10 => express(next, &word, at, device),
            _ => {}
        }
        next = byte(next + 1).map_or(0, usize::from) & 0xfc;
    }
    northbridge::decode(bytes, at, device, &mut links, facts);
    links
}

fn express(base: usize, word: &dyn Fn(usize) -> Option<u16>, at: Origin, device: &mut Device) {
    let kind = word(base + 2).and_then(|flags| match flags >> 4 & 0xf {
        0 | 1 => Some(PortKind::Endpoint),
        4 => Some(PortKind::RootPort),
        5 => Some(PortKind::Upstream),
        6 => Some(PortKind::Downstream),
        7 | 8 => Some(PortKind::Bridge),
        9 | 10 => Some(PortKind::Integrated),
        _ => None,
    });
    device.kind = kind.map(|kind| at.says(kind));
    let size = |code: u16| (code <= 5).then(|| at.says(128_u32 << code));
    device.payload_capable = word(base + 4).and_then(|capable| size(capable & 7));
    let control = word(base + 8);
    device.payload = control.and_then(|control| size(control >> 5 & 7));
    device.read_request = control.and_then(|control| size(control >> 12 & 7));
    let lanes = |value: u16| lanes_of(u64::from(value >> 4 & 0x3f)).map(|lanes| at.says(lanes));
    let generation = |value: u16| {
        let code = value & 0xf;
        (1..=6).contains(&code).then(|| at.says(code as u8))
    };
    let (capable, status) = (word(base + 0x0c), word(base + 0x12));
    device.lanes_capable = capable.and_then(lanes);
    device.generation_capable = capable.and_then(generation);
    device.lanes = status.and_then(lanes);
    device.generation = status.and_then(generation);
}

fn hypertransport(
    base: usize,
    byte: &dyn Fn(usize) -> Option<u8>,
    word: &dyn Fn(usize) -> Option<u16>,
    at: Origin,
    device: &Device,
) -> Vec<HyperTransportLink> {
    let Some(command) = word(base + 2) else {
        return Vec::new();
    };
    // Offsets of control and frequency of each link: a slave has two links, a host one.
    let (is_host, places): (bool, &[(usize, usize)]) = match command >> 13 {
        0 => (false, &[(4, 0x0d), (8, 0x11)]),
        1 => (true, &[(4, 9)]),
        _ => return Vec::new(),
    };
    let link = |(index, &(control, frequency)): (usize, &(usize, usize))| {
        let state = word(base + control)?;
        let width = match word(base + control + 2)? >> 8 & 7 {
            0 => Some(8),
            1 => Some(16),
            3 => Some(32),
            4 => Some(2),
            5 => Some(4),
            _ => None,
        };
        let clock = frequency_of(byte(base + frequency)? & 0xf);
        Some(HyperTransportLink {
            address: device.address.clone(),
            capability: Some(at.says((base as u16, index as u8))),
            is_host: Some(at.says(is_host)),
            is_up: Some(at.says(state & 0x20 != 0 && state & 0x50 == 0)),
            width: width.map(|width| at.says(width)),
            clock_hz: clock.map(|clock| at.says(clock)),
            is_coherent: None,
        })
    };
    places.iter().enumerate().filter_map(link).collect()
}

/// The clock of a HyperTransport link by its code, in Hz. Codes of five bits are those of HyperTransport 3.1.
pub(super) fn frequency_of(code: u8) -> Option<f64> {
    let megahertz = [
        200, 300, 400, 500, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600, 0, 0, 2800, 3000,
        3200,
    ];
    let clock = *megahertz.get(usize::from(code))?;
    (clock > 0).then(|| f64::from(clock) * 1e6)
}
