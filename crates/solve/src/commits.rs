//! The share of unstable data that a COMMIT finds not yet on disk.
//!
//! The mix determines the bytes written between two COMMITs of a file. Meanwhile transaction groups write
//! data to disk: written data has its group closed within the time *G* between two groups, and is on disk by
//! the end of the next one. So of data written *a* ago, all is only in memory for *a* < *G*, a decreasing
//! share up to 2*G*, and none after that; of all data written since the last COMMIT, it is the mean of that
//! share. Each thread is assumed to write its own file, in an open loop each client. The rate of COMMITs
//! depends on their latency, so both are solved iteratively.

use bandgraph_model::Scenario;
use bandgraph_workload::{OperationKind, Workload};

/// The share of unstable data of each workload that its COMMITs find only in memory, at these rates of all
/// workloads, in operations/s.
pub(crate) fn uncommitted(scenario: &Scenario, rates: &[f64]) -> Vec<f64> {
    let workloads = scenario.workloads.iter().zip(rates);
    let shares = workloads.map(|(workload, rate)| {
        if !depends(workload) {
            return 1.0;
        }
        let commits = rate * workload.mix.share(OperationKind::Commit).get();
        let interval = files(scenario, workload) / commits;
        let costs = &scenario.stack.storage;
        unwritten(interval / costs.group_seconds.max(costs.dirty_seconds))
    });
    shares.collect()
}

/// Whether the unstable data found by a workload's COMMITs depends on their rate.
pub(crate) fn depends(workload: &Workload) -> bool {
    workload.commit_bytes.is_none() && workload.unstable_bytes().get() > 0.0
}

/// Number of files that a workload writes concurrently.
fn files(scenario: &Scenario, workload: &Workload) -> f64 {
    let mut groups = scenario.clients.iter();
    let group = groups.find(|group| group.id == workload.clients);
    group.map_or(1.0, |group| match workload.arrivals.rate() {
        Some(_) => f64::from(group.count),
        None => workload.threads(group) as f64,
    })
}

/// The share of the data since the last COMMIT that is only in memory, with `groups` transaction groups
/// between two COMMITs.
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

    /// Against a count: data written at every moment since the last COMMIT, with groups at every phase.
    #[test]
    fn data_is_on_disk_when_the_group_after_its_own_is_closed() {
        for groups in [0.3, 1.0, 1.4, 2.0, 3.7, 25.0] {
            let (steps, phases) = (400, 400);
            let mut in_memory = 0.0;
            for step in 0..steps {
                let age = (f64::from(step) + 0.5) / f64::from(steps) * groups;
                for phase in 0..phases {
                    // Until its group is closed.
                    let until_closed = (f64::from(phase) + 0.5) / f64::from(phases);
                    in_memory += f64::from(u8::from(until_closed + 1.0 > age));
                }
            }
            let counted = in_memory / f64::from(steps * phases);
            assert!((unwritten(groups) - counted).abs() < 2e-3, "{groups}: {counted}");
        }
    }
}
