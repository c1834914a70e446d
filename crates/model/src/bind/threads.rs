//! The threads of clients: number per NIC, cores of their connections, and equivalence.

use std::collections::BTreeMap;
use std::ops::Range;

use bandgraph_workload::{Arrivals, ClientGroup, Spacing, Workload};

use super::Binding;
use crate::connections::{self, ConnectionAssignment};
use crate::demand::Supply;
use crate::network::EqualNics;
use crate::packets::MachineUse;

/// Number of threads of a client's NIC per core of its port.
pub(super) type ThreadsByCore = Vec<(Option<usize>, u32)>;

/// The clients of a workload: their group, its index, and the server's port of each of their NICs; none for a
/// local workload.
pub(super) type ClientsOf<'a> = (usize, &'a ClientGroup, &'a [usize]);

impl Binding<'_> {
    /// Counts the connections of all workloads, by their client groups and NICs.
    pub(super) fn connect(&mut self, groups: &[ClientsOf<'_>]) {
        for (workload, (_, group, ports)) in self.scenario.workloads.iter().zip(groups) {
            for (at, &port) in ports.iter().enumerate() {
                let count = connections::through_nic(workload, group, threads_of(workload, group, at));
                *self.connections.entry(port).or_default() += count;
            }
        }
        let caches = self.topology.sockets().iter().map(|socket| socket.part.l3.get());
        self.machine = MachineUse {
            connections: self.connections.values().copied().map(f64::from).sum(),
            caches: caches.sum(),
            line: self.coherence.line(),
            copy_instructions: self.scenario.stack.copy_instructions_per_byte,
            copy_misses: self.scenario.stack.copy_misses,
        };
    }

    /// Assigns the connections of all workloads to the cores of their ports: by workload, the threads of each
    /// NIC of its clients. A trace has a thread on every NIC.
    pub(super) fn deal(&self, groups: &[ClientsOf<'_>], of_trace: Option<usize>) -> Vec<Vec<ThreadsByCore>> {
        let mut assigned =
            ConnectionAssignment::new(&self.connections, |port| self.cards.port_cores(port).len());
        let mut dealt = Vec::with_capacity(groups.len());
        let workloads = self.scenario.workloads.iter().zip(groups);
        for (index, (workload, (_, group, ports))) in workloads.enumerate() {
            let least = u32::from(of_trace == Some(index));
            let of_nic = |(at, &port): (usize, &usize)| {
                let threads = threads_of(workload, group, at).max(least);
                let connections = connections::through_nic(workload, group, threads);
                let port_cores = self.cards.port_cores(port);
                threads_by_core(threads, connections, port_cores, |count| {
                    assigned.take(port, count)
                })
            };
            dealt.push(ports.iter().enumerate().map(of_nic).collect());
        }
        dealt
    }

    /// The NICs of a client group; if clients are merged, one entry for all with the same threads of every
    /// workload at the same port and cores. Jobs that are simulated one by one are not merged. `ports` is the
    /// server's port of each NIC, `dealt` the threads by core of all workloads.
    pub(super) fn equal_nics(
        &self,
        group: &ClientGroup,
        ports: &[usize],
        dealt: &[Vec<ThreadsByCore>],
    ) -> Vec<EqualNics> {
        let mut all: Vec<EqualNics> = Vec::new();
        let workloads = self.scenario.workloads.iter().zip(dealt);
        let of_group = |(workload, _): &(&Workload, _)| workload.clients == group.id && !workload.is_local();
        let workloads: Vec<_> = workloads.filter(of_group).collect();
        let merged = self.merged && group.job_slots.is_none();
        // Two NICs of all workloads at one port.
        let is_like = |one: usize, other: usize| {
            let threads = |workload: &Workload, at: usize| {
                let client = at as u32 / group.nics.count;
                workload.threads_of(client, group)
            };
            workloads.iter().all(|(workload, dealt)| {
                threads(workload, one) == threads(workload, other) && dealt[one] == dealt[other]
            })
        };
        for (at, &port) in ports.iter().enumerate() {
            let mut known = all.iter_mut().filter(|_| merged);
            match known.find(|equal| ports[equal.first] == port && is_like(equal.first, at)) {
                Some(equal) => equal.count += 1,
                None => all.push(EqualNics { first: at, count: 1 }),
            }
        }
        all
    }

    /// Numbers the kinds of client NICs: NICs of one kind differ only in their client.
    pub(super) fn sort_client_nics(&mut self) {
        let mut load: BTreeMap<usize, Vec<(usize, Option<usize>, u64)>> = BTreeMap::new();
        for group in &self.threads {
            load.entry(group.client_nic).or_default().push((
                group.workload,
                group.port_core,
                group.population.to_bits(),
            ));
        }
        let mut kinds = BTreeMap::new();
        for group in &mut self.threads {
            let rate = self.clients.resources[group.client_nic].capacity.to_bits();
            let next = kinds.len();
            let load = load[&group.client_nic].as_slice();
            group.kind = *kinds
                .entry((group.port, rate, load, group.port_core))
                .or_insert(next);
        }
    }
}

/// Threads of a client's NIC by the core of their connections, as assigned by `deal`; a single entry without
/// a core if connections are not bound to cores.
fn threads_by_core(
    threads: u32,
    connections: u32,
    port_cores: Range<usize>,
    mut deal: impl FnMut(u32) -> Vec<(usize, u32)>,
) -> ThreadsByCore {
    if port_cores.is_empty() {
        return vec![(None, threads)];
    }
    let mut by_core = Vec::new();
    // Threads use the connections round robin: the remainder goes to the first ones.
    let mut before = 0;
    for (core, count) in deal(connections) {
        let share = |connections_before: u32| {
            (u64::from(threads) * u64::from(connections_before)).div_ceil(u64::from(connections)) as u32
        };
        let on_core = share(before + count) - share(before);
        before += count;
        if on_core > 0 {
            by_core.push((Some(port_cores.start + core), on_core));
        }
    }
    by_core
}

/// The supply of operations of a workload on one client NIC, with this rate in an open loop.
pub(super) fn supply(workload: &Workload, rate: Option<f64>) -> Supply {
    match (workload.arrivals, rate) {
        (Arrivals::Open { spacing, .. }, Some(rate)) => Supply::Open {
            rate,
            poisson: spacing == Spacing::Poisson,
        },
        _ => Supply::Closed,
    }
}

/// Threads of a workload on one NIC of all NICs of its clients. In an open loop all NICs have equal load, as
/// if by at least one thread each.
pub(super) fn threads_of(workload: &Workload, group: &ClientGroup, nic: usize) -> u32 {
    let per_client = group.nics.count as usize;
    let threads = threads_on(
        workload.threads_of((nic / per_client) as u32, group),
        nic / per_client,
        nic % per_client,
        per_client,
    );
    match workload.arrivals {
        Arrivals::Closed => threads,
        Arrivals::Open { .. } => threads.max(1),
    }
}

/// Threads of one client on its NIC of this number: NICs are used round robin, and clients start at different
/// ones.
fn threads_on(threads: u32, client: usize, nic: usize, nics: usize) -> u32 {
    let position = ((nic + nics) - client % nics) % nics;
    threads / nics as u32 + u32::from((position as u32) < threads % nics as u32)
}
