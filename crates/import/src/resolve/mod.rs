//! From merged facts to a machine: sockets with their memory, slots, and cards.

mod cards;
mod fabric;
mod memory;
mod name;
mod place;
mod rate;

use bandgraph_config::words;

use crate::facts::{Facts, PortKind, Slot};
use crate::origin::{Fact, Known};
use crate::pci::PciAddress;
use crate::table;
use crate::{ranges, tree::Tree};
pub(crate) use cards::LINK;
pub use fabric::{Fabric, IoLink, SocketLink, Way};

/// NUMA nodes that a socket can have at most.
const MOST_NODES: u32 = 64;

/// A machine, as far as its files describe it.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Maker and product.
    pub name: Fact<String>,
    /// Populated sockets.
    pub sockets: Vec<Socket>,
    /// NUMA nodes.
    pub numa_nodes: Fact<u32>,
    /// Network cards, host adapters and drives with a PCI address of their own.
    pub cards: Vec<Card>,
    /// Slots of firmware's tables.
    pub slots: Vec<Slot>,
    /// HyperTransport links.
    pub fabric: Fabric,
    /// First buses of its root complexes, in their order.
    pub(crate) roots: Vec<u8>,
    /// The facts that it was made of.
    pub facts: Facts,
    /// The tree of its PCI functions.
    pub(crate) tree: Tree,
}

/// A populated socket with the memory of its controllers.
#[derive(Clone, Debug, Default)]
pub struct Socket {
    /// Maker's name of the processor.
    pub name: Fact<String>,
    /// Cores.
    pub cores: Fact<u32>,
    /// Entry of the catalogue.
    pub part: Option<&'static str>,
    /// Its memory.
    pub memory: Memory,
}

/// The memory of a socket.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Channels with a module.
    pub channels_used: Fact<u32>,
    /// Channels of the socket.
    pub channels: Fact<u32>,
    /// Bytes.
    pub size_bytes: Fact<u64>,
    /// Bytes of the channel with the least and of that with the most, of those with a module.
    pub channel_bytes: Fact<(u64, u64)>,
    /// Technology: `DDR4`.
    pub technology: Fact<String>,
    /// Transfers per second in force.
    pub rate: Fact<f64>,
    /// Transfers per second that the modules are rated for.
    pub rate_capable: Fact<f64>,
}

words! {
    /// What a card is for.
    pub enum CardKind {
        /// A network or fabric card.
        Nic = "nic",
        /// A storage host adapter: SAS, Fibre Channel, RAID, SATA.
        Hba = "hba",
        /// An NVMe drive.
        Nvme = "nvme",
        /// A graphics card or accelerator.
        Gpu = "gpu",
    }
}

/// The PCI Express link of a card.
#[derive(Clone, Debug, Default)]
pub struct PcieLink {
    /// Where a file says what the link carries: the most lanes that carry as much, with their generation.
    pub carries: Fact<(u8, u8)>,
    /// Lanes in force.
    pub lanes: Fact<u8>,
    /// Generation in force.
    pub generation: Fact<u8>,
    /// Lanes of the card.
    pub lanes_capable: Fact<u8>,
    /// Generation of the card.
    pub generation_capable: Fact<u8>,
    /// Payload in force, in bytes.
    pub payload: Fact<u32>,
    /// Largest payload of the card, in bytes.
    pub payload_capable: Fact<u32>,
    /// Largest read request in force, in bytes.
    pub read_request: Fact<u32>,
}

/// A card: all functions of one device.
#[derive(Clone, Debug)]
pub struct Card {
    /// Address of its first function.
    pub address: Option<PciAddress>,
    /// What it is for.
    pub kind: CardKind,
    /// Vendor and device id.
    pub ids: Fact<(u16, u16)>,
    /// Name.
    pub name: Fact<String>,
    /// Entry of the catalogue.
    pub part: Option<&'static str>,
    /// Ports.
    pub ports: Fact<u32>,
    /// Rate of a port in bit/s: in force where a system says so of all ports, else the highest.
    pub port_rate: Fact<f64>,
    /// Highest rate of a port in bit/s.
    pub port_rate_capable: Fact<f64>,
    /// Whether its ports are for InfiniBand, by the class of its function: cards for both change it.
    pub is_infiniband: Fact<bool>,
    /// Whether it is inside a chipset, behind a link that is not real.
    pub internal: bool,
    /// Whether it has a link of its own, known or not.
    pub has_link: bool,
    /// Its link.
    pub pcie: PcieLink,
    /// Number of its socket, from 0.
    pub socket: Fact<u32>,
    /// Name of its slot.
    pub slot: Fact<String>,
    /// What all functions of its board have in common.
    pub board: Fact<String>,
    /// Its link to a second host, of a card that has one (socket-direct). Both links share the ports.
    pub second: Option<HostLink>,
}

/// The second of two links of a card, each to a socket of its own.
#[derive(Clone, Debug)]
pub struct HostLink {
    /// Address of its first function.
    pub address: Option<PciAddress>,
    /// The link.
    pub pcie: PcieLink,
    /// Number of the socket, from 0.
    pub socket: Fact<u32>,
    /// Name of the slot.
    pub slot: Fact<String>,
}

