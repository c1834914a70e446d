//! Cards whose link is slower than it could be.

use std::collections::BTreeMap;

use super::Finding;
use super::rates::{NEGLIGIBLE, Wire, gigabytes, name, ports_rate, useful};
use crate::facts::{Device, PortKind, Slot};
use crate::origin::Known;
use crate::resolve::{Card, CardKind, Machine};

/// Slots with cards, and free ones, between which advice is looked for. Damaged files list thousands.
const MOST_SLOTS: usize = 256;

/// The slots of a machine, and the cards in them.
struct Slots<'a> {
    machine: &'a Machine,
    named: BTreeMap<&'a str, &'a Slot>,
    /// Cards in slots of firmware's tables, where they are not too many.
    seated: Vec<(&'a Card, &'a Slot)>,
    /// Slots that firmware lists as free, where they are not too many.
    free: Vec<&'a Slot>,
    /// The least of what all root ports can use, in bytes.
    least_payload: Option<u32>,
}

impl<'a> Slots<'a> {
    fn of(machine: &'a Machine) -> Self {
        let mut named = BTreeMap::new();
        for slot in &machine.slots {
            if let Some(name) = &slot.name {
                named.entry(name.value.as_str()).or_insert(slot);
            }
        }
        let root_ports = machine
            .facts
            .devices
            .iter()
            .filter(|device| device.kind.known() == Some(PortKind::RootPort));
        let mut slots = Self {
            machine,
            named,
            seated: Vec::new(),
            free: Vec::new(),
            least_payload: root_ports.filter_map(|port| port.payload_capable.known()).min(),
        };
        let cards = machine.cards.iter();
        slots.seated = cards
            .filter_map(|card| Some((card, slots.of_card(card)?)))
            .collect();
        // Some firmware lists all slots as free; a table that knows of no card at all is not believed.
        if !slots.seated.is_empty() {
            let is_free = |slot: &&Slot| slot.in_use.is(|used| !*used);
            slots.free = machine.slots.iter().filter(is_free).collect();
        }
        if slots.seated.len().max(slots.free.len()) > MOST_SLOTS {
            (slots.seated, slots.free) = (Vec::new(), Vec::new());
        }
        slots
    }

    /// Whether there are free slots, and all say what they have.
    fn free_are_known(&self) -> bool {
        let known = |slot: &&Slot| slot.generation.known().is_some() && slot.lanes.known().is_some();
        !self.free.is_empty() && self.free.iter().all(known)
    }

    /// The slot of firmware's tables that a card has for itself.
    fn of_card(&self, card: &Card) -> Option<&'a Slot> {
        let slot = self.named.get(card.slot.value()?.as_str()).copied();
        slot.filter(|slot| self.machine.is_alone_in(card, slot))
    }

    fn port_above(&self, card: &Card) -> Option<&'a Device> {
        self.machine.tree.port_above(&self.machine.facts, card.address?)
    }
}

pub(super) fn find(machine: &Machine, findings: &mut Vec<Finding>) {
    let slots = Slots::of(machine);
    for card in machine.cards.iter().filter(|card| !card.internal) {
        let hosts = card.by_host();
        let mut all_capable = Some(Vec::new());
        for card in &hosts {
            let (Some(now), Some(capable)) = (Wire::in_force(&card.pcie), Wire::capable(&card.pcie)) else {
                all_capable = None;
                continue;
            };
            if (now.generation, now.lanes) == (capable.generation, capable.lanes) {
                all_capable = all_capable.map(|wires| [wires, vec![now]].concat());
            } else {
                all_capable = None;
                findings.extend(below_capability(&slots, card, now, capable));
            }
            findings.extend(payload(&slots, card, now));
            findings.extend(read_request(card, now));
        }
        findings.extend(all_capable.and_then(|wires| ports_exceed(card, &wires)));
    }
    findings.extend(machine.cards.iter().filter_map(ports_below));
    findings.extend(unknown(machine));
}

/// A note where no file says what the link of any card is.
fn unknown(machine: &Machine) -> Option<Finding> {
    let linked = || machine.cards.iter().filter(|card| card.has_link);
    let is_known = |card: &Card| Wire::in_force(&card.pcie).is_some() || card.pcie.carries.is_some();
    if linked().next().is_none() || linked().any(is_known) {
        return None;
    }
    let message = "no file says the links of the cards: none was checked".to_owned();
    let named = linked().map(|card| card.name.at());
    Some(
        Finding::note("inspect::unknown_links", message)
            .at(named)
            .help("run `lspci -vv` as root: without it, capabilities are missing"),
    )
}

