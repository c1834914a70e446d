//! Why a picture could not be made.

use thiserror::Error;

/// Why a picture could not be made.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlotError {
    /// There is no data.
    #[error("there is nothing to show: {0}")]
    Empty(&'static str),
    /// There is too much data for a readable picture.
    #[error("a picture can show {limit} {what}, not {count}")]
    TooMuch {
        /// The kind of item, in the plural.
        what: &'static str,
        /// Their number.
        count: usize,
        /// The maximum number.
        limit: usize,
    },
    /// A number cannot be drawn: it is not finite, or not above zero on a logarithmic axis.
    #[error("{of} is {value}, which cannot be drawn")]
    Value {
        /// The item with the number.
        of: String,
        /// The number.
        value: f64,
    },
    /// Drawing or encoding failed. A defect of the program.
    #[error("failed to draw: {0}")]
    Drawing(String),
}

/// Refuses more than `limit` items.
pub(crate) fn at_most(limit: usize, count: usize, what: &'static str) -> Result<(), PlotError> {
    if count > limit {
        return Err(PlotError::TooMuch { what, count, limit });
    }
    Ok(())
}
