//! The two kinds of network that ports speak.

use crate::field::{FieldKind, FieldType, FieldValue};

/// What frames the packets on a network port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkLayer {
    /// Ethernet frames.
    #[default]
    Ethernet,
    /// InfiniBand packets.
    Infiniband,
}

impl LinkLayer {
    const WORDS: &'static [&'static str] = &["ethernet", "infiniband"];

    /// The word for it in files: `"ethernet"`.
    pub const fn as_str(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

impl FieldType for LinkLayer {
    const KIND: FieldKind = FieldKind::Choice(Self::WORDS);

    fn to_value(&self) -> FieldValue {
        FieldValue::Text(self.as_str().to_owned())
    }

    fn from_value(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Text(text) if text == "ethernet" => Some(Self::Ethernet),
            FieldValue::Text(text) if text == "infiniband" => Some(Self::Infiniband),
            _ => None,
        }
    }
}
