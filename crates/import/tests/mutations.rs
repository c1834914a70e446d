//! Damaged files of each format: reading ends, nothing panics, and memory stays within ten times the file.
//!
//! The samples are those of the project, and the files of real machines where they are present. A long run:
//! `BANDGRAPH_MUTATIONS=10000 cargo test --release -p bandgraph-import --test mutations`.

#![expect(clippy::print_stderr, reason = "a run of minutes says how far it is")]

use std::path::{Path, PathBuf};

use bandgraph_config::{DiskFiles, Files, MemoryFiles, ReadError};
use bandgraph_diagnostics::Sources;
use bandgraph_import::{gather, inspect, merge, resolve, topology};
use bandgraph_testkit::Mutator;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Mutations of each file. `BANDGRAPH_MUTATIONS` at compile time asks for another number.
const MUTATIONS: u32 = match option_env!("BANDGRAPH_MUTATIONS") {
    Some(number) => match u32::from_str_radix(number, 10) {
        Ok(number) => number,
        Err(_) => panic!("BANDGRAPH_MUTATIONS is a number"),
    },
    None => 16,
};

/// Memory that does not depend on the file, of a text and of what is packed: the decompressor, and a file of
/// up to 16 MiB that damage can make of an archive.
const BASE: (usize, usize) = (128 << 10, 64 << 20);

/// Reads a file with all steps; returns the memory that this took at its peak, and a line of the topology
/// without a finite number, if there is one.
fn read(bytes: Vec<u8>) -> (usize, Option<String>) {
    let files = MemoryFiles::new().with("machine", bytes);
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let mut sources = Sources::new();
    let gathered = gather(&[PathBuf::from("machine")], &files, &mut sources);
    let machine = resolve(merge(gathered.facts));
    for finding in inspect(&machine) {
        let cost = finding.costs_bytes_per_s;
        assert!(
            cost.is_none_or(|cost| cost.is_finite() && cost >= 0.0),
            "{finding:?}"
        );
    }
    let written = topology(&machine, &sources);
    let used = MEMORY.peak_usage().saturating_sub(before);
    let text = written.map(|written| written.text).unwrap_or_default();
    let wrong = text.lines().find(|line| !has_number(line));
    (used, wrong.map(str::to_owned))
}

/// Whether a line of a topology has a finite value. Names and texts can hold any letters.
fn has_number(line: &str) -> bool {
    let Some((field, value)) = line.split_once(" = ") else {
        return true;
    };
    let number = value.trim_start_matches('"');
    ["name", "description", "source"].contains(&field)
        || !["NaN", "inf", "-inf"]
            .iter()
            .any(|wrong| number.starts_with(wrong))
}

/// All files below a folder.
fn files_below(folder: &Path, into: &mut Vec<PathBuf>) {
    for name in DiskFiles.names(folder) {
        let path = folder.join(name);
        match DiskFiles.read(&path) {
            Ok(_) => into.push(path),
            Err(ReadError::Folder) => files_below(&path, into),
            Err(_) => {}
        }
    }
}

#[test]
fn damaged_files_are_read_to_their_end_in_bounded_memory() {
    let folders = [
        "tests/samples",
        "../../examples/server",
        "../../../shared/reference/machines",
    ];
    let mut paths = Vec::new();
    for folder in folders {
        files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut paths);
    }
    assert!(!paths.is_empty());
    // The tables of known parts are read once.
    read(b"00:00.0 Class 0200: 8086:10fb".to_vec());
    let mut wrong = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let bytes = DiskFiles.read(path).expect("it was read before");
        if MUTATIONS > 1000 {
            eprintln!("{index} of {} files done, next {}", paths.len(), path.display());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut mutator = Mutator::new(&name, 1);
        for round in 0..MUTATIONS {
            let damaged = mutator.mutate(&bytes, &[]);
            // What is packed unpacks to about a hundred times as much.
            let is_packed = path.extension().is_some_and(|end| end == "gz" || end == "bz2");
            let limit = if is_packed {
                BASE.1 + 1000 * damaged.len()
            } else {
                BASE.0 + 10 * damaged.len()
            };
            let (used, line) = read(damaged);
            if let Some(line) = line {
                wrong.push(format!("{}, round {round}: {line}", path.display()));
            }
            if used > limit {
                wrong.push(format!(
                    "{}, round {round}: {used} bytes of {limit}",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
