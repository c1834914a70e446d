//! Every kind of problem: its id, and the text under its caret.

mod calibrations;
mod files;
mod overrides;
mod scenarios;
mod sweeps;
mod topologies;

use std::path::Path;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_scenario::{MemoryFiles, check_with, explain, load_topology_with, load_with};
use bandgraph_testkit::TWO_SOCKET_SERVER as TOPOLOGY;

const SCENARIO: &str = r#"schema = 1
name = "reads"
topology = "server.toml"

[stack]
profile = "fishworks-2009"

[[clients]]
id = "c"
count = 4
ports = ["nic0.0"]

[[workload]]
id = "w"
clients = "c"
mix = "read"
io_size = "1 MiB"
working_set = "10 GiB"

[[measured]]
id = "row"
metric = "network_bytes_per_s"
value = "1 GB/s"
source = "a test"

[[expect]]
metric = "ops_per_s"
min = "1 ops/s"
max = "2000 ops/s"
"#;

/// The cases of a file: the id of a problem, the text under its caret, the replaced text, and its
/// replacement.
fn cases(text: &'static str) -> impl Iterator<Item = [String; 4]> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let cells: Vec<String> = line
            .split('|')
            .map(|cell| cell.trim().replace("\\n", "\n"))
            .collect();
        cells.try_into().expect("a case has four cells")
    })
}

/// Replaces a text that must occur once.
fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}` is there once");
    text.replacen(from, to, 1)
}

/// The problems of a file, each with the text under its caret.
fn problems(files: &MemoryFiles, path: &str) -> Vec<(Diagnostic, String)> {
    let mut sources = Sources::new();
    let diagnostics = check_with(files, Path::new(path), &mut sources);
    under_carets(diagnostics, &sources)
}

fn under_carets(diagnostics: Vec<Diagnostic>, sources: &Sources) -> Vec<(Diagnostic, String)> {
    diagnostics
        .into_iter()
        .map(|diagnostic| {
            let text = diagnostic.primary.as_ref().map(|place| {
                let text = sources.text(place.source).get(place.range.clone());
                text.expect("a place lies within its text").to_owned()
            });
            (diagnostic, text.unwrap_or_default())
        })
        .collect()
}

/// Asserts exactly these problems, in this order, each with an explanation.
fn assert_problems(found: &[(Diagnostic, String)], expected: &[(&str, &str)], what: &str) {
    let pairs: Vec<(&str, &str)> = found
        .iter()
        .map(|(diagnostic, text)| (diagnostic.id, text.as_str()))
        .collect();
    assert_eq!(pairs, expected, "{what}: {found:#?}");
    for (diagnostic, _) in found {
        assert!(explain(diagnostic.id).is_some(), "{} is explained", diagnostic.id);
    }
}

fn topology_files(text: &str) -> MemoryFiles {
    MemoryFiles::new().with("server.toml", text)
}

fn scenario_files(text: &str) -> MemoryFiles {
    topology_files(TOPOLOGY).with("reads.toml", text)
}

#[test]
fn the_files_that_the_cases_start_from_are_right() {
    assert_problems(
        &problems(&topology_files(TOPOLOGY), "server.toml"),
        &[],
        "topology",
    );
    assert_problems(
        &problems(&scenario_files(SCENARIO), "reads.toml"),
        &[],
        "scenario",
    );
}
