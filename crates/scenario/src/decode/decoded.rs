//! What was read from a table.

use std::collections::BTreeMap;

use bandgraph_diagnostics::Place;
use bandgraph_hardware::{AnyPart, PartKind, PcieSlotSpec};
use bandgraph_sim::Stack;
use bandgraph_workload::Mix;

use crate::descriptor::Kind;
use crate::document::Node;

/// A table with the fields that could be read.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub(crate) kind: &'static Kind,
    /// Its header.
    pub(crate) place: Place,
    pub(crate) fields: BTreeMap<&'static str, Found>,
    /// Where the fields that come from a part or profile were given.
    pub(crate) described: BTreeMap<String, Place>,
    /// The stack, of a table that is one.
    pub(crate) stack: Option<Stack>,
    /// Whether everything in it could be read, so that more can be said about it.
    pub(crate) sound: bool,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) read: Read,
    /// The value's place; of a default, that of the table.
    pub(crate) place: Place,
    /// A text of the file as it stands there; `None` for a default, and for what is no text.
    pub(crate) written: Option<String>,
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
pub(crate) enum Read {
    Text(String),
    Flag(bool),
    Count(u64),
    /// In base units.
    Amount(f64),
    Names(Vec<Named>),
    /// A value that is read further by whoever knows what it is for.
    Value(Node),
    Values(Vec<Node>),
    Pcie(PcieSlotSpec),
    Part(Box<AnyPart>),
    PartKind(PartKind),
    Mix(Mix),
    Table(Box<Decoded>),
    Entries(Vec<Decoded>),
}

/// A name in a list.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) text: String,
    pub(crate) place: Place,
}

impl Decoded {
    pub(crate) fn new(kind: &'static Kind, place: Place) -> Self {
        Self {
            kind,
            place,
            fields: BTreeMap::new(),
            described: BTreeMap::new(),
            stack: None,
            sound: true,
        }
    }

    fn read(&self, field: &str) -> Option<&Read> {
        debug_assert!(
            self.kind.field(field).is_some(),
            "`{field}` is in the table of {}",
            self.kind.name
        );
        self.fields.get(field).map(|found| &found.read)
    }

    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        match self.read(field)? {
            Read::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text, or an empty one.
    pub(crate) fn text_or_empty(&self, field: &str) -> String {
        self.text(field).unwrap_or_default().to_owned()
    }

    /// The text that a value was read from.
    pub(crate) fn written(&self, field: &str) -> Option<String> {
        self.fields.get(field)?.written.clone()
    }

    pub(crate) fn flag(&self, field: &str) -> Option<bool> {
        match self.read(field)? {
            Read::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub(crate) fn count(&self, field: &str) -> Option<u64> {
        match self.read(field)? {
            Read::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// A quantity, in base units.
    pub(crate) fn amount(&self, field: &str) -> Option<f64> {
        match self.read(field)? {
            Read::Amount(amount) => Some(*amount),
            _ => None,
        }
    }

    pub(crate) fn names(&self, field: &str) -> &[Named] {
        match self.read(field) {
            Some(Read::Names(names)) => names,
            _ => &[],
        }
    }

    pub(crate) fn value(&self, field: &str) -> Option<&Node> {
        match self.read(field)? {
            Read::Value(node) => Some(node),
            _ => None,
        }
    }

    pub(crate) fn values(&self, field: &str) -> Option<&[Node]> {
        match self.read(field)? {
            Read::Values(nodes) => Some(nodes),
            _ => None,
        }
    }

    pub(crate) fn pcie(&self, field: &str) -> Option<PcieSlotSpec> {
        match self.read(field)? {
            Read::Pcie(pcie) => Some(*pcie),
            _ => None,
        }
    }

    pub(crate) fn part(&self, field: &str) -> Option<&AnyPart> {
        match self.read(field)? {
            Read::Part(part) => Some(part),
            _ => None,
        }
    }

    pub(crate) fn part_mut(&mut self, field: &str) -> Option<&mut AnyPart> {
        match &mut self.fields.get_mut(field)?.read {
            Read::Part(part) => Some(part),
            _ => None,
        }
    }

    pub(crate) fn part_kind(&self, field: &str) -> Option<PartKind> {
        match self.read(field)? {
            Read::PartKind(kind) => Some(*kind),
            _ => None,
        }
    }

    pub(crate) fn mix(&self, field: &str) -> Option<&Mix> {
        match self.read(field)? {
            Read::Mix(mix) => Some(mix),
            _ => None,
        }
    }

    pub(crate) fn table(&self, field: &str) -> Option<&Self> {
        match self.read(field)? {
            Read::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn entries(&self, field: &str) -> &[Self] {
        match self.read(field) {
            Some(Read::Entries(entries)) => entries,
            _ => &[],
        }
    }

    /// The place of a field, given as a path (`memory.size`): of its value, or else of the nearest table around it.
    pub(crate) fn place_of(&self, path: &str) -> Place {
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
