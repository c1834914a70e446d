//! Why a study could not be done.

use bandgraph_model::BindError;
use bandgraph_solve::RunError;
use thiserror::Error;

/// Why a study of checked scenarios could not be done.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StudyError {
    /// A scenario cannot be bound. Scenarios that come from files have been bound once already, so this is
    /// for those that are made in code.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A steady state or a simulation failed; not a user's fault.
    #[error("`{question}`: {error}")]
    Run {
        /// What was asked: the name of a variant, or of a step.
        question: String,
        /// What went wrong.
        error: RunError,
    },
}

impl StudyError {
    /// A failed run of `question`.
    pub(crate) fn run(question: &str) -> impl FnOnce(RunError) -> Self {
        let question = question.to_owned();
        |error| Self::Run { question, error }
    }
}
