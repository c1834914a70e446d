//! Checks of what was counted, in every run: of replies, and of what resources carried, also of those that
//! the engine does not have.

use bandgraph_model::Bound;
use bandgraph_solve::RunError;
use bandgraph_topology::ResourceKind;

/// Share of its capacity by which a resource may seem to exceed it: what the fair shares are checked to.
const ROUNDED: f64 = 1e-9;
/// Share of all that a resource carried since the start that sums of it are wrong by, at the most: some
/// thousand roundings.
const SUMMED: f64 = 1e-12;
/// What the lengths of intervals are wrong by, in seconds: events are timed in picoseconds, at both ends.
const CLOCK: f64 = 2e-12;

/// That no resource carried more than its capacity between two readings of what was used since the start.
pub(super) fn within_capacity(
    bound: &Bound,
    before: &[f64],
    after: &[f64],
    seconds: f64,
) -> Result<(), RunError> {
    for ((resource, &before), &after) in bound.resources.iter().zip(before).zip(after) {
        let carried = after - before;
        let limit = resource.usable() * seconds;
        let rounding = limit * ROUNDED + after * SUMMED + resource.usable() * CLOCK;
        // Written so that NaN fails.
        let within = carried <= limit + rounding;
        if !within {
            return Err(RunError::CapacityExceeded {
                resource: resource.id.clone(),
                carried,
                limit,
                seconds,
            });
        }
    }
    Ok(())
}

/// That the use of every resource in a window is that of the operations of every class that completed in it,
/// give or take what was in flight at its ends.
pub(super) fn is_accounted_for(
    bound: &Bound,
    usage: &[f64],
    completed: &[u64],
    in_flight_most: f64,
) -> Result<(), RunError> {
    let mut accounted = vec![(0.0, 0.0_f64); usage.len()];
    for (class, &completed) in bound.classes.iter().zip(completed) {
        for &(resource, units) in &class.demand {
            let (operations, largest) = &mut accounted[resource];
            *operations += units * completed as f64;
            *largest = largest.max(units);
        }
    }
    for ((resource, &carried), (operations, largest)) in bound.resources.iter().zip(usage).zip(accounted) {
        // Flows in flight at the start of the window and at its end, each done in part outside of it.
        let in_flight = largest * in_flight_most;
        // Cycles follow the load, and the time of commands is drawn.
        let varies = matches!(resource.kind, ResourceKind::Cpu | ResourceKind::Disk);
        if !varies && (carried - operations).abs() > in_flight * (1.0 + 1e-9) + 1e-6 * carried {
            return Err(RunError::Conservation {
                resource: resource.id.clone(),
                carried,
                accounted: operations,
            });
        }
    }
    Ok(())
}

/// That as many operations of every workload completed in a window, by class, as calls were answered between
/// its ends.
pub(super) fn are_answered(
    bound: &Bound,
    before: &[u64],
    after: &[u64],
    completed: &[u64],
) -> Result<(), RunError> {
    let mut replies = vec![0; bound.workloads.len()];
    for (class, completed) in bound.classes.iter().zip(completed) {
        replies[class.workload] += completed;
    }
    for (workload, replies) in replies.into_iter().enumerate() {
        let answered = after[workload] - before[workload];
        if answered != replies {
            return Err(RunError::Replies {
                workload: bound.workloads[workload].clone(),
                answered,
                replies,
            });
        }
    }
    Ok(())
}
