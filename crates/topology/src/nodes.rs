//! Sockets that firmware divides in NUMA nodes (NPS2 and NPS4 of EPYC, SNC of Xeons).
//!
//! Each node of a divided socket becomes a socket of the graph, with its share of the cores, of the cache and
//! of the memory channels, and with links of its own to the other nodes. All rules for sockets (placement,
//! routes, latencies, cards near a node) then hold for nodes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bandgraph_hardware::{MemoryPart, SocketLinkPart, SocketPart};
use bandgraph_units::Bytes;

use crate::spec::{LinkSpec, MemorySpec, SocketSpec, TopologySpec};
use crate::{ElementKind, ElementRef, TopologyError};

impl SocketSpec {
    /// Number of NUMA nodes: 1 if it is not divided.
    pub fn node_count(&self) -> u32 {
        self.nodes.as_ref().map_or(1, |nodes| nodes.count.max(1))
    }

    /// Its nodes as sockets: `cpu0.0`, `cpu0.1`, ...; the socket itself if it is not divided.
    fn as_nodes(&self) -> Vec<Self> {
        let count = self.node_count();
        if count == 1 {
            return vec![self.clone()];
        }
        (0..count)
            .map(|node| Self {
                id: self.node_id(node),
                part: self.part_of(node).into_owned(),
                memory: MemorySpec {
                    part: self.memory.part.clone(),
                    channels: self.memory.channels / count,
                    size: Bytes::new(self.memory.size.get() / f64::from(count)),
                },
                nodes: None,
            })
            .collect()
    }

    /// The part of a node; that of the socket if it is not divided.
    fn part_of(&self, node: u32) -> Cow<'_, SocketPart> {
        match (&self.nodes, self.node_count()) {
            (Some(nodes), count @ 2..) => {
                Cow::Owned(self.part.node(u64::from(node), u64::from(count), &nodes.link))
            }
            _ => Cow::Borrowed(&self.part),
        }
    }

    /// The id of a node; that of the socket if it is not divided.
    fn node_id(&self, node: u32) -> String {
        if self.node_count() > 1 {
            format!("{}.{node}", self.id)
        } else {
            self.id.clone()
        }
    }
}

impl TopologySpec {
    /// Whether a socket is divided in NUMA nodes.
    pub fn is_divided(&self) -> bool {
        self.sockets.iter().any(|socket| socket.node_count() > 1)
    }

    /// The socket with a node of this name.
    pub(crate) fn socket_with_node(&self, name: &str) -> Option<&SocketSpec> {
        let mut sockets = self.sockets.iter();
        sockets.find(|socket| (0..socket.node_count()).any(|node| socket.node_id(node) == name))
    }

    /// For each socket of the graph, its place in this specification.
    pub(crate) fn socket_of_nodes(&self) -> Vec<usize> {
        let sockets = self.sockets.iter().enumerate();
        sockets
            .flat_map(|(index, socket)| (0..socket.node_count()).map(move |_| index))
            .collect()
    }

    /// The parts of the sockets of the graph and of their memory.
    pub(crate) fn parts_of_sockets(&self) -> impl Iterator<Item = (Cow<'_, SocketPart>, &MemoryPart)> {
        let sockets = self.sockets.iter();
        sockets.flat_map(|socket| {
            let nodes = 0..socket.node_count();
            nodes.map(|node| (socket.part_of(node), &socket.memory.part))
        })
    }

    /// The parts of the links of the graph.
    pub(crate) fn parts_of_links(&self) -> impl Iterator<Item = &SocketLinkPart> {
        let links = self.links.iter().map(|link| &link.part);
        links.chain(self.joined_nodes().map(|(_, _, part)| part))
    }

    /// Each pair of nodes of a socket, which a link joins: the socket, the nodes, and the part of the link.
    fn joined_nodes(&self) -> impl Iterator<Item = (&SocketSpec, [u32; 2], &SocketLinkPart)> {
        self.sockets.iter().flat_map(|socket| {
            let count = socket.node_count();
            let pairs = (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]));
            let nodes = socket.nodes.iter();
            nodes.flat_map(move |nodes| pairs.clone().map(move |pair| (socket, pair, &nodes.link)))
        })
    }

    /// The specification with every node as a socket of its own. Bridges are at the node that they name, or
    /// spread over the nodes of their socket in file order. Links to other sockets are at the first node, or
    /// spread over all nodes where nodes are dies; links between nodes follow all others.
    ///
    /// Names of sockets that do not exist stay as they are.
    pub(crate) fn in_nodes(&self) -> Cow<'_, Self> {
        if !self.is_divided() {
            return Cow::Borrowed(self);
        }
        let mut divided = Self {
            sockets: self.sockets.iter().flat_map(SocketSpec::as_nodes).collect(),
            ..self.clone()
        };
        let socket = |id: &str| self.sockets.iter().find(|socket| socket.id == id);
        // The node that takes the next bridge, and the next link, of each socket by its id.
        let mut bridges = BTreeMap::<&str, u32>::new();
        for (bridge, spec) in divided.bridges.iter_mut().zip(&self.bridges) {
            if let Some(socket) = socket(&spec.uplink_to) {
                let next = bridges.entry(&socket.id).or_default();
                bridge.uplink_to = socket.node_id(*next % socket.node_count());
                *next += 1;
            }
        }
        let mut links = BTreeMap::<[&str; 2], u32>::new();
        for (link, spec) in divided.links.iter_mut().zip(&self.links) {
            let [a, b] = spec.ends.each_ref().map(String::as_str);
            let next = links.entry([a.min(b), a.max(b)]).or_default();
            for (end, name) in link.ends.iter_mut().zip(&spec.ends) {
                if let Some(socket) = socket(name) {
                    let spread = u32::from(socket.part.node_dies);
                    *end = socket.node_id(spread * *next % socket.node_count());
                }
            }
            *next += 1;
        }
        divided
            .links
            .extend(self.joined_nodes().map(|(socket, pair, part)| LinkSpec {
                ends: pair.map(|node| socket.node_id(node)),
                part: part.clone(),
                weight: 1.0,
            }));
        Cow::Owned(divided)
    }
}

/// Checks that sockets can be divided as they are.
pub(crate) fn check(spec: &TopologySpec, errors: &mut Vec<TopologyError>) {
    for (index, socket) in spec.sockets.iter().enumerate() {
        let count = socket.node_count();
        let most = socket.part.maximum_numa_nodes;
        let channels = socket.memory.channels;
        let cores = socket.part.cores;
        let reason = if count == 1 {
            continue;
        } else if cores < u64::from(count) {
            format!("it has {cores} {}", if cores == 1 { "core" } else { "cores" })
        } else if !socket.part.is_divided_in(u64::from(count)) {
            let possible = (1..=most).filter(|&nodes| socket.part.is_divided_in(nodes));
            let possible: Vec<String> = possible.map(|nodes| nodes.to_string()).collect();
            if possible.len() > 1 {
                format!(
                    "firmware divides {} in {}",
                    socket.part.name,
                    possible.join(" or ")
                )
            } else {
                format!("firmware does not divide {}", socket.part.name)
            }
        } else if !channels.is_multiple_of(count) {
            format!("its {channels} memory channels cannot be divided evenly")
        } else if !spec.routes.is_empty() {
            "the topology has `[[route]]` entries, which name whole sockets".to_owned()
        } else {
            continue;
        };
        errors.push(TopologyError::Indivisible {
            at: ElementRef::new(ElementKind::Socket, index, "numa_nodes"),
            socket: socket.id.clone(),
            nodes: count,
            reason,
        });
    }
}
