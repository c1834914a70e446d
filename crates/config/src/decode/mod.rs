//! Decoding of trees of values into checked fields, by the descriptor tables.
//!
//! An error does not stop decoding: it becomes a problem, the entry is marked as not
//! [`sound`](Decoded::sound), and the rest is decoded.

mod decoded;
mod described;
mod numbers;
mod values;

use std::collections::BTreeMap;

use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean, listed, suggest, with_article};
pub use decoded::{Decoded, Found, Named, Read};
pub use values::unknown_version;

use crate::document::{Entry, Node, Table, Value, parse_value, shortened};
use crate::kind::{Field, Kind, Made, Presence, Shape};
use crate::problems::Problems;

/// The maximum number of names in a search for "did you mean".
pub const MAXIMUM_CANDIDATES: usize = 500;

/// The maximum number of entries of one kind. Machines have fewer, and every pair of entries may be compared.
const MAXIMUM_ENTRIES: usize = 10_000;

/// The maximum number of items in a list, for the same reason.
pub(crate) const MAXIMUM_ITEMS: usize = 4096;

/// Values that a file defines by name, for later references.
pub type Definitions = BTreeMap<String, Made>;

/// Decodes tables.
#[derive(Debug)]
pub struct Decoder<'s> {
    /// The texts of the files.
    pub sources: &'s Sources,
    /// The problems so far.
    pub problems: &'s mut Problems,
    /// The definitions so far.
    pub definitions: Definitions,
    /// The table that was decoded first, which contains all others.
    outermost: Option<&'static Kind>,
}

impl<'s> Decoder<'s> {
    /// A decoder of a file, without definitions.
    pub fn new(sources: &'s Sources, problems: &'s mut Problems) -> Self {
        Self {
            sources,
            problems,
            definitions: Definitions::new(),
            outermost: None,
        }
    }

    /// Decodes a table of a kind. `place` is its header.
    pub fn table(&mut self, kind: &'static Kind, table: &Table, place: &Place) -> Decoded {
        let mut decoded = Decoded::new(kind, place.clone());
        self.outermost.get_or_insert(kind);
        // A file inside another is decoded separately, after the file that it names has been merged under it.
        let fields = kind
            .fields()
            .filter(|field| !matches!(field.shape, Shape::Mounted(_)));
        for field in fields {
            self.field(field, table, &mut decoded);
        }
        self.described(table, &mut decoded);
        decoded
    }

    /// Decodes some fields again after changes, of a table that was decoded before without a problem.
    pub fn fields_again(&mut self, fields: &[&Field], table: &Table, decoded: &mut Decoded) {
        decoded.sound = true;
        for field in fields {
            decoded.fields.remove(field.name);
            self.field(field, table, decoded);
        }
    }

    fn field(&mut self, field: &Field, table: &Table, decoded: &mut Decoded) {
        let read = match table.get(field.name) {
            Some(entry) => self.given(field, entry, decoded),
            None => self.left_out(field, table, decoded),
        };
        if let Some(found) = read {
            decoded.sound &= found.is_sound();
            decoded.fields.insert(field.name, found);
        } else {
            let has = |name: &str| table.contains_key(name);
            decoded.sound &= !field.presence.must_be(has) && !has(field.name);
        }
    }

    /// Decodes a field that is present.
    fn given(&mut self, field: &Field, entry: &Entry, decoded: &Decoded) -> Option<Found> {
        let (read, figure) = if field.uncertain {
            let (value, figure) = self.figure(field, &entry.node)?;
            (Read::Single(value), figure.map(Box::new))
        } else {
            (self.value(field, &entry.node, decoded)?, None)
        };
        let written = entry.node.text().map(str::to_owned);
        Some(Found {
            read,
            place: entry.node.place.clone(),
            written,
            figure,
        })
    }

    /// The default of a missing field, or a problem.
    fn left_out(&mut self, field: &Field, table: &Table, decoded: &Decoded) -> Option<Found> {
        match field.presence {
            Presence::Default(text) => {
                let place = decoded.place.clone();
                let node = match default_value(text) {
                    Some(value) => Node::new(value, place.clone()),
                    None => parse_value(place.source, text, 0, self.problems),
                };
                let node = Node {
                    place: place.clone(),
                    ..node
                };
                let read = self.value(field, &node, decoded)?;
                Some(Found {
                    read,
                    place,
                    written: None,
                    figure: None,
                })
            }
            presence => {
                if presence.must_be(|name| table.contains_key(name))
                    && !is_misspelt(field.name, table, decoded.kind)
                {
                    self.missing(field.name, field.doc, decoded.kind, table, &decoded.place);
                }
                None
            }
        }
    }

    /// Whether a kind is that of the file, which is a noun and no key.
    fn is_outermost(&self, kind: &Kind) -> bool {
        self.outermost
            .is_some_and(|outermost| outermost.name == kind.name)
    }

