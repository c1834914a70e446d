use std::path::Path;

use super::*;

#[test]
fn every_id_is_explained_once() {
    let mut ids: Vec<&str> = explanations().iter().map(|explanation| explanation.id).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

/// Reads the source files in a folder and its subfolders, except this file.
#[expect(clippy::disallowed_methods, reason = "a test of the sources")]
fn read_sources(folder: &Path, sources: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if !path.ends_with("explanations.rs") {
            sources.push(std::fs::read_to_string(path).expect("a source file"));
        }
    }
}

/// Every id in the sources of the crates that read files has an explanation, and every explanation has such
/// an id.
#[test]
fn explanations_are_those_of_the_ids_in_use() {
    const AREAS: &[&str] = &[
        "file::",
        "value::",
        "entry::",
        "reference::",
        "part::",
        "topology::",
        "scenario::",
        "measured::",
        "set::",
        "sweep::",
        "calibration::",
    ];
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    for folder in [
        "config/src",
        "hardware/src",
        "model/src",
        "scenario/src",
        "workload/src/shapes",
    ] {
        read_sources(&crates.join(folder), &mut sources);
    }
    let mut used: Vec<&str> = sources
        .iter()
        .flat_map(|source| source.split("#[cfg(test)]").next().unwrap_or_default().split('"'))
        .filter(|text| {
            AREAS.iter().any(|area| {
                text.strip_prefix(area).is_some_and(|name| {
                    !name.is_empty()
                        && name.chars().all(|letter| {
                            letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_'
                        })
                })
            })
        })
        .collect();
    used.sort_unstable();
    used.dedup();
    let mut explained: Vec<&str> = Explanation::all_of(EXPLANATIONS).map(|one| one.id).collect();
    explained.sort_unstable();
    assert_eq!(used, explained);
}

#[test]
fn ids_of_other_crates_are_explained_too() {
    for id in ["topology::slot_taken", "workload::too_large", "file::missing"] {
        let found = explain(id);
        assert!(found.is_some_and(|found| !found.text.is_empty()), "{id}");
    }
    assert_eq!(explain("nothing::at_all"), None);
}
