//! JSON for programs: stable, versioned, with a published schema.

mod interval;
mod ladder;
mod latency;
mod machine;
mod parts;
mod path;
mod place;
mod power;
mod replay;
mod run;
mod stacks;
mod topology;
mod trace;
mod whatif;
mod workload;

pub use interval::*;
pub use ladder::*;
pub use latency::*;
pub use machine::*;
pub use parts::*;
pub use path::*;
pub use place::*;
pub use power::*;
pub use replay::*;
pub use run::*;
pub use stacks::*;
pub use topology::*;
pub use trace::*;
pub use whatif::*;
pub use workload::*;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use crate::document::Document;

/// The command whose result a value is, by the fields that it has; `None` if it is none.
pub(crate) fn kind_of_result(value: &serde_json::Value) -> Option<&'static str> {
    /// A field that only results of a command have.
    const FIELDS: [(&str, &str); 11] = [
        ("axes", "sweep"),
        ("points", "validate"),
        ("fit", "calibrate"),
        ("model_errors", "calibrate --own"),
        ("variants", "whatif"),
        ("rungs", "ladder"),
        ("placements", "place"),
        ("results", "compare"),
        ("routes", "topology show"),
        ("resources", "run"),
        ("figures", "figures"),
    ];
    let found = FIELDS.iter().find(|(field, _)| value.get(field).is_some());
    found.map(|(_, command)| *command)
}

/// `document` as JSON: indented, with a line end. Numbers are the shortest that read back as the same number.
pub fn json(document: &impl Serialize) -> String {
    Document::new(document).json()
}

/// The JSON Schema of what is written for `Document`.
pub(crate) fn schema_of<Document: JsonSchema>() -> serde_json::Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Document>()
        .to_value()
}
