//! Diagnostics as text, one format per file.
//!
//! Every renderer sorts the diagnostics by [`sort_diagnostics`](crate::sort_diagnostics), and its output is
//! deterministic. None of them prints, panics on any range, or repeats an overlong source line. Overlong
//! messages are truncated too, except in JSON.

use std::borrow::Cow;

mod concise;
mod full;
mod github;
mod json;

pub use concise::concise;
pub use full::{full, within};
pub use github::github;
pub use json::json;

/// The maximum length of a printed message, label or help in characters; they may quote input of any length.
const LONGEST_TEXT: usize = 1000;

/// `text` on one line and without control characters, which could move the cursor or end a record.
fn one_line(text: &str) -> String {
    shorten(text)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// `text`, truncated to [`LONGEST_TEXT`] characters.
fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((cut, _)) => Cow::Owned(format!("{}...", &text[..cut])),
        None => Cow::Borrowed(text),
    }
}
