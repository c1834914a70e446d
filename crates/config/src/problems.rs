//! A bounded collection of diagnostics.

use bandgraph_diagnostics::{Diagnostic, sort_diagnostics};

/// The maximum number of diagnostics: people read fewer, and a garbage file must not fill the memory.
const MAXIMUM_PROBLEMS: usize = 200;

/// The problems so far.
#[derive(Debug, Default)]
pub struct Problems {
    kept: Vec<Diagnostic>,
    left_out: usize,
}

impl Problems {
    /// No problems.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic, unless there are too many or it is a duplicate (one `--set` text can apply to many
    /// entries, and its error is reported once).
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.is_full() {
            self.left_out += usize::from(diagnostic.is_error());
        } else if !self.kept.contains(&diagnostic) {
            self.kept.push(diagnostic);
        }
    }

    /// Adds all these diagnostics.
    pub fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in diagnostics {
            self.push(diagnostic);
        }
    }

    /// Whether it is full, so that suggestions are pointless.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= MAXIMUM_PROBLEMS
    }

    /// Whether a file could not be read, which may have what others seem to lack.
    pub fn lacks_a_file(&self) -> bool {
        let mut errors = self.kept.iter().filter(|problem| problem.is_error());
        errors.any(|problem| problem.id.starts_with("file::"))
    }

    /// Whether no problem was found, nor dropped.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.left_out == 0
    }

    /// Whether there is an error, so that the input is unusable.
    pub fn has_errors(&self) -> bool {
        self.left_out > 0 || self.kept.iter().any(Diagnostic::is_error)
    }

    /// All problems, sorted by place.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        sort_diagnostics(&mut self.kept);
        if self.left_out > 0 {
            self.kept.push(Diagnostic::error(
                "file::too_many_problems",
                format!("{} more problems are not shown", self.left_out),
            ));
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_no_more_than_anyone_reads_and_says_so() {
        let mut problems = Problems::new();
        for number in 0..MAXIMUM_PROBLEMS + 7 {
            problems.push(Diagnostic::error("value::zero", format!("{number}")));
        }
        assert!(problems.has_errors());
        let all = problems.into_sorted();
        assert_eq!(all.len(), MAXIMUM_PROBLEMS + 1);
        assert_eq!(
            all.last().map(|last| last.message.as_str()),
            Some("7 more problems are not shown")
        );
    }

    #[test]
    fn the_same_thing_is_said_once() {
        let mut problems = Problems::new();
        problems.push(Diagnostic::warning("value::zero", "x"));
        problems.push(Diagnostic::warning("value::zero", "x"));
        assert!(!problems.has_errors());
        assert_eq!(problems.into_sorted().len(), 1);
    }
}
