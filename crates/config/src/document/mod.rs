//! Files as trees of values with their places, before their meaning is known.

mod merge;
mod node;
mod parse;

pub(crate) use merge::identity;
pub use merge::{merge, refuse_duplicates};
pub use node::{Entry, Node, Table, Value};
pub use parse::{parse_document, parse_value, shortened};
