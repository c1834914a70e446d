//! The JSON of `trace stat`. Its fields are a contract: more may be added, none renamed or removed while
//! `schema` is 1.

use bandgraph_workload::trace::stat::{
    LatencyStatistics, SequentialStatistics, SizeStatistics, WORKING_SET_BLOCK,
};
use bandgraph_workload::trace::{Malformed, Skipped};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TraceReport;

/// The version of the JSON of `trace stat`. It grows when a field is renamed or removed, or changes its
/// meaning.
pub const TRACE_SCHEMA_VERSION: u32 = 1;

/// Nanoseconds of a second.
const SECOND_NS: f64 = 1e9;

/// What a trace is like.
///
/// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
/// percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Bandgraph trace statistics")]
pub struct TraceDocument {
    /// Version of this format.
    pub schema: u32,
    /// Version of the program that wrote this.
    pub bandgraph: String,
    /// Where the trace came from, as it was named.
    pub trace: String,
    /// What it is written in: `nfsdump`, `iolog2`, `iolog3`, `msr`, `blkparse`.
    pub format: String,
    /// How it is compressed: `none`, `gzip`, `zstd`.
    pub compression: String,
    /// Bytes that were read, compressed as they are.
    pub bytes_read: u64,
    /// Lines that were read.
    pub lines: u64,
    /// Operations in all.
    pub operations: u64,
    /// From the start of the first operation to the start of the last, in seconds.
    pub span_s: f64,
    /// Operations a second over that span; null if it is nothing.
    pub operations_per_s: Option<f64>,
    /// File data a second over that span; null if it is nothing.
    pub payload_bytes_per_s: Option<f64>,
    /// Clients that were seen.
    pub clients: u32,
    /// Files, directories or devices that were seen; an estimate to 2 % beyond some thousands.
    pub files: f64,
    /// Each kind of operation that there is, the most frequent first.
    pub by_operation: Vec<TraceOperationDocument>,
    /// Sizes of reads.
    pub read_sizes: TraceSizesDocument,
    /// Sizes of writes.
    pub write_sizes: TraceSizesDocument,
    /// Of the writes, the share that had to be on stable storage before their reply; null without writes.
    pub stable_write_share: Option<f64>,
    /// Reads that begin where the last one of the same client in the same file ended.
    pub sequential_reads: TraceSequentialDocument,
    /// Writes that begin where the last one of the same client in the same file ended.
    pub sequential_writes: TraceSequentialDocument,
    /// Operations under way; null where the trace has no latencies.
    pub concurrency: Option<TraceConcurrencyDocument>,
    /// What data was used, and what a cache would have had of it.
    pub working_set: TraceWorkingSetDocument,
    /// Rates over time.
    pub rates: TraceRatesDocument,
    /// What was not taken as it stands.
    pub skipped: TraceSkippedDocument,
}

/// One kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceOperationDocument {
    /// Its name.
    pub operation: String,
    /// How often there was one.
    pub count: u64,
    /// Of all operations, the share.
    pub share: f64,
    /// File data that it moved, in bytes.
    pub bytes: u64,
    /// Latencies; null where the trace has none for it.
    pub latency: Option<TraceLatencyDocument>,
}

/// Latencies, in seconds. Percentiles are good to 1 %.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceLatencyDocument {
    /// Operations that have one.
    pub count: u64,
    /// The mean.
    pub mean_s: f64,
    /// Half are at most this.
    pub p50_s: f64,
    /// 95 % are at most this.
    pub p95_s: f64,
    /// 99 % are at most this.
    pub p99_s: f64,
    /// The longest.
    pub max_s: f64,
}

/// Sizes of reads or writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSizesDocument {
    /// The mean, in bytes; 0 without any.
    pub mean_bytes: f64,
    /// Sizes, the most frequent first.
    pub sizes: Vec<TraceSizeDocument>,
    /// How many had a size that is not listed.
    pub others: u64,
}

/// One size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSizeDocument {
    /// The size.
    pub bytes: u64,
    /// How often there was one.
    pub count: u64,
}

/// How much is sequential.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSequentialDocument {
    /// The share of operations; null without any.
    pub share: Option<f64>,
    /// Mean bytes from one jump to the next; null without any.
    pub run_bytes: Option<f64>,
}

/// Operations under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceConcurrencyDocument {
    /// The mean, by Little's law; null if the trace has no span.
    pub mean: Option<f64>,
    /// The most at once.
    pub max: u64,
}

/// What data was used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceWorkingSetDocument {
    /// The blocks by which data is looked at, in bytes.
    pub block_bytes: u64,
    /// Distinct data, in bytes; an estimate to 1 % when large.
    pub footprint_bytes: f64,
    /// What an LRU cache of each size would have had of the data that was read.
    pub cache: Vec<TraceCacheDocument>,
}

/// A cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceCacheDocument {
    /// Its size, in bytes.
    pub bytes: f64,
    /// The share of read data that it would have had.
    pub hits: f64,
}

/// Rates over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceRatesDocument {
    /// Seconds of each bin.
    pub bin_s: f64,
    /// Operations a second, a number a bin. The trace ends within the last one, whose figures are therefore
    /// too low.
    pub operations_per_s: Vec<f64>,
    /// File data a second, a number a bin.
    pub payload_bytes_per_s: Vec<f64>,
}

