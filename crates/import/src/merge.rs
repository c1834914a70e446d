//! The facts of all files of one machine, laid over each other.

use std::collections::BTreeMap;

use crate::facts::{Complete, Conflict, Facts, Keyed};
use crate::origin::Known;

/// One record of all that was read. Each entry comes with the place of its reader in the registry: lower
/// ranks take precedence, and among equals the file that was named first.
///
/// Things are the same thing by what identifies them: sockets by their order, functions by address, slots,
/// interfaces and disks by name, nodes by number. Memory modules are taken from the first file that lists
/// them.
pub fn merge(mut all: Vec<(usize, Facts)>) -> Facts {
    all.sort_by_key(|(rank, _)| *rank);
    let mut merged = Facts::default();
    for (_, facts) in all {
        let conflicts = &mut merged.conflicts;
        merged.system.complete(facts.system, conflicts);
        if merged.processors.is_empty() {
            merged.processors = facts.processors;
        } else {
            for (processor, other) in merged.processors.iter_mut().zip(facts.processors) {
                processor.complete(other, conflicts);
            }
        }
        if merged.dimms.is_empty() {
            merged.dimms = facts.dimms;
        }
        join(&mut merged.nodes, facts.nodes, conflicts);
        join(&mut merged.devices, facts.devices, conflicts);
        join(&mut merged.slots, facts.slots, conflicts);
        join(&mut merged.interfaces, facts.interfaces, conflicts);
        join(&mut merged.disks, facts.disks, conflicts);
        join(&mut merged.northbridges, facts.northbridges, conflicts);
        join(&mut merged.bus_ranges, facts.bus_ranges, conflicts);
        merged.vdevs.extend(facts.vdevs);
        merged.enclosures.extend(facts.enclosures);
        merged.fabric.extend(facts.fabric);
        if merged.hypertransport.is_empty() {
            merged.hypertransport = facts.hypertransport;
        }
        conflicts.extend(facts.conflicts);
        merged.out_of_range.extend(facts.out_of_range);
    }
    merged.devices.sort_by_key(|device| device.address.known());
    merged.nodes.sort_by_key(|node| node.number.known());
    merged
}

/// Completes the entries of `into` with those of `from` that have the same key, and appends the others.
fn join<T: Keyed>(into: &mut Vec<T>, from: Vec<T>, conflicts: &mut Vec<Conflict>) {
    if into.is_empty() {
        *into = from;
        return;
    }
    let mut known: BTreeMap<T::Key, usize> = BTreeMap::new();
    for (index, one) in into.iter().enumerate() {
        if let Some(key) = one.key() {
            known.entry(key.clone()).or_insert(index);
        }
    }
    for other in from {
        match other.key().and_then(|key| known.get(key)) {
            Some(&index) => into[index].complete(other, conflicts),
            None => into.push(other),
        }
    }
}
