//! The CSV of commands that write their figures as a long table, as programs read it: each row has a key of
//! its own, a metric has one unit, and its name can be the name of a column, and is explained.

mod program;
mod scratch;

use std::collections::{BTreeMap, BTreeSet};

use program::{Ended, run};

const SCENARIO: &str = "../../scenarios/7410-barcelona/cached-read.toml";
const DISKS: &str = "../../scenarios/7410-barcelona/disk-write.toml";
const DRIVES: &str = "../../scenarios/nvme-2-socket/fio.toml";

/// The cells of a table with a header by the names of its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines().map(cells);
    let header = lines.next().expect("a header");
    lines
        .map(|line| header.iter().cloned().zip(line).collect())
        .collect()
}

/// The cells of a line, in which quoted ones may hold commas and doubled quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cells.last_mut().expect("a cell").push(other),
        }
    }
    cells
}

/// Runs the program, which answers, whether or not expectations hold.
fn answered(arguments: &[&str]) -> Ended {
    let ended = run(arguments);
    assert!(
        matches!(ended.code, Some(0 | 1)),
        "{arguments:?}: {}",
        ended.stderr
    );
    ended
}

/// The columns that tell a row from all others.
const KEY: [&str; 6] = ["scenario", "variant", "mode", "subject", "kind", "metric"];
/// Beginnings of the names of metrics that are quantities of any kind: each row says its unit.
const OF_ANY_UNIT: [&str; 7] = [
    "capacity", "rate", "needed", "value", "range", "before_", "after_",
];

#[test]
fn rows_have_keys_and_metrics_have_names_and_units() {
    let folder = scratch::folder("csv", "results");
    let result = |name: &str, arguments: &[&str]| {
        let path = folder.join(name).display().to_string();
        answered(&[arguments, &["--format", "json", "-o", &path]].concat());
        path
    };
    let faster = "link.*.part=ht3-x16";
    let istanbul = "../../scenarios/7410-istanbul/cached-read.toml";
    let before = result("before.json", &["run", SCENARIO, "--predict"]);
    let after = result("after.json", &["run", SCENARIO, "--predict", "--set", faster]);
    let ladder = result("ladder.json", &["ladder", SCENARIO]);
    let other = result("other.json", &["ladder", istanbul]);
    let commands: [&[&str]; 16] = [
        &["run", "small.toml"],
        &["run", SCENARIO, "--predict"],
        &["run", DISKS, "--predict"],
        &["run", DRIVES, "--predict"],
        &["whatif", SCENARIO, "--set", faster],
        &["ladder", SCENARIO],
        &["ladder", DRIVES],
        &["ladder", SCENARIO, "--unlimited"],
        &["place", SCENARIO, DISKS, "--confirm", "1"],
        &["compare", &before, &after],
        &["compare", &ladder, &other],
        &["calibrate", "../../scenarios/calibrations/counters.toml"],
        &["calibrate", SCENARIO, "--own"],
        &["topology", "show", "../../topologies/sun-7410-barcelona.toml"],
        &["parts", "list"],
        &["stacks", "list"],
    ];
    let mut names = BTreeSet::new();
    for command in commands {
        let ended = answered(&[command, &["--format", "csv"]].concat());
        let mut keys = BTreeSet::new();
        let mut units = BTreeMap::new();
        let rows = rows(&ended.stdout);
        assert!(rows.len() > 5, "{command:?} says something");
        for row in rows {
            let cell = |column: &str| row.get(column).cloned().unwrap_or_default();
            let (kind, metric, unit) = (cell("kind"), cell("metric"), cell("unit"));
            let of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(
                !metric.is_empty() && metric.chars().all(of_name),
                "{command:?}: {metric}"
            );
            let key = KEY.map(cell);
            assert!(keys.insert(key.clone()), "{command:?}: two rows of {key:?}");
            let known = units
                .entry((kind.clone(), metric.clone()))
                .or_insert_with(|| unit.clone());
            assert!(
                *known == unit || OF_ANY_UNIT.iter().any(|name| metric.starts_with(name)),
                "{command:?}: {metric} of {kind} is in {known} and {unit}"
            );
            names.insert(metric);
        }
    }
    assert!(names.len() > 200, "{} metrics", names.len());
    let explained = bandgraph_report::Explanations::new("");
    let unexplained: Vec<&String> = names
        .iter()
        .filter(|name| explained.find(name).is_empty())
        .collect();
    assert!(unexplained.is_empty(), "{unexplained:?}");
}
