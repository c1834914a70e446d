//! What all formats have in common: lines in, records out.

use super::clock::Clock;
use super::names::Clients;
use super::{Reason, Record, Skipped};

/// Why nothing can be made of a line, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) reason: Reason,
    /// Byte of the line, from 0.
    pub(super) at: usize,
}

impl Fault {
    #[inline]
    pub(super) const fn at(reason: Reason, at: usize) -> Self {
        Self { reason, at }
    }
}

/// What a format needs from the reader.
#[derive(Default)]
pub(super) struct Context {
    pub(super) clock: Clock,
    pub(super) clients: Clients,
    pub(super) skipped: Skipped,
}

/// A format: takes lines, gives records in order of their start.
pub(super) trait Parse {
    /// Takes a line.
    fn line(&mut self, line: &[u8], context: &mut Context) -> Result<(), Fault>;

    /// The next record that is complete, if there is one.
    fn pop(&mut self, context: &mut Context) -> Option<Record>;

    /// Takes it that no line follows. What waits for something will be popped without it.
    fn finish(&mut self);
}
