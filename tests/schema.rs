//! The published schemas: the same as the program's own, and held to by what it writes and reads.

mod program;

use program::run;
use serde_json::Value;

/// Each schema as published, with the command that prints it.
const PUBLISHED: [(&str, &str); 14] = [
    ("run", include_str!("../docs/schema/run.json")),
    ("topology", include_str!("../docs/schema/topology.json")),
    ("scenario", include_str!("../docs/schema/scenario.json")),
    ("calibration", include_str!("../docs/schema/calibration.json")),
    ("sweep", include_str!("../docs/schema/sweep.json")),
    ("whatif", include_str!("../docs/schema/whatif.json")),
    ("ladder", include_str!("../docs/schema/ladder.json")),
    ("place", include_str!("../docs/schema/place.json")),
    ("trace-stat", include_str!("../docs/schema/trace-stat.json")),
    ("validate", include_str!("../docs/schema/validate.json")),
    ("calibrate", include_str!("../docs/schema/calibrate.json")),
    ("calibrate-own", include_str!("../docs/schema/calibrate-own.json")),
    ("sweep-result", include_str!("../docs/schema/sweep-result.json")),
    ("import", include_str!("../docs/schema/import.json")),
];

#[test]
fn published_schemas_are_not_stale() {
    for (name, published) in PUBLISHED {
        let ended = run(["schema", name]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stdout == published,
            "docs/schema/{name}.json is stale: renew it with `cargo xtask schemas`"
        );
    }
}

#[test]
fn schemas_are_schemas_and_say_which_draft() {
    for (name, published) in PUBLISHED {
        let schema: Value = serde_json::from_str(published).expect("valid JSON");
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        assert!(schema["$schema"].is_string(), "{name}");
        assert!(
            schema["title"].is_string() || schema["description"].is_string(),
            "{name}"
        );
    }
}

#[test]
fn results_hold_to_the_published_schema() {
    let schema: Value = serde_json::from_str(PUBLISHED[0].1).expect("valid JSON");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for arguments in [
        vec!["small.toml"],
        vec!["small.toml", "--predict"],
        vec!["small-gate.toml"],
        vec!["small.toml", "--set", "workload.read.threads_per_client=1"],
        vec!["../../scenarios/7410-barcelona/cached-read.toml"],
        vec!["../../scenarios/7410-istanbul/cached-read.toml", "--predict"],
    ] {
        let ended = run(["run", "--format", "json"].iter().chain(&arguments));
        let document: Value = serde_json::from_str(&ended.stdout).expect("valid JSON");
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{arguments:?}: {errors:?}");
    }
}
