//! Ways to exchange the sockets, bridges and switches of a server that leave what is joined to what as it is:
//! the automorphisms of its coloured graph (VF2, by `petgraph`).
//!
//! Colours are kinds of elements, capacities of what joins them, and a label that the caller gives to each.
//! Whether an exchange leaves everything else as it is (routes, shares, what runs where) is for the caller to
//! find.

use petgraph::algo::isomorphism::subgraph_isomorphisms_iter;
use petgraph::graph::{NodeIndex, UnGraph};

use crate::graph::NodeKind;
use crate::resource::ResourceId;
use crate::topology::Topology;

/// Elements that a graph may have for its automorphisms to be looked for: more sockets and bridges than one
/// board holds.
const ELEMENTS_MAX: usize = 48;

/// Which element takes the place of which, each by its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automorphism {
    /// The socket that takes the place of each socket.
    pub sockets: Vec<usize>,
    /// The same of bridges.
    pub bridges: Vec<usize>,
    /// The same of switches.
    pub switches: Vec<usize>,
}

impl Topology {
    /// Up to `most` automorphisms of sockets, bridges and switches, of which the identity is one. Only
    /// elements of the same label take each other's place. None at all of servers of more than 48 such
    /// elements.
    pub fn automorphisms<L: PartialEq>(
        &self,
        label: impl Fn(NodeKind, usize) -> L,
        most: usize,
    ) -> Vec<Automorphism> {
        let (sockets, bridges) = (self.sockets().len(), self.bridges().len());
        let switches = self.switches().len();
        if sockets + bridges + switches > ELEMENTS_MAX {
            return Vec::new();
        }
        let graph = self.skeleton();
        let colours: Vec<(NodeKind, L)> = graph
            .node_weights()
            .map(|&(kind, index)| (kind, label(kind, index)))
            .collect();
        let number = |&(kind, index): &(NodeKind, usize)| match kind {
            NodeKind::Socket => index,
            NodeKind::Bridge => sockets + index,
            _ => sockets + bridges + index,
        };
        let mut same_colour =
            |a: &(NodeKind, usize), b: &(NodeKind, usize)| colours[number(a)] == colours[number(b)];
        let mut same_links = |a: &Vec<u64>, b: &Vec<u64>| a == b;
        let whole = &graph;
        let Some(found) = subgraph_isomorphisms_iter(&whole, &whole, &mut same_colour, &mut same_links)
        else {
            return Vec::new();
        };
        found
            .take(most)
            .map(|images| {
                let part = |first: usize, count: usize| -> Vec<usize> {
                    images[first..first + count]
                        .iter()
                        .map(|image| image - first)
                        .collect()
                };
                Automorphism {
                    sockets: part(0, sockets),
                    bridges: part(sockets, bridges),
                    switches: part(sockets + bridges, switches),
                }
            })
            .collect()
    }

    /// Sockets, then bridges, then switches; one edge for all parallel links, with their capacities.
    fn skeleton(&self) -> UnGraph<(NodeKind, usize), Vec<u64>> {
        let mut graph = UnGraph::default();
        let mut add = |kind, count| -> Vec<NodeIndex> {
            (0..count).map(|index| graph.add_node((kind, index))).collect()
        };
        let sockets = add(NodeKind::Socket, self.sockets().len());
        let bridges = add(NodeKind::Bridge, self.bridges().len());
        let switches = add(NodeKind::Switch, self.switches().len());
        let capacity = |resource: ResourceId| self.resources()[resource.index()].capacity.to_bits();
        let mut join = |a: NodeIndex, b: NodeIndex, resource: ResourceId| {
            let edge = graph
                .find_edge(a, b)
                .unwrap_or_else(|| graph.add_edge(a, b, Vec::new()));
            graph[edge].push(capacity(resource));
        };
        for link in self.links() {
            join(sockets[link.ends[0]], sockets[link.ends[1]], link.resources[0]);
        }
        for (index, bridge) in self.bridges().iter().enumerate() {
            join(sockets[bridge.socket], bridges[index], bridge.inbound);
        }
        for (index, switch) in self.switches().iter().enumerate() {
            join(bridges[switch.bridge], switches[index], switch.inbound);
        }
        for capacities in graph.edge_weights_mut() {
            capacities.sort_unstable();
        }
        graph
    }
}
