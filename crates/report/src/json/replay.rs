//! The JSON of a replayed trace, a part of that of a run.

use super::latency::LatencyDocument;
use super::trace::TraceSkippedDocument;
use crate::ReplayReport;

documents! {
    /// A trace that was replayed, and what of it could be.
    pub struct ReplayDocument(replay: &ReplayReport) {
        let summary = &replay.summary;
        let recorded = summary.recorded_latency.as_ref();

        /// Where it came from, as it was named.
        pub name: String = replay.name.clone(),
        /// What it is written in.
        pub format: String = replay.format.to_string(),
        /// Id of the workload that it stood for.
        pub workload: String = replay.workload.clone(),
        /// When operations came: `as-recorded` or `as-fast-as-possible`.
        pub timing: String = summary.timing.as_str().to_owned(),
        /// How many times as fast as recorded.
        pub speed: f64 = summary.speed,
        /// Operations replayed.
        pub operations: u64 = summary.operations,
        /// File data moved, in bytes.
        pub payload_bytes: f64 = summary.payload,
        /// From the first to the last start in the trace, in seconds.
        pub recorded_span_s: f64 = summary.recorded_span.get(),
        /// From the first start to the last reply in the simulation, in seconds.
        pub replayed_span_s: f64 = summary.replayed_span.get(),
        /// Latencies as recorded; null where the trace has none.
        pub recorded_latency: Option<LatencyDocument> =
            recorded.map(|(found, _)| LatencyDocument::new(found, false)),
        /// Operations with a recorded latency.
        pub recorded_latencies: u64 = recorded.map_or(0, |&(_, count)| count),
        /// Operations of a size that the beginning of the trace does not show, made of the two nearest sizes.
        pub of_other_sizes: u64 = summary.of_other_sizes,
        /// Operations that came later than recorded, since as many as a replay keeps were out; their
        /// latencies count from when they were recorded.
        #[serde(default)]
        pub held: u64 = summary.held,
        /// Clients of the trace. Where the scenario has fewer, several are one.
        #[serde(default)]
        pub clients: u64 = summary.clients,
        /// Operations of kinds too rare among too many for the NICs of their clients to count.
        #[serde(default)]
        pub past_client_nics: u64 = summary.past_nics,
        /// What was skipped or kept with a remark, and the first bad lines.
        pub skipped: TraceSkippedDocument = TraceSkippedDocument::new(&replay.skipped),
    }
}
