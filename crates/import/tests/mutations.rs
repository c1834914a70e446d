//! Damaged files of each format: reading ends, nothing panics, and memory stays within ten times the file.
//!
//! The samples are those of the project, and the files of real machines where they are present.

use std::path::{Path, PathBuf};

use bandgraph_config::{DiskFiles, Files, MemoryFiles, ReadError};
use bandgraph_diagnostics::Sources;
use bandgraph_import::{gather, inspect, merge, resolve};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Mutations of each file. `BANDGRAPH_MUTATIONS` at compile time asks for another number.
const MUTATIONS: u32 = match option_env!("BANDGRAPH_MUTATIONS") {
    Some(number) => match u32::from_str_radix(number, 10) {
        Ok(number) => number,
        Err(_) => panic!("BANDGRAPH_MUTATIONS is a number"),
    },
    None => 8,
};

/// Memory that does not depend on the file, of a text and of what is packed: the decompressor, and a file of
/// up to 16 MiB that damage can make of an archive.
const BASE: (usize, usize) = (128 << 10, 64 << 20);

/// Random numbers by a fixed rule (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// One to four changes: a bit, a range removed, doubled or moved, a token put in, the end cut off.
fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let tokens: [&[u8]; 8] = [
        b"99999999999999999999",
        b"-1",
        b"<object type=\"Package\">",
        b"\"",
        b"[{",
        b"0xffffffffff",
        b"\xff\xfe",
        b"\n\t",
    ];
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + random.below(200)).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 => {
                let part: Vec<u8> = bytes.drain(at..end).collect();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            4 => drop(bytes.splice(at..at, tokens[random.below(tokens.len())].iter().copied())),
            _ if random.below(4) == 0 => bytes.truncate(at),
            _ => {}
        }
    }
    bytes
}

/// Reads a file with all steps, and returns the memory that this took at its peak.
fn read(bytes: Vec<u8>) -> usize {
    let files = MemoryFiles::new().with("machine", bytes);
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let mut sources = Sources::new();
    let gathered = gather(&[PathBuf::from("machine")], &files, &mut sources);
    let machine = resolve(merge(gathered.facts));
    for finding in inspect(&machine) {
        assert!(!finding.message.is_empty());
    }
    MEMORY.peak_usage().saturating_sub(before)
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
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference/machines");
    let mut paths = Vec::new();
    files_below(&own, &mut paths);
    files_below(&real, &mut paths);
    assert!(!paths.is_empty());
    // The tables of known parts are read once.
    read(b"00:00.0 Class 0200: 8086:10fb".to_vec());
    let mut over = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let bytes = DiskFiles.read(path).expect("it was read before");
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (index as u64 + 1));
        for round in 0..MUTATIONS {
            let damaged = mutate(&bytes, &mut random);
            // What is packed unpacks to about a hundred times as much.
            let is_packed = path.extension().is_some_and(|end| end == "gz" || end == "bz2");
            let limit = if is_packed {
                BASE.1 + 1000 * damaged.len()
            } else {
                BASE.0 + 10 * damaged.len()
            };
            let used = read(damaged);
            if used > limit {
                over.push(format!(
                    "{}, round {round}: {used} bytes of {limit}",
                    path.display()
                ));
            }
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}
