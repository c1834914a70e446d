//! Data that move while devices serve.
//!
//! What an operation reads from devices, or writes to them, crosses links, slots and memory in small pieces
//! while its devices serve it: it takes as long as the slower of both. A part of its flow is therefore
//! started with its waits for devices. It is sized so that a lone operation takes the longer of two times:
//! its waits with the rest of its work, and the transfer over its slowest link. The rest of the flow follows
//! when both are done.

use std::collections::BTreeMap;

use bandgraph_model::{Bound, Class};

/// Marks the flow of such a part in the tag of an operation, whose numbers are smaller.
const BESIDE: u64 = 1 << 46;
/// The largest part: the rest of a flow has some work.
const LARGEST: f64 = 1.0 - 1e-9;

/// The parts of operations that move beside their waits for devices.
pub(super) struct Beside {
    /// By class: this part of its flow.
    shares: Vec<f64>,
    /// The operations, by class and tag, of which either the part or the waits are over, and which of both.
    half_done: BTreeMap<(usize, u64), Half>,
    /// Operations of which neither is over.
    pub(super) running: u64,
}

/// The half of an operation that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// The part that moves beside its waits.
    Part,
    /// Its waits for devices.
    Waits,
}

impl Beside {
    /// The parts of all classes; `rest` is the duration of the rest of a lone operation of a class: its work,
    /// and its transfer over a network.
    pub(super) fn new(bound: &Bound, capacities: &[f64], rest: impl Fn(usize) -> f64) -> Self {
        let share = |(index, class): (usize, &Class)| {
            if class.device_waits.is_empty() {
                return 0.0;
            }
            let crossed = class.moving_demand();
            let crossed = crossed.filter(|&(resource, _)| !bound.is_client(resource));
            let longest = crossed.map(|(resource, units)| units / capacities[resource]);
            let longest = longest.fold(0.0, f64::max);
            let hidden = (longest - rest(index)).min(class.device_wait);
            if hidden > 0.0 {
                (hidden / longest).min(LARGEST)
            } else {
                0.0
            }
        };
        Self {
            shares: bound.classes.iter().enumerate().map(share).collect(),
            half_done: BTreeMap::new(),
            running: 0,
        }
    }

    /// The part of the flow of a class that moves beside its waits for devices.
    pub(super) fn share(&self, class: usize) -> f64 {
        self.shares[class]
    }

    /// Starts a part; the tag of its flow.
    pub(super) fn start(&mut self, tag: u64) -> u64 {
        assert!(tag < BESIDE, "operations are numbered below 2^46");
        self.running += 1;
        tag | BESIDE
    }

    /// Ends the part of an operation, or its waits; whether the other one was over, or there is no part.
    pub(super) fn end(&mut self, class: usize, tag: u64, half: Half) -> bool {
        if self.share(class) == 0.0 {
            return true;
        }
        let is_last = self.half_done.remove(&(class, tag)).is_some();
        if !is_last {
            self.half_done.insert((class, tag), half);
            self.running -= 1;
        }
        is_last
    }

    /// Whether an operation no longer waits for devices while its part still moves.
    pub(super) fn is_left(&self, class: usize, tag: u64) -> bool {
        self.half_done.get(&(class, tag)) == Some(&Half::Waits)
    }

    /// The operations, by class and tag, that still wait for devices after their part has moved.
    pub(super) fn moved(&self) -> impl Iterator<Item = (usize, u64)> {
        let moved = self.half_done.iter().filter(|(_, half)| **half == Half::Part);
        moved.map(|(&operation, _)| operation)
    }
}

/// The tag of the operation whose part a flow is; `None` for other flows.
pub(super) fn operation_of(tag: u64) -> Option<u64> {
    (tag & BESIDE != 0).then_some(tag & !BESIDE)
}
