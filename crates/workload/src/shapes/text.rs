//! Texts with a notation of their own.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use bandgraph_config::{Custom, Decoded, Decoder, Field, Made, Node};
use bandgraph_diagnostics::Diagnostic;
use serde_json::{Value as Json, json};

/// A text that decodes to a value of type `T`.
#[derive(Debug)]
pub(super) struct TextShape<T> {
    /// Returns the problem of a text that is malformed.
    pub(super) parse: fn(&str) -> Result<T, String>,
    /// The id of the error of such a text.
    pub(super) id: &'static str,
    /// The correct form, as help for that error.
    pub(super) help: &'static str,
}

impl<T: Any + Debug + Send + Sync> Custom for TextShape<T> {
    fn read(&self, decoder: &mut Decoder<'_>, field: &Field, node: &Node, _: &Decoded) -> Option<Made> {
        match (self.parse)(&decoder.text(field.name, node)?) {
            Ok(value) => Some(Arc::new(value)),
            Err(problem) => {
                decoder.problems.push(
                    Diagnostic::error(self.id, problem)
                        .at(node.place.clone().label("not understood"))
                        .help(self.help),
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
