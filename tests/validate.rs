//! Validation as people and scripts meet it.

mod program;
mod scratch;

use bandgraph_testkit::{write, written};
use program::{Ended, run};
use serde_json::Value;
use std::path::Path;

fn validate(arguments: &[&str]) -> Ended {
    run(["validate"].iter().chain(arguments))
}

fn document(arguments: &[&str]) -> Value {
    let json: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&validate(&json).stdout).expect("valid JSON")
}

fn list<'d>(document: &'d Value, name: &str) -> &'d [Value] {
    document[name].as_array().expect("a list")
}

fn point<'d>(document: &'d Value, id: &str) -> &'d Value {
    let found = list(document, "points").iter().find(|point| point["id"] == id);
    found.unwrap_or_else(|| panic!("there is a point {id}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

/// The prediction of `run` for the same file.
fn run_document(path: &str, more: &[&str]) -> Value {
    let ended = run(["run", path, "--format", "json"].iter().chain(more));
    serde_json::from_str(&ended.stdout).expect("valid JSON")
}

#[test]
fn points_are_what_run_predicts() {
    let found = document(&["validate/reads.toml"]);
    let run = run_document("validate/reads.toml", &["--predict"]);
    let link = run["resources"].as_array().expect("a list").iter();
    let link = link
        .clone()
        .find(|resource| resource["id"] == "link.cpu0-cpu1")
        .expect("the link is there");
    for (id, unit, predicted) in [
        ("made-up", "bytes/s", &run["throughput"]["network_bytes_per_s"]),
        ("busy-link", "1", &link["utilisation"]),
        ("link-bytes", "bytes/s", &link["rate"]),
        ("some-operations", "ops/s", &run["throughput"]["ops_per_s"]),
    ] {
        let point = point(&found, id);
        assert_eq!(point["predicted"], *predicted, "{id}");
        assert_eq!(point["unit"], unit, "{id}");
        assert_eq!(point["system"], "small");
        assert_eq!(point["scenario"], "Reads to be validated");
        let error = number(predicted) / number(&point["measured"]) - 1.0;
        assert!((number(&point["relative_error"]) - error).abs() < 1e-12, "{id}");
    }
    assert_eq!(point(&found, "busy-link")["calibrated"], true);
    assert_eq!(point(&found, "made-up")["calibrated"], false);
    // It says what each scenario was made from, in every format.
    let origin = &found["scenarios"][0];
    assert_eq!(origin["input_hash"], run["input_hash"]);
    assert_eq!(origin["software"], run["software"]);
    let hash = run["input_hash"].as_str().expect("a text");
    let said = |format: &str| validate(&["validate/reads.toml", "--format", format]).stdout;
    let header = "mode,overrides,bandgraph,seed,software_profile,software_is_default,input_hash";
    let csv = said("csv");
    assert!(csv.contains(header), "{csv}");
    assert!(csv.contains(&format!(",1,fishworks-2009,true,{hash}")), "{csv}");
    for format in ["text", "markdown", "html"] {
        let said = said(format);
        for words in [
            "Software: fishworks-2009 (the default, ",
            "seed 1, validate/reads.toml, input ",
        ] {
            let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(words), "{format}: {words}: {flat}");
        }
    }
    // A bound that is kept has an error, and no deviation.
    let bound = point(&found, "some-operations");
    assert!(number(&bound["relative_error"]) > 1.0);
    assert_eq!(number(&bound["deviation"]), 0.0);
    assert_eq!(found["summary"]["kept_bounds"], 1);
    assert_eq!(found["summary"]["all"]["points"], 3);
    assert_eq!(found["summary"]["unseen"]["points"], 2);
}

#[test]
fn links_and_bottlenecks_are_compared() {
    let found = document(&["validate/reads.toml"]);
    let links = list(&found, "links");
    assert_eq!(links.len(), 3);
    for link in links {
        assert_eq!(link["run"], "small-run");
        let error = number(&link["predicted"]) / number(&link["measured"]) - 1.0;
        assert!((number(&link["relative_error"]) - error).abs() < 1e-12);
    }
    let run = &found["summary"]["links"][0];
    assert_eq!(run["links"], 2, "a bridge joins no two sockets");
    let errors: Vec<f64> = links[..2]
        .iter()
        .map(|link| number(&link["relative_error"]).abs())
        .collect();
    assert!((number(&run["mean"]) - f64::midpoint(errors[0], errors[1])).abs() < 1e-12);
    assert_eq!(run["hottest_measured"], "link.cpu0-cpu1");
    let bottleneck = &found["bottlenecks"][0];
    assert_eq!(bottleneck["ok"], true, "{bottleneck}");
    let other = document(&["validate/reads.toml", "--set", "bottleneck.kind=pcie"]);
    assert_eq!(other["bottlenecks"][0]["ok"], false);
    assert_eq!(other["summary"]["ok"], false);
}

/// A ratio is of two scenarios, and what no steady state tells is simulated.
#[test]
fn ratios_and_percentiles_have_predictions() {
    let found = document(&["validate/one-thread.toml"]);
    let one = run_document("validate/one-thread.toml", &[]);
    // The percentile has this scenario simulated; the other is predicted.
    let four = run_document("validate/reads.toml", &["--predict"]);
    let ratio = number(&one["throughput"]["ops_per_s"]) / number(&four["throughput"]["ops_per_s"]);
    let point_of_ratio = point(&found, "made-up");
    assert!((number(&point_of_ratio["predicted"]) - ratio).abs() < 1e-12);
    assert_eq!(point_of_ratio["unit"], "1");
    assert_eq!(point(&found, "slowest")["predicted"], one["latency"]["p99_s"]);
}

#[test]
fn a_point_outside_its_tolerance_fails_the_gate() {
    assert_eq!(validate(&["validate"]).code, Some(0));
    let outside = ["validate/reads.toml", "--set", "measured.made-up.value=4 GiB/s"];
    let ended = validate(&outside);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stdout.contains("OUTSIDE"), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("1 of 4 points is outside its tolerance"),
        "{}",
        ended.stdout
    );
    let found = document(&outside);
    assert_eq!(found["summary"]["outside"], serde_json::json!(["made-up"]));
}

