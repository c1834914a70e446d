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
        Node {
            value: Value::Text(self.text.to_owned()),
            place: self.place(0..self.text.len()),
        }
    }

    fn report(&self, errors: &[Error], problems: &mut Problems) {
        for error in errors {
            let diagnostic = Diagnostic::error("file::syntax", error.message());
            problems.push(match error.span() {
                Some(span) => diagnostic.at(self.place(span)),
                None => diagnostic.at(self.place(0..0)),
            });
        }
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
            DeValue::Integer(integer) => integer_value(integer.as_str(), integer.radix(), &place, problems),
            // A number too large for a float becomes infinite, which every field rejects.
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

/// A whole number, or a problem if it has too many digits.
fn integer_value(digits: &str, radix: u32, place: &Place, problems: &mut Problems) -> Value {
    if let Ok(integer) = i64::from_str_radix(digits, radix) {
        return Value::Integer(integer);
    }
    let message = format!("`{}` has too many digits", shortened(digits));
    problems.push(
        Diagnostic::error("value::too_many_digits", message)
            .at(place.clone())
            .help(format!("whole numbers go from {} to {}", i64::MIN, i64::MAX)),
    );
    Value::Unreadable
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

    #[test]
    fn numbers_without_end_are_problems_not_zeros() {
        let text = "a = 99999999999999999999\n";
        let (_, problems) = parsed(text);
        assert_eq!(
            ranges(text, &problems),
            [("value::too_many_digits", "99999999999999999999".to_owned())]
        );
        let (table, problems) = parsed("a = 1e999\n");
        assert!(problems.is_empty());
        assert!(matches!(table["a"].node.value, Value::Float(value) if value.is_infinite()));
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
