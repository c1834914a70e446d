//! The decoded contents of a table.

use std::any::Any;
use std::collections::BTreeMap;

use bandgraph_diagnostics::Place;

use crate::document::Node;
use crate::figure::Figure;
use crate::kind::{Kind, Made};
use crate::value::{FieldType, FieldValue};

/// A decoded table.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The kind of table.
    pub kind: &'static Kind,
    /// Its header.
    pub place: Place,
    /// The decoded fields, including defaults.
    pub fields: BTreeMap<&'static str, Found>,
    /// The places of the values of fields that a part or profile defines.
    pub described: BTreeMap<String, Place>,
    /// The figures of those fields, in a table that has sources.
    pub figures: BTreeMap<String, Figure>,
    /// The value that those fields make, from their reader.
    pub made: Option<Made>,
    /// Whether everything in it was decoded, so that further checks make sense.
    pub sound: bool,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Found {
    /// The value.
    pub read: Read,
    /// The value's place; for a default, that of the table.
    pub place: Place,
    /// The text as written in the file; `None` for a default and for other types.
    pub written: Option<String>,
    /// The range and the source that the file gives with it.
    pub figure: Option<Box<Figure>>,
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
    /// A value whose meaning depends on another table.
    Value(Node),
    /// A list of such values.
    Values(Vec<Node>),
    /// The value of a [`Custom`](crate::Custom) shape.
    Custom(Made),
    /// A table.
    Table(Box<Decoded>),
    /// An array of tables.
    Entries(Vec<Decoded>),
}

impl Read {
    pub(crate) fn text(text: String) -> Self {
        Self::Single(FieldValue::Text(text))
    }

    /// The value of a [`Custom`](crate::Custom) shape, as this type.
    pub fn custom<T: Any>(&self) -> Option<&T> {
        match self {
            Self::Custom(value) => value.downcast_ref(),
            _ => None,
        }
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
    /// A table without decoded fields.
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

    /// The figures that the file gives with a range or a source, of this table and of the tables inside, by
    /// the path of their field: `processors.cycles_per_byte`.
    pub fn given_figures(&self) -> BTreeMap<String, Figure> {
        let mut given = BTreeMap::new();
        for (field, found) in &self.fields {
            if let Some(figure) = &found.figure {
                given.insert((*field).to_owned(), (**figure).clone());
            }
            if let Read::Table(inner) = &found.read {
                let inner = inner.given_figures().into_iter();
                given.extend(inner.map(|(name, figure)| (format!("{field}.{name}"), figure)));
            }
        }
        given
    }

    fn read(&self, field: &str) -> Option<&Read> {
        debug_assert!(
            self.kind.field(field).is_some(),
            "`{field}` is in the table of {}",
            self.kind.name
        );
        self.fields.get(field).map(|found| &found.read)
    }

    /// The value of a field as type `T`; `None` if it was not decoded.
    pub fn get<T: FieldType>(&self, field: &str) -> Option<T> {
        T::from_read(self.read(field)?)
    }

    /// The value of a field with a [`Custom`](crate::Custom) shape.
    pub fn custom<T: Any>(&self, field: &str) -> Option<&T> {
        self.read(field)?.custom()
    }

    /// The value of `made`, as this type.
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

    /// The text from which a value was decoded.
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
            custom => custom.custom().copied(),
        }
    }

    /// The texts of a list; empty if it was not decoded.
    pub fn names(&self, field: &str) -> &[Named] {
        match self.read(field) {
            Some(Read::Names(names)) => names,
            custom => custom
                .and_then(Read::custom::<Vec<Named>>)
                .map_or(&[], Vec::as_slice),
        }
    }

    /// The value of a field whose meaning depends on another table.
    pub fn value(&self, field: &str) -> Option<&Node> {
        match self.read(field)? {
            Read::Value(node) => Some(node),
            _ => None,
        }
    }

    /// The values of a field whose meaning depends on another table.
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

    /// The tables in an array; empty if it was not decoded.
    pub fn entries(&self, field: &str) -> &[Self] {
        match self.read(field) {
            Some(Read::Entries(entries)) => entries,
            _ => &[],
        }
    }

    /// The place of a field, given as a path (`memory.size`, `workload.ID.mix` of the entry with this id): that
    /// of its value, or otherwise of the nearest enclosing table.
    pub fn place_of(&self, path: &str) -> Place {
        let (first, rest) = path
            .split_once('.')
            .map_or((path, None), |(first, rest)| (first, Some(rest)));
        let Some(found) = self.fields.get(first) else {
            return self.described.get(first).unwrap_or(&self.place).clone();
        };
        match (&found.read, rest) {
            (Read::Table(table), Some(rest)) => table.place_of(rest),
            (Read::Entries(entries), Some(rest)) => {
                let (id, rest) = rest.split_once('.').unwrap_or((rest, ""));
                let entry = entries.iter().find(|entry| entry.text("id") == Some(id));
                entry.map_or_else(|| found.place.clone(), |entry| entry.place_of(rest))
            }
            _ => found.place.clone(),
        }
    }
}
