//! `import` and `inspect` as a user sees them.

mod program;

use program::run;
use serde_json::Value;

fn samples() -> [String; 2] {
    ["dmidecode", "pciconf"].map(|name| {
        format!(
            "{}/crates/import/tests/samples/{name}.txt",
            env!("CARGO_MANIFEST_DIR")
        )
    })
}

fn with_samples<'a>(arguments: &'a [&'a str], samples: &'a [String; 2]) -> Vec<&'a str> {
    let files = samples.iter().map(String::as_str);
    arguments[..1]
        .iter()
        .copied()
        .chain(files)
        .chain(arguments[1..].iter().copied())
        .collect()
}

#[test]
fn the_json_of_a_machine_holds_to_its_schema() {
    let schema: Value = serde_json::from_str(include_str!("../docs/schema/import.json")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for command in ["import", "inspect"] {
        let ended = run(with_samples(&[command, "--format", "json"], &samples()));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let json: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert!(
            validator.is_valid(&json),
            "{:?}",
            validator.iter_errors(&json).next()
        );
        assert_eq!(json["sockets"][0]["memory"]["channels_used"], 2);
        assert!(json["cards"][1]["port_rate"].is_null(), "unknown is null");
    }
}

#[test]
fn findings_say_where_and_what_they_cost() {
    let ended = run(with_samples(&["inspect"], &samples()));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for words in [
        "inspect::slot_limits_card",
        "pciconf.txt:17",
        "costs 2.9 GB/s",
        "= help: move it to PCIe Slot 1",
    ] {
        assert!(
            ended.stdout.contains(words),
            "{words} is missing in\n{}",
            ended.stdout
        );
    }
    let ended = run(with_samples(
        &["inspect", "--deny", "--format", "markdown"],
        &samples(),
    ));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(
        ended.stdout.starts_with("## Example Sample 2U"),
        "{}",
        ended.stdout
    );
    let ids = [
        "import::unknown_format",
        "inspect::slot_limits_card",
        "inspect::one_socket",
    ];
    for id in ids {
        assert_eq!(run(["explain", id]).code, Some(0), "{id}");
    }
}

#[test]
fn a_strict_import_refuses_assumptions() {
    let ended = run(with_samples(&["import", "--strict"], &samples()));
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("import::assumption"), "{}", ended.stderr);
    let ended = run(with_samples(&["import"], &samples()));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("# assumed: "), "{}", ended.stdout);
}

#[test]
fn an_imported_server_is_predicted_at_once() {
    let files = samples();
    let ended = run([
        "run",
        "--predict",
        "--from",
        &files[0],
        &files[1],
        "--workload",
        "read-1m",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Bottleneck"), "{}", ended.stdout);
}
