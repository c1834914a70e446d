//! The demand of a class whose free work moves between sockets.
//!
//! What its misses use of links and memory depends on where it is done: the demand is that of its work as
//! dealt, plus on each socket the use by what it does there beyond its assigned share.

use bandgraph_model::{Bound, Class, SocketLoad};

/// Units that stand for a use that work may bring which moves.
const NEXT_TO_NOTHING: f64 = 1e-9;

/// What the free work of a class uses of links and memory, by socket, without and with what is done after
/// the reply.
fn free_loads<'b>(bound: &'b Bound, class: &'b Class) -> impl Iterator<Item = (usize, &'b SocketLoad)> {
    let background = class
        .background
        .map(|background| &bound.background[background].free);
    let parts = [Some(&*class.free), background].into_iter().flatten();
    parts.flat_map(|free| free.on.iter().enumerate())
}

/// Adds the resources to a demand that free work may use.
pub(crate) fn add_places(bound: &Bound, class: &Class, demand: &mut Vec<(usize, f64)>) {
    for (_, load) in free_loads(bound, class) {
        let mut at = 0;
        for &(resource, _) in &load.line.demand {
            at = position_from(at, demand, resource);
            if demand.get(at).is_none_or(|&(other, _)| other != resource) {
                demand.insert(at, (resource, NEXT_TO_NOTHING));
            }
        }
    }
}

/// The position of a resource in a demand, which is not before this one.
fn position_from(position: usize, demand: &[(usize, f64)], resource: usize) -> usize {
    let before = demand[position..].iter();
    position + before.take_while(|&&(other, _)| other < resource).count()
}

/// The demand of a class that changes where its free work moves.
#[derive(Default)]
pub(crate) struct MovingDemand {
    /// As its work is dealt.
    dealt: Vec<f64>,
    /// By socket, what all of its free work would use there, by position.
    on_socket: Vec<Vec<(usize, f64)>>,
    /// With work where it is now.
    pub(crate) demand: Vec<(usize, f64)>,
}

impl MovingDemand {
    /// `dealt` has all [places](add_places) that free work may use.
    pub(crate) fn new(bound: &Bound, class: &Class, dealt: &[(usize, f64)]) -> Self {
        let mut on_socket = vec![Vec::new(); bound.sockets.len()];
        for (socket, load) in free_loads(bound, class) {
            let mut at = 0;
            on_socket[socket].reserve(load.line.demand.len());
            on_socket[socket].extend(load.demand().map(|(resource, units)| {
                at = position_from(at, dealt, resource);
                (at, units)
            }));
        }
        Self {
            dealt: dealt.iter().map(|&(_, units)| units).collect(),
            on_socket,
            demand: dealt.to_vec(),
        }
    }

    /// Sets the share of the free work that each socket has in excess of its assigned share.
    pub(crate) fn shift(&mut self, more: impl Fn(usize) -> f64) {
        for ((_, units), dealt) in self.demand.iter_mut().zip(&self.dealt) {
            *units = *dealt;
        }
        for (socket, on_socket) in self.on_socket.iter().enumerate() {
            let more = more(socket);
            for &(position, units) in on_socket {
                self.demand[position].1 += more * units;
            }
        }
        for (_, units) in &mut self.demand {
            *units = units.max(NEXT_TO_NOTHING);
        }
    }

    /// By socket, the demand with all of the free work there, which is assigned in these shares.
    pub(crate) fn on_one_socket(&mut self, shares: &[f64]) -> impl Iterator<Item = Vec<(usize, f64)>> {
        (0..shares.len()).map(|socket| {
            self.shift(|other| if other == socket { 1.0 } else { 0.0 } - shares[other]);
            self.demand.clone()
        })
    }
}
