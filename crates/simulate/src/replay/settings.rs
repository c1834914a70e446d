//! Settings of a replay.

use bandgraph_config::words;

words! {
    /// When the operations of a trace come.
    #[derive(Default)]
    pub enum Timing: "when operations come" {
        /// When they were recorded, or a number of times as fast.
        #[default]
        AsRecorded = "as-recorded",
        /// As fast as the server answers, with as many of each client out at a time as when they were
        /// recorded.
        AsFastAsPossible = "as-fast-as-possible",
    }
}

/// Every timing with its name and description, for arguments.
pub const TIMINGS: &[(Timing, &str, &str)] = &[
    (
        Timing::AsRecorded,
        Timing::AsRecorded.as_str(),
        "When they were recorded",
    ),
    (
        Timing::AsFastAsPossible,
        Timing::AsFastAsPossible.as_str(),
        "As fast as they are answered, with at most as many in flight per client as were recorded",
    ),
];

/// Settings of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplaySettings {
    /// Index of the workload that the trace replaces; its clients, protocol and ports apply.
    pub workload: usize,
    /// Times at which operations are issued.
    pub timing: Timing,
    /// Speed-up relative to the recording, above zero.
    pub speed: f64,
}
