//! Numbers, with and without units.

use bandgraph_diagnostics::{Diagnostic, Place};
use bandgraph_units::{QuantityError, QuantityKind};

use super::{Decoded, Decoder, Read};
use crate::Metric;
use crate::descriptor::{CountRange, Sign};
use crate::document::{Node, Value, shortened};

impl Decoder<'_> {
    /// A whole number in a range.
    pub(crate) fn count(&mut self, name: &str, range: CountRange, node: &Node) -> Option<u64> {
        let Value::Integer(number) = node.value else {
            self.wrong_type(name, "a whole number", node);
            return None;
        };
        match u64::try_from(number) {
            Ok(count) if (range.minimum..=range.maximum).contains(&count) => Some(count),
            _ => {
                self.out_of_range(name, number, range, &node.place);
                None
            }
        }
    }

    fn out_of_range(&mut self, name: &str, number: i64, range: CountRange, place: &Place) {
        let (id, message) = match number {
            0 if range.minimum == 1 => ("value::zero", format!("`{name}` must be more than zero")),
            ..0 => ("value::negative", format!("`{name}` must not be negative")),
            _ => ("value::out_of_range", format!("`{name}` is out of range")),
        };
        let label = format!("must be from {} to {}", range.minimum, range.maximum);
        self.problems
            .push(Diagnostic::error(id, message).at(place.clone().label(label)));
    }

    /// A quantity of a kind, in base units, finite, of whatever sign.
    pub(crate) fn quantity(&mut self, name: &str, kind: QuantityKind, node: &Node) -> Option<f64> {
        match &node.value {
            Value::Text(text) => match kind.parse(text) {
                Ok(value) => Some(value),
                Err(error) => {
                    self.bad_quantity(name, kind, text, &error, node);
                    None
                }
            },
            Value::Integer(number) => {
                self.bare_number(name, kind, &number.to_string(), &node.place);
                None
            }
            Value::Float(number) if number.is_finite() => {
                self.bare_number(name, kind, &number.to_string(), &node.place);
                None
            }
            Value::Float(_) => {
                self.not_finite(name, &node.place);
                None
            }
            _ => {
                self.wrong_type(name, &format!("a {kind} such as {:?}", kind.example()), node);
                None
            }
        }
    }

    /// A quantity that has the right sign.
    pub(crate) fn signed(&mut self, name: &str, kind: QuantityKind, sign: Sign, node: &Node) -> Option<f64> {
        let value = self.quantity(name, kind, node)?;
        let (id, message) = match sign {
            Sign::Positive if value == 0.0 => ("value::zero", format!("`{name}` must be more than zero")),
            Sign::Positive if value < 0.0 => ("value::negative", format!("`{name}` must be more than zero")),
            Sign::NotNegative if value < 0.0 => ("value::negative", format!("`{name}` must not be negative")),
            _ => return Some(value),
        };
        self.problems
            .push(Diagnostic::error(id, message).at(node.place.clone()));
        None
    }

    /// A plain number, finite.
    pub(crate) fn number(&mut self, name: &str, node: &Node) -> Option<f64> {
        match node.value {
            Value::Integer(number) => Some(number as f64),
            Value::Float(number) if number.is_finite() => Some(number),
            Value::Float(_) => {
                self.not_finite(name, &node.place);
                None
            }
            _ => {
                self.wrong_type(name, "a plain number, without a unit", node);
                None
            }
        }
    }

    /// A value of the metric that stands beside it.
    pub(crate) fn metric_quantity(&mut self, name: &str, node: &Node, decoded: &Decoded) -> Option<Read> {
        let metric = Metric::from_name(decoded.text("metric")?)?;
        // Over the figure of another scenario, it is a plain number.
        let ratio = decoded.fields.contains_key("relative_to");
        match metric.kind().filter(|_| !ratio) {
            Some(kind) => self.signed(name, kind, Sign::NotNegative, node).map(Read::Amount),
            None => self.number(name, node).map(Read::Amount),
        }
    }

    pub(crate) fn not_finite(&mut self, name: &str, place: &Place) {
        self.problems.push(
            Diagnostic::error("value::not_finite", format!("`{name}` must be a finite number"))
                .at(place.clone().label("not finite")),
        );
    }

    fn bare_number(&mut self, name: &str, kind: QuantityKind, number: &str, place: &Place) {
        self.problems.push(
            Diagnostic::error(
                "value::bare_number",
                format!("`{name}` is a {kind} and needs a unit"),
            )
            .at(place.clone().label("a bare number"))
            .help(with_units(kind, number)),
        );
    }

    fn bad_quantity(
        &mut self,
        name: &str,
        kind: QuantityKind,
        text: &str,
        error: &QuantityError,
        node: &Node,
    ) {
        let place = self.inside(&node.place, text, error.range());
        if let QuantityError::MissingUnit { number, .. } = error {
            return self.bare_number(name, kind, number, &place);
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

    /// A part of a text value, where the file has it letter for letter; else the whole value.
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

/// A bare number from here on is more likely to count single bytes than gigabytes: an MTU of 1500, a block of 8192.
const LARGE: f64 = 512.0;

/// The ways to make a quantity of a bare number.
fn with_units(kind: QuantityKind, number: &str) -> String {
    let large = number.parse::<f64>().is_ok_and(|value| value >= LARGE);
    let number = shortened(number);
    match kind {
        QuantityKind::Bytes | QuantityKind::Bandwidth if large => {
            format!(
                "if these are {}, write \"{number} {}\"",
                kind.base_unit(),
                kind.units()[0].spelling()
            )
        }
        QuantityKind::Bytes => {
            format!("write \"{number} GB\" (10^9 bytes) or \"{number} GiB\" (2^30 bytes)")
        }
        QuantityKind::Bandwidth => format!(
            "write \"{number} GB/s\" (10^9 bytes/s), \"{number} GiB/s\" (2^30 bytes/s) or \"{number} Gbit/s\""
        ),
        QuantityKind::Time => format!("write \"{number} s\", \"{number} ms\" or \"{number} us\""),
        QuantityKind::Frequency => format!("write \"{number} GHz\" or \"{number} MHz\""),
        QuantityKind::OperationRate => format!("write \"{number} ops/s\""),
        QuantityKind::Power => format!("write \"{number} W\""),
        QuantityKind::Fraction => match number.parse::<f64>() {
            Ok(value) => format!("write \"{} %\"", bandgraph_units::significant(value * 100.0, 6)),
            Err(_) => format!("write \"{number} %\""),
        },
    }
}
