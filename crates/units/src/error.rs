//! Errors in the text of a quantity.

use std::ops::Range;

use thiserror::Error;

use crate::QuantityKind;

/// Why a text is not a quantity of the expected kind.
///
/// Each case names the valid form, and has the byte range of the problem in the text ([`range`](Self::range))
/// for carets.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// The text is only white space.
    #[error("empty, where {} such as `{}` belongs", .expected.with_article(), .expected.example())]
    Empty {
        /// The expected kind.
        expected: QuantityKind,
        /// The whole text.
        range: Range<usize>,
    },
    /// The text does not start with a number.
    #[error("`{found}` is not a number; {} is a number and a unit, such as `{}`", .expected.with_article(), .expected.example())]
    NotANumber {
        /// The text in place of the number, shortened if long.
        found: String,
        /// The expected kind.
        expected: QuantityKind,
        /// The range of that text.
        range: Range<usize>,
    },
    /// The number is infinite, NaN, or too large in the base unit.
    #[error("`{found}` is not a finite number, or too large for {}", .expected.with_article())]
    NotFinite {
        /// The number as written, shortened if long.
        found: String,
        /// The expected kind.
        expected: QuantityKind,
        /// The range of the number.
        range: Range<usize>,
    },
    /// A bare number, which is rejected because GB and GiB differ by 7 %.
    #[error("`{number}` has no unit; write {}", .expected.with_units(.number))]
    MissingUnit {
        /// The number as written, shortened if long.
        number: String,
        /// The expected kind.
        expected: QuantityKind,
        /// The range of the number.
        range: Range<usize>,
    },
    /// A unit that no quantity has.
    #[error("unknown unit `{unit}`{}", did_you_mean(.suggestion.as_deref()))]
    UnknownUnit {
        /// The unit as written, shortened if long.
        unit: String,
        /// Possible intended units, ready to print: "`Mbit/s` or `MB/s`".
        suggestion: Option<String>,
        /// The expected kind.
        expected: QuantityKind,
        /// The range of the unit.
        range: Range<usize>,
    },
    /// A valid quantity of another kind, such as `25 us` instead of a bandwidth.
    #[error("`{unit}` is a unit of {found}, where {} such as `{}` belongs", .expected.with_article(), .expected.example())]
    WrongKind {
        /// The unit as written.
        unit: String,
        /// The kind of the text.
        found: QuantityKind,
        /// The expected kind.
        expected: QuantityKind,
        /// The range of the unit.
        range: Range<usize>,
    },
}

impl QuantityError {
    /// The byte range of the error in the text, on character boundaries.
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

    /// Help for the message: the valid units.
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
            Self::Fraction => format!("`{number} %` (100 % is the whole)"),
        }
    }
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |suggestion| format!("; did you mean {suggestion}?"))
}
