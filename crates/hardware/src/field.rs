//! Fields of parts: what they hold, which values they take, and the errors of setting one by name.
//!
//! A part is a plain struct for those who compute with it. For files, `--set` flags, `parts show` and schemas it is
//! also a list of named fields, and this module is the vocabulary of that second view.

use bandgraph_units::{Bandwidth, Bytes, Fraction, Frequency, Power, Quantity, QuantityKind, Time};
use thiserror::Error;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A quantity with a unit.
    Quantity(QuantityKind),
    /// A whole number.
    Count,
    /// A dimensionless number.
    Number,
    /// Yes or no.
    Flag,
    /// Free text, such as the name of another part.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl FieldKind {
    /// What a value of this kind is called in an error message: `"a bandwidth such as \"4 GB/s\""`.
    pub fn expectation(self) -> String {
        match self {
            Self::Quantity(kind) => format!("a {} such as {:?}", kind.name(), kind.example()),
            Self::Count => "a whole number".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Choice(choices) => format!("one of {}", choices.join(", ")),
        }
    }
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// A quantity, in the base unit of its kind.
    Quantity(f64),
    /// A whole number.
    Count(u64),
    /// A dimensionless number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// A text, or the word of a choice.
    Text(String),
}

impl FieldValue {
    /// The value as people read it, given the kind of its field: `"2.3 GHz"`, `"4"`, `"true"`.
    pub fn display(&self, kind: FieldKind) -> String {
        match (self, kind) {
            (Self::Quantity(value), FieldKind::Quantity(kind)) => kind.format(*value),
            (Self::Quantity(value) | Self::Number(value), _) => bandgraph_units::significant(*value, 6),
            (Self::Count(value), _) => value.to_string(),
            (Self::Flag(value), _) => value.to_string(),
            (Self::Text(value), _) => value.clone(),
        }
    }

    /// What this is, for an error message: `"a whole number"`.
    fn description(&self) -> &'static str {
        match self {
            Self::Quantity(_) => "a quantity",
            Self::Count(_) => "a whole number",
            Self::Number(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::Text(_) => "a text",
        }
    }

    /// The value as a number, where it is one.
    fn number(&self) -> Option<f64> {
        match self {
            Self::Quantity(value) | Self::Number(value) => Some(*value),
            Self::Count(value) => Some(*value as f64),
            Self::Flag(_) | Self::Text(_) => None,
        }
    }
}

/// A field of a kind of part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldInfo {
    /// The name, as files write it.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// What it means, in a sentence or two.
    pub doc: &'static str,
    /// The smallest value allowed, in base units; only numbers have one that matters.
    pub minimum: f64,
    /// The largest value allowed, in base units; infinite if there is none. Infinite values are refused all the same.
    pub maximum: f64,
    /// Whether zero is refused too.
    pub positive: bool,
    /// Whether a part that is defined from nothing must give it. The other fields have defaults.
    pub required: bool,
}

impl FieldInfo {
    /// An optional field that takes any value from zero up. The rules below narrow or widen that.
    pub(crate) const fn new(name: &'static str, kind: FieldKind, doc: &'static str) -> Self {
        Self {
            name,
            kind,
            doc,
            minimum: 0.0,
            maximum: f64::INFINITY,
            positive: false,
            required: false,
        }
    }

    /// Has no sensible default.
    pub(crate) const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    /// Refuses zero.
    pub(crate) const fn positive(self) -> Self {
        Self {
            positive: true,
            ..self
        }
    }

    /// Refuses less than `minimum`, in base units.
    pub(crate) const fn at_least(self, minimum: f64) -> Self {
        Self { minimum, ..self }
    }

    /// Refuses more than `maximum`, in base units.
    pub(crate) const fn at_most(self, maximum: f64) -> Self {
        Self { maximum, ..self }
    }

