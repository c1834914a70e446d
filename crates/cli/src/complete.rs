//! What completes a word on the command line, beyond commands and options. Shells ask by a variable of the
//! environment; the script of `bandgraph completions` sets it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use bandgraph_hardware::{PartKind, catalogue};
use bandgraph_model::profile_names;
use bandgraph_scenario::{DiskFiles, set_paths};
use bandgraph_workload::OperationKind;
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

/// Kinds of operations.
pub(crate) fn operations() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let names = OperationKind::ALL.iter().map(|kind| kind.name());
        names.map(CompletionCandidate::new).collect()
    })
}

/// Fields for `--set`, one segment of the path at a time, with the ids of the file of the command line, and
/// then the values of the field.
pub(crate) fn sets() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let Some(typed) = typed.to_str() else {
            return Vec::new();
        };
        let mut words = std::env::args_os().map(PathBuf::from);
        let file = words.find(|word| word.extension() == Some(OsStr::new("toml")) && word.is_file());
        let segments: BTreeSet<String> = set_paths(&DiskFiles, file.as_deref())
            .iter()
            .flat_map(|(path, field)| next(path, typed, || field.words()))
            .collect();
        segments.into_iter().map(CompletionCandidate::new).collect()
    })
}

/// What was typed with the next segment of a path that begins with it, or with each of its values.
fn next(path: &str, typed: &str, values: impl FnOnce() -> Vec<String>) -> Vec<String> {
    if let Some((before, value)) = typed.split_once('=') {
        let values = (before == path).then(values).into_iter().flatten();
        let begun = values.filter(|known| known.starts_with(value));
        return begun.map(|value| format!("{path}={value}")).collect();
    }
    let rest = path.strip_prefix(typed);
    let segment = rest.map(|rest| match rest.find('.') {
        Some(end) => path[..=typed.len() + end].to_owned(),
        None => format!("{path}="),
    });
    segment.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_completed_segment_by_segment_and_then_values() {
        let next = |typed| {
            next("card.nic0.slot", typed, || {
                ["s1", "s12", "t"].map(str::to_owned).to_vec()
            })
        };
        assert_eq!(next(""), ["card."]);
        assert_eq!(next("ca"), ["card."]);
        assert_eq!(next("card."), ["card.nic0."]);
        assert_eq!(next("card.nic0."), ["card.nic0.slot="]);
        assert_eq!(next("link."), [""; 0]);
        assert_eq!(
            next("card.nic0.slot=s"),
            ["card.nic0.slot=s1", "card.nic0.slot=s12"]
        );
        assert_eq!(next("card.nic1.slot="), [""; 0]);
    }
}
