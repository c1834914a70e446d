//! The kinds of operations of a trace, found from its beginning, and the substitutes for other kinds.
//!
//! Each size that occurs at the beginning of the trace is a kind (the most frequent ones if there are very
//! many). In addition, a ladder of sizes covers reads, writes and the bytes that COMMITs bring to the log. An
//! unknown size is replaced at random by one of the two nearest known sizes, with the probability that
//! preserves the mean size. Costs have a constant part per operation and a part per byte (except for the
//! rounding of packets and records), so that the mean cost is preserved too.

use bandgraph_model::TraceKind;
use bandgraph_workload::OperationKind;
use bandgraph_workload::Record;
use rustc_hash::FxHashMap;

/// Maximum number of kinds taken from the beginning of the trace.
const MOST_KINDS: usize = 512;
/// The ladder, bytes: 1, powers of two from 512 B to 2 MiB, then powers of eight up to the longest operation.
const LADDER: [u64; 17] = [
    1,
    512,
    1024,
    2048,
    4096,
    8192,
    16_384,
    32_768,
    65_536,
    131_072,
    262_144,
    524_288,
    1_048_576,
    2_097_152,
    16_777_216,
    134_217_728,
    1_073_741_824,
];

/// The kinds of a trace.
#[derive(Clone, Debug)]
pub(super) struct Kinds {
    pub(super) all: Vec<TraceKind>,
    index_of: FxHashMap<TraceKind, u32>,
    /// Known sizes of reads and writes in ascending order, with the kind of each.
    sizes: FxHashMap<TraceKind, Vec<(u64, u32)>>,
}

/// The kind that a record is replayed as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) kind: u32,
    /// Whether it is exactly the kind of the record.
    pub(super) exact: bool,
}

impl Kinds {
    /// Builds the kinds from the number of records of each kind.
    pub(super) fn of(counts: &FxHashMap<TraceKind, u64>) -> Self {
        let mut known: Vec<(u64, TraceKind)> = counts.iter().map(|(kind, count)| (*count, *kind)).collect();
        // Most frequent first; equals in the order of kinds.
        known.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut all: Vec<TraceKind> = known.into_iter().take(MOST_KINDS).map(|(_, kind)| kind).collect();
        for &operation in OperationKind::ALL {
            let sizes: &[u64] = if has_bytes(operation) { &LADDER } else { &[] };
            for &bytes in [0].iter().chain(sizes) {
                for stable in [false, true] {
                    for sequential in [false, true] {
                        let kind = canonical(TraceKind {
                            operation,
                            bytes,
                            stable,
                            sequential,
                        });
                        all.push(kind);
                    }
                }
            }
        }
        let mut kinds = Self {
            all: Vec::new(),
            index_of: FxHashMap::default(),
            sizes: FxHashMap::default(),
        };
        for kind in all {
            let next = kinds.all.len() as u32;
            if *kinds.index_of.entry(kind).or_insert(next) == next {
                kinds.all.push(kind);
                if has_bytes(kind.operation) {
                    let family = TraceKind { bytes: 0, ..kind };
                    kinds.sizes.entry(family).or_default().push((kind.bytes, next));
                }
            }
        }
        for &kind in &kinds.all {
            if let Some(sizes) = kinds.sizes.get_mut(&TraceKind { bytes: 0, ..kind }) {
                sizes.sort_unstable();
            }
        }
        kinds
    }

    /// The kind for a record of kind `kind`; `draw` returns a number from 0 to 1 that decides between two
    /// candidates.
    pub(super) fn choose(&self, kind: TraceKind, draw: impl FnOnce() -> f64) -> Choice {
        if let Some(&kind) = self.index_of.get(&kind) {
            return Choice { kind, exact: true };
        }
        let sizes = self.sizes.get(&TraceKind { bytes: 0, ..kind });
        let sizes = sizes.expect("what moves data has a ladder of sizes, and all else is known");
        let above = sizes.partition_point(|&(bytes, _)| bytes < kind.bytes);
        let kind = match (above.checked_sub(1).map(|below| sizes[below]), sizes.get(above)) {
            (Some((low, below)), Some(&(high, above))) => {
                let share = (kind.bytes - low) as f64 / (high - low) as f64;
                if draw() < share { above } else { below }
            }
            // No operation is longer than the last rung or shorter than the first.
            (Some((_, end)), None) | (None, Some(&(_, end))) => end,
            (None, None) => unreachable!("a ladder has rungs"),
        };
        Choice { kind, exact: false }
    }
}

/// Whether kinds of an operation differ in bytes: bytes of file data, or bytes that a COMMIT brings to the
/// log.
const fn has_bytes(operation: OperationKind) -> bool {
    operation.moves_data() || matches!(operation, OperationKind::Commit)
}

/// The kind of a record. `sequential`: whether it continues a previous access; `unstable`: bytes not yet on
/// disk that a COMMIT finds.
pub(super) fn kind_of(record: &Record, sequential: bool, unstable: u64) -> TraceKind {
    canonical(TraceKind {
        operation: record.operation,
        bytes: if record.operation == OperationKind::Commit {
            unstable
        } else {
            record.bytes
        },
        stable: record.stable,
        sequential,
    })
}

/// A kind without irrelevant properties. A read or write of zero bytes counts as one byte.
fn canonical(kind: TraceKind) -> TraceKind {
    let moves_data = kind.operation.moves_data();
    TraceKind {
        bytes: match kind.operation {
            OperationKind::Commit => kind.bytes,
            _ if moves_data => kind.bytes.max(1),
            _ => 0,
        },
        stable: kind.stable && kind.operation == OperationKind::Write,
        sequential: kind.sequential && moves_data,
        ..kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: u64) -> TraceKind {
        TraceKind {
            operation: OperationKind::Read,
            bytes,
            stable: false,
            sequential: true,
        }
    }

    #[test]
    fn what_the_beginning_shows_is_exact() {
        let counts = FxHashMap::from_iter([(read(12_345), 7), (read(8192), 1)]);
        let kinds = Kinds::of(&counts);
        for bytes in [12_345, 8192, 4096] {
            let choice = kinds.choose(read(bytes), || 0.0);
            assert!(choice.exact);
            assert_eq!(kinds.all[choice.kind as usize].bytes, bytes);
        }
    }

    #[test]
    fn other_sizes_are_right_in_the_mean() {
        let kinds = Kinds::of(&FxHashMap::default());
        for bytes in [2, 700, 5000, 100_000, 1_000_000, 5_000_000] {
            let draws = 10_000;
            let mean = (0..draws)
                .map(|step| {
                    let choice = kinds.choose(read(bytes), || f64::from(step) / f64::from(draws));
                    assert!(!choice.exact);
                    kinds.all[choice.kind as usize].bytes as f64
                })
                .sum::<f64>()
                / f64::from(draws);
            assert!((mean / bytes as f64 - 1.0).abs() < 0.02, "{bytes}: {mean}");
        }
    }

    #[test]
    fn the_rarest_of_very_many_sizes_are_not_exact() {
        let counts = (0..2000_u64)
            .map(|size| (read(10_000 + size), 3000 - size))
            .collect();
        let kinds = Kinds::of(&counts);
        assert!(kinds.choose(read(10_000), || 0.0).exact);
        assert!(!kinds.choose(read(11_999), || 0.0).exact);
    }
}
