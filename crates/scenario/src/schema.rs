//! JSON Schemas of the files, built from the tables of fields.
//!
//! A file that includes others may leave fields to them, so what must be there is only asked of files that include
//! nothing. The same goes for what a scenario says of its topology.

use bandgraph_hardware::{FieldInfo, FieldKind, Part, PartKind, catalogue};
use bandgraph_sim::Stack;
use bandgraph_units::QuantityKind;
use bandgraph_workload::{Mix, OperationKind};
use serde_json::{Map, Value, json};

use crate::descriptor::{
    CALIBRATION, Described, Identity, Kind, Presence, SCENARIO, SWEEP, Shape, Sign, TOPOLOGY,
};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
const ID_PATTERN: &str = "^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$";

/// The JSON Schema (draft 2020-12) of topology files.
pub fn topology_schema() -> Value {
    root(&TOPOLOGY, "Bandgraph topology")
}

/// The JSON Schema (draft 2020-12) of scenario files.
pub fn scenario_schema() -> Value {
    root(&SCENARIO, "Bandgraph scenario")
}

/// The JSON Schema (draft 2020-12) of sweep files.
pub fn sweep_schema() -> Value {
    root(&SWEEP, "Bandgraph sweep")
}

/// The JSON Schema (draft 2020-12) of calibration files.
pub fn calibration_schema() -> Value {
    root(&CALIBRATION, "Bandgraph calibration")
}

fn root(kind: &Kind, title: &str) -> Value {
    let mut definitions = Map::new();
    let mut schema = partial(kind, &mut definitions);
    // What must be there is asked below, of files that stand alone.
    schema.remove("required");
    schema.insert("$schema".to_owned(), json!(DRAFT));
    schema.insert("title".to_owned(), json!(title));
    schema.insert("if".to_owned(), json!({ "not": { "required": ["include"] } }));
    schema.insert("then".to_owned(), complete(kind));
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(schema)
}

/// A table in which everything that is there is right, and that says what it is.
fn partial(kind: &Kind, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in kind.fields {
        let mut schema = shape(field.shape, definitions);
        describe(&mut schema, field.doc);
        if let Presence::Default(default) = field.presence
            && let Some(default) = default_value(default)
        {
            schema.insert("default".to_owned(), default);
        }
        properties.insert(field.name.to_owned(), Value::Object(schema));
    }
    for (name, schema) in described_properties(kind.described) {
        properties.entry(name).or_insert(schema);
    }
    let required: &[&str] = match kind.identity {
        Identity::Single => &[],
        Identity::Field(field) => &[field],
        Identity::Ends => &["ends"],
        Identity::FromTo => &["from", "to"],
    };
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    describe(&mut schema, kind.doc);
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// That everything is there that must be, in a table and in the tables inside of it.
fn complete(kind: &Kind) -> Value {
    let required: Vec<&str> = kind
        .fields
        .iter()
        .filter(|field| field.presence == Presence::Required)
        .map(|field| field.name)
        .collect();
    let inside: Map<String, Value> = kind
        .fields
        .iter()
        .filter_map(|field| match field.shape {
            Shape::Table(inner) => Some((field.name.to_owned(), complete(inner))),
            Shape::Entries(inner) => Some((field.name.to_owned(), json!({ "items": complete(inner) }))),
            _ => None,
        })
        .collect();
    let mut complete = json!({ "required": required, "properties": inside });
    let either: Vec<Value> = kind
        .fields
        .iter()
        .filter_map(|field| match field.presence {
            Presence::RequiredWithout(other) => {
                Some(json!({ "anyOf": [{ "required": [field.name] }, { "required": [other] }] }))
            }
            _ => None,
        })
        .collect();
    if !either.is_empty() {
        complete["allOf"] = json!(either);
    }
    complete
}

fn describe(schema: &mut Map<String, Value>, doc: &str) {
    schema.insert("description".to_owned(), json!(doc));
}

/// A default as JSON. Defaults are TOML texts, numbers and flags, which are JSON as well.
fn default_value(toml: &str) -> Option<Value> {
    serde_json::from_str(toml).ok()
}

fn shape(shape: Shape, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let value = match shape {
        Shape::Schema => json!({ "const": 1 }),
        Shape::Text | Shape::Reference(_) => json!({ "type": "string" }),
        Shape::Id => json!({ "type": "string", "pattern": ID_PATTERN }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Count(range) => {
            json!({ "type": "integer", "minimum": range.minimum, "maximum": range.maximum })
        }
        Shape::Number => json!({ "type": "number", "minimum": 0 }),
        Shape::Quantity(kind, sign) => quantity(kind, sign == Sign::Positive),
        Shape::Mtu => {
            json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, quantity(QuantityKind::Bytes, true)] })
        }
        Shape::MetricQuantity | Shape::Scalar => json!({ "type": ["string", "number"] }),
        Shape::Choice(words) => json!({ "enum": words() }),
        Shape::Values => json!({ "type": "array", "minItems": 1 }),
        Shape::References(_) | Shape::Paths | Shape::Texts => {
            json!({ "type": "array", "items": { "type": "string" } })
        }
        Shape::Ends => {
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })
        }
        Shape::Part(kinds) => json!({ "type": "string", "examples": part_names(kinds) }),
        Shape::AnyPart => json!({ "type": "string", "examples": part_names(PartKind::ALL) }),
        Shape::PartKind => {
            json!({ "enum": PartKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>() })
        }
        Shape::Pcie => json!({ "type": "string", "pattern": r"^gen[1-6]\s+x(1|2|4|8|12|16|32)$" }),
        Shape::Ports => {
            json!({ "type": "array", "items": { "type": "string", "pattern": r"^[A-Za-z0-9_-]+\.[0-9]+$" } })
        }
        Shape::Mix => mix(),
        Shape::Table(kind) => define(kind, definitions),
        Shape::Topology => topology(definitions),
        Shape::Entries(kind) => json!({ "type": "array", "items": define(kind, definitions) }),
    };
    match value {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// A reference to the definition of a kind, which is made if it is not there yet.
fn define(kind: &Kind, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(kind.name) {
        let schema = partial(kind, definitions);
        definitions.insert(kind.name.to_owned(), Value::Object(schema));
    }
    json!({ "$ref": format!("#/$defs/{}", kind.name) })
}

/// A path, or a topology that may have a path of another under it.
fn topology(definitions: &mut Map<String, Value>) -> Value {
    let mut table = partial(&TOPOLOGY, definitions);
    if let Some(Value::Object(properties)) = table.get_mut("properties") {
        properties.remove("include");
        properties.insert(
            "file".to_owned(),
            json!({ "type": "string", "description": "The path of the topology that this table changes." }),
        );
    }
    json!({ "oneOf": [{ "type": "string" }, table] })
}

fn mix() -> Value {
    let operations: Vec<&str> = OperationKind::ALL.iter().map(|kind| kind.name()).collect();
    let names: Vec<&str> = Mix::NAMES
        .iter()
        .copied()
        .chain(operations.iter().copied())
        .collect();
    let weights: Map<String, Value> = operations
        .iter()
        .map(|name| {
            (
                (*name).to_owned(),
                json!({ "type": "number", "exclusiveMinimum": 0 }),
            )
        })
        .collect();
    json!({ "oneOf": [
        { "enum": names },
        { "type": "object", "properties": weights, "additionalProperties": false, "minProperties": 1 },
    ] })
}

/// A text with a unit.
fn quantity(kind: QuantityKind, positive: bool) -> Value {
    let units: Vec<String> = kind
        .units()
        .iter()
        .map(|unit| unit.spelling().replace(' ', r"\s*").replace('/', r"\/"))
        .collect();
    let sign = if positive { r"\+?" } else { r"[+-]?" };
    json!({
        "type": "string",
        "pattern": format!(r"^\s*{sign}[0-9_]*\.?[0-9_]+([eE][+-]?[0-9]+)?\s*({})\s*$", units.join("|")),
        "examples": [kind.example()],
    })
}

fn part_names(kinds: &[PartKind]) -> Vec<&'static str> {
    catalogue()
        .iter()
        .filter(|part| kinds.contains(&part.kind()))
        .map(Part::name)
        .collect()
}

