//! The two ends of a link.

use std::sync::Arc;

use bandgraph_config::{Custom, Decoded, Decoder, Field, Made, Named, Node, Value};
use bandgraph_diagnostics::Diagnostic;
use serde_json::{Value as Json, json};

/// The ids of two sockets. Reads as a list of [`Named`].
#[derive(Debug)]
pub(crate) struct Ends;

impl Custom for Ends {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        match &node.value {
            Value::Array(items) if items.len() == 2 => {
                let ends: Vec<Named> = decoder.references(field.name, node)?;
                return Some(Arc::new(ends));
            }
            Value::Array(items) => {
                decoder.problems.push(
                    Diagnostic::error(
                        "value::two_ends",
                        format!("a link has two ends, and `ends` names {}", items.len()),
                    )
                    .at(node.place.clone())
                    .help("write the ids of two sockets: `ends = [\"cpu0\", \"cpu1\"]`"),
                );
            }
            _ => decoder.wrong_type(field.name, "a list of two sockets", node),
        }
        None
    }

    fn schema(&self) -> Json {
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })
    }

    fn reference(&self) -> String {
        "list of two sockets".to_owned()
    }
}
