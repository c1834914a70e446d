//! A value of a file with its place in it.

use std::collections::BTreeMap;

use bandgraph_diagnostics::Place;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Of a table with a header, the header; of any other value, the value.
    pub place: Place,
}

/// What TOML knows.
#[derive(Clone, Debug)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a point; what is too large for one is infinite.
    Float(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A date or time, as written. Nothing here takes one.
    Date(String),
    /// A list.
    Array(Vec<Node>),
    /// A table.
    Table(Table),
    /// What could not be read, and has been reported.
    Unreadable,
}

impl Value {
    /// What it is, for messages.
    pub fn description(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::Date(_) => "a date",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Keys and values. The order of keys means nothing in TOML; diagnostics are sorted by place in the end.
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
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The table, if it is one.
    /// The table, if it is one.
    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The items of an array; a value that is none has none.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }
}
