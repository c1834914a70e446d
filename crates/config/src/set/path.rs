//! Paths: steps separated by dots, each with the place of its text.

use std::ops::Range;

use bandgraph_diagnostics::{Diagnostic, Place};

use crate::problems::Problems;

/// One step of a path.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) text: String,
    pub(super) place: Place,
}

/// The steps of a path, each with the place of its text; `None` and a problem if it is malformed.
pub(super) fn parse_path(
    text: &str,
    place: impl Fn(Range<usize>) -> Place,
    problems: &mut Problems,
) -> Option<Vec<Segment>> {
    let mut path = Vec::new();
    let mut start = 0;
    for end in outside_quotes(text, '.').chain([text.len()]) {
        let raw = &text[start..end];
        let segment = raw.trim();
        let from = start + (raw.len() - raw.trim_start().len());
        let bare = segment.trim_matches('"');
        if bare.is_empty() {
            problems.push(
                Diagnostic::error("set::syntax", "there is nothing between the dots of this path")
                    .at(place(0..text.len())),
            );
            return None;
        }
        path.push(Segment {
            text: bare.to_owned(),
            place: place(from..from + segment.len()),
        });
        start = end + 1;
    }
    Some(path)
}

/// The positions of a character outside double quotes.
pub(super) fn outside_quotes(text: &str, letter: char) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    text.char_indices().filter_map(move |(at, found)| {
        if found == '"' {
            quoted = !quoted;
        }
        (found == letter && !quoted).then_some(at)
    })
}
