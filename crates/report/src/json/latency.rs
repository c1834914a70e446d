//! The JSON of latencies, and of how exact a simulation is.

use bandgraph_solve::{Bucket, Latency, Precision};

documents! {
    /// The time from a client's issue of an operation to the last byte of its reply.
    pub struct LatencyDocument(latency: &Latency, with_histogram: bool) {
        let of_samples = latency.percentiles;
        let is_none = of_samples.is_some_and(|points| points.samples == 0);
        let percentiles = of_samples.filter(|_| !is_none);
        let buckets = latency.histogram.iter().filter(|_| with_histogram);

        /// Mean, in seconds; null where no operation was completed.
        pub mean_s: Option<f64> = (!is_none).then(|| latency.mean.get()),
        /// Half of the operations took no longer, in seconds; null for a prediction, for a simulation in
        /// which nothing about single operations is drawn, and where no operation was completed.
        pub p50_s: Option<f64> = percentiles.map(|points| points.p50.get()),
        /// 95 % of the operations took no longer, in seconds; null as `p50_s`.
        pub p95_s: Option<f64> = percentiles.map(|points| points.p95.get()),
        /// 99 % of the operations took no longer, in seconds; null as `p50_s`.
        pub p99_s: Option<f64> = percentiles.map(|points| points.p99.get()),
        /// The slowest operation, in seconds; null as `p50_s`.
        pub max_s: Option<f64> = percentiles.map(|points| points.max.get()),
        /// Operations that these are of; left out where there are none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub samples: Option<u64> = of_samples.map(|points| points.samples),
        /// How many operations took how long, fast to slow: the non-empty buckets of a histogram in which the
        /// end of each is 3 % above that of the one before, from 1 us on. Left out where there are none: for
        /// a prediction, where `p50_s` is null, and in results of several runs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub histogram: Vec<BucketDocument> = buckets.map(BucketDocument::new).collect(),
    }

    /// Operations with almost the same latency: at most 3 % below `to_s`. The first has all below 1 us.
    #[derive(Copy)]
    pub struct BucketDocument(bucket: &Bucket) {
        /// None of them took longer, in seconds.
        pub to_s: f64 = bucket.to.get(),
        /// How many there are.
        pub count: u64 = bucket.count,
    }

    /// How exact the figures of a simulation are: half of the 90 % interval of each, relative to it, by
    /// comparing parts of the measured window. What the model itself may miss is not in it.
    #[derive(Copy)]
    pub struct PrecisionDocument(found: &Precision) {
        /// Parts of the window that were compared.
        pub batches: u32 = found.batches,
        /// Of the operations per second, and of every rate in proportion to them.
        pub throughput: f64 = found.throughput,
        /// Of the mean latency; null where no operation completed.
        pub latency: Option<f64> = found.latency,
    }
}

impl BucketDocument {
    /// The lower end, in seconds: the first bucket ends at 1 us, and each other 3 % above the one before.
    pub(crate) fn above_s(&self) -> f64 {
        if self.to_s < 1.01e-6 {
            0.0
        } else {
            self.to_s / 1.03
        }
    }
}
