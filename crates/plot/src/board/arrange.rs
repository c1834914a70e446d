//! Positions of sockets in a grid of one or two rows, such that linked ones are close.

use super::Link;

/// The maximum number of sockets for an exhaustive search; above that, a heuristic is used.
const EXACT: usize = 8;

/// A grid and the position of each socket in it, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) columns: usize,
    /// Row and column of each socket.
    pub(super) places: Vec<(usize, usize)>,
}

/// A grid for a number of sockets with links. Of equally good grids, the one with the sockets in file order.
pub(super) fn grid(count: usize, links: &[[usize; 2]]) -> Grid {
    let columns = if count <= 2 { count } else { count.div_ceil(2) };
    let order = if count <= EXACT {
        best(count, columns, links)
    } else {
        good(count, columns, links)
    };
    let mut places = vec![(0, 0); count];
    for (place, &socket) in order.iter().enumerate() {
        places[socket] = (place / columns, place % columns);
    }
    Grid { columns, places }
}

/// The shape of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A horizontal line.
    Level,
    /// A vertical line.
    Upright,
    /// Through the space between the rows.
    Around,
}

pub(super) fn way(grid: &Grid, link: &Link) -> Way {
    let [a, b] = link.ends.map(|socket| grid.places[socket]);
    match (a.0.abs_diff(b.0), a.1.abs_diff(b.1)) {
        (0, 1) => Way::Level,
        (1, 0) => Way::Upright,
        _ => Way::Around,
    }
}

/// The distance between two positions: neighbours have a straight line, others a detour.
fn distance(columns: usize, a: usize, b: usize) -> usize {
    let rows = (a / columns).abs_diff(b / columns);
    let across = (a % columns).abs_diff(b % columns);
    if rows + across == 1 { 1 } else { 2 + rows + across }
}

/// The cost of an order of sockets.
fn cost(order: &[usize], columns: usize, links: &[[usize; 2]]) -> usize {
    let mut place = vec![0; order.len()];
    for (at, &socket) in order.iter().enumerate() {
        place[socket] = at;
    }
    let of_link = |[a, b]: &[usize; 2]| distance(columns, place[*a], place[*b]);
    links.iter().map(of_link).sum()
}

/// The first of the best orders, by branch and bound.
fn best(count: usize, columns: usize, links: &[[usize; 2]]) -> Vec<usize> {
    struct Search<'l> {
        columns: usize,
        links: &'l [[usize; 2]],
        order: Vec<usize>,
        /// The position of each placed socket.
        place: Vec<Option<usize>>,
        best: Option<(usize, Vec<usize>)>,
    }
    impl Search<'_> {
        fn extend(&mut self, so_far: usize) {
            if self.best.as_ref().is_some_and(|(cost, _)| so_far >= *cost) {
                return;
            }
            let at = self.order.len();
            if at == self.place.len() {
                self.best = Some((so_far, self.order.clone()));
                return;
            }
            for socket in 0..self.place.len() {
                if self.place[socket].is_some() {
                    continue;
                }
                let others = self
                    .links
                    .iter()
                    .filter_map(|&[a, b]| match (a == socket, b == socket) {
                        (true, false) => self.place[b],
                        (false, true) => self.place[a],
                        _ => None,
                    });
                let more: usize = others.map(|other| distance(self.columns, at, other)).sum();
                self.place[socket] = Some(at);
                self.order.push(socket);
                self.extend(so_far + more);
                self.order.pop();
                self.place[socket] = None;
            }
        }
    }
    let mut search = Search {
        columns,
        links,
        order: Vec::new(),
        place: vec![None; count],
        best: None,
    };
    search.extend(0);
    search
        .best
        .map_or_else(|| (0..count).collect(), |(_, order)| order)
}

/// Exchanges pairs of sockets, starting from the file order, as long as that reduces the cost.
fn good(count: usize, columns: usize, links: &[[usize; 2]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut least = cost(&order, columns, links);
    let mut improved = true;
    while improved {
        improved = false;
        for a in 0..count {
            for b in a + 1..count {
                order.swap(a, b);
                let swapped = cost(&order, columns, links);
                if swapped < least {
                    least = swapped;
                    improved = true;
                } else {
                    order.swap(a, b);
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_a_square_and_a_ladder_lies_on_its_side() {
        let square = grid(4, &[[0, 1], [0, 2], [1, 3], [2, 3]]);
        assert_eq!(square.places, [(0, 0), (0, 1), (1, 0), (1, 1)]);
        let rungs = [[0, 1], [2, 3], [4, 5], [6, 7]];
        let sides = [[0, 2], [2, 4], [4, 6], [1, 3], [3, 5], [5, 7]];
        let ladder = grid(8, &[rungs.as_slice(), &sides].concat());
        assert_eq!(ladder.columns, 4);
        for (socket, place) in ladder.places.iter().enumerate() {
            assert_eq!(*place, (socket % 2, socket / 2));
        }
    }

    #[test]
    fn one_socket_and_two_are_a_row() {
        assert_eq!(grid(1, &[]).places, [(0, 0)]);
        assert_eq!(grid(2, &[[1, 0]]).places, [(0, 0), (0, 1)]);
    }

    /// With more sockets than the exhaustive search supports, every socket still has its own position.
    #[test]
    fn many_sockets_have_places_of_their_own() {
        let ring: Vec<[usize; 2]> = (0..20).map(|socket| [socket, (socket + 1) % 20]).collect();
        let mut places = grid(20, &ring).places;
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 20);
    }
}
