//! A place in a text.

use std::ops::Range;

use crate::SourceId;

/// A byte range in a source, with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The text.
    pub source: SourceId,
    /// Bytes of the text; empty for a position between two characters. Renderers replace an invalid range by
    /// the nearest valid one, inside the text and on character boundaries.
    pub range: Range<usize>,
    /// A few words to print at the place; may be empty.
    pub label: String,
}

impl Place {
    /// A place without a label.
    pub const fn new(source: SourceId, range: Range<usize>) -> Self {
        Self {
            source,
            range,
            label: String::new(),
        }
    }

    /// The same place with a label.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}
