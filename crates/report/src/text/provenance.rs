//! The last line of every result: which version made it, how, and from what, so that it can be repeated.

use crate::json::ModeDocument;
use crate::view::{Tone, View};

/// How a result was found, where there is no more to say.
pub(crate) const PREDICTED: &str = "predicted, without events";

/// How results of a mode were found.
pub(crate) const fn how(mode: ModeDocument) -> &'static str {
    match mode {
        ModeDocument::Predict => PREDICTED,
        ModeDocument::Simulate => "simulated",
    }
}

/// Says which `version` of the program made a result, `how`, and from what.
pub(crate) fn provenance(page: &mut View, version: &str, how: &str, origins: &[String]) {
    let (version, origins) = (format!("bandgraph {version}"), origins.join("; "));
    let parts = [version.as_str(), how, &origins];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    page.toned(Tone::Faint, &parts.join(", "));
}

/// What a result was made from.
pub(crate) fn origin(file: Option<&str>, seed: u64, hash: &str) -> String {
    let file = file.map_or_else(String::new, |file| format!(", {file}"));
    format!("seed {seed}{file}, input {}", short_hash(hash))
}

/// Enough of a hash to tell inputs apart by eye; JSON has all of it.
pub(crate) fn short_hash(hash: &str) -> String {
    hash.chars().take(12).collect()
}
