//! Numbers, with and without units.

use bandgraph_diagnostics::{Diagnostic, Place};
use bandgraph_units::{QuantityError, QuantityKind};

use super::Decoder;
use crate::document::{Node, Value, shortened};
use crate::kind::{Field, Shape};
use crate::range::{OutOfRange, Range, printed};
use crate::value::{FieldError, FieldValue};

/// Whole quantities are rounded from here on: sizes in a unit above the byte.
const KIB: f64 = 1024.0;

impl Decoder<'_> {
    /// Decodes a single value with the shape and range of a field.
    pub fn single(&mut self, field: &Field, node: &Node) -> Option<FieldValue> {
        let value = match field.shape {
            Shape::Quantity(kind) => self
                .quantity(field.name, kind, &field.range, node)
                .map(FieldValue::Quantity),
            Shape::Number if field.is_share() => self.share(field.name, node).map(FieldValue::Number),
            Shape::Number => self.number(field.name, node).map(FieldValue::Number),
            Shape::Flag => self.flag(field.name, node).map(FieldValue::Flag),
            Shape::Count => self.count(field, node).map(FieldValue::Count),
            _ => self.text(field.name, node).map(FieldValue::Text),
        }?;
        match field.check(&value) {
            Ok(()) => Some(value),
            Err(error) => {
                self.refused(field, &value, &error, node);
                None
            }
        }
    }

    /// Reports an invalid value of the right type.
    pub fn refused(&mut self, field: &Field, value: &FieldValue, error: &FieldError, node: &Node) {
        if self.problems.is_full() {
            return;
        }
        let id = match error {
            FieldError::Range { problem, .. } => problem.id(value.number().unwrap_or(0.0)),
            _ => "value::out_of_range",
        };
        match (field.shape, value) {
            (Shape::Choice(words), FieldValue::Text(text)) => {
                self.unknown_choice(field.name, text, &words(), node);
            }
            (Shape::Parsed(format), _) => self.problems.push(
                Diagnostic::error(format.id, error.to_string())
                    .at(node.place.clone().label("not understood"))
                    .help(format.help),
            ),
            _ => self
                .problems
                .push(Diagnostic::error(id, error.to_string()).at(node.place.clone())),
        }
    }

    /// Decodes a whole number, zero or more.
    fn count(&mut self, field: &Field, node: &Node) -> Option<u64> {
        let name = field.name;
        match node.value {
            Value::Integer(number) if number < 0 => {
                self.problems.push(
                    Diagnostic::error("value::negative", format!("`{name}` must not be negative"))
                        .at(node.place.clone()),
                );
                None
            }
            Value::Integer(number) => Some(number.unsigned_abs()),
            // A whole number of more digits than TOML has.
            Value::Float(number) if number.abs() >= i64::MAX as f64 => {
                let problem = field.range.problem(number, None).unwrap_or(OutOfRange::TooLarge {
                    maximum: i64::MAX.to_string(),
                    found: printed(number, None),
                });
                let error = FieldError::Range { field: name, problem };
                self.refused(field, &FieldValue::Number(number), &error, node);
                None
            }
            _ => {
                self.wrong_type(name, "a whole number", node);
                None
            }
        }
    }

    /// Decodes a quantity of a kind, in base units; finite, of any sign.
    fn quantity(&mut self, name: &str, kind: QuantityKind, range: &Range, node: &Node) -> Option<f64> {
        match &node.value {
            Value::Text(text) => match kind.parse(text) {
                // "12.7 GiB" never means a part of a byte.
                Ok(value) if range.multiple == 1.0 && value >= KIB => Some(value.round()),
                Ok(value) => Some(value),
                Err(error) => {
                    self.bad_quantity(name, kind, range, text, &error, node);
                    None
                }
            },
            Value::Integer(number) => {
                self.bare_number(name, kind, range, &number.to_string(), &node.place);
                None
            }
            Value::Float(number) if number.is_finite() => {
                self.bare_number(name, kind, range, &number.to_string(), &node.place);
                None
            }
            Value::Float(_) => {
                self.not_finite(name, &node.place);
                None
            }
            _ => {
                self.wrong_type(
                    name,
                    &format!("{} such as {:?}", kind.with_article(), kind.example()),
                    node,
                );
                None
            }
        }
    }

    /// Decodes a plain finite number.
    pub fn number(&mut self, name: &str, node: &Node) -> Option<f64> {
        match node.value {
            Value::Integer(number) => Some(number as f64),
            Value::Float(number) if number.is_finite() => Some(number),
            Value::Float(_) => {
                self.not_finite(name, &node.place);
                None
            }
            Value::Text(ref text) if let Ok(share) = QuantityKind::Fraction.parse(text) => {
                let number = bandgraph_units::significant(share, 6);
                self.wrong_type(name, &format!("a plain number, such as {number}"), node);
                None
            }
            _ => {
                self.wrong_type(name, "a plain number, without a unit", node);
                None
            }
        }
    }

    /// Decodes a share: a plain number, such as 0.9, or a text in per cent.
    pub fn share(&mut self, name: &str, node: &Node) -> Option<f64> {
        match &node.value {
            Value::Text(_) => self.quantity(name, QuantityKind::Fraction, &Range::NOT_NEGATIVE, node),
            _ => self.number(name, node),
        }
    }

    fn not_finite(&mut self, name: &str, place: &Place) {
        self.problems.push(
            Diagnostic::error("value::not_finite", format!("`{name}` must be a finite number"))
                .at(place.clone().label("not finite")),
        );
    }

    fn bare_number(&mut self, name: &str, kind: QuantityKind, range: &Range, number: &str, place: &Place) {
        self.problems.push(
            Diagnostic::error(
                "value::bare_number",
                format!("`{name}` is {} and needs a unit", kind.with_article()),
            )
            .at(place.clone().label("a bare number"))
            .help(with_units(kind, range, number)),
        );
    }

    fn bad_quantity(
        &mut self,
        name: &str,
        kind: QuantityKind,
        range: &Range,
        text: &str,
        error: &QuantityError,
        node: &Node,
    ) {
        let place = self.inside(&node.place, text, error.range());
        if let QuantityError::MissingUnit { number, .. } = error {
            return self.bare_number(name, kind, range, number, &place);
        }
        let (id, label) = match error {
            QuantityError::UnknownUnit { .. } => ("value::unknown_unit", "unknown unit".to_owned()),
            QuantityError::WrongKind { found, .. } => ("value::wrong_unit", format!("a unit of {found}")),
            QuantityError::NotFinite { .. } => ("value::not_finite", "not finite".to_owned()),
            _ => ("value::not_a_quantity", format!("not a {kind}")),
        };
        self.problems.push(
            Diagnostic::error(id, format!("`{name}`: {error}"))
                .at(place.label(label))
                .help(error.help()),
        );
    }

    /// The place of a part of a text value if the file has it verbatim; otherwise that of the whole value.
    fn inside(&self, place: &Place, text: &str, range: std::ops::Range<usize>) -> Place {
        let written = self
            .sources
            .text(place.source)
            .get(place.range.clone())
            .unwrap_or_default();
        let offset = if written == text {
            0
        } else if written.len() == text.len() + 2 && written.get(1..text.len() + 1) == Some(text) {
            1
        } else {
            return place.clone();
        };
        let start = place.range.start + offset;
        Place::new(place.source, start + range.start..start + range.end)
    }
}

