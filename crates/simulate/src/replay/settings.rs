//! How a trace is replayed.

/// When the operations of a trace come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// When they were recorded, or a number of times as fast.
    #[default]
    AsRecorded,
    /// As fast as the server answers, with as many of each client out at a time as when they were recorded.
    AsFastAsPossible,
}

impl Timing {
    /// The names that files use, in the order of declaration.
    pub const WORDS: &'static [&'static str] = &["as-recorded", "as-fast-as-possible"];

    /// The name that files use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AsRecorded => Self::WORDS[0],
            Self::AsFastAsPossible => Self::WORDS[1],
        }
    }
}

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
