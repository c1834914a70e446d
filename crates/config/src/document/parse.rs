//! Parsing of TOML into a tree of values. Only this module uses the TOML library.

use bandgraph_diagnostics::{Diagnostic, Place, SourceId, Sources};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::{Entry, Node, Table, Value};
use crate::problems::Problems;

/// In longer texts only the first error is reported: recovery from each costs memory.
const RECOVERABLE_SIZE: usize = 256 << 10;

/// Parses a whole file; every syntax error becomes a problem, and the parsed part is returned.
///
/// The parser rejects values nested more than 80 deep, so that all later code may recurse.
pub fn parse_document(source: SourceId, sources: &Sources, problems: &mut Problems) -> Table {
    let text = sources.text(source);
    let reader = Reader {
        source,
        text,
        offset: 0,
    };
    // No file in TOML begins like this, and each line of it would be an error.
    if let Some(start) = text
        .find(|letter: char| !letter.is_whitespace())
        .filter(|&at| text[at..].starts_with('{'))
    {
        problems.push(
            Diagnostic::error(
                "file::json",
                "this file is JSON; topologies and scenarios are TOML",
            )
            .at(reader.place(start..start + 1))
            .help("`bandgraph plot FILE` draws a result, its picture `server` the server with its load")
            .help("`bandgraph compare BEFORE AFTER` compares two results"),
        );
        return Table::new();
    }
    let parsed = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(first) if text.len() > RECOVERABLE_SIZE => {
            reader.report(&[first], problems);
            return Table::new();
        }
        Err(_) => {
            let (table, errors) = DeTable::parse_recoverable(text);
            reader.report(&errors, problems);
            table.into_inner()
        }
    };
    reader.table(parsed, problems)
}

/// Parses a single value at `offset` of a source, as in `PATH=VALUE`. A text that is not a TOML value becomes
/// a text value, unless it starts with a delimiter.
pub fn parse_value(source: SourceId, text: &str, offset: usize, problems: &mut Problems) -> Node {
    let reader = Reader { source, text, offset };
    match DeValue::parse(text) {
        Ok(value) if !matches!(value.get_ref(), DeValue::Datetime(_)) => reader.node(value, problems),
        Err(error) if text.starts_with(['"', '\'', '[', '{']) => {
            reader.report(&[error], problems);
            reader.bare()
        }
        _ => reader.bare(),
    }
}

struct Reader<'t> {
    source: SourceId,
    text: &'t str,
    /// The offset of `text` in the source.
    offset: usize,
}

impl Reader<'_> {
    fn place(&self, range: std::ops::Range<usize>) -> Place {
        Place::new(self.source, range.start + self.offset..range.end + self.offset)
    }

    /// The whole text as a text value.
    fn bare(&self) -> Node {
        Node::new(Value::Text(self.text.to_owned()), self.place(0..self.text.len()))
    }

    fn report(&self, errors: &[Error], problems: &mut Problems) {
        // Below a header that is there twice, every key is there twice.
        let mut repeated = 0..0;
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let line = self.line(span.start);
            let text = self.text.get(line.clone()).unwrap_or_default();
            let is_twice = error.message() == "duplicate key";
            if is_twice && repeated.contains(&span.start) {
                continue;
            }
            let header = text.trim_start().strip_prefix('[').filter(|_| is_twice);
            let is_list = header.is_some_and(|header| header.starts_with('['));
            if header.is_some() {
                let below = self.text.get(line.end..).unwrap_or_default();
                repeated = span.start..below.find("\n[").map_or(self.text.len(), |end| line.end + end);
            }
            let name = header
                .and_then(|header| header.trim_start_matches('[').split_once(']'))
                .map(|(name, _)| name.trim());
            let (message, help) = match name {
                Some(name) if is_list => (
                    format!("`{name}` is given already, and not as `[[{name}]]`"),
                    Some(format!("leave the other `{name}` out")),
                ),
                Some(name) => (
                    format!("there is a table `[{name}]` already"),
                    Some(format!("if there are several, write each as `[[{name}]]`")),
                ),
                None => in_plain_words(
                    error.message(),
                    text,
                    self.text.get(span.clone()).unwrap_or_default(),
                ),
            };
            let diagnostic = Diagnostic::error("file::syntax", message);
            problems.push(diagnostic.at(self.place(span)).help_if(help));
        }
    }

    /// The line that a place is in, without its line feed.
    fn line(&self, at: usize) -> std::ops::Range<usize> {
        let at = at.min(self.text.len());
        let start = self.text.as_bytes()[..at].iter().rposition(|byte| *byte == b'\n');
        let end = self.text.as_bytes()[at..].iter().position(|byte| *byte == b'\n');
        start.map_or(0, |start| start + 1)..end.map_or(self.text.len(), |end| at + end)
    }

    fn table(&self, table: DeTable<'_>, problems: &mut Problems) -> Table {
        table
            .into_iter()
            .map(|(key, value)| {
                let key_place = self.place(key.span());
                let entry = Entry {
                    key_place,
                    node: self.node(value, problems),
                };
                (key.into_inner().into_owned(), entry)
            })
            .collect()
    }

    fn node(&self, value: Spanned<DeValue<'_>>, problems: &mut Problems) -> Node {
        let place = self.place(value.span());
        let value = match value.into_inner() {
            DeValue::String(text) => Value::Text(text.into_owned()),
            // A number too large for its type becomes a float, or infinite, which every field rejects.
            DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
                Ok(whole) => Value::Integer(whole),
                Err(_) => Value::Float(integer.as_str().parse().unwrap_or(f64::INFINITY)),
            },
            DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(flag) => Value::Flag(flag),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.node(item, problems)).collect())
            }
            DeValue::Table(table) => Value::Table(self.table(table, problems)),
        };
        Node { value, place }
    }
}

