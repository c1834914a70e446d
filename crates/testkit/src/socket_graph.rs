//! Socket graphs: those of real machines, and any other.

use bandgraph_hardware::{SocketLinkPart, catalogue};
use bandgraph_topology::{LinkSpec, MemorySpec, SocketSpec, TopologySpec};
use bandgraph_units::Bytes;

/// Sockets and the links between them, by index. Links may be parallel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketGraph {
    /// The number of sockets.
    pub sockets: usize,
    /// The two ends of each link.
    pub links: Vec<[usize; 2]>,
}

impl SocketGraph {
    /// Two rows of sockets, with links along both rows and across: the square is the ladder of four, and
    /// eight-socket Opterons were ladders of eight. `sockets` is rounded up to an even number of at least 2.
    pub fn ladder(sockets: usize) -> Self {
        let rungs = sockets.div_ceil(2).max(1);
        let mut links: Vec<_> = (0..rungs).map(|rung| [2 * rung, 2 * rung + 1]).collect();
        links.extend((1..rungs).flat_map(|rung| [0, 1].map(|side| [2 * (rung - 1) + side, 2 * rung + side])));
        Self {
            sockets: 2 * rungs,
            links,
        }
    }

    /// A ladder whose two middle rungs are replaced by a cross, which shortens the longest routes. (Crossing
    /// the rails instead would only change names.)
    pub fn twisted_ladder(sockets: usize) -> Self {
        let mut graph = Self::ladder(sockets);
        let (first, second) = ((graph.sockets / 4).saturating_sub(1), graph.sockets / 4);
        for link in &mut graph.links {
            let rung = link[0] / 2;
            if link[1] == link[0] + 1 && (rung == first || rung == second) && first < second {
                *link = if rung == first {
                    [2 * first, 2 * second + 1]
                } else {
                    [2 * first + 1, 2 * second]
                };
            }
        }
        graph
    }

    /// A link between every two sockets.
    pub fn full(sockets: usize) -> Self {
        let links = (0..sockets)
            .flat_map(|a| (a + 1..sockets).map(move |b| [a, b]))
            .collect();
        Self { sockets, links }
    }

    /// The distance in hops between all sockets, at `from * sockets + to`; `None` if they are not connected.
    /// By relaxation over all triples (Floyd and Warshall).
    pub fn distances(&self) -> Vec<Option<usize>> {
        let n = self.sockets;
        let mut hops = vec![None; n * n];
        for socket in 0..n {
            hops[socket * n + socket] = Some(0);
        }
        for &[a, b] in self.links.iter().filter(|[a, b]| a != b) {
            hops[a * n + b] = Some(1);
            hops[b * n + a] = Some(1);
        }
        for middle in 0..n {
            for from in 0..n {
                for to in 0..n {
                    if let (Some(first), Some(second)) = (hops[from * n + middle], hops[middle * n + to])
                        && hops[from * n + to].is_none_or(|known| first + second < known)
                    {
                        hops[from * n + to] = Some(first + second);
                    }
                }
            }
        }
        hops
    }
}

/// A topology with only sockets `cpu0`, `cpu1`, ... and the links of a graph, all with the same parts.
pub fn spec_of(graph: &SocketGraph) -> TopologySpec {
    let parts = catalogue();
    let mut part = parts
        .socket("opteron-8356")
        .expect("a part of the catalogue")
        .clone();
    part.link_ports = 64;
    let memory = MemorySpec {
        part: parts.memory("ddr2-667").expect("a part of the catalogue").clone(),
        channels: 2,
        size: Bytes::new(1e9),
    };
    let link: &SocketLinkPart = parts.socket_link("ht1-x16").expect("a part of the catalogue");
    TopologySpec {
        name: format!("{} sockets", graph.sockets),
        sockets: (0..graph.sockets)
            .map(|index| SocketSpec {
                id: format!("cpu{index}"),
                nodes: None,
                part: part.clone(),
                memory: memory.clone(),
            })
            .collect(),
        links: (graph.links.iter())
            .map(|ends| LinkSpec {
                ends: ends.map(|end| format!("cpu{end}")),
                part: link.clone(),
                weight: 1.0,
            })
            .collect(),
        ..TopologySpec::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_their_links() {
        assert_eq!(SocketGraph::ladder(4).links, [[0, 1], [2, 3], [0, 2], [1, 3]]);
        assert_eq!(SocketGraph::ladder(8).links.len(), 4 + 6);
        assert_eq!(SocketGraph::full(4).links.len(), 6);
        let twisted = SocketGraph::twisted_ladder(8);
        for link in [[2, 4], [3, 5], [2, 5], [3, 4]] {
            assert!(twisted.links.contains(&link), "{link:?}");
        }
        assert_eq!(twisted.links.len(), 4 + 6);
        // Hops between all pairs of sockets: 112 on the ladder, whose ends are four apart.
        let sum = |graph: &SocketGraph| graph.distances().iter().flatten().sum::<usize>();
        assert_eq!((sum(&SocketGraph::ladder(8)), sum(&twisted)), (112, 100));
        assert_eq!(twisted.distances().iter().flatten().max(), Some(&3));
    }

    #[test]
    fn distances_by_hand() {
        let ladder = SocketGraph::ladder(8);
        let distances = ladder.distances();
        assert_eq!(distances[7], Some(4));
        assert_eq!(distances[6], Some(3));
        let apart = SocketGraph {
            sockets: 3,
            links: vec![[0, 1]],
        };
        assert_eq!(apart.distances()[2], None);
        assert_eq!(apart.distances()[1], Some(1));
    }
}
