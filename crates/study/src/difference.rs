//! The differences between two outcomes.

use std::collections::BTreeMap;
use std::ops::{Div, Sub};

use bandgraph_hardware::hypertransport::Cause;
use bandgraph_solve::{Outcome, Percentiles, ResourceUse};
use bandgraph_topology::{ResourceKind, Unit};
use bandgraph_units::{Bandwidth, Bytes, OperationRate, Quantity, Time};

/// A figure before and after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change<Q> {
    /// The figure of the base.
    pub before: Q,
    /// The figure of the variant.
    pub after: Q,
}

impl<Q: Copy + Sub<Output = Q> + Div<Output = f64>> Change<Q> {
    /// `after` − `before`.
    pub fn absolute(&self) -> Q {
        self.after - self.before
    }

    /// `after` / `before` − 1: 0.18 is 18 % more. `None` if `before` is zero.
    pub fn relative(&self) -> Option<f64> {
        let relative = (self.after - self.before) / self.before;
        relative.is_finite().then_some(relative)
    }
}

impl<Q: Quantity> Change<Q> {
    /// The same values as numbers in the base unit.
    pub fn in_base_units(self) -> Change<f64> {
        Change {
            before: self.before.base(),
            after: self.after.base(),
        }
    }
}

/// The change of one resource. A resource that one of the two outcomes lacks counts as unused there.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceDifference {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: ResourceKind,
    /// The unit of capacities and rates.
    pub unit: Unit,
    /// The number of equal resources that it represents; 0 if the outcome lacks it.
    pub count: Change<f64>,
    /// Raw capacity in `unit`; 0 if the outcome lacks the resource.
    pub capacity: Change<f64>,
    /// Units used per second.
    pub rate: Change<f64>,
    /// Rate over usable capacity, 0 to 1.
    pub saturation: Change<f64>,
}

/// The change of the traffic on one direction of a socket link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkDifference {
    /// Its id, such as `link.cpu0-cpu1`.
    pub id: String,
    /// Bytes per second for all causes.
    pub rate: Change<Bandwidth>,
    /// Bytes per completed operation, which does not depend on throughput.
    pub per_operation: Change<Bytes>,
    /// Bytes per second for each cause, in the order of [`Cause::ALL`].
    pub by_cause: Vec<(Cause, Change<Bandwidth>)>,
    /// Bytes per completed operation for each cause, in the order of [`Cause::ALL`].
    pub per_operation_by_cause: Vec<(Cause, Change<Bytes>)>,
}

/// The change of the cores of one socket. A socket that one of the two outcomes lacks counts as idle there.
#[derive(Clone, Debug, PartialEq)]
pub struct SocketDifference {
    /// Its id.
    pub id: String,
    /// Share of non-idle cycles, 0 to 1.
    pub busy: Change<f64>,
    /// Share of cycles that wait for memory, 0 to 1.
    pub stalled: Change<f64>,
    /// Cycles per instruction.
    pub cycles_per_instruction: Change<f64>,
}

/// The differences between two outcomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Completed operations per second.
    pub operations: Change<OperationRate>,
    /// File data moved for clients.
    pub payload: Change<Bandwidth>,
    /// Bytes at the server's network ports.
    pub network: Change<Bandwidth>,
    /// Bytes at the disks.
    pub disk: Change<Bandwidth>,
    /// Mean latency.
    pub latency_mean: Change<Time>,
    /// Percentiles of latency; `None` unless both outcomes have them.
    pub percentiles: Option<Change<Percentiles>>,
    /// The resources of both outcomes: those of the base in its order, then those of the variant only.
    pub resources: Vec<ResourceDifference>,
    /// The socket links of both outcomes, in the same order.
    pub links: Vec<LinkDifference>,
    /// The sockets of both outcomes, in the same order.
    pub sockets: Vec<SocketDifference>,
}

/// Compares `variant` with `base`.
pub fn difference(base: &Outcome, variant: &Outcome) -> Difference {
    let change = |of: fn(&Outcome) -> Bandwidth| Change {
        before: of(base),
        after: of(variant),
    };
    Difference {
        operations: Change {
            before: base.throughput.operations,
            after: variant.throughput.operations,
        },
        payload: change(|outcome| outcome.throughput.payload),
        network: change(|outcome| outcome.throughput.network),
        disk: change(|outcome| outcome.throughput.disk),
        latency_mean: Change {
            before: base.latency.mean,
            after: variant.latency.mean,
        },
        percentiles: base
            .latency
            .percentiles
            .zip(variant.latency.percentiles)
            .map(|(before, after)| Change { before, after }),
        resources: resources(base, variant),
        links: links(base, variant),
        sockets: sockets(base, variant),
    }
}

