//! The JSON of a replayed trace, a part of that of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::latency::{LatencyDocument, latency};
use super::trace::{TraceSkippedDocument, skipped};
use crate::ReplayReport;

/// A trace that was replayed, and what of it could be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayDocument {
    /// Where it came from, as it was named.
    pub name: String,
    /// What it is written in.
    pub format: String,
    /// Id of the workload that it stood for.
    pub workload: String,
    /// When operations came: `as-recorded` or `as-fast-as-possible`.
    pub timing: String,
    /// How many times as fast as recorded.
    pub speed: f64,
    /// Operations replayed.
    pub operations: u64,
    /// File data moved, in bytes.
    pub payload_bytes: f64,
    /// From the first to the last start in the trace, in seconds.
    pub recorded_span_s: f64,
    /// From the first start to the last reply in the simulation, in seconds.
    pub replayed_span_s: f64,
    /// Latencies as recorded; null where the trace has none.
    pub recorded_latency: Option<LatencyDocument>,
    /// Operations with a recorded latency.
    pub recorded_latencies: u64,
    /// Operations of a size that the beginning of the trace does not show, made of the two nearest sizes.
    pub of_other_sizes: u64,
    /// Operations that came later than recorded, since as many as a replay keeps were out; their latencies
    /// count from when they were recorded.
    #[serde(default)]
    pub held: u64,
    /// Clients of the trace. Where the scenario has fewer, several are one.
    #[serde(default)]
    pub clients: u64,
    /// Operations of kinds too rare among too many for the NICs of their clients to count.
    #[serde(default)]
    pub past_client_nics: u64,
    /// What was skipped or kept with a remark, and the first bad lines.
    pub skipped: TraceSkippedDocument,
}

impl ReplayDocument {
    pub(super) fn new(replay: &ReplayReport) -> Self {
        let summary = &replay.summary;
        let recorded = summary.recorded_latency.as_ref();
        Self {
            name: replay.name.clone(),
            format: replay.format.to_string(),
            workload: replay.workload.clone(),
            timing: summary.timing.as_str().to_owned(),
            speed: summary.speed,
            operations: summary.operations,
            payload_bytes: summary.payload,
            recorded_span_s: summary.recorded_span.get(),
            replayed_span_s: summary.replayed_span.get(),
            recorded_latency: recorded.map(|(found, _)| latency(found)),
            recorded_latencies: recorded.map_or(0, |&(_, count)| count),
            of_other_sizes: summary.of_other_sizes,
            held: summary.held,
            clients: summary.clients,
            past_client_nics: summary.past_nics,
            skipped: skipped(&replay.skipped),
        }
    }
}
