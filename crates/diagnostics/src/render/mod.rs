//! Diagnostics as text, one format per file.
//!
//! Every renderer takes the diagnostics in any order and prints them in the order of
//! [`sort_diagnostics`](crate::sort_diagnostics), and returns the same text for the same input. None of them
//! prints anything, panics on any range, or repeats an overlong line of a source. Overlong messages are cut
//! too, except in JSON.

use std::borrow::Cow;

mod concise;
mod full;
mod github;
mod json;

pub use concise::concise;
pub use full::{full, within};
pub use github::github;
pub use json::json;

/// Characters of one message, label or help that are printed; they may quote input of any length.
const LONGEST_TEXT: usize = 1000;

/// `text` on one line and without control characters, which could move the cursor or end a record.
fn one_line(text: &str) -> String {
    shorten(text)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// `text`, cut after [`LONGEST_TEXT`] characters.
fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((cut, _)) => Cow::Owned(format!("{}...", &text[..cut])),
        None => Cow::Borrowed(text),
    }
}
