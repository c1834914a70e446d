//! One line per diagnostic, for `grep`, editors and logs.

use crate::diagnostic::sorted;
use crate::render::one_line;
use crate::{Diagnostic, Sources};

/// `file:line:column: error[id]: message`, one line per diagnostic; without `file:line:column: ` if it has no
/// place. Secondary places and help are omitted.
pub fn concise(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    sorted(diagnostics)
        .into_iter()
        .map(|diagnostic| line(diagnostic, sources))
        .collect()
}

fn line(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let place = diagnostic.primary.as_ref().map_or_else(String::new, |place| {
        let at = sources.line_column(place.source, place.range.start);
        format!(
            "{}:{}:{}: ",
            one_line(sources.name(place.source)),
            at.line,
            at.column
        )
    });
    format!(
        "{place}{}[{}]: {}\n",
        diagnostic.severity,
        diagnostic.id,
        one_line(&diagnostic.message)
    )
}
