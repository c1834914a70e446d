//! Numeric fields of a stack, as its parts declare them.

use bandgraph_hardware::{FieldInfo, FieldKind};

/// Declares a numeric field of the stack for its table.
pub(crate) const fn number(name: &'static str, doc: &'static str, minimum: f64, maximum: f64) -> FieldInfo {
    FieldInfo {
        name,
        kind: FieldKind::Number,
        doc,
        minimum,
        maximum,
        positive: false,
        required: false,
    }
}
