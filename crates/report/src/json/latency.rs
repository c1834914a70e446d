//! The JSON of latencies, and of how exact a simulation is.

use bandgraph_solve::{Latency, Precision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The time from a client's issue of an operation to the last byte of its reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyDocument {
    /// Mean, in seconds.
    pub mean_s: f64,
    /// Half of the operations took no longer, in seconds; null for a prediction, and for a simulation in
    /// which nothing about single operations is drawn.
    pub p50_s: Option<f64>,
    /// 95 % of the operations took no longer, in seconds; null as `p50_s`.
    pub p95_s: Option<f64>,
    /// 99 % of the operations took no longer, in seconds; null as `p50_s`.
    pub p99_s: Option<f64>,
    /// The slowest operation, in seconds; null as `p50_s`.
    pub max_s: Option<f64>,
    /// Operations that these are of; left out where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// How many operations took how long, fast to slow; there only if it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<BucketDocument>,
}

/// Operations that took between the time of the bucket before and that of this one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BucketDocument {
    /// None of them took longer, in seconds.
    pub to_s: f64,
    /// How many there are.
    pub count: u64,
}

/// How exact the figures of a simulation are: half of the 90 % interval of each, relative to it, by comparing
/// parts of the measured window. What the model itself may miss is not in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrecisionDocument {
    /// Parts of the window that were compared.
    pub batches: u32,
    /// Of the operations per second, and of every rate in proportion to them.
    pub throughput: f64,
    /// Of the mean latency; null where no operation completed.
    pub latency: Option<f64>,
}

impl PrecisionDocument {
    pub(super) fn new(found: &Precision) -> Self {
        Self {
            batches: found.batches,
            throughput: found.throughput,
            latency: found.latency,
        }
    }
}

pub(super) fn latency(latency: &Latency) -> LatencyDocument {
    let percentiles = latency.percentiles;
    LatencyDocument {
        mean_s: latency.mean.get(),
        p50_s: percentiles.map(|points| points.p50.get()),
        p95_s: percentiles.map(|points| points.p95.get()),
        p99_s: percentiles.map(|points| points.p99.get()),
        max_s: percentiles.map(|points| points.max.get()),
        samples: percentiles.map(|points| points.samples),
        histogram: Vec::new(),
    }
}

/// The same with the whole distribution.
pub(super) fn distribution(latency: &Latency, with_histogram: bool) -> LatencyDocument {
    let buckets = latency.histogram.iter().filter(|_| with_histogram);
    LatencyDocument {
        histogram: buckets
            .map(|bucket| BucketDocument {
                to_s: bucket.to.get(),
                count: bucket.count,
            })
            .collect(),
        ..self::latency(latency)
    }
}
