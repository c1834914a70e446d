//! The JSON and the CSV of a run: every promised field, the schema, and numbers that survive the trip.

mod sample;

use bandgraph_report::{CSV_COLUMNS, RunDocument, RunReport, SCHEMAS, check, figures};
use bandgraph_units::Time;
use serde_json::Value;

fn run_json(report: &RunReport) -> String {
    bandgraph_report::json(&RunDocument::new(report))
}

fn run_csv(report: &RunReport) -> String {
    let document = check(&RunDocument::new(report));
    document.expect("finite numbers").csv()
}

fn json(report: &RunReport) -> Value {
    serde_json::from_str(&run_json(report)).expect("valid JSON")
}

fn run_schema() -> Value {
    let (schema, ..) = SCHEMAS
        .iter()
        .find(|(_, name, _)| *name == "run")
        .expect("runs have a schema");
    schema()
}

#[test]
fn holds_to_its_schema() {
    let validator = jsonschema::validator_for(&run_schema()).expect("a valid schema");
    for report in [sample::simulated(), sample::predicted()] {
        let document = json(&report);
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn the_schema_refuses_what_is_not_a_run() {
    let validator = jsonschema::validator_for(&run_schema()).expect("a valid schema");
    let mut document = json(&sample::simulated());
    document["throughput"]["ops_per_s"] = Value::from("many");
    assert!(!validator.is_valid(&document));
    let mut document = json(&sample::simulated());
    document.as_object_mut().expect("an object").remove("bottleneck");
    assert!(!validator.is_valid(&document));
}

#[test]
fn the_schema_explains_every_field() {
    fn undescribed(path: &str, schema: &Value, found: &mut Vec<String>) {
        if let Some(properties) = schema["properties"].as_object() {
            for (name, property) in properties {
                if property["description"].as_str().is_none_or(str::is_empty) {
                    found.push(format!("{path}.{name}"));
                }
            }
        }
    }
    let schema = run_schema();
    let mut found = Vec::new();
    undescribed("run", &schema, &mut found);
    for (name, definition) in schema["$defs"].as_object().expect("definitions") {
        undescribed(name, definition, &mut found);
    }
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_run_without_completed_operations_has_no_latency() {
    let mut report = sample::simulated();
    let percentiles = report.outcome.latency.percentiles.as_mut();
    percentiles.expect("a simulation has them").samples = 0;
    let document = json(&report);
    let latency = &document["latency"];
    for field in ["mean_s", "p50_s", "p95_s", "p99_s", "max_s"] {
        assert!(latency[field].is_null(), "{latency}");
    }
    assert_eq!(latency["samples"], 0);
}

/// The fields of the design that programs rely on, written out by hand: a rename fails here.
#[test]
fn has_every_field_that_programs_rely_on() {
    let document = json(&sample::simulated());
    for (pointer, expected) in [
        ("/schema", Value::from(1)),
        ("/bandgraph", Value::from(env!("CARGO_PKG_VERSION"))),
        ("/scenario", Value::from("Cached reads over one card")),
        ("/seed", Value::from(7)),
        ("/mode", Value::from("simulate")),
        ("/throughput/ops_per_s", Value::from(2_100.0)),
        ("/throughput/payload_bytes_per_s", Value::from(2.1e9)),
        ("/throughput/network_bytes_per_s", Value::from(2.2e9)),
        ("/throughput/disk_bytes_per_s", Value::from(0.0)),
        ("/latency/mean_s", Value::from(0.095)),
        ("/latency/p50_s", Value::from(0.09)),
        ("/latency/p95_s", Value::from(0.14)),
        ("/latency/p99_s", Value::from(0.155)),
        ("/latency/max_s", Value::from(0.21)),
        ("/bottleneck/id", Value::from("link.cpu0-cpu1")),
        ("/bottleneck/kind", Value::from("socket-link")),
        ("/bottleneck/utilisation", Value::from(0.87)),
        ("/next_bottleneck/id", Value::from("slot.s1.out")),
        ("/next_bottleneck/kind", Value::from("pcie")),
        ("/next_bottleneck/throughput_gain", Value::from(0.18)),
        ("/resources/0/id", Value::from("link.cpu0-cpu1")),
        ("/resources/0/kind", Value::from("socket-link")),
        ("/resources/0/from", Value::from("cpu0")),
        ("/resources/0/to", Value::from("cpu1")),
        ("/resources/0/capacity", Value::from(4e9)),
        ("/resources/0/unit", Value::from("bytes/s")),
        ("/resources/0/rate", Value::from(3.48e9)),
        ("/resources/0/utilisation", Value::from(0.87)),
        ("/sockets/0/id", Value::from("cpu0")),
        ("/sockets/0/busy", Value::from(0.9)),
        ("/sockets/0/stalled", Value::from(0.625)),
        ("/sockets/0/cpi", Value::from(11.7)),
        ("/measured/0/metric", Value::from("network_bytes_per_s")),
        ("/measured/0/predicted", Value::from(2.2e9)),
        ("/measured/1/predicted", Value::Null),
        ("/expect/0/metric", Value::from("network_bytes_per_s")),
        ("/expect/0/ok", Value::from(true)),
        ("/expect/1/ok", Value::from(false)),
        // 2,100 simulated against 2,000 predicted.
        ("/prediction/throughput_difference", Value::from(0.05)),
    ] {
        assert_eq!(document.pointer(pointer), Some(&expected), "{pointer}");
    }
    assert!(document["bottleneck"]["explanation"].is_string());
    assert!(document["input_hash"].is_string());
    let error = document["measured"][0]["relative_error"]
        .as_f64()
        .expect("a number");
    assert!((error - (2.2e9 / (2.06 * 1_073_741_824.0) - 1.0)).abs() < 1e-12);
}

#[test]
fn a_prediction_has_no_percentiles() {
    let document = json(&sample::predicted());
    assert_eq!(document["mode"], "predict");
    assert_eq!(document["latency"]["mean_s"], 0.095);
    for percentile in ["p50_s", "p95_s", "p99_s", "max_s"] {
        assert_eq!(document["latency"].get(percentile), Some(&Value::Null));
    }
    assert_eq!(document["simulated"], Value::Null);
}

#[test]
fn reads_back_as_what_was_written() {
    let report = sample::simulated();
    let document: RunDocument = serde_json::from_str(&run_json(&report)).expect("a run document");
    assert_eq!(document, RunDocument::new(&report));
}

/// The text is that of a serializer for JSON, also for numbers that 32 bits hold exactly.
#[test]
fn the_text_is_that_of_the_fields() {
    let mut report = sample::simulated();
    report.outcome.sockets[1].memory.reads = 34_359_738_368.0;
    for report in [report, sample::predicted()] {
        let document = RunDocument::new(&report);
        let directly = serde_json::to_string_pretty(&document).expect("strings and numbers");
        assert_eq!(run_json(&report), format!("{directly}\n"));
    }
}

#[test]
fn what_is_not_finite_is_refused_by_name() {
    let mut report = sample::simulated();
    assert!(check(&RunDocument::new(&report)).is_ok());
    report.outcome.sockets[1].miss_latency = Time::new(f64::INFINITY);
    let error = check(&RunDocument::new(&report)).expect_err("infinity");
    assert_eq!(
        error.to_string(),
        "miss_latency_s of cpu1 is inf, not a finite number"
    );
}

#[test]
fn csv_has_every_figure_with_its_unit() {
    let report = sample::simulated();
    let text = run_csv(&report);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(CSV_COLUMNS.join(",").as_str()));
    assert_eq!(lines.count(), figures(&RunDocument::new(&report)).len());
    let name = "Cached reads over one card,simulate,7";
    for row in [
        "run,run,network_bytes_per_s,2200000000,bytes/s",
        "link.cpu0-cpu1,socket-link,utilisation,0.87,1",
        "cpu.cpu0,cpu,capacity,9200000000,cycles/s",
        "cpu1,socket,cpi,8,cycles",
        "link.cpu0-cpu1,link_traffic,data_bytes_per_s,2880000000,bytes/s",
        "ht1-stream-2009,measured,network_bytes_per_s_predicted,2200000000,bytes/s",
    ] {
        assert!(
            text.contains(&format!("{name},{row},")),
            "{row} is missing in\n{text}"
        );
    }
}

#[test]
fn csv_quotes_names() {
    let mut report = sample::simulated();
    report.scenario = "reads, \"cached\"".to_owned();
    assert!(run_csv(&report).contains("\n\"reads, \"\"cached\"\"\",simulate,"));
}
