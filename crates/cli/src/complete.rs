//! What completes a word on the command line, beyond commands and options. Shells ask by a variable of the
//! environment; the script of `bandgraph completions` sets it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use bandgraph_hardware::{PartKind, catalogue};
use bandgraph_model::profile_names;
use bandgraph_scenario::{DiskFiles, set_paths};
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter};

/// The variable that says that a shell asks, and which.
pub(crate) const VARIABLE: &str = "COMPLETE";

/// Answers the shell and ends the process, if a shell asks.
pub(crate) fn answer() {
    clap_complete::CompleteEnv::with_factory(crate::command_line)
        .var(VARIABLE)
        .complete();
}

/// Files of settings.
pub(crate) fn settings_files() -> ArgValueCompleter {
    let is_of_settings = |path: &Path| path.is_dir() || path.extension() == Some(OsStr::new("toml"));
    ArgValueCompleter::new(PathCompleter::any().filter(is_of_settings))
}

/// Parts of the catalogue.
pub(crate) fn parts() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let kinds = PartKind::ALL.iter();
        let names = kinds.flat_map(|kind| catalogue().names(*kind));
        names.map(CompletionCandidate::new).collect()
    })
}

/// Software profiles.
pub(crate) fn stacks() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        profile_names()
            .into_iter()
            .map(CompletionCandidate::new)
            .collect()
    })
}

/// Fields for `--set`, one segment of the path at a time, with the ids of the file of the command line.
pub(crate) fn sets() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let Some(typed) = typed.to_str() else {
            return Vec::new();
        };
        let mut words = std::env::args_os().map(PathBuf::from);
        let file = words.find(|word| word.extension() == Some(OsStr::new("toml")) && word.is_file());
        let segments: BTreeSet<String> = set_paths(&DiskFiles, file.as_deref())
            .iter()
            .filter_map(|path| next_segment(path, typed))
            .collect();
        segments.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// What was typed with the next segment of a path that begins with it.
fn next_segment(path: &str, typed: &str) -> Option<String> {
    let rest = path.strip_prefix(typed)?;
    Some(match rest.find('.') {
        Some(end) => path[..=typed.len() + end].to_owned(),
        None => format!("{path}="),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_completed_segment_by_segment() {
        let next = |typed| next_segment("card.nic0.slot", typed);
        assert_eq!(next("").as_deref(), Some("card."));
        assert_eq!(next("ca").as_deref(), Some("card."));
        assert_eq!(next("card.").as_deref(), Some("card.nic0."));
        assert_eq!(next("card.nic0.").as_deref(), Some("card.nic0.slot="));
        assert_eq!(next("link."), None);
    }
}
