//! PCI functions to cards: functions of one device are one card, virtual functions are none.

use std::collections::{BTreeMap, BTreeSet};

use super::place::Places;
use super::{Card, CardKind, HostLink, PcieLink, rate};
use crate::facts::{Conflict, Device, Facts, PortKind};
use crate::origin::{Fact, Known, Origin};
use crate::pci::PciAddress;
use crate::table::{self, KnownDevice};

/// A function with what is known of its ids.
type Function<'a> = (&'a Device, Option<&'static KnownDevice>);

/// The cards of a machine, by address.
pub(super) fn cards(facts: &Facts, places: &Places, conflicts: &mut Vec<Conflict>) -> Vec<Card> {
    let virtual_functions = virtual_functions(facts);
    let mut groups: BTreeMap<(PciAddress, CardKind), Vec<Function<'_>>> = BTreeMap::new();
    for device in &facts.devices {
        let Some(address) = device.address.as_ref().map(|said| said.value) else {
            continue;
        };
        let known = device
            .vendor
            .as_ref()
            .zip(device.device.as_ref())
            .and_then(|(vendor, device)| table::device(vendor.value, device.value));
        let is_virtual = virtual_functions.contains(&address)
            || device.is_virtual.as_ref().is_some_and(|said| said.value)
            || known.is_some_and(|known| known.kind == "virtual");
        let Some(kind) = kind_of(device, known).filter(|_| !is_virtual) else {
            continue;
        };
        groups
            .entry((address.first_function(), kind))
            .or_default()
            .push((device, known));
    }
    let parents = bridges(facts);
    let cards = groups.into_iter().filter_map(|((address, kind), functions)| {
        card(address, kind, &functions, facts, places, &parents, conflicts)
    });
    join_hosts(cards.collect())
}

/// Joins network cards of one board with links to two sockets.
fn join_hosts(cards: Vec<Card>) -> Vec<Card> {
    let is_board = |board: &str| {
        let mut letters = board.chars().filter(char::is_ascii_alphanumeric);
        let first = letters.next();
        board.len() >= 6 && letters.any(|letter| Some(letter) != first)
    };
    let same_board = |one: &Card, other: &Card| {
        let boards = one.board.as_ref().zip(other.board.as_ref());
        let (ids, sockets) = (
            [one, other].map(|card| card.ids.known()),
            [one, other].map(|card| card.socket.known()),
        );
        let apart = sockets[0]
            .zip(sockets[1])
            .is_some_and(|(first, second)| first != second);
        boards.is_some_and(|(one, other)| one.value == other.value && is_board(&one.value))
            && (one.kind, other.kind) == (CardKind::Nic, CardKind::Nic)
            && ids[0] == ids[1]
            && apart
    };
    let mut joined: Vec<Card> = Vec::new();
    for card in cards {
        let first = joined
            .iter_mut()
            .find(|one| one.second.is_none() && same_board(one, &card));
        match first {
            Some(first) => {
                let ports = [first.ports.take(), card.ports].into_iter().flatten();
                first.ports = ports.max_by_key(|ports| ports.value);
                first.port_rate = first.port_rate.take().or(card.port_rate);
                first.second = Some(HostLink {
                    address: card.address,
                    pcie: card.pcie,
                    socket: card.socket,
                    slot: card.slot,
                });
            }
            None => joined.push(card),
        }
    }
    joined
}

/// Addresses that are virtual functions, by what their physical functions say.
fn virtual_functions(facts: &Facts) -> BTreeSet<PciAddress> {
    let mut found = BTreeSet::new();
    for device in &facts.devices {
        let (Some(address), Some(virtuals)) = (&device.address, &device.virtual_functions) else {
            continue;
        };
        let (count, offset, stride) = virtuals.value;
        let base = u32::from(address.value.bus) << 8
            | u32::from(address.value.device) << 3
            | u32::from(address.value.function);
        for index in 0..u32::from(count.min(256)) {
            let id = base + u32::from(offset) + index * u32::from(stride);
            if offset > 0 && id <= 0xffff {
                found.insert(PciAddress {
                    domain: address.value.domain,
                    bus: (id >> 8) as u8,
                    device: (id >> 3 & 31) as u8,
                    function: (id & 7) as u8,
                });
            }
        }
    }
    found
}

fn kind_of(device: &Device, known: Option<&KnownDevice>) -> Option<CardKind> {
    match known.map(|known| known.kind) {
        Some("nic") => return Some(CardKind::Nic),
        Some("hba") => return Some(CardKind::Hba),
        Some("nvme") => return Some(CardKind::Nvme),
        Some("gpu") => return Some(CardKind::Gpu),
        _ => {}
    }
    let class = device.class.as_ref()?.value;
    match class >> 8 {
        0x0200 | 0x0207 | 0x0280 | 0x0c06 => Some(CardKind::Nic),
        0x0108 => Some(CardKind::Nvme),
        0x0100 | 0x0104..=0x0107 | 0x0c04 => Some(CardKind::Hba),
        0x0302 | 0x1200 => Some(CardKind::Gpu),
        // The network ports of the MCP55 call themselves bridges.
        0x0680 if known.is_some_and(|known| known.kind == "internal") => Some(CardKind::Nic),
        _ => None,
    }
}

