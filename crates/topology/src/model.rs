//! The elements of a checked topology, with their parts, their resources, and indices of the elements above
//! them.

use std::ops::Range;

use bandgraph_hardware::{
    BridgePart, CardPart, DrivePart, JbodPart, NetworkPorts, PcieSlotSpec, PcieSwitchPart, SocketLinkPart,
    SocketPart,
};
use bandgraph_units::Bytes;

use crate::resource::ResourceId;
use crate::spec::MemorySpec;

/// A processor socket, or a NUMA node of one that is divided.
#[derive(Clone, Debug, PartialEq)]
pub struct Socket {
    /// Its id; `cpu0.1` for the second NUMA node of a divided socket.
    pub id: String,
    /// The socket that it is, or is a node of, as an index into the sockets of the
    /// [specification](crate::TopologySpec::sockets).
    pub of: usize,
    /// The processor; the node's share of it.
    pub part: SocketPart,
    /// The memory on its own controller.
    pub memory: MemorySpec,
    /// The resource of its memory controller, `memory.<id>`.
    pub memory_resource: ResourceId,
    /// The links between its dies of cores and its memory controllers, in to the cores and out of them:
    /// `dies.<id>.in` and `.out`. `None` where they are on one die, or limit nothing.
    pub die_resources: Option<[ResourceId; 2]>,
    /// The front-side bus of its cores, `bus.<id>`; `None` without one.
    pub bus_resource: Option<ResourceId>,
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
    /// Its weight among parallel links, which determines its share of their traffic.
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
    /// The link to its socket; `None` for a root complex on the processor.
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
    /// Wired generation and lanes of the link to its bridge.
    pub pcie: PcieSlotSpec,
    /// Trained generation and lanes of the link to its bridge.
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
    /// Its switch, as an index; `None` for a slot directly on its bridge.
    pub switch: Option<usize>,
    /// Wired generation and lanes.
    pub pcie: PcieSlotSpec,
    /// Lanes of the connector.
    pub connector_lanes: u32,
    /// The maximum payload that firmware sets, if it does.
    pub maximum_payload: Option<Bytes>,
    /// The maximum read request that firmware or a driver sets, if one does.
    pub maximum_read_request: Option<Bytes>,
    /// The card in it, as an index. Only a slot with a card has resources.
    pub card: Option<usize>,
}

/// A card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Its id.
    pub id: String,
    /// Its part.
    pub part: CardPart,
    /// Its bridge, as an index.
    pub bridge: usize,
    /// The socket of that bridge, as an index.
    pub socket: usize,
    /// Its slot and link; `None` for ports integrated on the bridge.
    pub seated: Option<Seated>,
    /// Its second slot and link, for a card with links to two hosts. `bridge` and `socket` are those of the
    /// first.
    pub second: Option<Seated>,
    /// The processor of a disk adapter, if it can be the limit.
    pub processor: Option<ResourceId>,
    /// Its network ports, as a range of [`Topology::ports`](crate::Topology::ports); empty for other cards.
    pub ports: Range<usize>,
}

impl Card {
    /// Its slots and links: two for a card with links to two hosts, none for integrated ports.
    pub fn seats(&self) -> impl Iterator<Item = Seated> {
        self.seated.into_iter().chain(self.second)
    }

    /// Its link in this slot, if it is there.
    pub fn seat_in(&self, slot: usize) -> Option<Seated> {
        self.seats().find(|seated| seated.slot == slot)
    }
}

/// A card's slot and link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seated {
    /// The slot, as an index.
    pub slot: usize,
    /// Trained generation and lanes: the common maximum of bridge, slot and card.
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
    /// The properties of all ports of its card.
    pub kind: NetworkPorts,
    /// The resource of received traffic, `port.<id>.in`.
    pub inbound: ResourceId,
    /// The resource of sent traffic, `port.<id>.out`.
    pub outbound: ResourceId,
}

/// A SAS wide port with at least one enclosure.
#[derive(Clone, Debug, PartialEq)]
pub struct SasPort {
    /// Its id: `hba0.0`.
    pub id: String,
    /// Its card, as an index.
    pub card: usize,
    /// Its number on the card, from 0.
    pub number: u32,
    /// Its enclosures in the order of the chain, as indices.
    pub jbods: Vec<usize>,
    /// The resource of data from the disks, `sas.<id>.in`.
    pub inbound: ResourceId,
    /// The resource of data to the disks, `sas.<id>.out`.
    pub outbound: ResourceId,
}

/// The path to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrivePath {
    /// Through a SAS port, as an index into [`Topology::sas_ports`](crate::Topology::sas_ports).
    Sas(usize),
    /// The drive is itself a card, as an index.
    Card(usize),
}

/// A disk enclosure, or a drive that is itself a card.
#[derive(Clone, Debug, PartialEq)]
pub struct Jbod {
    /// Its id; for a drive that is a card, that of the card.
    pub id: String,
    /// The enclosure; `None` for a drive that is a card.
    pub part: Option<JbodPart>,
    /// The part of its drives.
    pub disk: DrivePart,
    /// Its one or two paths, which share data evenly.
    pub paths: Vec<DrivePath>,
    /// The resources of its disks, `disk.<id>.<number>`, one each: bytes per second at the maximum rate, on
    /// the outermost tracks. `disk.<id>` for a drive that is a card.
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

    /// The card of a drive that is a card, as an index; `None` for an enclosure.
    pub fn card(&self) -> Option<usize> {
        self.paths.iter().find_map(|path| match path {
            DrivePath::Card(card) => Some(*card),
            DrivePath::Sas(_) => None,
        })
    }
}
