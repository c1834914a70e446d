//! Where files contradict each other.

use super::Finding;
use crate::resolve::Machine;

/// Fields whose values are texts that every program words in its own way, or that change while a machine
/// runs.
const WORDED: [&str; 12] = [
    "name",
    "class",
    "driver",
    "maker",
    "product",
    "designation",
    "slot",
    "size_bytes",
    "memory_bytes",
    "technology",
    "model",
    "external_clock_mhz",
];

pub(super) fn find(machine: &Machine, findings: &mut Vec<Finding>) {
    for conflict in &machine.facts.conflicts {
        if WORDED.contains(&conflict.field) {
            continue;
        }
        let id = if conflict.field == "socket" {
            "inspect::socket_disagrees"
        } else {
            "inspect::files_disagree"
        };
        let message = format!(
            "{} is {} here and {} there; the first is used",
            conflict.field.replace('_', " "),
            conflict.kept.0,
            conflict.dropped.0
        );
        findings.push(Finding::note(id, message).at([Some(conflict.kept.1), Some(conflict.dropped.1)]));
    }
}
