//! An axis of a sweep.

use bandgraph_config::{Node, Set, Value};
use bandgraph_diagnostics::Place;
use bandgraph_units::{QuantityKind, Unit};

/// Significant digits of the values of ranges. Powers and logarithms may differ in the last bits between
/// machines, and a sweep distributed over several machines must have the same values on all.
const DIGITS: usize = 12;

/// The kind of values of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKind {
    /// Names, flags, tables.
    Text,
    /// Plain numbers.
    Number,
    /// Numbers with a unit.
    Quantity(QuantityKind),
}

/// An axis of a sweep.
#[derive(Clone, Debug)]
pub struct Axis {
    /// Its name.
    pub id: String,
    /// The varied field, as a path for `--set`.
    pub path: String,
    /// The kind of its values.
    pub kind: AxisKind,
    /// The number of its group: axes of one group vary together.
    pub group: usize,
    pub(crate) target: Target,
    pub(crate) steps: Steps,
}

/// A value of an axis.
#[derive(Clone, Debug)]
pub struct AxisValue {
    /// As written in a file: `4 KiB`, `gen1 x8`, `7`.
    pub text: String,
    /// In base units; `None` for a value that is no number, or not of the axis's kind.
    pub number: Option<f64>,
    /// The index in a list of values; otherwise 0.
    pub(crate) ordinal: usize,
    /// The value of the field.
    pub(crate) node: Node,
}

/// The target of the values of an axis.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// A field of the scenario or its topology.
    Field(Set),
    /// The scenario's file.
    Scenario,
    /// The topology's file.
    Topology,
}

/// The values of an axis.
#[derive(Clone, Debug)]
pub(crate) enum Steps {
    Listed(Vec<AxisValue>),
    /// `start + step × i`.
    Linear {
        start: f64,
        step: f64,
        size: u64,
        scale: Scale,
    },
    /// `start × ratio^(i/intervals)`.
    Logarithmic {
        start: f64,
        ratio: f64,
        intervals: f64,
        size: u64,
        scale: Scale,
    },
    /// A continuous range.
    Between {
        start: f64,
        stop: f64,
        logarithmic: bool,
        scale: Scale,
    },
}

impl Axis {
    /// Number of values; `None` for a continuous range.
    pub fn size(&self) -> Option<u64> {
        match &self.steps {
            Steps::Listed(values) => Some(values.len() as u64),
            Steps::Linear { size, .. } | Steps::Logarithmic { size, .. } => Some(*size),
            Steps::Between { .. } => None,
        }
    }

    /// Its first and last value, or all of up to four, as text.
    pub(crate) fn extent(&self) -> String {
        match self.size() {
            Some(size) if size <= 4 => {
                let texts: Vec<String> = (0..size).map(|step| self.value(step).text).collect();
                texts.join(", ")
            }
            size => format!(
                "{} to {}",
                self.value(0).text,
                self.value(size.unwrap_or(1) - 1).text
            ),
        }
    }

    /// The value of index `step`; the last for any higher index. For a continuous range, its start.
    pub fn value(&self, step: u64) -> AxisValue {
        match &self.steps {
            Steps::Listed(values) => values[(step as usize).min(values.len() - 1)].clone(),
            Steps::Linear {
                start,
                step: distance,
                size,
                scale,
            } => scale.value(start + distance * step.min(size - 1) as f64),
            Steps::Logarithmic {
                start,
                ratio,
                intervals,
                size,
                scale,
            } => {
                let step = step.min(size - 1) as f64;
                scale.value(start * libm::pow(*ratio, step / intervals))
            }
            Steps::Between { start, scale, .. } => scale.value(*start),
        }
    }

    /// The value at a position in the range, from 0 to below 1.
    pub fn at(&self, share: f64) -> AxisValue {
        match &self.steps {
            Steps::Between {
                start,
                stop,
                logarithmic: false,
                scale,
            } => {
                // Each whole number gets an equal share of the range.
                let width = if scale.is_whole() {
                    stop - start + 1.0
                } else {
                    stop - start
                };
                let value = start + share * width;
                scale.value(if scale.is_whole() { value.floor() } else { value })
            }
            Steps::Between {
                start,
                stop,
                logarithmic: true,
                scale,
            } => scale.value(start * libm::pow(stop / start, share)),
            _ => {
                let size = self.size().unwrap_or(1);
                self.value((share * size as f64) as u64)
            }
        }
    }

