//! The limit of a steady state, and the next limit; without words, which `explain` adds.
//!
//! Several resources can be saturated at once. The bottleneck is the group of equals (one kind, equally
//! saturated) with the greatest effect on throughput: each group in turn gets slightly more capacity. A
//! resource without a gain is no bottleneck, however saturated; of several with a gain, the bottleneck is the
//! one of which twice as much gains most. Only purchasable units are relieved: a cable with both of its
//! directions, and sockets of a kind together. If two kinds limit at the same rate, neither has a gain alone,
//! and they are relieved together.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::mem::discriminant;

use bandgraph_model::{Bound, Fabric};
use bandgraph_topology::{Resource, ResourceKind, Role};

use crate::RunError;
use crate::iteration::SearchMemory;
use crate::limit_kind::LimitKind;
use crate::meetings::QUITE_FULL;
use crate::outcome::Outcome;
use crate::predict::SteadyState;

/// Saturation from which a resource counts as full: with random overlaps of threads, the bottleneck is not
/// quite full.
pub(crate) const FULL: f64 = 0.97;
/// A relative gain in throughput that is a rounding error.
const NO_GAIN: f64 = 1e-7;
/// A relative gain in throughput that is not worth buying anything.
pub(crate) const WORTH_NOTHING: f64 = 5e-3;
/// Factor on the rate of socket links that is tried if cores wait for them.
pub(crate) const FASTER_LINKS: f64 = 2.0;
/// Maximum difference in saturation of two resources that count as saturated together.
const TOGETHER: f64 = 0.02;
/// Relative step of a capacity for the derivative of the throughput.
const STEP: f64 = 0.01;
/// The gain per capacity of a limit that holds all clients, others at most a little: rounding, and waiting.
const HOLDS_ALL: f64 = 0.9;
/// The capacity of the next size of a resource: most parts come in steps of two.
const NEXT_SIZE: f64 = 2.0;
/// Least factor on the threads that represents an unlimited number, how many times as many as fill the
/// fullest resource it is at least, and the most.
const MORE_THREADS: f64 = 1e4;
const AMPLE_THREADS: f64 = 100.0;
const MOST_THREADS: f64 = 1e15;
/// Factor by which they are reduced if there is no steady state.
const FEWER: f64 = 10.0;

/// A limit in figures only.
#[derive(Clone, Debug, PartialEq)]
pub struct BareLimit {
    /// The kind of limit.
    pub kind: LimitKind,
    /// The fullest of the resources that are saturated together; `None` for limits that are no resource.
    pub resource: Option<Resource>,
    /// Its rate over its usable capacity, 0 to 1; 0 for limits that are no resource.
    pub utilisation: f64,
}

impl BareLimit {
    /// The id of this limit: as [`Limit::id`](crate::Limit::id).
    pub fn id(&self) -> &str {
        self.resource
            .as_ref()
            .map_or(self.kind.as_str(), |resource| &resource.id)
    }
}

/// The result of [`explain`](crate::explain) in figures only, for use with thousands of scenarios.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The bottleneck.
    pub bottleneck: BareLimit,
    /// The next limit, and the relative gain in throughput up to it; `None` if the bottleneck cannot be
    /// removed.
    pub next: Option<(BareLimit, f64)>,
}

/// The limits of an outcome of a bound scenario with this steady state, in figures only.
///
/// # Errors
///
/// As [`explain`](crate::explain).
pub fn limits_of(bound: &Bound, steady: &SteadyState, outcome: &Outcome) -> Result<Limits, RunError> {
    let rates = outcome.rates();
    let (limiter, relieved) = find(bound, &rates, steady)?;
    let next = relieved.map(|relieved| {
        let rates = bound.with_represented(&relieved.steady.resource_rates);
        (relieved.next.bare(bound, &rates), relieved.gain(steady))
    });
    Ok(Limits {
        bottleneck: limiter.bare(bound, &rates),
        next,
    })
}

/// A bottleneck that can be relieved in every scenario that differs from its own in figures only.
pub struct Bottleneck {
    /// The kinds and roles of the resources that are relieved.
    kinds: Vec<ResourceKind>,
    roles: BTreeSet<Role>,
    /// The steady state of its own scenario after that, where the search in others begins.
    relieved: SteadyState,
}

