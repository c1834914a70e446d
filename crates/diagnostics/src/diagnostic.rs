//! Diagnostics, and their order.

use std::cmp::Ordering;
use std::fmt;

use crate::Place;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but probably has a mistake.
    Warning,
    /// For information.
    Note,
}

impl Severity {
    /// Its name, in lower case: `"error"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One problem of the input: what, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Diagnostic {
    /// The kind of problem, stable over versions: `"topology::unknown_socket"`.
    pub id: &'static str,
    /// The severity.
    pub severity: Severity,
    /// What is wrong, as a lower-case fragment without a full stop.
    pub message: String,
    /// The place of the problem, if it has one.
    pub primary: Option<Place>,
    /// Related places, such as the first of two definitions.
    pub secondary: Vec<Place>,
    /// What would be right, one sentence each.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic without places and help.
    pub fn new(id: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            id,
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: Vec::new(),
        }
    }

    /// An error.
    pub fn error(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, Severity::Error, message)
    }

    /// A warning.
    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, Severity::Warning, message)
    }

    /// A note.
    pub fn note(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(id, Severity::Note, message)
    }

    /// An error about an argument.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::error("usage::argument", message)
    }

    /// Sets the place of the problem.
    pub fn at(mut self, place: Place) -> Self {
        self.primary = Some(place);
        self
    }

    /// Adds a related place.
    pub fn also(mut self, place: Place) -> Self {
        self.secondary.push(place);
        self
    }

    /// Adds a sentence about what would be right.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds a sentence if there is one, for example from [`did_you_mean`](crate::did_you_mean).
    pub fn help_if(mut self, help: Option<String>) -> Self {
        self.help.extend(help);
        self
    }

    /// Whether the input cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The key of the order of diagnostics.
    fn sort_key(&self) -> impl Ord + '_ {
        let place = self
            .primary
            .as_ref()
            .map(|place| (place.source, place.range.start, place.range.end));
        // Diagnostics without a place come last: they concern the whole.
        (
            place.is_none(),
            place,
            self.severity,
            self.id,
            self.message.as_str(),
        )
    }
}

/// Sorts by source, then offset, then severity, id and message; diagnostics without a place come last.
pub fn sort_diagnostics(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by(compare);
}

/// The same diagnostics in the order of [`sort_diagnostics`].
pub(crate) fn sorted(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by(|a, b| compare(a, b));
    sorted
}

fn compare(a: &Diagnostic, b: &Diagnostic) -> Ordering {
    a.sort_key().cmp(&b.sort_key())
}

/// The number of diagnostics by severity, for the end of a list: `"2 errors and 1 warning"`. `None` if there
/// are none.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let counts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(|severity| {
            let count = diagnostics
                .iter()
                .filter(|diagnostic| diagnostic.severity == severity)
                .count();
            let plural = if count == 1 { "" } else { "s" };
            (count > 0).then(|| format!("{count} {severity}{plural}"))
        })
        .collect();
    match counts.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [first @ .., last] => Some(format!("{} and {last}", first.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sources;

    #[test]
    fn sorts_by_place_and_puts_the_placeless_last() {
        let mut sources = Sources::new();
        let (first, second) = (sources.add("b", String::new()), sources.add("a", String::new()));
        let mut diagnostics = vec![
            Diagnostic::error("x::whole", "whole"),
            Diagnostic::error("x::e", "e").at(Place::new(second, 0..1)),
            Diagnostic::note("x::d", "d").at(Place::new(first, 7..8)),
            Diagnostic::error("x::c", "c").at(Place::new(first, 7..8)),
            Diagnostic::error("x::b", "b").at(Place::new(first, 7..7)),
            Diagnostic::warning("x::a", "a").at(Place::new(first, 3..9)),
        ];
        sort_diagnostics(&mut diagnostics);
        let messages: Vec<&str> = diagnostics
            .iter()
            .map(|diagnostic| diagnostic.message.as_str())
            .collect();
        assert_eq!(messages, ["a", "b", "c", "d", "e", "whole"]);
    }

    #[test]
    fn summary_counts_by_severity() {
        let (error, warning) = (Diagnostic::error("x::e", "e"), Diagnostic::warning("x::w", "w"));
        let note = Diagnostic::note("x::n", "n");
        assert_eq!(summary(&[]), None);
        assert_eq!(
            summary(std::slice::from_ref(&warning)).as_deref(),
            Some("1 warning")
        );
        assert_eq!(
            summary(&[error.clone(), warning.clone(), error.clone()]).as_deref(),
            Some("2 errors and 1 warning")
        );
        assert_eq!(
            summary(&[note, error, warning]).as_deref(),
            Some("1 error, 1 warning and 1 note")
        );
    }
}
