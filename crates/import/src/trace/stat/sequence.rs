//! The share of sequential accesses.

use super::SequentialStatistics;
use crate::trace::fields::mix;
use bandgraph_workload::OperationKind;
use bandgraph_workload::Record;

/// The number of pairs of client and file whose last position is stored. Pairs in the same slot overwrite
/// each other, so that with far more concurrent files fewer operations count as sequential.
const SLOTS: usize = 1 << 16;

/// The end of the last operation, by client and file.
pub(super) struct Sequence {
    ends: Vec<(u64, u64)>,
    reads: Tally,
    writes: Tally,
}

#[derive(Default)]
struct Tally {
    operations: u64,
    sequential: u64,
    bytes: u64,
}

impl Tally {
    fn statistics(&self) -> SequentialStatistics {
        let operations = self.operations as f64;
        SequentialStatistics {
            share: (self.operations > 0).then(|| self.sequential as f64 / operations),
            // Every non-sequential operation starts a run.
            run_bytes: (self.operations > 0)
                .then(|| self.bytes as f64 / (self.operations - self.sequential).max(1) as f64),
        }
    }
}

impl Default for Sequence {
    fn default() -> Self {
        Self {
            ends: vec![(0, u64::MAX); SLOTS],
            reads: Tally::default(),
            writes: Tally::default(),
        }
    }
}

impl Sequence {
    /// Adds a read or write.
    pub(super) fn add(&mut self, record: &Record) {
        let key = mix(record.file ^ u64::from(record.client).rotate_left(40));
        let slot = &mut self.ends[key as usize % SLOTS];
        let follows = *slot == (key, record.offset);
        *slot = (key, record.offset + record.bytes);
        let tally = if record.operation == OperationKind::Read {
            &mut self.reads
        } else {
            &mut self.writes
        };
        tally.operations += 1;
        tally.sequential += u64::from(follows);
        tally.bytes = tally.bytes.saturating_add(record.bytes);
    }

    pub(super) fn reads(&self) -> SequentialStatistics {
        self.reads.statistics()
    }

    pub(super) fn writes(&self) -> SequentialStatistics {
        self.writes.statistics()
    }
}
