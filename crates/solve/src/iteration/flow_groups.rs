//! Groups of threads, and classes, as the search for the steady state sees them.

use std::collections::BTreeMap;

use bandgraph_engine::fair::FairClass;
use bandgraph_model::{Bound, Class, OPEN_HORIZON, Supply, ThreadGroup};

use super::ROUNDING;
use crate::class_work::ClassWork;
use crate::moving_demand::MovingDemand;
use crate::slots::mean_wait;

/// How long an operation of an open loop is first taken to stay, in seconds.
const FIRST_STAY: f64 = 1e-3;

/// Groups of threads that the fixed point treats as one, because nothing tells them apart but which client
/// they are.
pub(super) struct FlowGroup<'a> {
    pub(super) group: &'a ThreadGroup,
    /// How many identical groups this one represents.
    pub(super) members: f64,
    /// Threads of all of them together.
    pub(super) threads: f64,
    /// Most operations that their clients keep in flight, or the server of an overloaded open loop.
    pub(super) slots: f64,
    /// What the server works on at a time if the open loop overloads it, once that is found.
    pub(super) in_service: Option<f64>,
}

impl FlowGroup<'_> {
    /// Operations per second when each is in flight for these seconds: Little's law for all threads, which
    /// may wait for a slot, or for the calls that their clients keep in flight, whichever is less.
    pub(super) fn throughput(&self, in_flight: f64) -> f64 {
        let away = self.group.delay + in_flight;
        let waited = if self.is_closed() && !self.group.barrier {
            let each = |count: f64| count / self.members;
            mean_wait(each(self.threads), each(self.slots), self.group.think, away)
        } else {
            0.0
        };
        (self.threads / (self.group.think + waited + away)).min(self.slots / away)
    }

    /// Seconds that an operation waits in its client for a call to return.
    pub(super) fn wait(&self, classes: &[FlowGroupClass<'_>]) -> f64 {
        if self.slots.is_infinite() || self.group.barrier {
            return 0.0;
        }
        let in_flight = in_flight(classes);
        let away = self.group.delay + in_flight;
        let cycle = self.threads / self.throughput(in_flight);
        (cycle - self.group.think - away).max(0.0)
    }

    /// Seconds between two operations of one that may be at the server ([`Self::present`]): a thread thinks, and
    /// a slot is free.
    pub(super) fn idle(&self, classes: &[FlowGroupClass<'_>]) -> f64 {
        if self.slots >= self.threads {
            return self.group.think;
        }
        let in_flight = in_flight(classes);
        (self.slots / self.throughput(in_flight) - self.group.delay - in_flight).max(0.0)
    }

    /// Threads, or slots of clients for them if there are fewer, whose operations may be at the server.
    pub(super) fn present(&self) -> f64 {
        self.threads.min(self.slots)
    }

    /// Whether its threads wait for their replies.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.group.supply, Supply::Closed)
    }

    /// Whether its operations come at a rate of their own.
    pub(super) fn is_offered(&self) -> bool {
        self.group.offered().is_some()
    }

    /// Whether its operations come at random.
    pub(super) fn comes_at_random(&self) -> bool {
        matches!(self.group.supply, Supply::Open { poisson: true, .. })
    }

    /// The share of the operations of an open loop that are not served.
    pub(super) fn refused(&self, classes: &[FlowGroupClass<'_>]) -> f64 {
        let served: f64 = classes.iter().map(|class| class.throughput).sum();
        (1.0 - served * self.group.think / self.threads).max(0.0)
    }

    /// Operations in flight that the search for the steady state begins with.
    pub(super) fn first_guess(&self) -> f64 {
        match self.group.supply {
            Supply::Closed | Supply::Trace { rate: None } => self.threads,
            Supply::Open { .. } | Supply::Trace { rate: Some(_) } => self.threads / OPEN_HORIZON * FIRST_STAY,
        }
    }
}

/// A class of a flow group.
pub(super) struct FlowGroupClass<'a> {
    /// The class of the flow group's first group, which represents all.
    pub(super) class: &'a Class,
    /// The flow group.
    pub(super) flow_group: usize,
    /// The part of its demand that misses wait for.
    pub(super) crossed: Vec<(usize, f64)>,
    /// Its port among those that moderate their interrupts, if it is.
    pub(super) moderated: Option<usize>,
    pub(super) work: ClassWork<'a>,
    /// Where work moves: its demand, and the positions there of its costs and of what misses wait for.
    pub(super) moving: MovingDemand,
    pub(super) costs_at: Vec<usize>,
    pub(super) crossed_at: Vec<usize>,
    /// Share of the threads' operations.
    pub(super) share: f64,
    /// Where the costs of cores begin among those that the fair solver sees.
    pub(super) first_core: usize,
    /// By place in those before, the share that an operation waits for: the rest is deferred. Empty if it
    /// waits for everything.
    pub(super) waited: Vec<f64>,
    /// Operations per second at which a lone operation is held back by the resources it crosses, cores
    /// excepted.
    pub(super) alone: f64,
    /// Seconds of the transfer of its data between client and port.
    pub(super) transfer: f64,
    /// The resources of its client, with their capacities and what it takes of them.
    pub(super) clients: Vec<(usize, f64, f64)>,
    /// Seconds of a lone operation, without those that it waits for devices.
    pub(super) lone: f64,
    /// At a barrier, seconds of the last of the operations that all its threads begin at once, without those
    /// that it takes longer where a resource is full.
    pub(super) last: f64,
    /// Operations per second of a thread that has a core to itself.
    pub(super) core_cap: f64,
    /// Operations per second of one operation in flight, among as many as on average.
    pub(super) rate: f64,
    /// How many times as long it takes because more meet at some moments.
    pub(super) stretch: f64,
    /// Operations per second of all members together.
    pub(super) throughput: f64,
}