    /// Reports a missing required field, unless a file that could not be read may have it.
    pub fn missing(&mut self, name: &str, doc: &str, kind: &Kind, table: &Table, place: &Place) {
        if self.problems.is_full() || self.problems.lacks_a_file() {
            return;
        }
        let what = match table
            .get("id")
            .or_else(|| table.get("name"))
            .and_then(|entry| entry.node.text())
        {
            Some(id) => format!("{} `{}`", kind.name, shortened(id)),
            None if self.is_outermost(kind) => format!("this {}", kind.name),
            None => format!("`{}`", kind.name),
        };
        self.problems.push(
            Diagnostic::error("entry::missing_field", format!("{what} has no `{name}`"))
                .at(place.clone().label(format!("`{name}` is missing here")))
                .help(format!("{name}: {}", lower_first(doc))),
        );
    }

    /// Decodes the fields that are not the kind's own, and rejects unknown ones.
    fn described(&mut self, table: &Table, decoded: &mut Decoded) {
        let kind = decoded.kind;
        let others = table.iter().filter(|(key, _)| kind.field(key).is_none());
        let others: Vec<(&String, &Entry)> = others.collect();
        match kind.described {
            None => self.unknown_fields(&others, &[], decoded),
            Some(described) => described.read(self, &others, table, decoded),
        }
    }

    /// Rejects unknown fields; `more` are valid names in addition to the kind's own.
    fn unknown_fields(
        &mut self,
        unknown: &[(&String, &Entry)],
        more: &[&'static str],
        decoded: &mut Decoded,
    ) {
        for (key, entry) in unknown {
            decoded.sound = false;
            if self.problems.is_full() {
                return;
            }
            let kind = decoded.kind;
            let known = || kind.fields().map(|field| field.name).chain(more.iter().copied());
            let longer = known().any(|name| {
                name.strip_prefix(&**key)
                    .is_some_and(|rest| rest.starts_with('_'))
            });
            let help = within(key, kind)
                .filter(|_| !longer)
                .or_else(|| did_you_mean(key, known()))
                .or_else(|| misplaced(key, kind))
                .or_else(|| elsewhere(self.outermost?, key))
                .unwrap_or_else(|| format!("its fields are {}", listed(known()).0));
            // An override of all entries points at its own text, which does not say which of them lacks it.
            let id = kind.field("id").and_then(|_| decoded.text("id"));
            let owner = match id {
                Some(id) => format!("{} `{}`", kind.name, shortened(id)),
                None if self.is_outermost(kind) => with_article(kind.name),
                None => format!("`{}`", kind.name),
            };
            self.problems.push(
                Diagnostic::error(
                    "entry::unknown_field",
                    format!("{owner} has no field `{}`", shortened(key)),
                )
                .at(entry.key_place.clone().label("unknown field"))
                .help(help),
            );
        }
    }

    /// Decodes the value of a field.
    fn value(&mut self, field: &Field, node: &Node, decoded: &Decoded) -> Option<Read> {
        match field.shape {
            Shape::Schema => self.schema(node),
            Shape::Flag | Shape::Count | Shape::Number | Shape::Quantity(_) | Shape::Parsed(_) => {
                self.single(field, node).map(Read::Single)
            }
            Shape::Text => self.text(field.name, node).map(Read::text),
            Shape::Id => self.id(field.name, node).map(Read::text),
            Shape::Reference(_) => self.reference(field.name, node).map(Read::text),
            Shape::References(_) => self.references(field.name, node).map(Read::Names),
            Shape::Choice(words) => self.choice(field.name, &words(), node).map(Read::text),
            Shape::Scalar => Some(Read::Value(node.clone())),
            Shape::Values => self.values(field.name, node),
            Shape::Paths | Shape::Texts => self.texts(field.name, node).map(Read::Names),
            Shape::Custom(custom) => custom.read(self, field, node, decoded).map(Read::Custom),
            Shape::Mounted(_) => None,
            Shape::Table(kind) => self.inner_table(field.name, kind, node),
            Shape::Entries(kind) => self.entries(field.name, kind, node),
        }
    }

    fn inner_table(&mut self, name: &str, kind: &'static Kind, node: &Node) -> Option<Read> {
        if let Value::Table(table) = &node.value {
            return Some(Read::Table(Box::new(self.table(kind, table, &node.place))));
        }
        self.wrong_type(name, "a table", node);
        None
    }

    fn entries(&mut self, name: &str, kind: &'static Kind, node: &Node) -> Option<Read> {
        let Value::Array(items) = &node.value else {
            self.wrong_type(name, &format!("a list of tables, written as `[[{name}]]`"), node);
            return None;
        };
        if items.len() > MAXIMUM_ENTRIES {
            self.too_many(name, items.len(), MAXIMUM_ENTRIES, &items[MAXIMUM_ENTRIES].place);
        }
        let mut entries = Vec::new();
        for item in items.iter().take(MAXIMUM_ENTRIES) {
            match &item.value {
                Value::Table(table) => {
                    entries.push(self.table(kind, table, &item.place));
                }
                _ => self.wrong_type(name, "a table", item),
            }
        }
        Some(Read::Entries(entries))
    }

    /// Reports a list that is too long.
    pub fn too_many(&mut self, name: &str, count: usize, limit: usize, place: &Place) {
        let message = format!("`{name}` has {count} entries, and {limit} are allowed");
        self.problems.push(
            Diagnostic::error("entry::too_many", message).at(place.clone().label("the first one too many")),
        );
    }

    /// Reports a value of the wrong type.
    pub fn wrong_type(&mut self, name: &str, expected: &str, node: &Node) {
        if self.problems.is_full() || matches!(node.value, Value::Unreadable) {
            return;
        }
        let found = node.value.description();
        self.problems.push(
            Diagnostic::error(
                "value::wrong_type",
                format!("`{name}` is {expected}, not {found}"),
            )
            .at(node.place.clone().label(format!("this is {found}"))),
        );
    }
}

/// The value of a default in its simplest forms, which nearly all have: a sweep decodes every default at
/// every point, and this avoids the parser. `None` for other forms.
fn default_value(text: &str) -> Option<Value> {
    if let Some(inside) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        return (!inside.contains(['\\', '"'])).then(|| Value::Text(inside.to_owned()));
    }
    match text {
        "true" => Some(Value::Flag(true)),
        "false" => Some(Value::Flag(false)),
        "{}" => Some(Value::Table(Table::new())),
        "[]" => Some(Value::Array(Vec::new())),
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok().map(Value::Integer),
        _ => None,
    }
}

