//! Figures: numbers with their source and range.
//!
//! A field may be written as its value, `base_cpi = 1.4`, or as a figure: `base_cpi = { value = 1.4, range =
//! [1.0, 1.8], status = "derived", source = "hw-update-2009", note = "from the published CPI" }`.

use std::collections::BTreeMap;

use bandgraph_diagnostics::{Diagnostic, Place, Sources, render};

use crate::decode::{Decoded, Decoder};
use crate::document::{Node, Table, Value, parse_document};
use crate::kind::{AssumedRange, Field, Kind, Shape};
use crate::problems::Problems;
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

impl Status {
    /// The default half-width of the range of a figure, as a share of its value.
    ///
    /// Sourced figures are rated values, from which products deviate by rounding, firmware and tolerances.
    /// Derived figures combine two or three others, each with a measurement error. Fitted figures include the
    /// errors of the model. Most assumed figures that were published later (latencies of memory, command
    /// times of drives, sustained rates of controllers) were within a third of the assumption.
    pub const fn spread(self) -> f64 {
        match self {
            Self::Sourced => 0.02,
            Self::Derived => 0.1,
            Self::Fitted => 0.15,
            Self::Assumed => 0.3,
        }
    }
}

/// The source of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// How it was found; `None` for the status of its table.
    pub status: Option<Status>,
    /// The key of its source in the bibliography; `None` for the source of its table.
    pub source: Option<String>,
    /// The 90 % range of the true value, in base units.
    pub range: Option<[f64; 2]>,
    /// Its derivation from the source, and other remarks.
    pub note: Option<String>,
    /// Whether it is given where its part or profile is used, without a range or a status: it is certain.
    pub is_certain: bool,
}

/// A figure with its value and source.
#[derive(Clone, Debug)]
pub struct KnownFigure {
    /// Its field.
    pub field: &'static Field,
    /// Its value.
    pub value: FieldValue,
    /// The 90 % range of the true value, in base units. `None` for values that are certain: counts, words and
    /// [`exact`](Field::exact) fields, unless the figure has a range.
    pub range: Option<[f64; 2]>,
    /// Whether the range is the figure's own; otherwise it is that of its status.
    pub is_range_given: bool,
    /// How it was found.
    pub status: Status,
    /// The key of its source in the bibliography.
    pub source: Option<String>,
    /// Its derivation from the source, and other remarks.
    pub note: Option<String>,
    /// Whether a user says that it has this value.
    pub is_certain: bool,
}

impl KnownFigure {
    /// A figure from its table; without a status it is assumed.
    pub fn new(field: &'static Field, value: FieldValue, figure: Figure) -> Self {
        let status = figure.status.unwrap_or(Status::Assumed);
        let takes_default = status == Status::Assumed && figure.range.is_none() && !figure.is_certain;
        let is_zero = value.number().is_none_or(|number| number == 0.0);
        let assumed = field.assumed.filter(|_| takes_default && !is_zero);
        let reason = assumed.map(|AssumedRange(_, _, why)| why.to_owned());
        let notes: Vec<String> = figure.note.into_iter().chain(reason).collect();
        Self {
            is_range_given: figure.range.is_some(),
            range: figure
                .range
                .or_else(|| default_range(field, &value, status, assumed)),
            field,
            value,
            status,
            source: figure.source,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            is_certain: figure.is_certain,
        }
    }

    /// What an assumed figure does not say: why it is assumed, or where its true value lies. `None` if it
    /// says both, and for other figures.
    pub fn unexplained(&self) -> Option<&'static str> {
        if self.status != Status::Assumed {
            return None;
        }
        if ["", DEFAULT_NOTE].contains(&self.note.as_deref().unwrap_or_default()) {
            return Some("why it is assumed");
        }
        let is_certain = self.range.is_none_or(|[low, high]| low == high);
        let has_range = self.is_range_given || self.field.assumed.is_some();
        (!is_certain && !has_range).then_some("its range")
    }
}