impl Bottleneck {
    /// The resource that limits a bound scenario with this steady state; `None` if none does.
    ///
    /// # Errors
    ///
    /// As [`explain`](crate::explain).
    pub fn of(bound: &Bound, steady: &SteadyState) -> Result<Option<Self>, RunError> {
        let (limiter, relieved) = find(bound, &bound.with_represented(&steady.resource_rates), steady)?;
        let relieved = relieved.filter(|_| matches!(limiter.kind, LimitKind::Resource(_)));
        Ok(relieved.map(|relieved| {
            let resources = limiter.whole(bound).into_iter();
            let resources = resources.map(|resource| &bound.resources[resource]);
            let mut kinds: Vec<ResourceKind> = resources.clone().map(|one| one.kind).collect();
            kinds.dedup();
            Self {
                kinds,
                roles: resources.map(|one| one.role).collect(),
                relieved: relieved.steady,
            }
        }))
    }

    /// The steady state of a scenario without this limit: its resources carry more than their capacity.
    ///
    /// # Errors
    ///
    /// As [`SteadyState::solve`].
    pub fn relieved(&self, bound: &Bound, memory: &mut SearchMemory) -> Result<SteadyState, RunError> {
        // Figures change how many cores a port uses, and with them the places of resources.
        let all = bound.resources.iter().enumerate();
        let same = all.filter(|(_, one)| self.kinds.contains(&one.kind) && self.roles.contains(&one.role));
        let same: Vec<usize> = same.map(|(index, _)| index).collect();
        let hardware = Hardware::of(bound).scaled(&same, Bound::UNLIMITED);
        self.relieved
            .solve_near(bound, &hardware.fabric, &hardware.capacities, 1.0, memory)
    }
}

/// The steady state after a limit is relieved, and its limit.
pub(crate) struct Relieved {
    pub(crate) steady: SteadyState,
    pub(crate) next: Limiter,
}

impl Relieved {
    /// Relative gain in throughput (operations/s) over the previous steady state.
    pub(crate) fn gain(&self, before: &SteadyState) -> f64 {
        self.steady.operations() / before.operations() - 1.0
    }
}

/// The limit, and the state after its relief; `None` if it cannot be removed. Cores that saturate a line
/// almost completely are named after it: its rate is fixed, and more cores alone have no effect.
pub(crate) fn find(
    bound: &Bound,
    rates: &[f64],
    steady: &SteadyState,
) -> Result<(Limiter, Option<Relieved>), RunError> {
    let (hardware, memory) = (Hardware::of(bound), &mut SearchMemory::default());
    let limiter = Limiter::find(bound, rates, &hardware, steady, 1.0, memory)?;
    let mut relieve = |limiter: &Limiter| -> Result<Relieved, RunError> {
        let (relieved, threads) = limiter.relieve(bound, &hardware, steady);
        relief(bound, &relieved, threads, steady, memory)
    };
    if limiter.kind == LimitKind::Core {
        // Without an answer for very many threads, the limit is still the core.
        let relieved = relieve(&limiter).ok();
        return Ok((limiter, relieved));
    }
    let relieved = relieve(&limiter)?;
    let is_full_line = |next: &[usize]| {
        let saturations = Saturations::new(bound, rates, &hardware.capacities, steady);
        let is_line = |resource: usize| bound.resources[resource].kind != ResourceKind::Cpu;
        let mut next = next.iter();
        next.len() > 0 && next.all(|&resource| is_line(resource) && saturations.is_full(resource))
    };
    let just_before = limiter.kind == LimitKind::Resource(ResourceKind::Cpu)
        && relieved.gain(steady) < WORTH_NOTHING
        && is_full_line(&relieved.next.resources);
    if !just_before {
        return Ok((limiter, Some(relieved)));
    }
    let both = Limiter {
        kind: relieved.next.kind,
        resources: relieved.next.resources,
        together: [limiter.resources, limiter.together].concat(),
    };
    let relieved = relieve(&both)?;
    Ok((both, Some(relieved)))
}

