//! Values of fields by name, for `--set`, `parts show` and calibrations.

use bandgraph_diagnostics::with_article;
use bandgraph_units::Quantity;
use thiserror::Error;

use crate::decode::{Named, Read};
use crate::kind::{Field, Presence, Shape};
use crate::range::OutOfRange;

/// The value of a field that is a single value.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// A quantity, in the base unit of its kind.
    Quantity(f64),
    /// A whole number.
    Count(u64),
    /// A dimensionless number.
    Number(f64),
    /// A flag.
    Flag(bool),
    /// A text, or the word of a choice.
    Text(String),
}

impl FieldValue {
    /// The value in the notation for people, given its field: `"2.3 GHz"`, `"4"`, `"true"`.
    pub fn display(&self, field: &Field) -> String {
        match (self, field.shape) {
            (Self::Quantity(value), Shape::Quantity(kind)) => kind.format_written(*value, field.in_bits),
            (Self::Quantity(value) | Self::Number(value), _) => bandgraph_units::significant(*value, 6),
            (Self::Count(value), _) => value.to_string(),
            (Self::Flag(value), _) => value.to_string(),
            (Self::Text(value), _) => value.clone(),
        }
    }

    /// Its type, for an error message: `"a whole number"`.
    fn description(&self) -> &'static str {
        match self {
            Self::Quantity(_) => "a quantity",
            Self::Count(_) => "a whole number",
            Self::Number(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::Text(_) => "a text",
        }
    }

    /// The value as a number in base units, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Quantity(value) | Self::Number(value) => Some(*value),
            Self::Count(value) => Some(*value as f64),
            Self::Flag(_) | Self::Text(_) => None,
        }
    }
}

impl Field {
    /// Checks a value against shape and range.
    ///
    /// # Errors
    ///
    /// Any [`FieldError`] except [`FieldError::Unknown`].
    pub fn check(&self, value: &FieldValue) -> Result<(), FieldError> {
        let field = self.name;
        let fits = match (self.shape, value) {
            (Shape::Quantity(_), FieldValue::Quantity(_))
            | (Shape::Count, FieldValue::Count(_))
            | (Shape::Number, FieldValue::Number(_) | FieldValue::Count(_))
            | (Shape::Flag, FieldValue::Flag(_))
            | (Shape::Text | Shape::Id | Shape::Reference(_), FieldValue::Text(_)) => true,
            (Shape::Choice(words), FieldValue::Text(text)) => {
                let choices = words();
                if !choices.contains(&text.as_str()) {
                    let found = text.clone();
                    return Err(FieldError::Choice {
                        field,
                        found,
                        choices,
                    });
                }
                true
            }
            (Shape::Parsed(format), FieldValue::Text(text)) => {
                (format.check)(text).map_err(|problem| FieldError::Text { field, problem })?;
                true
            }
            _ => false,
        };
        if !fits {
            return Err(FieldError::Kind {
                field,
                expected: self.shape.expectation(),
                found: value.description(),
            });
        }
        let number = value.number();
        match number.and_then(|number| self.range.problem(number, self.said_as())) {
            Some(problem) => Err(FieldError::Range { field, problem }),
            None => Ok(()),
        }
    }

    /// The default value; `None` if there is none, or it is not a single value.
    pub fn default_value(&self) -> Option<FieldValue> {
        let Presence::Default(text) = self.presence else {
            return None;
        };
        let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        Some(match self.shape {
            Shape::Quantity(kind) => FieldValue::Quantity(match inside {
                Some(text) => kind.parse(text).ok()?,
                None => text.parse().ok()?,
            }),
            Shape::Count => FieldValue::Count(text.parse().ok()?),
            Shape::Number => FieldValue::Number(text.parse().ok()?),
            Shape::Flag => FieldValue::Flag(text.parse().ok()?),
            _ => FieldValue::Text(inside?.to_owned()),
        })
    }
}

impl Shape {
    /// The name of a single value of this shape in an error message: `"a bandwidth such as \"4 GB/s\""`.
    pub fn expectation(self) -> String {
        match self {
            Self::Quantity(kind) => format!("a {} such as {:?}", kind.name(), kind.example()),
            Self::Count => "a whole number".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Choice(words) => format!("one of {}", words().join(", ")),
            _ => "a text".to_owned(),
        }
    }
}

