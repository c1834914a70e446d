//! Bridges and slots of a topology file.

#![expect(clippy::ref_option, reason = "a fact is one type, known or not")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::links::wire;
use super::switches::Switches;
use super::writer::{Because, Writer, bytes, generation, quoted};
use super::{cards, known_of, nodes_of, part_of};
use crate::facts::{Device, Slot};
use crate::origin::{Fact, Known, Origin};
use crate::pci::PciAddress;
use crate::resolve::{Card, CardKind, Machine};

/// Lanes of a slot of which no file says how many.
const DEFAULT_LANES: u8 = 8;

/// A bridge: the ports of one root complex or hub.
pub(super) struct Bridge {
    id: String,
    socket: u32,
    branch: Option<Branch>,
    at: Option<Origin>,
}

/// The part of a socket that leads to I/O, where it has several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Branch {
    /// The index of a link among those to I/O: registers say what hangs on which.
    Link(usize),
    /// A NUMA node: the one that a system says, or where nodes are dies with one root complex each, that of
    /// the bus, since firmware numbers buses die by die.
    Node(u32),
}

pub(super) struct Bridges<'a> {
    pub(super) all: Vec<Bridge>,
    machine: &'a Machine,
}

impl<'a> Bridges<'a> {
    /// One bridge for each socket that has cards or slots, and one for each of its links to I/O or NUMA nodes
    /// where several are known to lead to cards; what hangs on an unknown socket is taken to be on the first.
    pub(super) fn of(machine: &'a Machine) -> Self {
        let cards = machine.cards.iter().flat_map(Card::by_host);
        let cards = cards.map(|card| (card.socket, card.address));
        let slots = machine.slots.iter();
        let slots = slots.map(|slot| (slot.socket.clone(), slot.address.known()));
        let wanted = cards.chain(slots).map(|(socket, address)| {
            let number = socket.known().unwrap_or(0).min(machine.sockets.len() as u32 - 1);
            (number, branch_to(machine, number, address), socket)
        });
        let mut wanted: Vec<_> = wanted.collect();
        // What hangs on an unknown branch comes last, and makes no bridge of its own beside others.
        wanted.sort_by_key(|&(number, branch, _)| (number, branch.is_none(), branch));
        let mut all: Vec<Bridge> = Vec::new();
        for (number, branch, said) in wanted {
            let at = said.map(|said| said.at);
            let of_socket = all.iter().filter(|bridge| bridge.socket == number).count();
            let is = |bridge: &&mut Bridge| {
                bridge.socket == number && (branch.is_none() || bridge.branch == branch)
            };
            match all.iter_mut().find(is) {
                Some(bridge) => bridge.at = bridge.at.or(at),
                None => all.push(Bridge {
                    id: match of_socket {
                        0 => format!("io{number}"),
                        _ => format!("io{number}-{of_socket}"),
                    },
                    socket: number,
                    branch,
                    at,
                }),
            }
        }
        Self { all, machine }
    }

    /// The bridge of what hangs on a socket, at an address if it has one.
    pub(super) fn on(&self, socket: &Fact<u32>, address: Option<PciAddress>) -> (String, Because) {
        let wanted = socket.known().unwrap_or(0);
        let branch = branch_to(self.machine, wanted, address);
        let mut of_socket = self.all.iter().filter(|bridge| bridge.socket == wanted);
        let is_one_of_several = branch.is_none() && of_socket.clone().nth(1).is_some();
        let bridge = of_socket
            .clone()
            .find(|bridge| bridge.branch == branch)
            .or_else(|| of_socket.next())
            .or(self.all.first());
        let id = quoted(bridge.map_or("io0", |bridge| &bridge.id));
        let because = if is_one_of_several && socket.is_some() {
            "no file says which bridge of its socket leads to it".into()
        } else {
            Because::of(socket.at(), "no file says which socket it hangs on")
        };
        (id, because)
    }
}