/// Relative gain in throughput of socket links with [`FASTER_LINKS`] times the rate, if cores limit and wait
/// for them; `None` otherwise.
pub(crate) fn faster_links(
    bound: &Bound,
    limiter: &Limiter,
    steady: &SteadyState,
) -> Result<Option<f64>, RunError> {
    let cores = matches!(
        limiter.kind,
        LimitKind::Core | LimitKind::Resource(ResourceKind::Cpu)
    );
    let links: Vec<usize> = bound.fabric.links().collect();
    if !cores || links.is_empty() {
        return Ok(None);
    }
    let faster = Hardware::of(bound).scaled(&links, FASTER_LINKS);
    let faster = faster.solve(bound, 1.0, &mut SearchMemory::default())?;
    let gain = faster.operations() / steady.operations() - 1.0;
    Ok((gain > NO_GAIN).then_some(gain))
}

/// The hardware of a scenario, possibly with some resources faster: capacities, and the queues of lines on
/// links and memory. Equivalent to [`Bound::scaled`], without a copy of the rest.
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

    fn solve(&self, bound: &Bound, threads: f64, memory: &mut SearchMemory) -> Result<SteadyState, RunError> {
        SteadyState::solve_over(bound, &self.fabric, &self.capacities, threads, memory)
    }

    /// The gain in throughput over a similar steady state.
    fn gain(
        &self,
        bound: &Bound,
        threads: f64,
        before: &SteadyState,
        memory: &mut SearchMemory,
    ) -> Result<f64, RunError> {
        let after = before.solve_near(bound, &self.fabric, &self.capacities, threads, memory)?;
        Ok(after.operations() / before.operations() - 1.0)
    }
}

/// The limit with these capacities and a multiple of the threads. With as many threads as before, the search
/// begins at the steady state before.
///
/// With very many threads at several limits, their distribution is almost undetermined, and the steady state
/// is not found; fewer threads are used then.
fn relief(
    bound: &Bound,
    relieved: &Hardware<'_>,
    threads: f64,
    before: &SteadyState,
    memory: &mut SearchMemory,
) -> Result<Relieved, RunError> {
    let mut with = |threads: f64| -> Result<Relieved, RunError> {
        let steady = if threads == 1.0 {
            before.solve_near(bound, &relieved.fabric, &relieved.capacities, threads, memory)?
        } else {
            relieved.solve(bound, threads, memory)?
        };
        if steady.unsettled > 0.0 && threads > FEWER {
            return Err(RunError::NotConverged {
                iterations: 0,
                change: steady.unsettled,
            });
        }
        let rates = bound.with_represented(&steady.resource_rates);
        let next = Limiter::find(bound, &rates, relieved, &steady, threads, memory)?;
        Ok(Relieved { steady, next })
    };
    match with(threads) {
        Err(RunError::NotConverged { .. }) if threads > FEWER => {
            relief(bound, relieved, threads / FEWER, before, memory)
        }
        found => found,
    }
}

/// A limit before it is put into words.
pub(crate) struct Limiter {
    pub(crate) kind: LimitKind,
    /// Indices of the resources that are saturated together, the fullest first.
    pub(crate) resources: Vec<usize>,
    /// Resources of other kinds that must be relieved with them for any gain.
    pub(crate) together: Vec<usize>,
}

