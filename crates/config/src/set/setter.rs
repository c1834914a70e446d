//! Sets a value at a path in a table, by the descriptor of its kind.

use bandgraph_diagnostics::{Diagnostic, did_you_mean, there_are};

use super::names::{EntryName, entry_names, has_field, is_link_suffix, letter_of, matches_pattern};
use super::path::Segment;
use crate::counted;
use crate::decode::elsewhere;
use crate::document::{Entry, Node, Table, Value, shortened};
use crate::kind::{Described, Identity, Kind, Shape};
use crate::problems::Problems;

/// The maximum number of names in a search for "did you mean".
const MAXIMUM_CANDIDATES: usize = 500;

pub(super) struct Setter<'s> {
    pub(super) value: &'s Node,
    pub(super) problems: &'s mut Problems,
    /// The kind of the whole file.
    pub(super) file: &'static Kind,
}

impl Setter<'_> {
    /// Sets the value at the rest of a path in a table.
    pub(super) fn table(&mut self, kind: &'static Kind, table: &mut Table, path: &[Segment]) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        match kind.field(&first.text).map(|field| field.shape) {
            Some(Shape::Entries(inner)) => self.entries(inner, table, first, rest),
            Some(Shape::Table(inner)) if !rest.is_empty() => self.inner(inner, table, first, rest),
            Some(Shape::Custom(custom)) if custom.has_weights() && rest.len() == 1 => {
                self.weight(table, first, &rest[0]);
            }
            Some(Shape::Mounted(inner)) if !rest.is_empty() => self.inner(inner, table, first, rest),
            None if kind.described.is_none() => {
                let known: Vec<&str> = kind.fields().map(|field| field.name).collect();
                self.unknown(
                    "set::unknown_path",
                    &format!("`{}` has nothing to set called", kind.name),
                    first,
                    &known,
                );
            }
            _ => self.leaf(table, first, rest),
        }
    }

    /// Sets a field. Decoding, which knows the fields of parts, rejects unknown ones.
    fn leaf(&mut self, table: &mut Table, field: &Segment, rest: &[Segment]) {
        if let Some(next) = rest.first() {
            self.problems.push(
                Diagnostic::error(
                    "set::unknown_path",
                    format!(
                        "`{}` is a value, with nothing inside to set",
                        shortened(&field.text)
                    ),
                )
                .at(next.place.clone()),
            );
            return;
        }
        let entry = Entry {
            key_place: field.place.clone(),
            node: self.value.clone(),
        };
        table.insert(field.text.clone(), entry);
    }

    /// Sets the weight of one operation of a mix. A named mix becomes a table with this weight only.
    fn weight(&mut self, table: &mut Table, mix: &Segment, operation: &Segment) {
        let empty = Node::new(Value::Table(Table::new()), mix.place.clone());
        let entry = table.entry(mix.text.clone()).or_insert_with(|| Entry {
            key_place: mix.place.clone(),
            node: empty.clone(),
        });
        if !matches!(entry.node.value, Value::Table(_)) {
            entry.node = empty;
        }
        if let Value::Table(weights) = &mut entry.node.value {
            self.leaf(weights, operation, &[]);
        }
    }

    /// Continues in a table inside a table, which is created if it is missing.
    fn inner(&mut self, kind: &'static Kind, table: &mut Table, field: &Segment, rest: &[Segment]) {
        let entry = table.entry(field.text.clone()).or_insert_with(|| Entry {
            key_place: field.place.clone(),
            node: Node::new(Value::Table(Table::new()), field.place.clone()),
        });
        // Decoding rejects a value that is not a table.
        if let Value::Table(inner) = &mut entry.node.value {
            self.table(kind, inner, rest);
        }
    }

    /// Continues in the entries that match a pattern.
    fn entries(&mut self, kind: &'static Kind, table: &mut Table, field: &Segment, path: &[Segment]) {
        let (pattern, suffix, rest) = match path {
            [] if matches!(self.value.value, Value::Array(_)) => return self.leaf(table, field, path),
            [] => return self.incomplete(kind, field),
            [pattern, suffix, rest @ ..] if is_link_suffix(kind, &suffix.text) => {
                (pattern, Some(suffix), rest)
            }
            [pattern, rest @ ..] => (pattern, None, rest),
        };
        if rest.is_empty() {
            return self.incomplete(kind, suffix.unwrap_or(pattern));
        }
        if let Some(Value::Array(entries)) = table.get_mut(&field.text).map(|entry| &mut entry.node.value) {
            counted::split_named(kind, entries, &pattern.text);
        }
        let names = match table.get(&field.text) {
            Some(entry) => entry_names(kind, entry.node.items()),
            None => Vec::new(),
        };
        let chosen: Vec<bool> = names
            .iter()
            .map(|name| {
                name.spellings
                    .iter()
                    .any(|name| matches_pattern(&pattern.text, name))
            })
            .zip(&names)
            .map(|(named, name)| {
                named
                    && name.has_suffix(
                        suffix.map(|suffix| suffix.text.as_str()),
                        pattern.text.contains('*'),
                    )
            })
            .collect();
        if !chosen.contains(&true) {
            if adds_implied(kind, table, field, pattern) {
                return self.entries(kind, table, field, path);
            }
            let parallel = |name: &EntryName| name.spellings.contains(&pattern.text);
            let parallel = names.iter().filter(|name| parallel(name)).count();
            if let Some(suffix) = suffix.filter(|_| parallel > 0) {
                self.no_parallel(kind, pattern, suffix, parallel);
                return;
            }
            let names: Vec<String> = names
                .into_iter()
                .take(MAXIMUM_CANDIDATES)
                .map(EntryName::full)
                .collect();
            let implied = implied_names(kind);
            if pattern.text.contains('*') && !implied.is_empty() {
                self.problems.push(
                    Diagnostic::error(
                        "set::no_match",
                        format!("`{}` stands for entries of files, and none matches", pattern.text),
                    )
                    .at(pattern.place.clone())
                    .help(by_name(kind, &rest[0].text))
                    .help("an entry that uses it can have the field too, and there a `*` stands for all"),
                );
                return;
            }
            let known: Vec<&str> = names.iter().map(String::as_str).chain(implied).collect();
            return self.unknown(
                "set::no_match",
                &format!("there is no {}", kind.name),
                pattern,
                &known,
            );
        }
        // A pattern is for those that have the field; if none has, decoding says it of each.
        let has = |entry: &Node| {
            let entry = entry.table();
            entry.is_none_or(|entry| has_field(kind, &rest[0].text, entry, table))
        };
        let entries = table.get(&field.text).map_or(&[][..], |entry| entry.node.items());
        let have: Vec<bool> = entries
            .iter()
            .zip(&chosen)
            .map(|(entry, chosen)| *chosen && has(entry))
            .collect();
        let chosen = if pattern.text.contains('*') && have.contains(&true) {
            have
        } else {
            chosen
        };
        let Some(Value::Array(entries)) = table.get_mut(&field.text).map(|entry| &mut entry.node.value)
        else {
            return;
        };
        if matches!(kind.identity, Identity::Field(_) | Identity::Numbered)
            && kind.identity.fields().contains(&&*rest[0].text)
        {
            let message = format!("the `{}` of `[[{}]]` cannot be set", rest[0].text, kind.name);
            let help = "it is what other fields and paths call the entry by; write another entry instead";
            self.problems.push(
                Diagnostic::error("set::identity", message)
                    .at(rest[0].place.clone())
                    .help(help),
            );
            return;
        }
        for (entry, _) in entries.iter_mut().zip(chosen).filter(|(_, chosen)| *chosen) {
            if let Value::Table(entry) = &mut entry.value {
                self.table(kind, entry, rest);
            }
        }
    }

    /// Reports a suffix letter beyond the number of entries with the same name.
    fn no_parallel(&mut self, kind: &Kind, pattern: &Segment, suffix: &Segment, parallel: usize) {
        let (kind, name, last) = (kind.name, &pattern.text, letter_of(parallel - 1));
        let help = match last.filter(|_| parallel > 1) {
            Some(last) => format!("they are `{kind}.{name}` to `{kind}.{name}.{last}`"),
            None => format!("it is a single {kind}: write `{kind}.{name}`"),
        };
        self.problems.push(
            Diagnostic::error(
                "set::no_match",
                format!("there is no parallel {kind} `{}` of `{name}`", suffix.text),
            )
            .at(suffix.place.clone())
            .help(help),
        );
    }

    fn incomplete(&mut self, kind: &Kind, at: &Segment) {
        let help = if implied_names(kind).is_empty() {
            let mut fields = kind.fields().map(|field| field.name);
            let field = fields.find(|name| *name != "id").unwrap_or("field");
            let kind = kind.name;
            format!("write `{kind}.ID.{field}=VALUE`, or `{kind}.*.{field}=VALUE` for all")
        } else {
            by_name(kind, "FIELD")
        };
        self.problems.push(
            Diagnostic::error(
                "set::incomplete_path",
                format!("this does not say what of `[[{}]]` to set", kind.name),
            )
            .at(at.place.clone())
            .help(help),
        );
    }

    pub(super) fn unknown(&mut self, id: &'static str, message: &str, segment: &Segment, known: &[&str]) {
        if self.problems.is_full() {
            return;
        }
        let help = did_you_mean(&segment.text, known.iter().copied())
            .or_else(|| elsewhere(self.file, &segment.text))
            .unwrap_or_else(|| there_are(known.iter().copied()));
        self.problems.push(
            Diagnostic::error(id, format!("{message} `{}`", shortened(&segment.text)))
                .at(segment.place.clone().label("not known"))
                .help(help),
        );
    }
}

/// The names of entries that a path may name though no file has them.
fn implied_names(kind: &Kind) -> Vec<&'static str> {
    kind.described.map_or_else(Vec::new, Described::implied_names)
}

/// How a path names one of these.
fn by_name(kind: &Kind, field: &str) -> String {
    format!("name one: `{}.NAME.{}=VALUE`", kind.name, shortened(field))
}

/// Adds the entry that a name implies, if there is one, before all others, which may be based on it. Returns
/// whether it did.
fn adds_implied(kind: &Kind, table: &mut Table, field: &Segment, name: &Segment) -> bool {
    let Some(fields) = kind.described.and_then(|described| described.implied(&name.text)) else {
        return false;
    };
    let entry = |value| Entry {
        key_place: name.place.clone(),
        node: Node::new(value, name.place.clone()),
    };
    let fields = fields.into_iter();
    let implied: Table = fields
        .map(|(key, text)| (key.to_owned(), entry(Value::Text(text))))
        .collect();
    let entries = table
        .entry(field.text.clone())
        .or_insert_with(|| entry(Value::Array(Vec::new())));
    let Value::Array(entries) = &mut entries.node.value else {
        return false;
    };
    entries.insert(0, Node::new(Value::Table(implied), name.place.clone()));
    true
}
