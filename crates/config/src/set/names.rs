//! The names of entries in paths, and patterns of names.

use crate::counted::element_ids;
use crate::document::{Entry, Node, Table, identity};
use crate::kind::{Described, Field, Identity, Kind, Shape};

/// The name of an entry in a path.
pub(super) struct EntryName {
    /// Its identity; for a link, with both orders of its ends.
    pub(super) spellings: Vec<String>,
    /// The number of earlier entries with the same identity: not zero only for links.
    ordinal: usize,
}

impl EntryName {
    /// Whether a suffix selects this one among those with the same identity.
    pub(super) fn has_suffix(&self, suffix: Option<&str>, pattern_has_wildcard: bool) -> bool {
        match suffix {
            Some("*") => true,
            Some(suffix) => letter_of(self.ordinal).is_some_and(|letter| suffix.starts_with(letter)),
            None => self.ordinal == 0 || pattern_has_wildcard,
        }
    }

    /// The name in the notation of paths.
    pub(super) fn full(self) -> String {
        let name = self.spellings.into_iter().next().unwrap_or_default();
        match letter_of(self.ordinal).filter(|_| self.ordinal > 0) {
            Some(letter) => format!("{name}.{letter}"),
            None => name,
        }
    }
}

/// A path for `--set`, and the field that it sets.
pub type Settable = (String, &'static Field);

/// The paths of all fields of a table that can be set: of each entry by its name, of each element of an entry
/// with a `count`, and of all entries by `*`.
pub fn paths_of(kind: &Kind, table: &Table) -> Vec<Settable> {
    let mut paths = Vec::new();
    for field in kind.fields() {
        match field.shape {
            Shape::Table(inner) => fields_of(inner, field.name, described(inner, None, table), &mut paths),
            Shape::Entries(inner) => {
                let entries = table.get(field.name).map_or(&[][..], |entry| entry.node.items());
                let names = entry_names(inner, entries).into_iter().map(EntryName::full);
                let names = names.zip(entries).collect::<Vec<_>>();
                let elements = entries
                    .iter()
                    .flat_map(|entry| element_ids(inner, entry).into_iter().map(move |id| (id, entry)));
                for (name, entry) in names
                    .into_iter()
                    .chain(elements)
                    .filter(|(name, _)| !name.is_empty())
                {
                    let prefix = format!("{}.{name}", field.name);
                    fields_of(inner, &prefix, described(inner, entry.table(), table), &mut paths);
                }
                let prefix = format!("{}.*", field.name);
                fields_of(inner, &prefix, described(inner, None, table), &mut paths);
            }
            _ => {}
        }
    }
    paths
}

/// The fields that a kind does not define: of an entry in a table, or of any.
fn described(kind: &Kind, entry: Option<&Table>, table: &Table) -> Vec<&'static [Field]> {
    let of = |described: &'static dyn Described| match entry {
        Some(entry) => described.fields_of(entry, table),
        None => described.fields(),
    };
    kind.described.map_or_else(Vec::new, of)
}

/// Whether an entry of a table has a field that can be set.
pub(super) fn has_field(kind: &Kind, name: &str, entry: &Table, table: &Table) -> bool {
    let mut described = described(kind, Some(entry), table).into_iter().flatten();
    kind.field(name).is_some() || described.any(|field| field.name == name)
}

/// The fields of an entry, and those of tables inside of it.
fn fields_of(kind: &Kind, prefix: &str, described: Vec<&'static [Field]>, paths: &mut Vec<Settable>) {
    let identity = kind.identity.fields();
    let fields = kind.fields().chain(described.into_iter().flatten());
    for field in fields.filter(|field| !identity.contains(&field.name)) {
        let path = format!("{prefix}.{}", field.name);
        match field.shape {
            Shape::Table(inner) => {
                let described = inner.described.map_or_else(Vec::new, Described::fields);
                fields_of(inner, &path, described, paths);
            }
            Shape::Entries(_) => {}
            _ if paths.iter().any(|(known, _)| *known == path) => {}
            _ => paths.push((path, field)),
        }
    }
}

/// `a` for the first of parallel links, `b` for the second.
pub(super) fn letter_of(ordinal: usize) -> Option<char> {
    u8::try_from(ordinal)
        .ok()
        .filter(|ordinal| *ordinal < 26)
        .map(|ordinal| char::from(b'a' + ordinal))
}

pub(super) fn is_link_suffix(kind: &Kind, segment: &str) -> bool {
    kind.identity == Identity::Ends
        && (segment == "*" || (segment.len() == 1 && segment.as_bytes()[0].is_ascii_lowercase()))
}

pub(super) fn entry_names(kind: &Kind, entries: &[Node]) -> Vec<EntryName> {
    let mut seen = std::collections::BTreeMap::new();
    entries
        .iter()
        .map(|entry| {
            let table = entry.table();
            let Some(name) = table.and_then(|table| identity(kind, table)) else {
                return EntryName {
                    spellings: Vec::new(),
                    ordinal: 0,
                };
            };
            let count: &mut usize = seen.entry(name.clone()).or_insert(0);
            *count += 1;
            let mut spellings = vec![name];
            if kind.identity == Identity::Ends {
                spellings = both_orders(table.and_then(|table| table.get("ends")));
            }
            EntryName {
                spellings,
                ordinal: *count - 1,
            }
        })
        .collect()
}

/// The name of a link with its ends in the order of the file, and reversed.
fn both_orders(ends: Option<&Entry>) -> Vec<String> {
    let ends: Vec<&str> = ends
        .map(|ends| ends.node.items())
        .unwrap_or_default()
        .iter()
        .filter_map(Node::text)
        .collect();
    match ends.as_slice() {
        [a, b] => vec![format!("{a}-{b}"), format!("{b}-{a}")],
        _ => Vec::new(),
    }
}

/// Whether a name matches a pattern in which `*` matches any text, including the empty one.
pub(super) fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut last = None;
    for piece in pieces {
        if let Some(middle) = last.replace(piece) {
            match rest.find(middle) {
                Some(at) => rest = &rest[at + middle.len()..],
                None => return false,
            }
        }
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("*", "abc", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "a", false),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("ab*b", "ab", false),
        ] {
            assert_eq!(matches_pattern(pattern, name), expected, "{pattern} {name}");
        }
    }
}
