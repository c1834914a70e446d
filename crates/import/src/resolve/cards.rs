//! PCI functions to cards: functions of one device are one card, virtual functions are none.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::place::Places;
use super::{Card, CardKind, HostLink, PcieLink, name, rate};
use crate::facts::{Conflict, Device, Facts, Interface, PortKind, Slot};
use crate::origin::{Fact, Known, Origin};
use crate::pci::PciAddress;
use crate::table::{self, KnownDevice};
use crate::tree::Tree;

/// A function with what is known of its ids.
type Function<'a> = (&'a Device, Option<&'static KnownDevice>);

/// What tells the boards of network cards apart: a serial number, and vendor and device.
type Board = (String, Option<(u16, u16)>);

/// What is known of the places of cards.
struct Surroundings<'a> {
    facts: &'a Facts,
    tree: &'a Tree,
    places: &'a Places,
    /// Generation of the ports of the processors, where their names tell.
    generation: Option<u8>,
    /// Interfaces by the first function of their device.
    interfaces: BTreeMap<PciAddress, Vec<&'a Interface>>,
    slots: BTreeMap<&'a str, &'a Slot>,
    /// Slots by what firmware says is in them: the card, or the port that leads to it.
    slots_at: BTreeMap<PciAddress, &'a Slot>,
}

impl<'a> Surroundings<'a> {
    fn of(facts: &'a Facts, tree: &'a Tree, places: &'a Places) -> Self {
        let mut surroundings = Self {
            facts,
            tree,
            places,
            generation: generation_of_ports(facts),
            interfaces: BTreeMap::new(),
            slots: BTreeMap::new(),
            slots_at: BTreeMap::new(),
        };
        for interface in &facts.interfaces {
            if let Some(address) = interface.address.known() {
                let of_device = surroundings.interfaces.entry(address.first_function());
                of_device.or_default().push(interface);
            }
        }
        for slot in &facts.slots {
            if let Some(name) = &slot.name {
                surroundings.slots.entry(&name.value).or_insert(slot);
            }
            let used = slot.in_use.known() != Some(false);
            // Firmware that does not know the address prints that of the first host bridge.
            let address = slot.address.known();
            if let Some(address) = address.filter(|&address| used && address != PciAddress::default()) {
                surroundings.slots_at.entry(address).or_insert(slot);
            }
        }
        surroundings
    }

    /// The slot of a card: the one where firmware says the card or a port above it is, else as a system names
    /// it. Systems know a number, firmware what is printed at the slot.
    fn slot(&self, address: PciAddress, first: &Device) -> Fact<String> {
        let mut at = first.address.known().unwrap_or(address);
        let mut slot = self.slots_at.get(&address).or_else(|| self.slots_at.get(&at));
        // A chain of switches is never this long; damaged files have circles.
        for _ in 0..8 {
            let port = self.tree.port_above(self.facts, at);
            let Some(above) = port
                .and_then(|port| port.address.known())
                .filter(|_| slot.is_none())
            else {
                break;
            };
            slot = self.slots_at.get(&above);
            at = above;
        }
        slot.and_then(|slot| slot.name.clone())
            .or_else(|| first.slot.clone())
    }
}

/// Ports of a card at most that has a function for each.
const MOST_PORTS: usize = 4;

/// The field of a contradiction between half of a link and another link: neither is used.
pub(crate) const LINK: &str = "link";

