//! The range of valid numbers of a field.

use bandgraph_units::QuantityKind;
use thiserror::Error;

/// A range of numbers, in base units. Infinite values and NaN are never in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The minimum.
    pub minimum: f64,
    /// The maximum; infinite without a limit.
    pub maximum: f64,
    /// Whether zero is excluded.
    pub positive: bool,
    /// Only multiples of this are in the range; 0 for all numbers.
    pub multiple: f64,
}

impl Range {
    /// Any number from zero up.
    pub const NOT_NEGATIVE: Self = Self {
        minimum: 0.0,
        maximum: f64::INFINITY,
        positive: false,
        multiple: 0.0,
    };

    /// The number of this range that is nearest to a finite one; a positive range must have a minimum above 0
    /// for that.
    pub fn nearest(&self, number: f64) -> f64 {
        let number = if self.multiple > 0.0 {
            (number / self.multiple).round() * self.multiple
        } else {
            number
        };
        number.clamp(self.minimum, self.maximum)
    }

    /// The minimum, also of positive numbers.
    fn least(&self) -> f64 {
        if self.positive {
            self.minimum.max(LEAST_POSITIVE)
        } else {
            self.minimum
        }
    }

    /// The problem of a number with this kind of quantity, or without a unit; `None` if it is in the range.
    pub fn problem(&self, number: f64, kind: Option<QuantityKind>) -> Option<OutOfRange> {
        let show = |number| printed(number, kind);
        let found = || show(number);
        if !number.is_finite() {
            Some(OutOfRange::NotFinite)
        } else if self.positive && number <= 0.0 {
            Some(OutOfRange::NotPositive { found: found() })
        } else if number < self.least() {
            let minimum = show(self.least());
            Some(OutOfRange::TooSmall {
                minimum,
                found: found(),
            })
        } else if number > self.maximum {
            let maximum = show(self.maximum);
            Some(OutOfRange::TooLarge {
                maximum,
                found: found(),
            })
        } else if self.multiple > 0.0 && number % self.multiple != 0.0 {
            Some(if number.fract() == 0.0 {
                let multiple = show(self.multiple);
                OutOfRange::NotMultiple {
                    multiple,
                    found: found(),
                }
            } else {
                OutOfRange::NotWhole {
                    of: if kind == Some(QuantityKind::Bytes) {
                        " of bytes"
                    } else {
                        ""
                    },
                    found: found(),
                }
            })
        } else {
            None
        }
    }
}

/// The minimum of positive numbers, far below any figure of a server: quotients of smaller ones are infinite.
const LEAST_POSITIVE: f64 = 1e-100;

/// Bytes per MiB.
const MIB: f64 = 1_048_576.0;

/// A number with its unit, for messages. Sizes below 100 kB are printed in full: `65535 B` is a limit, `65.5
/// kB` is not.
pub fn printed(number: f64, kind: Option<QuantityKind>) -> String {
    match kind {
        Some(QuantityKind::Bytes) if number.abs() < 1e5 => format!("{number} B"),
        Some(QuantityKind::Bytes) if number % MIB == 0.0 => QuantityKind::Bytes.format_binary(number),
        Some(kind) => kind.format(number),
        None => bandgraph_units::significant(number, 6),
    }
}

/// Why a number is not in its range. Messages follow the name of the field.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OutOfRange {
    /// Infinite, or not a number.
    #[error("must be a finite number")]
    NotFinite,
    /// Zero or negative, although only more than zero is valid.
    #[error("must be more than zero, not {found}")]
    NotPositive {
        /// The given number, with its unit.
        found: String,
    },
    /// Below the minimum.
    #[error("must be at least {minimum}, not {found}")]
    TooSmall {
        /// The minimum, with its unit.
        minimum: String,
        /// The given number, with its unit.
        found: String,
    },
    /// Above the maximum.
    #[error("must be at most {maximum}, not {found}")]
    TooLarge {
        /// The maximum, with its unit.
        maximum: String,
        /// The given number, with its unit.
        found: String,
    },
    /// A fraction, although only whole numbers are valid.
    #[error("must be a whole number{of}, not {found}")]
    NotWhole {
        /// Of what, with a preposition; empty for plain numbers.
        of: &'static str,
        /// The given number, with its unit.
        found: String,
    },
    /// Not a multiple.
    #[error("must be a multiple of {multiple}, not {found}")]
    NotMultiple {
        /// The required factor, with its unit.
        multiple: String,
        /// The given number, with its unit.
        found: String,
    },
}

impl OutOfRange {
    /// The stable id of this kind of problem of a number in a file.
    pub const fn id(&self, number: f64) -> &'static str {
        match self {
            Self::NotFinite => "value::not_finite",
            _ if number < 0.0 => "value::negative",
            Self::NotPositive { .. } => "value::zero",
            Self::TooSmall { .. } if number == 0.0 => "value::zero",
            _ => "value::out_of_range",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_problem_says_what_would_be_right() {
        let range = Range {
            minimum: 28.0,
            maximum: 408.0,
            multiple: 4.0,
            ..Range::NOT_NEGATIVE
        };
        let problem = |number: f64| {
            let problem = range.problem(number, Some(QuantityKind::Bytes));
            problem.map_or("none".to_owned(), |problem| problem.to_string())
        };
        assert_eq!(problem(56.0), "none");
        assert_eq!(problem(24.0), "must be at least 28 B, not 24 B");
        assert_eq!(problem(412.0), "must be at most 408 B, not 412 B");
        assert_eq!(problem(30.0), "must be a multiple of 4 B, not 30 B");
        assert_eq!(problem(30.5), "must be a whole number of bytes, not 30.5 B");
        assert_eq!(problem(f64::NAN), "must be a finite number");
        let positive = Range {
            positive: true,
            ..Range::NOT_NEGATIVE
        };
        let least = positive.problem(1e-320, Some(QuantityKind::Bandwidth));
        let least = least.expect("next to nothing is refused");
        assert_eq!(least.to_string(), "must be at least 1e-100 B/s, not 1e-320 B/s");
        assert_eq!(positive.problem(1e-100, None), None);
        let problem = positive.problem(0.0, None).expect("zero is refused");
        assert_eq!(
            (problem.to_string().as_str(), problem.id(0.0)),
            ("must be more than zero, not 0", "value::zero")
        );
    }
}
