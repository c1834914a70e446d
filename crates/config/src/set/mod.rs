//! `--set PATH=VALUE`: one field of a scenario or topology, given on the command line.
//!
//! A path consists of the kind of an entry, its id, and a field: `card.nic0.slot`, `socket.cpu0.memory.size`,
//! `stack.instructions_per_byte`. The name of a link is its ends in either order, with the suffix `.b` for
//! the second of two parallel ones (`link.cpu2-cpu3.b.part`). Instead of an id, `*` matches any text:
//! `link.*.part`.
//!
//! The value is TOML if it parses as TOML, otherwise a text, so that `part=ht3-x16` needs no nested quotes.

mod names;
mod path;
mod setter;

use bandgraph_diagnostics::{Diagnostic, Place, Sources};

pub use self::names::{Settable, paths_of};

use self::names::matches_pattern;
use self::path::{Segment, outside_quotes, parse_path};
use self::setter::Setter;
use crate::document::{Entry, Node, Table, Value, parse_value};
use crate::kind::{Field, Kind};
use crate::problems::Problems;

/// The name of an override as a source, whichever option or file gives it.
pub const OVERRIDE: &str = "override";

/// A parsed `--set` text.
#[derive(Clone, Debug)]
pub struct Set {
    path: Vec<Segment>,
    value: Node,
}

impl Set {
    /// Parses a text; `None` and a problem if it is malformed.
    pub fn parse(text: &str, sources: &mut Sources, problems: &mut Problems) -> Option<Self> {
        let source = sources.add(OVERRIDE, text.to_owned());
        Self::parse_at(text, &Place::new(source, 0..text.len()), problems)
    }

    /// [`parse`](Self::parse) for a text in a file, in quotes or not.
    pub fn parse_at(text: &str, place: &Place, problems: &mut Problems) -> Option<Self> {
        let (source, start) = (place.source, place.range.start);
        let start = start + usize::from(place.range.len() == text.len() + 2);
        let Some(equals) = outside_quotes(text, '=').next() else {
            problems.push(
                Diagnostic::error("set::syntax", "this sets nothing: there is no `=` in it")
                    .at(Place::new(source, start..start + text.len()))
                    .help("write PATH=VALUE, as in `--set card.nic0.slot=s5`"),
            );
            return None;
        };
        let inside =
            |range: std::ops::Range<usize>| Place::new(source, start + range.start..start + range.end);
        let path = parse_path(&text[..equals], inside, problems)?;
        let raw = &text[equals + 1..];
        if let Some(second) = second_override(raw) {
            let help = "write an option for each: `--set PATH=VALUE --set PATH=VALUE`; in one `--variant`, \
                        a `;` separates them";
            let start = equals + 1 + second;
            problems.push(
                Diagnostic::error("set::syntax", "these are two overrides in one")
                    .at(inside(start..text.len()).label("the second"))
                    .help(help),
            );
            return None;
        }
        let offset = equals + 1 + (raw.len() - raw.trim_start().len());
        let value = parse_value(source, raw.trim(), start + offset, problems);
        Some(Self { path, value })
    }

    /// An override of `path`, a text in a file at `place`, by a value in a file.
    pub fn of(path: &str, place: &Place, value: Node, problems: &mut Problems) -> Option<Self> {
        // A text without escapes is verbatim between its quotes; for other texts, places refer to the whole.
        let plain = place.range.len() == path.len() + 2;
        let start = place.range.start + 1;
        let inside = |range: std::ops::Range<usize>| {
            let inside = start + range.start..start + range.end;
            Place::new(place.source, if plain { inside } else { place.range.clone() })
        };
        Some(Self {
            path: parse_path(path, inside, problems)?,
            value,
        })
    }

    /// Whether it sets the field of another, or something that contains it or that it contains.
    pub fn meets(&self, other: &Self) -> bool {
        let both = self.path.iter().zip(&other.path);
        both.into_iter().all(|(one, other)| one.text == other.text)
    }

    /// The place of its path.
    pub fn place(&self) -> Place {
        let (first, last) = (&self.path[0].place, &self.path[self.path.len() - 1].place);
        Place::new(first.source, first.range.start..last.range.end)
    }

    /// Whether it names an entry under `list` of the table itself whose id is not among `entries`.
    pub fn names_other_than(&self, list: &str, entries: &[Node]) -> bool {
        let [first, pattern, ..] = self.path.as_slice() else {
            return false;
        };
        let named = |entry: &Node| {
            let id = entry.table().and_then(|table| table.get("id")?.node.text());
            id.is_some_and(|id| matches_pattern(&pattern.text, id))
        };
        first.text == list && !entries.iter().any(named)
    }

