//! Data that move while devices serve.
//!
//! What an operation reads from devices, or writes to them, crosses links, slots and memory in small pieces
//! while its devices serve it: it takes as long as the slower of both. A part of its flow is therefore
//! started with its waits for devices. It is as large as lets a lone operation take the longer of its waits
//! with the rest of its work, and of the transfer over its slowest link. The rest of the flow follows when
//! both are done.

use std::collections::BTreeSet;

use bandgraph_model::Bound;

/// Marks the flow of such a part in the tag of a driver, whose numbers are smaller.
const BESIDE: u64 = 1 << 47;

/// The parts of operations that move beside their waits for devices.
pub(super) struct Beside {
    /// By class: this part of its flow.
    shares: Vec<f64>,
    /// The operations, by class and tag, of which either the part or the waits are over.
    half_done: BTreeSet<(usize, u64)>,
    /// Operations of which neither is over.
    pub(super) running: u64,
}

impl Beside {
    /// The parts for these durations of the rest of an operation, by class: its work, and its transfer over a
    /// network.
    pub(super) fn new(bound: &Bound, capacities: &[f64], rests: impl Iterator<Item = f64>) -> Self {
        let shares = bound.classes.iter().zip(rests).map(|(class, rest)| {
            let crossed = class.moving_demand();
            let crossed = crossed.filter(|&(resource, _)| !bound.is_client(resource));
            let longest = crossed.map(|(resource, units)| units / capacities[resource]);
            let longest = longest.fold(0.0, f64::max);
            let hidden = (longest - rest).min(class.device_wait);
            if hidden > 0.0 && !class.device_waits.is_empty() {
                hidden / longest
            } else {
                0.0
            }
        });
        Self {
            shares: shares.collect(),
            half_done: BTreeSet::new(),
            running: 0,
        }
    }

    /// The part of the flow of a class that moves beside its waits for devices.
    pub(super) fn share(&self, class: usize) -> f64 {
        self.shares[class]
    }

    /// Starts a part; the tag of its flow.
    pub(super) fn start(&mut self, tag: u64) -> u64 {
        self.running += 1;
        tag | BESIDE
    }

    /// Ends the part of an operation, or its waits; whether the other one was over.
    pub(super) fn end(&mut self, class: usize, tag: u64) -> bool {
        let is_last = self.half_done.remove(&(class, tag));
        if !is_last {
            self.half_done.insert((class, tag));
            self.running -= 1;
        }
        is_last
    }

    /// Whether an operation no longer waits for devices while its part still moves.
    pub(super) fn is_left(&self, class: usize, tag: u64) -> bool {
        self.half_done.contains(&(class, tag))
    }
}

/// The tag of the operation whose part a flow is; `None` for other flows.
pub(super) fn operation_of(tag: u64) -> Option<u64> {
    (tag & BESIDE != 0).then_some(tag & !BESIDE)
}
