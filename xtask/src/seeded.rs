//! Which seeded bugs are found, and by what: `docs/seeded-bugs.md`.
//!
//! The bugs are data (`tests/seeded-bugs.txt`). All of them are put into a copy of the sources, which is
//! built once; an environment variable says which is switched on. So neither the sources nor a release has
//! any of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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
    "7410-barcelona/cached-read",
    "7410-istanbul/cached-read",
    "7410-istanbul/on-ht1-cached-read",
    "7410-istanbul/disk-read",
    "7410-istanbul/disk-write",
    "7410-istanbul/disk-sync-8k-log",
    "7410-istanbul/oss-8k",
    "7410-infiniband/rdma-read",
    "sas-grid/one-client-duplex",
    "sas-grid/3-nodes",
    "barcelona-4-socket/tcp-uperf",
    "x2270/memcached-opensolaris",
];
/// A sweep with gates.
const SWEEP: &str = "scenarios/sweeps/7410-io-size.toml";

/// A bug.
struct Bug<'l> {
    number: u32,
    what: &'l str,
    path: &'l str,
    /// A test that finds it: arguments of `cargo test`, and its name.
    test: &'l str,
    before: String,
    after: String,
}

/// The page. With numbers (`1,2`) only these bugs, which are printed and make no page.
pub(crate) fn page(only: Option<&str>) -> Outcome<Vec<Made>> {
    let list = std::fs::read_to_string(LIST)?;
    let mut bugs = bugs(&list)?;
    let numbers = only.map(|only| only.split(',').map(str::parse).collect());
    let only: Option<Vec<u32>> = numbers.transpose()?;
    build(&bugs)?;
    let sound = Found::of(None)?;
    if !sound.failed_checks.is_empty() {
        return Err(format!("false alarms: {:?}", sound.failed_checks).into());
    }
    bugs.retain(|bug| only.as_ref().is_none_or(|only| only.contains(&bug.number)));
    let mut rows = Vec::new();
    for bug in &bugs {
        let row = Row::of(bug, &sound)?;
        println!("{}", row.line());
        rows.push(row);
    }
    if only.is_some() {
        return Ok(Vec::new());
    }
    let path = "docs/seeded-bugs.md".to_owned();
    Ok(vec![Made {
        path,
        content: written(&rows).into_bytes(),
    }])
}

/// The page of these rows.
fn written(rows: &[Row<'_>]) -> String {
    let count = rows.len();
    let share = |is: fn(&Row<'_>) -> bool| {
        let found = rows.iter().filter(|row| is(row)).count();
        format!(
            "{found} of {count} ({:.0} %)",
            100.0 * found as f64 / count as f64
        )
    };
    let lines: String = rows.iter().map(|row| row.line() + "\n").collect();
    format!(
        "# Seeded bugs\n\n\
         <!-- Made by `cargo xtask seeded` from `{LIST}`. -->\n\n\
         Which defects of the program are found by which checks. Each bug is put into a copy of the sources, \
         and the copy is tested:\n\n\
         * *moved*: how many of {} simulated scenarios have other figures than the sound program.\n\
         * *checks*: how many of them end with exit code 3 or with a warning that the sound program does not \
         give. A user finds these\n  bugs with one run. The sound program gives none of them.\n\
         * *gates*: what else the program holds against a shipped file: measured points outside of their \
         tolerance (`validate`), expectations\n  of scenarios, and gates of sweeps.\n\
         * *earlier results*: how many of the scenarios fail `compare --gate` with results of the sound \
         program: throughput or latency\n  differs by more than 2 %. A user who keeps results finds these \
         after an update.\n\
         * *test*: whether the test that `{LIST}` names fails.\n\n\
         | found by | bugs |\n|---|---|\n\
         | checks | {} |\n| checks or gates | {} |\n| checks, gates or earlier results | {} |\n| tests | {} |\n\n\
         | | crate | bug | moved | checks | gates | earlier results | test |\n\
         |---:|---|---|---:|---:|---:|---:|---|\n{lines}",
        RUNS.len(),
        share(|row| row.checks > 0),
        share(|row| row.checks + row.gates > 0),
        share(|row| row.checks + row.gates + row.compared > 0),
        share(|row| row.test),
    )
}

/// What was found of a bug, and by what.
struct Row<'l> {
    bug: &'l Bug<'l>,
    moved: usize,
    checks: usize,
    gates: usize,
    compared: usize,
    test: bool,
}

