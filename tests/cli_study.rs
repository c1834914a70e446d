//! Studies and pictures as people and scripts meet them: `whatif`, `ladder`, `plot`.

mod program;
mod scratch;
mod traces;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use program::{Ended, end, program, run};
use scratch::written;
use serde_json::Value;

const BARCELONA: &str = "../../scenarios/7410-barcelona-cached-read.toml";

fn fine(arguments: &[&str]) -> Ended {
    let ended = run(arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended
}

fn json(arguments: &[&str]) -> Value {
    let ended = fine(arguments);
    serde_json::from_str(&ended.stdout).expect("valid JSON")
}

#[expect(clippy::disallowed_methods, reason = "this test makes a result of its own")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the folder of the test");
}

fn number(value: &Value, pointer: &str) -> f64 {
    value
        .pointer(pointer)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no number at {pointer}"))
}

fn hold_to(schema: &str, documents: &[Value]) {
    let schema: Value = serde_json::from_str(schema).expect("valid JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for document in documents {
        let errors: Vec<String> = validator
            .iter_errors(document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// An empty folder of its own for each test that writes files.
fn folder(test: &str) -> PathBuf {
    scratch::folder("cli_study", test)
}

// What-if.

/// All `--set` together are one variant, and each `--variant` is another, in the order of the command line.
#[test]
fn variants_come_from_sets_and_from_variants() {
    let sets = json(&[
        "whatif",
        BARCELONA,
        "--format",
        "json",
        "--set",
        "link.*.part=ht3-x16",
        "--set",
        "card.nic1.slot=s3",
    ]);
    assert_eq!(sets["variants"].as_array().map(Vec::len), Some(1));
    assert_eq!(sets["variants"][0]["case"]["sets"][1], "card.nic1.slot=s3");
    let variants = json(&[
        "whatif",
        BARCELONA,
        "--format",
        "json",
        "--variant",
        "both: link.*.part=ht3-x16; card.nic1.slot=s3",
        "--variant",
        "one: card.nic1.slot=s3",
    ]);
    let names: Vec<&str> = variants["variants"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|v| v["case"]["name"].as_str())
        .collect();
    assert_eq!(names, ["both", "one"]);
    assert_eq!(
        number(&variants, "/variants/0/case/throughput/ops_per_s"),
        number(&sets, "/variants/0/case/throughput/ops_per_s")
    );
}

/// The CSV has the figures of the JSON, base and variant in one row.
#[test]
fn a_what_if_as_csv_has_the_figures_of_its_json() {
    let arguments = [
        "whatif",
        "small.toml",
        "--set",
        "workload.read.threads_per_client=1",
        "--format",
    ];
    let of = |format| fine(&[&arguments[..], &[format]].concat()).stdout;
    let (table, document) = (of("csv"), of("json"));
    let document: Value = serde_json::from_str(&document).expect("valid JSON");
    let row = |subject: &str, metric: &str| -> Vec<f64> {
        let named = |line: &&str| {
            let cells: Vec<&str> = line.split(',').collect();
            (cells[1], cells[2], cells[4]) == ("variant", subject, metric)
        };
        let line = table
            .lines()
            .find(named)
            .unwrap_or_else(|| panic!("no {subject} {metric}"));
        line.split(',')
            .skip(5)
            .take(4)
            .map(|cell| cell.parse().unwrap_or(f64::NAN))
            .collect()
    };
    for metric in ["ops_per_s", "network_bytes_per_s", "latency_mean_s"] {
        let found = row("run", metric);
        let of = |field: &str| number(&document, &format!("/variants/0/difference/{metric}/{field}"));
        assert_eq!((found[0], found[1]), (of("before"), of("after")), "{metric}");
        assert_eq!(found[2], found[1] - found[0], "{metric}");
        assert_eq!(found[3], of("relative"), "{metric}");
    }
    let link = &document["variants"][0]["difference"]["links"][0];
    let found = row(link["id"].as_str().expect("an id"), "bytes_per_s");
    assert_eq!(found[0], number(link, "/bytes_per_s/before"));
}

/// A variant is what `run` finds with the same overrides, and the base what it finds without.
#[test]
fn a_what_if_agrees_with_two_runs() {
    let set = ["--set", "workload.read.threads_per_client=1"];
    for (what_if_mode, run_mode) in [(None, Some("--predict")), (Some("--simulate"), None)] {
        let what_if: Vec<&str> = ["whatif", "small.toml", "--format", "json"]
            .into_iter()
            .chain(set)
            .chain(what_if_mode)
            .collect();
        let what_if = json(&what_if);
        let base: Vec<&str> = ["run", "small.toml", "--format", "json"]
            .into_iter()
            .chain(run_mode)
            .collect();
        let variant: Vec<&str> = base.iter().copied().chain(set).collect();
        let (base, variant) = (json(&base), json(&variant));
        for pointer in ["/throughput/network_bytes_per_s", "/latency/mean_s"] {
            assert_eq!(
                number(&what_if, &format!("/base{pointer}")),
                number(&base, pointer)
            );
            assert_eq!(
                number(&what_if, &format!("/variants/0/case{pointer}")),
                number(&variant, pointer)
            );
        }
        assert_eq!(
            what_if["variants"][0]["case"]["input_hash"],
            variant["input_hash"]
        );
        assert_eq!(
            what_if["variants"][0]["case"]["bottleneck"],
            variant["bottleneck"]
        );
    }
}

#[test]
fn nothing_changed_differs_by_nothing() {
    let same = json(&["whatif", "small.toml", "--format", "json", "--variant", "same:"]);
    let difference = &same["variants"][0]["difference"];
    assert_eq!(same["variants"][0]["bottleneck_moved"], false);
    for pointer in [
        "/ops_per_s/relative",
        "/network_bytes_per_s/relative",
        "/latency_mean_s/relative",
    ] {
        assert_eq!(number(difference, pointer), 0.0, "{pointer}");
    }
    for link in difference["links"].as_array().expect("a list") {
        assert_eq!(link["bytes_per_s"]["before"], link["bytes_per_s"]["after"]);
    }
}

#[test]
fn what_ifs_hold_to_the_published_schema() {
    hold_to(
        include_str!("../docs/schema/whatif.json"),
        &[
            json(&["whatif", "small.toml", "--format", "json", "--variant", "same:"]),
            json(&[
                "whatif",
                "small.toml",
                "--format",
                "json",
                "--simulate",
                "--set",
                "run.seed=2",
            ]),
            json(&[
                "whatif",
                BARCELONA,
                "--format",
                "json",
                "--set",
                "card.nic1.slot=s3",
            ]),
        ],
    );
}

#[test]
fn a_what_if_that_asks_nothing_or_cannot_be_asked_is_refused() {
    for (arguments, words) in [
        (vec!["whatif", "small.toml"], "nothing to compare"),
        (
            vec![
                "whatif",
                "small.toml",
                "--variant",
                "a: run.seed=1",
                "--variant",
                "a: run.seed=2",
            ],
            "called `a`",
        ),
        (
            vec!["whatif", "small.toml", "--variant", "base: run.seed=1"],
            "called `base`",
        ),
        (vec!["whatif", "small.toml", "--set", "card.nic0.slot=s9"], "s9"),
        (
            vec![
                "whatif",
                "small.toml",
                "--base-set",
                "slot.s9.pcie=gen1 x8",
                "--set",
                "run.seed=2",
            ],
            "s9",
        ),
        (
            vec!["whatif", "no-such-file.toml", "--set", "run.seed=2"],
            "no-such-file",
        ),
    ] {
        let ended = run(&arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        assert_eq!(ended.stdout, "", "{arguments:?}");
        assert!(ended.stderr.contains(words), "{arguments:?}: {}", ended.stderr);
    }
}

/// Errors of all variants are told in one go.
#[test]
fn every_wrong_variant_is_told() {
    let ended = run([
        "whatif",
        "small.toml",
        "--variant",
        "a: card.nic0.slot=s7",
        "--variant",
        "b: card.nic0.slot=s8",
    ]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("s7") && ended.stderr.contains("s8"),
        "{}",
        ended.stderr
    );
}

// Ladder.

/// The story of the 7410: the HyperTransport 1 links first, then the gen1 slots, which the bridges keep gen1.
#[test]
fn the_ladder_of_barcelona_goes_from_links_to_slots() {
    for mode in [vec![], vec!["--unlimited"]] {
        let arguments: Vec<&str> = ["ladder", BARCELONA, "--format", "json"]
            .into_iter()
            .chain(mode)
            .collect();
        let ladder = json(&arguments);
        let kinds: Vec<&str> = ladder["rungs"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|rung| rung["bottleneck"]["kind"].as_str())
            .collect();
        assert_eq!(kinds[0], "hypertransport", "{kinds:?}");
        assert!(kinds.contains(&"pcie"), "{kinds:?}");
        assert!(number(&ladder, "/rungs/1/throughput_gain") > 0.05);
        assert_eq!(ladder["marginal_groups"][0]["kind"], "hypertransport");
        assert!(number(&ladder, "/marginal_groups/0/elasticity") > 0.9);
    }
    let text = fine(&["ladder", BARCELONA]).stdout;
    assert!(text.contains("would train to gen1 x8 all the same"), "{text}");
    assert!(text.contains("--set 'link.*.part=ht3-x16'"), "{text}");
}

/// The first rung is the bottleneck of the run, and without a limit on what is fast, the second is its next bottleneck.
#[test]
fn a_ladder_begins_like_a_run() {
    let run = json(&["run", "small.toml", "--predict", "--format", "json"]);
    let ladder = json(&["ladder", "small.toml", "--unlimited", "--format", "json"]);
    assert_eq!(ladder["rungs"][0]["bottleneck"], run["bottleneck"]);
    assert_eq!(ladder["rungs"][0]["throughput"], run["throughput"]);
    assert_eq!(
        ladder["rungs"][1]["bottleneck"]["id"],
        run["next_bottleneck"]["id"]
    );
}

/// Where a ladder tells a step as overrides, a run with those of all steps so far delivers what the next rung says: of
/// links, of disks, and of cards that move to a free slot. Links and processors stay of the kind that fits the board.
#[test]
fn the_overrides_of_a_ladder_do_what_it_says() {
    let mut changes = String::new();
    for name in [
        "7410-barcelona-cached-read",
        "7410-barcelona-disk-read-grouped",
        "7410-istanbul-disk-read-2-jbods",
    ] {
        let scenario = format!("../../scenarios/{name}.toml");
        let ladder = json(&["ladder", &scenario, "--format", "json"]);
        let rungs = ladder["rungs"].as_array().expect("a list");
        let mut run = vec!["run", &scenario, "--predict", "--format", "json"];
        for pair in rungs.windows(2) {
            let step = &pair[0]["step"];
            changes += step["change"].as_str().expect("a sentence");
            let sets = step["sets"].as_array().expect("a list");
            if sets.is_empty() {
                break;
            }
            for set in sets {
                run.extend(["--set", set.as_str().expect("an override")]);
            }
            // The expectations of the scenario are for the server as it is.
            let ended = end(program().args(&run));
            let result: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
            let (found, told) = (
                number(&result, "/throughput/ops_per_s"),
                number(&pair[1], "/throughput/ops_per_s"),
            );
            assert!(
                (found / told - 1.0).abs() < 1e-6,
                "{name}: {found} and {told} after {run:?}"
            );
        }
    }
    for word in ["becomes ht3-x16", "moves from slot", "becomes sas-146gb-10k"] {
        assert!(
            changes.contains(word),
            "no step is that something {word}: {changes}"
        );
    }
    assert!(!changes.contains("qpi") && !changes.contains("fsb"), "{changes}");
}

#[test]
fn ladders_hold_to_the_published_schema() {
    hold_to(
        include_str!("../docs/schema/ladder.json"),
        &[
            json(&["ladder", "small.toml", "--format", "json"]),
            json(&["ladder", "small.toml", "--format", "json", "--unlimited"]),
            json(&["ladder", BARCELONA, "--format", "json"]),
        ],
    );
}

// Both.

#[test]
fn no_line_is_wider_than_the_page() {
    for width in ["40", "80", "120"] {
        for arguments in [
            vec!["ladder", BARCELONA, "--width", width],
            vec!["ladder", BARCELONA, "--unlimited", "--width", width],
            vec![
                "whatif",
                BARCELONA,
                "--set",
                "card.nic1.slot=s3",
                "--width",
                width,
            ],
        ] {
            let columns: usize = width.parse().expect("a number");
            for line in fine(&arguments).stdout.lines() {
                assert!(line.chars().count() <= columns, "{arguments:?}: {line}");
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for arguments in [
        vec!["ladder", BARCELONA, "--format", "json"],
        vec![
            "whatif",
            "small.toml",
            "--format",
            "json",
            "--simulate",
            "--set",
            "run.seed=2",
            "--variant",
            "x: run.seed=3",
        ],
    ] {
        let with = |jobs: &'static str| {
            let all: Vec<&str> = ["--jobs", jobs]
                .into_iter()
                .chain(arguments.iter().copied())
                .collect();
            fine(&all).stdout
        };
        assert_eq!(with("1"), with("4"), "{arguments:?}");
    }
}

// Plot.

/// A result of the small scenario in a file.
fn result(folder: &Path) -> String {
    let path = folder.join("result.json").display().to_string();
    fine(&["run", "small.toml", "--format", "json", "--output", &path]);
    path
}

#[test]
fn a_picture_shows_the_resources_of_the_run() {
    let folder = folder("utilisation");
    let result = result(&folder);
    let svg = fine(&["plot", &result]).stdout;
    assert!(svg.starts_with("<svg"), "{svg}");
    for words in [
        "Small reads",
        "link.cpu1-cpu0",
        "slot.s0.out",
        "usable in practice",
    ] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn a_picture_shows_measured_against_predicted() {
    let folder = folder("measured");
    let result = result(&folder);
    let svg = fine(&["plot", &result, "--picture", "measured"]).stdout;
    for words in ["made-up", "network throughput", "±10 %"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn the_ending_says_the_format_and_the_bytes_are_the_same_each_time() {
    let folder = folder("formats");
    let result = result(&folder);
    for (name, magic) in [("picture.svg", &b"<svg"[..]), ("picture.png", &b"\x89PNG"[..])] {
        let path = folder.join(name);
        let arguments = ["plot", &result, "--output", &path.display().to_string()];
        fine(&arguments);
        let first = written(&path);
        assert!(first.starts_with(magic), "{name}");
        fine(&arguments);
        assert!(first == written(&path), "{name}");
    }
}

/// What a picture shows follows from what the result is of.
#[test]
fn every_kind_of_result_has_its_picture() {
    let folder = folder("kinds");
    let of = |name: &str| folder.join(name).display().to_string();
    let (csv, jsonl, journal) = (of("sizes.csv"), of("sizes.jsonl"), of("journal.jsonl"));
    fine(&[
        "sweep",
        "sweep-small.toml",
        "--quiet",
        "--journal",
        &journal,
        "--csv",
        &csv,
        "--jsonl",
        &jsonl,
    ]);
    let surface = fine(&["plot", &csv]).stdout;
    for text in ["sizes", "io size", "threads", "4.1 kB", "4 KiB"] {
        assert_eq!(surface.contains(text), text != "4.1 kB", "{text}");
    }
    assert_eq!(
        fine(&["plot", &jsonl]).stdout,
        surface,
        "rows are rows in either format"
    );
    let curves = fine(&["plot", &csv, "--picture", "curves", "--title", "By size"]).stdout;
    for text in ["By size", "PCIe", "broken lines"] {
        assert!(curves.contains(text), "{text}");
    }
    let latency = fine(&["plot", &csv, "--metric", "latency_mean_s"]).stdout;
    assert!(latency.contains("mean latency"));

    let validation = of("validation.json");
    write(
        Path::new(&validation),
        r#"{"points":[
            {"id":"ht1-stream","system":"Barcelona","scenario":"s","metric":"network_bytes_per_s","unit":"bytes/s",
             "measured":2e9,"predicted":2.1e9,"relative_error":0.05,"calibrated":true},
            {"id":"ht3-stream","system":"Istanbul","scenario":"s","metric":"network_bytes_per_s","unit":"bytes/s",
             "measured":3e9,"predicted":2.7e9,"relative_error":-0.1,"calibrated":false}],
            "links":[{"run":"HT1","link":"cpu0-cpu1","measured":2e9,"predicted":1e9,"relative_error":-0.5}],
            "summary":{}}"#,
    );
    let points = fine(&["plot", &validation]).stdout;
    assert!(points.contains("ht3-stream") && points.contains("±10 %"));
    let errors = fine(&["plot", &validation, "--picture", "errors"]).stdout;
    for text in [
        "Barcelona",
        "+5.0 %",
        "-10.0 %",
        "used in a fit",
        "median error 7.5 %",
    ] {
        assert!(errors.contains(text), "{text}");
    }
    let links = fine(&["plot", &validation, "--picture", "links"]).stdout;
    assert!(links.contains("1 GB/s for 2 GB/s, -50 %"));
    // What a result does not have cannot be drawn of it.
    for arguments in [
        ["plot", &csv, "--picture", "errors"],
        ["plot", &validation, "--picture", "surface"],
    ] {
        let ended = run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        assert!(ended.stderr.contains("has no picture"), "{}", ended.stderr);
    }
}

/// A timeline only reads: every other figure is the same with it and without. Over all of its stretches each resource is
/// used as over the run, which after its warm-up is what the result tells.
#[test]
fn a_timeline_tells_the_use_over_time_and_changes_nothing() {
    let run = ["run", "small.toml", "--format", "json"];
    let without = json(&run);
    let mut with = json(&[&run[..], &["--timeline", "40"]].concat());
    let timeline = with
        .as_object_mut()
        .expect("an object")
        .remove("timeline")
        .expect("a timeline");
    assert_eq!(with, without);

    let stretches = timeline["stretches"].as_array().expect("a list");
    assert!((30..=41).contains(&stretches.len()), "{}", stretches.len());
    let ends = |stretch: &Value| (number(stretch, "/start_s"), number(stretch, "/end_s"));
    assert!(
        stretches
            .windows(2)
            .all(|pair| ends(&pair[0]).1 == ends(&pair[1]).0)
    );
    let warm_up = number(&timeline, "/warm_up_s");
    let resources = with["resources"].as_array().expect("a list");
    for (index, resource) in resources.iter().enumerate() {
        let (mut used, mut seconds) = (0.0, 0.0);
        for stretch in stretches {
            let (start, end) = ends(stretch);
            let utilisation = number(stretch, &format!("/utilisation/{index}"));
            assert!(
                (-1e-9..=1.0 + 1e-6).contains(&utilisation),
                "{resource}: {utilisation}"
            );
            // The stretch in which measuring begins counts by the part of it that is measured.
            let measured = (end - start.max(warm_up)).max(0.0);
            used += utilisation * measured;
            seconds += measured;
        }
        let (found, told) = (used / seconds, number(resource, "/utilisation"));
        assert!(
            (found - told).abs() <= 0.01,
            "{}: {found} and {told}",
            resource["id"]
        );
    }

    let folder = folder("timeline");
    let path = folder.join("run.json").display().to_string();
    fine(&[&run[..], &["--timeline", "--output", &path]].concat());
    let svg = fine(&["plot", &path]).stdout;
    for text in ["simulated time", "utilisation", "100 %"] {
        assert!(svg.contains(text), "{text}");
    }
    let ended = end(program().args(["plot", &result(&folder), "--picture", "timeline"]));
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("run --timeline"), "{}", ended.stderr);
}

#[test]
fn a_result_can_come_from_stdin() {
    let result = fine(&["run", "small.toml", "--predict", "--format", "json"]).stdout;
    let mut child = program()
        .args(["plot", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program was built for this test");
    let mut stdin = child.stdin.take().expect("it has a stdin");
    stdin.write_all(result.as_bytes()).expect("it reads all of it");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"<svg"));
}

#[test]
fn what_is_no_result_has_no_picture() {
    let folder = folder("refused");
    let result = result(&folder);
    let newer = String::from_utf8(written(Path::new(&result)))
        .expect("text")
        .replacen("\"schema\": 1", "\"schema\": 99", 1);
    let mut child = program()
        .args(["plot", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program was built for this test");
    let mut stdin = child.stdin.take().expect("it has a stdin");
    stdin.write_all(newer.as_bytes()).expect("it reads all of it");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("version 99"));
    let jpg = folder.join("picture.jpg").display().to_string();
    for arguments in [
        vec!["plot", "no-such-file.json"],
        vec!["plot", "small.toml"],
        vec!["plot", "."],
        vec!["plot", &result, "--output", &jpg],
        vec!["plot", &result, "--format", "png"],
    ] {
        let ended = end(program().args(&arguments));
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        assert!(!ended.stderr.is_empty(), "{arguments:?}");
    }
    assert!(!Path::new(&jpg).exists());
}