/// What was not taken as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceSkippedDocument {
    /// Lines that are wrong.
    pub bad_lines: u64,
    /// Every reason that there was.
    pub reasons: Vec<TraceReasonDocument>,
    /// The first bad lines.
    pub first: Vec<TraceBadLineDocument>,
}

/// A reason for which something was not taken as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TraceBadLineDocument {
    /// Its number in the uncompressed text, from 1.
    pub line: u64,
    /// The byte at which it goes wrong, from 1.
    pub column: u32,
    /// Name of what is wrong.
    pub reason: String,
    /// The line from there on, shortened.
    pub excerpt: String,
    /// All of it in words.
    #[serde(default)]
    pub words: String,
}

/// The JSON Schema of [`TraceDocument`].
pub fn trace_schema() -> serde_json::Value {
    super::schema_of::<TraceDocument>()
}

/// `report` as JSON.
pub fn trace_json(report: &TraceReport) -> String {
    let summary = &report.summary;
    let seconds = |ns: u64| ns as f64 / SECOND_NS;
    let span_s = seconds(summary.span_ns);
    let per_second = |amount: f64| (span_s > 0.0).then(|| amount / span_s);
    let bin_s = seconds(summary.bin_ns);
    let bytes: f64 = summary
        .by_operation
        .iter()
        .map(|operation| operation.bytes as f64)
        .sum();
    super::pretty(&TraceDocument {
        schema: TRACE_SCHEMA_VERSION,
        bandgraph: crate::VERSION.to_owned(),
        trace: report.name.clone(),
        format: report.format.as_str().to_owned(),
        compression: report.compression.as_str().to_owned(),
        bytes_read: report.bytes_read,
        lines: report.lines,
        operations: summary.operations,
        span_s,
        operations_per_s: per_second(summary.operations as f64),
        payload_bytes_per_s: per_second(bytes),
        clients: summary.clients,
        files: summary.files,
        by_operation: summary
            .by_operation
            .iter()
            .map(|operation| TraceOperationDocument {
                operation: operation.operation.name().to_owned(),
                count: operation.count,
                share: operation.count as f64 / summary.operations as f64,
                bytes: operation.bytes,
                latency: operation.latency.map(latency),
            })
            .collect(),
        read_sizes: sizes(&summary.reads),
        write_sizes: sizes(&summary.writes),
        stable_write_share: summary.stable_share,
        sequential_reads: sequential(summary.sequential_reads),
        sequential_writes: sequential(summary.sequential_writes),
        concurrency: summary.concurrency_max.map(|max| TraceConcurrencyDocument {
            mean: summary.concurrency_mean,
            max: max as u64,
        }),
        working_set: TraceWorkingSetDocument {
            block_bytes: WORKING_SET_BLOCK,
            footprint_bytes: summary.footprint_bytes,
            cache: summary
                .cache
                .iter()
                .map(|point| TraceCacheDocument {
                    bytes: point.bytes,
                    hits: point.hits,
                })
                .collect(),
        },
        rates: TraceRatesDocument {
            bin_s,
            operations_per_s: summary
                .rates
                .iter()
                .map(|bin| bin.operations as f64 / bin_s)
                .collect(),
            payload_bytes_per_s: summary.rates.iter().map(|bin| bin.bytes as f64 / bin_s).collect(),
        },
        skipped: skipped(&report.skipped),
    })
}

fn latency(latency: LatencyStatistics) -> TraceLatencyDocument {
    let seconds = |ns: u64| ns as f64 / SECOND_NS;
    TraceLatencyDocument {
        count: latency.count,
        mean_s: latency.mean_ns / SECOND_NS,
        p50_s: seconds(latency.p50_ns),
        p95_s: seconds(latency.p95_ns),
        p99_s: seconds(latency.p99_ns),
        max_s: seconds(latency.max_ns),
    }
}

fn sizes(sizes: &SizeStatistics) -> TraceSizesDocument {
    TraceSizesDocument {
        mean_bytes: sizes.mean_bytes,
        sizes: sizes
            .sizes
            .iter()
            .map(|&(bytes, count)| TraceSizeDocument { bytes, count })
            .collect(),
        others: sizes.others,
    }
}

fn sequential(sequential: SequentialStatistics) -> TraceSequentialDocument {
    TraceSequentialDocument {
        share: sequential.share,
        run_bytes: sequential.run_bytes,
    }
}

/// What was not taken as it stands, as all results that read a trace have it.
pub fn skipped(skipped: &Skipped) -> TraceSkippedDocument {
    TraceSkippedDocument {
        bad_lines: skipped.bad_lines(),
        reasons: skipped
            .counts()
            .map(|(reason, count)| TraceReasonDocument {
                reason: reason.name().to_owned(),
                words: reason.words().to_owned(),
                count,
                skipped: reason.skips(),
            })
            .collect(),
        first: skipped.first().iter().map(bad_line).collect(),
    }
}

fn bad_line(malformed: &Malformed) -> TraceBadLineDocument {
    TraceBadLineDocument {
        line: malformed.line,
        column: malformed.column,
        reason: malformed.reason.name().to_owned(),
        excerpt: malformed.excerpt.clone(),
        words: malformed.to_string(),
    }
}
