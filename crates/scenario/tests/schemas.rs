//! The JSON Schemas: every file of the project is valid, and files with mistakes are not.

#![expect(clippy::disallowed_methods, reason = "tests read the files of the project")]

use std::path::Path;

use bandgraph_scenario::{scenario_schema, sweep_schema, topology_schema};
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .build(schema)
        .expect("the schema is one itself")
}

fn json(value: &toml::Value) -> Value {
    match value {
        toml::Value::String(text) => json!(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) => json!(number),
        toml::Value::Boolean(flag) => json!(flag),
        toml::Value::Datetime(date) => json!(date.to_string()),
        toml::Value::Array(items) => items.iter().map(json).collect(),
        toml::Value::Table(table) => Value::Object(
            table
                .iter()
                .map(|(key, value)| (key.clone(), json(value)))
                .collect::<Map<_, _>>(),
        ),
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file of the project")
}

fn parsed(text: &str) -> Value {
    json(&toml::Value::Table(text.parse().expect("TOML")))
}

/// The validation errors of a file.
fn misfits(validator: &Validator, text: &str) -> Vec<String> {
    let value = parsed(text);
    validator
        .iter_errors(&value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

fn files(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(folder).expect("a folder of the project");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .map(|path| read(&path))
        .collect()
}

#[test]
fn every_shipped_file_fits_its_schema() {
    for (schema, folder) in [
        (topology_schema(), "topologies"),
        (scenario_schema(), "scenarios/7410-istanbul"),
        (scenario_schema(), "scenarios/modern"),
        (sweep_schema(), "scenarios/sweeps"),
    ] {
        let validator = validator(&schema);
        let files = files(folder);
        assert!(files.len() >= 2, "{folder}");
        for text in files {
            assert_eq!(misfits(&validator, &text), Vec::<String>::new(), "{text}");
        }
    }
}

#[test]
fn topologies_with_mistakes_do_not_fit() {
    let validator = validator(&topology_schema());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../topologies/sun-7410-barcelona.toml");
    let good = read(&path);
    let edits = [
        ("schema = 1", "schema = 2"),
        ("schema = 1\n", ""),
        ("id = \"s1\"", "id = \"s.1\""),
        ("id = \"s1\"\n", ""),
        ("pcie = \"gen1 x8\"", "pcie = \"gen1 x7\""),
        ("size = \"32 GiB\"", "size = 32"),
        ("size = \"32 GiB\"", "size = \"32\""),
        ("size = \"32 GiB\"", "size = \"32 GB/s\""),
        ("size = \"32 GiB\"", "size = \"-32 GB\""),
        ("channels = 2", "channels = 0"),
        ("channels = 2, ", ""),
        ("ends = [\"cpu0\", \"cpu1\"]", "ends = [\"cpu0\"]"),
        ("ports = 4", "ports = \"4\""),
        ("ports = 4", "colour = 4"),
        ("part = \"mcp55\"", "part = 55"),
        ("name = \"Sun", "nome = \"Sun"),
    ];
    for (from, to) in edits {
        assert!(good.contains(from), "{from}");
        let edited = good.replacen(from, to, 1);
        assert!(!misfits(&validator, &edited).is_empty(), "{from} → {to}");
    }
}

#[test]
fn scenarios_with_mistakes_do_not_fit() {
    let validator = validator(&scenario_schema());
    let good = "schema = 1\nname = \"x\"\ntopology = \"t.toml\"\n[stack]\nmisses_per_byte = 0.07\n\
                [[clients]]\nid = \"c\"\nnics = { rate = \"1 Gbit/s\" }\nports = [\"nic0.0\"]\n\
                [[workload]]\nid = \"w\"\nclients = \"c\"\nmix = { read = 2, write = 1.5 }\nthink_time = \"1 ms\"\n\
                [[measured]]\nid = \"m\"\nmetric = \"cpi\"\nvalue = 6\nsource = \"s\"\n";
    assert_eq!(misfits(&validator, good), Vec::<String>::new());
    let edits = [
        ("topology = \"t.toml\"", "topology = 3"),
        (
            "topology = \"t.toml\"",
            "topology = { card = [{ slot = \"s1\" }] }",
        ),
        ("topology = \"t.toml\"\n", ""),
        ("misses_per_byte = 0.07", "misses_per_byte = -1"),
        ("misses_per_byte = 0.07", "misses_per_bite = 1"),
        ("rate = \"1 Gbit/s\"", "rate = \"1 Gbit\""),
        ("ports = [\"nic0.0\"]", "ports = [\"nic0\"]"),
        ("read = 2", "read = 0"),
        ("read = 2", "reed = 2"),
        ("{ read = 2, write = 1.5 }", "\"reads\""),
        ("think_time = \"1 ms\"", "think_time = 1"),
        ("metric = \"cpi\"", "metric = \"ipc\""),
        ("source = \"s\"\n", ""),
    ];
    for (from, to) in edits {
        assert!(good.contains(from), "{from}");
        assert!(
            !misfits(&validator, &good.replacen(from, to, 1)).is_empty(),
            "{from} → {to}"
        );
    }
    let changed = good.replacen(
        "topology = \"t.toml\"",
        "topology = { file = \"t.toml\", card = [{ id = \"nic0\", slot = \"s1\" }] }",
        1,
    );
    assert_eq!(misfits(&validator, &changed), Vec::<String>::new());
}
