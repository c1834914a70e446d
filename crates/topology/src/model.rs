//! The elements of a checked topology: parts, indices of what they hang on, and their resources.

use std::ops::Range;

use bandgraph_hardware::{
    BridgePart, CardPart, DrivePart, JbodPart, NetworkPorts, PcieSlotSpec, PcieSwitchPart, SocketLinkPart,
    SocketPart,
};
use bandgraph_units::Bytes;

use crate::resource::ResourceId;
use crate::spec::MemorySpec;

/// A processor socket.
#[derive(Clone, Debug, PartialEq)]
pub struct Socket {
    /// Its id.
    pub id: String,
    /// The processor.
    pub part: SocketPart,
    /// The memory on its own controller.
    pub memory: MemorySpec,
    /// The resource of its memory controller, `memory.<id>`.
    pub memory_resource: ResourceId,
    /// The resource of its cores, `cpu.<id>`.
    pub cpu_resource: ResourceId,
}

/// A link between two sockets.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its id: `cpu0-cpu1`, and `cpu0-cpu1.b` for a second one between the same sockets.
    pub id: String,
    /// The two sockets, in file order, as indices.
    pub ends: [usize; 2],
    /// The kind of link.
    pub part: SocketLinkPart,
    /// Its share of what parallel links carry, relative to that of the others.
    pub weight: f64,
    /// The resources from the first end to the second, and back.
    pub resources: [ResourceId; 2],
}

/// An I/O bridge.
#[derive(Clone, Debug, PartialEq)]
pub struct Bridge {
    /// Its id.
    pub id: String,
    /// The bridge.
    pub part: BridgePart,
    /// The link to its socket; `None` for a root complex that is part of it.
    pub uplink: Option<Uplink>,
    /// Its socket, as an index.
    pub socket: usize,
}

/// The link from a bridge to its socket.
#[derive(Clone, Debug, PartialEq)]
pub struct Uplink {
    /// The kind of link.
    pub part: SocketLinkPart,
    /// The resource toward the socket, `bridge.<id>.in`.
    pub inbound: ResourceId,
    /// The resource toward the cards, `bridge.<id>.out`.
    pub outbound: ResourceId,
}

/// A PCI Express switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// Its id.
    pub id: String,
    /// The switch.
    pub part: PcieSwitchPart,
    /// Its bridge, as an index.
    pub bridge: usize,
    /// Generation and lanes that are wired to its bridge.
    pub pcie: PcieSlotSpec,
    /// Generation and lanes of the link to its bridge: what both have in common.
    pub trained: PcieSlotSpec,
    /// The resource of that link toward the bridge, `switch.<id>.in`.
    pub inbound: ResourceId,
    /// The resource of that link toward the slots, `switch.<id>.out`.
    pub outbound: ResourceId,
}

/// A PCI Express slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Slot {
    /// Its id.
    pub id: String,
    /// Its bridge, as an index; that of its switch if it has one.
    pub bridge: usize,
    /// Its switch, as an index; `None` for a slot right on its bridge.
    pub switch: Option<usize>,
    /// Generation and lanes that are wired.
    pub pcie: PcieSlotSpec,
    /// Lanes of the connector.
    pub connector_lanes: u32,
    /// The largest payload of a packet that firmware sets, if it does.
    pub maximum_payload: Option<Bytes>,
    /// The largest read that firmware or a driver sets, if one does.
    pub maximum_read_request: Option<Bytes>,
    /// The card in it, as an index. Only a slot with a card has resources.
    pub card: Option<usize>,
}

/// A card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Its id.
    pub id: String,
    /// What it is.
    pub part: CardPart,
    /// The bridge it hangs on, as an index.
    pub bridge: usize,
    /// The socket of that bridge, as an index.
    pub socket: usize,
    /// Its place in a slot; `None` for ports that sit on the bridge itself.
    pub seated: Option<Seated>,
    /// Its place in a second slot, of a card with links to two hosts. `bridge` and `socket` are those of the
    /// first.
    pub second: Option<Seated>,
    /// The processor of a disk adapter, if it can be the limit.
    pub processor: Option<ResourceId>,
    /// Its network ports, as a range of [`Topology::ports`](crate::Topology::ports); empty for other cards.
    pub ports: Range<usize>,
}

impl Card {
    /// Its places in slots: two of a card with links to two hosts, none of ports on a bridge.
    pub fn seats(&self) -> impl Iterator<Item = Seated> {
        self.seated.into_iter().chain(self.second)
    }

    /// Its place in a slot, as an index, if it is in that.
    pub fn seat_in(&self, slot: usize) -> Option<Seated> {
        self.seats().find(|seated| seated.slot == slot)
    }
}

/// A card's place in a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seated {
    /// The slot, as an index.
    pub slot: usize,
    /// Generation and lanes of the link: what bridge, slot and card have in common.
    pub trained: PcieSlotSpec,
    /// The resource of the link toward the bridge, `slot.<id>.in`.
    pub inbound: ResourceId,
    /// The resource of the link toward the card, `slot.<id>.out`.
    pub outbound: ResourceId,
}

/// A network port.
#[derive(Clone, Debug, PartialEq)]
pub struct Port {
    /// Its id: `nic0.0`.
    pub id: String,
    /// Its card, as an index.
    pub card: usize,
    /// Its number on the card, from 0.
    pub number: u32,
    /// What it is, as all ports of its card.
    pub kind: NetworkPorts,
    /// The resource of what it receives, `port.<id>.in`.
    pub inbound: ResourceId,
    /// The resource of what it sends, `port.<id>.out`.
    pub outbound: ResourceId,
}

/// A SAS wide port with at least one enclosure on it.
#[derive(Clone, Debug, PartialEq)]
pub struct SasPort {
    /// Its id: `hba0.0`.
    pub id: String,
    /// Its card, as an index.
    pub card: usize,
    /// Its number on the card, from 0.
    pub number: u32,
    /// The enclosures on it in the order of the chain, as indices.
    pub jbods: Vec<usize>,
    /// The resource of data from the disks, `sas.<id>.in`.
    pub inbound: ResourceId,
    /// The resource of data to the disks, `sas.<id>.out`.
    pub outbound: ResourceId,
}

/// How drives are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivePath {
    /// Over a SAS port, as an index into [`Topology::sas_ports`](crate::Topology::sas_ports).
    Sas(usize),
    /// The drive is a card itself, as an index.
    Card(usize),
}

/// A disk enclosure, or a drive that is a card itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Jbod {
    /// Its id; that of the card for a drive that is one.
    pub id: String,
    /// The enclosure; `None` for a drive that is a card.
    pub part: Option<JbodPart>,
    /// What fills it.
    pub disk: DrivePart,
    /// Its one or two paths, over which data is spread evenly.
    pub paths: Vec<DrivePath>,
    /// The resources of its disks, `disk.<id>.<number>`, one each: bytes per second at their fastest, on the
    /// outermost tracks. `disk.<id>` of a drive that is a card.
    pub disks: Vec<ResourceId>,
}

impl Jbod {
    /// The SAS ports of its paths, as indices.
    pub fn sas_ports(&self) -> impl Iterator<Item = usize> {
        self.paths.iter().filter_map(|path| match path {
            DrivePath::Sas(port) => Some(*port),
            DrivePath::Card(_) => None,
        })
    }

    /// The card that the drive is, as an index; `None` for an enclosure.
    pub fn card(&self) -> Option<usize> {
        self.paths.iter().find_map(|path| match path {
            DrivePath::Card(card) => Some(*card),
            DrivePath::Sas(_) => None,
        })
    }
}