/// The default range of a figure: that of assumed values of its field, or one by its status, within the range
/// of its field. Counts and exact values have only the former.
fn default_range(
    field: &Field,
    value: &FieldValue,
    status: Status,
    assumed: Option<AssumedRange>,
) -> Option<[f64; 2]> {
    let number = value.number()?;
    let is_count = matches!(value, FieldValue::Count(_));
    let ends = match assumed {
        Some(AssumedRange(low, high, _)) => [number * low, number * high],
        None if field.exact || is_count => return None,
        None => {
            let half = number.abs() * status.spread();
            [number - half, number + half]
        }
    };
    let [low, high] = if is_count { ends.map(f64::round) } else { ends };
    Some([low.max(field.range.minimum), high.min(field.range.maximum)])
}

/// The default status of the figures of a table.
pub const STATUS: Field = Field::new(
    "status",
    Status::SHAPE,
    "How its figures were found: in a source, by calculation from published figures, by a fit, or not at all. A figure may say \
     otherwise of itself.",
)
.default("\"assumed\"");
/// The default note of the figures of a table.
pub const NOTE: Field = Field::new(
    "note",
    Shape::Text,
    "How its figures follow from their source, and why they may be off. A figure may say otherwise of itself.",
)
.optional();

/// The sources of the figures of a part or a profile, by field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// The default source of its figures; `None` if they are assumed.
    pub source: Option<String>,
    figures: BTreeMap<String, Figure>,
}

impl Origin {
    /// The origin of the figures of a table with [`STATUS`], `source` and [`NOTE`], and of those inherited
    /// from another.
    pub fn of(table: &Decoded, base: Option<&Self>) -> Self {
        let status: Status = table.get("status").unwrap_or(Status::Assumed);
        let source = table.text("source").map(str::to_owned);
        let note = table.text("note").map(str::to_owned);
        let mut origin = base.cloned().unwrap_or_default();
        for (field, given) in &table.figures {
            // The table's default source applies to figures with its default status.
            let general = given.status.is_none_or(|own| own == status);
            let or_general = |own: &Option<String>, general_text: &Option<String>| {
                own.clone().or_else(|| general_text.clone().filter(|_| general))
            };
            let figure = Figure {
                status: Some(given.status.unwrap_or(status)),
                source: or_general(&given.source, &source),
                range: given.range,
                note: or_general(&given.note, &note),
                is_certain: false,
            };
            origin.figures.insert(field.clone(), figure);
        }
        origin.source = source;
        origin
    }

    /// The source of one figure. A missing figure has the default of its kind, and is assumed unless a
    /// document states that default.
    pub fn figure(&self, field: &'static Field, value: FieldValue) -> KnownFigure {
        let figure = self.figures.get(field.name).cloned().unwrap_or_else(|| Figure {
            status: field.default_source.map(|_| Status::Sourced),
            source: field.default_source.map(str::to_owned),
            note: Some(default_note(field)),
            ..Figure::default()
        });
        KnownFigure::new(field, value, figure)
    }

    /// Replaces the sources of overridden figures.
    pub fn overridden(&mut self, figures: &BTreeMap<String, Figure>) {
        for (field, given) in figures {
            let mut figure = given.clone();
            let unsaid = || "set where the part is used".to_owned();
            figure.note.get_or_insert_with(unsaid);
            self.figures.insert(field.clone(), figure);
        }
        self.are_certain(figures);
    }

    /// Figures that are given where they are used are certain, unless they have a range or a status.
    pub fn are_certain(&mut self, figures: &BTreeMap<String, Figure>) {
        let plain = figures
            .iter()
            .filter(|(_, given)| given.range.is_none() && given.status.is_none());
        for (field, _) in plain {
            if let Some(figure) = self.figures.get_mut(field) {
                figure.is_certain = true;
            }
        }
    }
}

/// The note of a default without a reason.
const DEFAULT_NOTE: &str = "the default of its kind";

/// The note of a figure that has the default of its field.
fn default_note(field: &Field) -> String {
    let why = field.default_note.map(|why| format!(": {why}"));
    format!("{DEFAULT_NOTE}{}", why.unwrap_or_default())
}