/// The part of a socket that leads to an address.
fn branch_to(machine: &Machine, socket: u32, address: Option<PciAddress>) -> Option<Branch> {
    let address = address?;
    if let Some((index, _)) = machine.fabric.uplink_to(address) {
        let is_own = machine.fabric.uplinks[index].socket == socket;
        return is_own.then_some(Branch::Link(index));
    }
    let facts = &machine.facts;
    let of_socket = |socket: u32| nodes_of(machine, socket as usize).map_or(1, |nodes| nodes.value);
    let (nodes, before) = (of_socket(socket), (0..socket).map(of_socket).sum::<u32>());
    let is_own = |device: &&Device| device.address.known() == Some(address);
    let own = facts.devices.iter().find(is_own);
    let mut seen = [own, machine.tree.port_above(facts, address)]
        .into_iter()
        .flatten();
    let node = seen.find_map(|device| device.numa_node.known());
    let node = node.and_then(|node| node.checked_sub(before)).or_else(|| {
        let all: u32 = (0..machine.sockets.len() as u32).map(of_socket).sum();
        let has_dies = part_of(&machine.sockets[socket as usize]).is_some_and(|part| part.node_dies);
        let roots = machine.roots.partition_point(|&first| first <= address.bus) as u32;
        let is_known = has_dies && machine.roots.len() == all as usize && address.domain == 0;
        roots.checked_sub(1 + before).filter(|_| is_known)
    });
    node.filter(|&node| nodes > 1 && node < nodes).map(Branch::Node)
}

pub(super) fn bridge(writer: &mut Writer<'_>, machine: &Machine, bridge: &Bridge) {
    let known = machine.sockets.first().and_then(known_of);
    let part = known
        .and_then(|known| known.bridge)
        .unwrap_or("root-complex-gen3");
    let names = machine.facts.devices.iter().map(|device| &device.name);
    let mut names = names.filter(|name| part == "mcp55" && name.is(|name| name.contains("MCP55")));
    writer.table("[bridge]");
    let _ = writeln!(writer.text, "id = \"{}\"", bridge.id);
    let said = names.find_map(Known::at);
    writer.field(
        "part",
        quoted(part),
        Because::of(said, "as with processors of this family"),
    );
    let fastest = machine
        .cards
        .iter()
        .filter_map(|card| card.pcie.generation.clone())
        .max_by_key(|generation| generation.value);
    let family = known.and_then(|known| known.generation).unwrap_or(3);
    match fastest.filter(|fastest| fastest.value > family) {
        Some(fastest) => writer.field("generation", generation(fastest.value), fastest.at),
        None if part != "mcp55" => writer.field("generation", generation(family), "that of the family"),
        None => {}
    }
    let payload = machine
        .cards
        .iter()
        .filter_map(|card| card.pcie.payload.clone())
        .max_by_key(|payload| payload.value);
    writer.known("maximum_payload", &payload, bytes);
    let socket = format!("cpu{}", bridge.socket);
    let nodes = nodes_of(machine, bridge.socket as usize).map_or(1, |nodes| nodes.value);
    let (to, because) = match (bridge.branch, bridge.at) {
        (Some(Branch::Node(node)), Some(at)) => (format!("{socket}.{node}"), at.into()),
        _ if nodes > 1 => {
            let why = format!("all on the first of its {nodes} nodes: no file says which");
            (socket, why.into())
        }
        (_, at) => (socket, Because::of(at, "no file says which socket")),
    };
    let to = quoted(to);
    // A root complex is part of its socket; a hub has a link to it.
    if part.starts_with("root-complex") {
        writer.field("socket", to, because);
        return;
    }
    writer.table("bridge.uplink");
    writer.field("to", to, because);
    let uplink = match part {
        "mcp55" => "ht1-x16",
        "amd-sr5690" => "ht3-x16",
        "intel-5520" => "qpi-6400",
        _ => "fsb-1066",
    };
    // With several links to I/O on a socket, registers tell which is that of the bridge, or nothing does.
    let uplinks = &machine.fabric.uplinks;
    let mut links = uplinks.iter().filter(|link| link.socket == bridge.socket);
    let only = links.next().filter(|_| links.next().is_none());
    let link = match bridge.branch {
        Some(Branch::Link(index)) => Some(&uplinks[index]),
        _ => only,
    };
    let link = link.filter(|_| uplink.starts_with("ht"));
    match link.and_then(|link| Some((link, link.width.as_ref()?))) {
        Some((link, width)) => {
            writer.field("part", quoted(uplink), width.at);
            wire(writer, &link.width, &link.clock_hz);
        }
        None => writer.field("part", quoted(uplink), "the link of such a hub"),
    }
}

