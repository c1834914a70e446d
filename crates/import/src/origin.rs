//! Where a value was said.

use bandgraph_diagnostics::{Place, SourceId};

/// A range of bytes in a source: the line or attribute that said a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The file.
    pub source: SourceId,
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Origin {
    /// The place to point at in a message.
    pub const fn place(self) -> Place {
        Place::new(self.source, self.start..self.end)
    }

    /// `value`, said here.
    pub const fn says<T>(self, value: T) -> Said<T> {
        Said { value, at: self }
    }
}

/// A value with the place that said it.
#[derive(Clone, Debug, PartialEq)]
pub struct Said<T> {
    /// The value.
    pub value: T,
    /// Where it was said.
    pub at: Origin,
}

/// A value that may be unknown.
pub type Fact<T> = Option<Said<T>>;

/// The value of a fact without its origin.
pub trait Known<T> {
    /// The value, if it is known.
    fn known(&self) -> Option<T>;
}

impl<T: Clone> Known<T> for Fact<T> {
    fn known(&self) -> Option<T> {
        self.as_ref().map(|said| said.value.clone())
    }
}
