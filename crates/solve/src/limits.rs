//! What limits a steady state, and what would limit it once that is relieved; without words, which `explain`
//! adds.
//!
//! Several resources can be full at once. The bottleneck is the group of equals (one kind, equally full) on
//! which most throughput hangs: each group gets a little more capacity in turn, and the one that brings most
//! is it.

use std::borrow::Cow;
use std::sync::Arc;

use bandgraph_model::{Bound, Fabric};
use bandgraph_topology::{Resource, ResourceKind};

use crate::RunError;
use crate::limit_kind::LimitKind;
use crate::outcome::Outcome;
use crate::predict::SteadyState;

/// Saturation from which a resource counts as full. A simulation fills its bottleneck less than wholly when
/// its threads meet by chance.
const FULL: f64 = 0.97;
/// How much fuller one resource may be than another for both to count as full together.
const TOGETHER: f64 = 0.02;
/// Relative step of a capacity that tells how much throughput hangs on it.
const STEP: f64 = 0.01;
/// How many times more threads stand for "as many as it takes".
const MORE_THREADS: f64 = 1e4;
/// How many times fewer are tried where so many have no steady state.
const FEWER: f64 = 10.0;

/// A limit in figures alone.
#[derive(Clone, Debug, PartialEq)]
pub struct BareLimit {
    /// What kind of limit it is.
    pub kind: LimitKind,
    /// The fullest of the resources that are full together; `None` for limits that are no resource.
    pub resource: Option<Arc<Resource>>,
    /// Its rate over its raw capacity, 0 to 1; 0 for limits that are no resource.
    pub utilisation: f64,
}

impl BareLimit {
    /// The id that stands for this limit: as [`Limit::id`](crate::Limit::id).
    pub fn id(&self) -> &str {
        self.resource
            .as_ref()
            .map_or(self.kind.as_str(), |resource| &resource.id)
    }
}

/// What [`explain`](crate::explain) finds, in figures alone: for those who ask it of thousands of scenarios.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// What holds the server back.
    pub bottleneck: BareLimit,
    /// What would hold it back next, and the relative gain in throughput until then; `None` where the
    /// bottleneck cannot be taken away.
    pub next: Option<(BareLimit, f64)>,
}

/// What limits an outcome of a bound scenario with this steady state, in figures alone.
///
/// # Errors
///
/// As [`explain`](crate::explain).
pub fn limits_of(bound: &Bound, steady: &SteadyState, outcome: &Outcome) -> Result<Limits, RunError> {
    let rates = outcome.rates();
    let (limiter, relieved) = find(bound, &rates, steady)?;
    let next = relieved.map(|relieved| {
        let rates = bound.with_all_disks(&relieved.steady.resource_rates);
        (relieved.next.bare(bound, &rates), relieved.gain(bound, steady))
    });
    Ok(Limits {
        bottleneck: limiter.bare(bound, &rates),
        next,
    })
}

/// The steady state once a limit is relieved, and what limits it then.
pub(crate) struct Relieved {
    pub(crate) steady: SteadyState,
    pub(crate) next: Limiter,
}

impl Relieved {
    /// Throughput in operations per second over that of the steady state before, less one.
    pub(crate) fn gain(&self, bound: &Bound, before: &SteadyState) -> f64 {
        let operations = |steady: &SteadyState| steady.totals(bound).throughput.operations;
        operations(&self.steady) / operations(before) - 1.0
    }
}

/// What limits, and how it is once that is relieved; `None` where it cannot be taken away.
pub(crate) fn find(
    bound: &Bound,
    rates: &[f64],
    steady: &SteadyState,
) -> Result<(Limiter, Option<Relieved>), RunError> {
    let hardware = Hardware::of(bound);
    let limiter = Limiter::find(bound, rates, &hardware, steady, 1.0)?;
    if limiter.kind == LimitKind::Core {
        return Ok((limiter, None));
    }
    let (relieved, threads) = limiter.relieve(&hardware);
    let relieved = relief(bound, &relieved, threads)?;
    Ok((limiter, Some(relieved)))
}

/// What a scenario runs on, as it is or with some of it faster: capacities, and what lines wait for on links
/// and memory. The same as [`Bound::scaled`], without a copy of all else.
#[derive(Clone)]
struct Hardware<'a> {
    fabric: Cow<'a, Fabric>,
    /// Usable capacities, by resource.
    capacities: Vec<f64>,
}

impl<'a> Hardware<'a> {
    fn of(bound: &'a Bound) -> Self {
        Self {
            fabric: Cow::Borrowed(&bound.fabric),
            capacities: bound.usable_capacities(),
        }
    }