    /// The name of its column of results: its id and the unit.
    pub fn column(&self) -> String {
        let unit = match self.kind {
            AxisKind::Text | AxisKind::Number => "",
            AxisKind::Quantity(kind) => column_unit(kind),
        };
        if unit.is_empty() {
            self.id.clone()
        } else {
            format!("{}_{unit}", self.id)
        }
    }
}

/// The unit suffix of a column's name; empty for shares.
const fn column_unit(kind: QuantityKind) -> &'static str {
    match kind {
        QuantityKind::Fraction => "",
        QuantityKind::Bytes => "bytes",
        QuantityKind::Bandwidth => "bytes_per_s",
        QuantityKind::Time => "s",
        QuantityKind::Frequency => "hz",
        QuantityKind::OperationRate => "ops_per_s",
        QuantityKind::Power => "w",
    }
}

/// The id and the quantity kind in the name of a column of results: the inverse of [`Axis::column`].
pub fn column_kind(column: &str) -> (&str, Option<QuantityKind>) {
    let of_kind = |kind: QuantityKind| {
        let name = column.strip_suffix(column_unit(kind))?.strip_suffix('_')?;
        (!name.is_empty()).then_some((name, Some(kind)))
    };
    // `_s` is also the end of `_bytes_per_s`: the longest suffix applies.
    QuantityKind::ALL
        .into_iter()
        .filter(|kind| !column_unit(*kind).is_empty())
        .filter_map(of_kind)
        .min_by_key(|(name, _)| name.len())
        .unwrap_or((column, None))
}

/// The notation of the numbers of a range.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    pub(crate) notation: Notation,
    /// The place of the range in the file.
    pub(crate) place: Place,
}

/// The notation of a number in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Notation {
    /// As a whole number.
    Whole,
    /// As a number.
    Plain,
    /// As a text with this unit.
    WithUnit(QuantityKind, Unit),
}

impl Scale {
    fn is_whole(&self) -> bool {
        self.notation == Notation::Whole
    }

    /// A number of a range, in its unit, as a value.
    pub(crate) fn value(&self, number: f64) -> AxisValue {
        let number = rounded(number);
        let (text, value, base) = match self.notation {
            Notation::Whole => {
                let whole = number.round() as i64;
                (whole.to_string(), Value::Integer(whole), Some(whole as f64))
            }
            Notation::Plain => (number.to_string(), Value::Float(number), Some(number)),
            Notation::WithUnit(kind, unit) => {
                let text = with_unit(number, kind, unit);
                let base = kind.parse(&text).ok();
                let (text, base) = match base {
                    // Bytes are whole numbers.
                    Some(size) if kind == QuantityKind::Bytes && size.fract() != 0.0 => {
                        (format!("{} B", size.round()), Some(size.round()))
                    }
                    base => (text, base),
                };
                (text.clone(), Value::Text(text), base)
            }
        };
        let node = Node::new(value, self.place.clone());
        AxisValue {
            text,
            number: base,
            ordinal: 0,
            node,
        }
    }
}

/// A number with its unit. Fractions of a byte are rounded.
fn with_unit(number: f64, kind: QuantityKind, unit: Unit) -> String {
    let bytes = number * unit.in_base();
    if kind == QuantityKind::Bytes && bytes.fract() != 0.0 {
        format!("{} B", bytes.round())
    } else {
        format!("{number} {unit}")
    }
}

/// A number rounded to [`DIGITS`] significant digits.
pub(crate) fn rounded(number: f64) -> f64 {
    format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_tell_their_kind() {
        for (column, name, kind) in [
            ("io_size_bytes", "io_size", Some(QuantityKind::Bytes)),
            ("rate_bytes_per_s", "rate", Some(QuantityKind::Bandwidth)),
            ("rate_ops_per_s", "rate", Some(QuantityKind::OperationRate)),
            ("think_s", "think", Some(QuantityKind::Time)),
            ("clock_hz", "clock", Some(QuantityKind::Frequency)),
            ("threads", "threads", None),
            ("bytes", "bytes", None),
            ("_s", "_s", None),
        ] {
            assert_eq!(column_kind(column), (name, kind), "{column}");
        }
    }
}
