//! Ends to write later, in order of time.

use bandgraph_workload::Record;
use std::collections::BTreeMap;

/// Ends by time; of equal times by number.
#[derive(Default)]
pub(super) struct Pending {
    ends: BTreeMap<(u64, u64), Record>,
}

impl Pending {
    /// Stores the end of `record` under its number; does nothing without an end.
    pub(super) fn add(&mut self, record: &Record, number: u64) {
        if let Some(latency_ns) = record.latency_ns {
            let end_ns = record.start_ns.saturating_add(latency_ns);
            self.ends.insert((end_ns, number), *record);
        }
    }

    /// The first end up to `now_ns`: its time, its number, and the record.
    pub(super) fn pop_until(&mut self, now_ns: u64) -> Option<(u64, u64, Record)> {
        let entry = self.ends.first_entry()?;
        let (end_ns, number) = *entry.key();
        (end_ns <= now_ns).then(|| (end_ns, number, entry.remove()))
    }
}
