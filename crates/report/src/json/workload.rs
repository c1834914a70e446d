//! The JSON of a workload's share in a run, a part of that of the run.

use bandgraph_model::storage::{CacheUse, HitRateMethod, SecondLevel};
use bandgraph_solve::{Offered, OperationOutcome, WorkloadOutcome};
use bandgraph_units::Time;

use super::latency::{LatencyDocument, PrecisionDocument};
use super::run::ThroughputDocument;

documents! {
    /// The share of one workload in a run.
    pub struct WorkloadDocument(workload: &WorkloadOutcome) {
        /// Id of the workload.
        pub id: String = workload.id.clone(),
        /// Its own rates.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&workload.throughput),
        /// Its own latencies.
        pub latency: LatencyDocument = LatencyDocument::new(&workload.latency, true),
        /// How exact these are; null as `simulated.precision`, and for a prediction.
        #[serde(default)]
        pub precision: Option<PrecisionDocument> = workload.precision.as_ref().map(PrecisionDocument::new),
        /// Operations of it that were out at a time, on average.
        pub outstanding: f64 = workload.outstanding,
        /// What came, where operations come at a rate; null where threads wait for their replies.
        pub offered: Option<OfferedDocument> = workload.offered.map(OfferedDocument::new),
        /// What the cache does for its data.
        pub cache: CacheDocument = CacheDocument::new(&workload.cache),
        /// What the cache does for its metadata; null where nothing says how much that is, and all of it is
        /// taken to be cached.
        pub metadata: Option<CacheDocument> =
            (workload.metadata.method != HitRateMethod::NoData)
                .then(|| CacheDocument::new(&workload.metadata)),
        /// Each kind of its operations.
        #[serde(default)]
        pub operations: Vec<OperationDocument> =
            workload.operations.iter().map(OperationDocument::new).collect(),
        /// How long all its jobs take, in seconds; null where it has none.
        pub elapsed_s: Option<f64> = workload.elapsed.map(Time::get),
    }

    /// One kind of operation of a workload.
    pub struct OperationDocument(operation: &OperationOutcome) {
        /// The kind, such as `read` or `getattr`.
        pub operation: String = operation.operation.name().to_owned(),
        /// Completed operations per second.
        pub ops_per_s: f64 = operation.rate.get(),
        /// Mean latency, in seconds.
        pub latency_mean_s: f64 = operation.latency.get(),
        /// Instructions of the server for each, what is done behind it included.
        pub instructions: f64 = operation.instructions,
        /// Cycles of its cores for each, waiting for memory included.
        pub cycles: f64 = operation.cycles,
        /// Bytes at the disks for each, both directions.
        pub disk_bytes: f64 = operation.disk_bytes,
    }

    /// What an open loop asked for, and whether the server kept up.
    #[derive(Copy)]
    pub struct OfferedDocument(offered: Offered) {
        /// Operations per second that came.
        pub ops_per_s: f64 = offered.rate.get(),
        /// Operations that had come and were not done at the end of the run.
        pub backlog: f64 = offered.backlog,
        /// How fast that number grew, per second.
        pub backlog_growth_per_s: f64 = offered.growth,
        /// Whether more came than the server can do. The backlog then grows for as long as that goes on, and
        /// latencies are those of a run of this length and of no steady state.
        pub saturated: bool = offered.saturated,
    }

    /// What the cache does for one workload's data, or for its metadata: in its steady state, or on average
    /// over the window of a run that began with empty caches.
    pub struct CacheDocument(cache: &CacheUse) {
        /// All of it that the workload touches, in bytes; 0 where it moves no file data, or the size of
        /// metadata is not known.
        pub working_set_bytes: f64 = cache.working_set.get(),
        /// The part of the DRAM cache that it has, in bytes; 0 where its reads do not use it, or the scenario
        /// says how many hit.
        pub capacity_bytes: f64 = cache.capacity.get(),
        /// Share of its reads, of metadata of the blocks it touches, that DRAM answers, 0 to 1.
        pub hit_rate: f64 = cache.hit_rate.get(),
        /// Share of them that cache devices answer, 0 to 1.
        pub second_level_hit_rate: f64 = cache.second_level_hit_rate.get(),
        /// How the hit rate was found: `fits` (all working sets fit), `random` (cache over set), `lru_loop`
        /// (a loop under LRU never hits), `arc_loop` (a loop replayed through ARC), `cold_random` and
        /// `cold_loop` (from empty caches: what had been read before), `reuse` (re-use distances against the
        /// cache), `blocks` and `sampled_blocks` (of a trace), `given` (the scenario says it), `no_data`.
        pub method: String = cache.method.as_str().to_owned(),
        /// The same in words.
        #[serde(default)]
        pub explanation: String = cache.method.description().to_owned(),
        /// Its part of the cache devices; null where there are none, or it has no use for them.
        pub second_level: Option<SecondLevelDocument> = cache.second_level.map(SecondLevelDocument::new),
    }

    /// What a workload has of the cache devices.
    pub struct SecondLevelDocument(second: SecondLevel) {
        /// What it has of their capacity, as far as there is data for it, in bytes.
        pub capacity_bytes: f64 = second.capacity.get(),
        /// What they hold of it at the end of the run, in bytes.
        pub held_bytes: f64 = second.held.get(),
        /// How long they take to fill at the rate that they are fed, in seconds.
        pub fill_s: f64 = second.fill_time.get(),
    }
}