/// An id of letters that ids may have.
fn id_of(prefix: &str, name: &str) -> String {
    let mut id = String::from(prefix);
    for letter in name.chars().take(40) {
        if letter.is_ascii_alphanumeric() {
            id.push(letter.to_ascii_lowercase());
        } else if !id.ends_with('-') {
            id.push('-');
        }
    }
    id.trim_end_matches('-').to_owned()
}

/// Writes the slots. Returns the ids of the slots of each card, in their order; none for cards without a link
/// of their own, two for those with two hosts.
pub(super) fn slots(
    writer: &mut Writer<'_>,
    machine: &Machine,
    bridges: &Bridges<'_>,
    switches: &Switches<'_>,
) -> Vec<Vec<String>> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut tables: BTreeMap<&str, &Slot> = BTreeMap::new();
    for slot in &machine.slots {
        if let Some(name) = &slot.name {
            tables.entry(&name.value).or_insert(slot);
        }
    }
    let mut of_cards = vec![Vec::new(); machine.cards.len()];
    let known = machine.sockets.first().and_then(known_of);
    let family = known.and_then(|known| known.generation).unwrap_or(3);
    let hosts = machine.cards.iter().map(Card::by_host).enumerate();
    for (index, card) in hosts.flat_map(|(index, hosts)| hosts.into_iter().map(move |card| (index, card))) {
        if !card.has_link || card.kind == CardKind::Gpu {
            continue;
        }
        let named = card.slot.as_ref().map(|slot| id_of("slot-", &slot.value));
        let place = card.address.map_or_else(
            || format!("of-card-{index}"),
            |address| id_of("at-", &address.to_string()),
        );
        let id = named
            .filter(|id| !used.contains(id))
            .or_else(|| Some(place.clone()).filter(|id| !used.contains(id)))
            .unwrap_or_else(|| format!("{place}-{}", card.kind.as_str()));
        let slot = card.slot.as_ref().map(|slot| slot.value.as_str());
        let firmware = slot.and_then(|slot| tables.get(slot).copied());
        let firmware = firmware.filter(|slot| machine.is_alone_in(&card, slot));
        head_of_slot(writer, &card, &id, bridges, switches);
        slot_of_card(writer, &card, firmware, family);
        used.insert(id.clone());
        of_cards[index].push(id);
    }
    for slot in &machine.slots {
        let (Some(name), Some(in_use)) = (&slot.name, slot.in_use.known()) else {
            continue;
        };
        let id = id_of("slot-", &name.value);
        if in_use {
            if !used.contains(&id) {
                let name: String = name.value.chars().filter(|letter| !letter.is_control()).collect();
                let _ = write!(
                    writer.text,
                    "\n# Not modelled: slot {name}, which a card is in that no file describes.\n"
                );
            }
            continue;
        }
        let Some(lanes) = slot.lanes.as_ref().filter(|_| !used.contains(&id)) else {
            continue;
        };
        writer.table("[slot]");
        writer.field("id", quoted(&id), name.at);
        let (bridge, because) = bridges.on(&slot.socket, slot.address.known());
        writer.field("bridge", bridge, because);
        let wire = |generation| quoted(format!("gen{generation} x{}", lanes.value));
        let assumed = (family, "firmware says no generation; that of the family");
        writer.fact("pcie", &slot.generation, wire, assumed);
        connector(writer, slot, lanes.value);
        used.insert(id);
    }
    of_cards
}