/// The entries of two lists, paired by id: those of the first list in its order, then those of the second
/// only.
fn paired<'a, T>(before: &'a [T], after: &'a [T], id: fn(&T) -> &str) -> Vec<(Option<&'a T>, Option<&'a T>)> {
    let index =
        |list: &'a [T]| -> BTreeMap<&'a str, &'a T> { list.iter().map(|entry| (id(entry), entry)).collect() };
    let (in_before, in_after) = (index(before), index(after));
    let both = before
        .iter()
        .map(|entry| (Some(entry), in_after.get(id(entry)).copied()));
    let new = after.iter().filter(|entry| !in_before.contains_key(id(entry)));
    both.chain(new.map(|entry| (None, Some(entry)))).collect()
}

/// A figure of both entries; zero for a missing entry.
fn of_both<T, Q: Default>(pair: (Option<&T>, Option<&T>), figure: impl Fn(&T) -> Q) -> Change<Q> {
    Change {
        before: pair.0.map(&figure).unwrap_or_default(),
        after: pair.1.map(&figure).unwrap_or_default(),
    }
}

fn resources(base: &Outcome, variant: &Outcome) -> Vec<ResourceDifference> {
    let pairs = paired(&base.resources, &variant.resources, |resource| &resource.id);
    pairs
        .into_iter()
        .filter_map(|pair| {
            let either = pair.0.or(pair.1)?;
            Some(ResourceDifference {
                id: either.id.clone(),
                kind: either.kind,
                unit: either.unit,
                count: of_both(pair, |resource| f64::from(resource.count)),
                capacity: of_both(pair, |resource| resource.capacity),
                rate: of_both(pair, |resource| resource.rate),
                saturation: of_both(pair, ResourceUse::saturation),
            })
        })
        .collect()
}

fn links(base: &Outcome, variant: &Outcome) -> Vec<LinkDifference> {
    let per_operation = |change: Change<Bandwidth>| {
        let over = |rate: Bandwidth, outcome: &Outcome| {
            let bytes = rate.get() / outcome.throughput.operations.get();
            Bytes::new(if bytes.is_finite() { bytes } else { 0.0 })
        };
        Change {
            before: over(change.before, base),
            after: over(change.after, variant),
        }
    };
    let pairs = paired(&base.link_traffic, &variant.link_traffic, |link| &link.id);
    pairs
        .into_iter()
        .filter_map(|pair| {
            let either = pair.0.or(pair.1)?;
            let by_cause: Vec<(Cause, Change<Bandwidth>)> = Cause::ALL
                .iter()
                .map(|&cause| (cause, of_both(pair, |link| rate_of(&link.by_cause, Some(cause)))))
                .collect();
            let rate = of_both(pair, |link| rate_of(&link.by_cause, None));
            Some(LinkDifference {
                id: either.id.clone(),
                rate,
                per_operation: per_operation(rate),
                per_operation_by_cause: by_cause
                    .iter()
                    .map(|&(cause, change)| (cause, per_operation(change)))
                    .collect(),
                by_cause,
            })
        })
        .collect()
}

/// The traffic for one cause, or the sum over all causes.
fn rate_of(by_cause: &[(Cause, Bandwidth)], wanted: Option<Cause>) -> Bandwidth {
    let chosen = by_cause
        .iter()
        .filter(|(cause, _)| wanted.is_none_or(|wanted| wanted == *cause));
    chosen.map(|&(_, rate)| rate).sum()
}

fn sockets(base: &Outcome, variant: &Outcome) -> Vec<SocketDifference> {
    let pairs = paired(&base.sockets, &variant.sockets, |socket| &socket.id);
    pairs
        .into_iter()
        .filter_map(|pair| {
            let either = pair.0.or(pair.1)?;
            Some(SocketDifference {
                id: either.id.clone(),
                busy: of_both(pair, |socket| socket.busy),
                stalled: of_both(pair, |socket| socket.stalled),
                cycles_per_instruction: of_both(pair, |socket| socket.cycles_per_instruction),
            })
        })
        .collect()
}
