//! PCI Express switches of a topology file, and chipsets, whose ports share one link as those of a switch do.

use super::slots::Bridges;
use super::writer::{Because, Writer, quoted};
use crate::inspect::{Uplink, uplinks};
use crate::pci::PciAddress;
use crate::resolve::{CardKind, Machine};

/// The switches of a machine, each with the cards behind it.
pub(super) struct Switches<'a> {
    all: Vec<(Uplink<'a>, Vec<PciAddress>)>,
}

impl<'a> Switches<'a> {
    /// The switches with a card that the topology has. Of several in a row the slowest counts: a topology has
    /// one between bridge and slot.
    pub(super) fn of(machine: &'a Machine) -> Self {
        let mut all: Vec<(Uplink<'a>, Vec<PciAddress>)> = (uplinks(machine).into_iter())
            .filter(Uplink::is_credible)
            .map(|uplink| (uplink, Vec::new()))
            .collect();
        for card in &machine.cards {
            if card.internal || card.kind == CardKind::Gpu {
                continue;
            }
            let above = all.iter_mut().filter(|(uplink, _)| {
                let mut cards = uplink.cards.iter();
                cards.any(|below| below.address == card.address && below.kind == card.kind)
            });
            let rate = |uplink: &Uplink<'_>| uplink.rate().unwrap_or(f64::INFINITY);
            if let Some((_, cards)) = above.min_by(|a, b| rate(&a.0).total_cmp(&rate(&b.0))) {
                cards.push(card.address);
            }
        }
        all.retain(|(_, cards)| !cards.is_empty());
        Self { all }
    }

    /// The id of the switch that a card is behind.
    pub(super) fn above(&self, card: PciAddress) -> Option<String> {
        let index = self.all.iter().position(|(_, cards)| cards.contains(&card))?;
        Some(format!("switch{index}"))
    }

    /// Writes them.
    pub(super) fn write(&self, writer: &mut Writer<'_>, bridges: &Bridges) {
        for (index, (uplink, _)) in self.all.iter().enumerate() {
            let at = uplink.port.address.as_ref().map(|said| said.at);
            let because = |why: &str| match at {
                Some(at) => Because::Said(at),
                None => Because::Assumed(why.to_owned()),
            };
            let (generation, lanes) = uplink.wire();
            let fastest = uplink.fastest().unwrap_or(generation).max(generation).clamp(1, 5);
            writer.table("[switch]");
            writer.field(
                "id",
                quoted(format!("switch{index}")),
                because("a port without an address"),
            );
            let why = match uplink.what {
                "chipset" => "the ports of a chipset share its link as those of a switch do",
                _ => "the catalogue knows switches by their generation only",
            };
            let part = quoted(format!("pcie-switch-gen{fastest}"));
            writer.field("part", part, Because::Assumed(why.to_owned()));
            let socket = uplink.cards.iter().find_map(|card| card.socket.clone());
            let (bridge, said) = bridges.on(&socket);
            writer.field("bridge", bridge, said);
            let wire = quoted(format!("gen{generation} x{lanes}"));
            let lanes = uplink.port.lanes.as_ref().filter(|_| uplink.what == "switch");
            let because = match lanes {
                Some(lanes) => Because::Said(lanes.at),
                None => Because::Assumed("the link of such a chipset, by its data sheet".to_owned()),
            };
            writer.field("pcie", wire, because);
        }
    }
}