/// What a card's slot and the port above it have: generation and lanes, unknown as none.
fn above(slots: &Slots<'_>, card: &Card) -> (Option<u8>, Option<u8>) {
    let (slot, port) = (slots.of_card(card), slots.port_above(card));
    let least = |a: Option<u8>, b: Option<u8>| a.into_iter().chain(b).min();
    (
        least(
            slot.and_then(|slot| slot.generation.known()),
            port.and_then(|port| port.generation_capable.known()),
        ),
        least(
            slot.and_then(|slot| slot.lanes.known()),
            port.and_then(|port| port.lanes_capable.known()),
        ),
    )
}

fn below_capability(slots: &Slots<'_>, card: &Card, now: Wire, capable: Wire) -> Option<Finding> {
    let gain = useful(card, capable.rate()?) - useful(card, now.rate()?);
    let (generation, lanes) = above(slots, card);
    let limited = (generation.is_some_and(|generation| generation <= now.generation)
        || now.generation == capable.generation)
        && (lanes.is_some_and(|lanes| lanes <= now.lanes) || now.lanes == capable.lanes);
    let below_both = generation.is_some_and(|generation| generation.min(capable.generation) > now.generation)
        || lanes.is_some_and(|lanes| lanes.min(capable.lanes) > now.lanes);
    let (id, why) = if limited {
        ("inspect::slot_limits_card", "its slot has no more")
    } else if below_both {
        (
            "inspect::link_below_both",
            "its slot has more too: the link trained below both",
        )
    } else {
        ("inspect::link_below_card", "what its slot has is unknown")
    };
    let message = format!("{} runs at {now} and can run at {capable}; {why}", name(card));
    let origins = [
        card.pcie.lanes.at(),
        (slots.of_card(card)).and_then(|slot| slot.lanes.at()),
    ];
    if gain < NEGLIGIBLE || card.kind == CardKind::Gpu {
        return Some(Finding::note(id, format!("{message}; its ports need no more")).at(origins))
            .filter(|_| card.kind != CardKind::Gpu);
    }
    let finding = Finding::warning(id, message, gain).at(origins);
    let advice = better_slot(slots, card, now, capable)
        .map(|(slot, wire)| (format!("move it to {slot}, which is free"), wire))
        .or_else(|| {
            let (slot, other, wire) = swap(slots, card, now, capable)?;
            Some((format!("swap it with {other} in {slot}, which needs less"), wire))
        });
    Some(match advice {
        Some((advice, wire)) => {
            let rates = (gigabytes(now.rate()?), gigabytes(wire.rate()?));
            finding.help(format!("{advice}: {} → {} per direction", rates.0, rates.1))
        }
        None if id == "inspect::link_below_both" => finding
            .help("reseat the card, then look at the slot's speed and bifurcation in the firmware setup"),
        None if card.slot.is_some() && slots.free_are_known() => {
            finding.help("no free slot of this machine is faster")
        }
        None => finding,
    })
}

/// The free slot where the card would be fastest, the narrowest of equals, with its link there.
fn better_slot(slots: &Slots<'_>, card: &Card, now: Wire, capable: Wire) -> Option<(String, Wire)> {
    // What is in no slot of the table may be soldered to the board, and what shares its slot to a card.
    let own = card.slot.value()?.as_str();
    if slots.named.contains_key(own) {
        slots.of_card(card)?;
    }
    let gain = |wire: Wire| wire.rate().map(|rate| useful(card, rate));
    let candidates = slots.free.iter().filter_map(|slot| {
        let (generation, lanes) = (slot.generation.known()?, slot.lanes.known()?);
        let wire = capable.at_most(generation, lanes);
        Some((slot.name.as_ref()?.value.clone(), wire, gain(wire)?, lanes))
    });
    let best = candidates.max_by(|a, b| a.2.total_cmp(&b.2).then(b.3.cmp(&a.3)).then(b.0.cmp(&a.0)))?;
    (best.2 > gain(now)? + NEGLIGIBLE).then_some((best.0, best.1))
}

