//! Files as trees of values that know their place, before anything is known of what they mean.

mod merge;
mod node;
mod parse;

pub(crate) use merge::{identity, merge, refuse_duplicates};
pub(crate) use node::{Entry, Node, Table, Value};
pub(crate) use parse::{parse_document, parse_value, shortened};
