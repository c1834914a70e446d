//! The time in flight of each kind of operation of a closed loop that mixes several.
//!
//! The fixed point has the mean time of a thread's operations, and what holds each kind back. A kind that no
//! full resource holds back meets others of its sort at resources with room: those at the full resource use
//! theirs slowly and steadily, and give way. With the rest of a resource for it, its threads are a network in
//! product form (see [`meetings`](crate::meetings)), in which they are away for as long as the mean says.
//! Kinds at the full resource have what is left of the mean.

use crate::meetings::{QUITE_FULL, meeting, slowdown};

/// A kind of operation of a closed loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// Its share of the operations.
    pub(crate) share: f64,
    /// Seconds in flight at the fixed point, and those of a lone operation.
    pub(crate) seconds: f64,
    pub(crate) lone: f64,
    /// Seconds that it takes longer where it meets others.
    pub(crate) met: f64,
    /// Whether a full resource holds it back.
    pub(crate) is_held: bool,
}

impl Kind {
    /// Seconds in flight beyond those of a lone operation.
    pub(crate) fn beyond(&self) -> f64 {
        (self.seconds - self.lone).max(0.0)
    }
}

/// A resource where operations of a kind meet others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Seconds that one of them has it for itself.
    pub(crate) seconds: f64,
    /// The share of it that the kind uses, that all use, and that kinds at full resources do.
    pub(crate) own: f64,
    pub(crate) all: f64,
    pub(crate) held: f64,
}

impl Place {
    /// The number of operations that saturate what is left of it.
    fn servers(&self, lone: f64) -> f64 {
        (1.0 - self.held) * lone / self.seconds
    }

    /// The relative delay in an open loop, to find the place that matters.
    fn rough(&self, lone: f64) -> f64 {
        let servers = self.servers(lone);
        meeting((self.all - self.held) / (1.0 - self.held), servers) + (1.0 / servers - 1.0).max(0.0)
    }
}

/// Seconds that an operation of `lone` seconds takes longer at one of some places, where that is most: each
/// of `threads` threads has one every `cycle` seconds. A full resource is shared fairly, and holds those back
/// that would use more than others; so no place makes an operation wait for more than one of each thread.
pub(crate) fn met(places: impl Iterator<Item = Place>, lone: f64, cycle: f64, threads: f64) -> f64 {
    let with_room = places.filter(|place| place.all < QUITE_FULL && place.own > 0.0);
    let Some(place) = with_room.max_by(|a, b| a.rough(lone).total_cmp(&b.rough(lone))) else {
        return 0.0;
    };
    let servers = place.servers(lone);
    let alone = lone * (1.0 / servers).max(1.0);
    let fair = (threads * place.seconds).max(lone);
    let threads = threads * ((place.all - place.held) / place.own).max(1.0);
    (alone * slowdown(threads, (cycle / alone - 1.0).max(0.0), servers)).min(fair) - lone
}

/// Seconds in flight of each kind, with the same mean as before.
pub(crate) fn seconds_by_kind(kinds: &[Kind]) -> impl Iterator<Item = f64> + '_ {
    let sum = |of: &dyn Fn(&Kind) -> f64| kinds.iter().map(|kind| kind.share * of(kind)).sum::<f64>();
    let all = sum(&Kind::beyond);
    let held = sum(&|kind| if kind.is_held { kind.beyond() } else { 0.0 });
    let met = sum(&|kind| if kind.is_held { 0.0 } else { kind.met });
    // Without a kind to take the rest, and where there is no more, all of it is divided as they meet.
    let is_divided = held <= 0.0 || met > all;
    let factor = if is_divided { all / met } else { 1.0 };
    kinds.iter().map(move |kind| match kind.is_held {
        _ if met <= 0.0 => kind.seconds,
        false => kind.lone + factor * kind.met,
        true if is_divided => kind.lone,
        true => kind.lone + kind.beyond() * (all - met) / held,
    })
}
