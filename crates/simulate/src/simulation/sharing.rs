//! Which classes of operations the engine need not tell apart.
//!
//! A client NIC with a single thread behind it never carries more than one operation at a time. Nothing is
//! shared there: the NIC is a limit on the rate of that operation, like the core that it runs on, and the
//! engine is told so. Classes that differ in nothing else are one class of the engine then: with many
//! clients, a system a tenth the size, and the same answer.

use bandgraph_model::{Bound, Class, ThreadGroup};
use bandgraph_solve::kept;

/// How the classes of a scenario are known to the engine.
pub(super) struct Sharing {
    /// By resource: whether the engine has it. Left out is what can never hold a class back, and what carries
    /// a single operation at a time.
    in_engine: Vec<bool>,
    /// By class: the operations per second that such resources let through alone, infinite where there are
    /// none.
    pub(super) alone_rates: Vec<f64>,
    /// By class: the number of its class in the engine.
    pub(super) engine_class: Vec<usize>,
    /// By class of the engine: the first of those that it stands for.
    pub(super) stands: Vec<usize>,
}

impl Sharing {
    /// Finds what can be told as one.
    pub(super) fn new(bound: &Bound, capacities: &[f64]) -> Self {
        let alone = alone(bound);
        let keep = kept(bound, capacities);
        let in_engine: Vec<bool> = keep
            .iter()
            .zip(&alone)
            .map(|(keep, alone)| *keep && !alone)
            .collect();
        // The load on what misses wait for is read from classes that are told as one, too.
        let waited_for = bound.fabric.resources();
        let told = |resource: usize| in_engine[resource] || waited_for.binary_search(&resource).is_ok();
        let alone_rate = |class: &Class| {
            let own = class.demand.iter().filter(|&&(resource, _)| alone[resource]);
            own.map(|&(resource, units)| capacities[resource] / units)
                .fold(f64::INFINITY, f64::min)
        };
        let alone_rates: Vec<f64> = bound.classes.iter().map(alone_rate).collect();
        let mut stands: Vec<usize> = Vec::new();
        let engine_class = (0..bound.classes.len()).map(|index| {
            let same = |&other: &usize| {
                let (one, other_class) = (&bound.classes[index], &bound.classes[other]);
                let shared = |class: &Class| -> Vec<(usize, f64)> {
                    let demand = class.moving_demand();
                    demand.filter(|&(resource, _)| told(resource)).collect()
                };
                alone_rates[index] == alone_rates[other]
                    && one.waited_work() == other_class.waited_work()
                    && one.port_core == other_class.port_core
                    && one.bound_work == other_class.bound_work
                    && shared(one) == shared(other_class)
            };
            let known = if alone_rates[index] < f64::INFINITY {
                stands.iter().position(same)
            } else {
                None
            };
            known.unwrap_or_else(|| {
                stands.push(index);
                stands.len() - 1
            })
        });
        Self {
            engine_class: engine_class.collect(),
            alone_rates,
            stands,
            in_engine,
        }
    }

    /// Tells all classes apart, and leaves no resource out.
    #[cfg(test)]
    pub(super) fn none(bound: &Bound) -> Self {
        Self {
            in_engine: vec![true; bound.resources.len()],
            alone_rates: vec![f64::INFINITY; bound.classes.len()],
            engine_class: (0..bound.classes.len()).collect(),
            stands: (0..bound.classes.len()).collect(),
        }
    }

    /// Has no operation run faster than its client's NIC alone would let it. That changes no answer, but
    /// while a NIC carries one operation, as most of those of a trace are most of the time, the engine need
    /// not solve for it.
    pub(super) fn cap_by_clients(&mut self, bound: &Bound, capacities: &[f64]) {
        for (rate, class) in self.alone_rates.iter_mut().zip(&bound.classes) {
            let of_client = class
                .demand
                .iter()
                .filter(|&&(resource, _)| bound.is_client(resource));
            *rate = of_client
                .map(|&(resource, units)| capacities[resource] / units)
                .fold(*rate, f64::min);
        }
    }

    /// Whether the engine has a resource.
    pub(super) fn is_in_engine(&self, resource: usize) -> bool {
        self.in_engine[resource]
    }
}

/// By resource: whether it is a client's, and only one thread uses it.
fn alone(bound: &Bound) -> Vec<bool> {
    let mut threads = vec![0_u32; bound.resources.len()];
    let of_group = |group: &ThreadGroup| -> Vec<usize> {
        let classes = group.visits.iter().map(|&(class, _)| &bound.classes[class]);
        let mut used: Vec<usize> = classes
            .flat_map(|class| class.demand.iter().map(|&(resource, _)| resource))
            .filter(|&resource| bound.is_client(resource))
            .collect();
        used.sort_unstable();
        used.dedup();
        used
    };
    for group in &bound.threads {
        // Whatever is no single thread counts as many.
        let many = if group.threads == 1 { 1 } else { 2 };
        for resource in of_group(group) {
            threads[resource] += many;
        }
    }
    threads.into_iter().map(|threads| threads == 1).collect()
}
