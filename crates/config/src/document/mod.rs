//! Files as trees of values that know their place, before anything is known of what they mean.

mod merge;
mod node;
mod parse;

pub(crate) use merge::identity;
pub use merge::{merge, refuse_duplicates};
pub use node::{Entry, Node, Table, Value};
pub use parse::{parse_document, parse_value, shortened};
