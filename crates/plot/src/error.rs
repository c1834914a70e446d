//! Why a picture could not be made.

use thiserror::Error;

/// Why a picture could not be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlotError {
    /// There is nothing to show.
    #[error("there is nothing to show: {0}")]
    Empty(&'static str),
    /// There is more to show than fits a picture that anyone can read.
    #[error("a picture can show {limit} {what}, not {count}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many can be shown.
        limit: usize,
    },
    /// A number cannot be drawn: it is not finite, or not above zero on a logarithmic axis.
    #[error("{of} is {value}, which cannot be drawn")]
    Value {
        /// What the number is of.
        of: String,
        /// The number.
        value: f64,
    },
    /// The embedded font cannot be used. A defect of the program.
    #[error("the embedded font cannot be read")]
    Font,
    /// Drawing or encoding failed. A defect of the program.
    #[error("failed to draw: {0}")]
    Drawing(String),
}
