//! Numeric fields of a stack, as its parts declare them.

use bandgraph_config::{Field, Shape};

/// Declares a numeric field of the stack for its table.
pub(crate) const fn number(name: &'static str, doc: &'static str, minimum: f64, maximum: f64) -> Field {
    Field::new(name, Shape::Number, doc)
        .optional()
        .at_least(minimum)
        .at_most(maximum)
}