    /// Whether it sets the path of the file inside a kind of file, which has to be known before that file is
    /// read.
    pub fn names_mounted_file(&self, kind: &Kind) -> bool {
        let Some((name, _)) = kind.mounted() else {
            return false;
        };
        match self.path.as_slice() {
            [mounted] => mounted.text == name && self.value.text().is_some(),
            [mounted, file] => mounted.text == name && file.text == "file",
            _ => false,
        }
    }

    /// Sets the path of the file inside, in a table of this kind.
    pub fn apply_mounted_file(&self, kind: &Kind, table: &mut Table) {
        let Some((name, _)) = kind.mounted() else { return };
        let key_place = self.path[0].place.clone();
        let entry = table.entry(name.to_owned()).or_insert_with(|| Entry {
            key_place: key_place.clone(),
            node: Node::new(Value::Table(Table::new()), key_place.clone()),
        });
        if let Value::Table(table) = &mut entry.node.value {
            table.insert(
                "file".to_owned(),
                Entry {
                    key_place,
                    node: self.value.clone(),
                },
            );
        }
    }

    /// Whether the path refers to the file inside, such as the topology of a scenario.
    pub fn is_in_mounted(&self, kind: &Kind) -> bool {
        let first = &self.path[0].text;
        let inside = |(name, inner): (&str, &Kind)| {
            first == name || (kind.field(first).is_none() && inner.field(first).is_some())
        };
        kind.mounted().is_some_and(inside)
    }

    /// The first field of the path in a kind of file; `None` if the path refers to the file inside, or to an
    /// unknown field.
    pub fn first_field(&self, kind: &Kind) -> Option<&'static Field> {
        kind.field(&self.path[0].text)
            .filter(|_| !self.is_in_mounted(kind))
    }

    /// Applies this to a whole file of a kind.
    pub fn apply(&self, kind: &'static Kind, table: &mut Table, problems: &mut Problems) {
        self.apply_value(&self.value, kind, table, problems);
    }

    /// [`apply`](Self::apply) with another value.
    pub fn apply_value(&self, value: &Node, kind: &'static Kind, table: &mut Table, problems: &mut Problems) {
        let mut setter = Setter {
            value,
            problems,
            file: kind,
        };
        let first = &self.path[0];
        let mounted = kind.mounted().filter(|(name, _)| first.text != *name);
        if let Some((name, inner)) = mounted.filter(|_| self.is_in_mounted(kind)) {
            // A short path: `card.nic0.slot` for `topology.card.nic0.slot`.
            if let Some(Entry {
                node:
                    Node {
                        value: Value::Table(table),
                        ..
                    },
                ..
            }) = table.get_mut(name)
            {
                setter.table(inner, table, &self.path);
            }
        } else if kind.field(&first.text).is_none() || first.text == "include" {
            // Files are included before overrides apply, so that setting an include would have no effect.
            let fields = kind.fields().map(|field| field.name);
            let mut known: Vec<&str> = fields.filter(|&name| name != "include").collect();
            if let Some((_, inner)) = mounted {
                let inner = inner.fields().map(|field| field.name);
                known.extend(inner.filter(|&name| kind.field(name).is_none() && name != "include"));
            }
            setter.unknown(
                "set::unknown_path",
                "there is nothing to set called",
                first,
                &known,
            );
        } else {
            setter.table(kind, table, &self.path);
        }
    }
}

