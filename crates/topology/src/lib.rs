//! The bandwidth graph: sockets, links, bridges, slots, cards and ports, with routing and structural checks.
//!
//! The pipeline has two stages:
//!
//! 1. [`TopologySpec`]: the elements from a file or a program, which refer to each other by name. It may
//!    contain errors, and can be edited.
//! 2. [`Topology`]: checked by [`Topology::build`], with names resolved to indices, the table of
//!    [resources](Topology::resources) and the [routes](Topology::route) between sockets. It cannot be
//!    edited, and guarantees that every socket reaches every other, every card fits its slot, and every
//!    capacity is finite and above zero.
//!
//! This crate does not know the traffic on the graph.
//!
//! ```
//! use bandgraph_hardware::catalogue;
//! use bandgraph_topology::{LinkSpec, MemorySpec, SocketSpec, Topology, TopologySpec};
//! use bandgraph_units::Bytes;
//!
//! let parts = catalogue();
//! let (Some(part), Some(memory), Some(link)) =
//!     (parts.socket("opteron-8356"), parts.memory("ddr2-667"), parts.socket_link("ht1-x16"))
//! else {
//!     panic!("all three are in the catalogue")
//! };
//! let socket = |id: &str| SocketSpec {
//!     id: id.to_owned(),
//!     part: part.clone(),
//!     memory: MemorySpec { part: memory.clone(), channels: 2, size: Bytes::new(34_359_738_368.0) },
//!     nodes: None,
//! };
//! let mut spec = TopologySpec {
//!     name: "two sockets".to_owned(),
//!     sockets: vec![socket("cpu0"), socket("cpu1")],
//!     ..TopologySpec::default()
//! };
//!
//! let errors = Topology::build(spec.clone()).expect_err("nothing joins the sockets yet");
//! assert_eq!(errors[0].to_string(), "no links join `cpu1` to `cpu0`");
//!
//! let ends = ["cpu0".to_owned(), "cpu1".to_owned()];
//! spec.links.push(LinkSpec { ends, part: link.clone(), weight: 1.0 });
//! let topology = Topology::build(spec).expect("now it is whole");
//! let (resource, share) = topology.route(0, 1)[0];
//! assert_eq!((topology[resource].id.as_str(), share), ("link.cpu0-cpu1", 1.0));
//! ```
//!
//! # Resources
//!
//! The order of the table is part of the contract: links in file order (two directions each), memory of the
//! sockets, cores of the sockets, uplinks of bridges, uplinks of PCI Express switches, PCI Express links of
//! cards, network ports, SAS ports with enclosures, disks, transactions in flight between sockets. For
//! resources with directions, `out` is away from the sockets and `in` toward them, and `in` comes first.
//!
//! # Routing
//!
//! Between two sockets, traffic takes a given [route](RouteSpec) or otherwise a shortest path. Ties between
//! shortest paths are broken so that routes spread over links. Given routes come first, then pairs of sockets
//! by their distance (of one distance from the first socket to the second, to the third, ...; then from the
//! second): neighbours have one path, and longer routes go around their load. Among the
//! shortest paths of a pair, the one whose busiest directed link has the fewest routes so far is taken
//! (parallel links share them), and of equal paths the one whose links come first in the file. Parallel links
//! between two sockets share traffic in proportion to their usable capacity.

mod capacity;
mod check;
mod dot;
mod element;
mod error;
mod graph;
mod model;
mod nodes;
mod remote;
mod resolve;
mod resource;
mod role;
mod routing;
mod spec;
mod table;
mod topology;

pub use bandgraph_hardware::CardPart;
pub use element::{ElementKind, ElementRef};
pub use error::TopologyError;
pub use graph::{Edge, Graph, Node, NodeKind};
pub use model::{Bridge, Card, DrivePath, Jbod, Link, Port, SasPort, Seated, Slot, Socket, Switch, Uplink};
pub use resource::{Description, Detail, Resource, ResourceId, ResourceKind, ResourceTable, Unit};
pub use role::{ClientResource, Direction, NetworkResource, PortResource, Role, SlotResource};
pub use spec::{
    BridgeSpec, CardSpec, JbodSpec, LinkSpec, MemorySpec, NodesSpec, RouteSpec, Seat, SecondPath, SlotSpec,
    SocketSpec, SwitchSpec, TopologySpec,
};
pub use topology::{PartFigure, Topology, TopologyIdentity};

/// The maximum number of sockets in a topology.
pub const MAX_SOCKETS: usize = 64;
/// The maximum number of elements (sockets, links, bridges, slots, cards, enclosures, routes) in a topology.
pub const MAX_ELEMENTS: usize = 4096;
/// The maximum number of resources in a topology; an element may have many ports or disks.
pub const MAX_RESOURCES: u64 = 65_536;
/// The maximum number of lanes of a slot or its connector.
pub const MAX_LANES: u32 = 32;
/// The maximum number of enclosures in a chain on one SAS port. An assumption: arrays of the time of the
/// J4400 were sold in chains of up to 8.
pub const MAX_CHAIN: usize = 8;
/// The maximum number of characters in an id.
pub const MAX_ID: usize = 64;

/// An explanation of every [`TopologyError::id`]: its meaning and the remedy.
pub const EXPLANATIONS: &str = include_str!("explanations.txt");
