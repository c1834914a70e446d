//! The topology as a `petgraph` graph, for pictures and for graph algorithms.

use petgraph::graph::{NodeIndex, UnGraph};

use crate::resource::ResourceId;
use crate::table::Table;

/// The graph of a topology. Parallel links are parallel edges.
pub type Graph = UnGraph<Node, Edge>;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeKind {
    /// A socket.
    Socket,
    /// The memory of a socket.
    Memory,
    /// A bridge.
    Bridge,
    /// A PCI Express switch.
    Switch,
    /// A slot.
    Slot,
    /// A card.
    Card,
    /// A network port.
    Port,
    /// A disk enclosure.
    Jbod,
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its kind.
    pub kind: NodeKind,
    /// The index among elements of its kind; for memory, that of the socket.
    pub index: usize,
    /// Its unique name: the id, or `memory.<id>` for the memory of a socket.
    pub name: String,
}

/// An edge, from the first of its two nodes to the second. An edge without a limit, such as that between a
/// card and its slot, has no resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// The resource from the first node to the second.
    pub forward: Option<ResourceId>,
    /// The resource from the second node to the first; the same one if both directions share it.
    pub backward: Option<ResourceId>,
}

impl Edge {
    fn new(forward: ResourceId, backward: ResourceId) -> Self {
        Self {
            forward: Some(forward),
            backward: Some(backward),
        }
    }
}

/// Builds the graph. Nodes and edges are in the order of the table of resources.
pub(crate) fn build(table: &Table) -> Graph {
    let mut graph = Graph::default();
    let nodes = |graph: &mut Graph, kind, names: &mut dyn Iterator<Item = String>| -> Vec<NodeIndex> {
        names
            .enumerate()
            .map(|(index, name)| graph.add_node(Node { kind, index, name }))
            .collect()
    };
    let sockets = nodes(
        &mut graph,
        NodeKind::Socket,
        &mut table.sockets.iter().map(|socket| socket.id.clone()),
    );
    let memories = nodes(
        &mut graph,
        NodeKind::Memory,
        &mut table.sockets.iter().map(|socket| format!("memory.{}", socket.id)),
    );
    let bridges = nodes(
        &mut graph,
        NodeKind::Bridge,
        &mut table.bridges.iter().map(|bridge| bridge.id.clone()),
    );
    let switches = nodes(
        &mut graph,
        NodeKind::Switch,
        &mut table.switches.iter().map(|switch| switch.id.clone()),
    );
    let slots = nodes(
        &mut graph,
        NodeKind::Slot,
        &mut table.slots.iter().map(|slot| slot.id.clone()),
    );
    let cards = nodes(
        &mut graph,
        NodeKind::Card,
        &mut table.cards.iter().map(|card| card.id.clone()),
    );
    let ports = nodes(
        &mut graph,
        NodeKind::Port,
        &mut table.ports.iter().map(|port| port.id.clone()),
    );
    let jbods = nodes(
        &mut graph,
        NodeKind::Jbod,
        // Drives that are cards come last, and share the nodes of their cards.
        &mut table
            .jbods
            .iter()
            .filter(|jbod| jbod.part.is_some())
            .map(|jbod| jbod.id.clone()),
    );

    for link in &table.links {
        let [forward, backward] = link.resources;
        graph.add_edge(
            sockets[link.ends[0]],
            sockets[link.ends[1]],
            Edge::new(forward, backward),
        );
    }
    for (index, socket) in table.sockets.iter().enumerate() {
        let memory = socket.memory_resource;
        graph.add_edge(sockets[index], memories[index], Edge::new(memory, memory));
    }
    for (index, bridge) in table.bridges.iter().enumerate() {
        let uplink = bridge.uplink.as_ref();
        let uplink = uplink.map_or(Edge::default(), |uplink| {
            Edge::new(uplink.outbound, uplink.inbound)
        });
        graph.add_edge(sockets[bridge.socket], bridges[index], uplink);
    }
    for (index, switch) in table.switches.iter().enumerate() {
        let uplink = Edge::new(switch.outbound, switch.inbound);
        graph.add_edge(bridges[switch.bridge], switches[index], uplink);
    }
    for (index, slot) in table.slots.iter().enumerate() {
        let seated = slot.card.and_then(|card| table.cards[card].seat_in(index));
        let edge = seated.map_or(Edge::default(), |seated| {
            Edge::new(seated.outbound, seated.inbound)
        });
        let above = slot
            .switch
            .map_or(bridges[slot.bridge], |switch| switches[switch]);
        graph.add_edge(above, slots[index], edge);
    }
    for (index, card) in table.cards.iter().enumerate() {
        if card.seated.is_none() {
            graph.add_edge(bridges[card.bridge], cards[index], Edge::default());
        }
        for seated in card.seats() {
            graph.add_edge(slots[seated.slot], cards[index], Edge::default());
        }
    }
    for (index, port) in table.ports.iter().enumerate() {
        graph.add_edge(
            cards[port.card],
            ports[index],
            Edge::new(port.outbound, port.inbound),
        );
    }
    for port in &table.sas_ports {
        let mut above = cards[port.card];
        for &jbod in &port.jbods {
            graph.add_edge(above, jbods[jbod], Edge::new(port.outbound, port.inbound));
            above = jbods[jbod];
        }
    }
    graph
}
