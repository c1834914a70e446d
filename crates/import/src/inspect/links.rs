//! Cards whose link is slower than it could be.

use super::Finding;
use super::rates::{Wire, gigabytes, name, ports_rate, useful};
use crate::facts::{Device, Facts, PortKind, Slot};
use crate::origin::Known;
use crate::pci::PciAddress;
use crate::resolve::{Card, CardKind, Machine};

/// Rates below this are as good as equal, in bytes/s.
const NEGLIGIBLE: f64 = 1e6;

pub(super) fn find(machine: &Machine, findings: &mut Vec<Finding>) {
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
                findings.extend(below_capability(machine, card, now, capable));
            }
            findings.extend(payload(&machine.facts, card, now));
            findings.extend(read_request(card, now));
        }
        findings.extend(all_capable.and_then(|wires| ports_exceed(card, &wires)));
    }
}

/// The port above a function, where the files say which it is.
pub(super) fn port_above(facts: &Facts, address: PciAddress) -> Option<&Device> {
    let of = |device: &&Device| device.address.as_ref().is_some_and(|said| said.value == address);
    let parent = facts
        .devices
        .iter()
        .find(of)
        .and_then(|device| device.parent.as_ref());
    facts.devices.iter().find(|device| {
        let Some(own) = device.address.as_ref().map(|said| said.value) else {
            return false;
        };
        match parent {
            Some(parent) => parent.value == own,
            None => {
                own.domain == address.domain
                    && address.bus > 0
                    && device
                        .secondary_bus
                        .as_ref()
                        .is_some_and(|bus| bus.value == address.bus)
            }
        }
    })
}

/// What a card's slot and the port above it have: generation and lanes, unknown as none.
fn above(machine: &Machine, card: &Card) -> (Option<u8>, Option<u8>) {
    let slot = slot_of(machine, card);
    let port = port_above(&machine.facts, card.address);
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

pub(super) fn slot_of<'a>(machine: &'a Machine, card: &Card) -> Option<&'a Slot> {
    let name = card.slot.as_ref()?;
    machine
        .slots
        .iter()
        .find(|slot| slot.name.as_ref().is_some_and(|one| one.value == name.value))
}

fn below_capability(machine: &Machine, card: &Card, now: Wire, capable: Wire) -> Option<Finding> {
    let gain = useful(card, capable.rate()?) - useful(card, now.rate()?);
    let (generation, lanes) = above(machine, card);
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
        card.pcie.lanes.as_ref().map(|said| said.at),
        slot_of(machine, card)
            .and_then(|slot| slot.lanes.as_ref())
            .map(|said| said.at),
    ];
    if gain < NEGLIGIBLE || card.kind == CardKind::Gpu {
        return Some(Finding::note(id, format!("{message}; its ports need no more")).at(origins))
            .filter(|_| card.kind != CardKind::Gpu);
    }
    let finding = Finding::warning(id, message, gain).at(origins);
    let advice = better_slot(machine, card, now, capable)
        .map(|(slot, wire)| (format!("move it to {slot}, which is free"), wire))
        .or_else(|| {
            let (slot, other, wire) = swap(machine, card, now, capable)?;
            Some((format!("swap it with {other} in {slot}, which needs less"), wire))
        });
    Some(match advice {
        Some((advice, wire)) => {
            let rates = (gigabytes(now.rate()?), gigabytes(wire.rate()?));
            finding.help(format!("{advice}: {} → {} per direction", rates.0, rates.1))
        }
        None if id == "inspect::link_below_both" => finding
            .help("reseat the card, then look at the slot's speed and bifurcation in the firmware setup"),
        None if card.slot.is_some() && free_slots(machine).next().is_some() => {
            finding.help("no free slot of this machine is faster")
        }
        None => finding,
    })
}

/// Slots that firmware lists as free. Some firmware lists all slots as free; a table that knows of no card at
/// all is not believed.
fn free_slots(machine: &Machine) -> impl Iterator<Item = &Slot> {
    let credible = machine.cards.iter().any(|card| slot_of(machine, card).is_some());
    machine
        .slots
        .iter()
        .filter(move |slot| credible && slot.in_use.as_ref().is_some_and(|used| !used.value))
}

/// The free slot where the card would be fastest, the narrowest of equals, with its link there.
fn better_slot(machine: &Machine, card: &Card, now: Wire, capable: Wire) -> Option<(String, Wire)> {
    // What is in no slot of the table may be soldered to the board.
    card.slot.as_ref()?;
    let gain = |wire: Wire| wire.rate().map(|rate| useful(card, rate));
    let candidates = free_slots(machine).filter_map(|slot| {
        let (generation, lanes) = (slot.generation.known()?, slot.lanes.known()?);
        let wire = capable.at_most(generation, lanes);
        Some((slot.name.as_ref()?.value.clone(), wire, gain(wire)?, lanes))
    });
    let best = candidates.max_by(|a, b| a.2.total_cmp(&b.2).then(b.3.cmp(&a.3)).then(b.0.cmp(&a.0)))?;
    (best.2 > gain(now)? + NEGLIGIBLE).then_some((best.0, best.1))
}

/// The slot with another card where this one is fastest and the other loses nothing in return.
fn swap(machine: &Machine, card: &Card, now: Wire, capable: Wire) -> Option<(String, String, Wire)> {
    let wired = |card: &Card| {
        let slot = slot_of(machine, card)?;
        Some((slot.generation.known()?, slot.lanes.known()?))
    };
    let own = wired(card)?;
    let rate = |card: &Card, wire: Wire| wire.rate().map(|rate| useful(card, rate));
    let candidates = machine
        .cards
        .iter()
        .filter(|other| other.address != card.address)
        .filter_map(|other| {
            let (generation, lanes) = wired(other)?;
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
    card.slot
        .as_ref()
        .map_or_else(|| card.address.to_string(), |slot| slot.value.clone())
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
        .at([card.pcie.lanes.as_ref().map(|said| said.at)])
        .help("distribute the ports in use over several cards")
    })
}

fn payload(facts: &Facts, card: &Card, now: Wire) -> Option<Finding> {
    let (used, own) = (card.pcie.payload.as_ref()?, card.pcie.payload_capable.as_ref()?);
    // Without the port above, the least of all root ports is what the other end can do.
    let other = match port_above(facts, card.address) {
        Some(port) => port.payload_capable.known()?,
        None => facts
            .devices
            .iter()
            .filter(|device| device.kind.known() == Some(PortKind::RootPort))
            .filter_map(|device| device.payload_capable.known())
            .min()?,
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
