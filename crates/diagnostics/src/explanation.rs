//! The long form of an error id.

/// The explanation of a kind of diagnostic: its meaning, the reason, and the remedy.
///
/// Each crate with diagnostics has a table of explanations, one per id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The id of the explained diagnostics, `"topology::unknown_socket"`.
    pub id: &'static str,
    /// The problem, in a few words without a full stop.
    pub title: &'static str,
    /// One or more paragraphs, separated by empty lines.
    pub text: &'static str,
}
