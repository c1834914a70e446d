//! What a check of files found, for people.

use std::collections::BTreeSet;

use bandgraph_diagnostics::{Diagnostic, Sources, render, summary};

use crate::view::{TextOptions, Tone, one_line};

/// One file that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedFile {
    /// Its path, as given.
    pub path: String,
    /// Everything that was found in it and in what it includes.
    pub diagnostics: Vec<Diagnostic>,
}

impl CheckedFile {
    /// Whether the file can be used. Warnings do not keep it from that.
    pub fn ok(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// What was found in any of the files, once where several include the same file.
pub fn found(files: &[CheckedFile], sources: &Sources) -> Vec<Diagnostic> {
    let mut known = BTreeSet::new();
    let all = files.iter().flat_map(|file| &file.diagnostics);
    all.filter(|diagnostic| known.insert(render::concise(std::slice::from_ref(diagnostic), sources)))
        .cloned()
        .collect()
}

/// The diagnostics of all files with carets, then a line for each file that can be used, then the count.
pub fn check_text(files: &[CheckedFile], sources: &Sources, options: &TextOptions) -> String {
    let diagnostics = found(files, sources);
    let mut text = render::within(options.width, &diagnostics, sources, options.colour);
    if !text.is_empty() {
        text.push('\n');
    }
    for file in files.iter().filter(|file| file.ok()) {
        let warnings = summary(&file.diagnostics).map_or_else(String::new, |summary| format!(" ({summary})"));
        text.push_str(&Tone::Good.paint("ok", options));
        text.push_str("  ");
        text.push_str(&one_line(&file.path));
        text.push_str(&warnings);
        text.push('\n');
    }
    let bad = files.iter().filter(|file| !file.ok()).count();
    if bad > 0
        && let Some(summary) = summary(&diagnostics)
    {
        let files = if files.len() == 1 {
            "file".to_owned()
        } else {
            format!("of {} files", files.len())
        };
        text.push_str(&Tone::Alarm.paint(&format!("{summary}; {bad} {files} cannot be used"), options));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_page() {
        let help = "there is one of `neptune-dual-10gbe`, `onboard-1gbe`, `generic-1gbe`, `quad-1gbe-x8` and \
                    203 more";
        let file = CheckedFile {
            path: "server.toml".to_owned(),
            diagnostics: vec![
                Diagnostic::error(
                    "reference::unknown_part",
                    "there is no card part (nic, hba, nvme or gpu) `10GbE`",
                )
                .help(help),
            ],
        };
        let options = TextOptions {
            width: 80,
            ..TextOptions::default()
        };
        let text = check_text(&[file], &Sources::new(), &options);
        assert!(text.contains("and 203 more"), "{text}");
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