/// The slot with another card where this one is fastest and the other loses nothing in return.
fn swap(slots: &Slots<'_>, card: &Card, now: Wire, capable: Wire) -> Option<(String, String, Wire)> {
    let wired = |slot: &Slot| Some((slot.generation.known()?, slot.lanes.known()?));
    let own = wired(slots.of_card(card)?)?;
    let rate = |card: &Card, wire: Wire| wire.rate().map(|rate| useful(card, rate));
    let candidates = (slots.seated.iter())
        .filter(|(other, _)| other.address != card.address)
        .filter_map(|&(other, slot)| {
            let (generation, lanes) = wired(slot)?;
            let there = capable.at_most(generation, lanes);
            let (other_now, other_can) = (Wire::in_force(&other.pcie)?, Wire::capable(&other.pcie)?);
            let keeps = rate(other, other_can.at_most(own.0, own.1))? + NEGLIGIBLE >= rate(other, other_now)?;
            let gain = rate(card, there)? - rate(card, now)?;
            let name = other.name.as_ref()?.value.clone();
            (keeps && gain > NEGLIGIBLE).then(|| (slot_name(other), name, there, gain))
        });
    let best = candidates.max_by(|a, b| a.3.total_cmp(&b.3).then(b.0.cmp(&a.0)))?;
    Some((best.0, best.1, best.2))
}

fn slot_name(card: &Card) -> String {
    (card.slot.known())
        .or(card.address.map(|address| address.to_string()))
        .unwrap_or_default()
}

/// Ports that negotiated less than they can. What the other end can is not known, and so there is no cost.
fn ports_below(card: &Card) -> Option<Finding> {
    let (now, capable) = (card.port_rate.as_ref()?, card.port_rate_capable.as_ref()?);
    let gigabits = |rate: f64| rate / 1e9;
    (now.value < capable.value).then(|| {
        let message = format!(
            "the ports of {} run at {} Gbit/s and can run at {} Gbit/s",
            name(card),
            gigabits(now.value),
            gigabits(capable.value)
        );
        Finding::note("inspect::ports_below_card", message)
            .at([Some(now.at), Some(capable.at)])
            .help("look at the other end: the port of the switch, its module and the cable")
    })
}

/// `links` are those to all hosts of the card.
fn ports_exceed(card: &Card, links: &[Wire]) -> Option<Finding> {
    let rates: Option<Vec<f64>> = links.iter().map(|link| link.write_rate()).collect();
    let (ports, link): (f64, f64) = (ports_rate(card)?, rates?.iter().sum());
    let now: Vec<String> = links.iter().map(ToString::to_string).collect();
    (ports > link * 1.02).then(|| {
        Finding::warning(
            "inspect::ports_exceed_link",
            format!(
                "the ports of {} carry {} per direction, its link at {} {}",
                name(card),
                gigabytes(ports),
                now.join(" and "),
                gigabytes(link)
            ),
            ports - link,
        )
        .at([card.pcie.lanes.at()])
        .help(if card.ports.known() == Some(1) {
            "a slot with more lanes or of a later generation would feed it, if the card can use one"
        } else {
            "distribute the ports in use over several cards"
        })
    })
}

fn payload(slots: &Slots<'_>, card: &Card, now: Wire) -> Option<Finding> {
    let (used, own) = (card.pcie.payload.as_ref()?, card.pcie.payload_capable.as_ref()?);
    // Without the port above, the least of all root ports is what the other end can do.
    let other = match slots.port_above(card) {
        Some(port) => port.payload_capable.known()?,
        None => slots.least_payload?,
    };
    let payload = own.value.min(other);
    let costs = Wire { payload, ..now }.write_rate()? - now.write_rate()?;
    (payload > used.value && useful(card, now.write_rate()?) + NEGLIGIBLE >= now.write_rate()?).then(|| {
        Finding::warning(
            "inspect::payload_below_both",
            format!(
                "{} uses packets of {} bytes, and both ends of its link can use {payload}",
                name(card),
                used.value
            ),
            costs,
        )
        .at([Some(used.at)])
        .help(format!(
            "set the maximum payload to {payload} bytes (Linux: boot with pci=pcie_bus_perf)"
        ))
    })
}

fn read_request(card: &Card, now: Wire) -> Option<Finding> {
    let used = card.pcie.read_request.as_ref().filter(|said| said.value < 512)?;
    let larger = Wire {
        read_request: 512,
        ..now
    };
    let costs = useful(card, larger.rate()?) - useful(card, now.rate()?);
    (costs > NEGLIGIBLE).then(|| {
        Finding::warning(
            "inspect::read_request_small",
            format!("{} requests {} bytes at once", name(card), used.value),
            costs,
        )
        .at([Some(used.at)])
        .help("set its maximum read request to 512 bytes or more")
    })
}
