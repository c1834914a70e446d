//! What a trace is like, in one shape for all formats.

use bandgraph_import::Compression;
use bandgraph_import::trace::stat::Summary;
use bandgraph_import::trace::{Format, Skipped};

/// What a trace is like, and what of it could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceReport {
    /// Where it came from, as it was named.
    pub name: String,
    /// What it is written in.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
    /// Bytes that were read, compressed as they are.
    pub bytes_read: u64,
    /// Lines that were read.
    pub lines: u64,
    /// What its records are like.
    pub summary: Summary,
    /// What was not taken as it stands.
    pub skipped: Skipped,
}
