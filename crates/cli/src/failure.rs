//! Why a command could not do what it was asked to.

use std::io;
use std::path::Path;

use bandgraph_diagnostics::{Diagnostic, Sources, render, summary};
use bandgraph_report::NotFinite;
use bandgraph_solve::RunError;
use bandgraph_study::StudyError;
use bandgraph_sweep::SweepError;
use thiserror::Error;

use crate::exit::Exit;

/// Why a command could not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input cannot be used.
    Input {
        /// What is wrong with it.
        diagnostics: Vec<Diagnostic>,
        /// The texts that the places are in.
        sources: Sources,
    },
    /// The command line asks for something that is not there.
    Usage(Box<Diagnostic>),
    /// The output cannot be written.
    Output(Unwritable),
    /// A check inside the program failed.
    Internal {
        /// Which one, and how.
        message: String,
    },
}

/// Output that cannot be written.
#[derive(Debug, Error)]
#[error("failed to write {to}: {error}")]
pub(crate) struct Unwritable {
    to: String,
    pub(crate) error: io::Error,
}

impl Unwritable {
    /// What was to go to a file or to stdout, and why it did not get there.
    pub(crate) fn new(to: impl Into<String>, error: io::Error) -> Self {
        let to = to.into();
        Self { to, error }
    }
}

impl From<Unwritable> for io::Error {
    /// An error that [`Failure::from`] takes apart again.
    fn from(unwritable: Unwritable) -> Self {
        Self::other(unwritable)
    }
}

/// What the ids mean that this crate raises.
pub(crate) const EXPLANATIONS: &str = include_str!("explanations.txt");

impl Failure {
    /// The command line asks for something that is not there.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(Box::new(Diagnostic::argument(message)))
    }

    /// As [`usage`](Self::usage), in the words of another crate.
    pub(crate) fn refused(diagnostic: Box<Diagnostic>) -> Self {
        Self::Usage(diagnostic)
    }

    /// The input cannot be used, for a reason without a place.
    pub(crate) fn of(diagnostic: Diagnostic) -> Self {
        Self::Input {
            diagnostics: vec![diagnostic],
            sources: Sources::new(),
        }
    }

    /// A check inside the program failed.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::Internal {
            message: message.into(),
        }
    }

    /// The same; of a mistake on the command line, with what would be right.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        self.help_if(Some(help.into()))
    }

    /// As [`help`](Self::help), if there is something to say.
    pub(crate) fn help_if(self, help: Option<String>) -> Self {
        match self {
            Self::Usage(diagnostic) => Self::Usage(Box::new(diagnostic.help_if(help))),
            other => other,
        }
    }

    /// Output that could not be written to a file.
    pub(crate) fn output(path: &Path, error: io::Error) -> Self {
        Self::Output(Unwritable::new(path.display().to_string(), error))
    }

    /// What the shell is told.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Input { .. } | Self::Usage(_) | Self::Output(_) => Exit::BadInput,
            Self::Internal { .. } => Exit::InternalCheckFailed,
        }
    }

    /// What people are told, on a page of `columns` columns if that is known, with ANSI escapes if `colour`.
    pub(crate) fn text(&self, columns: Option<usize>, colour: bool) -> String {
        let (diagnostics, sources) = self.diagnostics();
        let text = match columns {
            Some(columns) => render::within(columns, &diagnostics, &sources, colour),
            None => render::full(&diagnostics, &sources, colour),
        };
        match summary(&diagnostics).filter(|_| matches!(self, Self::Input { .. })) {
            Some(summary) => format!("{text}\n{summary}\n"),
            None => text,
        }
    }

    /// What programs are told: an array like that of `check --format json`.
    pub(crate) fn json(&self) -> String {
        let (diagnostics, sources) = self.diagnostics();
        render::json(&diagnostics, &sources)
    }

    /// What is wrong, and the texts that the places are in.
    fn diagnostics(&self) -> (Vec<Diagnostic>, Sources) {
        let one = |diagnostic| (vec![diagnostic], Sources::new());
        match self {
            Self::Input { diagnostics, sources } => (diagnostics.clone(), sources.clone()),
            Self::Usage(diagnostic) => one((**diagnostic).clone()),
            Self::Output(unwritable) => one(Diagnostic::error("output::unwritable", unwritable.to_string())),
            Self::Internal { message } => one(Diagnostic::error("internal::check_failed", message.as_str())
                .help("this is a defect of bandgraph and not of your input")
                .help(format!(
                    "please report it with the input files, the command line and the version, bandgraph {}",
                    env!("CARGO_PKG_VERSION"),
                ))),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let message = error.to_string();
        match error.id() {
            Some(id) => too_large(id, message),
            None => Self::internal(message),
        }
    }
}

/// A simulation that takes too much time or memory.
fn too_large(id: &'static str, message: String) -> Failure {
    let diagnostic = Diagnostic::error(id, message)
        .help("make `run.warm_up` and `run.duration` shorter: what a scenario says there is kept")
        .help("offer less, where more comes than is served")
        .help("`--predict` gives the steady state at once");
    Failure::of(diagnostic)
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        match error {
            StudyError::Bind(error) => Self::of(Diagnostic::error(error.id(), error.to_string())),
            StudyError::Run { error: ref found, .. } => match found.id() {
                Some(id) => too_large(id, error.to_string()),
                None => Self::internal(error.to_string()),
            },
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Refused { message, help } => Self::usage(message).help_if(help.map(str::to_owned)),
            SweepError::Missing(diagnostics) => Self::Input {
                diagnostics,
                sources: Sources::new(),
            },
            SweepError::Unwritable { path, error } => Self::output(&path, error),
        }
    }
}

impl From<Unwritable> for Failure {
    fn from(unwritable: Unwritable) -> Self {
        Self::Output(unwritable)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(
            error
                .downcast()
                .unwrap_or_else(|error| Unwritable::new("the result", error)),
        )
    }
}

impl From<NotFinite> for Failure {
    fn from(error: NotFinite) -> Self {
        Self::internal(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_internal_failure_says_what_to_report() {
        let failure = Failure::from(RunError::NotConverged {
            iterations: 7,
            change: 0.5,
        });
        assert_eq!(failure.exit() as u8, 3);
        let text = failure.text(None, false);
        for words in [
            "steady state",
            "defect of bandgraph",
            "please report",
            env!("CARGO_PKG_VERSION"),
        ] {
            assert!(text.contains(words), "{words} is missing in {text}");
        }
    }

    #[test]
    fn bad_input_and_bad_output_are_for_the_user_to_fix() {
        let usage = Failure::usage("there is no part `x`").help("did you mean `y`?");
        assert_eq!(usage.exit() as u8, 2);
        assert!(usage.text(None, false).contains("did you mean `y`?"));
        let output = Failure::output(Path::new("a/b"), io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(output.exit() as u8, 2);
        assert!(output.text(None, false).contains("a/b"));
    }
}