impl Card {
    /// The card as each of its hosts sees it: one or two cards with one link.
    pub fn by_host(&self) -> Vec<Self> {
        let first = Self {
            second: None,
            ..self.clone()
        };
        let second = self.second.as_ref().map(|link| Self {
            address: link.address,
            pcie: link.pcie.clone(),
            socket: link.socket.clone(),
            slot: link.slot.clone(),
            ..first.clone()
        });
        [Some(first), second].into_iter().flatten().collect()
    }
}

impl Machine {
    /// NUMA nodes of a socket: those that a system says are on it, or where it does not say it of all, its
    /// share of those of the machine.
    pub(crate) fn nodes_of(&self, socket: usize) -> Fact<u32> {
        let said = self.numa_nodes.as_ref()?;
        let on: Option<Vec<u32>> = self.facts.nodes.iter().map(|node| node.socket.known()).collect();
        let count = match on.filter(|on| !on.is_empty()) {
            Some(on) => on.iter().filter(|&&on| on as usize == socket).count() as u32,
            None => place::share(said.value, self.sockets.len())?,
        };
        (1..=MOST_NODES).contains(&count).then(|| said.at.says(count))
    }

    /// Whether what firmware says of the slot of a card is true of the card: not if a switch, or other cards
    /// with lanes of their own (bifurcation), are in the slot too.
    pub(crate) fn is_alone_in(&self, card: &Card, slot: &Slot) -> bool {
        let Some(address) = card.address else { return true };
        let Some(port) = self.tree.port_above(&self.facts, address) else {
            return true;
        };
        let is_own = slot.address.known() == Some(address.first_function());
        let is_behind_switch = port.kind.known() == Some(PortKind::Downstream) && !is_own;
        let lanes = port.lanes_capable.known().zip(slot.lanes.known());
        !is_behind_switch && lanes.is_none_or(|(of_port, of_slot)| of_port >= of_slot)
    }
}

/// The machine that merged facts describe.
pub fn resolve(mut facts: Facts) -> Machine {
    let mut sockets: Vec<Socket> = facts
        .processors
        .iter()
        .map(|processor| {
            let name = &processor.name;
            Socket {
                name: name.clone(),
                cores: processor.cores.clone(),
                part: name.value().and_then(|name| table::part_of_processor(name)),
                memory: Memory {
                    channels: name.infer(|name| table::processor(name)?.channels),
                    ..Memory::default()
                },
            }
        })
        .collect();
    memory::fill(&mut sockets, &facts);
    let numa_nodes = numa_nodes(&facts);
    let places = place::Places::of(&facts, sockets.len());
    let mut conflicts = Vec::new();
    let tree = Tree::of(&facts);
    let mut cards = cards::cards(&facts, &tree, &places, &mut conflicts);
    facts.conflicts.extend(conflicts);
    ranges::hold_derived(&mut sockets, &mut cards, &mut facts.out_of_range);
    Machine {
        name: product(&facts),
        sockets,
        numa_nodes,
        slots: slots(&facts, &cards),
        cards,
        fabric: fabric::fabric(&facts, &places),
        roots: place::roots(&facts).into_iter().map(|(bus, _)| bus).collect(),
        facts,
        tree,
    }
}

/// The slots. Firmware that has no addresses and calls every slot free is not believed where there are cards
/// that could be in one.
fn slots(facts: &Facts, cards: &[Card]) -> Vec<Slot> {
    let mut slots = facts.slots.clone();
    let is_blank = |slot: &Slot| slot.address.is_none() && slot.in_use.known() != Some(true);
    let is_loose = |card: &Card| card.slot.is_none() && !card.internal;
    if slots.iter().all(is_blank) && cards.iter().any(is_loose) {
        for slot in &mut slots {
            slot.in_use = None;
        }
    }
    slots
}

fn product(facts: &Facts) -> Fact<String> {
    let maker = facts.system.maker.value().map_or("", String::as_str);
    let product = &facts.system.product;
    product.infer(|product| Some(format!("{maker} {product}").trim().to_owned()))
}

/// Nodes as a system counts them; else the northbridges of AMD families where each die has its own memory.
fn numa_nodes(facts: &Facts) -> Fact<u32> {
    if let Some(first) = facts.nodes.first().and_then(|node| node.number.as_ref()) {
        return Some(first.at.says(facts.nodes.len() as u32));
    }
    if facts.system.numa_nodes.is_some() {
        return facts.system.numa_nodes.clone();
    }
    // Ids of function 0 of the northbridges of families 0Fh, 10h, 15h and 17h model 1.
    let northbridges = [0x1100, 0x1200, 0x1600, 0x1400, 0x1460];
    let mut found = facts.devices.iter().filter(|device| {
        let is = |fact: &Fact<u16>, wanted: &[u16]| fact.is(|id| wanted.contains(id));
        is(&device.vendor, &[0x1022]) && is(&device.device, &northbridges)
    });
    let first = found.next()?.address.as_ref()?;
    Some(first.at.says(found.count() as u32 + 1))
}
