//! What cores work on, in words.

use bandgraph_hardware::DrivePart;
use bandgraph_model::{Bound, WorkParts};
use bandgraph_topology::ResourceKind;
use bandgraph_units::Time;

use crate::limit_kind::LimitKind;
use crate::limits::{FULL, Limiter};
use crate::outcome::Outcome;
use crate::predict::SteadyState;
use crate::wording::percent;

/// Parts of the work below this share are not listed.
const LEAST: f64 = 0.005;
/// Seconds at disks below which they are not named: less than a short seek.
const SHORTEST: f64 = 1e-4;

/// An additional sentence where cores or single operations limit: how long an operation keeps a core busy,
/// and what for.
pub(crate) fn work_of_cores(
    limiter: &Limiter,
    bound: &Bound,
    steady: &SteadyState,
    outcome: &Outcome,
) -> String {
    let is_alone = matches!(limiter.kind, LimitKind::Core | LimitKind::Concurrency);
    let operations = outcome.throughput.operations.get();
    if operations <= 0.0 {
        return String::new();
    }
    if !is_alone && limiter.kind != LimitKind::Resource(ResourceKind::Cpu) {
        return waiting_cores(outcome);
    }
    let mut parts = WorkParts::default();
    for (class, rate) in bound.classes.iter().zip(&steady.class_rates) {
        parts.add(&class.parts, *rate);
    }
    let at_disks = if limiter.kind == LimitKind::Concurrency {
        time_of_disks(bound, steady, operations)
    } else {
        String::new()
    };
    let total = parts.total();
    if total <= 0.0 {
        return at_disks;
    }
    let cores = outcome.sockets.iter().zip(bound.sockets.iter());
    let cores = cores.map(|(used, socket)| {
        let cores = bound.resources[socket.cpu].capacity / socket.clock;
        [used.busy * cores, used.stalled * cores]
    });
    let [busy, stalled] = cores.fold([0.0; 2], |[busy, stalled], [more, waits]| {
        [busy + more, stalled + waits]
    });
    let all = busy / operations;
    // A lone operation does not wait for the work after its reply.
    let after = if is_alone {
        all * parts.deferred / total
    } else {
        0.0
    };
    let held = all - after;
    let mean = outcome.latency.mean.get();
    let of_latency = if is_alone && held < mean {
        format!(" of its {}", Time::new(mean))
    } else {
        String::new()
    };
    let waits = if is_alone && stalled > LEAST * busy {
        format!(", {} of that waiting for memory", percent(stalled / busy))
    } else {
        String::new()
    };
    let later = if after > LEAST * all {
        format!(", and for {} after its reply", Time::new(after))
    } else {
        String::new()
    };
    format!(
        " An operation keeps a core busy for {}{of_latency}{waits}{later}; {}.{at_disks}",
        Time::new(held),
        shares(&parts)
    )
}

/// An additional sentence where disks with arms take most of the time of an operation, although none is full.
fn time_of_disks(bound: &Bound, steady: &SteadyState, operations: f64) -> String {
    let with_arms = bound
        .banks
        .iter()
        .filter(|bank| matches!(bank.part, DrivePart::Disk(_)));
    let busy = with_arms.map(|bank| {
        let rates = bank.resources.iter().map(|&at| steady.resource_rates[at]);
        rates.sum::<f64>() / bank.units()
    });
    let each = busy.sum::<f64>() / operations;
    if each > SHORTEST {
        format!(" Disks are busy for {} for it.", Time::new(each))
    } else {
        String::new()
    }
}

/// An additional sentence where something else limits and cores are busy too.
fn waiting_cores(outcome: &Outcome) -> String {
    let full = outcome.sockets.iter().filter(|socket| socket.busy >= FULL);
    let stalls = full.map(|socket| socket.stalled / socket.busy);
    stalls.reduce(f64::max).map_or_else(String::new, |stalled| {
        format!(
            " Cores are busy as well, up to {} of that waiting for memory.",
            percent(stalled)
        )
    })
}

/// The shares of the parts of some work, the largest first.
fn shares(parts: &WorkParts) -> String {
    let total = parts.total();
    let mut named = parts.named().map(|(words, seconds)| (words, seconds / total));
    named.sort_by(|a, b| b.1.total_cmp(&a.1));
    let listed = named.iter().filter(|(_, share)| *share >= LEAST);
    let listed: Vec<String> = listed
        .map(|(words, share)| format!("{} for {words}", percent(*share)))
        .collect();
    match listed.as_slice() {
        [others @ .., last] if !others.is_empty() => {
            format!("its work is {} and {last}", others.join(", "))
        }
        _ => format!("all of its work is for {}", named[0].0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_listed_by_size() {
        let parts = WorkParts {
            call: 2e-6,
            bytes: 5e-6,
            drives: 1e-6,
            packets: 1e-9,
            ..WorkParts::default()
        };
        assert_eq!(
            shares(&parts),
            "its work is 62 % for bytes of payload (copies, checksums), 25 % for calls and 12 % for the \
             file system and drives"
        );
        let one = WorkParts {
            call: 1e-6,
            ..WorkParts::default()
        };
        assert_eq!(shares(&one), "all of its work is for calls");
    }
}
