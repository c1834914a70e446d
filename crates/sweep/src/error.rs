//! Errors of journals.

use std::io;
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Sources, render};
use thiserror::Error;

use crate::{FaultyLines, JournalError};

/// Why a journal cannot be used or written.
#[derive(Debug, Error)]
pub enum SweepError {
    /// The file is not the expected journal.
    #[error("{message}")]
    Refused {
        /// The problem.
        message: String,
        /// The correct form, if known.
        help: Option<&'static str>,
    },
    /// Points have no record.
    #[error("points are missing")]
    Missing(Vec<Diagnostic>),
    /// It cannot be written.
    #[error("failed to write {}: {error}", path.display())]
    Unwritable {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// The explanations of the ids of this crate.
pub const EXPLANATIONS: &str = include_str!("explanations.txt");

impl SweepError {
    pub(crate) fn refused(message: impl Into<String>, help: impl Into<Option<&'static str>>) -> Self {
        Self::Refused {
            message: message.into(),
            help: help.into(),
        }
    }

    pub(crate) fn unwritable(path: &Path, error: io::Error) -> Self {
        Self::Unwritable {
            path: path.to_owned(),
            error,
        }
    }

    /// The error for a journal without usable lines.
    pub(crate) fn unusable(path: &Path, error: &JournalError) -> Self {
        let help = match error {
            JournalError::Unreadable(_) => None,
            JournalError::NotAJournal => Some("name another file by --journal"),
            JournalError::DamagedHeader => Some("remove the file, or name another one by --journal"),
            JournalError::OtherFormat(_) | JournalError::OtherVersion(_) | JournalError::OtherSweep(_) => {
                Some("begin again with --restart, or name another file by --journal")
            }
        };
        Self::refused(format!("{}: {error}", path.display()), help)
    }
}

/// One warning per run of unusable lines.
pub(crate) fn warnings(path: &Path, faulty: &[FaultyLines]) -> Vec<Diagnostic> {
    let path = path.display();
    let warning = |lines: &FaultyLines| {
        let FaultyLines { first, last, fault } = *lines;
        let (place, what) = if first == last {
            (format!("{path}:{first}"), "this line is")
        } else {
            (format!("{path}:{first}-{last}"), "these lines are")
        };
        Diagnostic::warning("journal::line", format!("{place}: {what} {}", fault.as_str()))
    };
    faulty.iter().map(warning).collect()
}

/// Warnings as a note; empty if there are none.
pub(crate) fn noted(warnings: &[Diagnostic]) -> String {
    if warnings.is_empty() {
        String::new()
    } else {
        render::full(warnings, &Sources::new(), false)
    }
}
