//! The JSON of catalogue parts.

use bandgraph_config::{Field, FieldValue, Status};
use bandgraph_hardware::{Origin, Part, catalogue, source};
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

/// One field of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldDocument {
    /// Name, as topology files use it.
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
    /// Between which values the true one is with 90 % belief, in `unit`; null where the figure does not say.
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

/// The full reference of a source of the bibliography; a key that it does not have stays as it is.
fn reference(key: &str) -> String {
    source(key).map_or_else(|| key.to_owned(), ToString::to_string)
}

fn document(part: &dyn Part) -> PartDocument {
    let origin = catalogue().origin(part.name());
    PartDocument {
        name: part.name().to_owned(),
        kind: part.kind().as_str().to_owned(),
        source: reference(part.source()),
        fields: part
            .fields()
            .iter()
            .filter_map(|info| Some(field(info, &part.get(info.name)?, origin)))
            .collect(),
    }
}

fn field(info: &Field, value: &FieldValue, origin: Option<&Origin>) -> FieldDocument {
    let figure = origin.map(|origin| origin.figure(info.name)).unwrap_or_default();
    FieldDocument {
        name: info.name.to_owned(),
        value: match value {
            FieldValue::Quantity(number) | FieldValue::Number(number) => (*number).into(),
            FieldValue::Count(count) => (*count).into(),
            FieldValue::Flag(flag) => (*flag).into(),
            FieldValue::Text(text) => text.as_str().into(),
        },
        unit: info.quantity().map(|kind| kind.base_unit().to_owned()),
        text: value.display(info),
        description: info.doc.to_owned(),
        status: figure.status.unwrap_or(Status::Assumed).as_str().to_owned(),
        source: figure.source.as_deref().map(reference),
        range: figure.range,
        note: figure.note,
    }
}
