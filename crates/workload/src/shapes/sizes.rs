//! Sizes of operations with their weights.

use std::any::Any;
use std::sync::Arc;

use bandgraph_config::{Custom, Decoded, Decoder, Field, FieldType, Node, Read, Shape};
use bandgraph_diagnostics::Diagnostic;
use serde_json::{Value as Json, json};

use crate::Sizes;

/// A text such as `"4 KiB=3, 64 KiB=1"`. Decodes to [`Sizes`].
#[derive(Debug)]
pub(super) struct SizesShape;

impl FieldType for Sizes {
    const SHAPE: Shape = Shape::Custom(&SizesShape);

    fn from_read(read: &Read) -> Option<Self> {
        match read {
            Read::Custom(sizes) => sizes.downcast_ref().cloned(),
            _ => None,
        }
    }

    fn placeholder() -> Self {
        Self::one(1).expect("one byte is a size")
    }
}

impl Custom for SizesShape {
    fn read(
        &self,
        decoder: &mut Decoder<'_>,
        field: &Field,
        node: &Node,
        _decoded: &Decoded,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        match decoder.text(field.name, node)?.parse::<Sizes>() {
            Ok(sizes) => Some(Arc::new(sizes)),
            Err(error) => {
                decoder.problems.push(
                    Diagnostic::error("scenario::sizes", error.to_string())
                        .at(node.place.clone().label("not understood"))
                        .help("write sizes with their weights, as \"4 KiB=3, 64 KiB=1\""),
                );
                None
            }
        }
    }

    fn schema(&self) -> Json {
        json!({ "type": "string" })
    }

    fn reference(&self) -> String {
        "text".to_owned()
    }
}