/// A bare number from here on may mean bytes: an MTU of 1500, a block of 4096; memory may have 512 GiB.
const LARGE: f64 = 512.0;
/// A bare number from here on can only mean bytes.
const HUGE: f64 = 65536.0;

/// The ways to add a unit to a bare number, the likeliest first: of sizes the largest that the field takes.
fn with_units(kind: QuantityKind, range: &Range, number: &str) -> String {
    let value = number.parse::<f64>();
    let at_least = |least: f64| value.as_ref().is_ok_and(|value| *value >= least);
    let fits = |unit: f64| {
        value
            .as_ref()
            .is_ok_and(|value| range.problem(value * unit, None).is_none())
    };
    let number = shortened(number);
    match kind {
        QuantityKind::Bytes | QuantityKind::Bandwidth if at_least(LARGE) => {
            let memory = match kind {
                QuantityKind::Bytes if !at_least(HUGE) && fits(1e9) => {
                    format!("write \"{number} GiB\" (2^30 bytes); ")
                }
                _ => String::new(),
            };
            let (base, unit) = (kind.base_unit(), kind.units()[0].spelling());
            format!("{memory}if these are {base}, write \"{number} {unit}\"")
        }
        QuantityKind::Bytes => {
            let units = if fits(1e9) {
                [("GiB", "2^30"), ("GB", "10^9"), ("KiB", "2^10")]
            } else {
                [("KiB", "2^10"), ("kB", "10^3"), ("MiB", "2^20")]
            };
            let [first, second, third] =
                units.map(|(unit, size)| format!("\"{number} {unit}\" ({size} bytes)"));
            format!("write {first}, {second} or {third}")
        }
        QuantityKind::Bandwidth => format!(
            "write \"{number} GB/s\" (10^9 bytes/s), \"{number} GiB/s\" (2^30 bytes/s) or \"{number} Gbit/s\""
        ),
        QuantityKind::Time => format!("write \"{number} s\", \"{number} ms\" or \"{number} us\""),
        QuantityKind::Frequency => format!("write \"{number} GHz\" or \"{number} MHz\""),
        QuantityKind::OperationRate => format!("write \"{number} ops/s\""),
        QuantityKind::Power => format!("write \"{number} W\""),
        QuantityKind::Fraction => match number.parse::<f64>() {
            Ok(value) if value <= 1.0 => {
                format!("write \"{} %\"", bandgraph_units::significant(value * 100.0, 6))
            }
            _ => format!("write \"{number} %\""),
        },
    }
}
