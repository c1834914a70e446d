//! Detection of sequential records.

use bandgraph_workload::Record;
use rustc_hash::FxHashMap;

/// Maximum number of files with a remembered end.
const MOST_FILES: usize = 65_536;

/// End offset of the last access, by file.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    of: FxHashMap<u64, u64>,
}

impl Ends {
    /// Whether a record begins where the last record of its file ended.
    pub(super) fn goes_on(&mut self, record: &Record) -> bool {
        if !record.operation.moves_data() {
            return false;
        }
        // With too many files, all ends are forgotten; streams then count as new.
        if self.of.len() >= MOST_FILES && !self.of.contains_key(&record.file) {
            self.of.clear();
        }
        let before = self.of.insert(record.file, record.offset + record.bytes);
        before == Some(record.offset) || (before.is_none() && record.offset == 0)
    }
}