impl Limiter {
    fn find(
        bound: &Bound,
        rates: &[f64],
        hardware: &Hardware<'_>,
        steady: &SteadyState,
        threads: f64,
        memory: &mut SearchMemory,
    ) -> Result<Self, RunError> {
        let saturations = Saturations::new(bound, rates, &hardware.capacities, steady);
        let groups = saturations.full_groups();
        let limiter = |kind, resources, together| Self {
            kind: LimitKind::Resource(kind),
            resources,
            together,
        };
        let mut gaining: Vec<(f64, usize)> = Vec::new();
        for index in saturations.fullest_first(&groups) {
            let resources = &groups[index].1;
            // The only full group in the steady state is the bottleneck, unless sockets of its kind have free
            // capacity.
            let only = groups.len() == 1 && saturations.is_quite_full(resources);
            let gain = if only && saturations.is_whole(resources) {
                STEP
            } else {
                let more = hardware.scaled(&whole(bound, resources), 1.0 + STEP);
                match more.gain(bound, threads, steady, memory) {
                    // Another one limits as well, which is what is said then.
                    Err(RunError::NotConverged { .. }) if !gaining.is_empty() => continue,
                    gain => gain?,
                }
            };
            if gain > NO_GAIN {
                gaining.push((gain, index));
            }
            // With everything faster by some factor, so is the throughput: the gains of all add up to it.
            if gain >= HOLDS_ALL * STEP {
                break;
            }
        }
        // Each of several limits may hold other clients. A little more of one with many clients gains more,
        // but its next limit may be near; without any limit, a small port would carry all that others
        // cannot.
        gaining.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best = gaining.first().copied();
        if gaining.len() > 1 && gaining[0].0 < HOLDS_ALL * STEP {
            let mut most = f64::NEG_INFINITY;
            for limit in gaining.into_iter().take(2) {
                let larger = hardware.scaled(&whole(bound, &groups[limit.1].1), NEXT_SIZE);
                let relief = larger.gain(bound, threads, steady, memory)?;
                if relief > most + WORTH_NOTHING {
                    (most, best) = (relief, Some(limit));
                }
            }
        }
        if let Some((gain, index)) = best {
            let (kind, resources) = groups.into_iter().nth(index).expect("it is one of them");
            // A group that is not quite full limits if more of it gains more than more threads do.
            let of_threads = if saturations.is_quite_full(&resources) {
                0.0
            } else {
                hardware.gain(bound, threads * (1.0 + STEP), steady, memory)?
            };
            if gain >= of_threads {
                return Ok(limiter(kind, resources, Vec::new()));
            }
            return Ok(Self::of_clients(bound, steady));
        }
        if groups.len() > 1 {
            let all: Vec<usize> = groups
                .iter()
                .flat_map(|(_, group)| group.iter().copied())
                .collect();
            let more = hardware.scaled(&whole(bound, &all), 1.0 + STEP);
            if more.gain(bound, threads, steady, memory)? > NO_GAIN {
                let (kind, resources) = groups.into_iter().next().expect("there are two at least");
                let others = all.into_iter().filter(|other| !resources.contains(other));
                let others = others.collect();
                return Ok(limiter(kind, resources, others));
            }
        }
        Ok(Self::of_clients(bound, steady))
    }

    /// The limit if no resource limits.
    fn of_clients(bound: &Bound, steady: &SteadyState) -> Self {
        let kind = if steady.core_bound_share(bound) > 0.5 {
            LimitKind::Core
        } else if bound.threads.iter().all(|group| group.offered().is_some()) {
            LimitKind::Offered
        } else {
            LimitKind::Concurrency
        };
        Self {
            kind,
            resources: Vec::new(),
            together: Vec::new(),
        }
    }

    /// Everything that is relieved with this limit.
    fn whole(&self, bound: &Bound) -> Vec<usize> {
        whole(bound, &[self.resources.as_slice(), &self.together].concat())
    }

    /// Hardware and a multiple of the threads with this limit removed: as many as fill a resource, however
    /// low the load is.
    fn relieve<'a>(
        &self,
        bound: &Bound,
        hardware: &Hardware<'a>,
        steady: &SteadyState,
    ) -> (Hardware<'a>, f64) {
        let relieved = hardware.scaled(&self.whole(bound), Bound::UNLIMITED);
        let threads = match self.kind {
            LimitKind::Concurrency | LimitKind::Offered | LimitKind::Core => {
                let saturations = steady.resource_rates.iter().zip(&hardware.capacities);
                let saturations = saturations.map(|(rate, capacity)| rate / capacity);
                let fullest = saturations.fold(0.0, f64::max);
                (AMPLE_THREADS / fullest).clamp(MORE_THREADS, MOST_THREADS)
            }
            LimitKind::Resource(_) => 1.0,
        };
        (relieved, threads)
    }

    /// Rate over usable capacity of the first resource; 0 for a limit that is no resource.
    pub(crate) fn utilisation(&self, bound: &Bound, rates: &[f64]) -> f64 {
        self.resources
            .first()
            .map_or(0.0, |&first| rates[first] / bound.resources[first].usable())
    }

    fn bare(&self, bound: &Bound, rates: &[f64]) -> BareLimit {
        BareLimit {
            kind: self.kind,
            resource: self
                .resources
                .first()
                .map(|&first| bound.resources[first].clone()),
            utilisation: self.utilisation(bound, rates),
        }
    }
}