/// Decodes a file that is part of the program.
///
/// # Panics
///
/// If the file is invalid, which a test of each such file excludes.
pub fn read_embedded<T>(kind: &'static Kind, name: &str, text: &str, take: impl FnOnce(&Decoded) -> T) -> T {
    let mut texts = Sources::new();
    let mut problems = Problems::new();
    let source = texts.add(name, text.to_owned());
    let table = parse_document(source, &texts, &mut problems);
    let decoded = Decoder::new(&texts, &mut problems).table(kind, &table, &Place::new(source, 0..0));
    assert!(
        !problems.has_errors(),
        "a file of the program is right; tests read every one of them: {}",
        render::full(&problems.into_sorted(), &texts, false)
    );
    take(&decoded)
}

/// The additional fields of a figure.
const FIELDS: [Field; 4] = [
    Field::new(
        "range",
        Shape::Values,
        "Between which two values the true one is with a probability of 90 %.",
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
    /// Decodes a single value or a figure.
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
            let at_key = Node::new(Value::Flag(true), entry.key_place.clone());
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
            is_certain: false,
        };
        sound.then_some((value, Some(figure)))
    }

    /// Decodes the range of a figure, which must contain its value.
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

#[cfg(test)]
mod tests {
    use bandgraph_units::QuantityKind;

    use super::*;

    #[test]
    fn a_figure_without_a_range_has_that_of_its_status() {
        const SHARE: Field = Field::new("share", Shape::Number, "A share.").at_most(1.0);
        for (status, expected) in [
            (Status::Sourced, [0.784, 0.816]),
            (Status::Derived, [0.72, 0.88]),
            (Status::Fitted, [0.68, 0.92]),
            // 1.04 exceeds the range of the field.
            (Status::Assumed, [0.56, 1.0]),
        ] {
            let figure = Figure {
                status: Some(status),
                ..Figure::default()
            };
            let [low, high] = KnownFigure::new(&SHARE, FieldValue::Number(0.8), figure)
                .range
                .expect("a number");
            assert!((low - expected[0]).abs() < 1e-12 && (high - expected[1]).abs() < 1e-12);
        }
    }

    #[test]
    fn an_assumed_figure_has_the_range_of_its_field() {
        const SHARED: AssumedRange = AssumedRange(0.5, 2.0, "half to twice, as those that are known");
        const TIME: Field =
            Field::new("time", Shape::Quantity(QuantityKind::Time), "A time.").assumed(SHARED);
        const DEPTH: Field = Field::new("depth", Shape::Count, "A depth.")
            .exact()
            .assumed(SHARED);
        let figure = |status, is_certain| Figure {
            status: Some(status),
            note: Some("as others".to_owned()),
            is_certain,
            ..Figure::default()
        };
        let known = |field, value, status, certain| {
            let known = KnownFigure::new(field, value, figure(status, certain));
            (known.range, known.note.expect("its own note"))
        };
        let explained = "as others; half to twice, as those that are known".to_owned();
        let time = FieldValue::Quantity(4.0);
        assert_eq!(
            known(&TIME, time.clone(), Status::Assumed, false),
            (Some([2.0, 8.0]), explained.clone())
        );
        assert_eq!(
            known(&DEPTH, FieldValue::Count(5), Status::Assumed, false),
            (Some([3.0, 10.0]), explained)
        );
        let as_others = "as others".to_owned();
        assert_eq!(
            known(&TIME, time.clone(), Status::Derived, false),
            (Some([3.6, 4.4]), as_others.clone())
        );
        assert_eq!(
            known(&TIME, FieldValue::Quantity(0.0), Status::Assumed, false).1,
            as_others
        );
        assert_eq!(
            known(&TIME, time, Status::Assumed, true),
            (Some([2.8, 5.2]), as_others)
        );
    }

    #[test]
    fn a_range_of_its_own_wins_and_what_is_exact_has_none() {
        const SIZE: Field = Field::new("size", Shape::Quantity(QuantityKind::Bytes), "A size.").exact();
        const COUNT: Field = Field::new("count", Shape::Count, "A count.");
        let own = Figure {
            range: Some([64.0, 256.0]),
            ..Figure::default()
        };
        let known = |field, value, figure| KnownFigure::new(field, value, figure).range;
        assert_eq!(
            known(&SIZE, FieldValue::Quantity(128.0), own),
            Some([64.0, 256.0])
        );
        assert_eq!(known(&SIZE, FieldValue::Quantity(128.0), Figure::default()), None);
        assert_eq!(known(&COUNT, FieldValue::Count(4), Figure::default()), None);
    }
}
