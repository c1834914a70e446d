//! A value of a file with its place.

use std::collections::BTreeMap;

use bandgraph_diagnostics::Place;

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// The header of a table with a header; otherwise the value.
    pub place: Place,
}

/// The types of TOML values.
#[derive(Clone, Debug)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A floating-point number; infinite if it is out of range.
    Float(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A date or time, as written. No field has this type.
    Date(String),
    /// A list.
    Array(Vec<Node>),
    /// A table.
    Table(Table),
    /// A value that could not be parsed, and has been reported.
    Unreadable,
}

impl Value {
    /// Its type, for messages.
    pub fn description(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a decimal number",
            Self::Flag(_) => "true or false",
            Self::Date(_) => "a date",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Keys and values. The order of keys has no meaning in TOML; diagnostics are finally sorted by place.
pub type Table = BTreeMap<String, Entry>;

/// A key of a table with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Where the key is.
    pub key_place: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// A value at a place.
    pub const fn new(value: Value, place: Place) -> Self {
        Self { value, place }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The table, if it is one.
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The items of an array; empty for other types.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }
}
