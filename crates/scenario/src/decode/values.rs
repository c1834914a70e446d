//! Values that are not numbers.

use bandgraph_diagnostics::{Diagnostic, did_you_mean, one_of};
use bandgraph_hardware::PartKind;
use bandgraph_workload::{Mix, OperationKind};

use super::{Decoder, MAXIMUM_ITEMS, Named, Read};
use crate::document::{Node, Table, Value, shortened};

/// The longest id. Ids are parts of the names of resources, which stand in tables.
const LONGEST_ID: usize = 64;

/// The version of the file format that this program reads.
const SCHEMA: i64 = 1;

/// What is wrong with a file's version, if it is a number and not the right one.
pub(crate) fn unknown_version(node: &Node) -> Option<Diagnostic> {
    let Value::Integer(version) = node.value else {
        return None;
    };
    (version != SCHEMA).then(|| {
        Diagnostic::error(
            "file::schema_version",
            format!("this is version {version} of the file format"),
        )
        .at(node.place.clone().label("not known to this program"))
        .help(format!("this version of bandgraph reads `schema = {SCHEMA}`"))
    })
}

impl Decoder<'_> {
    pub(crate) fn schema(&mut self, node: &Node) -> Option<Read> {
        match node.value {
            Value::Integer(SCHEMA) => Some(Read::Count(1)),
            Value::Integer(_) => {
                self.problems.extend(unknown_version(node));
                None
            }
            _ => {
                self.wrong_type("schema", "a whole number", node);
                None
            }
        }
    }

    pub(crate) fn text(&mut self, name: &str, node: &Node) -> Option<String> {
        if let Value::Text(text) = &node.value {
            return Some(text.clone());
        }
        self.wrong_type(name, "a text in quotes", node);
        None
    }

    pub(crate) fn flag(&mut self, name: &str, node: &Node) -> Option<bool> {
        if let Value::Flag(flag) = node.value {
            return Some(flag);
        }
        self.wrong_type(name, "`true` or `false`", node);
        None
    }

    pub(crate) fn id(&mut self, name: &str, node: &Node) -> Option<Read> {
        let text = self.text(name, node)?;
        let allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        if !text.is_empty() && text.len() <= LONGEST_ID && text.chars().all(allowed) && !text.starts_with('-')
        {
            return Some(Read::Text(text));
        }
        self.problems.push(
            Diagnostic::error("entry::bad_id", format!("`{}` cannot be a name", shortened(&text)))
                .at(node.place.clone())
                .help(format!(
                    "names are of letters, digits, `_` and `-`, do not begin with `-`, and have at most {LONGEST_ID} \
                     characters"
                )),
        );
        None
    }

    /// The name of something else. Whether there is such a thing is checked later, but an empty name is wrong for sure.
    pub(crate) fn reference(&mut self, name: &str, node: &Node) -> Option<String> {
        let text = self.text(name, node)?;
        if !text.trim().is_empty() {
            return Some(text);
        }
        self.problems.push(
            Diagnostic::error("entry::bad_id", format!("`{name}` names nothing"))
                .at(node.place.clone().label("an empty name"))
                .help("write the name of an entry, or leave the field out if it may be left out"),
        );
        None
    }

    /// A list of names of other things.
    pub(crate) fn references(&mut self, name: &str, node: &Node) -> Option<Vec<Named>> {
        let names = self.texts(name, node)?;
        let mut sound = true;
        if let Value::Array(items) = &node.value {
            for item in items {
                sound &= self.reference(name, item).is_some();
            }
        }
        sound.then_some(names)
    }

    /// One of some words.
    pub(crate) fn choice(&mut self, name: &str, words: &[&'static str], node: &Node) -> Option<String> {
        let text = self.text(name, node)?;
        if words.contains(&text.as_str()) {
            return Some(text);
        }
        // A metric is a choice too, but one that deserves its own explanation.
        let (id, message) = if name == "metric" {
            ("reference::unknown_metric", "there is no metric".to_owned())
        } else {
            ("value::unknown_choice", format!("`{name}` cannot be"))
        };
        self.unknown(id, &message, &text, words.iter().copied(), node);
        None
    }

    /// Reports a name that is not among those known.
    pub(crate) fn unknown<'n>(
        &mut self,
        id: &'static str,
        message: &str,
        text: &str,
        known: impl Iterator<Item = &'n str> + Clone,
        node: &Node,
    ) {
        if self.problems.is_full() {
            return;
        }
        let help = did_you_mean(text, known.clone()).or_else(|| {
            let known: Vec<&str> = known.collect();
            (!known.is_empty()).then(|| format!("there is {}", one_of(known)))
        });
        self.problems.push(
            Diagnostic::error(id, format!("{message} `{}`", shortened(text)))
                .at(node.place.clone().label("not known"))
                .help_if(help),
        );
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, name: &str, node: &Node) -> Option<Vec<Named>> {
        let Value::Array(items) = &node.value else {
            self.wrong_type(name, "a list of texts", node);
            return None;
        };
        if items.len() > MAXIMUM_ITEMS {
            self.too_many(name, items.len(), MAXIMUM_ITEMS, &items[MAXIMUM_ITEMS].place);
            return None;
        }
        let texts: Vec<Named> = items
            .iter()
            .filter_map(|item| {
                Some(Named {
                    text: self.text(name, item)?,
                    place: item.place.clone(),
                })
            })
            .collect();
        (texts.len() == items.len()).then_some(texts)
    }

    /// A list of values of any type.
    pub(crate) fn values(&mut self, name: &str, node: &Node) -> Option<Read> {
        if let Value::Array(items) = &node.value {
            return Some(Read::Values(items.clone()));
        }
        self.wrong_type(name, "a list of values", node);
        None
    }

    /// The two ends of a link.
    pub(crate) fn ends(&mut self, name: &str, node: &Node) -> Option<Read> {
        match &node.value {
            Value::Array(items) if items.len() == 2 => self.references(name, node).map(Read::Names),
            Value::Array(items) => {
                self.problems.push(
                    Diagnostic::error(
                        "value::two_ends",
                        format!("a link has two ends, and `ends` names {}", items.len()),
                    )
                    .at(node.place.clone())
                    .help("write the ids of two sockets: `ends = [\"cpu0\", \"cpu1\"]`"),
                );
                None
            }
            _ => {
                self.wrong_type(name, "a list of two sockets", node);
                None
            }
        }
    }

    pub(crate) fn pcie(&mut self, name: &str, node: &Node) -> Option<Read> {
        let text = self.text(name, node)?;
        if let Some(slot) = bandgraph_hardware::catalogue().pcie_slot(&text) {
            return Some(Read::Pcie(slot.spec()));
        }
        match text.parse() {
            Ok(slot) => Some(Read::Pcie(slot)),
            Err(error) => {
                let error: bandgraph_hardware::SlotSpecError = error;
                self.problems.push(
                    Diagnostic::error("value::not_a_pcie_link", error.to_string())
                        .at(node.place.clone())
                        .help("write a generation and a width: \"gen1 x8\""),
                );
                None
            }
        }
    }

    pub(crate) fn part_kind(&mut self, name: &str, node: &Node) -> Option<Read> {
        let words: Vec<&'static str> = PartKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let text = self.choice(name, &words, node)?;
        text.parse().ok().map(Read::PartKind)
    }

    /// An operation, a published mix, or a table of weights.
    pub(crate) fn mix(&mut self, name: &str, node: &Node) -> Option<Read> {
        match &node.value {
            Value::Text(text) => {
                let mix = Mix::named(text).or_else(|| text.parse().ok().map(Mix::single));
                if mix.is_none() {
                    let known = Mix::NAMES.iter().copied().chain(operations());
                    self.unknown(
                        "value::unknown_choice",
                        "there is no operation or mix",
                        text,
                        known,
                        node,
                    );
                }
                mix.map(Read::Mix)
            }
            Value::Table(table) => self.weights(name, table, node),
            _ => {
                self.wrong_type(
                    name,
                    "an operation, the name of a mix, or a table of weights",
                    node,
                );
                None
            }
        }
    }

    fn weights(&mut self, name: &str, table: &Table, node: &Node) -> Option<Read> {
        let mut weights = Vec::new();
        let mut sound = true;
        for (key, entry) in table {
            let weight = self.number(key, &entry.node);
            let operation = key.parse::<OperationKind>().ok();
            if operation.is_none() {
                let at_key = Node {
                    value: Value::Flag(true),
                    place: entry.key_place.clone(),
                };
                self.unknown(
                    "value::unknown_choice",
                    "there is no operation",
                    key,
                    operations(),
                    &at_key,
                );
            }
            match operation.zip(weight) {
                Some(pair) => weights.push(pair),
                None => sound = false,
            }
        }
        if !sound {
            return None;
        }
        match Mix::new(&weights) {
            Ok(mix) => Some(Read::Mix(mix)),
            Err(error) => {
                self.problems
                    .push(Diagnostic::error(error.id(), format!("`{name}`: {error}")).at(node.place.clone()));
                None
            }
        }
    }
}

fn operations() -> impl Iterator<Item = &'static str> + Clone {
    OperationKind::ALL.iter().map(|kind| kind.name())
}
