//! The MTU: the size of the largest IP packet.

use std::sync::Arc;

use bandgraph_config::{Custom, Decoded, Decoder, Field, Made, Node, Shape, Value};
use bandgraph_units::{Bytes, QuantityKind};
use serde_json::{Value as Json, json};

/// A size in which a number without a unit is in bytes. Decodes to [`Bytes`].
#[derive(Debug)]
pub(crate) struct Mtu;

const SIZE: Field = Field::new("mtu", Shape::Quantity(QuantityKind::Bytes), "A size.").positive();

impl Custom for Mtu {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        let bytes = match node.value {
            // The network settings check the range.
            Value::Integer(bytes) => bytes as f64,
            Value::Float(bytes) => bytes,
            _ => decoder
                .single(
                    &Field {
                        name: field.name,
                        ..SIZE
                    },
                    node,
                )?
                .number()?,
        };
        Some(Arc::new(Bytes::new(bytes)))
    }

    fn schema(&self) -> Json {
        let size = bandgraph_config::schema::quantity(QuantityKind::Bytes, true);
        json!({ "anyOf": [{ "type": "integer", "minimum": 1 }, size] })
    }

    fn reference(&self) -> String {
        "size, or whole number of bytes".to_owned()
    }
}
