//! The long form of an error id.

/// The paragraph that explains a kind of diagnostic: what it means, why it is an error, what to do.
///
/// Each crate that raises diagnostics keeps a table of these, one for every id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The id of the diagnostics that this explains, `"topology::unknown_socket"`.
    pub id: &'static str,
    /// What is wrong, in a few words without a full stop.
    pub title: &'static str,
    /// One or more paragraphs, separated by empty lines.
    pub text: &'static str,
}
