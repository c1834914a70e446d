//! Consistency checks at the end of every run: of replies, and of the use of all resources, including those
//! that the engine does not have.

use bandgraph_model::{Bound, Supply};
use bandgraph_solve::{Outcome, RunError};
use bandgraph_topology::ResourceKind;

/// Relative tolerance of a capacity: that of the check of fair shares.
const ROUNDED: f64 = 1e-9;
/// Relative rounding error of sums since the start: some thousand roundings.
const SUMMED: f64 = 1e-12;
/// Error of an interval, seconds: events have picosecond times at both ends.
const CLOCK: f64 = 2e-12;

/// Checks that no resource carried more than its capacity between two readings of cumulative use.
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

/// Checks that the use of every resource in a window equals the demand of the operations done in it, up to
/// those in flight at its ends.
pub(super) fn is_accounted_for(
    bound: &Bound,
    usage: &[f64],
    done: &[f64],
    in_flight_most: f64,
) -> Result<(), RunError> {
    let mut accounted = vec![(0.0, 0.0_f64); usage.len()];
    for (class, &done) in bound.classes.iter().zip(done) {
        for &(resource, units) in &class.demand {
            let (operations, largest) = &mut accounted[resource];
            *operations += units * done;
            *largest = largest.max(units);
        }
    }
    for ((resource, &carried), (operations, largest)) in bound.resources.iter().zip(usage).zip(accounted) {
        // Flows in flight at the start and at the end of the window are partly outside it.
        let in_flight = largest * in_flight_most;
        // CPU cycles follow the load, and disk times are random.
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

/// Checks Little's law for every class: the sum of recorded latencies equals the sum of completion times
/// minus issue times. Both are of the calls completed in the window.
pub(super) fn latencies_add_up(
    bound: &Bound,
    before: &[f64],
    after: &[f64],
    recorded: impl Iterator<Item = f64>,
) -> Result<(), RunError> {
    let elapsed = after.iter().zip(before);
    for ((class, (after, before)), recorded) in bound.classes.iter().zip(elapsed).zip(recorded) {
        let elapsed = after - before;
        // Written so that NaN fails.
        let agree = (recorded - elapsed).abs() <= ROUNDED * recorded + SUMMED * after + CLOCK;
        if !agree {
            return Err(RunError::Latencies {
                workload: bound.workloads[class.workload].clone(),
                recorded,
                elapsed,
            });
        }
    }
    Ok(())
}

/// Checks that the threads of every closed loop are not busy for longer than the window: each has one
/// operation at a time, and thinks for at least the shortest pause after each reply. Think time after the
/// window counts as well.
pub(super) fn threads_are_kept(
    bound: &Bound,
    presence: &[f64],
    completed: &[u64],
    seconds: f64,
) -> Result<(), RunError> {
    for (workload, id) in bound.workloads.iter().enumerate() {
        let groups = || {
            bound
                .threads
                .iter()
                .filter(move |group| group.workload == workload)
        };
        if groups().any(|group| group.supply != Supply::Closed) {
            continue;
        }
        let threads: f64 = groups().map(|group| f64::from(group.threads)).sum();
        let think = groups().map(|group| group.think).fold(f64::INFINITY, f64::min);
        let think = think * (1.0 - bound.think_variations[workload]);
        let of_workload = bound.classes.iter().zip(completed);
        let replies = of_workload.filter(|(class, _)| class.workload == workload);
        let replies: f64 = replies.map(|(_, &completed)| completed as f64).sum();
        let found = (presence[workload] + (replies - threads).max(0.0) * think.min(seconds)) / seconds;
        // Written so that NaN fails.
        let within = found <= threads * (1.0 + ROUNDED) + threads * CLOCK / seconds;
        if !within {
            return Err(RunError::Population {
                workload: id.clone(),
                threads,
                found,
            });
        }
    }
    Ok(())
}

/// Checks that the bytes in each direction of each socket link equal the sum over message causes, up to those
/// in flight at the ends of the window.
pub(super) fn links_add_up(bound: &Bound, outcome: &Outcome, in_flight_most: f64) -> Result<(), RunError> {
    let seconds = outcome.simulated.map_or(1.0, |run| run.measured.get());
    let mut largest = vec![0.0_f64; bound.resources.len()];
    for &(resource, units) in bound.classes.iter().flat_map(|class| &class.demand) {
        largest[resource] = largest[resource].max(units);
    }
    let resources = outcome.resources.iter().zip(largest);
    let links = resources.filter(|(resource, _)| resource.kind == ResourceKind::SocketLink);
    for ((resource, largest), traffic) in links.zip(&outcome.link_traffic) {
        let accounted: f64 = traffic.by_cause.iter().map(|(_, rate)| rate.get()).sum();
        let in_flight = largest * in_flight_most / seconds;
        // Written so that NaN fails.
        let agree = (resource.rate - accounted).abs() <= in_flight + 1e-6 * resource.rate;
        if !agree {
            return Err(RunError::Conservation {
                resource: resource.id.clone(),
                carried: resource.rate * seconds,
                accounted: accounted * seconds,
            });
        }
    }
    Ok(())
}

/// Checks that the completed operations of every workload equal the calls completed between the ends of the
/// window.
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
