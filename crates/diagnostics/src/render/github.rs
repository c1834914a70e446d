//! Annotations of a GitHub workflow: commands on stdout that the runner shows at the changed lines.

use crate::diagnostic::sorted;
use crate::render::shorten;
use crate::{Diagnostic, Place, Severity, Sources};

/// One workflow command per diagnostic: `::error file=..,line=..,col=..,endLine=..,title=id::message`, with
/// the help after the message on separate lines. Notes are `::notice`. Columns count characters; GitHub
/// accepts an end column only if the place starts and ends in the same line.
pub fn github(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    sorted(diagnostics)
        .into_iter()
        .map(|diagnostic| command(diagnostic, sources))
        .collect()
}

fn command(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let name = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = diagnostic
        .primary
        .as_ref()
        .map_or_else(String::new, |place| position(place, sources));
    let mut text = shorten(&diagnostic.message).into_owned();
    for help in &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(&shorten(help));
    }
    format!(
        "::{name} {place}title={}::{}\n",
        escape_property(diagnostic.id),
        escape_text(&text)
    )
}

fn position(place: &Place, sources: &Sources) -> String {
    let range = sources.clamp(place.source, &place.range);
    let start = sources.line_column(place.source, range.start);
    let end = sources.line_column(place.source, range.end);
    let end_column = if end.line == start.line {
        format!("endColumn={},", end.column)
    } else {
        String::new()
    };
    format!(
        "file={},line={},col={},endLine={},{end_column}",
        escape_property(sources.name(place.source)),
        start.line,
        start.column,
        end.line
    )
}

/// Escapes the text after the `::`. The per cent sign comes first, since it is the escape character.
fn escape_text(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property before the `::`.
fn escape_property(text: &str) -> String {
    escape_text(text).replace(':', "%3A").replace(',', "%2C")
}
