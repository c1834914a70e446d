//! The JSON of stacks.

use bandgraph_model::Stack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{FieldDocument, field, in_general};

/// A list of stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StacksDocument {
    /// Version of this format.
    pub schema: u32,
    /// The stacks, in the order of their names.
    pub stacks: Vec<StackDocument>,
}

/// One stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackDocument {
    /// Name, as scenario files use it.
    pub name: String,
    /// The software and the systems that it fits.
    pub fits: String,
    /// The first and the last year of software that it fits; null where it does not say.
    pub years: Option<[u32; 2]>,
    /// The protocols whose operations its figures are of; empty where it does not say.
    pub protocols: Vec<String>,
    /// Where its figures come from in general: a full reference, or `assumption`.
    pub source: String,
    /// Its figures, in documented order.
    pub fields: Vec<FieldDocument>,
}

/// Several stacks as JSON.
pub fn stacks_json(stacks: &[&Stack]) -> String {
    super::pretty(&StacksDocument {
        schema: 1,
        stacks: stacks.iter().map(|stack| document(stack)).collect(),
    })
}

/// One stack as JSON.
pub fn stack_json(stack: &Stack) -> String {
    super::pretty(&document(stack))
}

fn document(stack: &Stack) -> StackDocument {
    StackDocument {
        name: stack.name.clone(),
        fits: stack.fits.clone(),
        years: stack.years,
        protocols: stack.protocols.iter().map(ToString::to_string).collect(),
        source: in_general(&stack.origin),
        fields: stack.figures().into_iter().map(field).collect(),
    }
}
