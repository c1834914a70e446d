//! Routes between sockets, and broadcast trees.
//!
//! The documentation of the crate has the rule. Ties are broken without enumeration of paths, whose number
//! may be exponential. For one destination, the minimal load of the busiest link on a path from each socket
//! follows from that of its neighbours closer to the destination (a minimum of maxima). A walk from the
//! source then finds the first path in file order with that load.

use std::collections::VecDeque;

/// The links between sockets, and the paths of the routes. Sockets are indices.
pub(crate) struct Paths {
    sockets: usize,
    /// All sockets of the route from `a` to `b`, including both, at `a * sockets + b`.
    paths: Vec<Vec<usize>>,
}

/// The adjacency of sockets.
struct Neighbours {
    /// Neighbours of each socket, in the order of the first link to each.
    of: Vec<Vec<usize>>,
    /// Links from `a` to `b`, at `a * sockets + b`.
    parallel: Vec<u32>,
}

impl Neighbours {
    fn new(sockets: usize, links: &[[usize; 2]]) -> Self {
        let mut neighbours = Self {
            of: vec![Vec::new(); sockets],
            parallel: vec![0; sockets * sockets],
        };
        for &[a, b] in links {
            for (from, to) in [(a, b), (b, a)] {
                if !neighbours.of[from].contains(&to) {
                    neighbours.of[from].push(to);
                }
                neighbours.parallel[from * sockets + to] += 1;
            }
        }
        neighbours
    }

    /// The distance from every socket to `to` in hops, and the sockets in order of distance.
    fn distances(&self, to: usize) -> (Vec<usize>, Vec<usize>) {
        let mut hops = vec![usize::MAX; self.of.len()];
        let mut order = Vec::with_capacity(self.of.len());
        let mut queue = VecDeque::from([to]);
        hops[to] = 0;
        while let Some(socket) = queue.pop_front() {
            order.push(socket);
            for &next in &self.of[socket] {
                if hops[next] == usize::MAX {
                    hops[next] = hops[socket] + 1;
                    queue.push_back(next);
                }
            }
        }
        (hops, order)
    }
}

impl Paths {
    /// The paths of all pairs. `given` paths are used unchanged; the graph must be connected.
    pub(crate) fn find(sockets: usize, links: &[[usize; 2]], given: &[Vec<usize>]) -> Self {
        let neighbours = Neighbours::new(sockets, links);
        let mut found = Self {
            sockets,
            paths: vec![Vec::new(); sockets * sockets],
        };
        let mut routes_on = vec![0_u32; sockets * sockets];
        for path in given {
            count(path, &mut routes_on, sockets);
            found.paths[path[0] * sockets + path[path.len() - 1]].clone_from(path);
        }
        let distances: Vec<_> = (0..sockets).map(|to| neighbours.distances(to)).collect();
        // Shorter routes first: neighbours have no choice, and longer ones go around their load.
        let pairs = (0..sockets).flat_map(|from| (0..sockets).map(move |to| (from, to)));
        let mut pairs: Vec<(usize, usize)> = pairs.collect();
        pairs.sort_by_key(|&(from, to)| distances[to].0[from]);
        for (from, to) in pairs {
            if found.paths[from * sockets + to].is_empty() {
                let load = |a: usize, b: usize| {
                    let hop = a * sockets + b;
                    f64::from(routes_on[hop]) / f64::from(neighbours.parallel[hop])
                };
                let (hops, order) = &distances[to];
                let path = least_loaded(from, to, hops, order, &neighbours.of, load);
                count(&path, &mut routes_on, sockets);
                found.paths[from * sockets + to] = path;
            }
        }
        found
    }

    /// All sockets of the route, including its ends; one socket if they are the same.
    pub(crate) fn path(&self, from: usize, to: usize) -> &[usize] {
        &self.paths[from * self.sockets + to]
    }

    /// The hops of a broadcast from a socket: every other socket is reached once, by the last hop of its
    /// route. Closer sockets come first.
    ///
    /// If routes are consistent with each other, as shortest paths and all sensible tables are, the tree is
    /// the union of the routes. If given routes reach a socket by two ways, the shorter route decides.
    pub(crate) fn tree(&self, from: usize) -> Vec<[usize; 2]> {
        let mut order: Vec<usize> = (0..self.sockets).collect();
        order.sort_by_key(|&to| self.path(from, to).len());
        let mut reached = vec![false; self.sockets];
        reached[from] = true;
        let mut edges = Vec::with_capacity(self.sockets - 1);
        for to in order {
            for hop in self.path(from, to).windows(2) {
                if !reached[hop[1]] {
                    reached[hop[1]] = true;
                    edges.push([hop[0], hop[1]]);
                }
            }
        }
        edges
    }
}

/// Adds a path to the count of routes on each hop.
fn count(path: &[usize], routes_on: &mut [u32], sockets: usize) {
    for hop in path.windows(2) {
        routes_on[hop[0] * sockets + hop[1]] += 1;
    }
}