/// Whether a table has a field of no meaning that is probably meant to be this one: that is one mistake, and
/// is reported there.
fn is_misspelt(name: &str, table: &Table, kind: &Kind) -> bool {
    let described = kind
        .described
        .map_or_else(Vec::new, super::kind::Described::fields);
    let known = || {
        let more = described.iter().copied().flatten();
        kind.fields().chain(more).map(|field| field.name)
    };
    let unknown = |key: &&String| !known().any(|name| name == key.as_str());
    let mut unknown = table.keys().filter(unknown).take(MAXIMUM_CANDIDATES);
    unknown.any(|key| suggest(key, known()).is_some_and(|meant| meant == name))
}

/// Help for a field of a table within this one.
fn within(key: &str, kind: &Kind) -> Option<String> {
    kind.fields().find_map(|field| match field.shape {
        Shape::Entries(inner) if inner.field(key).is_some() => {
            Some(format!("`{key}` is a field of `[[{}]]`", field.name))
        }
        Shape::Table(inner) if inner.field(key).is_some() => Some(format!(
            "`{key}` is a field of `{0}`: `{0}.{key} = ...`",
            field.name
        )),
        _ => None,
    })
}

/// Help for a field that belongs to another table.
fn misplaced(key: &str, kind: &Kind) -> Option<String> {
    let (name, mounted) = kind.mounted()?;
    mounted.field(key)?;
    Some(format!(
        "a {} says what differs from its {name} as `[[{name}.{key}]]`",
        kind.name
    ))
}

/// Help for a field that one other table of the file has.
pub(crate) fn elsewhere(file: &Kind, key: &str) -> Option<String> {
    match owners(file, key).as_slice() {
        [owner] => Some(format!("did you mean `{owner}`?")),
        _ => None,
    }
}

/// The paths of the tables of a file, and of the file inside, with a field of this name.
fn owners(file: &Kind, name: &str) -> Vec<String> {
    let inside = file.mounted().into_iter().flat_map(|(_, inner)| inner.fields());
    let path = |field: &Field| match field.shape {
        Shape::Entries(inner) => inner.field(name).map(|_| format!("{}.ID.{name}", field.name)),
        Shape::Table(inner) => inner.field(name).map(|_| format!("{}.{name}", field.name)),
        _ => None,
    };
    file.fields().chain(inside).filter_map(path).collect()
}

fn lower_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_lowercase().collect::<String>())
        .unwrap_or_default();
    format!("{first}{}", letters.as_str().trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_what_the_parser_reads() {
        let mut sources = Sources::new();
        let source = sources.add("default", String::new());
        for text in ["\"128 KiB\"", "\"\"", "true", "false", "{}", "1", "0", "42"] {
            let mut problems = Problems::new();
            let parsed = parse_value(source, text, 0, &mut problems);
            let value = default_value(text).expect("a plain default");
            assert_eq!(format!("{value:?}"), format!("{:?}", parsed.value), "{text}");
        }
        for text in [
            "\"a\\n\"",
            "[1]",
            "1.5",
            "-1",
            "{ a = 1 }",
            "99999999999999999999",
        ] {
            assert!(default_value(text).is_none(), "{text} is for the parser");
        }
    }
}
