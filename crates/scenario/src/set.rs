//! `--set PATH=VALUE`: one field of a scenario or topology, given on the command line.
//!
//! A path goes from the kind of an entry over its id to a field: `card.nic0.slot`, `socket.cpu0.memory.size`,
//! `stack.instructions_per_byte`. A link is called by its ends in either order, the second of two parallel ones with
//! `.b` behind (`link.cpu2-cpu3.b.part`). In the place of an id, `*` stands for any text: `link.*.part`.
//!
//! The value is TOML if it reads as TOML, else a text, so that `part=ht3-x16` needs no quotes inside quotes.

use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean, one_of};

use crate::descriptor::{Described, Field, Identity, Kind, SCENARIO, Shape, TOPOLOGY};
use crate::document::{Entry, Node, Table, Value, identity, parse_value, shortened};
use crate::problems::Problems;

/// Names that are looked at for "did you mean".
const MAXIMUM_CANDIDATES: usize = 500;

/// What the text of an override is called as a source.
pub(crate) const OVERRIDE: &str = "--set";

/// One `--set` text, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    path: Vec<Segment>,
    value: Node,
}

/// One step of a path.
#[derive(Clone, Debug)]
struct Segment {
    text: String,
    place: Place,
}

impl Set {
    /// Takes a text apart; `None` if it is not of the form, which is then among the problems.
    pub(crate) fn parse(text: &str, sources: &mut Sources, problems: &mut Problems) -> Option<Self> {
        let source = sources.add(OVERRIDE, text.to_owned());
        Self::parse_at(text, &Place::new(source, 0..text.len()), problems)
    }

    /// As [`parse`](Self::parse), for a text that stands in a file, in quotes or not.
    pub(crate) fn parse_at(text: &str, place: &Place, problems: &mut Problems) -> Option<Self> {
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
        let offset = equals + 1 + (raw.len() - raw.trim_start().len());
        let value = parse_value(source, raw.trim(), start + offset, problems);
        Some(Self { path, value })
    }

