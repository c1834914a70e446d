//! How much of what unstable writes bring a COMMIT finds not to be on disk yet.
//!
//! Between two COMMITs of a file come as many bytes as the mix has it. Transaction groups bring data to disk
//! meanwhile: what was written has its group closed within the time *G* from one group to the next, and on
//! disk by the end of the one after. So of data that was written *a* ago, all is in memory alone for *a* <
//! *G*, a falling share up to 2*G*, and none from then on; of all that was written since the last COMMIT, on
//! average the integral of that. Every thread is taken to write a file of its own, in an open loop every
//! client. How often COMMITs come follows from how long they take, so both are found in turn.

use bandgraph_model::{BindError, Bound, Scenario};
use bandgraph_workload::{OperationKind, Workload};

use crate::predict::SteadyState;

/// Shares and rates are found in turn until shares move by no more than that, or so many times.
const TOLERANCE: f64 = 1e-4;
const ROUNDS_MOST: usize = 12;

/// Binds a scenario, given the share of unstable data of each workload that its COMMITs find in memory alone.
pub(crate) fn settle(
    scenario: &Scenario,
    mut bind: impl FnMut(&[f64]) -> Result<Bound, BindError>,
) -> Result<Bound, BindError> {
    let mut shares = vec![1.0; scenario.workloads.len()];
    let mut bound = bind(&shares)?;
    if !scenario.workloads.iter().any(depends) {
        return Ok(bound);
    }
    for _ in 0..ROUNDS_MOST {
        // If there is no steady state, predicting what was bound reports it.
        let Ok(steady) = SteadyState::solve(&bound) else {
            break;
        };
        let outcome = steady.outcome(&bound);
        let workloads = scenario.workloads.iter().zip(&outcome.workloads);
        let next: Vec<f64> = workloads
            .map(|(workload, found)| {
                if !depends(workload) {
                    return 1.0;
                }
                let rate = found.throughput.operations.get();
                let commits = rate * workload.mix.share(OperationKind::Commit).get();
                let interval = files(scenario, workload) / commits;
                unwritten(interval / scenario.stack.storage.group_seconds)
            })
            .collect();
        let moved = shares
            .iter()
            .zip(&next)
            .map(|(old, new)| (old - new).abs())
            .fold(0.0, f64::max);
        if moved <= TOLERANCE {
            break;
        }
        shares = next;
        bound = bind(&shares)?;
    }
    Ok(bound)
}

/// Whether what a workload's COMMITs find depends on how often they come.
fn depends(workload: &Workload) -> bool {
    workload.commit_bytes.is_none() && workload.unstable_bytes().get() > 0.0
}

/// Files that a workload writes at a time.
fn files(scenario: &Scenario, workload: &Workload) -> f64 {
    let mut groups = scenario.clients.iter();
    let group = groups.find(|group| group.id == workload.clients);
    group.map_or(1.0, |group| match workload.arrivals.rate() {
        Some(_) => f64::from(group.count),
        None => workload.threads(group) as f64,
    })
}

/// The share of the data since the last COMMIT that is in memory alone, with so many groups from one COMMIT
/// to the next.
fn unwritten(groups: f64) -> f64 {
    if groups <= 1.0 {
        1.0
    } else if groups < 2.0 {
        (2.0 * groups - groups * groups / 2.0 - 0.5) / groups
    } else {
        1.5 / groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By counting: data written at every moment since the last COMMIT, with groups at every phase.
    #[test]
    fn data_is_on_disk_when_the_group_after_its_own_is_closed() {
        for groups in [0.3, 1.0, 1.4, 2.0, 3.7, 25.0] {
            let (steps, phases) = (400, 400);
            let mut in_memory = 0.0;
            for step in 0..steps {
                let age = (f64::from(step) + 0.5) / f64::from(steps) * groups;
                for phase in 0..phases {
                    // Until the group that it came into is closed.
                    let until_closed = (f64::from(phase) + 0.5) / f64::from(phases);
                    in_memory += f64::from(u8::from(until_closed + 1.0 > age));
                }
            }
            let counted = in_memory / f64::from(steps * phases);
            assert!((unwritten(groups) - counted).abs() < 2e-3, "{groups}: {counted}");
        }
    }
}
