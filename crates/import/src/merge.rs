//! The facts of all files of one machine, laid over each other.

use crate::facts::{Conflict, Facts};
use crate::origin::Fact;

/// One record of all that was read. Each entry comes with the place of its reader in the registry: lower ranks take
/// precedence, and among equals the file that was named first.
///
/// Things are the same thing by what identifies them: sockets by their order, functions by address, slots,
/// interfaces and disks by name, nodes by number. Memory modules are taken from the first file that lists them.
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
        join(
            &mut merged.nodes,
            facts.nodes,
            |node| &node.number,
            |a, b, c| a.complete(b, c),
            conflicts,
        );
        join(
            &mut merged.devices,
            facts.devices,
            |device| &device.address,
            |a, b, c| a.complete(b, c),
            conflicts,
        );
        join(
            &mut merged.slots,
            facts.slots,
            |slot| &slot.name,
            |a, b, c| a.complete(b, c),
            conflicts,
        );
        join(
            &mut merged.interfaces,
            facts.interfaces,
            |one| &one.name,
            |a, b, c| a.complete(b, c),
            conflicts,
        );
        join(
            &mut merged.disks,
            facts.disks,
            |disk| &disk.name,
            |a, b, c| a.complete(b, c),
            conflicts,
        );
        if merged.hypertransport.is_empty() {
            merged.hypertransport = facts.hypertransport;
        }
        conflicts.extend(facts.conflicts);
    }
    merged
        .devices
        .sort_by_key(|device| device.address.as_ref().map(|said| said.value));
    merged
        .nodes
        .sort_by_key(|node| node.number.as_ref().map(|said| said.value));
    merged
}

/// Completes the entries of `into` with those of `from` that have the same key, and appends the others.
fn join<T, K: PartialEq>(
    into: &mut Vec<T>,
    from: Vec<T>,
    key: impl Fn(&T) -> &Fact<K>,
    complete: impl Fn(&mut T, T, &mut Vec<Conflict>),
    conflicts: &mut Vec<Conflict>,
) {
    let known = into.len();
    for other in from {
        let same = |one: &&mut T| match (key(one), key(&other)) {
            (Some(one), Some(other)) => one.value == other.value,
            _ => false,
        };
        match into[..known].iter_mut().find(same) {
            Some(one) => complete(one, other, conflicts),
            None => into.push(other),
        }
    }
}
