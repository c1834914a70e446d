//! Mixes of operations.

use std::sync::Arc;

use bandgraph_config::schema::share;
use bandgraph_config::{Custom, Decoded, Decoder, Field, FieldType, Made, Node, Read, Shape, Table, Value};
use bandgraph_diagnostics::Diagnostic;

use serde_json::{Map, Value as Json, json};

use crate::{Mix, OperationKind};

/// A named mix, or a table of operations and their weights. Decodes to a [`Mix`].
#[derive(Debug)]
pub(super) struct MixShape;

impl FieldType for Mix {
    const SHAPE: Shape = Shape::Custom(&MixShape);

    fn from_read(read: &Read) -> Option<Self> {
        read.custom().cloned()
    }

    fn placeholder() -> Self {
        Self::single(OperationKind::Read)
    }
}

impl Custom for MixShape {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        Some(Arc::new(read_mix(decoder, field.name, node)?))
    }

    fn schema(&self) -> Json {
        let names: Vec<&str> = Mix::NAMES.iter().copied().chain(operations()).collect();
        let weight = || share(&json!({ "type": "number", "exclusiveMinimum": 0 }));
        let weights: Map<String, Json> = operations().map(|name| (name.to_owned(), weight())).collect();
        json!({ "oneOf": [
            { "enum": names },
            { "type": "object", "properties": weights, "additionalProperties": false, "minProperties": 1 },
        ] })
    }

    fn reference(&self) -> String {
        "operation, mix, or table of weights".to_owned()
    }

    fn has_weights(&self) -> bool {
        true
    }
}

/// An operation, a published mix, or a table of weights.
fn read_mix(decoder: &mut Decoder<'_>, name: &str, node: &Node) -> Option<Mix> {
    match &node.value {
        Value::Text(text) => {
            let mix = Mix::named(text).or_else(|| text.parse().ok().map(Mix::single));
            if mix.is_none() && text.contains(['=', ':', ',']) {
                // As other programs write weights.
                let message = format!("there is no operation or mix `{text}`");
                decoder.problems.push(
                    Diagnostic::error("value::unknown_choice", message)
                        .at(node.place.clone())
                        .help(format!(
                            "write a table of weights: `{name} = {{ read = 70, write = 30 }}`"
                        )),
                );
            } else if mix.is_none() {
                let known = Mix::NAMES.iter().copied().chain(operations());
                decoder.unknown(
                    "value::unknown_choice",
                    "there is no operation or mix",
                    text,
                    known,
                    node,
                );
            }
            mix
        }
        Value::Table(table) => weights(decoder, name, table, node),
        _ => {
            decoder.wrong_type(
                name,
                "an operation, the name of a mix, or a table of weights",
                node,
            );
            None
        }
    }
}

fn weights(decoder: &mut Decoder<'_>, name: &str, table: &Table, node: &Node) -> Option<Mix> {
    let mut weights = Vec::new();
    let mut sound = true;
    for (key, entry) in table {
        let weight = decoder.share(key, &entry.node);
        let operation = key.parse::<OperationKind>().ok();
        if operation.is_none() {
            let at_key = Node::new(Value::Flag(true), entry.key_place.clone());
            decoder.unknown(
                "value::unknown_choice",
                "there is no operation",
                key,
                operations(),
                &at_key,
            );
        }
        match operation.zip(weight) {
            Some(pair) => weights.push(pair),
            None => sound = false,
        }
    }
    if !sound {
        return None;
    }
    match Mix::new(&weights) {
        Ok(mix) => Some(mix),
        Err(error) => {
            decoder
                .problems
                .push(Diagnostic::error(error.id(), format!("`{name}`: {error}")).at(node.place.clone()));
            None
        }
    }
}

fn operations() -> impl Iterator<Item = &'static str> + Clone {
    OperationKind::ALL.iter().map(|kind| kind.name())
}
