//! The two heights of cards.

use crate::field::{FieldKind, FieldType, FieldValue};

/// The bracket of a card. A low-profile card fits any slot; a full-height one does not fit a low-profile slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CardHeight {
    /// Full height.
    Full,
    /// Low profile.
    #[default]
    Low,
}

impl CardHeight {
    const WORDS: &'static [&'static str] = &["full", "low"];

    /// The word for it in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Low => "low",
        }
    }
}

impl FieldType for CardHeight {
    const KIND: FieldKind = FieldKind::Choice(Self::WORDS);

    fn to_value(&self) -> FieldValue {
        FieldValue::Text(self.as_str().to_owned())
    }

    fn from_value(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Text(text) if text == "full" => Some(Self::Full),
            FieldValue::Text(text) if text == "low" => Some(Self::Low),
            _ => None,
        }
    }
}
