//! How much a simulation will have to do, before it is begun.

use crate::bind::Bound;
use crate::outcome::Outcome;

/// What a simulation will have to do, by the prediction of the same scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Operations in all, warm-up included.
    pub operations: f64,
    /// Operations that will be out when it ends, each of which takes memory.
    pub out: f64,
}

impl Effort {
    /// Operations from which a run is worth a word before it begins: about a minute on one core.
    pub const LONG: f64 = 5e7;
    /// The most operations that are begun with: some hours on one core.
    pub const MOST_OPERATIONS: f64 = 1e10;
    /// The most operations that may be out at the end: some gigabytes.
    pub const MOST_OUT: f64 = 5e7;

    /// The effort of simulating a scenario for which this was predicted.
    pub fn of(bound: &Bound, prediction: &Outcome) -> Self {
        let backlog = |workload: &crate::WorkloadOutcome| {
            let offered = workload.offered.filter(|offered| offered.saturated);
            offered.map_or(workload.outstanding, |offered| offered.backlog)
        };
        let offered = |workload: &crate::WorkloadOutcome| {
            let offered = workload.offered.map_or(0.0, |offered| offered.rate.get());
            workload.throughput.operations.get().max(offered)
        };
        let rate: f64 = prediction.workloads.iter().map(offered).sum();
        Self {
            operations: rate * bound.run_seconds(),
            out: prediction.workloads.iter().map(backlog).sum(),
        }
    }
}
