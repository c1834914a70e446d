//! A box before it is known what is said of its resources.

/// Resources of a wire: away from the sockets, and back.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pair {
    pub(super) out: Vec<usize>,
    pub(super) back: Vec<usize>,
}

/// A gauge: the names of what it is of, and its resources.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    pub(super) names: Vec<String>,
    pub(super) resources: Vec<usize>,
}

/// A box, or several that are equal.
#[derive(Clone, Debug, Default)]
pub(super) struct Item {
    pub(super) kind: &'static str,
    pub(super) tier: usize,
    pub(super) ids: Vec<String>,
    /// The ids of the slots that they are in, and what slots these are.
    pub(super) slots: Vec<String>,
    pub(super) slot: String,
    pub(super) lines: Vec<String>,
    pub(super) meters: Vec<Meter>,
    pub(super) is_empty: bool,
    pub(super) branches: Vec<(Vec<Pair>, Item)>,
}

/// Lays an equal thing over another.
pub(super) fn join((wires, item): &mut (Vec<Pair>, Item), (other_wires, other): (Vec<Pair>, Item)) {
    for (wire, other) in wires.iter_mut().zip(other_wires) {
        wire.out.extend(other.out);
        wire.back.extend(other.back);
    }
    item.ids.extend(other.ids);
    item.slots.extend(other.slots);
    for (meter, other) in item.meters.iter_mut().zip(other.meters) {
        if other.names != meter.names {
            meter.names.extend(other.names);
        }
        meter.resources.extend(other.resources);
    }
    for (branch, other) in item.branches.iter_mut().zip(other.branches) {
        join(branch, other);
    }
}