/// The cards of a machine, by address.
pub(super) fn cards(facts: &Facts, tree: &Tree, places: &Places, conflicts: &mut Vec<Conflict>) -> Vec<Card> {
    let virtual_functions = virtual_functions(facts);
    let mut groups: BTreeMap<(PciAddress, CardKind), Vec<Function<'_>>> = BTreeMap::new();
    let mut loose: Vec<(CardKind, Function<'_>)> = Vec::new();
    for device in &facts.devices {
        let address = device.address.known();
        let ids = device.vendor.known().zip(device.device.known());
        let known = ids
            .and_then(|(vendor, device)| table::device(vendor, device))
            .or_else(|| table::device_named(device.name.value()?));
        let is_virtual = address.is_some_and(|address| virtual_functions.contains(&address))
            || device.is_virtual.is(|said| *said)
            || known.is_some_and(|known| ["virtual", "bridge"].contains(&known.kind));
        let Some(kind) = kind_of(device, known).filter(|_| !is_virtual) else {
            continue;
        };
        match address {
            Some(address) => {
                let of_device = groups.entry((address.first_function(), kind)).or_default();
                of_device.push((device, known));
            }
            None => loose.push((kind, (device, known))),
        }
    }
    drop_partitions(&mut groups);
    // Service processors list cards without addresses: the same ones that a system lists with addresses.
    loose.retain(|_| groups.is_empty());
    let surroundings = Surroundings::of(facts, tree, places);
    let cards = groups
        .into_iter()
        .map(|((_, kind), functions)| (kind, functions))
        .chain(loose.into_iter().map(|(kind, device)| (kind, vec![device])))
        .filter_map(|(kind, functions)| card(kind, &functions, &surroundings, conflicts));
    join_hosts(cards.collect())
}

/// Converged adapters have functions for storage beside those of their ports: the card is a network card. The
/// functions of one device on the first bus are parts of a chipset that have nothing in common.
fn drop_partitions(groups: &mut BTreeMap<(PciAddress, CardKind), Vec<Function<'_>>>) {
    let networks: BTreeSet<PciAddress> = (groups.keys())
        .filter(|(address, kind)| *kind == CardKind::Nic && address.bus != 0)
        .map(|(address, _)| *address)
        .collect();
    groups.retain(|(address, kind), _| *kind != CardKind::Hba || !networks.contains(address));
}

/// Joins network cards of one board with links to two sockets.
fn join_hosts(cards: Vec<Card>) -> Vec<Card> {
    let is_board = |board: &str| {
        let mut letters = board.chars().filter(char::is_ascii_alphanumeric);
        let first = letters.next();
        board.len() >= 6 && letters.any(|letter| Some(letter) != first)
    };
    // Of each board the cards without a second link: all on one socket, since a card on another joins one.
    let mut open: BTreeMap<Board, VecDeque<usize>> = BTreeMap::new();
    let mut joined: Vec<Card> = Vec::new();
    for card in cards {
        let board = card.board.as_ref().filter(|board| is_board(&board.value));
        let (Some(board), Some(socket), CardKind::Nic) = (board, card.socket.known(), card.kind) else {
            joined.push(card);
            continue;
        };
        let open = open.entry((board.value.clone(), card.ids.known())).or_default();
        let is_apart = |&index: &usize| joined[index].socket.known() != Some(socket);
        if open.front().is_some_and(is_apart)
            && let Some(first) = open.pop_front()
        {
            let first = &mut joined[first];
            let ports = [first.ports.take(), card.ports].into_iter().flatten();
            first.ports = ports.max_by_key(|ports| ports.value);
            first.port_rate = first.port_rate.take().or(card.port_rate);
            first.port_rate_capable = first.port_rate_capable.take().or(card.port_rate_capable);
            first.second = Some(HostLink {
                address: card.address,
                pcie: card.pcie,
                socket: card.socket,
                slot: card.slot,
            });
        } else {
            open.push_back(joined.len());
            joined.push(card);
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
    let mut kinds = CardKind::ALL.iter().copied();
    let of_table = kinds.find(|kind| known.is_some_and(|known| known.kind == kind.as_str()));
    if of_table.is_some() {
        return of_table;
    }
    if device.is_gpu.known() == Some(true) {
        return Some(CardKind::Gpu);
    }
    let class = device.class.known()?;
    match class >> 8 {
        0x0200 | 0x0207 | 0x0280 | 0x0c06 => Some(CardKind::Nic),
        0x0108 => Some(CardKind::Nvme),
        0x0100 | 0x0104..=0x0107 | 0x0c04 => Some(CardKind::Hba),
        0x0302 | 0x1200 => Some(CardKind::Gpu),
        // The displays of service processors are of other makers, or of AMD.
        0x0300 if device.vendor.known() == Some(0x10de) => Some(CardKind::Gpu),
        // Accelerators of AMD and NVIDIA without a display.
        0x0380 if matches!(device.vendor.known(), Some(0x1002 | 0x10de)) => Some(CardKind::Gpu),
        // The network ports of the MCP55 call themselves bridges.
        0x0680 if known.is_some_and(|known| known.kind == "internal") => Some(CardKind::Nic),
        _ => None,
    }
}

fn card(
    kind: CardKind,
    functions: &[Function<'_>],
    surroundings: &Surroundings<'_>,
    conflicts: &mut Vec<Conflict>,
) -> Option<Card> {
    let &(first, known) = functions.first()?;
    let shown = first.address.known();
    let address = shown.map(PciAddress::first_function);
    let at = (first.address.at()).or(first.class.at()).or(first.vendor.at())?;
    // A board with other lanes than those of the table has other ports, and is another part.
    let board = known.filter(|known| {
        let lanes = first.lanes_capable.known().zip(known.lanes);
        kind != CardKind::Nic || lanes.is_none_or(|(own, usual)| own == usual)
    });
    let bridge = shown.and_then(|shown| surroundings.tree.port_above(surroundings.facts, shown));
    let places = surroundings.places;
    let internal = known.is_some_and(|known| known.kind == "internal")
        || first.kind.is(|kind| *kind == PortKind::Integrated);
    let pcie = if internal {
        PcieLink::default()
    } else {
        link(kind, first, known, at, surroundings.generation, conflicts)
    };
    let slot = match address {
        Some(address) => surroundings.slot(address, first),
        None => first.slot.clone(),
    };
    let socket = slot
        .as_ref()
        .and_then(|slot| surroundings.slots.get(slot.value.as_str())?.socket.clone())
        .filter(|said| places.has(said.value))
        .or_else(|| {
            let node = first
                .numa_node
                .as_ref()
                .or(bridge.and_then(|bridge| bridge.numa_node.as_ref()));
            match address {
                Some(address) => places.socket(address, node, at, conflicts),
                None => (places.sockets() == 1).then(|| at.says(0)),
            }
        });
    let interfaces = address
        .and_then(|address| surroundings.interfaces.get(&address))
        .map_or(&[][..], Vec::as_slice);
    let ports = match kind {
        CardKind::Nvme | CardKind::Gpu => None,
        // Of that many functions, several share a port.
        CardKind::Nic | CardKind::Hba if functions.len() > MOST_PORTS => None,
        // A service processor may list one function of several.
        CardKind::Nic | CardKind::Hba if address.is_none() => first.name.infer(|name| name::ports(name)),
        CardKind::Nic | CardKind::Hba => known
            .and_then(|known| known.ports)
            .or((known.is_none() && kind == CardKind::Nic && interfaces.is_empty()).then_some(1))
            .map(|ports| at.says((ports * functions.len() as u32).max(interfaces.len() as u32)))
            .or_else(|| interfaces.first()?.name.infer(|_| Some(interfaces.len() as u32))),
    };
    let port_rate_capable = (interfaces.iter().find_map(|one| one.rate_capable.clone()))
        .or_else(|| Some(at.says(board?.port_rate?)))
        .or_else(|| {
            let name = first.name.as_ref().filter(|_| kind == CardKind::Nic);
            name.infer(|name| name::port_rate(name))
        });
    let is_linked = pcie.lanes.is_some() || pcie.lanes_capable.is_some() || slot.is_some();
    // What is on the first bus is part of the chipset, as are SATA controllers of which nothing is known.
    let is_sata = matches!(first.class.known().map(|class| class >> 8), Some(0x0101 | 0x0106));
    let is_elsewhere = kind != CardKind::Gpu
        && !is_sata
        && first.is_conventional.known() != Some(true)
        && address.is_none_or(|address| address.bus != 0);
    Some(Card {
        address: shown,
        kind,
        ids: first
            .vendor
            .infer(|&vendor| Some((vendor, first.device.known()?))),
        name: first
            .name
            .clone()
            .or_else(|| Some(at.says(known?.name.to_owned()))),
        part: board.and_then(|known| known.part(ports.known())),
        ports,
        port_rate: in_force(interfaces)
            .or_else(|| port_rate_capable.clone())
            .or_else(|| interfaces.iter().find_map(|one| one.rate.clone())),
        port_rate_capable,
        is_infiniband: (first.class).infer(|class| matches!(class >> 8, 0x0207 | 0x0c06).then_some(true)),
        internal,
        has_link: !internal && (is_linked || is_elsewhere),
        pcie,
        socket,
        slot,
        board: functions.iter().find_map(|(function, _)| function.board.clone()),
        second: None,
    })
}

/// The rate that the ports of a card run at, where a system says it of each: that of the fastest.
fn in_force(interfaces: &[&Interface]) -> Fact<f64> {
    let rates: Option<Vec<_>> = interfaces.iter().map(|one| one.rate.clone()).collect();
    rates?
        .into_iter()
        .max_by(|one, other| one.value.total_cmp(&other.value))
}

/// The generation of the PCI Express ports of the processors, where the names of all of them tell.
fn generation_of_ports(facts: &Facts) -> Option<u8> {
    let of = |name: &Fact<String>| table::processor(name.value()?)?.generation;
    let all: Option<Vec<u8>> = facts.processors.iter().map(|one| of(&one.name)).collect();
    all?.into_iter().max()
}

/// The link in force, and what the card can. Values that contradict themselves (more lanes than the card has,
/// as an untrained link prints) are unknown. What a link carries tells the lanes and the generation where no
/// other file does and only one pair carries that much; where another says half of the pair, and a different
/// one, neither is used.
fn link(
    kind: CardKind,
    first: &Device,
    known: Option<&KnownDevice>,
    at: Origin,
    of_family: Option<u8>,
    conflicts: &mut Vec<Conflict>,
) -> PcieLink {
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
    // Connectors of NVMe drives have four lanes.
    let most_lanes = capable.known().or((kind == CardKind::Nvme).then_some(4));
    let own = generation_capable.known();
    let mut pairs = first.link_bytes_per_s.as_ref().map_or(Vec::new(), |said| {
        rate::lanes_and_generations(said.value, most_lanes, own)
    });
    if pairs.len() > 1 {
        // No link is faster than the ports of the processors.
        pairs.retain(|&(_, generation)| of_family.is_none_or(|most| generation <= most));
    }
    let derived = match (&first.link_bytes_per_s, &pairs[..]) {
        (Some(said), &[(lanes, generation)]) => Some((said.at.says(lanes), said.at.says(generation))),
        _ => None,
    };
    let carries = first.link_bytes_per_s.infer(|_| pairs.last().copied());
    let own_lanes = within(&first.lanes, &capable);
    let own_generation = within(&first.generation, &generation_capable);
    let half = match (&own_lanes, &own_generation) {
        (Some(lanes), None) => Some((format!("x{}", lanes.value), lanes.at)),
        (None, Some(generation)) => Some((format!("gen{}", generation.value), generation.at)),
        _ => None,
    };
    let (lanes, generation) = match (half, derived) {
        (Some(half), Some((lanes, generation)))
            if own_lanes.is(|own| *own != lanes.value)
                || own_generation.is(|own| *own != generation.value) =>
        {
            conflicts.push(Conflict {
                field: LINK,
                of: first.address.known(),
                kept: half,
                dropped: (format!("gen{} x{}", generation.value, lanes.value), lanes.at),
            });
            (None, None)
        }
        (_, derived) => {
            let (lanes, generation) = derived.unzip();
            (own_lanes.or(lanes), own_generation.or(generation))
        }
    };
    PcieLink {
        carries,
        lanes,
        generation,
        lanes_capable: capable,
        generation_capable,
        payload: first.payload.clone(),
        payload_capable: first.payload_capable.clone(),
        read_request: first.read_request.clone(),
    }
}
