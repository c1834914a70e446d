//! What comes of a replay.

use bandgraph_model::storage::CacheUse;
use bandgraph_solve::{Explained, Latency, Outcome};
use bandgraph_units::Time;
use bandgraph_workload::OperationKind;

use super::Timing;

/// Operations of a trace that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenKind {
    /// What was asked for.
    pub operation: OperationKind,
    /// File data moved by each, 1 for a read or write of nothing; what a COMMIT found that was not on disk.
    pub bytes: u64,
    /// Whether writes had to be on stable storage.
    pub stable: bool,
    /// Whether they began where the one before in the file ended.
    pub sequential: bool,
    /// How many there were.
    pub count: u64,
    /// How many of them disks had to answer.
    pub missed: u64,
    /// How many of them cache devices answered.
    pub on_devices: u64,
}

/// What a replay saw of its trace.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySummary {
    /// Operations replayed.
    pub operations: u64,
    /// From the first to the last start in the trace.
    pub recorded_span: Time,
    /// From the first start to the last reply in the simulation.
    pub replayed_span: Time,
    /// File data moved, in bytes.
    pub payload: f64,
    /// Latencies as recorded, and how many operations have one; `None` where none has.
    pub recorded_latency: Option<(Latency, u64)>,
    /// Operations of a size that the beginning of the trace does not show, made of the two nearest.
    pub of_other_sizes: u64,
    /// Clients of the trace. Where the scenario has fewer, several are one.
    pub clients: u64,
    /// Operations of kinds too rare among too many for the cards of their clients to count.
    pub past_nics: u64,
    /// Operations that came later than recorded, since as many as a replay keeps were out; their latencies
    /// count from when they were recorded.
    pub held: u64,
    /// What the cache answered, and how that was found.
    pub cache: CacheUse,
    /// What it had of the metadata touched; all of it, where the scenario says nothing of that.
    pub metadata: CacheUse,
    /// All operations, by what they are; sizes that the beginning does not show as those that they are made
    /// of.
    pub kinds: Vec<SeenKind>,
    /// When operations came.
    pub timing: Timing,
    /// How many times as fast as recorded.
    pub speed: f64,
}

/// A replayed trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// What came out.
    pub outcome: Outcome,
    /// What limits it.
    pub explained: Explained,
    /// The steady state of all that was seen, at the rate at which it came.
    pub prediction: Outcome,
    /// What was seen of the trace.
    pub summary: ReplaySummary,
}