/// Why a field could not be set.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FieldError {
    /// The table has no field with this name.
    #[error("{} has no field `{field}`", with_article(kind))]
    Unknown {
        /// The kind of table.
        kind: &'static str,
        /// The given name.
        field: String,
    },
    /// A value of another type.
    #[error("`{field}` takes {expected}, not {found}")]
    Kind {
        /// The field.
        field: &'static str,
        /// The expected type.
        expected: String,
        /// The given type.
        found: &'static str,
    },
    /// An unknown word.
    #[error("`{field}` is one of {}, not `{found}`", choices.join(", "))]
    Choice {
        /// The field.
        field: &'static str,
        /// The given word.
        found: String,
        /// The valid words.
        choices: Vec<&'static str>,
    },
    /// An invalid text.
    #[error("`{field}`: {problem}")]
    Text {
        /// The field.
        field: &'static str,
        /// The problem of the text.
        problem: String,
    },
    /// A number out of range.
    #[error("`{field}` {problem}")]
    Range {
        /// The field.
        field: &'static str,
        /// The problem of the number.
        problem: OutOfRange,
    },
}

/// A Rust type for fields.
pub trait FieldType: Sized {
    /// The shape of such a field.
    const SHAPE: Shape;

    /// Whether the field is optional without a default.
    const OPTIONAL: bool = false;

    /// The maximum number that it can hold.
    const MAXIMUM: f64 = f64::INFINITY;

    /// The value decoded from a file; `None` for another shape.
    fn from_read(read: &Read) -> Option<Self>;

    /// The value for a field that could not be decoded.
    fn placeholder() -> Self;

    /// Converts to a single value; `None` if it is not one, or is missing.
    fn to_value(&self) -> Option<FieldValue> {
        None
    }

    /// Converts from a [`FieldValue`] that [`Field::check`] has accepted; `None` for other values, and for a
    /// type that is not a single value.
    fn from_value(_value: FieldValue) -> Option<Self> {
        None
    }

    /// Adds values out of range to `found`. `path` is the path of the table of the field: empty, or ending in
    /// a dot.
    fn check(&self, path: &str, field: &Field, found: &mut Vec<InvalidField>) {
        let number = self.to_value().and_then(|value| value.number());
        if let Some(problem) = number.and_then(|number| field.range.problem(number, field.said_as())) {
            let field = format!("{path}{}", field.name);
            found.push(InvalidField { field, problem });
        }
    }
}

/// A field of a settings struct with an invalid number.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{field}: {problem}")]
pub struct InvalidField {
    /// The field's name, `"rate"`, or its path in a nested table, `"nics.rate"`.
    pub field: String,
    /// The problem.
    pub problem: OutOfRange,
}

/// Implements [`FieldType`] for a type that is a single value.
macro_rules! single {
    ($type:ty, $shape:expr, $maximum:expr, $placeholder:expr, $value:ident => $to_value:expr, $($pattern:pat => $from_value:expr),+) => {
        impl FieldType for $type {
            const SHAPE: Shape = $shape;
            const MAXIMUM: f64 = $maximum;

            fn from_read(read: &Read) -> Option<Self> {
                match read {
                    Read::Single(value) => Self::from_value(value.clone()),
                    custom => custom.custom().cloned(),
                }
            }

            fn placeholder() -> Self {
                $placeholder
            }

            fn to_value(&self) -> Option<FieldValue> {
                let $value = self;
                Some($to_value)
            }

            fn from_value(value: FieldValue) -> Option<Self> {
                match value {
                    $($pattern => $from_value,)+
                    _ => None,
                }
            }
        }
    };
}

macro_rules! quantities {
    ($($quantity:ident),+) => {
        $(single!(
            bandgraph_units::$quantity,
            Shape::Quantity(<bandgraph_units::$quantity as Quantity>::KIND),
            f64::INFINITY,
            Self::new(0.0),
            value => FieldValue::Quantity(value.get()),
            FieldValue::Quantity(base) => Some(Self::new(base))
        );)+
    };
}

quantities!(Bytes, Bandwidth, Time, Frequency, OperationRate, Power, Fraction);

single!(u64, Shape::Count, f64::INFINITY, 0, value => FieldValue::Count(*value), FieldValue::Count(count) => Some(count));
single!(
    u32, Shape::Count, u32::MAX as f64, 0,
    value => FieldValue::Count(u64::from(*value)),
    FieldValue::Count(count) => Self::try_from(count).ok()
);
single!(
    f64, Shape::Number, f64::INFINITY, 0.0,
    value => FieldValue::Number(*value),
    FieldValue::Number(number) => Some(number),
    FieldValue::Count(count) => Some(count as Self)
);
single!(bool, Shape::Flag, f64::INFINITY, false, value => FieldValue::Flag(*value), FieldValue::Flag(flag) => Some(flag));
single!(
    String, Shape::Text, f64::INFINITY, Self::new(),
    value => FieldValue::Text(value.clone()),
    FieldValue::Text(text) => Some(text)
);

