//! Results of a replay.

use bandgraph_model::storage::CacheUse;
use bandgraph_solve::{Explained, Latency, Outcome};
use bandgraph_units::Time;
use bandgraph_workload::OperationKind;

use super::Timing;

/// Equivalent operations of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenKind {
    /// The kind of operation.
    pub operation: OperationKind,
    /// File data per operation, at least 1; for a COMMIT, the bytes that were not on disk.
    pub bytes: u64,
    /// Whether writes required stable storage.
    pub stable: bool,
    /// Whether they began where the previous access to the file ended.
    pub sequential: bool,
    /// Number of operations.
    pub count: u64,
    /// Operations served by disks.
    pub missed: u64,
}

/// Observations of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySummary {
    /// Operations replayed.
    pub operations: u64,
    /// Time from the first to the last start in the trace.
    pub recorded_span: Time,
    /// Time from the first start to the last reply in the simulation.
    pub replayed_span: Time,
    /// File data moved, bytes.
    pub payload: f64,
    /// Recorded latencies and the number of operations with one; `None` if there is none.
    pub recorded_latency: Option<(Latency, u64)>,
    /// Operations of sizes that do not occur at the beginning of the trace, replaced by the two nearest
    /// sizes.
    pub of_other_sizes: u64,
    /// Clients of the trace. If the scenario has fewer, several share one.
    pub clients: u64,
    /// Operations of rare kinds that do not load client NICs.
    pub past_nics: u64,
    /// Operations delayed because the maximum number was in flight; their latencies count from the recorded
    /// start.
    pub held: u64,
    /// Hits and misses of the data cache, and how they were found.
    pub cache: CacheUse,
    /// The same of metadata; all hits if the scenario does not specify metadata.
    pub metadata: CacheUse,
    /// All operations by kind; sizes that do not occur at the beginning count as their substitutes.
    pub kinds: Vec<SeenKind>,
    /// Times at which operations were issued.
    pub timing: Timing,
    /// Speed-up relative to the recording.
    pub speed: f64,
}

/// A replayed trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// The simulated outcome.
    pub outcome: Outcome,
    /// The limits of the outcome.
    pub explained: Explained,
    /// The steady state of all observed operations, at their mean arrival rate.
    pub prediction: Outcome,
    /// Observations of the trace.
    pub summary: ReplaySummary,
}
