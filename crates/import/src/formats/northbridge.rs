//! Registers of AMD northbridges with HyperTransport: families 0Fh, 10h and 15h (models 00h to 0Fh).
//!
//! Function 0 has the number of the node and a routing table with an entry per destination; functions 0 and 4
//! have the links, where function 4 has the second halves of links that are split in two. Function 1 says
//! which buses hang on which node, and on which of its links. Offsets and fields are those of AMD's BIOS and
//! kernel developer's guides.

use super::config_space::frequency_of;
use crate::facts::{BusRange, Device, Facts, HyperTransportLink, Northbridge};
use crate::origin::{Known, Origin};

/// Function 0, function 1 and function 4 of a northbridge by their device ids.
const FUNCTIONS: [[u16; 3]; 3] = [
    [0x1100, 0x1101, 0],
    [0x1200, 0x1201, 0x1204],
    [0x1600, 0x1601, 0x1604],
];

/// Entries of a routing table: a coherent fabric has up to eight nodes.
const NODES: usize = 8;

/// Adds what the registers of a function say, if it is one of a northbridge, and completes its `links`.
pub(super) fn decode(
    bytes: &[u8],
    at: Origin,
    device: &Device,
    links: &mut [HyperTransportLink],
    facts: &mut Facts,
) {
    let id = device
        .device
        .known()
        .filter(|_| device.vendor.known() == Some(0x1022));
    let is = |function: usize| id.is_some_and(|id| FUNCTIONS.iter().any(|ids| ids[function] == id));
    let word = |offset: usize| {
        let word = bytes.get(offset..offset + 4)?;
        Some(u32::from_le_bytes(word.try_into().ok()?))
    };
    if is(0) || is(2) {
        for link in links.iter_mut() {
            let offset = link
                .capability
                .known()
                .map_or(0, |(offset, _)| usize::from(offset));
            let kind = word(offset + 0x18).filter(|kind| kind & 3 == 3);
            link.is_coherent = kind.map(|kind| at.says(kind & 4 == 0));
            // From family 10h on, the code of the clock has a fifth bit.
            if let Some(&code) = bytes.get(offset + 9)
                && id != Some(0x1100)
                && word(offset + 0x1c).is_some_and(|extension| extension & 1 == 1)
            {
                link.clock_hz = frequency_of(16 | code & 0xf).map(|clock| at.says(clock));
            }
        }
    }
    if is(0) {
        facts
            .northbridges
            .extend(northbridge(&word, id == Some(0x1100), at, device));
    } else if is(1) {
        for offset in [0xe0, 0xe4, 0xe8, 0xec] {
            let range = word(offset).filter(|range| range & 3 == 3);
            let known = |range: &u32| {
                let first = Some((range >> 16) as u8);
                facts.bus_ranges.iter().any(|one| one.first.known() == first)
            };
            if let Some(range) = range.filter(|range| !known(range)) {
                facts.bus_ranges.push(BusRange {
                    first: Some(at.says((range >> 16) as u8)),
                    last: Some(at.says((range >> 24) as u8)),
                    node: Some(at.says(range >> 4 & 7)),
                    link: Some(at.says((range >> 8 & if id == Some(0x1101) { 3 } else { 7 }) as u16)),
                });
            }
        }
    }
}

/// The node of a function 0. Family 0Fh has three links and entries of four bits, the later ones eight links
/// and entries of nine.
fn northbridge(
    word: &dyn Fn(usize) -> Option<u32>,
    is_first: bool,
    at: Origin,
    device: &Device,
) -> Option<Northbridge> {
    let id = word(0x60)?;
    let (bits, broadcast) = if is_first { (4, 16) } else { (9, 18) };
    let entries: Option<Vec<u32>> = (0..NODES).map(|node| word(0x40 + 4 * node)).collect();
    let entries = entries?;
    let field = |shift: u32| -> Vec<u16> {
        let mask = (1 << bits) - 1;
        entries
            .iter()
            .map(|entry| (entry >> shift & mask) as u16)
            .collect()
    };
    Some(Northbridge {
        address: device.address.clone(),
        node: Some(at.says(id & 7)),
        nodes: Some(at.says((id >> 4 & 7) + 1)),
        requests: Some(at.says(field(0))),
        broadcasts: Some(at.says(field(broadcast))),
    })
}
