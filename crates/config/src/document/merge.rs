//! Merging of files.
//!
//! Tables are merged field by field, and the upper file wins. An entry of an array is merged with the lower
//! entry of the same identity ([`Identity`]); a new entry is added at the end. An empty array removes the
//! lower entries.

use std::collections::BTreeMap;

use bandgraph_diagnostics::Diagnostic;

use super::{Node, Table, Value};
use crate::counted;
use crate::kind::{Identity, Kind, Shape};
use crate::problems::Problems;

/// The identity of an entry among others of its kind; `None` if it has none.
///
/// Several links may have the same ends, in either order; a number distinguishes them: see [`numbered`].
pub(crate) fn identity(kind: &Kind, entry: &Table) -> Option<String> {
    let text = |field: &str| Some(entry.get(field)?.node.text()?.to_owned());
    match kind.identity {
        Identity::Single => None,
        Identity::Field(field) => text(field),
        Identity::Numbered => text("id"),
        Identity::Ends => {
            let mut ends: Vec<&str> = entry
                .get("ends")?
                .node
                .items()
                .iter()
                .filter_map(Node::text)
                .collect();
            ends.sort_unstable();
            Some(ends.join("-"))
        }
        Identity::FromTo => Some(format!("{}-{}", text("from")?, text("to")?)),
    }
}

/// The identity of every entry, with the number of earlier entries with the same one.
fn numbered(kind: &Kind, entries: &[Node]) -> Vec<Option<(String, usize)>> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    entries
        .iter()
        .map(|entry| {
            let identity = identity(kind, entry.table()?)?;
            let count = seen.entry(identity.clone()).or_insert(0);
            *count += 1;
            Some((identity, *count - 1))
        })
        .collect()
}

/// Merges `over` into `base`.
pub fn merge(kind: &Kind, base: &mut Table, over: Table) {
    for (key, entry) in over {
        let shape = kind.field(&key).map(|field| field.shape);
        let Some(below) = base.get_mut(&key) else {
            base.insert(key, entry);
            continue;
        };
        match (shape, &mut below.node.value, entry.node.value) {
            (Some(Shape::Table(inner) | Shape::Mounted(inner)), Value::Table(below), Value::Table(over)) => {
                merge(inner, below, over);
            }
            (Some(Shape::Entries(inner)), Value::Array(below), Value::Array(over)) if !over.is_empty() => {
                merge_entries(inner, below, over);
            }
            (_, _, value) => {
                below.key_place = entry.key_place;
                below.node = Node::new(value, entry.node.place);
            }
        }
    }
}

fn merge_entries(kind: &Kind, base: &mut Vec<Node>, over: Vec<Node>) {
    let stems = counted::stems(base);
    for name in over.iter().filter_map(|entry| identity(kind, entry.table()?)) {
        if stems.iter().any(|stem| name.starts_with(stem)) {
            counted::split_named(kind, base, &name);
        }
    }
    let places: BTreeMap<(String, usize), usize> = numbered(kind, base)
        .into_iter()
        .enumerate()
        .filter_map(|(index, identity)| Some((identity?, index)))
        .collect();
    let identities = numbered(kind, &over);
    for (entry, identity) in over.into_iter().zip(identities) {
        let below = identity
            .and_then(|identity| places.get(&identity))
            .map(|index| &mut base[*index]);
        match (below.map(|below| &mut below.value), entry.value) {
            (Some(Value::Table(below)), Value::Table(over)) => merge(kind, below, over),
            (_, value) => base.push(Node::new(value, entry.place)),
        }
    }
}

/// Rejects an identity that one file uses twice. The first keeps it; of another the name becomes unreadable,
/// since it may be the one that is wrong, or the entry is left out where no name alone identifies it.
pub fn refuse_duplicates(kind: &Kind, table: &mut Table, problems: &mut Problems) {
    for (key, entry) in table {
        match (kind.field(key).map(|field| field.shape), &mut entry.node.value) {
            (Some(Shape::Mounted(kind)), Value::Table(inner)) => refuse_duplicates(kind, inner, problems),
            (Some(Shape::Entries(inner)), Value::Array(entries)) if inner.identity != Identity::Ends => {
                let duplicates: Vec<bool> = numbered(inner, entries)
                    .iter()
                    .map(|identity| identity.as_ref().is_some_and(|(_, before)| *before > 0))
                    .collect();
                for (index, entry) in entries.iter().enumerate().filter(|(index, _)| duplicates[*index]) {
                    report_duplicate(inner, &entries[..index], entry, problems);
                }
                let mut duplicates = duplicates.into_iter();
                entries.retain_mut(|entry| !duplicates.next().unwrap_or(false) || lose_name(inner, entry));
            }
            _ => {}
        }
    }
}

/// Makes the id of an entry unreadable, if it has one.
fn lose_name(kind: &Kind, entry: &mut Node) -> bool {
    let is_named = matches!(kind.identity, Identity::Field("id") | Identity::Numbered);
    let (true, Value::Table(table)) = (is_named, &mut entry.value) else {
        return false;
    };
    let name = table.get_mut("id");
    name.is_some_and(|name| {
        name.node.value = Value::Unreadable;
        true
    })
}

