//! Reference pages, generated from the description of the fields.

use std::fmt::Write as _;

use bandgraph_diagnostics::with_article;
use bandgraph_units::QuantityKind;

use crate::kind::{Field, Identity, Kind, Presence, Shape};

/// A table of the units of all quantities, in Markdown.
pub fn units(page: &mut String) {
    page.push_str("| quantity | units | example |\n|---|---|---|\n");
    for kind in QuantityKind::ALL {
        let units: Vec<String> = kind
            .units()
            .iter()
            .map(|unit| format!("`{}`", unit.spelling()))
            .collect();
        let _ = writeln!(
            page,
            "| {} | {} | `\"{}\"` |",
            kind.name(),
            units.join(", "),
            kind.example()
        );
    }
    page.push('\n');
}

/// A kind of table at a path of tables (empty for a file), and then the kinds inside of it, in Markdown.
pub fn kind(page: &mut String, kind: &'static Kind, path: &str) {
    let heading = match (path, kind.identity) {
        ("", _) => "### At the top".to_owned(),
        (path, Identity::Single) => format!("### `{path}`"),
        (path, _) => format!("### `[[{path}]]`"),
    };
    let _ = write!(page, "{heading}\n\n{}\n\n", kind.doc);
    if kind.fields().next().is_some() {
        page.push_str("| field | value | if left out | meaning |\n|---|---|---|---|\n");
        for field in kind.fields() {
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {} |",
                field.name,
                if field.uncertain {
                    format!("{}; or a figure", value(field))
                } else {
                    value(field)
                },
                presence(field),
                field.doc
            );
        }
        page.push('\n');
    }
    if let Some(described) = kind.described {
        let _ = write!(page, "{}\n\n", described.reference());
    }
    for field in kind.fields() {
        let path = if path.is_empty() {
            field.name.to_owned()
        } else {
            format!("{path}.{}", field.name)
        };
        match field.shape {
            Shape::Table(inner) | Shape::Entries(inner) => self::kind(page, inner, &path),
            _ => {}
        }
    }
}

fn presence(field: &Field) -> String {
    match field.presence {
        Presence::Required => "*required*".to_owned(),
        Presence::RequiredWithout(other) => format!("*required* without `{other}`"),
        Presence::Optional => String::new(),
        Presence::Default("{}") => "as if empty".to_owned(),
        Presence::Default(value) => format!("`{value}`"),
    }
}

/// The valid values of a field: `whole number, 1 to 64`.
pub fn value(field: &Field) -> String {
    let range = field.range;
    match field.shape {
        Shape::Schema => "`1`".to_owned(),
        Shape::Text => "text".to_owned(),
        Shape::Id => "name".to_owned(),
        Shape::Flag => "`true`, `false`".to_owned(),
        Shape::Count if range.maximum > 2_f64.powi(32) => format!("whole number from {}", range.minimum),
        Shape::Count => format!("whole number, {} to {}", range.minimum, range.maximum),
        Shape::Number if field.is_share() => "number up to 1, or per cent".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Quantity(kind) => kind.name().to_owned(),
        Shape::Choice(choices) => words(&choices()),
        Shape::Reference("clients") => "name of clients".to_owned(),
        Shape::Reference(kind) => format!("name of {}", with_article(kind)),
        Shape::References(kind) => format!("list of names of {kind}s"),
        Shape::Scalar => "number, or text with a unit".to_owned(),
        Shape::Values => "list of values".to_owned(),
        Shape::Texts => "list of texts".to_owned(),
        Shape::Paths => "list of paths".to_owned(),
        Shape::Table(_) => "table".to_owned(),
        Shape::Mounted(_) => "path or table".to_owned(),
        Shape::Entries(_) => "entries".to_owned(),
        Shape::Parsed(format) => format.takes.to_owned(),
        Shape::Custom(custom) => custom.reference(),
    }
}

/// Valid words, in Markdown.
pub fn words(words: &[&'static str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
    words.join(", ")
}