/// What the parser says, for those who do not know its words, and what would be right. `line` is the line
/// that it is about, and `found` what it points at.
fn in_plain_words(message: &str, line: &str, found: &str) -> (String, Option<String>) {
    let value = line.split_once('=').map_or("", |(_, value)| value.trim());
    let (what, help) = match message {
        "invalid basic string, expected `\"`" | "invalid literal string, expected `'`" => {
            let quote = if message.contains('"') { '"' } else { '\'' };
            (
                "a text without its closing quote",
                Some(format!("end it with `{quote}`")),
            )
        }
        "string values must be quoted, expected literal string" if found.is_empty() => {
            ("there is no value", Some("write one after the `=`".to_owned()))
        }
        "string values must be quoted, expected literal string" => {
            let bare = if value.starts_with(found) { value } else { found };
            let bare = bare.split('#').next().unwrap_or(bare);
            let bare = bare
                .trim()
                .trim_matches(['"', '\'', '\u{201c}', '\u{201d}', '\u{201e}']);
            let quoted = (!bare.contains(['"', '\\'])).then(|| format!("write `\"{}\"`", shortened(bare)));
            ("a text needs quotes", quoted)
        }
        "key with no value, expected `=`" => (
            "a name without a value",
            Some("write `NAME = VALUE`, or `[NAME]` for a table".to_owned()),
        ),
        "duplicate key" => ("this is given twice", Some("leave one of the two out".to_owned())),
        _ => return (message.to_owned(), None),
    };
    (what.to_owned(), help)
}

