//! What can be wrong with the text of a quantity.

use std::ops::Range;

use thiserror::Error;

use crate::QuantityKind;

/// Why a text is not a quantity of the expected kind.
///
/// Each case says what would be right, and keeps the byte range inside the text that it is about
/// ([`range`](Self::range)), so that a caller can point at it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// There is nothing but white space.
    #[error("empty, where {} such as `{}` belongs", .expected.with_article(), .expected.example())]
    Empty {
        /// What belongs here.
        expected: QuantityKind,
        /// The whole text.
        range: Range<usize>,
    },
    /// The text does not begin with a number.
    #[error("`{found}` is not a number; {} is a number and a unit, such as `{}`", .expected.with_article(), .expected.example())]
    NotANumber {
        /// What stands where the number belongs, shortened if long.
        found: String,
        /// What belongs here.
        expected: QuantityKind,
        /// Where that stands.
        range: Range<usize>,
    },
    /// The number is infinite, not a number at all (`nan`), or too large to count in the base unit.
    #[error("`{found}` is not a finite number, or too large for {}", .expected.with_article())]
    NotFinite {
        /// The number as written, shortened if long.
        found: String,
        /// What belongs here.
        expected: QuantityKind,
        /// Where the number stands.
        range: Range<usize>,
    },
    /// A bare number. Refused, because GB and GiB differ by 7 % and a bare number does not say which is
    /// meant.
    #[error("`{number}` has no unit; write {}", .expected.with_units(.number))]
    MissingUnit {
        /// The number as written, shortened if long.
        number: String,
        /// What belongs here.
        expected: QuantityKind,
        /// Where the number stands.
        range: Range<usize>,
    },
    /// A unit that no quantity has.
    #[error("unknown unit `{unit}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownUnit {
        /// The unit as written, shortened if long.
        unit: String,
        /// What may have been meant, ready to print: "`Mbit/s` or `MB/s`".
        suggestion: Option<String>,
        /// What belongs here.
        expected: QuantityKind,
        /// Where the unit stands.
        range: Range<usize>,
    },
    /// A good quantity of another kind, such as `25 us` where a bandwidth belongs.
    #[error("`{unit}` is a unit of {found}, where {} such as `{}` belongs", .expected.with_article(), .expected.example())]
    WrongKind {
        /// The unit as written.
        unit: String,
        /// What the text is.
        found: QuantityKind,
        /// What belongs here.
        expected: QuantityKind,
        /// Where the unit stands.
        range: Range<usize>,
    },
}

impl QuantityError {
    /// The bytes of the text that the error is about, on character boundaries.
    pub fn range(&self) -> Range<usize> {
        match self {
            Self::Empty { range, .. }
            | Self::NotANumber { range, .. }
            | Self::NotFinite { range, .. }
            | Self::MissingUnit { range, .. }
            | Self::UnknownUnit { range, .. }
            | Self::WrongKind { range, .. } => range.clone(),
        }
    }

    /// The kind of quantity that was expected.
    pub const fn expected(&self) -> QuantityKind {
        match self {
            Self::Empty { expected, .. }
            | Self::NotANumber { expected, .. }
            | Self::NotFinite { expected, .. }
            | Self::MissingUnit { expected, .. }
            | Self::UnknownUnit { expected, .. }
            | Self::WrongKind { expected, .. } => *expected,
        }
    }

    /// A line of help that goes with the message: the units that belong here.
    pub fn help(&self) -> String {
        let expected = self.expected();
        let spellings: Vec<&str> = expected.units().iter().map(crate::Unit::spelling).collect();
        format!("units of {}: {}", expected.name(), spellings.join(", "))
    }
}

impl QuantityKind {
    /// The name with its article: `"an operation rate"`.
    pub fn with_article(self) -> String {
        let article = if self == Self::OperationRate { "an" } else { "a" };
        format!("{article} {}", self.name())
    }

    /// `number` with the units that would make it a quantity of this kind, for the message about a bare
    /// number.
    fn with_units(self, number: &str) -> String {
        match self {
            Self::Bytes => format!("`{number} GB` (10^9 bytes) or `{number} GiB` (2^30 bytes)"),
            Self::Bandwidth => {
                format!(
                    "`{number} GB/s` (10^9 bytes/s), `{number} GiB/s` (2^30 bytes/s) or `{number} Gbit/s`"
                )
            }
            Self::Time => format!("`{number} s`, `{number} ms` or `{number} us`"),
            Self::Frequency => format!("`{number} GHz` or `{number} MHz`"),
            Self::OperationRate => format!("`{number} ops/s`"),
            Self::Power => format!("`{number} W`"),
            Self::Fraction => format!("`{number} %`, where 100 % is the whole"),
        }
    }
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |suggestion| format!("; did you mean {suggestion}?"))
}
