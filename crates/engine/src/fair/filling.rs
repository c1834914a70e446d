//! Progressive filling: the exact weighted max-min allocation, for resources with equal costs.
//!
//! All rates rise together, in proportion to the weights, until a resource is full; the flows that use it
//! stop there, and the others continue to rise (Bertsekas and Gallager, *Data Networks*, 2nd edition,
//! §6.5.2). Resources are in a heap, by the level at which they would be full. That level can only rise when
//! flows stop elsewhere, so that a stale entry is corrected when it reaches the top.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::system::{Limit, System};

/// The share of its initial weight below which a resource's remaining weight is summed afresh, because
/// subtraction has eroded its digits.
const WORN: f64 = 1e-4;

/// A resource during filling.
#[derive(Clone, Copy, Debug, Default)]
struct Basin {
    /// Capacity that stopped flows do not use, units/s.
    free: f64,
    /// Use per unit of level by rising flows.
    rise: f64,
    /// `rise` when it was last summed afresh.
    first_rise: f64,
    /// The number of rising classes.
    rising: u32,
}

/// Memory that is reused between solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filling {
    basins: Vec<Basin>,
    stopped: Vec<bool>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
    last: Vec<u32>,
    capped: Vec<u32>,
}

impl Filling {
    /// Computes the levels of the system's set and the rates of its members.
    pub(crate) fn solve(&mut self, system: &mut System) {
        self.start(system);
        let mut water = 0.0_f64;
        while let Some(Reverse((expected, index))) = self.queue.pop() {
            if self.basins[index as usize].rising == 0 {
                continue;
            }
            let level = self.level(system, index).max(water);
            if level.to_bits() > expected
                && self
                    .queue
                    .peek()
                    .is_some_and(|Reverse((next, _))| level.to_bits() > *next)
            {
                self.queue.push(Reverse((level.to_bits(), index)));
                continue;
            }
            if self.stop_capped_flows(system, index, level) {
                if self.basins[index as usize].rising > 0 {
                    let raised = self.level(system, index).max(water);
                    self.queue.push(Reverse((raised.to_bits(), index)));
                }
                continue;
            }
            water = level;
            let last = std::mem::take(&mut self.last);
            for &class in &last {
                let rate = system.classes[class as usize].weight * level;
                system.trials[class as usize].rate = rate;
                system.trials[class as usize].limit = Limit::Resource(index);
                self.stop(system, class);
            }
            self.last = last;
            let cost = system.users_of(index).first().map_or(1.0, |user| user.cost);
            system.resources[index as usize].new_level = level * cost;
        }
    }

    fn start(&mut self, system: &mut System) {
        self.basins.resize(system.resources.len(), Basin::default());
        self.stopped.resize(system.classes.len(), true);
        for &index in &system.set {
            let resource = &mut system.resources[index as usize];
            resource.new_level = f64::INFINITY;
            self.basins[index as usize] = Basin {
                free: resource.capacity,
                ..Basin::default()
            };
        }
        for &member in &system.members {
            let class = &system.classes[member as usize];
            self.stopped[member as usize] = false;
            let rise = class.flows * class.weight;
            for leg in system.legs_of(member) {
                // Basins outside the set are updated too: they are not read, and a branch would cost more.
                let basin = &mut self.basins[leg.resource as usize];
                basin.rise += rise * leg.cost;
                basin.rising += 1;
            }
        }
        self.queue.clear();
        let mut entries = std::mem::take(&mut self.queue).into_vec();
        for &index in &system.set {
            let basin = &mut self.basins[index as usize];
            basin.first_rise = basin.rise;
            if basin.rising > 0 {
                entries.push(Reverse(((basin.free / basin.rise).to_bits(), index)));
            }
        }
        self.queue = BinaryHeap::from(entries);
    }

    /// The level at which a resource will be full, in the present state.
    fn level(&mut self, system: &System, index: u32) -> f64 {
        let basin = &mut self.basins[index as usize];
        if basin.rise < WORN * basin.first_rise {
            basin.rise = 0.0;
            for user in system.users_of(index) {
                if !self.stopped[user.class as usize] {
                    let class = &system.classes[user.class as usize];
                    basin.rise += class.flows * class.weight * user.cost;
                }
            }
            basin.first_rise = basin.rise;
        }
        basin.free.max(0.0) / basin.rise
    }

    /// Stops the flows of a resource whose ceiling is at or below the level; if there are none, leaves the
    /// rising flows in `last`.
    fn stop_capped_flows(&mut self, system: &mut System, index: u32, level: f64) -> bool {
        self.last.clear();
        self.capped.clear();
        for user in system.users_of(index) {
            let class = user.class as usize;
            if self.stopped[class] {
                continue;
            }
            let capped = system.trials[class].ceiling <= level * system.classes[class].weight;
            (if capped { &mut self.capped } else { &mut self.last }).push(user.class);
        }
        let capped = std::mem::take(&mut self.capped);
        for &class in &capped {
            system.trials[class as usize].stop_at_ceiling();
            self.stop(system, class);
        }
        self.capped = capped;
        !self.capped.is_empty()
    }

    /// Stops the flows of a class at the rate of its trial, on all its resources.
    fn stop(&mut self, system: &System, index: u32) {
        self.stopped[index as usize] = true;
        let rate = system.trials[index as usize].rate;
        let class = &system.classes[index as usize];
        let taken = class.flows * rate;
        let rise = class.flows * class.weight;
        for leg in system.legs_of(index) {
            let basin = &mut self.basins[leg.resource as usize];
            basin.free -= taken * leg.cost;
            basin.rise -= rise * leg.cost;
            basin.rising = basin.rising.wrapping_sub(1);
        }
    }
}
