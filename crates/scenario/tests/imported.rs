//! Imported servers pass `check`, and answer the named workloads.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bandgraph_config::{DiskFiles, Files, MemoryFiles};
use bandgraph_diagnostics::{Diagnostic, Sources, render};
use bandgraph_import::{import, topology};
use bandgraph_scenario::{check_with, load_imported, workload_names};

/// The topology of a machine, which must not have errors.
fn passes(paths: &[PathBuf]) {
    let mut sources = Sources::new();
    let (machine, gathered) = import(paths, &mut sources);
    assert!(
        !gathered.diagnostics.iter().any(Diagnostic::is_error),
        "{paths:?}"
    );
    // Files about links or disks alone make no topology.
    let Ok(written) = topology(&machine, &sources) else {
        return;
    };
    let files = MemoryFiles::new().with("server.toml", written.text.clone());
    let mut checked = Sources::new();
    let problems = check_with(&files, Path::new("server.toml"), &mut checked);
    let errors: Vec<Diagnostic> = problems.into_iter().filter(Diagnostic::is_error).collect();
    assert!(
        errors.is_empty(),
        "{paths:?}\n{}\n{}",
        render::full(&errors, &checked, false),
        written.text
    );
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/server");
    ["dmidecode.txt", "pciconf.txt"]
        .iter()
        .map(|name| folder.join(name))
        .collect()
}

#[test]
fn samples_make_a_topology_that_passes() {
    passes(&samples());
}

#[test]
fn an_imported_server_answers_every_named_workload() {
    for workload in workload_names() {
        let mut sources = Sources::new();
        let loaded = load_imported(&samples(), workload, &[], &mut sources);
        let loaded =
            loaded.unwrap_or_else(|errors| panic!("{workload}: {}", render::full(&errors, &sources, false)));
        assert!(
            loaded
                .warnings
                .iter()
                .any(|warning| warning.id == "import::assumption"),
            "what is assumed is said"
        );
    }
}

#[test]
fn real_machines_make_topologies_that_pass() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/machines");
    if !root.is_dir() {
        eprintln!("skipped: no files of real machines at {}", root.display());
        return;
    }
    // Files of one machine have one name before the first dot.
    let mut machines: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for folder in ["pciconf", "dmidecode", "hwloc", "nccl", "lshw", "redfish"] {
        for name in DiskFiles.names(&root.join(folder)) {
            let stem = name.split('.').next().unwrap_or(&name).to_owned();
            machines
                .entry(format!("{folder}/{stem}"))
                .or_default()
                .push(root.join(folder).join(name));
        }
    }
    for paths in machines.values() {
        let known = paths.iter().all(|path| {
            let (_, gathered) = import(std::slice::from_ref(path), &mut Sources::new());
            !gathered.formats.is_empty()
        });
        if known {
            passes(paths);
        }
    }
}
