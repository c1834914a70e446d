//! How full resources are, in words, and ports that have room beside full ones.

use bandgraph_topology::{PortResource, ResourceKind, Role};

use crate::limits::FULL;
use crate::outcome::{Outcome, ResourceUse};
use crate::wording::{Tense, percent};

/// The share of its capacity below which a port has room.
const WITH_ROOM: f64 = 0.97;

/// The share of its time from which on commands to a drive wait for others long enough to be worth a word.
const QUEUED: f64 = 0.6;

/// That no resource of the server limits, with the one that is nearest to it.
pub(crate) fn nothing_limits(outcome: &Outcome) -> String {
    let of_server = |used: &&ResourceUse| used.kind != ResourceKind::Client;
    let saturations = outcome.resources.iter().filter(of_server);
    let saturations = saturations.map(|used| (used.rate / used.usable(), used));
    let fullest = saturations.rev().max_by(|a, b| a.0.total_cmp(&b.0));
    match fullest {
        Some((share, ResourceUse { resource, .. })) if share >= FULL => format!(
            "More of {}, which is at {} of its usable capacity, would bring nothing",
            resource.id,
            percent(share)
        ),
        Some((share, used)) => format!(
            "Nothing in the server is full (at most {} of usable capacity: {}{})",
            percent(share),
            used.id,
            if used.device.is_some() && share >= QUEUED {
                ", whose queue takes time: a faster one, or more of them, brings more too"
            } else {
                ""
            }
        ),
        None => "Nothing in the server is full".to_owned(),
    }
}

/// What to know of ports with the capacity of these full ones, of which `first` is one, that are less full.
pub(crate) fn less_full_ports(
    resources: &[usize],
    first: &ResourceUse,
    outcome: &Outcome,
    tense: Tense,
) -> String {
    let wire = |found: &ResourceUse| match found.role {
        Role::Port {
            resource: PortResource::Wire(direction),
            ..
        } => Some(direction),
        _ => None,
    };
    let Some(direction) = wire(first) else {
        return String::new();
    };
    let others = outcome.resources.iter().enumerate().filter(|(index, found)| {
        let is_used = found.rate > 0.0 && found.saturation() < WITH_ROOM;
        let is_equal = wire(found) == Some(direction) && found.capacity == first.capacity;
        is_used && is_equal && !resources.contains(index)
    });
    let others: Vec<f64> = others.map(|(_, found)| found.saturation()).collect();
    let most = percent(others.iter().copied().fold(0.0, f64::max));
    // A full slot is another reason, which the table of resources shows.
    let in_turn = !outcome
        .resources
        .iter()
        .any(|found| found.kind == ResourceKind::Pcie && found.saturation() >= WITH_ROOM);
    let because = if in_turn {
        ", because clients are assigned to ports in turn"
    } else {
        ""
    };
    let would = matches!(tense, Tense::Then);
    match others.len() {
        0 => String::new(),
        1 => {
            let is = if would { "would be" } else { "is" };
            format!("; another such port {is} {most} full{because}")
        }
        several => {
            let are = if would { "would be" } else { "are" };
            format!("; {several} other such ports {are} at most {most} full{because}")
        }
    }
}

/// The verb of memory controllers whose load has writes in it, which weigh more than reads: their rate is
/// not that of the bytes.
pub(crate) fn weighted_load(
    first: &ResourceUse,
    outcome: &Outcome,
    tense: Tense,
    one: bool,
) -> Option<&'static str> {
    let Role::Memory { socket } = first.role else {
        return None;
    };
    let memory = outcome.sockets.get(socket)?.memory;
    (memory.writes > 0.0).then_some(match (tense, one) {
        (Tense::Now, true) => "has a load (writes weigh more than reads) of",
        (Tense::Now, false) => "each have a load (writes weigh more than reads) of",
        (Tense::Then, true) => "would have a load (writes weigh more than reads) of",
        (Tense::Then, false) => "would each have a load (writes weigh more than reads) of",
    })
}

/// The share of a capacity that is written as all of it.
const ALL: f64 = 0.995;

/// How much of its usable capacity a resource carries, before `of`: `all`, or `97.9 %`.
pub(crate) fn all_of(resource: &ResourceUse) -> String {
    share_or(resource, "all", "")
}

/// The same before what it can carry: `all that`, or `97.9 % of what`.
pub(crate) fn all_that(resource: &ResourceUse) -> String {
    share_or(resource, "all that", " of what")
}

fn share_or(resource: &ResourceUse, all: &str, of: &str) -> String {
    match resource.saturation() {
        share if share >= ALL => all.to_owned(),
        share => format!("{:.1} %{of}", 100.0 * share),
    }
}

/// How much of the time devices are busy, the least of them at least.
pub(crate) fn busy_time(saturations: impl Iterator<Item = f64>) -> String {
    match saturations.fold(1.0, f64::min) {
        least if least >= ALL => "all of the time".to_owned(),
        least => format!("{:.1} % of the time", 100.0 * least),
    }
}