impl<'l> Row<'l> {
    fn of(bug: &'l Bug<'l>, sound: &Found) -> Outcome<Self> {
        let found = Found::of(Some(bug.number))?;
        let pairs = || found.results.iter().zip(&sound.results);
        Ok(Self {
            bug,
            moved: pairs().filter(|(a, b)| a != b).count(),
            checks: found.failed_checks.difference(&sound.failed_checks).count(),
            gates: found.failed_gates.difference(&sound.failed_gates).count(),
            compared: found.differs.len(),
            test: fails_its_test(bug)?,
        })
    }

    fn line(&self) -> String {
        let folder = self.bug.path.split('/').nth(1).unwrap_or_default();
        let count = |count: usize| match count {
            0 => "no".to_owned(),
            _ => count.to_string(),
        };
        format!(
            "| {} | {folder} | {} | {} | {} | {} | {} | {} |",
            self.bug.number,
            self.bug.what,
            self.moved,
            count(self.checks),
            count(self.gates),
            count(self.compared),
            if self.test { "fails" } else { "**passes**" }
        )
    }
}

/// What was found with a bug.
struct Found {
    /// Scenarios that ended with exit code 3, and warnings by scenario.
    failed_checks: BTreeSet<String>,
    failed_gates: BTreeSet<String>,
    /// Scenarios whose results differ from those of the sound program.
    differs: BTreeSet<String>,
    results: Vec<String>,
}

impl Found {
    fn of(bug: Option<u32>) -> Outcome<Self> {
        let mut found = Self {
            failed_checks: BTreeSet::new(),
            failed_gates: BTreeSet::new(),
            differs: BTreeSet::new(),
            results: Vec::new(),
        };
        for run in RUNS {
            found.simulate(bug, run)?;
        }
        found.validate(bug)?;
        let journal = format!("{FOLDER}/journal.jsonl");
        let part = [
            "sweep",
            "run",
            SWEEP,
            "--shard",
            "1/2",
            "--journal",
            &journal,
            "--restart",
        ];
        found.note(SWEEP, &bandgraph(bug, &["sweep", SWEEP])?);
        found.note("a part of a sweep", &bandgraph(bug, &part)?);
        Ok(found)
    }

    /// Whether a command ended by a check or a gate.
    fn note(&mut self, name: &str, output: &Output) {
        match output.status.code() {
            Some(0) => {}
            Some(1) => {
                self.failed_gates.insert(name.to_owned());
            }
            _ => {
                self.failed_checks.insert(name.to_owned());
            }
        }
    }

    /// Simulates a scenario, and compares the result with that of the sound program, which is kept.
    fn simulate(&mut self, bug: Option<u32>, run: &str) -> Outcome<()> {
        let file = format!("scenarios/{run}.toml");
        let output = bandgraph(bug, &["run", &file, "--no-interval", "--format", "json"])?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let result: Value = serde_json::from_str(&text).unwrap_or_default();
        for warning in 0..result["warnings"].as_array().map_or(0, Vec::len) {
            self.failed_checks.insert(format!("{run} {warning}"));
        }
        let earlier = format!("{FOLDER}/{run}.json");
        self.note(run, &output);
        match (output.status.code(), bug) {
            (Some(0 | 1), None) => std::fs::write(earlier, &text)?,
            (Some(0 | 1), Some(_)) => {
                let later = format!("{FOLDER}/with-bug.json");
                std::fs::write(&later, &text)?;
                let gates = ["--gate", "ops_per_s=2%", "--gate", "latency_mean_s=2%"];
                let compared = bandgraph(None, &[&["compare", &earlier, &later], &gates[..]].concat())?;
                match compared.status.code() {
                    Some(0) => {}
                    Some(1) => {
                        self.differs.insert(run.to_owned());
                    }
                    _ => return Err(String::from_utf8_lossy(&compared.stderr).into()),
                }
            }
            _ => {}
        }
        self.results.push(text);
        Ok(())
    }

