//! Links that several cards share: those of switches and chipsets to the processor.

use std::collections::BTreeMap;

use super::Finding;
use super::rates::{NEGLIGIBLE, Wire, gigabytes, useful};
use crate::facts::{Device, PortKind};
use crate::origin::{Fact, Known};
use crate::pci::PciAddress;
use crate::resolve::{Card, Machine};

/// Chipsets whose root ports share one link to the processor: words of the names of these ports, and that
/// link. Sources: Intel's data sheets of these chipsets (DMI 1: four lanes at 2.5 GT/s, DMI 2: 5 GT/s, DMI 3:
/// 8 GT/s).
const CHIPSETS: [(&str, u8); 16] = [
    ("82801", 1),
    ("ICH9", 1),
    ("ICH10", 1),
    ("5 Series/3400", 1),
    ("6 Series/C200", 2),
    ("7 Series/C210", 2),
    ("7 Series/C216", 2),
    ("8 Series/C220", 2),
    ("C600/X79", 2),
    ("C610/X99", 2),
    ("9 Series", 2),
    ("100 Series/C230", 3),
    ("200 Series", 3),
    ("300 Series", 3),
    ("C620", 3),
    ("Cannon Lake PCH", 3),
];

/// Lanes of the link of a chipset.
const CHIPSET_LANES: u8 = 4;

/// A shared link: what it is of, and the cards below it.
pub(crate) struct Uplink<'a> {
    /// The upstream port of a switch, or a root port of a chipset.
    pub(crate) port: &'a Device,
    /// `"switch"` or `"chipset"`.
    pub(crate) what: &'static str,
    name: String,
    wire: Wire,
    /// The cards below it, with the link of theirs that is.
    pub(crate) cards: Vec<Card>,
}

impl Uplink<'_> {
    /// Generation and lanes of its link to the processor.
    pub(crate) fn wire(&self) -> (u8, u8) {
        (self.wire.generation, self.wire.lanes)
    }

    /// The highest generation in force below it.
    pub(crate) fn fastest(&self) -> Option<u8> {
        let below = self.cards.iter().filter_map(|card| Wire::in_force(&card.pcie));
        below.map(|wire| wire.generation).max()
    }

    /// Whether what a switch prints of its link can be: idle switches are known to print too little.
    pub(crate) fn is_credible(&self) -> bool {
        self.what == "chipset"
            || self
                .fastest()
                .is_none_or(|fastest| fastest <= self.wire.generation + 1)
    }

    /// What it carries per direction, in bytes/s.
    pub(crate) fn rate(&self) -> Option<f64> {
        self.wire.rate()
    }
}

pub(super) fn find(machine: &Machine, findings: &mut Vec<Finding>) {
    for uplink in uplinks(machine) {
        findings.extend(shared(&uplink));
        findings.extend(below_both(machine, &uplink));
    }
}

/// The links that cards of a machine share, by address.
pub(crate) fn uplinks(machine: &Machine) -> Vec<Uplink<'_>> {
    let mut uplinks: BTreeMap<PciAddress, Uplink<'_>> = BTreeMap::new();
    for card in machine.cards.iter().flat_map(Card::by_host) {
        let Some(mut at) = card.address else { continue };
        // A chain of switches is never this long; damaged files have circles.
        for _ in 0..8 {
            let Some(port) = machine.tree.port_above(&machine.facts, at) else {
                break;
            };
            let Some(address) = port.address.known() else {
                break;
            };
            let found = switch(port)
                .map(|wire| (address, "switch", wire))
                .or_else(|| chipset(port).map(|wire| (PciAddress::default(), "chipset", wire)));
            if let Some((key, what, wire)) = found {
                let uplink = uplinks.entry(key).or_insert_with(|| Uplink {
                    port,
                    what,
                    name: format!("the link of the {what} at {address} to the processor"),
                    wire,
                    cards: Vec::new(),
                });
                uplink.cards.push(card.clone());
            }
            at = address;
        }
    }
    uplinks.into_values().collect()
}

/// The link of a switch, if the port is its upstream one.
fn switch(port: &Device) -> Option<Wire> {
    port.kind
        .as_ref()
        .filter(|kind| kind.value == PortKind::Upstream)?;
    wire(port.generation.known()?, port.lanes.known()?)
}

/// The link of a chipset, if the port is one of its root ports.
fn chipset(port: &Device) -> Option<Wire> {
    let name = port.name.value()?;
    let (_, generation) = CHIPSETS.iter().find(|(words, _)| name.contains(words))?;
    wire(*generation, CHIPSET_LANES)
}

fn wire(generation: u8, lanes: u8) -> Option<Wire> {
    (generation > 0 && lanes > 0).then_some(Wire::usual(generation, lanes))
}

/// The link of a switch that trained below what both its ends can.
fn below_both(machine: &Machine, uplink: &Uplink<'_>) -> Option<Finding> {
    let port = Some(uplink.port).filter(|_| uplink.what == "switch" && uplink.is_credible())?;
    let above = machine.tree.port_above(&machine.facts, port.address.known()?)?;
    let least = |own: &Fact<u8>, other: &Fact<u8>| Some(own.known()?.min(other.known()?));
    let capable = wire(
        least(&port.generation_capable, &above.generation_capable)?,
        least(&port.lanes_capable, &above.lanes_capable)?,
    )?;
    let now = uplink.wire;
    let cards = uplink.cards.iter();
    let needed: f64 = cards
        .filter_map(|card| Some(useful(card, Wire::in_force(&card.pcie)?.rate()?)))
        .sum();
    let costs = needed.min(capable.rate()?) - needed.min(now.rate()?);
    let message = format!(
        "{} runs at {now}, and both its ends can run at {capable}",
        uplink.name
    );
    let is_below = capable.generation > now.generation || capable.lanes > now.lanes;
    let finding = if costs > NEGLIGIBLE {
        Finding::warning("inspect::link_below_both", message, costs)
    } else {
        let message = format!("{message}; the cards below it need no more");
        Finding::note("inspect::link_below_both", message)
    };
    is_below.then(|| {
        finding.at([port.lanes.at()]).help(
            "reseat the card or riser with the switch, then look at the slot's speed in the firmware setup",
        )
    })
}

fn shared(uplink: &Uplink<'_>) -> Option<Finding> {
    let fastest = uplink.fastest()?;
    let at = [uplink.port.generation.at(), uplink.port.address.at()];
    if !uplink.is_credible() {
        return Some(
            Finding::note(
                "inspect::uplink_suspicious",
                format!(
                    "{} is printed as {}, and devices below it run at gen{fastest}: this is not believed",
                    uplink.name, uplink.wire
                ),
            )
            .at(at)
            .help("compare with `lspci -vv` of the switch"),
        );
    }
    let link = uplink.wire.rate()?;
    let total: f64 = uplink
        .cards
        .iter()
        .filter_map(|card| Some(useful(card, Wire::in_force(&card.pcie)?.rate()?)))
        .sum();
    (uplink.cards.len() > 1 && total > link * 1.02).then(|| {
        Finding::warning(
            "inspect::uplink_oversubscribed",
            format!(
                "{} ({}) carries {} per direction, and the {} cards below it {}: {:.1} to 1",
                uplink.name,
                uplink.wire,
                gigabytes(link),
                uplink.cards.len(),
                gigabytes(total),
                total / link
            ),
            total - link,
        )
        .at(at)
        .help("move the cards that work at the same time to slots of the processor")
    })
}
