//! Unstable data of a trace, by file: data written but not on disk when a COMMIT arrives.
//!
//! Written data join the open transaction group, and are on disk by the end of the next group, as in the
//! steady state (`commits` in `solve`).

use bandgraph_workload::OperationKind;
use bandgraph_workload::Record;
use rustc_hash::FxHashMap;

/// Maximum number of files with remembered writes.
const MOST_FILES: usize = 65_536;

/// Unstable data of one file.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    /// The group of the last write.
    group: u64,
    /// Bytes in that group, and in the previous one.
    bytes: u64,
    before: u64,
}

impl Written {
    /// The state when `group` is the open group.
    fn at(self, group: u64) -> Self {
        match group.saturating_sub(self.group) {
            0 => self,
            1 => Self {
                group,
                bytes: 0,
                before: self.bytes,
            },
            _ => Self {
                group,
                ..Self::default()
            },
        }
    }
}

/// Unstable data of all files.
#[derive(Clone, Debug)]
pub(super) struct Unstable {
    /// Time of the trace between two transaction groups, ns.
    group_ns: f64,
    /// Whether every write is stable.
    synchronous: bool,
    of: FxHashMap<u64, Written>,
}

impl Unstable {
    /// No unstable data; `group_seconds` is the time of the trace between two transaction groups.
    pub(super) fn new(group_seconds: f64, synchronous: bool) -> Self {
        Self {
            group_ns: (group_seconds * 1e9).max(1.0),
            synchronous,
            of: FxHashMap::default(),
        }
    }

    /// Adds a write; returns the unstable bytes for a COMMIT, which makes them stable.
    pub(super) fn take(&mut self, record: &Record) -> u64 {
        let group = (record.start_ns as f64 / self.group_ns) as u64;
        match record.operation {
            OperationKind::Write if !record.stable && !self.synchronous => {
                // With too many files, all are forgotten, as if their data were on disk.
                if self.of.len() >= MOST_FILES && !self.of.contains_key(&record.file) {
                    self.of.clear();
                }
                let written = self.of.entry(record.file).or_default();
                *written = written.at(group);
                written.bytes = written.bytes.saturating_add(record.bytes);
                0
            }
            OperationKind::Commit => self.of.remove(&record.file).map_or(0, |written| {
                let written = written.at(group);
                written.bytes.saturating_add(written.before)
            }),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(seconds: f64, file: u64, operation: OperationKind, bytes: u64) -> Record {
        Record {
            start_ns: (seconds * 1e9) as u64,
            latency_ns: None,
            client: 0,
            file,
            operation,
            offset: 0,
            bytes,
            stable: false,
        }
    }

    /// Groups of 5 s: data written at 1 s and 6 s are in memory at 9 s; at 11 s only the latter.
    #[test]
    fn groups_bring_data_to_disk() {
        let commit_at = |seconds: f64| {
            let mut unstable = Unstable::new(5.0, false);
            unstable.take(&record(1.0, 7, OperationKind::Write, 100));
            unstable.take(&record(6.0, 7, OperationKind::Write, 10));
            unstable.take(&record(6.0, 8, OperationKind::Write, 1));
            unstable.take(&record(seconds, 7, OperationKind::Commit, 0))
        };
        assert_eq!(commit_at(9.0), 110);
        assert_eq!(commit_at(11.0), 10);
        assert_eq!(commit_at(15.0), 0);
    }

    #[test]
    fn stable_writes_leave_nothing() {
        let mut unstable = Unstable::new(5.0, false);
        let stable = Record {
            stable: true,
            ..record(0.0, 7, OperationKind::Write, 100)
        };
        unstable.take(&stable);
        assert_eq!(unstable.take(&record(0.0, 7, OperationKind::Commit, 0)), 0);
        let mut synchronous = Unstable::new(5.0, true);
        synchronous.take(&record(0.0, 7, OperationKind::Write, 100));
        assert_eq!(synchronous.take(&record(0.0, 7, OperationKind::Commit, 0)), 0);
    }

    proptest! {
        /// Within one group, COMMITs find exactly the bytes written since the last COMMIT of each file.
        #[test]
        fn nothing_is_committed_twice_or_lost(
            operations in prop::collection::vec((0_u64..5, any::<bool>(), 0_u64..1_000_000), 0..200),
        ) {
            let mut unstable = Unstable::new(1e6, false);
            let (mut found, mut written) = (0, 0);
            for &(file, commit, bytes) in &operations {
                let operation = if commit { OperationKind::Commit } else { OperationKind::Write };
                found += unstable.take(&record(1.0, file, operation, bytes));
                written += if commit { 0 } else { bytes };
            }
            for file in 0..5 {
                found += unstable.take(&record(1.0, file, OperationKind::Commit, 0));
            }
            prop_assert_eq!(found, written);
        }
    }
}