fn report_duplicate(kind: &Kind, before: &[Node], entry: &Node, problems: &mut Problems) {
    if problems.is_full() {
        return;
    }
    let of = |node: &Node| identity(kind, node.table()?);
    let Some(name) = of(entry) else { return };
    let place_of = |node: &Node| {
        let first = kind.identity.fields().first();
        let place = node
            .table()
            .and_then(|table| table.get(*first?))
            .map(|entry| &entry.node.place);
        place.unwrap_or(&node.place).clone()
    };
    let first = before.iter().find(|other| of(other).as_ref() == Some(&name));
    let mut diagnostic = Diagnostic::error(
        "entry::duplicate",
        format!("{} `{name}` is in this file twice", kind.name),
    )
    .at(place_of(entry).label("the second"))
    .help(match kind.identity.fields() {
        ["id"] => format!("give each {} a name of its own, or leave one out", kind.name),
        fields => format!(
            "entries with the same `{}` are one: write both as one entry, or leave one out",
            fields.join("` and `")
        ),
    });
    if let Some(first) = first {
        diagnostic = diagnostic.also(place_of(first).label("the first"));
    }
    problems.push(diagnostic);
}

#[cfg(test)]
mod tests {
    use bandgraph_diagnostics::Sources;

    use super::*;
    use crate::document::parse_document;
    use crate::fixture::TOPOLOGY;

    fn parsed(text: &str) -> Table {
        let mut sources = Sources::new();
        let mut problems = Problems::new();
        let source = sources.add("x", text.to_owned());
        let mut table = parse_document(source, &sources, &mut problems);
        refuse_duplicates(&TOPOLOGY, &mut table, &mut problems);
        assert!(!problems.has_errors(), "{:?}", problems.into_sorted());
        table
    }

    fn merged(base: &str, over: &str) -> Table {
        let mut base = parsed(base);
        merge(&TOPOLOGY, &mut base, parsed(over));
        base
    }

    fn field<'t>(entry: &'t Node, name: &str) -> Option<&'t str> {
        entry.table()?.get(name)?.node.text()
    }

    #[test]
    fn entries_merge_field_by_field() {
        let table = merged(
            "[[card]]\nid = \"a\"\npart = \"p\"\nslot = \"s1\"\n[[card]]\nid = \"b\"\nslot = \"s2\"\n",
            "[[card]]\nid = \"b\"\nslot = \"s9\"\n[[card]]\nid = \"c\"\nslot = \"s3\"\n[[card]]\nid = \"a\"\npart = \"q\"\n",
        );
        let cards = table["card"].node.items();
        let seen: Vec<_> = cards
            .iter()
            .map(|card| (field(card, "id"), field(card, "part"), field(card, "slot")))
            .collect();
        assert_eq!(
            seen,
            [
                (Some("a"), Some("q"), Some("s1")),
                (Some("b"), None, Some("s9")),
                (Some("c"), None, Some("s3"))
            ]
        );
    }

    #[test]
    fn nested_tables_merge_too() {
        let table = merged(
            "[[socket]]\nid = \"cpu0\"\nmemory = { part = \"m\", size = \"1 GiB\" }\n",
            "[[socket]]\nid = \"cpu0\"\nmemory.size = \"2 GiB\"\n",
        );
        let memory = &table["socket"].node.items()[0]
            .table()
            .expect("a socket is a table")["memory"]
            .node;
        assert_eq!(
            (field(memory, "part"), field(memory, "size")),
            (Some("m"), Some("2 GiB"))
        );
    }

    #[test]
    fn links_are_told_apart_by_ends_and_number() {
        let table = merged(
            "[[link]]\nends = [\"a\", \"b\"]\npart = \"1\"\n[[link]]\nends = [\"a\", \"b\"]\npart = \"2\"\n",
            "[[link]]\nends = [\"b\", \"a\"]\npart = \"3\"\n[[link]]\nends = [\"b\", \"a\"]\npart = \"4\"\n\
             [[link]]\nends = [\"a\", \"b\"]\npart = \"5\"\n",
        );
        let parts: Vec<_> = table["link"]
            .node
            .items()
            .iter()
            .filter_map(|link| field(link, "part"))
            .collect();
        assert_eq!(parts, ["3", "4", "5"]);
    }

    #[test]
    fn the_second_of_two_is_refused_and_points_at_the_first() {
        let text = "[[slot]]\nid = \"s1\"\n[[slot]]\nid = \"s2\"\n[[slot]]\nid = \"s1\"\n";
        let mut sources = Sources::new();
        let mut problems = Problems::new();
        let source = sources.add("x", text.to_owned());
        let mut table = parse_document(source, &sources, &mut problems);
        refuse_duplicates(&TOPOLOGY, &mut table, &mut problems);
        let names: Vec<_> = table["slot"]
            .node
            .items()
            .iter()
            .map(|slot| field(slot, "id"))
            .collect();
        assert_eq!(names, [Some("s1"), Some("s2"), None]);
        let all = problems.into_sorted();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].id, "entry::duplicate");
        let line = |place: &bandgraph_diagnostics::Place| sources.line_column(source, place.range.start).line;
        assert_eq!(all[0].primary.as_ref().map(line), Some(6));
        assert_eq!(all[0].secondary.iter().map(line).collect::<Vec<_>>(), [2]);
    }

    /// An entry that something else than an `id` identifies has none to change.
    #[test]
    fn help_for_a_duplicate_names_the_fields_that_are_there() {
        let text = "[[route]]\nfrom = \"a\"\nto = \"b\"\n[[route]]\nfrom = \"a\"\nto = \"b\"\n";
        let mut sources = Sources::new();
        let mut problems = Problems::new();
        let source = sources.add("x", text.to_owned());
        let mut table = parse_document(source, &sources, &mut problems);
        refuse_duplicates(&TOPOLOGY, &mut table, &mut problems);
        let all = problems.into_sorted();
        assert!(
            all[0].help[0].starts_with("entries with the same `from` and `to` are one"),
            "{all:?}"
        );
    }
}