#[test]
fn formats_tell_the_same_and_threads_do_not_show() {
    for format in ["text", "json", "csv", "markdown"] {
        let alone = validate(&["validate", "--format", format, "--jobs", "1"]);
        let together = validate(&["validate", "--format", format, "--jobs", "4"]);
        assert_eq!(alone.code, Some(0), "{}", alone.stderr);
        assert!(alone.stdout == together.stdout, "{format} differs");
        for id in ["made-up", "busy-link", "slowest", "link.cpu1-cpu0"] {
            assert!(alone.stdout.contains(id), "{id} is missing in {format}");
        }
    }
    let csv = validate(&["validate", "--format", "csv"]).stdout;
    let found = document(&["validate"]);
    assert_eq!(
        csv.lines().count(),
        1 + list(&found, "points").len() + list(&found, "links").len()
    );
}

#[test]
fn text_keeps_to_its_page() {
    for width in [60, 80, 120] {
        let text = validate(&["../../scenarios/7410-istanbul", "--width", &width.to_string()]).stdout;
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

/// Of many points people read the largest errors; pages have all.
#[test]
fn many_points_are_summed_up() {
    let nastran = "../../scenarios/x2270";
    let text = validate(&[nastran]).stdout;
    let rows = text.lines().filter(|line| line.contains("nastran-")).count();
    assert!(text.contains("Largest errors"), "{text}");
    assert!((10..20).contains(&rows), "{text}");
    let page = validate(&[nastran, "--format", "html"]).stdout;
    let found = document(&[nastran]);
    for point in list(&found, "points") {
        let id = point["id"].as_str().expect("an id");
        assert!(page.contains(&format!(">{id}</th>")), "{id}");
    }
}

#[test]
fn results_hold_to_the_published_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../docs/schema/validate.json")).expect("valid JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for path in ["validate", "../../scenarios/7410-istanbul"] {
        let document = document(&[path]);
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn nothing_to_validate_is_said() {
    let ended = validate(&["validate/nowhere"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("file::missing"), "{}", ended.stderr);
    let ended = validate(&["../../topologies"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("says what was measured"),
        "{}",
        ended.stderr
    );
}

// Calibration.

fn calibrate(arguments: &[&str]) -> Ended {
    run(["calibrate", "calibrate/small.toml"].iter().chain(arguments))
}

#[test]
fn a_calibration_predicts_what_it_has_not_seen_and_holds_to_its_schema() {
    let ended = calibrate(&[
        "--fit-on",
        "small",
        "--leave-one-out",
        "system",
        "--format",
        "json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let found: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
    let schema: Value =
        serde_json::from_str(include_str!("../docs/schema/calibrate.json")).expect("valid JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<String> = validator
        .iter_errors(&found)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    let fit = &found["fit"];
    assert_eq!(fit["fitted_to"], serde_json::json!(["small"]));
    let parameter = &fit["parameters"][0];
    let value = number(&parameter["value"]);
    assert!((number(&parameter["low"])..=number(&parameter["high"])).contains(&value));
    // What the fit says of its points is what `validate` says with the fitted figure.
    let set = format!("stack.misses_per_byte={value}");
    let validated = document(&["validate/reads.toml", "--set", &set]);
    for fitted in list(fit, "points").iter().filter(|point| point["seen"] == true) {
        let id = fitted["id"].as_str().expect("an id");
        let again = number(&point(&validated, id)["predicted"]);
        assert!((number(&fitted["after"]) / again - 1.0).abs() < 1e-9, "{id}");
    }
    let left_out: Vec<&str> = list(&found, "left_out")
        .iter()
        .filter_map(|fit| fit["without"].as_str())
        .collect();
    assert_eq!(left_out, ["small", "another"]);
}

#[test]
fn what_is_learned_of_a_machine_has_the_formats_of_results() {
    // Two of the measurements of the example, which leave a figure better known.
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/calibrate");
    let text = String::from_utf8(written(&example.join("loads.toml"))).expect("UTF-8");
    let cases: Vec<&str> = text.split("[[case]]\n").collect();
    let server = example.join("server.toml").display().to_string();
    let few = [&cases[0].replace("server.toml", &server), cases[1], cases[5]].join("[[case]]\n");
    let file = write(&scratch::folder("validate", "own").join("few.toml"), &few);
    let file = file.display().to_string();
    let own = |format| {
        let ended = run(["calibrate", &file, "--own", "--format", format, "--allow-outside"].iter());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stdout
    };
    let found: Value = serde_json::from_str(&own("json")).expect("valid JSON");
    let figures = list(&found, "figures");
    assert!(!figures.is_empty());
    let csv = own("csv");
    for figure in figures {
        for when in ["before", "after"] {
            let [low, value, high] = ["low", "value", "high"].map(|end| number(&figure[when][end]));
            assert!(low <= value && value <= high, "{figure}");
            let row = format!(",{when}_value,{value},");
            assert!(csv.contains(&row), "{row} is missing in {csv}");
        }
    }
}

#[test]
fn a_fitted_profile_can_be_included() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("validate");
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let profile = folder.join("fitted.toml");
    let ended = calibrate(&["--profile", &profile.display().to_string(), "--width", "60"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for line in ended.stdout.lines() {
        assert!(line.chars().count() <= 60, "{line}");
    }
    let scenario = program::fixtures().join("small.toml");
    let text = format!(
        "schema = 1\ninclude = [{:?}, {:?}]\nname = \"with what was fitted\"\n",
        scenario.display().to_string(),
        profile.display().to_string()
    );
    let with_profile = folder.join("with-profile.toml");
    write(&with_profile, &text);
    let fitted = run_document(&with_profile.display().to_string(), &["--predict"]);
    let before = run_document("small.toml", &["--predict"]);
    assert_ne!(
        fitted["throughput"]["ops_per_s"],
        before["throughput"]["ops_per_s"]
    );
}

#[test]
fn a_system_without_data_is_refused() {
    let ended = calibrate(&["--fit-on", "elsewhere"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("`elsewhere`") && ended.stderr.contains("`small`"),
        "{}",
        ended.stderr
    );
}

/// One set of figures for each kind of run, as near to the counters of HyperTransport as is asked of the
/// model.
#[test]
fn links_of_the_7410_are_as_near_to_their_counters_as_asked() {
    // The bridges with InfiniBand are the one thing that misses the 8 % asked for: one slot is full before it
    // carries what its port did, and with it its bridge.
    for (run, sockets, to_bridges, rate, served_within) in [
        ("7410-barcelona", 0.12, 0.08, 935.0, 1e-3),
        ("7410-istanbul", 0.12, 0.08, 799.0 + 936.0, 1e-3),
        ("7410-infiniband", 0.12, 0.091, 11274.0 + 11872.0, 0.02),
    ] {
        let path = format!("../../scenarios/{run}/counters.toml");
        let found = document(&[&path]);
        let of_run = &list(&found["summary"], "links")[0];
        assert!(number(&of_run["mean"]) <= sockets, "{of_run}");
        assert_eq!(of_run["hottest_measured"], of_run["hottest_predicted"]);
        let links = list(&found, "links");
        assert!(links.iter().all(|link| link["calibrated"] == true), "{run}");
        let bridges = links.iter().filter(|link| link["between_sockets"] == false);
        let errors: Vec<f64> = bridges
            .map(|link| number(&link["relative_error"]).abs())
            .collect();
        assert_eq!(errors.len(), 2);
        assert!(
            errors.iter().sum::<f64>() / 2.0 <= to_bridges,
            "{run}: {errors:?}"
        );
        // Not by serving less than the run did.
        let served = number(&run_document(&path, &["--predict"])["throughput"]["ops_per_s"]);
        assert!((served / rate - 1.0).abs() < served_within, "{run}: {served}");
    }
}

/// One rule of placement for all three runs of the counters: every mean error is at most 12 %, and the
/// hottest link is the one that was measured to be. What the scenarios say of memory and lines missed is what
/// the calibration beside them finds, beginning where all sockets are alike.
#[test]
fn one_rule_of_placement_explains_the_counters_of_three_runs() {
    let ended = run([
        "calibrate",
        "../../scenarios/calibrations/counters.toml",
        "--format",
        "json",
    ]);
    let fit: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
    let fit = &fit["fit"];
    assert_eq!(list(fit, "parameters").len(), 3);
    let mut points = list(fit, "points").iter();
    for run in ["7410-barcelona", "7410-istanbul", "7410-infiniband"] {
        let found = document(&[&format!("../../scenarios/{run}/counters.toml")]);
        let (mut errors, mut most) = (Vec::new(), [(0.0, String::new()), (0.0, String::new())]);
        for link in list(&found, "links") {
            let (measured, predicted) = (number(&link["measured"]), number(&link["predicted"]));
            let fitted = points.next().expect("every link is fitted to");
            let difference = number(&fitted["after"]) / predicted - 1.0;
            assert!(difference.abs() < 0.01, "{run}: {fitted} and {link}");
            let id = link["link"].as_str().expect("an id");
            if id.starts_with("link.") {
                errors.push((predicted / measured - 1.0).abs());
                for (most, rate) in most.iter_mut().zip([measured, predicted]) {
                    if rate > most.0 {
                        *most = (rate, id.to_owned());
                    }
                }
            }
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        assert!(mean <= 0.12, "{run}: {mean}");
        assert_eq!(most[0].1, most[1].1, "{run}");
    }
}
