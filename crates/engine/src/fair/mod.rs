//! Fair sharing of several resources at once, usable without an engine.
//!
//! The rule is *bottleneck max fairness*: an allocation is feasible, and every flow either runs at its cap or
//! has a bottleneck, a saturated resource on which no other flow has a larger share (cost × rate ÷ weight).
//! If all costs on a resource are equal, this is weighted max-min fairness, which is unique and found exactly
//! by progressive filling; otherwise see `balance.rs` and `path.rs`.
//!
//! ```
//! use bandgraph_engine::fair::{FairClass, Limit, solve};
//!
//! // Two links of 10 and 6; one flow crosses both, three more use the first, one more the second.
//! let across = FairClass { costs: vec![(0, 1.0), (1, 1.0)], weight: 1.0, cap: None, flows: 1.0 };
//! let first = FairClass { costs: vec![(0, 1.0)], weight: 1.0, cap: None, flows: 3.0 };
//! let second = FairClass { costs: vec![(1, 1.0)], weight: 1.0, cap: None, flows: 1.0 };
//! let allocation = solve(&[10.0, 6.0], &[across, first, second])?;
//! assert_eq!(allocation.rates, [2.5, 2.5, 3.5]);
//! assert_eq!(allocation.limits[0], Limit::Resource(0));
//! # Ok::<(), bandgraph_engine::SolveError>(())
//! ```

mod balance;
mod filling;
mod linear;
mod path;
mod present;
mod pull;
mod single;
pub(crate) mod system;

use crate::error::SolveError;
use system::System;

/// A class of identical flows, for a one-shot solve.
#[derive(Clone, Debug, PartialEq)]
pub struct FairClass {
    /// (position of a resource, units of it used per unit of work); costs on the same resource are summed,
    /// zeros dropped.
    pub costs: Vec<(usize, f64)>,
    /// Share relative to other flows, above zero; 1 is usual.
    pub weight: f64,
    /// Largest rate of one flow, units of work/s.
    pub cap: Option<f64>,
    /// Number of flows, not necessarily an integer; a class with 0 gets the rate that the levels permit,
    /// without using anything.
    pub flows: f64,
}

/// The limit of the flows of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A saturated resource, by its position.
    Resource(usize),
    /// The class's own rate cap.
    Cap,
    /// No limit: the class has no flows, no cap, and none of its resources is saturated.
    None,
}

/// Fair rates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allocation {
    /// Rate of one flow of each class, units of work/s. For a class without flows: the rate that the levels
    /// of its resources permit, infinite if none is saturated.
    pub rates: Vec<f64>,
    /// The limit of each class; one of them if there are several.
    pub limits: Vec<Limit>,
    /// Water level of each resource: the largest share (cost × rate ÷ weight) of a flow, in units/s; infinite
    /// if the resource is not saturated.
    pub levels: Vec<f64>,
    /// Use of each resource, units/s.
    pub usages: Vec<f64>,
}

/// A solver that reuses its memory, for thousands of solves.
#[derive(Clone, Debug, Default)]
pub struct FairSolver {
    system: System,
    allocation: Allocation,
}

impl FairSolver {
    /// An empty solver.
    pub fn new() -> Self {
        Self::default()
    }

    /// Computes the fair rates of `classes` on resources of the given capacities (units/s).
    ///
    /// # Errors
    /// Input out of range ([`SolveError::Resource`], [`SolveError::Class`]), or no solution that satisfies
    /// the definition.
    pub fn solve(&mut self, capacities: &[f64], classes: &[FairClass]) -> Result<&Allocation, SolveError> {
        self.load(capacities, classes)?;
        self.solve_loaded()
    }

