//! Ports of cards.

use std::sync::Arc;

use bandgraph_config::{Custom, Decoded, Decoder, Field, Made, Named, Node};
use serde_json::{Value as Json, json};

/// Ports of the server's network cards, such as `nic0.0`. Decodes to a list of [`Named`].
#[derive(Debug)]
pub(crate) struct Ports;

impl Custom for Ports {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        let ports: Vec<Named> = decoder.texts(field.name, node)?;
        Some(Arc::new(ports))
    }

    fn schema(&self) -> Json {
        json!({ "type": "array", "items": { "type": "string", "pattern": r"^[A-Za-z0-9_-]+\.[0-9]+$" } })
    }

    fn reference(&self) -> String {
        "list of ports".to_owned()
    }
}
