//! The JSON of `trace stat`. Its fields are a contract: more may be added, none renamed or removed while
//! `schema` is 1.

use bandgraph_import::trace::stat::{
    CachePoint, LatencyStatistics, OperationStatistics, SequentialStatistics, SizeStatistics,
    WORKING_SET_BLOCK,
};
use bandgraph_import::trace::{Malformed, Skipped};

use crate::TraceReport;

/// The version of the JSON of `trace stat`. It grows when a field is renamed or removed, or changes its
/// meaning.
pub const TRACE_SCHEMA_VERSION: u32 = 1;

/// Nanoseconds of a second.
const SECOND_NS: f64 = 1e9;

documents! {
    /// What a trace is like.
    ///
    /// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
    /// percent.
    #[schemars(title = "Bandgraph trace statistics")]
    pub struct TraceDocument(report: &TraceReport) {
        let summary = &report.summary;
        let seconds = |ns: u64| ns as f64 / SECOND_NS;
        let span_s = seconds(summary.span_ns);
        let per_second = |amount: f64| (span_s > 0.0).then(|| amount / span_s);
        let bin_s = seconds(summary.bin_ns);
        let bytes = summary.by_operation.iter().map(|operation| operation.bytes as f64).sum::<f64>();

        /// Version of this format.
        pub schema: u32 = TRACE_SCHEMA_VERSION,
        /// Version of the program that wrote this.
        pub bandgraph: String = crate::VERSION.to_owned(),
        /// Where the trace came from, as it was named.
        pub trace: String = report.name.clone(),
        /// What it is written in: `nfsdump`, `iolog2`, `iolog3`, `msr`, `blkparse`.
        pub format: String = report.format.as_str().to_owned(),
        /// How it is compressed: `none`, `gzip`, `zstd`.
        pub compression: String = report.compression.as_str().to_owned(),
        /// Bytes that were read, compressed as they are.
        pub bytes_read: u64 = report.bytes_read,
        /// Lines that were read.
        pub lines: u64 = report.lines,
        /// Operations in all.
        pub operations: u64 = summary.operations,
        /// From the start of the first operation to the start of the last, in seconds.
        pub span_s: f64,
        /// Operations a second over that span; null if it is nothing.
        pub operations_per_s: Option<f64> = per_second(summary.operations as f64),
        /// File data a second over that span; null if it is nothing.
        pub payload_bytes_per_s: Option<f64> = per_second(bytes),
        /// Clients that were seen.
        pub clients: u32 = summary.clients,
        /// Files, directories or devices that were seen; an estimate to 2 % beyond some thousands.
        pub files: f64 = summary.files,
        /// Each kind of operation that there is, the most frequent first.
        pub by_operation: Vec<TraceOperationDocument> = summary
            .by_operation
            .iter()
            .map(|one| TraceOperationDocument::new(one, summary.operations))
            .collect(),
        /// Sizes of reads.
        pub read_sizes: TraceSizesDocument = TraceSizesDocument::new(&summary.reads),
        /// Sizes of writes.
        pub write_sizes: TraceSizesDocument = TraceSizesDocument::new(&summary.writes),
        /// Of the writes, the share that had to be on stable storage before their reply; null without writes.
        pub stable_write_share: Option<f64> = summary.stable_share,
        /// Reads that begin where the last one of the same client in the same file ended.
        pub sequential_reads: TraceSequentialDocument =
            TraceSequentialDocument::new(summary.sequential_reads),
        /// Writes that begin where the last one of the same client in the same file ended.
        pub sequential_writes: TraceSequentialDocument =
            TraceSequentialDocument::new(summary.sequential_writes),
        /// Operations in flight; null if the trace has no latencies.
        pub concurrency: Option<TraceConcurrencyDocument> =
            summary.concurrency_max.map(|max| TraceConcurrencyDocument {
                mean: summary.concurrency_mean,
                max: max as u64,
            }),
        /// What data was used, and what a cache would have had of it.
        pub working_set: TraceWorkingSetDocument = TraceWorkingSetDocument {
            block_bytes: WORKING_SET_BLOCK,
            footprint_bytes: summary.footprint_bytes,
            cache: summary
                .cache
                .iter()
                .map(TraceCacheDocument::new)
                .collect(),
        },
        /// Rates over time.
        pub rates: TraceRatesDocument = TraceRatesDocument {
            bin_s,
            operations_per_s: summary
                .rates
                .iter()
                .map(|bin| bin.operations as f64 / bin_s)
                .collect(),
            payload_bytes_per_s: summary.rates.iter().map(|bin| bin.bytes as f64 / bin_s).collect(),
        },
        /// What was not taken as it stands.
        pub skipped: TraceSkippedDocument = TraceSkippedDocument::new(&report.skipped),
    }

    /// One kind of operation.
    pub struct TraceOperationDocument(operation: &OperationStatistics, all: u64) {
        /// Its name.
        pub operation: String = operation.operation.name().to_owned(),
        /// How often there was one.
        pub count: u64 = operation.count,
        /// Of all operations, the share.
        pub share: f64 = operation.count as f64 / all as f64,
        /// File data that it moved, in bytes.
        pub bytes: u64 = operation.bytes,
        /// Latencies; null where the trace has none for it.
        pub latency: Option<TraceLatencyDocument> = operation.latency.map(TraceLatencyDocument::new),
    }

    /// Latencies, in seconds. Percentiles are good to 1 %.
    pub struct TraceLatencyDocument(latency: LatencyStatistics) {
        let seconds = |ns: u64| ns as f64 / SECOND_NS;

        /// Operations that have one.
        pub count: u64 = latency.count,
        /// The mean.
        pub mean_s: f64 = latency.mean_ns / SECOND_NS,
        /// Half are at most this.
        pub p50_s: f64 = seconds(latency.p50_ns),
        /// 95 % are at most this.
        pub p95_s: f64 = seconds(latency.p95_ns),
        /// 99 % are at most this.
        pub p99_s: f64 = seconds(latency.p99_ns),
        /// The longest.
        pub max_s: f64 = seconds(latency.max_ns),
    }

    /// Sizes of reads or writes.
    pub struct TraceSizesDocument(sizes: &SizeStatistics) {
        /// The mean, in bytes; 0 without any.
        pub mean_bytes: f64 = sizes.mean_bytes,
        /// Sizes, the most frequent first.
        pub sizes: Vec<TraceSizeDocument> =
            sizes.sizes.iter().map(|&(bytes, count)| TraceSizeDocument { bytes, count }).collect(),
        /// How many had a size that is not listed.
        pub others: u64 = sizes.others,
    }

    /// One size.
    pub struct TraceSizeDocument {
        /// The size.
        pub bytes: u64,
        /// How often there was one.
        pub count: u64,
    }

    /// How much is sequential.
    pub struct TraceSequentialDocument(sequential: SequentialStatistics) {
        /// The share of operations; null without any.
        pub share: Option<f64> = sequential.share,
        /// Mean bytes from one jump to the next; null without any.
        pub run_bytes: Option<f64> = sequential.run_bytes,
    }

    /// Operations in flight.
    pub struct TraceConcurrencyDocument {
        /// The mean, by Little's law; null if the trace has no span.
        pub mean: Option<f64>,
        /// The most at once.
        pub max: u64,
    }

    /// What data was used.
    pub struct TraceWorkingSetDocument {
        /// The blocks by which data is looked at, in bytes.
        pub block_bytes: u64,
        /// Distinct data, in bytes; an estimate to 1 % when large.
        pub footprint_bytes: f64,
        /// What an LRU cache of each size would have had of the data that was read.
        pub cache: Vec<TraceCacheDocument>,
    }

    /// A cache.
    pub struct TraceCacheDocument(point: &CachePoint) {
        /// Its size, in bytes.
        pub bytes: f64 = point.bytes,
        /// The share of read data that it would have had.
        pub hits: f64 = point.hits,
    }

    /// Rates over time.
    pub struct TraceRatesDocument {
        /// Seconds of each bin.
        pub bin_s: f64,
        /// Operations a second, a number a bin. The trace ends within the last one, whose figures are
        /// therefore too low.
        pub operations_per_s: Vec<f64>,
        /// File data a second, a number a bin.
        pub payload_bytes_per_s: Vec<f64>,
    }

    /// What was not taken as it stands.
    pub struct TraceSkippedDocument(skipped: &Skipped) {
        /// Lines that are wrong.
        pub bad_lines: u64 = skipped.bad_lines(),
        /// Every reason that there was.
        pub reasons: Vec<TraceReasonDocument> = skipped
            .counts()
            .map(|(reason, count)| TraceReasonDocument {
                reason: reason.name().to_owned(),
                words: reason.words().to_owned(),
                count,
                skipped: reason.skips(),
            })
            .collect(),
        /// The first bad lines.
        pub first: Vec<TraceBadLineDocument> =
            skipped.first().iter().map(TraceBadLineDocument::new).collect(),
    }

    /// A reason for which something was not taken as it stands.
    pub struct TraceReasonDocument {
        /// Its name.
        pub reason: String,
        /// What that means.
        #[serde(default)]
        pub words: String,
        /// How often.
        pub count: u64,
        /// Whether nothing was made of it; if not, a record was, with this remark.
        pub skipped: bool,
    }

    /// A bad line.
    pub struct TraceBadLineDocument(malformed: &Malformed) {
        /// Its number in the uncompressed text, from 1.
        pub line: u64 = malformed.line,
        /// The byte at which it goes wrong, from 1.
        pub column: u32 = malformed.column,
        /// Name of what is wrong.
        pub reason: String = malformed.reason.name().to_owned(),
        /// The line from there on, shortened.
        pub excerpt: String = malformed.excerpt.clone(),
        /// All of it in words.
        #[serde(default)]
        pub words: String = malformed.to_string(),
    }
}
