//! Why reading a trace stops before its end.

use std::io;

use thiserror::Error;

use super::Malformed;

/// Why reading a trace stops before its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// A read from the source failed.
    #[error("failed to read the trace: {0}")]
    Source(#[from] io::Error),
    /// The trace is empty.
    #[error("the trace is empty")]
    Empty,
    /// An unsupported compression.
    #[error("the trace is compressed with {with}, which is not read here")]
    Compression {
        /// The program for this compression.
        with: &'static str,
    },
    /// The beginning of the trace matches no known format.
    #[error("the format of the trace is unknown; it begins with `{beginning}`")]
    UnknownFormat {
        /// The beginning.
        beginning: String,
    },
    /// A malformed line, in strict mode.
    #[error("{0}")]
    Malformed(Malformed),
}

impl TraceError {
    /// The stable name of the kind of error, a key of [`EXPLANATIONS`].
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Source(_) => "trace::unreadable",
            Self::Empty => "trace::empty",
            Self::Compression { .. } => "trace::unknown_compression",
            Self::UnknownFormat { .. } => "trace::unknown_format",
            Self::Malformed(_) => "trace::malformed",
        }
    }

    /// What would be right, if that is known.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownFormat { beginning } if beginning.starts_with('{') => {
                Some("results of fio as JSON are no trace: `bandgraph measure import` reads them".to_owned())
            }
            Self::UnknownFormat { beginning } if is_log_of_values(beginning) => Some(
                "fio's logs of latencies, bandwidth and IOPS do not have the offset of every operation; its \
                 option `write_iolog` writes a trace"
                    .to_owned(),
            ),
            Self::UnknownFormat { .. } => Some(
                "known are the text of nfsdump, logs that fio writes with `write_iolog`, the CSV of MSR \
                 Cambridge and the text of blkparse; `--trace-format` names one: nfsdump, iolog2, iolog3, \
                 msr or blkparse"
                    .to_owned(),
            ),
            Self::Compression { with } => Some(format!(
                "take it off on the way: `{with} -dc FILE | bandgraph trace stat -`"
            )),
            // A malformed line is an error only in strict mode.
            Self::Malformed(_) => Some("without `--strict`, bad lines are skipped and counted".to_owned()),
            Self::Source(_) | Self::Empty => None,
        }
    }
}

/// Whether the text looks like a log of fio's `write_lat_log` and similar options: four or more integers
/// separated by commas.
fn is_log_of_values(beginning: &str) -> bool {
    let line = beginning.lines().next().unwrap_or_default();
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    fields.len() >= 4 && fields.iter().all(|field| field.parse::<u64>().is_ok())
}

/// An explanation of every [`TraceError::id`].
pub const EXPLANATIONS: &str = include_str!("explanations.txt");
