//! Which seeded bugs are found, and by what: `docs/seeded-bugs.md`.
//!
//! The bugs are data (`tests/seeded-bugs.txt`). All of them are put into a copy of the sources, which is
//! built once; an environment variable says which is switched on. So neither the sources nor a release has
//! any of them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::{Made, Outcome};

const LIST: &str = "tests/seeded-bugs.txt";
const FOLDER: &str = "target/seeded";
const VARIABLE: &str = "BANDGRAPH_SEEDED_BUG";
/// What each crate with a bug gets: whether one is switched on.
const SWITCH: &str = "
fn seeded(bug: u32) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<u32>> = std::sync::OnceLock::new();
    let read = || std::env::var(\"BANDGRAPH_SEEDED_BUG\").ok()?.parse().ok();
    *CHOSEN.get_or_init(read) == Some(bug)
}
";
/// Scenarios that are simulated under every bug.
const RUNS: [&str; 12] = [
    "7410-barcelona-cached-read",
    "7410-istanbul-cached-read",
    "7410-istanbul-on-ht1-cached-read",
    "7410-istanbul-disk-read",
    "7410-istanbul-disk-write",
    "7410-istanbul-disk-sync-8k-log",
    "7410-istanbul-oss-8k",
    "7410-infiniband-rdma-read",
    "grid-one-client-duplex",
    "sas-grid-3-nodes",
    "tcp-uperf-4-socket",
    "x2270-memcached-opensolaris",
];
/// Sweeps with gates.
const SWEEPS: [&str; 1] = ["scenarios/sweeps/7410-io-size.toml"];

/// A bug.
struct Bug<'l> {
    number: u32,
    what: &'l str,
    path: &'l str,
    before: String,
    after: String,
}

/// The page.
pub(crate) fn page() -> Outcome<Vec<Made>> {
    let list = std::fs::read_to_string(LIST)?;
    let bugs = bugs(&list)?;
    build(&bugs)?;
    let sound = Found::of(None)?;
    let mut table = String::new();
    let (mut by_run, mut by_gate, mut moved) = (0, 0, 0);
    for bug in &bugs {
        let found = Found::of(Some(bug.number))?;
        let run = found.failed_checks.difference(&sound.failed_checks).count();
        let gates = found.failed_gates.difference(&sound.failed_gates).count();
        let changed = found
            .results
            .iter()
            .zip(&sound.results)
            .filter(|(a, b)| a != b)
            .count();
        by_run += u32::from(run > 0);
        by_gate += u32::from(gates > 0);
        moved += u32::from(changed > 0);
        let folder = bug.path.split('/').nth(1).unwrap_or_default();
        let word = |count: usize| {
            if count == 0 {
                "no".to_owned()
            } else {
                count.to_string()
            }
        };
        writeln!(
            table,
            "| {} | {folder} | {} | {changed} | {} | {} |",
            bug.number,
            bug.what,
            word(run),
            word(gates)
        )?;
        println!("{} of {}: {run} checks, {gates} gates", bug.number, bugs.len());
    }
    let count = bugs.len();
    let content = format!(
        "# Seeded bugs\n\n\
         <!-- Made by `cargo xtask seeded` from `{LIST}`. -->\n\n\
         How much of what can be wrong in the program itself is found by the program, without its tests. \
         Each bug is put into a copy of\nthe sources; {} scenarios are simulated with it, and every scenario \
         is validated.\n\n\
         * *moved*: runs whose figures are others.\n\
         * *checks*: runs that end with exit code 3 or with a warning that the sound program does not give.\n\
         * *gates*: measured points outside of their tolerance, expectations of scenarios and gates of \
         sweeps that fail, which\n  do not with the sound program.\n\n\
         Of {count} bugs {moved} change a figure of these runs; {by_run} are found by checks, \
         {by_gate} by gates.\n\n\
         | | crate | bug | moved | checks | gates |\n|---:|---|---|---:|---:|---:|\n{table}",
        RUNS.len(),
    );
    let path = "docs/seeded-bugs.md".to_owned();
    Ok(vec![Made {
        path,
        content: content.into_bytes(),
    }])
}

/// What was found with a bug.
struct Found {
    failed_checks: BTreeSet<String>,
    failed_gates: BTreeSet<String>,
    results: Vec<String>,
}

