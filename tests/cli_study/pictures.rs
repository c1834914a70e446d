//! `plot`: every kind of result has its picture, and what is no result is refused.

use std::path::Path;

use serde_json::{Value, json};

use super::program::{program, run};
use super::{BARCELONA, fine, folder, json, number, write};
use bandgraph_testkit::written;

/// A result of the small scenario in a file.
pub(super) fn result(folder: &Path) -> String {
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
    let origin = format!(
        "small.toml, software fishworks-2009 (the default), bandgraph {}",
        env!("CARGO_PKG_VERSION")
    );
    for words in ["Small reads", "link.cpu1-cpu0", "slot.s0.out", "100.0 %", &origin] {
        assert!(svg.contains(words), "{words}");
    }
}

/// The first files of someone new are answered, not overwritten, and found by `run`.
#[test]
fn a_start_is_written_and_answered() {
    let folder = folder("init");
    let path = folder.display().to_string();
    let started = fine(&["init", &path, "--force", "--nics", "1x25g", "--nvme", "8"]);
    assert!(started.stdout.contains("Bottleneck"), "{}", started.stdout);
    let again = run(["init", &path]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
    let found = program()
        .current_dir(&folder)
        .args(["run", "--predict", "--no-interval"])
        .run();
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    // What an operation uses of equal drives is their sum: half of 1 MiB.
    let scenario = folder.join("scenario.toml").display().to_string();
    let read = fine(&["topology", "draw", &scenario, "--trace", "read"]).stdout;
    assert!(
        read.contains(">4 x nvme*</text>") && read.contains("with their sum"),
        "{read}"
    );
    assert!(read.contains(">524 kB</text>"), "{read}");
    assert!(!read.contains(">4 x 5"), "{read}");
    // More drives than there are lanes are refused before anything is written.
    let full = folder.join("full").display().to_string();
    let refused = run(["init", &full, "--nvme", "64"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--nvme 32"), "{}", refused.stderr);
    assert!(!Path::new(&full).exists());
    // All commands that take a scenario find the only one of the folder.
    assert!(found.stderr.contains("the only scenario of this folder"));
    for arguments in [
        &["whatif", "--set", "workload.read.io_size=64 KiB", "--no-interval"][..],
        &["ladder", "--no-interval"],
        &["figures", "--draws", "20"],
        &["check"],
        &["place", "--limit", "1", "--confirm", "0", "--no-interval"],
        &["topology", "show"],
        &["topology", "draw", "--trace", "read"],
    ] {
        let found = program().current_dir(&folder).args(arguments).run();
        assert_eq!(found.code, Some(0), "{arguments:?}: {}", found.stderr);
        assert!(
            found.stderr.contains("the only scenario"),
            "{arguments:?}: {}",
            found.stderr
        );
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
    // With the interval of the prediction, if there is one.
    assert!(svg.contains("line: 90 % interval of the prediction"), "{svg}");
    let plain = folder.join("plain.json").display().to_string();
    fine(&[
        "run",
        "small.toml",
        "--no-interval",
        "--format",
        "json",
        "--output",
        &plain,
    ]);
    let plain = fine(&["plot", &plain, "--picture", "measured"]).stdout;
    let lines = |svg: &str| svg.matches("<polyline").count();
    assert!(lines(&svg) > lines(&plain));
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
    let parquet = of("sizes.parquet");
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
        "--parquet",
        &parquet,
    ]);
    let surface = fine(&["plot", &csv]).stdout;
    for text in ["sizes", "io_size", "threads", "4.1 kB", "4 KiB"] {
        assert_eq!(surface.contains(text), text != "4.1 kB", "{text}");
    }
    for other in [&jsonl, &parquet] {
        let same = fine(&["plot", other]).stdout;
        assert_eq!(same, surface, "rows are rows in any format: {other}");
    }
    let curves = fine(&["plot", &csv, "--picture", "curves", "--title", "By size"]).stdout;
    for text in ["By size", "PCIe", "broken lines"] {
        assert!(curves.contains(text), "{text}");
    }
    let latency = fine(&["plot", &csv, "--metric", "latency_mean_s"]).stdout;
    assert!(latency.contains("mean latency"));

    let validation = of("validation.json");
    write_validation(
        Path::new(&validation),
        &json!([
            {"id": "ht1-stream", "system": "Barcelona",
             "measured": 2e9, "predicted": 2.1e9, "relative_error": 0.05, "calibrated": true},
            {"id": "ht3-stream", "system": "Istanbul",
             "measured": 3e9, "predicted": 2.7e9, "relative_error": -0.1}]),
        &json!([{"link": "cpu0-cpu1", "measured": 2e9, "predicted": 1e9, "relative_error": -0.5}]),
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
    assert!(links.contains("1 GB/s for 2 GB/s, -50.0 %"));
    let server = of("server.json");
    fine(&[
        "topology",
        "show",
        "small-server.toml",
        "--format",
        "json",
        "--output",
        &server,
    ]);
    let drawn = fine(&["topology", "draw", "small-server.toml"]).stdout;
    assert_eq!(
        fine(&["plot", &server]).stdout,
        drawn,
        "a topology is drawn from its file or its document"
    );
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

/// Writes the result of a validation with points and links of which only some fields are given.
fn write_validation(path: &Path, points: &Value, links: &Value) {
    let filled = |rows: &Value, defaults: &Value| -> Vec<Value> {
        let rows = rows.as_array().expect("a list").iter();
        let fill = |row: &Value| {
            let mut filled = defaults.clone();
            let fields = row.as_object().expect("an object").clone();
            filled.as_object_mut().expect("an object").extend(fields);
            filled
        };
        rows.map(fill).collect()
    };
    let point = json!({
        "scenario": "s", "file": "s.toml", "metric": "network_bytes_per_s", "unit": "bytes/s",
        "measured_text": "", "statistic": "average", "tolerance": 0.1, "within": true, "calibrated": false,
        "source": "",
    });
    let link = json!({
        "run": "HT1", "system": "7410", "scenario": "s", "between_sockets": true, "calibrated": false,
        "source": "",
    });
    let none = json!({"points": 0});
    let document = json!({
        "schema": 1, "bandgraph": "0.1.0", "points": filled(points, &point), "links": filled(links, &link),
        "bottlenecks": [],
        "summary": {
            "ok": true, "all": none, "unseen": none, "unseen_by_system": none, "beside_null_model": none,
            "null_model": none, "kept_bounds": 0, "outside": [], "by_system": [], "by_metric": [], "links": [],
        },
    });
    write(path, &document.to_string());
}

/// Studies show what each of their cases delivers, beside what there is now.
#[test]
fn studies_have_pictures() {
    let folder = folder("studies");
    let of = |name: &str| folder.join(name).display().to_string();
    let picture = |arguments: &[&str], name: &str| {
        let path = of(name);
        fine(&[arguments, &["--format", "json", "--output", &path]].concat());
        fine(&["plot", &path]).stdout
    };
    let what_if = picture(
        &["whatif", BARCELONA, "--variant", "all HT3: link.*.part=ht3-x16"],
        "whatif.json",
    );
    let ladder = picture(&["ladder", BARCELONA], "ladder.json");
    let place = picture(
        &["place", BARCELONA, "--limit", "20", "--confirm", "0", "--quiet"],
        "place.json",
    );
    for (svg, texts) in [
        (
            &what_if,
            [
                "all HT3",
                "PCIe: slot.s1.out",
                "90 % interval",
                "software fishworks-2009",
            ],
        ),
        (
            &ladder,
            [
                "1. now",
                "HyperTransport: link.cpu0-cpu1",
                "nothing in the catalogue",
                "90 % interval of the gain over the bar above",
            ],
        ),
        (
            &place,
            [
                "as today",
                "the best first",
                "network throughput",
                "90 % interval of the gain over today",
            ],
        ),
    ] {
        for text in texts {
            assert!(svg.contains(text), "{text}");
        }
    }
    let operations = fine(&["plot", &of("ladder.json"), "--metric", "ops_per_s"]).stdout;
    assert!(operations.contains("operations"));
    let refused = run(["plot", &of("ladder.json"), "--metric", "cpi"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("ops_per_s"), "{}", refused.stderr);
    let refused = run(["plot", &of("place.json"), "--picture", "errors"]);
    assert!(
        refused.stderr.contains("placements has no picture"),
        "{}",
        refused.stderr
    );
}

/// A calibration shows its parameters by default, and its figures if asked to.
#[test]
fn a_calibration_has_pictures() {
    let folder = folder("calibration");
    let path = folder.join("fit.json").display().to_string();
    let file = "../../scenarios/calibrations/counters.toml";
    fine(&[
        "calibrate",
        file,
        "--quiet",
        "--format",
        "json",
        "--output",
        &path,
    ]);
    let parameters = fine(&["plot", &path]).stdout;
    for text in ["95 % interval of the fit", "allowed range"] {
        assert!(parameters.contains(text), "{text}");
    }
    assert!(
        fine(&["plot", &path, "--picture", "errors"])
            .stdout
            .contains("used in a fit")
    );
    assert!(
        fine(&["plot", &path, "--picture", "measured"])
            .stdout
            .contains("hollow")
    );
}

/// Of a validation, figures that were fitted are told from those that were not, and a bound that is kept has
/// no error.
#[test]
fn a_picture_tells_fitted_figures_and_kept_bounds() {
    let folder = folder("fitted");
    let validation = folder.join("validation.json");
    write_validation(
        &validation,
        &json!([
            {"id": "peak", "system": "grid", "statistic": "lower bound",
             "measured": 9e8, "predicted": 1e9, "relative_error": 0.11, "deviation": 0.0},
            {"id": "none", "system": "grid", "measured": 0.0, "predicted": 1e9}]),
        &json!([
            {"link": "cpu0-cpu1", "measured": 2e9, "predicted": 2e9, "relative_error": 0.0,
             "calibrated": true},
            {"link": "cpu1-cpu0", "measured": 2e9}]),
    );
    let validation = validation.display().to_string();
    let errors = fine(&["plot", &validation, "--picture", "errors"]).stdout;
    assert!(errors.contains("bound kept   1 GB/s for ≥ 900 MB/s"), "{errors}");
    let points = fine(&["plot", &validation]).stdout;
    assert!(points.contains("one more is zero and not shown"), "{points}");
    let links = fine(&["plot", &validation, "--picture", "links"]).stdout;
    for text in ["fitted to the counters", "2 GB/s for 2 GB/s, +0.0 %"] {
        assert!(links.contains(text), "{text}");
    }
    assert!(
        !links.contains("link.cpu1-cpu0") && !links.contains("cpu1-cpu0"),
        "it has no prediction"
    );
}

/// A timeline only reads: every other figure is the same with it and without. Over all of its stretches each
/// resource is used as over the run, which after its warm-up is what the result tells.
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
    for text in ["simulated time", "used of usable capacity", "100 %"] {
        assert!(svg.contains(text), "{text}");
    }
    let ended = program()
        .args(["plot", &result(&folder), "--picture", "timeline"])
        .run();
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("run --timeline"), "{}", ended.stderr);
}

/// A pipe has no size; what is no result says why.
#[cfg(unix)]
#[test]
fn results_to_compare_can_come_from_pipes() {
    let scenario = "../../scenarios/7410-istanbul/disk-read.toml";
    let beyond = "workload.*.working_set=150 TB";
    let result = run(["run", scenario, "--predict", "--set", beyond, "--format", "json"]).stdout;
    assert!(
        result.contains("has no room on its disks, which hold 96 TB"),
        "{result}"
    );
    let piped = |text: String| {
        let ended = program()
            .args(["compare", "/dev/stdin", "small.toml"])
            .stdin(text)
            .run();
        ended.stderr
    };
    let said = piped(result);
    assert!(
        said.contains("small.toml is no result that can be compared: it is not JSON"),
        "{said}"
    );
    let said = piped(" \n".to_owned());
    assert!(
        said.contains("/dev/stdin is no result that can be compared: it is empty"),
        "{said}"
    );
}

#[test]
fn a_result_can_come_from_stdin() {
    let result = fine(&["run", "small.toml", "--predict", "--format", "json"]).stdout;
    let ended = program().args(["plot", "-"]).stdin(result).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.starts_with("<svg"));
}

#[test]
fn what_is_no_result_has_no_picture() {
    let folder = folder("refused");
    let result = result(&folder);
    let newer = String::from_utf8(written(Path::new(&result)))
        .expect("text")
        .replacen("\"schema\": 1", "\"schema\": 99", 1);
    let ended = program().args(["plot", "-"]).stdin(newer).run();
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("version 99"), "{}", ended.stderr);
    let jpg = folder.join("picture.jpg").display().to_string();
    let server = folder.join("server.json").display().to_string();
    fine(&["stacks", "list", "--format", "json", "--output", &server]);
    let ended = run(["plot", &server]);
    assert!(
        ended.stderr.contains("`run`, `whatif`, `ladder`"),
        "{}",
        ended.stderr
    );
    for arguments in [
        vec!["plot", &server],
        vec!["plot", "no-such-file.json"],
        vec!["plot", "small.toml"],
        vec!["plot", "."],
        vec!["plot", &result, "--output", &jpg],
        vec!["plot", &result, "--format", "png"],
    ] {
        let ended = program().args(&arguments).run();
        assert_eq!(ended.code, Some(2), "{arguments:?}");
        assert!(!ended.stderr.is_empty(), "{arguments:?}");
    }
    assert!(!Path::new(&jpg).exists());
}
