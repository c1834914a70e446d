//! Estimates the effort of a simulation from the steady state, and rejects runs that are too large.

use bandgraph_model::{Bound, Supply};
use bandgraph_solve::{Effort, RunError, SteadyState};
use bandgraph_units::Time;

use super::window::Window;

/// The effort of the simulation of a scenario with this steady state.
///
/// # Errors
///
/// [`RunError::TooLarge`] above the limits.
pub fn effort_of(bound: &Bound, steady: &SteadyState) -> Result<Effort, RunError> {
    let effort = estimate(bound, steady);
    if effort.operations > Effort::MOST_OPERATIONS || effort.in_flight > f64::from(Effort::MOST_IN_FLIGHT) {
        return Err(RunError::TooLarge(effort));
    }
    Ok(effort)
}

fn estimate(bound: &Bound, steady: &SteadyState) -> Effort {
    let simulated = Window::new(bound, steady).longest(bound);
    let (mut operations, mut in_flight) = (0.0, 0.0);
    for group in bound.threads.iter() {
        let schedule = &bound.schedules[group.workload];
        let end = schedule.stop.map_or(simulated, |stop| stop.get().min(simulated));
        let active = (end - schedule.start.get()).max(0.0);
        let served = steady.served(group);
        let offered = group.offered().unwrap_or(served).max(served);
        operations += group.members * offered * active;
        in_flight += group.members
            * match steady.overload(group) {
                Some(refused) => refused * offered * active,
                None if group.supply == Supply::Closed => group.population,
                None => served * (steady.cycle_seconds(group) - group.think).clamp(0.0, active),
            };
    }
    Effort {
        simulated: Time::new(simulated),
        operations,
        in_flight,
    }
}

/// Operations/s of all workloads except the replayed one.
pub(crate) fn rate_beside_trace(bound: &Bound, steady: &SteadyState) -> f64 {
    let beside = bound.threads.iter();
    let beside = beside.filter(|group| !matches!(group.supply, Supply::Trace { .. }));
    // An empty sum would be -0.
    beside.fold(0.0, |sum, group| {
        sum + group.members * group.offered().unwrap_or_else(|| steady.served(group))
    })
}