/// Where a second override begins in a value, after a comma or semicolon: `x, card.nic0.slot=s3`. What TOML
/// has in brackets or quotes is one value.
fn second_override(value: &str) -> Option<usize> {
    let is_toml = value.trim_start().starts_with(['[', '{', '"', '\'']);
    let mut separators = value.match_indices([',', ';']).filter(|_| !is_toml);
    separators.find_map(|(at, _)| {
        let (path, _) = value[at + 1..].split_once('=')?;
        let is_path = path.contains('.') && !path.trim().contains([',', ';', ' ']);
        is_path.then(|| value.len() - value[at + 1..].trim_start().len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse_document;
    use crate::fixture::TOPOLOGY;

    const TEXT: &str = r#"
name = "n"
[[socket]]
id = "cpu0"
memory = { size = "1 GiB" }
[[socket]]
id = "cpu1"
[[link]]
ends = ["cpu0", "cpu1"]
part = "x"
[[link]]
ends = ["cpu1", "cpu0"]
part = "y"
[[slot]]
id = "s1"
[[route]]
from = "cpu0"
to = "cpu1"
"#;

    /// Applies sets to [`TEXT`]. Returns the value at a path of keys and indices, and the problems.
    fn after(sets: &[&str], read: &[&str]) -> (String, Vec<Diagnostic>) {
        let mut sources = Sources::new();
        let mut problems = Problems::new();
        let source = sources.add("x", TEXT.to_owned());
        let mut table = parse_document(source, &sources, &mut problems);
        for set in sets {
            if let Some(set) = Set::parse(set, &mut sources, &mut problems) {
                set.apply(&TOPOLOGY, &mut table, &mut problems);
            }
        }
        let mut found: Vec<String> = Vec::new();
        for path in read {
            let mut node = Node::new(Value::Table(table.clone()), Place::new(source, 0..0));
            for step in path.split('.') {
                node = match step.parse::<usize>() {
                    Ok(index) => node.items()[index].clone(),
                    Err(_) => node.table().expect("a table")[step].node.clone(),
                };
            }
            found.push(format!("{:?}", node.value));
        }
        (found.join(" "), problems.into_sorted())
    }

    #[test]
    fn a_path_names_a_field_of_an_entry() {
        let cases: &[(&str, &str, &str)] = &[
            (
                "socket.cpu0.memory.size=64 GiB",
                "socket.0.memory.size",
                "Text(\"64 GiB\")",
            ),
            (
                "socket.cpu1.memory.size=\"64 GiB\"",
                "socket.1.memory.size",
                "Text(\"64 GiB\")",
            ),
            ("socket.cpu0.cores = 8", "socket.0.cores", "Integer(8)"),
            ("link.cpu0-cpu1.part=ht3-x16", "link.0.part", "Text(\"ht3-x16\")"),
            ("link.cpu1-cpu0.part=ht3-x16", "link.0.part", "Text(\"ht3-x16\")"),
            ("link.cpu0-cpu1.b.part=z", "link.1.part", "Text(\"z\")"),
            ("link.cpu0-cpu1.a.part=z", "link.0.part", "Text(\"z\")"),
            ("slot.*.pcie=gen2 x8", "slot.0.pcie", "Text(\"gen2 x8\")"),
            ("route.cpu0-cpu1.via=[]", "route.0.via", "Array([])"),
            ("name=other", "name", "Text(\"other\")"),
        ];
        for (set, read, expected) in cases {
            let (found, problems) = after(&[set], &[read]);
            assert!(problems.is_empty(), "{set}: {problems:?}");
            assert_eq!(found, *expected, "{set}");
        }
    }

    #[test]
    fn a_wildcard_names_all_and_a_plain_name_the_first() {
        let (found, _) = after(&["link.*.part=z"], &["link.0.part", "link.1.part"]);
        assert_eq!(found, "Text(\"z\") Text(\"z\")");
        let (found, _) = after(&["link.cpu0-cpu1.part=z"], &["link.0.part", "link.1.part"]);
        assert_eq!(found, "Text(\"z\") Text(\"y\")");
        let (found, _) = after(&["link.cpu0-cpu1.*.part=z"], &["link.0.part", "link.1.part"]);
        assert_eq!(found, "Text(\"z\") Text(\"z\")");
        let (found, _) = after(&["socket.cpu*.cores=2"], &["socket.0.cores", "socket.1.cores"]);
        assert_eq!(found, "Integer(2) Integer(2)");
    }

    #[test]
    fn the_last_of_two_sets_wins() {
        let (found, _) = after(&["name=a", "name=b"], &["name"]);
        assert_eq!(found, "Text(\"b\")");
    }

    #[test]
    fn what_cannot_be_set_is_said_under_the_text() {
        let cases: &[(&str, &str, std::ops::Range<usize>)] = &[
            ("nothing", "set::syntax", 0..7),
            ("a..b=1", "set::syntax", 0..4),
            ("=1", "set::syntax", 0..0),
            ("soket.cpu0.cores=1", "set::unknown_path", 0..5),
            ("socket.cpuO.cores=1", "set::no_match", 7..11),
            ("link.cpu0-cpu7.part=x", "set::no_match", 5..14),
            ("link.cpu0-cpu1.c.part=x", "set::no_match", 15..16),
            ("link.cpu0-cpu1.b=3", "set::incomplete_path", 15..16),
            ("include=[]", "set::unknown_path", 0..7),
            ("slot.s1=3", "set::incomplete_path", 5..7),
            ("slot=3", "set::incomplete_path", 0..4),
            ("slot.s1.lanes=3", "set::unknown_path", 8..13),
            ("name.first=x", "set::unknown_path", 5..10),
            ("name=[1,", "file::syntax", 8..8),
            ("name=a, socket.cpu0.cores=1", "set::syntax", 8..27),
            ("name=a;socket.cpu0.cores=1", "set::syntax", 7..26),
        ];
        for (set, id, range) in cases {
            let (_, problems) = after(&[set], &[]);
            assert_eq!(problems.len(), 1, "{set}: {problems:?}");
            assert_eq!(problems[0].id, *id, "{set}");
            let place = problems[0].primary.as_ref().expect("a caret under the text");
            assert_eq!(place.range, *range, "{set}");
        }
        let (_, problems) = after(&["socket.cpuO.cores=1"], &[]);
        assert_eq!(problems[0].help, ["did you mean `cpu0`?"]);
        // A field without its table.
        let (_, problems) = after(&["memory=1"], &[]);
        assert_eq!(problems[0].help, ["did you mean `socket.ID.memory`?"]);
    }
}
