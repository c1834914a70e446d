//! One line per diagnostic, for `grep`, editors and logs.

use crate::diagnostic::sorted;
use crate::render::one_line;
use crate::{Diagnostic, Sources};

/// `file:line:column: error[id]: message`, one line per diagnostic; without `file:line:column: ` where there
/// is no place. Secondary places and help are left out.
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
