//! The walls of the house: which crate may use which, and that the map in ARCHITECTURE.md is the house that
//! stands.

use std::collections::BTreeMap;
use std::error::Error;

use bandgraph_testkit::Program;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

/// Top floor first. A crate may use only crates below it.
const LADDER: [&str; 17] = [
    "cli",
    "report",
    "plot",
    "sweep",
    "study",
    "scenario",
    "import",
    "simulate",
    "solve",
    "model",
    "workload",
    "topology",
    "hardware",
    "config",
    "engine",
    "diagnostics",
    "units",
];
/// Beside the ladder: only tests, benches and examples may use it.
const TESTKIT: &str = "testkit";
/// Beside the ladder: the tasks of the project. Nothing may use it.
const XTASK: &str = "xtask";
/// Examples whose instructions are counted.
const COUNTED: &str = "counted";
const PREFIX: &str = "bandgraph-";

type Outcome = Result<(), Box<dyn Error>>;

fn metadata() -> Result<Metadata, Box<dyn Error>> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let command = MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .other_options(vec!["--offline".to_owned()])
        .cargo_command();
    Ok(MetadataCommand::parse(Program::from(command).run().stdout)?)
}

/// Folder of every crate of the workspace, with the crates of the workspace that it uses outside of tests.
fn uses() -> Result<BTreeMap<String, Vec<String>>, Box<dyn Error>> {
    let mut uses = BTreeMap::new();
    for package in metadata()?.packages {
        let dependencies = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal);
        let names =
            dependencies.filter_map(|dependency| dependency.name.strip_prefix(PREFIX).map(str::to_owned));
        let folder = package
            .name
            .strip_prefix(PREFIX)
            .unwrap_or(&package.name)
            .to_owned();
        uses.insert(folder, names.collect());
    }
    Ok(uses)
}

fn floor(folder: &str) -> Option<usize> {
    LADDER.iter().position(|&name| name == folder)
}

#[test]
fn no_arrow_goes_up() -> Outcome {
    for (folder, used) in uses()? {
        for other in used {
            let is_for_tests = other != TESTKIT || folder == XTASK;
            assert!(is_for_tests, "{folder} uses the testkit outside of tests");
            if let Some(own) = floor(&folder) {
                let below = floor(&other).is_some_and(|floor| floor > own);
                assert!(below, "{folder} uses {other}, which does not stand below it");
            }
        }
    }
    Ok(())
}

#[test]
fn every_crate_has_a_floor_and_a_folder_of_its_name() -> Outcome {
    let metadata = metadata()?;
    for package in &metadata.packages {
        let Some(folder) = package.name.strip_prefix(PREFIX) else {
            assert!(
                ["bandgraph", XTASK, COUNTED].contains(&package.name.as_str()),
                "{}",
                package.name
            );
            continue;
        };
        assert!(
            floor(folder).is_some() || folder == TESTKIT,
            "{folder} has no floor in the ladder"
        );
        assert!(
            package
                .manifest_path
                .ends_with(format!("crates/{folder}/Cargo.toml")),
            "{}",
            package.manifest_path
        );
    }
    assert_eq!(
        metadata.packages.len(),
        LADDER.len() + 4,
        "the ladder, the testkit, xtask, counted examples and the root package"
    );
    Ok(())
}

/// Crates from outside that only one crate may know.
#[test]
fn some_libraries_are_known_to_one_crate_only() -> Outcome {
    for (library, owners) in [
        ("toml", &["config"][..]),
        ("clap", &["cli", "xtask"]),
        ("indicatif", &["cli"]),
        ("tiny-skia", &["plot"]),
        ("comfy-table", &["report"]),
        // Tables are written by the one, and measurements in them read by the other.
        ("csv", &["report", "scenario"]),
        ("petgraph", &["topology"]),
        ("annotate-snippets", &["diagnostics"]),
    ] {
        for package in metadata()?.packages {
            let normal = |dependency: &&cargo_metadata::Dependency| dependency.kind == DependencyKind::Normal;
            if package
                .dependencies
                .iter()
                .filter(normal)
                .any(|dependency| dependency.name == library)
            {
                let name = package.name.as_str().trim_start_matches(PREFIX);
                assert!(
                    owners.contains(&name),
                    "{library} is for {owners:?} alone, not for {name}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn the_map_names_every_crate_in_the_order_of_the_ladder() {
    let map = include_str!("../ARCHITECTURE.md");
    let mut last = 0;
    let folders = LADDER.iter().chain([&TESTKIT]);
    let folders = folders.map(|name| format!("crates/{name}"));
    for folder in folders.chain([XTASK.to_owned()]) {
        let heading = format!("### `{folder}`");
        let place = map
            .find(&heading)
            .unwrap_or_else(|| panic!("ARCHITECTURE.md has no section {heading}"));
        assert!(place > last, "{heading} stands above its place");
        last = place;
        let section = &map[place + heading.len()..];
        let section = &section[..section.find("\n### ").unwrap_or(section.len())];
        assert!(section.contains("**Invariant"), "{heading} states no invariant");
    }
}

#[test]
fn every_path_in_the_map_exists() {
    let map = include_str!("../ARCHITECTURE.md");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let quoted = map.split('`').skip(1).step_by(2);
    let paths = quoted.filter(|text| text.contains('/') && !text.contains([' ', '*', '<', ':', '…']));
    let mut seen = 0;
    for path in paths {
        assert!(
            root.join(path).exists(),
            "ARCHITECTURE.md names `{path}`, which is not there"
        );
        seen += 1;
    }
    assert!(seen > LADDER.len(), "the map names hardly any place");
}
