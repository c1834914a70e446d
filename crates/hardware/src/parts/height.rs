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
    /// The words for them in files.
    pub const WORDS: &'static [&'static str] = &["full", "low"];

    /// The height that a word stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Full, Self::Low]
            .into_iter()
            .find(|height| height.as_str() == word)
    }

    /// Whether a card of this height goes into a slot of that height.
    pub fn fits(self, slot: Self) -> bool {
        slot == Self::Full || self == Self::Low
    }

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
            FieldValue::Text(text) => Self::from_word(&text),
            _ => None,
        }
    }
}
