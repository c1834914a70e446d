//! Statistics of a trace, in one pass and constant memory.

mod concurrency;
mod distinct;
mod rates;
mod sequence;
mod working_set;

use hdrhistogram::Histogram;

use bandgraph_workload::{DataDirection, OperationKind, Record};

pub use concurrency::MOST_CONCURRENT;
pub use rates::{RATE_BINS, RateBin};
pub use working_set::{CachePoint, LARGEST_LOOKED_AT, WORKING_SET_BLOCK};

use concurrency::Concurrency;
use distinct::Distinct;
use rates::Rates;
use sequence::Sequence;
use working_set::WorkingSet;

/// The number of sizes per direction with an exact count; sizes that appear later are counted together.
const EXACT_SIZES: usize = 256;

/// The maximum latency in percentiles: a hundred years.
const LONGEST_LATENCY_NS: u64 = 1 << 62;

/// Collects statistics of records.
pub struct Statistics {
    operations: Vec<Operation>,
    reads: Sizes,
    writes: Sizes,
    concurrency: Concurrency,
    rates: Rates,
    sequence: Sequence,
    working_set: WorkingSet,
    files: Distinct,
    clients: u32,
    stable_writes: u64,
    last_ns: u64,
}

/// Statistics of one kind of operation.
struct Operation {
    count: u64,
    bytes: u64,
    latencies: Option<Histogram<u64>>,
    latency_sum_ns: u128,
}

/// A histogram of sizes.
#[derive(Default)]
struct Sizes {
    /// In order of appearance.
    exact: Vec<(u64, u64)>,
    others: u64,
}

impl Sizes {
    fn add(&mut self, bytes: u64) {
        // Most traces have a few sizes, and the first ones are the most frequent.
        if let Some(entry) = self.exact.iter_mut().find(|(size, _)| *size == bytes) {
            entry.1 += 1;
        } else if self.exact.len() < EXACT_SIZES {
            self.exact.push((bytes, 1));
        } else {
            self.others += 1;
        }
    }
}

/// Statistics of one kind of operation.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationStatistics {
    /// The kind.
    pub operation: OperationKind,
    /// The number of operations.
    pub count: u64,
    /// File data that it moved, in bytes.
    pub bytes: u64,
    /// Latencies, if the trace has them.
    pub latency: Option<LatencyStatistics>,
}

/// Latencies in nanoseconds; percentiles to two digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyStatistics {
    /// The number of operations with a latency.
    pub count: u64,
    /// The mean.
    pub mean_ns: f64,
    /// The median.
    pub p50_ns: u64,
    /// The 95th percentile.
    pub p95_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// Sizes of reads or of writes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeStatistics {
    /// The mean, in bytes; 0 without any.
    pub mean_bytes: f64,
    /// Sizes with their counts, the most frequent first; of equal counts the smaller size first.
    pub sizes: Vec<(u64, u64)>,
    /// The number of operations whose size is not in the list, which contains the first
    /// [`EXACT_SIZES`](Statistics) distinct sizes.
    pub others: u64,
}

/// The share of reads, or writes, that start at the end of the same client's previous operation in the same
/// file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SequentialStatistics {
    /// The share of all operations in this direction; `None` without any.
    pub share: Option<f64>,
    /// The mean length of a sequential run, in bytes; `None` without any.
    pub run_bytes: Option<f64>,
}