    fn scaled(&self, resources: &[usize], factor: f64) -> Self {
        let mut scaled = self.clone();
        for &resource in resources {
            scaled.capacities[resource] *= factor;
            scaled.fabric.to_mut().scale(resource, factor);
        }
        scaled
    }

    fn solve(&self, bound: &Bound, threads: f64) -> Result<SteadyState, RunError> {
        SteadyState::solve_over(bound, &self.fabric, &self.capacities, threads)
    }
}

/// What limits with these capacities and so many times the threads.
///
/// With very many threads before several limits, who waits where is hardly determined, and the steady state
/// is not found; fewer do then.
fn relief(bound: &Bound, relieved: &Hardware<'_>, threads: f64) -> Result<Relieved, RunError> {
    let with = |threads: f64| -> Result<Relieved, RunError> {
        let steady = relieved.solve(bound, threads)?;
        let rates = bound.with_all_disks(&steady.resource_rates);
        let next = Limiter::find(bound, &rates, relieved, &steady, threads)?;
        Ok(Relieved { steady, next })
    };
    match with(threads) {
        Err(RunError::NotConverged { .. }) if threads > FEWER => relief(bound, relieved, threads / FEWER),
        found => found,
    }
}

/// What limits, before it is put into words.
pub(crate) struct Limiter {
    pub(crate) kind: LimitKind,
    /// Indices of the resources that are full together, the fullest first.
    pub(crate) resources: Vec<usize>,
}

impl Limiter {
    fn find(
        bound: &Bound,
        rates: &[f64],
        hardware: &Hardware<'_>,
        steady: &SteadyState,
        threads: f64,
    ) -> Result<Self, RunError> {
        let mut best: Option<(f64, Self)> = None;
        let now = steady.operations();
        let groups = full_groups(bound, rates, &hardware.capacities);
        let alone = groups.len() == 1;
        for (kind, resources) in groups {
            let gain = if alone {
                0.0
            } else {
                let more = hardware.scaled(&resources, 1.0 + STEP);
                more.solve(bound, threads)?.operations() / now - 1.0
            };
            if best.as_ref().is_none_or(|(most, _)| gain > *most) {
                best = Some((
                    gain,
                    Self {
                        kind: LimitKind::Resource(kind),
                        resources,
                    },
                ));
            }
        }
        if let Some((_, limiter)) = best {
            return Ok(limiter);
        }
        let kind = if steady.core_bound_share(bound) > 0.5 {
            LimitKind::Core
        } else if bound.threads.iter().all(|group| group.offered().is_some()) {
            LimitKind::Offered
        } else {
            LimitKind::Concurrency
        };
        Ok(Self {
            kind,
            resources: Vec::new(),
        })
    }

    /// Hardware and a multiple of the threads with which this limit is gone.
    fn relieve<'a>(&self, hardware: &Hardware<'a>) -> (Hardware<'a>, f64) {
        let relieved = hardware.scaled(&self.resources, Bound::UNLIMITED);
        let threads = match self.kind {
            LimitKind::Concurrency | LimitKind::Offered => MORE_THREADS,
            LimitKind::Resource(_) | LimitKind::Core => 1.0,
        };
        (relieved, threads)
    }

    /// Rate over raw capacity of the first resource; 0 for a limit that is no resource.
    pub(crate) fn utilisation(&self, bound: &Bound, rates: &[f64]) -> f64 {
        self.resources
            .first()
            .map_or(0.0, |&first| rates[first] / bound.resources[first].capacity)
    }

    fn bare(&self, bound: &Bound, rates: &[f64]) -> BareLimit {
        BareLimit {
            kind: self.kind,
            resource: self
                .resources
                .first()
                .map(|&first| Arc::clone(&bound.resources[first])),
            utilisation: self.utilisation(bound, rates),
        }
    }
}

/// The full resources, in groups of one kind that are about equally full; in the order of the topology.
fn full_groups(bound: &Bound, rates: &[f64], capacities: &[f64]) -> Vec<(ResourceKind, Vec<usize>)> {
    let saturation = |resource: usize| rates[resource] / capacities[resource];
    let mut groups: Vec<(ResourceKind, Vec<usize>)> = Vec::new();
    for resource in (0..bound.resources.len()).filter(|&resource| saturation(resource) >= FULL) {
        let kind = bound.resources[resource].kind;
        match groups.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, group)) => group.push(resource),
            None => groups.push((kind, vec![resource])),
        }
    }
    for (_, group) in &mut groups {
        group.sort_by(|&a, &b| saturation(b).total_cmp(&saturation(a)).then(a.cmp(&b)));
        let fullest = saturation(group[0]);
        group.retain(|&resource| saturation(resource) >= fullest - TOGETHER);
        // Equally full within what a simulation can tell: the order of the topology decides.
        group.sort_unstable();
    }
    groups
}
