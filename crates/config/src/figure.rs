//! Figures: numbers that say where they come from.
//!
//! A field may be written as its value, `base_cpi = 1.4`, or as a figure: `base_cpi = { value = 1.4, range = [1.0, 1.8],
//! status = "derived", source = "hw-update-2009", note = "from the published CPI" }`.

use bandgraph_diagnostics::Diagnostic;

use crate::decode::Decoder;
use crate::document::{Node, Table, Value};
use crate::kind::{Field, Shape};
use crate::value::{FieldType, FieldValue};

crate::words! {
    /// How a figure was found.
    pub enum Status: "a status of figures" {
        /// A data sheet, a standard or a measurement of this figure says so.
        Sourced = "sourced",
        /// Computed from other published figures.
        Derived = "derived",
        /// A calibration found it.
        Fitted = "fitted",
        /// Nothing is known of it but what is likely.
        Assumed = "assumed",
    }
}

/// Where a figure comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// How it was found; as the figures of its table in general if `None`.
    pub status: Option<Status>,
    /// The key of its source in the bibliography; that of its table if `None`.
    pub source: Option<String>,
    /// Between which values the true one is with 90 % belief, in base units.
    pub range: Option<[f64; 2]>,
    /// How it follows from its source, and what else is to be known.
    pub note: Option<String>,
}

/// What a figure may say in addition to its value.
const FIELDS: [Field; 4] = [
    Field::new(
        "range",
        Shape::Values,
        "Between which two values the true one is with 90 % belief.",
    ),
    Field::of::<Option<Status>>("status", "How it was found; as its part if left out."),
    Field::new(
        "source",
        Shape::Text,
        "The key of its source; that of its part if left out.",
    ),
    Field::new("note", Shape::Text, "How it follows from its source."),
];

impl Decoder<'_> {
    /// Reads a single value or a figure.
    pub(crate) fn figure(&mut self, field: &Field, node: &Node) -> Option<(FieldValue, Option<Figure>)> {
        let Value::Table(table) = &node.value else {
            return Some((self.single(field, node)?, None));
        };
        let unknown = table
            .iter()
            .filter(|(key, _)| *key != "value" && !FIELDS.iter().any(|known| known.name == *key));
        let mut sound = true;
        for (key, entry) in unknown {
            let known = FIELDS.iter().map(|known| known.name).chain(["value"]);
            let at_key = Node {
                value: Value::Flag(true),
                place: entry.key_place.clone(),
            };
            self.unknown(
                "entry::unknown_field",
                "a figure has no field",
                key,
                known,
                &at_key,
            );
            sound = false;
        }
        let Some(value) = table.get("value") else {
            self.wrong_type(field.name, "a value, or a table with a `value`", node);
            return None;
        };
        let value = self.single(field, &value.node);
        let range = self.range(field, table, value.as_ref());
        let mut text = |index: usize| match table.get(FIELDS[index].name) {
            Some(entry) => self.single(&FIELDS[index], &entry.node).map(Some).ok_or(()),
            None => Ok(None),
        };
        let (status, source, note) = (text(1), text(2), text(3));
        let (Some(value), Ok(range), Ok(status), Ok(source), Ok(note)) = (value, range, status, source, note)
        else {
            return None;
        };
        let words = |value: Option<FieldValue>| value.and_then(String::from_value);
        let figure = Figure {
            status: status.and_then(Status::from_value),
            source: words(source),
            range,
            note: words(note),
        };
        sound.then_some((value, Some(figure)))
    }

    /// The range of a figure, with its value in it.
    fn range(
        &mut self,
        field: &Field,
        table: &Table,
        value: Option<&FieldValue>,
    ) -> Result<Option<[f64; 2]>, ()> {
        let Some(entry) = table.get("range") else {
            return Ok(None);
        };
        let ends = entry.node.items().iter();
        let ends: Vec<f64> = ends.filter_map(|end| self.single(field, end)?.number()).collect();
        let value = value.and_then(FieldValue::number);
        match (ends.as_slice(), value) {
            (&[low, high], Some(value)) if low <= value && value <= high => Ok(Some([low, high])),
            _ => {
                self.problems.push(
                    Diagnostic::error(
                        "value::range_of_figure",
                        format!(
                            "the range of `{}` is two values with its own between them",
                            field.name
                        ),
                    )
                    .at(entry.node.place.clone()),
                );
                Err(())
            }
        }
    }
}
