//! Minimum demands of threads, for bounds of the predicted throughput.
//!
//! A miss takes longer under load, so that the cycles of an operation depend on the load. With the latencies
//! of an idle server they are a lower bound, and so are all results here: no steady state of the scenario
//! exceeds the throughput that these demands permit. The demands on links and memory are those of the
//! assigned sockets; if idle cores take work over, they shift slightly.

use std::collections::BTreeMap;

use bandgraph_hardware::cpu::Pace;

use crate::bind::Bound;
use crate::demand::{Class, SocketWork};

/// Work on a socket that is a rounding error, after the free part is subtracted.
const ROUNDING: f64 = 1e-9;

/// Threads that differ only in their client, with the minimum demand of their operations.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadKind {
    /// Index into the workloads of the scenario.
    pub workload: usize,
    /// Index into the ports of the topology; `None` for local processes.
    pub port: Option<usize>,
    /// Number of the kind of client NICs: their rate, their port, and all threads on them.
    pub client_kind: usize,
    /// Number of client NICs of this kind.
    pub client_nics: f64,
    /// Total number of threads on them.
    pub threads: f64,
    /// Seconds per operation outside all resources: propagation, switches, interrupts.
    pub delay_s: f64,
    /// Seconds between a reply and the next operation of a thread.
    pub think_s: f64,
    /// Minimum seconds per operation on a core or waiting for devices.
    pub service_s: f64,
    /// Units of every resource per mean operation, including cores, in ascending order of the resource (an
    /// index into those of the bound scenario). The first of the client NICs represents all, with its part of
    /// the use.
    pub demand: Vec<(usize, f64)>,
    /// File data of a mean operation, bytes.
    pub payload: f64,
    /// Bytes of a mean operation at the server's port, both directions, as in a port counter.
    pub network: f64,
}

impl Bound {
    /// The kinds of threads, in the order of their first occurrence in the scenario.
    pub fn thread_kinds(&self) -> Vec<ThreadKind> {
        if self.moderation.is_empty() {
            return self.kinds_of_lone_operations();
        }
        // A busier port raises fewer interrupts per operation.
        let fewest = self.with_interrupts(&vec![0.0; self.moderation.len()]);
        fewest.kinds_of_lone_operations()
    }

    fn kinds_of_lone_operations(&self) -> Vec<ThreadKind> {
        let latencies = self.fabric.idle_latencies();
        let mut kinds: Vec<ThreadKind> = Vec::new();
        // The group of threads that represents each kind.
        let mut first_of = Vec::new();
        let mut index_of: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for group in self.threads.iter() {
            let index = *index_of
                .entry((group.workload, group.kind))
                .or_insert(kinds.len());
            if index == kinds.len() {
                first_of.push(group);
                kinds.push(ThreadKind {
                    workload: group.workload,
                    port: group.port,
                    client_kind: group.kind,
                    client_nics: 0.0,
                    threads: 0.0,
                    delay_s: group.delay,
                    think_s: group.think,
                    service_s: 0.0,
                    demand: Vec::new(),
                    payload: 0.0,
                    network: 0.0,
                });
            }
            kinds[index].client_nics += group.members;
            kinds[index].threads += group.members * group.population;
        }
        for (kind, group) in kinds.iter_mut().zip(first_of) {
            let mut demand: BTreeMap<usize, f64> = BTreeMap::new();
            for &(class, share) in &group.visits {
                let class = &self.classes[class];
                kind.payload += share * class.payload;
                kind.network += share * class.network;
                kind.service_s += share * class.device_wait;
                for &(resource, units) in &class.demand {
                    let nics = if self.is_client(resource) {
                        kind.client_nics
                    } else {
                        1.0
                    };
                    *demand.entry(resource).or_default() += share * units / nics;
                }
                for (socket, cycles) in self.sockets.iter().zip(self.least_cycles(class, &latencies)) {
                    *demand.entry(socket.cpu).or_default() += share * cycles;
                }
                let of_class = self.fabric.of(class.homes, &latencies);
                for ((socket, work), pace) in self.sockets.iter().zip(class.waited_work()).zip(of_class) {
                    kind.service_s += share * socket.cycles(work, pace) / socket.clock;
                }
                if let Some(core) = class.port_core {
                    *demand.entry(core).or_default() += share * self.bound_cycles(class, &latencies);
                }
            }
            kind.demand = demand.into_iter().collect();
            if group.offered().is_some() {
                // The bound of an open loop is its rate, for any duration of its operations.
                kind.threads *= 1.0 + (kind.delay_s + kind.service_s) / kind.think_s;
            }
        }
        kinds
    }
}

impl Bound {
    /// Minimum cycles of an operation on every socket. Free work goes to sockets with free time: the maximum
    /// is reached with equal utilisation of all sockets, and with all cores busy.
    fn least_cycles(&self, class: &Class, latencies: &[f64]) -> Vec<f64> {
        let paces = self.fabric.of(class.homes, latencies);
        let paces = paces.map(|pace| Pace { speed: 1.0, ..pace });
        let cycles = |work: &[SocketWork]| -> Vec<f64> {
            let sockets = self.sockets.iter().zip(work).zip(paces.clone());
            sockets
                .map(|((socket, work), pace)| socket.cycles(work, pace))
                .collect()
        };
        let all = cycles(&class.work);
        let background = class
            .background
            .map(|background| &self.background[background].free);
        let mut free = vec![0.0; all.len()];
        for part in [Some(&*class.free), background].into_iter().flatten() {
            let works: Vec<SocketWork> = part.on.iter().map(|load| load.work).collect();
            for (sum, cycles) in free.iter_mut().zip(cycles(&works)) {
                *sum += cycles;
            }
        }
        let dealt = class.free.shares.iter().zip(&free);
        let dealt: Vec<f64> = dealt.map(|(share, free)| share * free).collect();
        if dealt.is_empty() || free.contains(&0.0) {
            return all;
        }
        let bound = all.iter().zip(&dealt).map(|(all, dealt)| all - dealt);
        let bound: Vec<f64> = bound
            .zip(&all)
            .map(|(bound, all)| if bound > ROUNDING * all { bound } else { 0.0 })
            .collect();
        if bound.iter().any(|&cycles| cycles > 0.0) {
            return bound;
        }
        let capacities = self
            .sockets
            .iter()
            .map(|socket| self.resources[socket.cpu].usable());
        let room: f64 = capacities
            .clone()
            .zip(&free)
            .map(|(capacity, free)| capacity / free)
            .sum();
        capacities.map(|capacity| capacity / room).collect()
    }

    /// By resource, the first of the equivalent ones in the steady state, possibly itself: the network cards
    /// of clients of one kind.
    pub fn representatives(&self) -> Vec<usize> {
        let mut representatives: Vec<usize> = (0..self.resources.len()).collect();
        let mut first_of: BTreeMap<(usize, usize, usize, usize), usize> = BTreeMap::new();
        for group in self.threads.iter() {
            for (visit, &(class, _)) in group.visits.iter().enumerate() {
                let demand = self.classes[class].demand.iter();
                let of_client = demand.map(|&(resource, _)| resource);
                let of_client = of_client.filter(|&resource| self.is_client(resource));
                for (position, resource) in of_client.enumerate() {
                    let key = (group.workload, group.kind, visit, position);
                    let first = *first_of.entry(key).or_insert(resource);
                    representatives[resource] = representatives[resource].min(representatives[first]);
                }
            }
        }
        representatives
    }
}
