//! PCI Express switches of a topology file, and chipsets, whose ports share one link as those of a switch do.

use std::collections::{BTreeMap, BTreeSet};

use super::slots::Bridges;
use super::writer::{Because, Writer, quoted};
use crate::inspect::{Uplink, uplinks};
use crate::origin::Known;
use crate::pci::PciAddress;
use crate::resolve::{CardKind, Machine};

/// The switches of a machine.
pub(super) struct Switches<'a> {
    all: Vec<Uplink<'a>>,
    /// The index of the switch above each card that is behind one.
    above: BTreeMap<PciAddress, usize>,
}

impl<'a> Switches<'a> {
    /// The switches with a card that the topology has. Of several in a row the slowest counts: a topology has
    /// one between bridge and slot.
    pub(super) fn of(machine: &'a Machine) -> Self {
        let all: Vec<Uplink<'a>> = (uplinks(machine).into_iter())
            .filter(Uplink::is_credible)
            .collect();
        let rate = |index: usize| all[index].rate().unwrap_or(f64::INFINITY);
        let mut above: BTreeMap<PciAddress, usize> = BTreeMap::new();
        for (index, uplink) in all.iter().enumerate() {
            let cards = uplink.cards.iter();
            let cards = cards.filter(|card| !card.internal && card.kind != CardKind::Gpu);
            for address in cards.filter_map(|card| card.address) {
                let slowest = above.entry(address).or_insert(index);
                if rate(index) < rate(*slowest) {
                    *slowest = index;
                }
            }
        }
        let used: BTreeSet<usize> = above.values().copied().collect();
        let numbers: BTreeMap<usize, usize> = used.iter().copied().zip(0..).collect();
        for index in above.values_mut() {
            *index = numbers[index];
        }
        let all = (all.into_iter().enumerate()).filter(|(index, _)| used.contains(index));
        Self {
            all: all.map(|(_, uplink)| uplink).collect(),
            above,
        }
    }

    /// The id of the switch that a card is behind.
    pub(super) fn above(&self, card: PciAddress) -> Option<String> {
        let index = self.above.get(&card)?;
        Some(format!("switch{index}"))
    }

    /// Writes them.
    pub(super) fn write(&self, writer: &mut Writer<'_>, bridges: &Bridges<'_>) {
        for (index, uplink) in self.all.iter().enumerate() {
            let (generation, lanes) = uplink.wire();
            let fastest = uplink.fastest().unwrap_or(generation).max(generation).clamp(1, 5);
            writer.table("[switch]");
            let because = Because::of(uplink.port.address.at(), "a port without an address");
            writer.field("id", quoted(format!("switch{index}")), because);
            let why = match uplink.what {
                "chipset" => "the ports of a chipset share its link as those of a switch do",
                _ => "the catalogue knows switches by their generation only",
            };
            let part = quoted(format!("pcie-switch-gen{fastest}"));
            writer.field("part", part, why);
            if uplink.what == "chipset" {
                let why = "its link to the processor takes none of its lanes";
                writer.field("chipset", true, why);
            }
            let socket = uplink.cards.iter().find_map(|card| card.socket.clone());
            let (bridge, said) = bridges.on(&socket, uplink.cards.first().and_then(|card| card.address));
            writer.field("bridge", bridge, said);
            let wire = quoted(format!("gen{generation} x{lanes}"));
            let lanes = uplink.port.lanes.as_ref().filter(|_| uplink.what == "switch");
            let why = "the link of such a chipset, by its data sheet";
            writer.field("pcie", wire, Because::of(lanes.at(), why));
        }
    }
}
