//! A JSON array, for programs.
//!
//! The schema is stable: fields may be added, none is renamed or removed. Each element is an object:
//!
//! | field | type | |
//! |---|---|---|
//! | `id` | string | the kind of problem, `"topology::unknown_socket"` |
//! | `severity` | string | `"error"`, `"warning"` or `"note"` |
//! | `message` | string | what is wrong |
//! | `file` | string or null | name of the source of the primary place; null if there is no place, as below |
//! | `line`, `column` | number or null | first character of the place, from 1; columns count characters |
//! | `end_line`, `end_column` | number or null | the character after the last of the place |
//! | `label` | string or null | what is printed at the place; null if nothing is |
//! | `help` | array of strings | what would be right |
//! | `secondary` | array of objects | other places, each with `file` to `label` as above |

use serde::Serialize;

use crate::diagnostic::sorted;
use crate::{Diagnostic, Place, Sources};

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    id: &'a str,
    severity: &'a str,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    label: Option<&'a str>,
    help: &'a [String],
    secondary: Vec<JsonPlace<'a>>,
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    label: Option<&'a str>,
}

/// A JSON array of objects, indented, with a line feed at the end.
///
/// Fields: `id`, `severity` (`"error"`, `"warning"`, `"note"`), `message`, `file`, `line`, `column`,
/// `end_line`, `end_column` (from 1, in characters, the end exclusive; null where there is no place), `label`
/// (null if empty), `help` (array of strings) and `secondary` (array of objects with `file` to `label`). The
/// schema is stable: fields may be added, none is renamed or removed.
pub fn json(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let array: Vec<JsonDiagnostic<'_>> = sorted(diagnostics)
        .into_iter()
        .map(|diagnostic| object(diagnostic, sources))
        .collect();
    let mut text = serde_json::to_string_pretty(&array).expect("strings and numbers always have a JSON form");
    text.push('\n');
    text
}

fn object<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> JsonDiagnostic<'a> {
    let place = diagnostic
        .primary
        .as_ref()
        .map(|place| json_place(place, sources));
    let place = place.as_ref();
    JsonDiagnostic {
        id: diagnostic.id,
        severity: diagnostic.severity.name(),
        message: &diagnostic.message,
        file: place.map(|place| place.file),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        end_line: place.map(|place| place.end_line),
        end_column: place.map(|place| place.end_column),
        label: place.and_then(|place| place.label),
        help: &diagnostic.help,
        secondary: diagnostic
            .secondary
            .iter()
            .map(|place| json_place(place, sources))
            .collect(),
    }
}

fn json_place<'a>(place: &'a Place, sources: &'a Sources) -> JsonPlace<'a> {
    let range = sources.clamp(place.source, &place.range);
    let start = sources.line_column(place.source, range.start);
    let end = sources.line_column(place.source, range.end);
    JsonPlace {
        file: sources.name(place.source),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        label: (!place.label.is_empty()).then_some(place.label.as_str()),
    }
}
