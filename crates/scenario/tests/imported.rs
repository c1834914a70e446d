//! Imported servers pass `check`, and work with the predefined workloads.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bandgraph_config::{DiskFiles, Files, MemoryFiles};
use bandgraph_diagnostics::{Diagnostic, Sources, render};
use bandgraph_import::{gather, import, merge, resolve, topology};
use bandgraph_scenario::{check_with, imported_topology, load_imported, workload_names};
use bandgraph_testkit::Mutator;

/// Checks that the topology of a machine has no errors.
fn passes(paths: &[PathBuf]) {
    let mut sources = Sources::new();
    let (machine, gathered) = import(paths, &mut sources);
    assert!(
        !gathered.diagnostics.iter().any(Diagnostic::is_error),
        "{paths:?}"
    );
    // Files about only links or disks contain no topology.
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

/// Possible ids of `check` for contradictory contents of damaged files, with each value in its range.
const CONTRADICTIONS: [&str; 4] = [
    "import::impossible",
    "topology::too_many",
    "topology::too_many_links",
    "topology::unreachable_socket",
];

#[test]
fn damaged_files_make_topologies_that_pass() {
    let mut mutator = Mutator::new("imported", 1);
    let texts: Vec<Vec<u8>> = samples()
        .iter()
        .map(|path| DiskFiles.read(path).expect("a sample"))
        .collect();
    let mut made = 0;
    for round in 0..200 {
        let mut sources = Sources::new();
        let mut files = MemoryFiles::new();
        let paths = ["dmidecode.txt", "pciconf.txt"].map(PathBuf::from);
        for (path, text) in paths.iter().zip(&texts) {
            let mut text = text.clone();
            for _ in 0..8 {
                text = mutator.mutate(&text, &[]);
            }
            files = files.with(path, text);
        }
        let gathered = gather(&paths, &files, &mut sources);
        let machine = resolve(merge(gathered.facts));
        if machine.sockets.is_empty() {
            continue;
        }
        match imported_topology(&machine, &mut sources) {
            Ok(_) => made += 1,
            Err(errors) => {
                let is_known = |one: &Diagnostic| CONTRADICTIONS.contains(&one.id);
                assert!(
                    errors.iter().all(is_known),
                    "round {round}\n{}",
                    render::full(&errors, &sources, false)
                );
            }
        }
    }
    assert!(made > 100, "{made} of 200 were topologies");
}

#[test]
fn a_server_of_more_elements_than_a_topology_has_is_refused() {
    let card = |index: usize| {
        format!(
            "{:04x}:{:02x}:{:02x}.0 Ethernet controller [0200]: Some card [8086:10fb]\n\t\tLnkSta: Speed 5GT/s, Width x8\n\n",
            index >> 12,
            index >> 4 & 0xff,
            index & 0xf
        )
    };
    let lspci: String = (0..5000).map(card).collect();
    let dmidecode = DiskFiles.read(&samples()[0]).expect("a sample");
    let files = MemoryFiles::new()
        .with("lspci.txt", lspci)
        .with("dmidecode.txt", dmidecode);
    let mut sources = Sources::new();
    let gathered = gather(
        &["lspci.txt", "dmidecode.txt"].map(PathBuf::from),
        &files,
        &mut sources,
    );
    let errors = imported_topology(&resolve(merge(gathered.facts)), &mut sources)
        .expect_err("5,000 cards are more than a topology has");
    assert!(
        errors.iter().any(|one| one.id == "topology::too_many"),
        "{errors:?}"
    );
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

/// An unknown processor gets a part like a known one, whose memory and links are of another kind than the
/// assumed ones: the user has nothing to correct there.
#[test]
fn nothing_warns_of_what_the_import_assumed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unknown-processor/lscpu.txt");
    let mut sources = Sources::new();
    let [_, cards] = samples().try_into().expect("two files");
    let loaded = load_imported(&[file, cards], "stream", &[], &mut sources).expect("a server");
    let ids: Vec<&str> = loaded.warnings.iter().map(|warning| warning.id).collect();
    assert!(ids.iter().all(|id| id.starts_with("import::")), "{ids:?}");
    assert!(ids.contains(&"import::assumption"), "{ids:?}");
    let wrong = ["workload.w.io_size=4 KiB".to_owned()];
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unknown-processor/lscpu.txt");
    let [_, cards] = samples().try_into().expect("two files");
    let errors = load_imported(&[file, cards], "stream", &wrong, &mut sources).expect_err("no such workload");
    let ids: Vec<&str> = errors.iter().map(|error| error.id).collect();
    assert_eq!(ids, ["set::no_match"]);
}

/// The user has outputs of a machine, and no `server.toml`.
#[test]
fn errors_in_an_imported_server_do_not_name_a_file_that_is_not_there() {
    let mut sources = Sources::new();
    let sets = [
        "card.nic0.slot=nowhere".to_owned(),
        "workload.w.mix=read".to_owned(),
    ];
    for set in sets {
        let errors = load_imported(&samples(), "read-1m", &[set], &mut sources).expect_err("an error");
        let text = render::full(&errors, &sources, false);
        assert!(
            !text.contains("workload.toml") && !text.contains("--> server.toml"),
            "{text}"
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
    // Files of one machine have the same name before the first dot.
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
