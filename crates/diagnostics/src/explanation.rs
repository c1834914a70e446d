//! The long form of an error id.

/// The explanation of a kind of diagnostic: its meaning, the reason, and the remedy.
///
/// Each crate with diagnostics has the text of its explanations in `explanations.txt`, one per id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The id of the explained diagnostics, `"topology::unknown_socket"`.
    pub id: &'static str,
    /// The problem, in a few words without a full stop; empty if the id says it.
    pub title: &'static str,
    /// One or more paragraphs, separated by empty lines.
    pub text: &'static str,
}

impl Explanation {
    /// The explanations of a text. An empty line ends each; its first line is the id, with `: ` and the title
    /// if it has one, and the rest is its text.
    pub fn all_of(text: &'static str) -> impl Iterator<Item = Self> {
        text.trim_end().split("\n\n").filter_map(|entry| {
            let (head, text) = entry.split_once('\n')?;
            let (id, title) = head.split_once(": ").unwrap_or((head, ""));
            Some(Self { id, title, text })
        })
    }
}
