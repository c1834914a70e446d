//! JSON Schemas of files, generated from the description of their fields.
//!
//! A file with includes may omit fields that they contain, and one with cases those that its cases contain.
//! Required fields are therefore only checked in other files. The same applies to fields of the file inside a
//! file.

use bandgraph_units::QuantityKind;
use serde_json::{Map, Value, json};

use crate::kind::{Described, Field, Kind, ParsedText, Presence, Shape};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
const ID_PATTERN: &str = "^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$";

/// The JSON Schema (draft 2020-12) of files of a kind.
pub fn of_file(kind: &Kind, title: &str) -> Value {
    let mut definitions = Map::new();
    let mut schema = partial(kind, &mut definitions);
    // Required fields are checked below, in files without includes.
    schema.remove("required");
    schema.insert("$schema".to_owned(), json!(DRAFT));
    schema.insert("title".to_owned(), json!(title));
    let mut leaves_to_others = json!({ "required": ["include"] });
    if kind.fields().any(|field| field.name == "case") {
        leaves_to_others = json!({ "anyOf": [leaves_to_others, { "required": ["case"] }] });
    }
    schema.insert("if".to_owned(), json!({ "not": leaves_to_others }));
    schema.insert("then".to_owned(), complete(kind));
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(schema)
}

/// The schema of a table without required fields.
fn partial(kind: &Kind, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in kind.fields() {
        let mut schema = shape(field, definitions);
        if field.uncertain {
            schema = or_figure(&schema);
        }
        describe(&mut schema, field.doc);
        if let Presence::Default(default) = field.presence
            && let Some(default) = default_value(default)
        {
            schema.insert("default".to_owned(), default);
        }
        properties.insert(field.name.to_owned(), Value::Object(schema));
    }
    for (name, schema) in kind.described.into_iter().flat_map(described_properties) {
        properties.entry(name).or_insert(schema);
    }
    let required = kind.identity.fields();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    describe(&mut schema, kind.doc);
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), json!(required));
    schema.insert("additionalProperties".to_owned(), json!(false));
    schema
}

/// The schema of required fields, in a table and in the tables inside of it.
fn complete(kind: &Kind) -> Value {
    let required: Vec<&str> = kind
        .fields()
        .filter(|field| field.presence == Presence::Required)
        .map(|field| field.name)
        .collect();
    let inside: Map<String, Value> = kind
        .fields()
        .filter_map(|field| match field.shape {
            Shape::Table(inner) => Some((field.name.to_owned(), complete(inner))),
            Shape::Entries(inner) => Some((field.name.to_owned(), json!({ "items": complete(inner) }))),
            _ => None,
        })
        .collect();
    let mut complete = json!({ "required": required, "properties": inside });
    let either: Vec<Value> = kind
        .fields()
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

/// A default as JSON. Defaults are TOML texts, numbers and flags, which are valid JSON too.
fn default_value(toml: &str) -> Option<Value> {
    serde_json::from_str(toml).ok()
}

fn shape(field: &Field, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    let value = match field.shape {
        Shape::Schema => json!({ "const": 1 }),
        Shape::Text | Shape::Reference(_) | Shape::Parsed(ParsedText { pattern: None, .. }) => {
            json!({ "type": "string" })
        }
        Shape::Id => json!({ "type": "string", "pattern": ID_PATTERN }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Number if field.is_share() => share(&bounds(field)),
        Shape::Count | Shape::Number => bounds(field),
        Shape::Quantity(kind) => quantity(kind, field.range.positive),
        Shape::Scalar => json!({ "type": ["string", "number"] }),
        Shape::Choice(words) => json!({ "enum": words() }),
        Shape::Values => json!({ "type": "array", "minItems": 1 }),
        Shape::References(_) | Shape::Paths | Shape::Texts => {
            json!({ "type": "array", "items": { "type": "string" } })
        }
        Shape::Table(kind) => define(kind, definitions),
        Shape::Mounted(kind) => mounted(kind, definitions),
        Shape::Entries(kind) => json!({ "type": "array", "items": define(kind, definitions) }),
        Shape::Parsed(ParsedText {
            pattern: Some(pattern),
            ..
        }) => json!({ "type": "string", "pattern": pattern }),
        Shape::Custom(custom) => custom.schema(),
    };
    match value {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// A reference to the definition of a kind, which is added if it is missing.
fn define(kind: &Kind, definitions: &mut Map<String, Value>) -> Value {
    if !definitions.contains_key(kind.name) {
        let schema = partial(kind, definitions);
        definitions.insert(kind.name.to_owned(), Value::Object(schema));
    }
    json!({ "$ref": format!("#/$defs/{}", kind.name) })
}

/// The schema of a path, or of a file that may contain the path of another.
fn mounted(kind: &Kind, definitions: &mut Map<String, Value>) -> Value {
    let mut table = partial(kind, definitions);
    if let Some(Value::Object(properties)) = table.get_mut("properties") {
        properties.remove("include");
        properties.insert(
            "file".to_owned(),
            json!({ "type": "string", "description": format!("The path of the {} that this table changes.", kind.name) }),
        );
    }
    json!({ "oneOf": [{ "type": "string" }, table] })
}

/// A number, or a text in per cent.
pub fn share(number: &Value) -> Value {
    json!({ "anyOf": [number, quantity(QuantityKind::Fraction, false)] })
}

/// A text with a unit.
pub fn quantity(kind: QuantityKind, positive: bool) -> Value {
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

/// The properties of described fields. If two lists have a field with the same name, the values of both are
/// valid.
fn described_properties(described: &dyn Described) -> Vec<(String, Value)> {
    let mut properties: Vec<(String, Vec<Value>)> = Vec::new();
    for field in described.fields().into_iter().flatten() {
        let mut schema = shape(field, &mut Map::new());
        if described.takes_figures() {
            schema = or_figure(&schema);
        }
        describe(&mut schema, field.doc);
        let schema = Value::Object(schema);
        match properties.iter_mut().find(|(name, _)| name == field.name) {
            Some((_, schemas)) if schemas.contains(&schema) => {}
            Some((_, schemas)) => schemas.push(schema),
            None => properties.push((field.name.to_owned(), vec![schema])),
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

/// The schema of a value, or of a figure in its place.
fn or_figure(value: &Map<String, Value>) -> Map<String, Value> {
    let figure = json!({ "type": "object", "required": ["value"] });
    Map::from_iter([("anyOf".to_owned(), json!([value, figure]))])
}

/// The schema of a number within its range.
fn bounds(field: &Field) -> Value {
    let is_count = matches!(field.shape, Shape::Count);
    let number = |number: f64| {
        if is_count {
            json!(number as i64)
        } else {
            json!(number)
        }
    };
    let mut schema = Map::from_iter([(
        "type".to_owned(),
        json!(if is_count { "integer" } else { "number" }),
    )]);
    let range = field.range;
    if range.positive {
        schema.insert("exclusiveMinimum".to_owned(), json!(0));
    } else if range.minimum.is_finite() {
        schema.insert("minimum".to_owned(), number(range.minimum));
    }
    if range.maximum.is_finite() {
        schema.insert("maximum".to_owned(), number(range.maximum));
    }
    Value::Object(schema)
}
