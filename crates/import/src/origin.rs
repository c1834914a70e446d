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

/// A value with its source: file and line.
#[derive(Clone, Debug, PartialEq)]
pub struct Said<T> {
    /// The value.
    pub value: T,
    /// Where it was said.
    pub at: Origin,
}

/// A value that may be unknown.
pub type Fact<T> = Option<Said<T>>;

/// The value of a fact, and what follows from it.
pub trait Known<T> {
    /// The value, if it is known.
    fn value(&self) -> Option<&T>;

    /// A copy of the value, if it is known.
    fn known(&self) -> Option<T>
    where
        T: Clone,
    {
        self.value().cloned()
    }

    /// Where it was said.
    fn at(&self) -> Option<Origin>;

    /// Whether the value is known, and `test` holds for it.
    fn is(&self, test: impl FnOnce(&T) -> bool) -> bool {
        self.value().is_some_and(test)
    }

    /// What follows from the value, said at the same place.
    fn infer<U>(&self, what: impl FnOnce(&T) -> Option<U>) -> Fact<U> {
        Some(self.at()?.says(what(self.value()?)?))
    }
}

impl<T> Known<T> for Fact<T> {
    fn value(&self) -> Option<&T> {
        self.as_ref().map(|said| &said.value)
    }

    fn at(&self) -> Option<Origin> {
        self.as_ref().map(|said| said.at)
    }
}

impl<T> Known<T> for Option<&Said<T>> {
    fn value(&self) -> Option<&T> {
        self.map(|said| &said.value)
    }

    fn at(&self) -> Option<Origin> {
        self.map(|said| said.at)
    }
}
