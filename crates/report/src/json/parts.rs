//! The JSON of catalogue parts.

use bandgraph_config::{Field, FieldValue};
use bandgraph_hardware::Part;
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
    /// Where its figures come from.
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

fn document(part: &dyn Part) -> PartDocument {
    PartDocument {
        name: part.name().to_owned(),
        kind: part.kind().as_str().to_owned(),
        source: part.source().to_owned(),
        fields: part
            .fields()
            .iter()
            .filter_map(|info| Some(field(info, &part.get(info.name)?)))
            .collect(),
    }
}

fn field(info: &Field, value: &FieldValue) -> FieldDocument {
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
    }
}