impl<T: FieldType> FieldType for Option<T> {
    const SHAPE: Shape = T::SHAPE;
    const OPTIONAL: bool = true;
    const MAXIMUM: f64 = T::MAXIMUM;

    fn from_read(read: &Read) -> Option<Self> {
        T::from_read(read).map(Some)
    }

    fn placeholder() -> Self {
        None
    }

    fn to_value(&self) -> Option<FieldValue> {
        self.as_ref()?.to_value()
    }

    fn from_value(value: FieldValue) -> Option<Self> {
        T::from_value(value).map(Some)
    }

    fn check(&self, path: &str, field: &Field, found: &mut Vec<InvalidField>) {
        if let Some(value) = self {
            value.check(path, field, found);
        }
    }
}

fn texts(names: &[Named]) -> Vec<String> {
    names.iter().map(|name| name.text.clone()).collect()
}

/// A list of texts.
impl FieldType for Vec<String> {
    const SHAPE: Shape = Shape::Texts;
    const OPTIONAL: bool = true;

    fn from_read(read: &Read) -> Option<Self> {
        match read {
            Read::Names(names) => Some(texts(names)),
            custom => custom.custom::<Vec<Named>>().map(|names| texts(names)),
        }
    }

    fn placeholder() -> Self {
        Self::new()
    }
}

/// Implements [`FieldType`] for a type with `FromStr` and `Display`: given the id of its error, the correct
/// form (as help and on the reference page), the pattern of its schema, and the value for a field that could
/// not be decoded.
#[macro_export]
macro_rules! parsed_text {
    (
        $name:ident {
            id: $id:literal, help: $help:literal, takes: $takes:literal, pattern: $pattern:expr,
            placeholder: $placeholder:expr $(,)?
        }
    ) => {
        impl $crate::FieldType for $name {
            const SHAPE: $crate::Shape = $crate::Shape::Parsed(&$crate::ParsedText {
                check: |text| match text.parse::<$name>() {
                    Ok(_) => Ok(()),
                    Err(error) => Err(error.to_string()),
                },
                id: $id,
                help: $help,
                takes: $takes,
                pattern: $pattern,
            });

            fn from_read(read: &$crate::Read) -> Option<Self> {
                match read {
                    $crate::Read::Single(value) => Self::from_value(value.clone()),
                    _ => None,
                }
            }

            fn placeholder() -> Self {
                $placeholder
            }

            fn to_value(&self) -> Option<$crate::FieldValue> {
                Some($crate::FieldValue::Text(self.to_string()))
            }

            fn from_value(value: $crate::FieldValue) -> Option<Self> {
                match value {
                    $crate::FieldValue::Text(text) => text.parse().ok(),
                    _ => None,
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_units::QuantityKind;

    const CLOCK: Field = Field::new("clock", Shape::Quantity(QuantityKind::Frequency), "A clock.")
        .positive()
        .at_most(1e12);

    fn refusal(field: &Field, value: &FieldValue) -> String {
        let refused = field.check(value);
        refused.expect_err("the value is not allowed").to_string()
    }

    #[test]
    fn says_what_is_wrong_with_a_value() {
        assert_eq!(CLOCK.check(&FieldValue::Quantity(2.3e9)), Ok(()));
        for (value, message) in [
            (
                FieldValue::Count(2),
                "`clock` takes a frequency such as \"2.6 GHz\", not a whole number",
            ),
            (
                FieldValue::Quantity(0.0),
                "`clock` must be more than zero, not 0 Hz",
            ),
            (
                FieldValue::Quantity(-1e9),
                "`clock` must be more than zero, not -1 GHz",
            ),
            (FieldValue::Quantity(f64::NAN), "`clock` must be a finite number"),
            (
                FieldValue::Quantity(f64::INFINITY),
                "`clock` must be a finite number",
            ),
            (
                FieldValue::Quantity(2e12),
                "`clock` must be at most 1 THz, not 2 THz",
            ),
        ] {
            assert_eq!(refusal(&CLOCK, &value), message);
        }
    }

    #[test]
    fn says_which_choices_there_are() {
        let height = Field::new("height", Shape::Choice(|| vec!["full", "low"]), "A height.");
        assert_eq!(height.check(&FieldValue::Text("low".to_owned())), Ok(()));
        assert_eq!(
            refusal(&height, &FieldValue::Text("lo".to_owned())),
            "`height` is one of full, low, not `lo`"
        );
    }

    #[test]
    fn a_number_field_takes_whole_numbers() {
        let number = Field::new("base_cpi", Shape::Number, "A number.");
        assert_eq!(number.check(&FieldValue::Count(2)), Ok(()));
        assert_eq!(f64::from_value(FieldValue::Count(2)), Some(2.0));
    }
}
