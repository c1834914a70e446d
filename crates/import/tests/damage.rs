//! Damaged files: whatever the bytes, reading ends, nothing panics, and nothing is made up out of thin air.

use std::path::PathBuf;

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::Sources;
use bandgraph_import::{gather, inspect, merge, resolve, topology};

/// The samples of this project, one per format.
const SAMPLES: [(&str, &[u8]); 3] = [
    ("dmidecode", include_bytes!("samples/dmidecode.txt")),
    ("pciconf", include_bytes!("samples/pciconf.txt")),
    ("lspci", include_bytes!("samples/lspci.txt")),
];

/// Mutations of each sample.
const MUTATIONS: u32 = 300;

/// Random numbers by a fixed rule (a linear congruential generator of Knuth), so that a failure can be
/// repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// One to four changes: a byte, a range removed, a range doubled, a large number put in.
fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + random.below(80)).min(bytes.len());
        match random.below(5) {
            0 => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 => drop(bytes.splice(at..at, *b"99999999999999999999")),
            _ => bytes.truncate(at.max(1)),
        }
        if bytes.is_empty() {
            bytes.push(b'#');
        }
    }
    bytes
}

fn read(bytes: Vec<u8>) {
    let files = MemoryFiles::new().with("machine.txt", bytes);
    let mut sources = Sources::new();
    let gathered = gather(&[PathBuf::from("machine.txt")], &files, &mut sources);
    let machine = resolve(merge(gathered.facts));
    for finding in inspect(&machine) {
        assert!(
            finding.costs_bytes_per_s.is_none_or(f64::is_finite),
            "{finding:?}"
        );
    }
    if let Ok(written) = topology(&machine, &sources) {
        assert!(
            !written.text.contains("NaN") && !written.text.contains("inf "),
            "{}",
            written.text
        );
    }
}

#[test]
fn a_damaged_file_never_panics() {
    for (name, sample) in SAMPLES {
        let mut random = Random(name.len() as u64);
        for _ in 0..MUTATIONS {
            read(mutate(sample, &mut random));
        }
    }
}
