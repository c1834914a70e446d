//! The order in which a thread visits its file data.

use std::fmt;
use std::str::FromStr;

use crate::UnknownName;

/// The order in which a thread visits its file data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessPattern {
    /// Each operation begins where the one before it ended.
    #[default]
    Sequential,
    /// Each operation begins at a place drawn uniformly from the working set.
    Random,
}

impl AccessPattern {
    /// Both, in order of declaration.
    pub const ALL: &'static [Self] = &[Self::Sequential, Self::Random];

    /// The name in files and reports: `"sequential"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for AccessPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads a [`name`](AccessPattern::name); [`AccessPattern::ALL`] has what would have been right.
impl FromStr for AccessPattern {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .iter()
            .copied()
            .find(|pattern| pattern.name() == text)
            .ok_or_else(|| UnknownName {
                expected: "an access pattern",
                found: text.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for pattern in AccessPattern::ALL {
            assert_eq!(pattern.name().parse(), Ok(*pattern));
        }
        assert!("zigzag".parse::<AccessPattern>().is_err());
    }
}