/// For each bus, the bridge above it, where a system says which.
fn bridges(facts: &Facts) -> BTreeMap<(u32, u8), &Device> {
    facts
        .devices
        .iter()
        .filter_map(|device| {
            let bus = device.secondary_bus.as_ref().filter(|bus| bus.value > 0)?;
            Some(((device.address.as_ref()?.value.domain, bus.value), device))
        })
        .collect()
}

fn card(
    address: PciAddress,
    kind: CardKind,
    functions: &[Function<'_>],
    facts: &Facts,
    places: &Places,
    parents: &BTreeMap<(u32, u8), &Device>,
    conflicts: &mut Vec<Conflict>,
) -> Option<Card> {
    let &(first, known) = functions.first()?;
    let at = first.address.as_ref()?.at;
    let bridge = parents.get(&(address.domain, address.bus)).copied();
    let shown = first.address.as_ref()?.value;
    let internal = known.is_some_and(|known| known.kind == "internal")
        || first
            .kind
            .as_ref()
            .is_some_and(|kind| kind.value == PortKind::Integrated);
    let pcie = if internal {
        PcieLink::default()
    } else {
        link(first, known, at)
    };
    let slot = slot(address, first, facts);
    let socket = slot
        .as_ref()
        .and_then(|slot| facts.slots.iter().find(|one| one.name.as_ref() == Some(slot)))
        .and_then(|slot| slot.socket.clone())
        .or_else(|| {
            let node = first
                .numa_node
                .as_ref()
                .or(bridge.and_then(|bridge| bridge.numa_node.as_ref()));
            places.socket(address, node, at, conflicts)
        });
    let interfaces: Vec<_> = facts
        .interfaces
        .iter()
        .filter(|one| {
            one.address
                .as_ref()
                .is_some_and(|said| said.value.first_function() == address)
        })
        .collect();
    let ports = match kind {
        CardKind::Nvme | CardKind::Gpu => None,
        CardKind::Nic | CardKind::Hba => known
            .and_then(|known| known.ports)
            .or((known.is_none() && kind == CardKind::Nic && interfaces.is_empty()).then_some(1))
            .map(|ports| at.says((ports * functions.len() as u32).max(interfaces.len() as u32)))
            .or_else(|| {
                Some(
                    interfaces
                        .first()?
                        .name
                        .as_ref()?
                        .at
                        .says(interfaces.len() as u32),
                )
            }),
    };
    Some(Card {
        address: shown,
        kind,
        ids: first
            .vendor
            .as_ref()
            .zip(first.device.as_ref())
            .map(|(vendor, device)| vendor.at.says((vendor.value, device.value))),
        name: first
            .name
            .clone()
            .or_else(|| Some(at.says(known?.name.to_owned()))),
        part: known.and_then(|known| known.part(ports.as_ref().map(|said| said.value))),
        ports,
        port_rate: interfaces
            .iter()
            .find_map(|one| one.rate_capable.clone())
            .or_else(|| Some(at.says(known?.port_rate?)))
            .or_else(|| interfaces.iter().find_map(|one| one.rate.clone())),
        internal,
        pcie,
        socket,
        slot,
        board: functions.iter().find_map(|(function, _)| function.board.clone()),
        second: None,
    })
}

/// The slot of a card: as a system names it, else the one whose address is the card's or on the card's bus.
fn slot(address: PciAddress, first: &Device, facts: &Facts) -> Fact<String> {
    if first.slot.is_some() {
        return first.slot.clone();
    }
    let slot = facts.slots.iter().find(|slot| {
        let used = slot.in_use.as_ref().is_none_or(|used| used.value);
        used && slot.address.as_ref().is_some_and(|said| {
            let place = said.value;
            place.bus > 0 && place.domain == address.domain && place.first_function() == address
        })
    })?;
    slot.name.clone()
}

/// The link in force, and what the card can. Values that contradict themselves (more lanes than the card has,
/// as an untrained link prints) are unknown.
fn link(first: &Device, known: Option<&KnownDevice>, at: Origin) -> PcieLink {
    let capable = first
        .lanes_capable
        .clone()
        .or_else(|| Some(at.says(known?.lanes?)));
    let generation_capable = first
        .generation_capable
        .clone()
        .or_else(|| Some(at.says(known?.generation?)));
    let within = |fact: &Fact<u8>, limit: &Fact<u8>| {
        fact.clone()
            .filter(|said| limit.as_ref().is_none_or(|limit| said.value <= limit.value))
    };
    let value = |fact: &Fact<u8>| fact.as_ref().map(|said| said.value);
    let derived = first.link_bytes_per_s.as_ref().and_then(|said| {
        let (lanes, generation) =
            rate::lanes_and_generation(said.value, value(&capable), value(&generation_capable))?;
        Some((said.at.says(lanes), said.at.says(generation)))
    });
    let (lanes, generation) = derived.unzip();
    PcieLink {
        lanes: within(&first.lanes, &capable).or(lanes),
        generation: within(&first.generation, &generation_capable).or(generation),
        lanes_capable: capable,
        generation_capable,
        payload: first.payload.clone(),
        payload_capable: first.payload_capable.clone(),
        read_request: first.read_request.clone(),
    }
}
