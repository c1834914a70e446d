//! The JSON of stacks.

use bandgraph_model::Stack;

use super::parts::{FieldDocument, in_general};

documents! {
    /// A list of stacks.
    pub struct StacksDocument(stacks: &[&Stack]) {
        /// Version of this format.
        pub schema: u32 = 1,
        /// The stacks, in the order of their names.
        pub stacks: Vec<StackDocument> = stacks.iter().map(|stack| StackDocument::new(stack)).collect(),
    }

    /// One stack.
    pub struct StackDocument(stack: &Stack) {
        /// Name, as scenario files use it.
        pub name: String = stack.name.clone(),
        /// The software and the systems that it fits.
        pub fits: String = stack.fits.clone(),
        /// The first and the last year of software that it fits; null where it does not say.
        pub years: Option<[u32; 2]> = stack.years,
        /// The protocols whose operations its figures are of; empty where it does not say.
        pub protocols: Vec<String> = stack.protocols.iter().map(ToString::to_string).collect(),
        /// Where its figures come from in general: a full reference, or `assumption`.
        pub source: String = in_general(&stack.origin),
        /// Its figures, in documented order.
        pub fields: Vec<FieldDocument> = stack.figures().into_iter().map(FieldDocument::new).collect(),
    }
}
