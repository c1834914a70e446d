//! What was read from a table.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use bandgraph_diagnostics::Place;

use crate::document::Node;
use crate::figure::Figure;
use crate::kind::Kind;
use crate::value::{FieldType, FieldValue};

/// A table with the fields that could be read.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The kind of table.
    pub kind: &'static Kind,
    /// Its header.
    pub place: Place,
    /// The fields that could be read, defaults included.
    pub fields: BTreeMap<&'static str, Found>,
    /// Where the fields that come from a part or profile were given.
    pub described: BTreeMap<String, Place>,
    /// Where the figures of those fields come from, of a table that says so.
    pub figures: BTreeMap<String, Figure>,
    /// What the fields that come from elsewhere make, as their reader left it.
    pub made: Option<Arc<dyn Any + Send + Sync>>,
    /// Whether everything in it could be read, so that more can be said about it.
    pub sound: bool,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Found {
    /// The value.
    pub read: Read,
    /// The value's place; of a default, that of the table.
    pub place: Place,
    /// A text of the file as it stands there; `None` for a default, and for what is no text.
    pub written: Option<String>,
}

impl Found {
    pub(crate) fn is_sound(&self) -> bool {
        match &self.read {
            Read::Table(table) => table.sound,
            Read::Entries(entries) => entries.iter().all(|entry| entry.sound),
            _ => true,
        }
    }
}

/// A checked value.
#[derive(Clone, Debug)]
pub enum Read {
    /// A single value.
    Single(FieldValue),
    /// A list of texts.
    Names(Vec<Named>),
    /// A value that another table gives a meaning.
    Value(Node),
    /// A list of such values.
    Values(Vec<Node>),
    /// What a [`Custom`](crate::Custom) shape has read.
    Custom(Arc<dyn Any + Send + Sync>),
    /// A table.
    Table(Box<Decoded>),
    /// An array of tables.
    Entries(Vec<Decoded>),
}

impl Read {
    pub(crate) fn text(text: String) -> Self {
        Self::Single(FieldValue::Text(text))
    }
}

/// A name in a list.
#[derive(Clone, Debug)]
pub struct Named {
    /// The text.
    pub text: String,
    /// Where it is.
    pub place: Place,
}

impl Decoded {
    /// A table of which nothing was read yet.
    pub fn new(kind: &'static Kind, place: Place) -> Self {
        Self {
            kind,
            place,
            fields: BTreeMap::new(),
            described: BTreeMap::new(),
            figures: BTreeMap::new(),
            made: None,
            sound: true,
        }
    }

    /// The kind of the table.
    pub fn kind(&self) -> &'static Kind {
        self.kind
    }

    fn read(&self, field: &str) -> Option<&Read> {
        debug_assert!(
            self.kind.field(field).is_some(),
            "`{field}` is in the table of {}",
            self.kind.name
        );
        self.fields.get(field).map(|found| &found.read)
    }

    /// The value of a field as a type that such a field can have; `None` where it was not read.
    pub fn get<T: FieldType>(&self, field: &str) -> Option<T> {
        T::from_read(self.read(field)?)
    }

    /// What a [`Custom`](crate::Custom) shape has read in a field.
    pub fn custom<T: Any>(&self, field: &str) -> Option<&T> {
        match self.read(field)? {
            Read::Custom(value) => value.downcast_ref(),
            _ => None,
        }
    }

    /// What the fields that come from elsewhere made, as this type.
    pub fn made_as<T: Any>(&self) -> Option<&T> {
        self.made.as_ref()?.downcast_ref()
    }

    /// The text of a field.
    pub fn text(&self, field: &str) -> Option<&str> {
        match self.read(field)? {
            Read::Single(FieldValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The text, or an empty one.
    pub fn text_or_empty(&self, field: &str) -> String {
        self.text(field).unwrap_or_default().to_owned()
    }

    /// The text that a value was read from.
    pub fn written(&self, field: &str) -> Option<String> {
        self.fields.get(field)?.written.clone()
    }

    /// The flag of a field.
    pub fn flag(&self, field: &str) -> Option<bool> {
        self.get(field)
    }

    /// The whole number of a field.
    pub fn count(&self, field: &str) -> Option<u64> {
        self.get(field)
    }

    /// The number or quantity of a field, in base units.
    pub fn amount(&self, field: &str) -> Option<f64> {
        match self.read(field)? {
            Read::Single(value) => value.number(),
            Read::Custom(number) => number.downcast_ref().copied(),
            _ => None,
        }
    }

    /// The texts of a list; none where it was not read.
    pub fn names(&self, field: &str) -> &[Named] {
        match self.read(field) {
            Some(Read::Names(names)) => names,
            Some(Read::Custom(names)) => names.downcast_ref::<Vec<Named>>().map_or(&[], Vec::as_slice),
            _ => &[],
        }
    }

    /// The value of a field that another table gives a meaning.
    pub fn value(&self, field: &str) -> Option<&Node> {
        match self.read(field)? {
            Read::Value(node) => Some(node),
            _ => None,
        }
    }

    /// The values of a field that another table gives a meaning.
    pub fn values(&self, field: &str) -> Option<&[Node]> {
        match self.read(field)? {
            Read::Values(nodes) => Some(nodes),
            _ => None,
        }
    }

    /// The table in a field.
    pub fn table(&self, field: &str) -> Option<&Self> {
        match self.read(field)? {
            Read::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The tables in an array; none where it was not read.
    pub fn entries(&self, field: &str) -> &[Self] {
        match self.read(field) {
            Some(Read::Entries(entries)) => entries,
            _ => &[],
        }
    }

    /// The place of a field, given as a path (`memory.size`): of its value, or else of the nearest table
    /// around it.
    pub fn place_of(&self, path: &str) -> Place {
        let (first, rest) = path
            .split_once('.')
            .map_or((path, None), |(first, rest)| (first, Some(rest)));
        let Some(found) = self.fields.get(first) else {
            return self.described.get(first).unwrap_or(&self.place).clone();
        };
        match (&found.read, rest) {
            (Read::Table(table), Some(rest)) => table.place_of(rest),
            _ => found.place.clone(),
        }
    }
}
