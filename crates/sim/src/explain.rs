//! Why an outcome is what it is: the bottleneck, and what would limit the server once that is relieved.

use std::borrow::Cow;

use bandgraph_topology::ResourceKind;
use bandgraph_units::OperationRate;

use crate::bind::Bound;
use crate::latency::Fabric;
use crate::outcome::{Outcome, Throughput};
use crate::predict::SteadyState;
use crate::{RunError, wording};

/// What kind of thing holds a server back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    /// Resources of one kind that are used up to their ceiling.
    Resource(ResourceKind),
    /// One thread cannot use more than one core: more threads would help.
    Core,
    /// The clients do not have enough operations outstanding to fill anything: latency and think time limit.
    Concurrency,
    /// All operations come at a rate, and the server keeps up with it.
    Offered,
}

impl LimitKind {
    /// Every kind there is.
    pub fn all() -> impl Iterator<Item = Self> {
        let others = [Self::Core, Self::Concurrency, Self::Offered];
        ResourceKind::ALL.into_iter().map(Self::Resource).chain(others)
    }

    /// The word that reports use: `hypertransport`, `pcie`, …, `core`, `concurrency`, `offered`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resource(kind) => kind.as_str(),
            Self::Core => "core",
            Self::Concurrency => "concurrency",
            Self::Offered => "offered",
        }
    }
}

/// What holds the server back.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// What kind of limit it is.
    pub kind: LimitKind,
    /// The ids of the resources that are full together, the fullest first; empty for limits that are no resource.
    pub resources: Vec<String>,
    /// Rate over raw capacity of the first of them, 0 to 1; 0 for limits that are no resource.
    pub utilisation: f64,
    /// One plain sentence: what is full, how full, and why.
    pub explanation: String,
}

impl Limit {
    /// The id that stands for this limit: its first resource, or the kind where there is none.
    pub fn id(&self) -> &str {
        self.resources.first().map_or(self.kind.as_str(), String::as_str)
    }
}

/// What relieving a limit would bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Relief {
    /// The limit that comes next.
    pub next: Limit,
    /// Throughput in operations per second after the relief over that before it, less one: 0.18 is 18 % more.
    pub throughput_gain: f64,
    /// The throughput that the next limit allows.
    pub throughput: Throughput,
}

/// The bottleneck of an outcome, and the one behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// What holds the server back.
    pub bottleneck: Limit,
    /// What would hold it back next, if the bottleneck had no limit; `None` where the limit cannot be taken away.
    pub relief: Option<Relief>,
}

/// Saturation from which a resource counts as full. A simulation fills its bottleneck less than wholly when its
/// threads meet by chance.
const FULL: f64 = 0.97;
/// How much fuller one resource may be than another for both to count as full together.
const TOGETHER: f64 = 0.02;
/// Relative step of a capacity that tells how much throughput hangs on it.
const STEP: f64 = 0.01;
/// How many times more threads stand for "as many as it takes".
const MORE_THREADS: f64 = 1e4;
/// How many times fewer are tried where so many have no steady state.
const FEWER: f64 = 10.0;

/// Finds the bottleneck of an outcome, and solves what would limit the server next.
///
/// Several resources can be full at once. The bottleneck is the group of equals (one kind, equally full) on which
/// most throughput hangs: each group gets a little more capacity in turn, and the one that brings most is it.
///
/// # Errors
///
/// [`RunError`], where a steady state with other capacities cannot be found; not a user's fault.
pub fn explain(bound: &Bound, outcome: &Outcome) -> Result<Explained, RunError> {
    let hardware = Hardware::of(bound);
    let steady = hardware.solve(bound, 1.0)?;
    let limiter = Limiter::find(bound, outcome, &hardware, &steady, 1.0)?;
    let (relieved, threads) = limiter.relieve(&hardware);
    let relief = if limiter.kind == LimitKind::Core {
        None
    } else {
        let before = steady.outcome(bound).throughput.operations;
        Some(relief(bound, &relieved, threads, before)?)
    };
    Ok(Explained {
        bottleneck: limiter.describe(bound, outcome),
        relief,
    })
}

/// What a scenario runs on, as it is or with some of it faster: capacities, and what lines wait for on links and memory.
/// The same as [`Bound::scaled`], without a copy of all else.
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
/// With very many threads before several limits, who waits where is hardly determined, and the steady state is not found;
/// fewer do then.
fn relief(
    bound: &Bound,
    relieved: &Hardware<'_>,
    threads: f64,
    before: OperationRate,
) -> Result<Relief, RunError> {
    let with = |threads: f64| -> Result<Relief, RunError> {
        let after = relieved.solve(bound, threads)?;
        let after_outcome = after.outcome(bound);
        let next = Limiter::find(bound, &after_outcome, relieved, &after, threads)?;
        Ok(Relief {
            next: next.describe(bound, &after_outcome),
            throughput_gain: after_outcome.throughput.operations / before - 1.0,
            throughput: after_outcome.throughput,
        })
    };
    match with(threads) {
        Err(RunError::NotConverged { .. }) if threads > FEWER => {
            relief(bound, relieved, threads / FEWER, before)
        }
        found => found,
    }
}

/// What limits, before it is put into words.
struct Limiter {
    kind: LimitKind,
    /// Indices of the resources that are full together, the fullest first.
    resources: Vec<usize>,
}

impl Limiter {
    fn find(
        bound: &Bound,
        outcome: &Outcome,
        hardware: &Hardware<'_>,
        steady: &SteadyState,
        threads: f64,
    ) -> Result<Self, RunError> {
        let mut best: Option<(f64, Self)> = None;
        let now = steady.operations();
        let groups = full_groups(bound, outcome, &hardware.capacities);
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

    fn describe(&self, bound: &Bound, outcome: &Outcome) -> Limit {
        Limit {
            kind: self.kind,
            resources: self
                .resources
                .iter()
                .map(|&resource| bound.resources[resource].id.clone())
                .collect(),
            utilisation: self
                .resources
                .first()
                .map_or(0.0, |&first| outcome.resources[first].utilisation()),
            explanation: wording::sentence(self.kind, &self.resources, bound, outcome),
        }
    }
}

/// The full resources, in groups of one kind that are about equally full; in the order of the topology.
fn full_groups(bound: &Bound, outcome: &Outcome, capacities: &[f64]) -> Vec<(ResourceKind, Vec<usize>)> {
    let saturation = |resource: usize| outcome.resources[resource].rate / capacities[resource];
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