    /// Compares all scenarios with their measurements.
    fn validate(&mut self, bug: Option<u32>) -> Outcome<()> {
        let output = bandgraph(bug, &["validate", "scenarios", "--format", "json"])?;
        // Its code is 1 where any point is outside of its tolerance, as some are with the sound program.
        if output.status.code() == Some(3) {
            self.failed_checks.insert("validate".to_owned());
        }
        let result: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        for point in result["points"].as_array().into_iter().flatten() {
            if point["within"] == Value::Bool(false) {
                let name = format!("{} {}", point["file"], point["id"]);
                self.failed_gates.insert(name);
            }
        }
        for bottleneck in result["bottlenecks"].as_array().into_iter().flatten() {
            if bottleneck["ok"] == Value::Bool(false) {
                let name = format!("{} bottleneck", bottleneck["scenario"]);
                self.failed_gates.insert(name);
            }
        }
        Ok(())
    }
}

/// Whether the test that the list names fails with a bug. Without it, it has to pass.
fn fails_its_test(bug: &Bug<'_>) -> Outcome<bool> {
    let (target, name) = bug
        .test
        .rsplit_once(' ')
        .ok_or("a test has a target and a name")?;
    let run = |number: Option<u32>| -> Outcome<Output> {
        let mut command = Command::new(env!("CARGO"));
        command
            .args(["test", "--quiet", "--locked", "--target-dir"])
            .arg(target_folder()?)
            .args(target.split(' '))
            .args(["--", "--exact", name])
            .current_dir(format!("{FOLDER}/sources"))
            .env_remove(VARIABLE);
        if let Some(number) = number {
            command.env(VARIABLE, number.to_string());
        }
        Ok(command.output()?)
    };
    let sound = run(None)?;
    let text = String::from_utf8_lossy(&sound.stdout);
    if !sound.status.success() || !text.contains(" 1 passed") {
        return Err(format!(
            "bug {}: its test does not pass without it: {}",
            bug.number, bug.test
        )
        .into());
    }
    Ok(!run(Some(bug.number))?.status.success())
}

/// The folder that cargo builds in: one of its own, since cargo takes packages of two workspaces that lie at
/// the same place in each for the same, and would run tests of the sound sources.
fn target_folder() -> Outcome<PathBuf> {
    Ok(std::path::absolute(format!("{FOLDER}/target"))?)
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

/// Copies the sources with all bugs in them, and builds the program. Files that are there as they should be
/// are left alone, so that only what changed is compiled.
fn build(bugs: &[Bug<'_>]) -> Outcome<()> {
    let tree = format!("{FOLDER}/sources");
    let crates: BTreeSet<&str> = bugs
        .iter()
        .filter_map(|bug| bug.path.split("/src/").next())
        .collect();
    let files = Command::new("git").args(["ls-files"]).output()?;
    for file in String::from_utf8(files.stdout)?.lines() {
        let mut content = std::fs::read(file)?;
        let of_crate = file.strip_suffix("/src/lib.rs");
        if of_crate.is_some_and(|of_crate| crates.contains(of_crate)) {
            content.extend(SWITCH.bytes());
        }
        if bugs.iter().any(|bug| bug.path == file) {
            let mut code = String::from_utf8(content)?;
            for bug in bugs.iter().filter(|bug| bug.path == file) {
                code = code.replacen(&bug.before, &bug.after, 1);
            }
            content = code.into_bytes();
        }
        let to = format!("{tree}/{file}");
        if std::fs::read(&to).is_ok_and(|present| present == content) {
            continue;
        }
        std::fs::create_dir_all(Path::new(&to).parent().ok_or("a file is in a folder")?)?;
        std::fs::write(to, content)?;
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
        .arg(target_folder()?)
        .current_dir(tree)
        .status()?;
    if !status.success() {
        return Err("the sources with bugs do not build".into());
    }
    // The next build puts the sound program there again.
    std::fs::copy(
        target_folder()?.join("debug/bandgraph"),
        format!("{FOLDER}/bandgraph"),
    )?;
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
    let test = lines.next().and_then(|line| line.strip_prefix("test "));
    let test = test.ok_or_else(malformed)?;
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
        test,
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