/// A text of a file, shortened for a message.
pub fn shortened(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.escape_debug().to_string();
    }
    let beginning: String = text.chars().take(LONGEST).collect();
    format!("{}…", beginning.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Table, Vec<Diagnostic>) {
        let mut sources = Sources::new();
        let mut problems = Problems::new();
        let source = sources.add("x.toml", text.to_owned());
        let table = parse_document(source, &sources, &mut problems);
        (table, problems.into_sorted())
    }

    fn ranges(text: &str, diagnostics: &[Diagnostic]) -> Vec<(&'static str, String)> {
        diagnostics
            .iter()
            .map(|diagnostic| {
                let place = diagnostic.primary.as_ref().expect("a syntax error has a place");
                (diagnostic.id, text[place.range.clone()].to_owned())
            })
            .collect()
    }

    #[test]
    fn values_know_their_place() {
        let text = "[[card]]\nid = \"nic0\"\nports.first = 0x10\n";
        let (table, problems) = parsed(text);
        assert!(problems.is_empty(), "{problems:?}");
        let card = &table["card"].node.items()[0];
        assert_eq!(&text[card.place.range.clone()], "[[card]]");
        let card = card.table().expect("a card is a table");
        assert_eq!(&text[card["id"].node.place.range.clone()], "\"nic0\"");
        assert_eq!(&text[card["id"].key_place.range.clone()], "id");
        let first = &card["ports"].node.table().expect("a dotted key makes a table")["first"];
        assert!(matches!(first.node.value, Value::Integer(16)));
    }

    #[test]
    fn all_syntax_errors_are_reported_at_once() {
        let text = "a = \nb = [1,\n";
        let (_, problems) = parsed(text);
        assert!(problems.len() >= 2, "{problems:?}");
        assert!(problems.iter().all(|problem| problem.id == "file::syntax"));
        let (_, problems) = parsed("x = 1\nx = 2\n");
        assert_eq!(
            ranges("x = 1\nx = 2\n", &problems),
            [("file::syntax", "x".to_owned())]
        );
    }

    /// The first mistakes of those who have never written TOML are answered in words that they know.
    #[test]
    fn syntax_errors_say_what_would_be_right() {
        let cases = [
            (
                "id = \"cpu0\nq = 1\n",
                "a text without its closing quote",
                "end it with `\"`",
            ),
            (
                "id = 'cpu0\nq = 1\n",
                "a text without its closing quote",
                "end it with `'`",
            ),
            ("id = cpu0 # first\n", "a text needs quotes", "write `\"cpu0\"`"),
            ("size = 32 GiB\n", "a text needs quotes", "write `\"32 GiB\"`"),
            (
                "id = \u{201c}cpu0\u{201d}\n",
                "a text needs quotes",
                "write `\"cpu0\"`",
            ),
            ("id = \n", "there is no value", "write one after the `=`"),
            (
                "schema 1\n",
                "a name without a value",
                "write `NAME = VALUE`, or `[NAME]` for a table",
            ),
            (
                "a = 1\na = 2\n",
                "this is given twice",
                "leave one of the two out",
            ),
        ];
        for (text, message, help) in cases {
            let (_, problems) = parsed(text);
            let found: Vec<(&str, &[String])> = (problems.iter())
                .map(|problem| (problem.message.as_str(), problem.help.as_slice()))
                .collect();
            assert_eq!(found, [(message, &[help.to_owned()][..])], "{text}");
        }
    }

    /// `[socket]` for `[[socket]]` is one mistake a table, and not one more for each of its keys.
    #[test]
    fn a_table_that_is_there_twice_is_one_mistake() {
        let text = "[socket]\nid = 1\npart = 2\n\n[socket]\nid = 3\npart = 4\n[other]\na = 1\na = 2\n";
        let found = |text: &str| {
            let (_, problems) = parsed(text);
            let found = problems.iter().map(|problem| problem.message.clone());
            found.collect::<Vec<_>>()
        };
        let list = "measured = []\n[[measured]]\nid = 1\n";
        assert_eq!(
            found(list),
            ["`measured` is given already, and not as `[[measured]]`"]
        );
        let (_, problems) = parsed(text);
        assert_eq!(
            found(text),
            ["there is a table `[socket]` already", "this is given twice"]
        );
        assert_eq!(
            problems[0].help,
            ["if there are several, write each as `[[socket]]`"]
        );
    }

    #[test]
    fn numbers_without_end_are_problems_not_zeros() {
        for (text, number) in [
            ("a = 1e999\n", f64::INFINITY),
            ("a = -99999999999999999999\n", -1e20),
            ("a = 0xfffffffffffffffffff\n", f64::INFINITY),
        ] {
            let (table, problems) = parsed(text);
            assert!(problems.is_empty());
            assert!(matches!(table["a"].node.value, Value::Float(value) if value == number));
        }
    }

    #[test]
    fn deep_nesting_is_refused_by_the_parser() {
        let (_, problems) = parsed(&format!("a = {}", "[".repeat(100_000)));
        assert!(!problems.is_empty());
        let (_, problems) = parsed(&format!("{}a = 1", "b.".repeat(100_000)));
        assert!(!problems.is_empty());
    }

    #[test]
    fn a_large_file_of_garbage_has_one_error() {
        let (_, problems) = parsed(&"=\n".repeat(RECOVERABLE_SIZE));
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn single_values_are_toml_or_stand_for_themselves() {
        let value = |text: &str| {
            let mut sources = Sources::new();
            let source = sources.add("--set", format!("a={text}"));
            let mut problems = Problems::new();
            let node = parse_value(source, text, 2, &mut problems);
            assert_eq!(node.place.range.start, 2, "{text}");
            (node.value, problems.into_sorted().len())
        };
        assert!(matches!(value("ht3-x16"), (Value::Text(text), 0) if text == "ht3-x16"));
        assert!(matches!(value("2.2 GHz"), (Value::Text(text), 0) if text == "2.2 GHz"));
        assert!(matches!(value("\"64 GiB\""), (Value::Text(text), 0) if text == "64 GiB"));
        assert!(matches!(value("1979-05-27"), (Value::Text(text), 0) if text == "1979-05-27"));
        assert!(matches!(value("1.5"), (Value::Float(1.5), 0)));
        assert!(matches!(value("7"), (Value::Integer(7), 0)));
        assert!(matches!(value("false"), (Value::Flag(false), 0)));
        assert!(matches!(value("[\"a\"]").0, Value::Array(items) if items.len() == 1));
        assert!(matches!(value("[1,"), (Value::Text(_), 1)));
        assert!(matches!(value("\"open"), (Value::Text(_), 1)));
    }
}