impl Found {
    fn of(bug: Option<u32>) -> Outcome<Self> {
        let mut found = Self {
            failed_checks: BTreeSet::new(),
            failed_gates: BTreeSet::new(),
            results: Vec::new(),
        };
        for run in RUNS {
            let file = format!("scenarios/{run}.toml");
            let output = bandgraph(bug, &["run", &file, "--no-interval", "--format", "json"])?;
            let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
            let warnings = result["warnings"].as_array().map_or(0, Vec::len);
            if !matches!(output.status.code(), Some(0 | 1)) {
                found.failed_checks.insert(run.to_owned());
            }
            for warning in 0..warnings {
                found.failed_checks.insert(format!("{run} {warning}"));
            }
            if output.status.code() == Some(1) {
                found.failed_gates.insert(run.to_owned());
            }
            found
                .results
                .push(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let output = bandgraph(bug, &["validate", "scenarios", "--format", "json"])?;
        let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if result.is_null() {
            found.failed_gates.insert("validate".to_owned());
        }
        for point in result["points"].as_array().into_iter().flatten() {
            if point["within"] == Value::Bool(false) {
                found
                    .failed_gates
                    .insert(format!("{} {}", point["file"], point["id"]));
            }
        }
        for bottleneck in result["bottlenecks"].as_array().into_iter().flatten() {
            if bottleneck["ok"] == Value::Bool(false) {
                found
                    .failed_gates
                    .insert(format!("{} bottleneck", bottleneck["scenario"]));
            }
        }
        for sweep in SWEEPS {
            let journal = format!("{FOLDER}/journal.jsonl");
            let output = bandgraph(bug, &["sweep", "run", sweep, "--journal", &journal, "--restart"])?;
            if !output.status.success() {
                found.failed_gates.insert(sweep.to_owned());
            }
        }
        Ok(found)
    }
}

/// Runs the program with a bug.
fn bandgraph(bug: Option<u32>, arguments: &[&str]) -> Outcome<Output> {
    let mut command = Command::new(format!("{FOLDER}/bandgraph"));
    command.arg("--quiet").args(arguments).env_remove(VARIABLE);
    if let Some(bug) = bug {
        command.env(VARIABLE, bug.to_string());
    }
    Ok(command.output()?)
}

/// Copies the sources, puts all bugs in, and builds the program.
fn build(bugs: &[Bug<'_>]) -> Outcome<()> {
    let tree = format!("{FOLDER}/sources");
    let _ = std::fs::remove_dir_all(&tree);
    let files = Command::new("git").args(["ls-files"]).output()?;
    for file in String::from_utf8(files.stdout)?.lines() {
        let to = format!("{tree}/{file}");
        std::fs::create_dir_all(Path::new(&to).parent().ok_or("a file is in a folder")?)?;
        std::fs::copy(file, to)?;
    }
    let mut crates = BTreeSet::new();
    for bug in bugs {
        let path = format!("{tree}/{}", bug.path);
        let code = std::fs::read_to_string(&path)?;
        std::fs::write(path, code.replacen(&bug.before, &bug.after, 1))?;
        crates.insert(bug.path.split("/src/").next().unwrap_or_default());
    }
    for folder in crates {
        let path = format!("{tree}/{folder}/src/lib.rs");
        let code = std::fs::read_to_string(&path)?;
        std::fs::write(path, code + SWITCH)?;
    }
    let status = Command::new(env!("CARGO"))
        .args([
            "build",
            "--quiet",
            "--locked",
            "--bin",
            "bandgraph",
            "--target-dir",
        ])
        .arg(std::path::absolute("target")?)
        .current_dir(tree)
        .status()?;
    if !status.success() {
        return Err("the sources with bugs do not build".into());
    }
    // The next build puts the sound program there again.
    std::fs::copy("target/debug/bandgraph", format!("{FOLDER}/bandgraph"))?;
    Ok(())
}

/// The bugs of the list, each in a file that has its code once.
fn bugs(list: &str) -> Outcome<Vec<Bug<'_>>> {
    let entries = list
        .split("\n\n")
        .filter(|entry| !entry.trim_start().starts_with('#'));
    entries.map(bug).collect()
}

fn bug(entry: &str) -> Outcome<Bug<'_>> {
    let malformed = || format!("{LIST}: malformed entry\n{entry}");
    let mut lines = entry.trim().lines();
    let (number, what) = lines
        .next()
        .and_then(|line| line.split_once(' '))
        .ok_or_else(malformed)?;
    let path = lines.next().ok_or_else(malformed)?;
    let source = std::fs::read_to_string(path)?;
    let code: Vec<&str> = lines.collect();
    let side = |mark: &str| {
        code.iter()
            .filter_map(|line| line.strip_prefix(mark))
            .collect::<Vec<_>>()
    };
    let before =
        found(&source, &side("- ")).ok_or_else(|| format!("{LIST}: bug {number} is not once in {path}"))?;
    Ok(Bug {
        number: number.parse()?,
        what,
        path,
        before,
        after: side("+ ").join("\n"),
    })
}

/// The text of a source with these lines, whatever their indentation, if there is exactly one.
fn found(source: &str, lines: &[&str]) -> Option<String> {
    let (first, rest) = lines.split_first()?;
    let mut places = source.match_indices(first).filter_map(|(start, _)| {
        let mut end = start + first.len();
        for line in rest {
            let gap = source[end..].len() - source[end..].trim_start().len();
            let after = &source[end + gap..];
            end += gap + after.starts_with(line.trim()).then_some(line.trim().len())?;
        }
        Some(&source[start..end])
    });
    let place = places.next()?;
    places.next().is_none().then(|| place.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that a change of the code that a bug is in also changes the bug.
    #[test]
    fn every_bug_is_in_the_sources_once() -> Outcome<()> {
        std::env::set_current_dir(crate::root())?;
        let list = std::fs::read_to_string(LIST)?;
        let bugs = bugs(&list)?;
        assert!(bugs.len() > 40);
        for (bug, number) in bugs.iter().zip(1..) {
            assert_eq!(bug.number, number);
            assert!(
                bug.after.contains(&format!("crate::seeded({number})")),
                "{number}"
            );
        }
        Ok(())
    }

    #[test]
    fn lines_are_found_whatever_their_indentation() {
        let source = "fn f() {\n    a;\n        b;\n    c;\n}\na;\nc;\n";
        assert_eq!(found(source, &["a;", "b;"]).as_deref(), Some("a;\n        b;"));
        assert_eq!(found(source, &["a;"]), None);
    }
}
