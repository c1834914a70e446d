//! How a trace is replayed.

use bandgraph_config::words;

words! {
    /// When the operations of a trace come.
    #[derive(Default)]
    pub enum Timing: "when operations come" {
        /// When they were recorded, or a number of times as fast.
        #[default]
        AsRecorded = "as-recorded",
        /// As fast as the server answers, with as many of each client out at a time as when they were recorded.
        AsFastAsPossible = "as-fast-as-possible",
    }
}

/// Each timing with its name and what it is, for arguments.
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

/// How a trace is replayed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplaySettings {
    /// The workload that it stands for, as an index into those of the scenario: its clients, protocol and ports.
    pub workload: usize,
    /// When operations come.
    pub timing: Timing,
    /// How many times as fast as recorded: above zero.
    pub speed: f64,
}
