//! Why a study failed.

use bandgraph_model::BindError;
use bandgraph_solve::RunError;
use thiserror::Error;

/// Why a study of checked scenarios failed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StudyError {
    /// A scenario cannot be bound. Scenarios from files were bound when they were loaded, so only scenarios
    /// made in code can fail here.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A steady state or a simulation failed: a defect of the program.
    #[error("`{question}`: {error}")]
    Run {
        /// The name of the variant or step that failed.
        question: String,
        /// The error.
        error: RunError,
    },
}

impl StudyError {
    /// The error of `question` for a failed run.
    pub(crate) fn run(question: &str) -> impl FnOnce(RunError) -> Self {
        let question = question.to_owned();
        |error| Self::Run { question, error }
    }
}