    /// Checks a value against the kind and the range.
    ///
    /// # Errors
    ///
    /// All of [`FieldError`] but [`FieldError::Unknown`].
    pub fn check(&self, value: &FieldValue) -> Result<(), FieldError> {
        let fits = match (self.kind, value) {
            (FieldKind::Quantity(_), FieldValue::Quantity(_))
            | (FieldKind::Count, FieldValue::Count(_))
            | (FieldKind::Number, FieldValue::Number(_) | FieldValue::Count(_))
            | (FieldKind::Flag, FieldValue::Flag(_))
            | (FieldKind::Text, FieldValue::Text(_)) => true,
            (FieldKind::Choice(choices), FieldValue::Text(text)) => {
                if !choices.contains(&text.as_str()) {
                    return Err(FieldError::Choice {
                        field: self.name,
                        found: text.clone(),
                        choices,
                    });
                }
                true
            }
            _ => false,
        };
        if !fits {
            return Err(FieldError::Kind {
                field: self.name,
                expected: self.kind.expectation(),
                found: value.description(),
            });
        }
        match value.number() {
            Some(number) => self.check_range(number, value),
            None => Ok(()),
        }
    }

    fn check_range(&self, number: f64, value: &FieldValue) -> Result<(), FieldError> {
        let field = self.name;
        let show = |number: f64| match self.kind {
            FieldKind::Quantity(kind) => kind.format(number),
            _ => bandgraph_units::significant(number, 6),
        };
        if !number.is_finite() {
            return Err(FieldError::NotFinite { field });
        }
        if self.positive && number <= 0.0 {
            return Err(FieldError::NotPositive {
                field,
                found: value.display(self.kind),
            });
        }
        if number < self.minimum {
            return Err(FieldError::TooSmall {
                field,
                minimum: show(self.minimum),
                found: value.display(self.kind),
            });
        }
        if number > self.maximum {
            return Err(FieldError::TooLarge {
                field,
                maximum: show(self.maximum),
                found: value.display(self.kind),
            });
        }
        Ok(())
    }
}

/// Why a field could not be set.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FieldError {
    /// The kind of part has no field of that name.
    #[error("a {part} has no field `{field}`")]
    Unknown {
        /// The kind of part, as text.
        part: &'static str,
        /// The name that was asked for.
        field: String,
    },
    /// A value of another kind.
    #[error("`{field}` takes {expected}, not {found}")]
    Kind {
        /// The field.
        field: &'static str,
        /// What it takes.
        expected: String,
        /// What was given.
        found: &'static str,
    },
    /// A word that is not among the choices.
    #[error("`{field}` is one of {}, not `{found}`", choices.join(", "))]
    Choice {
        /// The field.
        field: &'static str,
        /// What was given.
        found: String,
        /// What would do.
        choices: &'static [&'static str],
    },
    /// Infinite, or not a number.
    #[error("`{field}` must be a finite number")]
    NotFinite {
        /// The field.
        field: &'static str,
    },
    /// Zero or negative where only more than zero makes sense.
    #[error("`{field}` must be more than zero, not {found}")]
    NotPositive {
        /// The field.
        field: &'static str,
        /// What was given, with its unit.
        found: String,
    },
    /// Below the smallest value allowed.
    #[error("`{field}` must be at least {minimum}, not {found}")]
    TooSmall {
        /// The field.
        field: &'static str,
        /// The smallest value allowed, with its unit.
        minimum: String,
        /// What was given, with its unit.
        found: String,
    },
    /// Above the largest value allowed.
    #[error("`{field}` must be at most {maximum}, not {found}")]
    TooLarge {
        /// The field.
        field: &'static str,
        /// The largest value allowed, with its unit.
        maximum: String,
        /// What was given, with its unit.
        found: String,
    },
}

/// A Rust type that a field of a part can have.
pub(crate) trait FieldType: Sized {
    /// What such a field holds.
    const KIND: FieldKind;

    /// The value, as seen by name.
    fn to_value(&self) -> FieldValue;

    /// The typed value of a value that [`FieldInfo::check`] has let pass; `None` for any other.
    fn from_value(value: FieldValue) -> Option<Self>;
}

