//! Routes by enumeration of every shortest path. Takes exponential time on graphs with many ties.

use crate::SocketGraph;

/// Every shortest path between two sockets, all sockets listed, in no particular order.
pub fn shortest_paths(graph: &SocketGraph, from: usize, to: usize) -> Vec<Vec<usize>> {
    let distances = graph.distances();
    let n = graph.sockets;
    let mut unfinished = vec![vec![from]];
    let mut finished = Vec::new();
    while let Some(path) = unfinished.pop() {
        let last = path[path.len() - 1];
        if last == to {
            finished.push(path);
            continue;
        }
        for next in 0..n {
            let linked = distances[last * n + next] == Some(1);
            let nearer = distances[next * n + to].map(|hops| hops + 1) == distances[last * n + to];
            if linked && nearer && distances[next * n + to].is_some() {
                unfinished.push(path.iter().copied().chain([next]).collect());
            }
        }
    }
    finished
}

/// The path of every pair, at `from * sockets + to`, by the documented rule: closer pairs first; of all
/// shortest paths the one whose busiest directed link has the fewest routes so far (parallel links share
/// them), then the one whose links come first in the list.
pub fn routes_by_listing(graph: &SocketGraph) -> Vec<Vec<usize>> {
    let n = graph.sockets;
    let mut used = vec![0.0; n * n];
    let mut routes = vec![Vec::new(); n * n];
    let hops = graph.distances();
    for distance in 0..=n {
        for pair in (0..n * n).filter(|&pair| hops[pair] == Some(distance)) {
            let (from, to) = (pair / n, pair % n);
            let worst = |path: &Vec<usize>| {
                path.windows(2)
                    .map(|hop| used[hop[0] * n + hop[1]] / links_between(graph, hop).len() as f64)
                    .fold(0.0, f64::max)
            };
            let first_links = |path: &Vec<usize>| -> Vec<usize> {
                path.windows(2).map(|hop| links_between(graph, hop)[0]).collect()
            };
            let chosen = shortest_paths(graph, from, to)
                .into_iter()
                .min_by(|a, b| {
                    worst(a)
                        .total_cmp(&worst(b))
                        .then_with(|| first_links(a).cmp(&first_links(b)))
                })
                .unwrap_or_default();
            for hop in chosen.windows(2) {
                used[hop[0] * n + hop[1]] += 1.0;
            }
            routes[pair] = chosen;
        }
    }
    routes
}

/// The links of a hop, as ascending indices.
fn links_between(graph: &SocketGraph, hop: &[usize]) -> Vec<usize> {
    let joins = |link: &[usize; 2]| *link == [hop[0], hop[1]] || *link == [hop[1], hop[0]];
    (0..graph.links.len())
        .filter(|&link| joins(&graph.links[link]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_has_two_ways_across() {
        let square = SocketGraph {
            sockets: 4,
            links: vec![[0, 1], [0, 2], [1, 3], [2, 3]],
        };
        let mut ways = shortest_paths(&square, 0, 3);
        ways.sort();
        assert_eq!(ways, [[0, 1, 3], [0, 2, 3]]);
        let routes = routes_by_listing(&square);
        assert_eq!(routes[3], [0, 1, 3]);
        assert_eq!(routes[2 * 4 + 1], [2, 3, 1]);
        assert_eq!(routes[5], [1]);
    }
}
