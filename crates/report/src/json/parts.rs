//! The JSON of catalogue parts.

use bandgraph_config::{FieldValue, KnownFigure, Origin};
use bandgraph_hardware::{Part, source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A list of parts of the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartsDocument {
    /// Version of this format.
    pub schema: u32,
    /// The parts, in the order of the catalogue.
    pub parts: Vec<PartDocument>,
}

/// One part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartDocument {
    /// Name, as topology files use it.
    pub name: String,
    /// Kind of part.
    pub kind: String,
    /// Where its figures come from in general: a full reference, or `assumption`.
    pub source: String,
    /// Its fields, in documented order.
    pub fields: Vec<FieldDocument>,
}

/// One field of a part or of a stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldDocument {
    /// Name, as files use it.
    pub name: String,
    /// The value: a number in `unit`, a flag, or a text.
    pub value: serde_json::Value,
    /// Unit of a quantity, such as `bytes/s`; null for everything else.
    pub unit: Option<String>,
    /// The value in words, as files write it.
    pub text: String,
    /// What the field means.
    pub description: String,
    /// How the figure was found: `sourced`, `derived`, `fitted` or `assumed`.
    pub status: String,
    /// The full reference of its source; null where it is assumed.
    pub source: Option<String>,
    /// Between which values the true one is with 90 % belief, in `unit`; null for what is not
    /// uncertain, as a count or a word.
    pub range: Option<[f64; 2]>,
    /// How it follows from its source; null where the figure does not say.
    pub note: Option<String>,
}

/// Several parts as JSON.
pub fn parts_json(parts: &[&dyn Part]) -> String {
    super::pretty(&PartsDocument {
        schema: 1,
        parts: parts.iter().map(|part| document(*part)).collect(),
    })
}

/// One part as JSON.
pub fn part_json(part: &dyn Part) -> String {
    super::pretty(&document(part))
}

/// Where the figures of a part or a stack come from in general: a full reference, or `assumption`.
pub(super) fn in_general(origin: &Origin) -> String {
    let source = origin.source.as_deref();
    source.map_or_else(|| "assumption".to_owned(), reference)
}

/// The full reference of a source of the bibliography; a key that it does not have stays as it is.
fn reference(key: &str) -> String {
    source(key).map_or_else(|| key.to_owned(), ToString::to_string)
}

fn document(part: &dyn Part) -> PartDocument {
    PartDocument {
        name: part.name().to_owned(),
        kind: part.kind().as_str().to_owned(),
        source: in_general(part.origin()),
        fields: part.figures().into_iter().map(field).collect(),
    }
}

pub(super) fn field(figure: KnownFigure) -> FieldDocument {
    let info = figure.field;
    FieldDocument {
        name: info.name.to_owned(),
        unit: info.quantity().map(|kind| kind.base_unit().to_owned()),
        text: figure.value.display(info),
        value: match figure.value {
            FieldValue::Quantity(number) | FieldValue::Number(number) => number.into(),
            FieldValue::Count(count) => count.into(),
            FieldValue::Flag(flag) => flag.into(),
            FieldValue::Text(text) => text.into(),
        },
        description: info.doc.to_owned(),
        status: figure.status.as_str().to_owned(),
        source: figure.source.as_deref().map(reference),
        range: figure.range,
        note: figure.note,
    }
}