impl FlowGroupClass<'_> {
    /// Seconds that an operation is in flight.
    pub(super) fn seconds(&self) -> f64 {
        self.stretch / self.rate
    }

    /// The costs that an operation waits for, where it can meet others: it does not wait for deferred work.
    pub(super) fn waited<'c>(&'c self, fair: &'c FairClass) -> impl Iterator<Item = (usize, f64)> + 'c {
        let costs = fair.costs.iter().enumerate().map(|(place, &(position, units))| {
            let share = self.waited.get(place).copied().unwrap_or(1.0);
            (position, share * units)
        });
        costs.filter(|&(_, units)| units > 0.0)
    }
}

/// Mean seconds that an operation of these classes of one group is in flight.
fn in_flight(classes: &[FlowGroupClass<'_>]) -> f64 {
    classes.iter().map(|class| class.share * class.seconds()).sum()
}

/// By workload, the threads whose operations may be at the server, and those of them that begin their
/// operations at once.
pub(super) fn at_devices(bound: &Bound, flow_groups: &[FlowGroup<'_>]) -> (Vec<f64>, Vec<f64>) {
    let workloads = bound.workloads.len();
    let (mut threads, mut together) = (vec![0.0; workloads], vec![1.0; workloads]);
    for flow_group in flow_groups {
        let workload = flow_group.group.workload;
        threads[workload] += flow_group.present();
        if flow_group.group.barrier {
            together[workload] = threads[workload].max(1.0);
        }
    }
    (threads, together)
}

/// The share of a class's demand on a resource that its operations wait for.
pub(super) fn waited_share(class: &Class, resource: usize) -> f64 {
    let of = |demand: &[(usize, f64)]| {
        let at = demand.binary_search_by_key(&resource, |&(resource, _)| resource);
        at.map_or(0.0, |at| demand[at].1)
    };
    let (all, waited) = (of(&class.demand), of(class.waited_demand()));
    // Less is rounding.
    if all > 0.0 && waited > ROUNDING * all {
        (waited / all).min(1.0)
    } else {
        0.0
    }
}

/// Makes flow groups of threads; also returns the flow group of every group of threads. `threads` multiplies
/// those of closed loops; without any, it multiplies the rates of open loops.
pub(super) fn flow_groups(bound: &Bound, threads: f64) -> (Vec<FlowGroup<'_>>, Vec<usize>) {
    let mut flow_groups: Vec<FlowGroup<'_>> = Vec::new();
    let mut index_of: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let is_open = |group: &ThreadGroup| group.offered().is_some();
    let all_open = bound.threads.iter().all(is_open);
    let flow_group_of = bound.threads.iter().map(|group| {
        let key = (group.workload, group.kind);
        let index = *index_of.entry(key).or_insert(flow_groups.len());
        if index == flow_groups.len() {
            flow_groups.push(FlowGroup {
                group,
                members: 0.0,
                threads: 0.0,
                slots: 0.0,
                in_service: None,
            });
        }
        let more = if all_open || !is_open(group) { threads } else { 1.0 };
        flow_groups[index].members += group.members;
        flow_groups[index].threads += group.members * more * group.population;
        flow_groups[index].slots += group.members * more * group.slots;
        index
    });
    let flow_group_of = flow_group_of.collect();
    (flow_groups, flow_group_of)
}
