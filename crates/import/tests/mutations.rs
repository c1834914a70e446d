//! Damaged files of each format: reading ends, nothing panics, and memory stays within ten times the file.
//!
//! The samples are those of the project, and the files of real machines where they are present. A long run:
//! `BANDGRAPH_MUTATIONS=10000 cargo test --release -p bandgraph-import --test mutations -- --nocapture`.
//! It prints each finding when it meets it, with the file and the round that replay it.

#![expect(clippy::print_stderr, reason = "a run of minutes says how far it is")]

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
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

/// Peak memory in bytes that does not depend on a text: what 64 sockets take, and a topology of which the
/// lines of the assumed parts are most. The files of the corpus that are smaller than 1 KiB need up to 90
/// KiB.
const TEXT: usize = 128 << 10;

/// What a topology takes while it is written, relative to its length: its buffer grows by doubling, and what
/// was assumed is listed. 64 sockets that `lscpu` tells in one line have 2,016 links of 150 bytes.
const WRITTEN: usize = 4;

/// Peak memory in bytes of a decompressor: bzip2 needs 3.7 MB for blocks of 900 kB.
const DECOMPRESSOR: usize = 4 << 20;

/// The bytes that a file may be read from at most: those of the file, and those that it unpacks to.
fn unpacked(bytes: &[u8]) -> Option<usize> {
    // Damage of the last block is an error after the bytes before it.
    let length = |source: &mut dyn Read| {
        let mut buffer = vec![0; 1 << 15];
        let mut length = 0;
        while let Ok(read @ 1..) = source.read(&mut buffer) {
            length += read;
            if length > 1 << 30 {
                break;
            }
        }
        length
    };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        Some(length(&mut flate2::read::MultiGzDecoder::new(bytes)))
    } else if bytes.starts_with(b"BZh") {
        Some(length(&mut bzip2::read::MultiBzDecoder::new(bytes)))
    } else {
        None
    }
}

/// The most memory in bytes that reading a file may take.
fn limit(bytes: &[u8]) -> usize {
    match unpacked(bytes) {
        Some(unpacked) => DECOMPRESSOR + TEXT + 10 * (bytes.len() + unpacked),
        None => TEXT + 10 * bytes.len(),
    }
}

/// Reads a file with all steps; returns the memory that this took at its peak without that of the topology,
/// and a line of the topology without a finite number, if there is one.
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
    let used = used.saturating_sub(WRITTEN * text.len());
    let wrong = text.lines().find(|line| !has_number(line));
    (used, wrong.map(str::to_owned))
}

/// Whether a line of a topology has a finite value. Names and texts can hold any letters.
fn has_number(line: &str) -> bool {
    let Some((field, value)) = line.split_once(" = ") else {
        return true;
    };
    let number = value.trim_start_matches('"');
    ["name", "description", "source", "link_layer"].contains(&field)
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
    let mut findings = 0;
    for (index, path) in paths.iter().enumerate() {
        let bytes = DiskFiles.read(path).expect("it was read before");
        if MUTATIONS > 1000 {
            eprintln!("{index} of {} files done, next {}", paths.len(), path.display());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Tables of known parts are read by the first file that needs them.
        read(bytes.clone());
        let mut mutator = Mutator::new(&name, 1);
        for round in 0..MUTATIONS {
            let damaged = mutator.mutate(&bytes, &[]);
            let limit = limit(&damaged);
            let wrong = match catch_unwind(AssertUnwindSafe(|| read(damaged))) {
                Ok((_, Some(line))) => line,
                Ok((used, _)) if used > limit => format!("{used} bytes of {limit}"),
                Ok(_) => continue,
                Err(_) => "it panicked".to_owned(),
            };
            eprintln!("{}, round {round}: {wrong}", path.display());
            findings += 1;
        }
    }
    assert_eq!(findings, 0);
}