macro_rules! quantity_field {
    ($($quantity:ident),+) => {
        $(impl FieldType for $quantity {
            const KIND: FieldKind = FieldKind::Quantity(<$quantity as Quantity>::KIND);

            fn to_value(&self) -> FieldValue {
                FieldValue::Quantity(self.get())
            }

            fn from_value(value: FieldValue) -> Option<Self> {
                match value {
                    FieldValue::Quantity(base) => Some(Self::new(base)),
                    _ => None,
                }
            }
        })+
    };
}

quantity_field!(Bytes, Bandwidth, Time, Frequency, Power, Fraction);

impl FieldType for u64 {
    const KIND: FieldKind = FieldKind::Count;

    fn to_value(&self) -> FieldValue {
        FieldValue::Count(*self)
    }

    fn from_value(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Count(count) => Some(count),
            _ => None,
        }
    }
}

impl FieldType for f64 {
    const KIND: FieldKind = FieldKind::Number;

    fn to_value(&self) -> FieldValue {
        FieldValue::Number(*self)
    }

    fn from_value(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Number(number) => Some(number),
            FieldValue::Count(count) => Some(count as Self),
            _ => None,
        }
    }
}

impl FieldType for bool {
    const KIND: FieldKind = FieldKind::Flag;

    fn to_value(&self) -> FieldValue {
        FieldValue::Flag(*self)
    }

    fn from_value(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Flag(flag) => Some(flag),
            _ => None,
        }
    }
}

impl FieldType for String {
    const KIND: FieldKind = FieldKind::Text;

    fn to_value(&self) -> FieldValue {
        FieldValue::Text(self.clone())
    }

    fn from_value(value: FieldValue) -> Option<Self> {
        match value {
            FieldValue::Text(text) => Some(text),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: FieldInfo = FieldInfo {
        name: "clock",
        kind: FieldKind::Quantity(QuantityKind::Frequency),
        doc: "a clock",
        minimum: 0.0,
        maximum: 1e12,
        positive: true,
        required: true,
    };

    fn refusal(info: &FieldInfo, value: &FieldValue) -> String {
        info.check(value)
            .expect_err("the value is not allowed")
            .to_string()
    }

    #[test]
    fn says_what_is_wrong_with_a_value() {
        assert_eq!(CLOCK.check(&FieldValue::Quantity(2.3e9)), Ok(()));
        assert_eq!(
            refusal(&CLOCK, &FieldValue::Count(2)),
            "`clock` takes a frequency such as \"2.6 GHz\", not a whole number"
        );
        assert_eq!(
            refusal(&CLOCK, &FieldValue::Quantity(0.0)),
            "`clock` must be more than zero, not 0 Hz"
        );
        assert_eq!(
            refusal(&CLOCK, &FieldValue::Quantity(-1e9)),
            "`clock` must be more than zero, not -1 GHz"
        );
        assert_eq!(
            refusal(&CLOCK, &FieldValue::Quantity(f64::NAN)),
            "`clock` must be a finite number"
        );
        assert_eq!(
            refusal(&CLOCK, &FieldValue::Quantity(f64::INFINITY)),
            "`clock` must be a finite number"
        );
        assert_eq!(
            refusal(&CLOCK, &FieldValue::Quantity(2e12)),
            "`clock` must be at most 1 THz, not 2 THz"
        );
    }

    #[test]
    fn says_which_choices_there_are() {
        let height = FieldInfo {
            name: "height",
            kind: FieldKind::Choice(&["full", "low"]),
            positive: false,
            ..CLOCK
        };
        assert_eq!(height.check(&FieldValue::Text("low".to_owned())), Ok(()));
        assert_eq!(
            refusal(&height, &FieldValue::Text("lo".to_owned())),
            "`height` is one of full, low, not `lo`"
        );
    }

    #[test]
    fn a_number_field_takes_whole_numbers() {
        let number = FieldInfo {
            name: "base_cpi",
            kind: FieldKind::Number,
            ..CLOCK
        };
        assert_eq!(number.check(&FieldValue::Count(2)), Ok(()));
        assert_eq!(f64::from_value(FieldValue::Count(2)), Some(2.0));
    }
}