/// The statistics of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Total number of operations.
    pub operations: u64,
    /// Time from the start of the first to the start of the last, in nanoseconds.
    pub span_ns: u64,
    /// The number of clients.
    pub clients: u32,
    /// The number of files (directories, devices); above some thousands an estimate, to 2 %.
    pub files: f64,
    /// Each kind that occurs, the most frequent first.
    pub by_operation: Vec<OperationStatistics>,
    /// Sizes of reads.
    pub reads: SizeStatistics,
    /// Sizes of writes.
    pub writes: SizeStatistics,
    /// The share of writes that must be on stable storage before their reply; `None` without writes.
    pub stable_share: Option<f64>,
    /// Sequential reads.
    pub sequential_reads: SequentialStatistics,
    /// Sequential writes.
    pub sequential_writes: SequentialStatistics,
    /// The mean number of operations in flight, by Little's law; `None` if the trace has no latencies.
    pub concurrency_mean: Option<f64>,
    /// The maximum number of operations in flight; `None` if the trace has no latencies.
    pub concurrency_max: Option<usize>,
    /// Distinct data read or written, in bytes, in blocks of [`WORKING_SET_BLOCK`]; an estimate for large
    /// values.
    pub footprint_bytes: f64,
    /// The hit rate of reads in an LRU cache, by cache size.
    pub cache: Vec<CachePoint>,
    /// Rates over time, at most [`RATE_BINS`] bins of equal width.
    pub rates: Vec<RateBin>,
    /// Width of each bin, in nanoseconds.
    pub bin_ns: u64,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            operations: OperationKind::ALL
                .iter()
                .map(|_| Operation {
                    count: 0,
                    bytes: 0,
                    latencies: None,
                    latency_sum_ns: 0,
                })
                .collect(),
            reads: Sizes::default(),
            writes: Sizes::default(),
            concurrency: Concurrency::default(),
            rates: Rates::default(),
            sequence: Sequence::default(),
            working_set: WorkingSet::default(),
            files: Distinct::default(),
            clients: 0,
            stable_writes: 0,
            last_ns: 0,
        }
    }
}

impl Statistics {
    /// Adds the next record.
    pub fn add(&mut self, record: &Record) {
        let operation = &mut self.operations[record.operation as usize];
        operation.count += 1;
        operation.bytes = operation.bytes.saturating_add(record.bytes);
        if let Some(latency_ns) = record.latency_ns {
            operation.latency_sum_ns += u128::from(latency_ns);
            let latencies = operation
                .latencies
                .get_or_insert_with(|| Histogram::new(2).expect("two digits are within 0 to 5"));
            // The histogram grows as needed, to some thousand buckets for the longest latency.
            latencies
                .record(latency_ns.min(LONGEST_LATENCY_NS))
                .expect("a histogram that grows takes every value to this one");
            self.concurrency.add(record.start_ns, latency_ns);
        }
        match record.operation.data() {
            DataDirection::None => {}
            DataDirection::Read => self.reads.add(record.bytes),
            DataDirection::Write => {
                self.writes.add(record.bytes);
                self.stable_writes += u64::from(record.stable);
            }
        }
        if record.operation.moves_data() {
            self.sequence.add(record);
            self.working_set.add(record);
        }
        self.rates.add(record.start_ns, record.bytes);
        self.files.add(record.file);
        self.clients = self.clients.max(record.client + 1);
        self.last_ns = record.start_ns;
    }

    /// The statistics of the records so far.
    pub fn summary(&self) -> Summary {
        let count = |kind: OperationKind| self.operations[kind as usize].count;
        let writes = count(OperationKind::Write);
        let latency_sum: u128 = self
            .operations
            .iter()
            .map(|operation| operation.latency_sum_ns)
            .sum();
        let mut by_operation: Vec<OperationStatistics> = OperationKind::ALL
            .iter()
            .zip(&self.operations)
            .filter(|(_, operation)| operation.count > 0)
            .map(|(kind, operation)| OperationStatistics {
                operation: *kind,
                count: operation.count,
                bytes: operation.bytes,
                latency: operation.latency(),
            })
            .collect();
        by_operation.sort_by_key(|operation| std::cmp::Reverse(operation.count));
        let has_latencies =
            latency_sum > 0 || by_operation.iter().any(|operation| operation.latency.is_some());
        Summary {
            operations: by_operation.iter().map(|operation| operation.count).sum(),
            span_ns: self.last_ns,
            clients: self.clients,
            files: self.files.count(),
            reads: self.sizes(OperationKind::Read, &self.reads),
            writes: self.sizes(OperationKind::Write, &self.writes),
            stable_share: (writes > 0).then(|| self.stable_writes as f64 / writes as f64),
            sequential_reads: self.sequence.reads(),
            sequential_writes: self.sequence.writes(),
            concurrency_mean: (has_latencies && self.last_ns > 0)
                .then(|| latency_sum as f64 / self.last_ns as f64),
            concurrency_max: has_latencies.then(|| self.concurrency.most()),
            footprint_bytes: self.working_set.footprint(),
            cache: self.working_set.curve(),
            rates: self.rates.bins(),
            bin_ns: self.rates.width(),
            by_operation,
        }
    }