/// All units that are purchased together with some resources: the other directions of their cables, lanes and
/// ports, and sockets of the same kind.
fn whole(bound: &Bound, resources: &[usize]) -> Vec<usize> {
    let resources = resources.iter().map(|&resource| &bound.resources[resource]);
    let parts: BTreeSet<Role> = resources.clone().map(|one| one.role.part()).collect();
    // Most resources are of none of these elements.
    let mut elements: Vec<_> = parts.iter().map(discriminant).collect();
    elements.dedup();
    let is_cpu = |resource: &Resource| matches!(resource.role, Role::Cpu { .. });
    let sockets: Vec<&Resource> = resources.filter(|one| is_cpu(one)).collect();
    let is_part_of_them = |other: &Resource| {
        elements.contains(&discriminant(&other.role)) && parts.contains(&other.role.part())
            || is_cpu(other) && sockets.iter().any(|socket| is_like(socket, other))
    };
    let all = bound.resources.iter().enumerate();
    all.filter(|(_, other)| is_part_of_them(other))
        .map(|(index, _)| index)
        .collect()
}

/// Whether two sockets are of one kind.
fn is_like(one: &Resource, other: &Resource) -> bool {
    one.detail == other.detail && one.capacity == other.capacity
}

/// Saturation of every resource.
struct Saturations<'a> {
    bound: &'a Bound,
    /// In the explained outcome, and in its steady state.
    shown: Vec<f64>,
    steady: Vec<f64>,
}

impl<'a> Saturations<'a> {
    fn new(bound: &'a Bound, rates: &[f64], capacities: &[f64], steady: &SteadyState) -> Self {
        let over = |rates: &[f64]| -> Vec<f64> {
            let rates = rates.iter().zip(capacities);
            rates.map(|(rate, capacity)| rate / capacity).collect()
        };
        Self {
            bound,
            shown: over(rates),
            steady: over(&bound.with_represented(&steady.resource_rates)),
        }
    }

    fn is_full(&self, resource: usize) -> bool {
        self.shown[resource] >= FULL && self.steady[resource] >= FULL
    }

    /// The indices of groups, the fullest first.
    fn fullest_first(&self, groups: &[(ResourceKind, Vec<usize>)]) -> Vec<usize> {
        let fullest = |group: usize| {
            let all = groups[group].1.iter();
            all.map(|&resource| self.steady[resource]).fold(0.0, f64::max)
        };
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by(|&a, &b| fullest(b).total_cmp(&fullest(a)));
        order
    }

    /// Whether one of them has no free capacity. Queues of single disks always have some.
    fn is_quite_full(&self, resources: &[usize]) -> bool {
        let mut resources = resources.iter();
        resources.any(|&resource| match self.bound.resources[resource].kind {
            ResourceKind::Disk => self.is_full(resource),
            _ => self.steady[resource] >= QUITE_FULL,
        })
    }

    /// Whether no socket of the same kind has free capacity.
    fn is_whole(&self, resources: &[usize]) -> bool {
        let is_socket = |resource: usize| matches!(self.bound.resources[resource].role, Role::Cpu { .. });
        !resources.iter().any(|&resource| is_socket(resource))
            || self.bound.sockets.iter().all(|socket| self.is_full(socket.cpu))
    }

    /// The full resources, in groups of one kind with about equal saturation; in the order of the topology.
    fn full_groups(&self) -> Vec<(ResourceKind, Vec<usize>)> {
        let mut groups: Vec<(ResourceKind, Vec<usize>)> = Vec::new();
        for resource in (0..self.shown.len()).filter(|&resource| self.is_full(resource)) {
            let kind = self.bound.resources[resource].kind;
            match groups.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, group)) => group.push(resource),
                None => groups.push((kind, vec![resource])),
            }
        }
        for (_, group) in &mut groups {
            let fullest = group.iter().map(|&resource| self.shown[resource]);
            let fullest = fullest.fold(0.0, f64::max);
            // Equal within the precision of a simulation: the order of the topology decides.
            group.retain(|&resource| self.shown[resource] >= fullest - TOGETHER);
        }
        groups
    }
}