    /// Loads a system without solving it. [`FairSolver::solve_loaded`] solves it, for separate timing.
    ///
    /// # Errors
    /// Input out of range.
    pub fn load(&mut self, capacities: &[f64], classes: &[FairClass]) -> Result<(), SolveError> {
        let system = &mut self.system;
        system.clear();
        let costs = classes.iter().map(|class| class.costs.len()).sum();
        system.reserve(capacities.len(), classes.len(), costs);
        for (resource, &capacity) in capacities.iter().enumerate() {
            system
                .add_resource(capacity)
                .map_err(|reason| SolveError::Resource { resource, reason })?;
        }
        for (index, class) in classes.iter().enumerate() {
            let refused = |reason| SolveError::Class { class: index, reason };
            if !(class.flows.is_finite() && class.flows >= 0.0) {
                return Err(refused(crate::BuildError::Flows(class.flows)));
            }
            let added = system
                .add_class(class.costs.iter().copied(), class.weight, class.cap)
                .map_err(refused)?;
            system.set_flows(added, class.flows);
        }
        Ok(())
    }

    /// Changes a class of the loaded system: its flows, its cap, and its costs on some of the resources that
    /// it was loaded with. This serves repeated solves of similar systems: nothing is rebuilt.
    ///
    /// # Errors
    /// Input out of range, an unknown class, or a cost on a resource that the class was loaded without.
    pub fn change(
        &mut self,
        class: usize,
        flows: f64,
        cap: Option<f64>,
        costs: &[(usize, f64)],
    ) -> Result<(), SolveError> {
        let refused = |reason| SolveError::Class { class, reason };
        if !(flows.is_finite() && flows >= 0.0) {
            return Err(refused(crate::BuildError::Flows(flows)));
        }
        self.system.recost(class, cap, costs).map_err(refused)?;
        self.system.set_flows(class as u32, flows);
        Ok(())
    }

    /// Solves the loaded system from scratch.
    ///
    /// # Errors
    /// No solution that satisfies the definition was found.
    pub fn solve_loaded(&mut self) -> Result<&Allocation, SolveError> {
        self.system.solve_all()?;
        self.read_out();
        Ok(&self.allocation)
    }

    /// Solves the system after [changes](FairSolver::change), from the previous levels: faster if the changes
    /// are small. With unequal costs there can be more than one fair allocation; this finds one close to the
    /// previous one.
    ///
    /// # Errors
    /// No solution that satisfies the definition was found.
    pub fn solve_again(&mut self) -> Result<&Allocation, SolveError> {
        self.system.solve_all_again()?;
        self.read_out();
        Ok(&self.allocation)
    }

    /// Number of solves so far that needed the slower path method because policy iteration did not converge:
    /// a diagnostic, 0 for most systems. All parts of a solve count.
    pub fn fallbacks(&self) -> u64 {
        self.system.fallbacks()
    }

    fn read_out(&mut self) {
        let (system, allocation) = (&self.system, &mut self.allocation);
        allocation.rates.clear();
        allocation.limits.clear();
        for (index, class) in system.classes.iter().enumerate() {
            let index = index as u32;
            let (rate, limit) = if class.flows > 0.0 {
                (system.rate(index), class.limit)
            } else {
                system.allowed_by_levels(index)
            };
            allocation.rates.push(rate);
            allocation.limits.push(match limit {
                system::Limit::Resource(resource) => Limit::Resource(resource as usize),
                system::Limit::Cap => Limit::Cap,
                system::Limit::None => Limit::None,
            });
        }
        allocation.levels.clear();
        allocation
            .levels
            .extend(system.resources.iter().map(|resource| resource.level));
        allocation.usages.clear();
        allocation
            .usages
            .extend(system.resources.iter().map(|resource| resource.usage));
    }
}

/// Computes the fair rates of `classes` on resources of the given capacities (units/s), once. See
/// [`FairSolver::solve`].
///
/// # Errors
/// As [`FairSolver::solve`].
pub fn solve(capacities: &[f64], classes: &[FairClass]) -> Result<Allocation, SolveError> {
    let mut solver = FairSolver::new();
    solver.solve(capacities, classes)?;
    Ok(solver.allocation)
}
