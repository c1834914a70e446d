//! One resource alone, with all other levels fixed: by far the most frequent change, and exact for unequal
//! costs too.
//!
//! The level is the capacity over the sum of weights, unless flows have lower ceilings; those run at their
//! ceilings, and the others share the remainder.

use super::system::{Limit, System};

/// A class that rises with the level.
#[derive(Clone, Copy, Debug)]
struct Rising {
    class: u32,
    cost: f64,
    /// Use per unit of level.
    weight: f64,
    /// Level at which the class reaches its ceiling.
    ceiling: f64,
}

/// Memory that is reused between solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Single {
    rising: Vec<Rising>,
}

impl Single {
    /// Computes the level of the only resource of the set and the rates of its members.
    pub(crate) fn solve(&mut self, system: &mut System, resource: u32) {
        self.rising.clear();
        system.for_each_present_user(resource, |index, cost| {
            let class = &system.classes[index as usize];
            if class.member {
                self.rising.push(Rising {
                    class: index,
                    cost,
                    weight: class.flows * class.weight,
                    ceiling: system.trials[index as usize].ceiling * cost / class.weight,
                });
            }
        });
        let mut free = system.resources[resource as usize].capacity;
        // Every round except the last stops a class.
        let level = loop {
            if self.rising.is_empty() {
                break f64::INFINITY;
            }
            let level = free.max(0.0) / self.rising.iter().map(|rising| rising.weight).sum::<f64>();
            let before = self.rising.len();
            self.rising.retain(|rising| {
                let stops = rising.ceiling <= level;
                if stops {
                    free -= rising.ceiling * rising.weight;
                    system.trials[rising.class as usize].stop_at_ceiling();
                }
                !stops
            });
            if self.rising.len() == before {
                break level;
            }
        };
        system.resources[resource as usize].new_level = level;
        for rising in &self.rising {
            let weight = system.classes[rising.class as usize].weight;
            let trial = &mut system.trials[rising.class as usize];
            trial.rate = weight / rising.cost * level;
            trial.limit = Limit::Resource(resource);
        }
    }
}
