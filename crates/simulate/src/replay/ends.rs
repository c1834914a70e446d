//! Which records go on where others ended.

use bandgraph_workload::trace::Record;
use rustc_hash::FxHashMap;

/// Files of which it is remembered where they were last read or written.
const MOST_FILES: usize = 65_536;

/// Where files were last read or written to the end of.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    of: FxHashMap<u64, u64>,
}

impl Ends {
    /// Whether a record goes on where the last one in its file ended.
    pub(super) fn goes_on(&mut self, record: &Record) -> bool {
        if !record.operation.moves_data() {
            return false;
        }
        // Of very many files, all are forgotten now and then: a stream counts as begun anew.
        if self.of.len() >= MOST_FILES && !self.of.contains_key(&record.file) {
            self.of.clear();
        }
        let before = self.of.insert(record.file, record.offset + record.bytes);
        before == Some(record.offset) || (before.is_none() && record.offset == 0)
    }
}