fn connector(writer: &mut Writer<'_>, slot: &Slot, lanes: u8) {
    let wider = slot
        .connector_lanes
        .clone()
        .filter(|connector| connector.value > lanes);
    writer.known("connector_lanes", &wider, |lanes| lanes);
}

fn head_of_slot(
    writer: &mut Writer<'_>,
    card: &Card,
    id: &str,
    bridges: &Bridges<'_>,
    switches: &Switches<'_>,
) {
    writer.table("[slot]");
    match &card.slot {
        Some(slot) => writer.field("id", quoted(id), slot.at),
        None => {
            let _ = writeln!(writer.text, "id = {}", quoted(id));
        }
    }
    if let Some(switch) = card.address.and_then(|address| switches.above(address)) {
        let _ = writeln!(writer.text, "switch = {}", quoted(switch));
        return;
    }
    let (bridge, because) = bridges.on(&card.socket, card.address);
    writer.field("bridge", bridge, because);
}

fn slot_of_card(writer: &mut Writer<'_>, card: &Card, firmware: Option<&Slot>, family: u8) {
    let link = &card.pcie;
    let wired = firmware.and_then(|slot| Some((slot.generation.known()?, slot.lanes.as_ref()?)));
    let capable = (link.generation_capable.known(), link.lanes_capable.known());
    let (generation, lanes, because): (u8, u8, Because) = match (&link.generation, &link.lanes, wired) {
        // The wired slot, where that and the card explain the link in force.
        (Some(generation), Some(lanes), Some((wired_generation, wired_lanes)))
            if Some(generation.value) == capable.0.map(|own| own.min(wired_generation))
                && Some(lanes.value) == capable.1.map(|own| own.min(wired_lanes.value)) =>
        {
            (wired_generation, wired_lanes.value, wired_lanes.at.into())
        }
        (Some(generation), Some(lanes), _) => (generation.value, lanes.value, lanes.at.into()),
        (_, _, Some((generation, lanes))) => (generation, lanes.value, lanes.at.into()),
        _ if let Some((lanes, generation)) = link.carries.known() => {
            let why = "files say what its link carries, and not by how many lanes: the most that it can be";
            (generation, lanes, why.into())
        }
        _ => {
            let why = "the link in force is unknown; that of the card";
            let lanes = capable.1.unwrap_or(DEFAULT_LANES);
            (capable.0.unwrap_or(3).min(family), lanes, why.into())
        }
    };
    writer.field("pcie", quoted(format!("gen{generation} x{lanes}")), because);
    // Firmware may list a connector that is shorter than the card in it.
    let wired = firmware
        .and_then(|slot| slot.lanes.known())
        .or(link.lanes.known());
    let connector = firmware.and_then(|slot| slot.connector_lanes.clone());
    let widest = [connector, link.lanes_capable.clone()]
        .into_iter()
        .flatten()
        .max_by_key(|lanes| lanes.value)
        .filter(|lanes| wired.is_some_and(|wired| lanes.value > wired));
    writer.known("connector_lanes", &widest, |lanes| lanes);
    // A card of which no file says the lanes has those of its part, and it is in the slot.
    let needed = cards::lanes_of_part(card).filter(|_| link.lanes_capable.is_none());
    let there = widest.known().or(wired).unwrap_or(DEFAULT_LANES);
    if let Some(needed) = needed.filter(|&needed| needed > there) {
        let why = "as wide as the part that is assumed for the card in it";
        writer.field("connector_lanes", needed, why);
    }
    writer.known("maximum_payload", &link.payload, bytes);
    writer.known("maximum_read_request", &link.read_request, bytes);
}