/// The shortest path with the least load on its busiest hop; of equal paths the first in file order.
fn least_loaded(
    from: usize,
    to: usize,
    hops: &[usize],
    order: &[usize],
    neighbours: &[Vec<usize>],
    load: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let nearer = |socket: usize| {
        neighbours[socket]
            .iter()
            .copied()
            .filter(move |&next| hops[next].checked_add(1) == Some(hops[socket]))
    };
    let mut best = vec![f64::INFINITY; hops.len()];
    best[to] = 0.0;
    for &socket in order.iter().skip(1) {
        best[socket] = nearer(socket)
            .map(|next| load(socket, next).max(best[next]))
            .fold(f64::INFINITY, f64::min);
    }
    let mut path = vec![from];
    let mut socket = from;
    while socket != to {
        socket = nearer(socket)
            .find(|&next| load(socket, next).max(best[next]) <= best[from])
            .expect("a socket other than the destination has a neighbour nearer to it, and one is the best");
        path.push(socket);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[usize; 2]; 4] = [[0, 1], [0, 2], [1, 3], [2, 3]];

    #[test]
    fn square_by_hand() {
        let paths = Paths::find(4, &SQUARE, &[]);
        // 0 to 3: every link has the route between its ends; the link 0-1 comes first.
        assert_eq!(paths.path(0, 3), [0, 1, 3]);
        // 1 to 2: 1-3 has the route 0 to 3 as well.
        assert_eq!(paths.path(1, 2), [1, 0, 2]);
        // 2 to 1: 0-1 has the route 0 to 3 as well.
        assert_eq!(paths.path(2, 1), [2, 3, 1]);
        // 3 to 0: 3-1 has the route 2 to 1 as well.
        assert_eq!(paths.path(3, 0), [3, 2, 0]);
        assert_eq!(paths.path(2, 2), [2]);
        assert_eq!(paths.tree(0), [[0, 1], [0, 2], [1, 3]]);
        assert_eq!(paths.tree(3), [[3, 1], [3, 2], [2, 0]]);
    }

    /// In any order of the links of a square, each carries two routes in each direction.
    #[test]
    fn links_of_a_square_share_the_routes_evenly_in_any_order() {
        for order in 0..24_usize {
            let mut rest = SQUARE.to_vec();
            let places = [order % 4, order / 4 % 3, order / 12, 0];
            let links: Vec<[usize; 2]> = places.iter().map(|&place| rest.remove(place)).collect();
            let paths = Paths::find(4, &links, &[]);
            let mut routes_on = vec![0; 16];
            for path in &paths.paths {
                count(path, &mut routes_on, 4);
            }
            for [a, b] in SQUARE {
                assert_eq!([routes_on[a * 4 + b], routes_on[b * 4 + a]], [2, 2], "{links:?}");
            }
        }
    }

    #[test]
    fn given_routes_win_and_count() {
        let given = [vec![0, 2, 3], vec![3, 1, 0], vec![1, 3, 2], vec![2, 0, 1]];
        let paths = Paths::find(4, &SQUARE, &given);
        for path in given {
            assert_eq!(paths.path(path[0], path[2]), path);
        }
        assert_eq!(paths.tree(0), [[0, 1], [0, 2], [2, 3]]);
        // One given route changes the ties of the others: 0-2 has two routes now, and 1-3 none.
        let paths = Paths::find(4, &SQUARE, &[vec![0, 2, 3]]);
        assert_eq!(paths.path(1, 2), [1, 3, 2]);
        assert_eq!(paths.path(0, 1), [0, 1]);
    }

    #[test]
    fn routes_that_disagree_still_make_a_tree() {
        // 0 to 1 by the longer path, and 0 to 3 through 1.
        let paths = Paths::find(4, &SQUARE, &[vec![0, 2, 3, 1], vec![0, 1, 3]]);
        assert_eq!(paths.tree(0), [[0, 2], [0, 1], [1, 3]]);
    }

    #[test]
    fn parallel_links_take_more_routes() {
        // A square whose second path from 0 to 3 has two links on both hops: 0-2 and 2-3 carry half of the
        // counted routes.
        let links = [[0, 1], [0, 2], [0, 2], [1, 3], [2, 3], [2, 3]];
        let paths = Paths::find(4, &links, &[]);
        assert_eq!(paths.path(0, 3), [0, 2, 3]);
    }

    #[test]
    fn ties_do_not_take_exponential_time() {
        // Layers of three sockets, all linked to the next layer: 3^20 shortest paths between the ends.
        let mut links = Vec::new();
        for layer in 0..20 {
            for a in 0..3 {
                for b in 0..3 {
                    links.push([layer * 3 + a, layer * 3 + 3 + b]);
                }
            }
        }
        let paths = Paths::find(63, &links, &[]);
        assert_eq!(paths.path(0, 60).len(), 21);
        assert_eq!(paths.tree(31).len(), 62);
    }

    #[test]
    fn one_socket_goes_nowhere() {
        let paths = Paths::find(1, &[], &[]);
        assert_eq!(paths.path(0, 0), [0]);
        assert!(paths.tree(0).is_empty());
    }
}
