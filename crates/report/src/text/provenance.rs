//! What every result says of its origin: the software and overrides in its first lines, and in its last one
//! which version made it, how, and from what, so that it can be repeated.

use crate::json::{ModeDocument, SoftwareDocument};
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

/// Inputs of the result other than its files: the software of each scenario, each profile once.
pub(crate) fn inputs<'s>(
    page: &mut View,
    software: impl IntoIterator<Item = &'s SoftwareDocument>,
    overrides: &[String],
) {
    let mut all: Vec<&SoftwareDocument> = Vec::new();
    for software in software {
        if !all.contains(&software) {
            all.push(software);
        }
    }
    let mut profiles: Vec<String> = Vec::new();
    for software in all.iter().filter(|software| !software.profile.is_empty()) {
        let words = software_in_words(software);
        if !profiles.contains(&words) {
            profiles.push(words);
        }
    }
    if !profiles.is_empty() {
        page.toned(Tone::Plain, &format!("Software: {}", profiles.join(", ")));
    }
    let unchecked: Vec<&str> = all
        .iter()
        .filter(|software| software.unchecked)
        .map(|software| software.profile.as_str())
        .collect();
    match unchecked.as_slice() {
        [] => {}
        [_] if all.len() == 1 => page.toned(
            Tone::Plain,
            "No published measurement checks predictions with this profile.",
        ),
        names => page.toned(
            Tone::Plain,
            &format!(
                "No published measurement checks predictions with {}.",
                names.join(", ")
            ),
        ),
    }
    let mut warnings: Vec<&str> = all
        .iter()
        .filter_map(|software| software.warning.as_deref())
        .collect();
    warnings.dedup();
    for warning in warnings {
        page.toned(Tone::Alarm, &format!("Warning: {warning}."));
    }
    if !overrides.is_empty() {
        page.toned(Tone::Plain, &format!("Overrides: {}", overrides.join("; ")));
    }
}

/// A profile with the years that it fits: `fishworks-2009 (the default; 2009)`.
fn software_in_words(software: &SoftwareDocument) -> String {
    let years = software.years.map(|[first, last]| {
        if first == last {
            format!("of {first}")
        } else {
            format!("of {first} to {last}")
        }
    });
    let default = software.is_default.then(|| "the default".to_owned());
    let remarks: Vec<String> = default.into_iter().chain(years).collect();
    if remarks.is_empty() {
        software.profile.clone()
    } else {
        format!("{} ({})", software.profile, remarks.join(", "))
    }
}