/// The properties that come from parts and from the stack. Where two kinds of parts have a field of the same name,
/// either's values are right.
fn described_properties(described: Described) -> Vec<(String, Value)> {
    let lists: Vec<&'static [FieldInfo]> = match described {
        Described::Nothing => Vec::new(),
        Described::Part(kinds) => kinds.iter().map(|kind| kind.fields()).collect(),
        Described::OwnPart => PartKind::ALL.iter().map(|kind| kind.fields()).collect(),
        Described::Stack => vec![Stack::FIELDS],
    };
    let mut properties: Vec<(String, Vec<Value>)> = Vec::new();
    for info in lists.into_iter().flatten() {
        let schema = field(info);
        match properties.iter_mut().find(|(name, _)| name == info.name) {
            Some((_, schemas)) if schemas.contains(&schema) => {}
            Some((_, schemas)) => schemas.push(schema),
            None => properties.push((info.name.to_owned(), vec![schema])),
        }
    }
    let either = |mut schemas: Vec<Value>| match schemas.len() {
        1 => schemas.remove(0),
        _ => json!({ "anyOf": schemas }),
    };
    properties
        .into_iter()
        .map(|(name, schemas)| (name, either(schemas)))
        .collect()
}

fn field(info: &FieldInfo) -> Value {
    let mut schema = match info.kind {
        FieldKind::Quantity(kind) => quantity(kind, info.positive),
        FieldKind::Count | FieldKind::Number => bounds(info),
        FieldKind::Flag => json!({ "type": "boolean" }),
        FieldKind::Text => json!({ "type": "string" }),
        FieldKind::Choice(words) => json!({ "enum": words }),
    };
    if let Value::Object(schema) = &mut schema {
        describe(schema, info.doc);
    }
    schema
}

fn bounds(info: &FieldInfo) -> Value {
    let kind = if info.kind == FieldKind::Count {
        "integer"
    } else {
        "number"
    };
    let mut schema = Map::from_iter([("type".to_owned(), json!(kind))]);
    if info.positive {
        schema.insert("exclusiveMinimum".to_owned(), json!(0));
    } else if info.minimum.is_finite() {
        schema.insert("minimum".to_owned(), json!(info.minimum));
    }
    if info.maximum.is_finite() {
        schema.insert("maximum".to_owned(), json!(info.maximum));
    }
    Value::Object(schema)
}
