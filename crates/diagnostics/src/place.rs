//! A place in a text.

use std::ops::Range;

use crate::SourceId;

/// A byte range in a source, with what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The text.
    pub source: SourceId,
    /// Bytes of the text. Empty to point between two characters. Need not be inside the text or on character
    /// boundaries: renderers take the nearest range that is.
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

    /// The same place with these words at it.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
}
