//! The common interface of all formats: lines in, records out.

use super::clock::Clock;
use super::names::Clients;
use super::{Reason, Skipped};
use bandgraph_workload::Record;

/// Why a line is skipped, and the position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) reason: Reason,
    /// Byte offset in the line, from 0.
    pub(super) at: usize,
}

impl Fault {
    #[inline]
    pub(super) const fn at(reason: Reason, at: usize) -> Self {
        Self { reason, at }
    }
}

/// State of the reader that formats use.
#[derive(Default)]
pub(super) struct Context {
    pub(super) clock: Clock,
    pub(super) clients: Clients,
    pub(super) skipped: Skipped,
}

/// A parser of a format: takes lines, returns records in order of their start.
pub(super) trait Parse {
    /// Parses a line.
    fn line(&mut self, line: &[u8], context: &mut Context) -> Result<(), Fault>;

    /// The next complete record, if there is one.
    fn pop(&mut self, context: &mut Context) -> Option<Record>;

    /// Ends the input. Records that wait for other lines become complete.
    fn finish(&mut self) {}
}
