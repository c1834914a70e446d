//! Four sockets in a square, for tests: the routes of the 7410, and the bytes of messages on its links.

use std::collections::BTreeMap;

use bandgraph_hardware::hypertransport::{Message, Route};

/// A directed link between two sockets.
pub(crate) type Hop = (usize, usize);

/// Sockets with a fixed route between each pair.
pub(crate) struct Board {
    sockets: usize,
    routes: BTreeMap<Hop, Vec<Hop>>,
}

impl Board {
    /// The square 0-1, 0-2, 1-3, 2-3 of the 7410, with the routes between opposite corners all in one
    /// direction of rotation: each of the eight directed links is on one of them. They fit the published
    /// counters better than the other direction.
    pub(crate) fn square() -> Self {
        Self::new(
            4,
            &[(0, 1), (0, 2), (1, 3), (2, 3)],
            &[(0, 2, 3), (3, 1, 0), (1, 3, 2), (2, 0, 1)],
        )
    }

    /// A square with one diagonal, as in the SunBlade X6420 that McCalpin measured: 1 and 2 have direct links
    /// to all others.
    pub(crate) fn square_with_diagonal() -> Self {
        Self::new(
            4,
            &[(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)],
            &[(0, 1, 3), (3, 2, 0)],
        )
    }

    fn new(sockets: usize, links: &[Hop], two_hops: &[(usize, usize, usize)]) -> Self {
        let mut routes = BTreeMap::new();
        for &(a, b) in links {
            routes.insert((a, b), vec![(a, b)]);
            routes.insert((b, a), vec![(b, a)]);
        }
        for &(from, via, to) in two_hops {
            routes.insert((from, to), vec![(from, via), (via, to)]);
        }
        Self { sockets, routes }
    }

    pub(crate) fn sockets(&self) -> usize {
        self.sockets
    }

    /// The hops from one socket to another; none from a socket to itself.
    pub(crate) fn hops(&self, from: usize, to: usize) -> &[Hop] {
        self.routes.get(&(from, to)).map_or(&[], Vec::as_slice)
    }

    /// The hops that one message crosses, each once.
    pub(crate) fn crossings(&self, route: Route) -> Vec<Hop> {
        match route {
            Route::Unicast { from, to } => self.hops(from, to).to_vec(),
            Route::Broadcast { from } => {
                let mut edges: Vec<Hop> = (0..self.sockets)
                    .flat_map(|to| self.hops(from, to).to_vec())
                    .collect();
                edges.sort_unstable();
                edges.dedup();
                edges
            }
        }
    }

    /// The bytes of messages on each directed link.
    pub(crate) fn bytes(&self, messages: &[Message]) -> BTreeMap<Hop, f64> {
        let mut bytes = BTreeMap::new();
        for message in messages {
            for hop in self.crossings(message.route) {
                *bytes.entry(hop).or_insert(0.0) += message.bytes * message.share;
            }
        }
        bytes
    }
}

#[test]
fn routes_lead_where_they_should() {
    for board in [Board::square(), Board::square_with_diagonal()] {
        for from in 0..board.sockets() {
            for to in 0..board.sockets() {
                let mut at = from;
                for &(a, b) in board.hops(from, to) {
                    assert_eq!(a, at);
                    at = b;
                }
                assert_eq!(at, to);
            }
        }
    }
}