    fn sizes(&self, kind: OperationKind, sizes: &Sizes) -> SizeStatistics {
        let operation = &self.operations[kind as usize];
        let mut list = sizes.exact.clone();
        list.sort_by_key(|(size, count)| (std::cmp::Reverse(*count), *size));
        SizeStatistics {
            mean_bytes: operation.bytes as f64 / operation.count.max(1) as f64,
            sizes: list,
            others: sizes.others,
        }
    }
}

impl Operation {
    fn latency(&self) -> Option<LatencyStatistics> {
        let latencies = self.latencies.as_ref()?;
        let percentile = |share| latencies.value_at_quantile(share).min(latencies.max());
        Some(LatencyStatistics {
            count: latencies.len(),
            mean_ns: self.latency_sum_ns as f64 / latencies.len().max(1) as f64,
            p50_ns: percentile(0.5),
            p95_ns: percentile(0.95),
            p99_ns: percentile(0.99),
            max_ns: latencies.max(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Generator, Recipe};

    fn summary(records: impl IntoIterator<Item = Record>) -> Summary {
        let mut statistics = Statistics::default();
        records.into_iter().for_each(|record| statistics.add(&record));
        statistics.summary()
    }

    #[test]
    fn nothing_is_nothing() {
        let none = summary([]);
        assert_eq!((none.operations, none.span_ns, none.files), (0, 0, 0.0));
        let longest = summary([Record {
            start_ns: 0,
            latency_ns: Some(u64::MAX),
            client: 0,
            file: 0,
            operation: OperationKind::Null,
            offset: 0,
            bytes: 0,
            stable: false,
        }]);
        assert!(
            longest.by_operation[0]
                .latency
                .is_some_and(|latency| latency.p50_ns > 1 << 61)
        );
        assert_eq!((none.concurrency_mean, none.stable_share), (None, None));
        assert!(none.cache.is_empty() && none.by_operation.is_empty());
    }

    /// The statistics reproduce the recipe.
    #[test]
    fn a_made_trace_is_as_its_recipe_says() {
        let recipe = Recipe {
            operations: 100_000,
            sequential: 0.75,
            stable: 0.5,
            ..Recipe::default()
        };
        let found = summary(Generator::new(recipe).expect("a sound recipe"));
        assert_eq!(
            (found.operations, found.clients, found.files),
            (100_000, 10, 100.0)
        );
        assert_eq!(found.by_operation[0].operation, OperationKind::Read);
        assert!((found.by_operation[0].count as f64 / 1e5 - 0.7).abs() < 0.01);
        assert_eq!(found.reads.sizes.len(), 1);
        assert_eq!((found.reads.mean_bytes, found.reads.sizes[0].0), (8192.0, 8192));
        assert!((found.stable_share.expect("writes") - 0.5).abs() < 0.01);
        // Little: 1,000 a second of 1 ms each.
        assert!((found.concurrency_mean.expect("latencies") - 1.0).abs() < 0.03);
        let latency = found.by_operation[0].latency.expect("latencies");
        assert!((latency.mean_ns / 1e6 - 1.0).abs() < 0.02);
        // The median of an exponential distribution is ln 2 of its mean; percentiles are good to 1 %.
        assert!((latency.p50_ns as f64 / 1e6 / std::f64::consts::LN_2 - 1.0).abs() < 0.03);
        assert!((latency.p99_ns as f64 / 1e6 / libm::log(100.0) - 1.0).abs() < 0.06);
        // With 128 blocks per file, one in 128 sequential steps continues in the next file; reads and writes
        // of a client share its position.
        let sequential = found.sequential_reads.share.expect("reads");
        assert!((sequential - 0.75).abs() < 0.02, "{sequential}");
        assert!(
            (found.footprint_bytes / 104_857_600.0 - 1.0).abs() < 0.03,
            "{}",
            found.footprint_bytes
        );
        let rate: u64 = found.rates.iter().map(|bin| bin.operations).sum();
        assert_eq!(rate, 100_000);
    }
}