    /// An override of `path`, a text that stands in a file at `place`, by a value of a file.
    pub(crate) fn of(path: &str, place: &Place, value: Node, problems: &mut Problems) -> Option<Self> {
        // A text without escapes stands between its quotes letter for letter; of any other, the whole is pointed at.
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

    /// Whether this names the topology's file, and so has to be known before that file is read.
    pub(crate) fn names_topology_file(&self) -> bool {
        match self.path.as_slice() {
            [topology] => topology.text == "topology" && self.value.text().is_some(),
            [topology, file] => topology.text == "topology" && file.text == "file",
            _ => false,
        }
    }

    /// Puts the topology's file into a scenario.
    pub(crate) fn apply_topology_file(&self, scenario: &mut Table) {
        let key_place = self.path[0].place.clone();
        let entry = scenario.entry("topology".to_owned()).or_insert_with(|| Entry {
            key_place: key_place.clone(),
            node: Node {
                value: Value::Table(Table::new()),
                place: key_place.clone(),
            },
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

    /// Whether the path leads into the topology of a scenario.
    pub(crate) fn is_in_topology(&self) -> bool {
        let first = &self.path[0].text;
        first == "topology" || (SCENARIO.field(first).is_none() && TOPOLOGY.field(first).is_some())
    }

    /// The field of a scenario that the path begins with; `None` for one that leads into its topology, or nowhere.
    pub(crate) fn scenario_field(&self) -> Option<&'static Field> {
        SCENARIO
            .field(&self.path[0].text)
            .filter(|_| !self.is_in_topology())
    }

    /// Applies this to a whole scenario or topology.
    pub(crate) fn apply(&self, kind: &'static Kind, table: &mut Table, problems: &mut Problems) {
        self.apply_value(&self.value, kind, table, problems);
    }

    /// As [`apply`](Self::apply), with another value.
    pub(crate) fn apply_value(
        &self,
        value: &Node,
        kind: &'static Kind,
        table: &mut Table,
        problems: &mut Problems,
    ) {
        let mut setter = Setter { value, problems };
        let first = &self.path[0];
        let by_short_path = std::ptr::eq(kind, &raw const SCENARIO) && first.text != "topology";
        if by_short_path && self.is_in_topology() {
            if let Some(Entry {
                node:
                    Node {
                        value: Value::Table(topology),
                        ..
                    },
                ..
            }) = table.get_mut("topology")
            {
                setter.table(&TOPOLOGY, topology, &self.path);
            }
        } else if kind.field(&first.text).is_none() || first.text == "include" {
            // Files are included before anything is set: an include that is set would be seen by nobody.
            let fields = kind.fields.iter().map(|field| field.name);
            let mut known: Vec<&str> = fields.filter(|&name| name != "include").collect();
            if by_short_path {
                known.extend(TOPOLOGY.fields.iter().map(|field| field.name));
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

/// The steps of a path, each at the place of its text; `None` if it is no path, which is then among the problems.
fn parse_path(
    text: &str,
    place: impl Fn(std::ops::Range<usize>) -> Place,
    problems: &mut Problems,
) -> Option<Vec<Segment>> {
    let mut path = Vec::new();
    let mut start = 0;
    for end in outside_quotes(text, '.').chain([text.len()]) {
        let raw = &text[start..end];
        let segment = raw.trim();
        let from = start + (raw.len() - raw.trim_start().len());
        let bare = segment.trim_matches('"');
        if bare.is_empty() {
            problems.push(
                Diagnostic::error("set::syntax", "there is nothing between the dots of this path")
                    .at(place(0..text.len())),
            );
            return None;
        }
        path.push(Segment {
            text: bare.to_owned(),
            place: place(from..from + segment.len()),
        });
        start = end + 1;
    }
    Some(path)
}

/// Where a letter stands outside of double quotes.
fn outside_quotes(text: &str, letter: char) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    text.char_indices().filter_map(move |(at, found)| {
        if found == '"' {
            quoted = !quoted;
        }
        (found == letter && !quoted).then_some(at)
    })
}

struct Setter<'s> {
    value: &'s Node,
    problems: &'s mut Problems,
}

impl Setter<'_> {
    /// Sets what the rest of a path names in a table.
    fn table(&mut self, kind: &'static Kind, table: &mut Table, path: &[Segment]) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        match kind.field(&first.text).map(|field| field.shape) {
            Some(Shape::Entries(inner)) => self.entries(inner, table, first, rest),
            Some(Shape::Table(inner)) if !rest.is_empty() => self.inner(inner, table, first, rest),
            Some(Shape::Mix) if rest.len() == 1 => self.weight(table, first, &rest[0]),
            Some(Shape::Topology) if !rest.is_empty() => self.inner(&TOPOLOGY, table, first, rest),
            None if kind.described == Described::Nothing => {
                let known: Vec<&str> = kind.fields.iter().map(|field| field.name).collect();
                self.unknown(
                    "set::unknown_path",
                    &format!("a {} has nothing to set called", kind.name),
                    first,
                    &known,
                );
            }
            _ => self.leaf(table, first, rest),
        }
    }

    /// Sets a field. One that does not exist is for decoding to refuse, which knows the fields of parts.
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

    /// Sets the weight of one operation of a mix. A mix that was a name becomes a table of this weight alone.
    fn weight(&mut self, table: &mut Table, mix: &Segment, operation: &Segment) {
        let empty = Node {
            value: Value::Table(Table::new()),
            place: mix.place.clone(),
        };
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

    /// Goes on in a table inside a table, which may not be there yet.
    fn inner(&mut self, kind: &'static Kind, table: &mut Table, field: &Segment, rest: &[Segment]) {
        let entry = table.entry(field.text.clone()).or_insert_with(|| Entry {
            key_place: field.place.clone(),
            node: Node {
                value: Value::Table(Table::new()),
                place: field.place.clone(),
            },
        });
        // A value that is no table is refused when it is decoded.
        if let Value::Table(inner) = &mut entry.node.value {
            self.table(kind, inner, rest);
        }
    }

    /// Goes on in the entries that a pattern names.
    fn entries(&mut self, kind: &'static Kind, table: &mut Table, field: &Segment, rest: &[Segment]) {
        let (pattern, suffix, rest) = match rest {
            [] if matches!(self.value.value, Value::Array(_)) => return self.leaf(table, field, rest),
            [] => return self.incomplete(kind, field),
            [pattern, suffix, rest @ ..] if is_link_suffix(kind, &suffix.text) && !rest.is_empty() => {
                (pattern, Some(suffix), rest)
            }
            [pattern, rest @ ..] => (pattern, None, rest),
        };
        if rest.is_empty() {
            return self.incomplete(kind, pattern);
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
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            return self.unknown(
                "set::no_match",
                &format!("there is no {}", kind.name),
                pattern,
                &known,
            );
        }
        let Some(Value::Array(entries)) = table.get_mut(&field.text).map(|entry| &mut entry.node.value)
        else {
            return;
        };
        if matches!(kind.identity, Identity::Field(field) if field == rest[0].text) {
            let message = format!("the `{}` of a {} cannot be set", rest[0].text, kind.name);
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

    /// A letter for one more than there are of entries of the same name.
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
        let field = kind
            .fields
            .iter()
            .find(|field| field.name != "id")
            .map_or("field", |field| field.name);
        self.problems.push(
            Diagnostic::error(
                "set::incomplete_path",
                format!("this does not say what of a {} to set", kind.name),
            )
            .at(at.place.clone())
            .help(format!(
                "write `{}.ID.{field}=VALUE`, or `{}.*.{field}=VALUE` for all",
                kind.name, kind.name
            )),
        );
    }

    fn unknown(&mut self, id: &'static str, message: &str, segment: &Segment, known: &[&str]) {
        if self.problems.is_full() {
            return;
        }
        let help = did_you_mean(&segment.text, known.iter().copied())
            .unwrap_or_else(|| format!("there is {}", one_of(known.iter().copied())));
        self.problems.push(
            Diagnostic::error(id, format!("{message} `{}`", shortened(&segment.text)))
                .at(segment.place.clone().label("not known"))
                .help(help),
        );
    }
}

/// What an entry can be called in a path.
struct EntryName {
    /// Its identity; of a link, in both orders of its ends.
    spellings: Vec<String>,
    /// How many entries before it have the same identity: only links can.
    ordinal: usize,
}

impl EntryName {
    /// Whether a suffix chooses this one among those of the same identity.
    fn has_suffix(&self, suffix: Option<&str>, pattern_has_wildcard: bool) -> bool {
        match suffix {
            Some("*") => true,
            Some(suffix) => letter_of(self.ordinal).is_some_and(|letter| suffix.starts_with(letter)),
            None => self.ordinal == 0 || pattern_has_wildcard,
        }
    }

    /// The name as a path has it.
    fn full(self) -> String {
        let name = self.spellings.into_iter().next().unwrap_or_default();
        match letter_of(self.ordinal).filter(|_| self.ordinal > 0) {
            Some(letter) => format!("{name}.{letter}"),
            None => name,
        }
    }
}

/// `a` for the first of parallel links, `b` for the second.
fn letter_of(ordinal: usize) -> Option<char> {
    u8::try_from(ordinal)
        .ok()
        .filter(|ordinal| *ordinal < 26)
        .map(|ordinal| char::from(b'a' + ordinal))
}

fn is_link_suffix(kind: &Kind, segment: &str) -> bool {
    kind.identity == Identity::Ends
        && (segment == "*" || (segment.len() == 1 && segment.as_bytes()[0].is_ascii_lowercase()))
}

fn entry_names(kind: &Kind, entries: &[Node]) -> Vec<EntryName> {
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

/// The name of a link as the file has its ends, and the other way round.
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

/// Whether a name fits a pattern in which `*` stands for any text, also none.
fn matches_pattern(pattern: &str, name: &str) -> bool {
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
    use crate::document::parse_document;

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

    /// Applies sets to [`TEXT`] and shows what stands at a path of keys and indices, and the problems.
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
            let mut node = Node {
                value: Value::Table(table.clone()),
                place: Place::new(source, 0..0),
            };
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
            ("include=[]", "set::unknown_path", 0..7),
            ("slot.s1=3", "set::incomplete_path", 5..7),
            ("slot=3", "set::incomplete_path", 0..4),
            ("slot.s1.lanes=3", "set::unknown_path", 8..13),
            ("name.first=x", "set::unknown_path", 5..10),
            ("name=[1,", "file::syntax", 8..8),
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
    }

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
