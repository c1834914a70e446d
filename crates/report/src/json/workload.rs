//! The JSON of a workload's share in a run, a part of that of the run.

use bandgraph_model::storage::{CacheUse, HitRateMethod};
use bandgraph_solve::{OperationOutcome, WorkloadOutcome};
use bandgraph_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::latency::{LatencyDocument, PrecisionDocument, distribution};
use super::run::{ThroughputDocument, throughput};

/// The share of one workload in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadDocument {
    /// Id of the workload.
    pub id: String,
    /// Its own rates.
    pub throughput: ThroughputDocument,
    /// Its own latencies.
    pub latency: LatencyDocument,
    /// How exact these are; null as `simulated.precision`, and for a prediction.
    #[serde(default)]
    pub precision: Option<PrecisionDocument>,
    /// Operations of it that were out at a time, on average.
    pub outstanding: f64,
    /// What came, where operations come at a rate; null where threads wait for their replies.
    pub offered: Option<OfferedDocument>,
    /// What the cache does for its data.
    pub cache: CacheDocument,
    /// What the cache does for its metadata; null where nothing says how much that is, and all of it is taken
    /// to be cached.
    pub metadata: Option<CacheDocument>,
    /// Each kind of its operations.
    #[serde(default)]
    pub operations: Vec<OperationDocument>,
    /// How long all its jobs take, in seconds; null where it has none.
    pub elapsed_s: Option<f64>,
}

/// One kind of operation of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationDocument {
    /// The kind, such as `read` or `getattr`.
    pub operation: String,
    /// Completed operations per second.
    pub ops_per_s: f64,
    /// Mean latency, in seconds.
    pub latency_mean_s: f64,
    /// Instructions of the server for each, what is done behind it included.
    pub instructions: f64,
    /// Cycles of its cores for each, waiting for memory included.
    pub cycles: f64,
    /// Bytes at the disks for each, both directions.
    pub disk_bytes: f64,
}

/// What an open loop asked for, and whether the server kept up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OfferedDocument {
    /// Operations per second that came.
    pub ops_per_s: f64,
    /// Operations that had come and were not done at the end of the run.
    pub backlog: f64,
    /// How fast that number grew, per second.
    pub backlog_growth_per_s: f64,
    /// Whether more came than the server can do. The backlog then grows for as long as that goes on, and
    /// latencies are those of a run of this length and of no steady state.
    pub saturated: bool,
}

/// What the cache does for one workload's data, or for its metadata: in its steady state, or on average over
/// the window of a run that began with empty caches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheDocument {
    /// All of it that the workload touches, in bytes; 0 where it moves no file data, or the size of metadata
    /// is not known.
    pub working_set_bytes: f64,
    /// The part of the DRAM cache that it has, in bytes.
    pub capacity_bytes: f64,
    /// Share of its reads, of metadata of the blocks it touches, that DRAM answers, 0 to 1.
    pub hit_rate: f64,
    /// Share of them that cache devices answer, 0 to 1.
    pub second_level_hit_rate: f64,
    /// How the hit rate was found: `fits` (all working sets fit), `random` (cache over set), `lru_loop` (a
    /// loop under LRU never hits), `arc_loop` (a loop replayed through ARC), `cold_random` and `cold_loop`
    /// (from empty caches: what had been read before), `reuse` (re-use distances against the cache), `blocks`
    /// and `sampled_blocks` (of a trace), `given` (the scenario says it), `no_data`.
    pub method: String,
    /// The same in words.
    #[serde(default)]
    pub explanation: String,
    /// Its part of the cache devices; null where there are none, or it has no use for them.
    pub second_level: Option<SecondLevelDocument>,
}

/// What a workload has of the cache devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecondLevelDocument {
    /// What it has of their capacity, as far as there is data for it, in bytes.
    pub capacity_bytes: f64,
    /// What they hold of it at the end of the run, in bytes.
    pub held_bytes: f64,
    /// How long they take to fill at the rate that they are fed, in seconds.
    pub fill_s: f64,
}

/// The twin of a workload's outcome.
pub(super) fn workload(workload: &WorkloadOutcome, with_histogram: bool) -> WorkloadDocument {
    WorkloadDocument {
        id: workload.id.clone(),
        throughput: throughput(&workload.throughput),
        latency: distribution(&workload.latency, with_histogram),
        precision: workload.precision.as_ref().map(PrecisionDocument::new),
        outstanding: workload.outstanding,
        offered: workload.offered.map(|offered| OfferedDocument {
            ops_per_s: offered.rate.get(),
            backlog: offered.backlog,
            backlog_growth_per_s: offered.growth,
            saturated: offered.saturated,
        }),
        cache: cache(&workload.cache),
        metadata: (workload.metadata.method != HitRateMethod::NoData).then(|| cache(&workload.metadata)),
        operations: workload.operations.iter().map(operation).collect(),
        elapsed_s: workload.elapsed.map(Time::get),
    }
}

fn cache(cache: &CacheUse) -> CacheDocument {
    CacheDocument {
        working_set_bytes: cache.working_set.get(),
        capacity_bytes: cache.capacity.get(),
        hit_rate: cache.hit_rate.get(),
        second_level_hit_rate: cache.second_level_hit_rate.get(),
        method: cache.method.as_str().to_owned(),
        explanation: cache.method.explanation().to_owned(),
        second_level: cache.second_level.map(|second| SecondLevelDocument {
            capacity_bytes: second.capacity.get(),
            held_bytes: second.held.get(),
            fill_s: second.fill_time.get(),
        }),
    }
}

fn operation(operation: &OperationOutcome) -> OperationDocument {
    OperationDocument {
        operation: operation.operation.name().to_owned(),
        ops_per_s: operation.rate.get(),
        latency_mean_s: operation.latency.get(),
        instructions: operation.instructions,
        cycles: operation.cycles,
        disk_bytes: operation.disk_bytes,
    }
}
