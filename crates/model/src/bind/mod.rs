//! Conversion of a scenario into resources and demand vectors.
//!
//! This file binds the workloads one by one, by kind: `remote` over the network, `local` on the server
//! itself, `trace` from records. All three make `classes`, with deferred work in `background`, and `threads`
//! that issue them; `places` assigns sockets. The result is `Bound`.

mod background;
mod between;
mod binder;
mod bound;
mod classes;
mod jobs;
mod limits;
mod local;
mod places;
mod remote;
mod socket_model;
mod threads;
mod trace;

use std::collections::BTreeMap;
use std::sync::Arc;

use bandgraph_hardware::hypertransport::PacketMix;
use bandgraph_topology::{Card, Topology};
use bandgraph_units::{Bandwidth, Time};
use bandgraph_workload::{ClientGroup, Medium, Workload};

pub use binder::{Binder, ONE_CORE};
pub use bound::Bound;
pub use socket_model::SocketModel;
pub use trace::{Answer, Found, TraceClasses, TraceKind, TraceProfile, Way};

use binder::{Clients, Processes};
use jobs::batch;
use limits::{check_run, check_size};
use places::{Place, homes, places};

use crate::batch::Batch;
use crate::cards::Cards;
use crate::coherence::{Coherence, link_resources, release_words};
use crate::demand::{BackgroundDemand, Class, ThreadGroup};
use crate::interrupts::Moderation;
use crate::latency::{Fabric, LinkRoutes};
use crate::network::{EqualNics, ports_named, ports_of_nics};
use crate::packets::MachineUse;
use crate::placement::Placement;
use crate::storage::{Plan, PoolKind};
use crate::{BindError, Scenario};

/// A scenario during binding.
struct Binding<'a> {
    scenario: &'a Scenario,
    topology: &'a Topology,
    coherence: Coherence<'a>,
    routes: Arc<LinkRoutes>,
    cards: Cards<'a>,
    storage: Plan<'a>,
    /// Without clients until the threads are assigned to them.
    clients: Clients,
    /// The resource of the cores of the server's processes, if these limit.
    processes: Option<usize>,
    /// By workload: the software with the settings of the workload, and the placement of its work.
    places: Vec<Place<'a>>,
    classes: Vec<Class>,
    threads: Vec<ThreadGroup>,
    background: Vec<BackgroundDemand>,
    packets: Vec<PacketMix>,
    /// By port: the number of its connections.
    connections: BTreeMap<usize, u32>,
    machine: MachineUse,
    /// By port: its interrupt moderation, if that saves any interrupts.
    moderation: BTreeMap<usize, Moderation>,
    /// By workload: the cards that hold its data, instead of main memory.
    gpus: Vec<Vec<usize>>,
    /// By workload: the cards that these copy from and to, instead of main memory.
    peers: Vec<Vec<usize>>,
    /// The ports between the servers of the cluster; empty for those of the operations.
    ports_between: Vec<usize>,
    /// Whether one of several identical clients represents all of them.
    merged: bool,
}

impl<'a> Binding<'a> {
    fn new(scenario: &'a Scenario, binder: &mut Binder) -> Result<Self, BindError> {
        check_run(&scenario.run)?;
        let topology = &scenario.topology;
        if scenario.workloads.is_empty() {
            return Err(BindError::NoWorkload);
        }
        if topology.ports().is_empty() && !scenario.workloads.iter().all(Workload::is_local) {
            return Err(BindError::NoPorts);
        }
        let placement = Placement::new(topology, &scenario.stack, "stack")?;
        let server = binder.server(scenario, &placement)?;
        let storage = Plan::new(scenario, server.devices)?;
        check_size(scenario)?;
        let workloads = scenario.workloads.iter();
        let gpus = workloads.clone().map(|workload| gpus(topology, workload));
        let peers = workloads.map(|workload| peers(scenario, workload));
        Ok(Self {
            gpus: gpus.collect::<Result<_, _>>()?,
            peers: peers.collect::<Result<_, _>>()?,
            ports_between: ports_named(topology, &scenario.cluster.ports, || {
                "the servers of the cluster".to_owned()
            })?,
            merged: binder.merges_clients(),
            scenario,
            topology,
            coherence: Coherence::new(topology, server.lines, binder.missed()),
            routes: server.routes,
            cards: Cards::new(topology, server.cards),
            storage,
            processes: server.processes,
            clients: Clients::none(server.resources),
            places: places(scenario, placement)?,
            classes: Vec::new(),
            threads: Vec::new(),
            background: Vec::new(),
            packets: vec![PacketMix::default(); link_resources(topology)],
            connections: BTreeMap::new(),
            machine: MachineUse::default(),
            moderation: BTreeMap::new(),
        })
    }

    /// Binds all workloads, one of them for the replay of a trace.
    fn finish(
        mut self,
        binder: &mut Binder,
        trace: Option<TraceProfile<'_>>,
    ) -> Result<(Bound, Option<TraceClasses>), BindError> {
        let mut of_trace = None;
        let ports = ports(self.scenario)?;
        let mut groups = Vec::with_capacity(self.scenario.workloads.len());
        for workload in &self.scenario.workloads {
            let (index, group) = self.group_of(workload)?;
            let ports = if workload.is_local() {
                &[][..]
            } else {
                &ports[index]
            };
            groups.push((index, group, ports));
        }
        self.connect(&groups);
        let dealt = self.deal(&groups, trace.as_ref().map(|profile| profile.workload));
        let equal = self.scenario.clients.iter().zip(&ports);
        let equal = equal.map(|(group, ports)| self.equal_nics(group, ports, &dealt));
        let equal: Vec<Vec<EqualNics>> = equal.collect();
        let workloads = groups.iter().enumerate();
        let processes = workloads.map(|(workload, &(_, group, _))| self.processes(workload, group));
        let processes: Vec<Option<Processes>> = processes.collect::<Result<_, _>>()?;
        self.clients = binder.clients(self.scenario, &ports, &equal, &processes)?;
        let nics = Arc::clone(&self.clients.nics);
        for (number, (workload, (index, group, ports))) in
            self.scenario.workloads.iter().zip(groups).enumerate()
        {
            if let Some(profile) = trace.filter(|profile| profile.workload == number) {
                of_trace = Some(self.bind_trace(workload, group, &nics[index], &dealt[number], profile)?);
            } else if workload.is_local() {
                self.bind_local(number, workload, group)?;
            } else {
                let nics: Vec<_> = equal[index].iter().zip(&nics[index]).collect();
                self.bind_remote(number, workload, group, ports, &nics, &dealt[number])?;
            }
        }
        self.sort_client_nics();
        let residuals = self
            .packets
            .iter()
            .zip(self.clients.resources.iter())
            .map(|(packets, resource)| packets.residual(Bandwidth::new(resource.capacity)));
        let residuals: Vec<Time> = residuals.collect();
        let sockets = self.topology.sockets().iter().map(SocketModel::new);
        let homes = homes(&self.places);
        binder.keep_missed(self.coherence.missed.take());
        let mut pools = self.scenario.storage.pools.iter();
        let bound = Bound {
            batch: Batch::new(self.scenario, &self.threads)?,
            power: self.clients.power,
            fabric: Arc::new(Fabric::new(self.topology, self.routes, &residuals, homes)),
            sockets: sockets.collect(),
            packets: self.packets.into(),
            release_words: release_words(self.topology).into(),
            resources: self.clients.resources,
            caches: self.storage.caches().into(),
            representatives: self.storage.representatives().into(),
            banks: Arc::clone(self.storage.banks()),
            logs: self.storage.logs().into(),
            arrays: pools.any(|pool| pool.kind != PoolKind::Stripe),
            runs: self.storage.runs().into(),
            rewrites: self.storage.rewrites().into(),
            classes: self.classes,
            threads: self.threads.into(),
            workloads: of_workloads(self.scenario, |workload| workload.id.clone()),
            batches: of_workloads(self.scenario, batch),
            schedules: of_workloads(self.scenario, |workload| workload.schedule),
            think_variations: of_workloads(self.scenario, |workload| workload.think_variation),
            outstanding: of_workloads(self.scenario, |workload| workload.outstanding_per_client),
            background: self.background,
            work_variation: self.scenario.stack.work_variation,
            groups: self.storage.groups(),
            moderation: self.moderation.into_iter().collect(),
            contradiction: self
                .coherence
                .fault()
                .map(str::to_owned)
                .or_else(|| self.storage.fault()),
            run: self.scenario.run.clone(),
        };
        Ok((bound, of_trace))
    }

    /// The placement of the work of a workload that is served through a port, or on the server itself.
    fn placement(&self, workload: usize, port: Option<usize>) -> Arc<Placement> {
        let Place {
            stack,
            placement,
            drives,
            ..
        } = &self.places[workload];
        let hosts = port.map(|port| {
            let card = &self.topology.cards()[self.topology.ports()[port].card];
            self.topology.hosts(card)
        });
        placement.near(stack, hosts.as_deref(), drives)
    }

    /// The client group of a workload and its index.
    fn group_of(&self, workload: &Workload) -> Result<(usize, &'a ClientGroup), BindError> {
        let mut groups = self.scenario.clients.iter().enumerate();
        groups
            .find(|(_, group)| group.id == workload.clients)
            .ok_or_else(|| BindError::UnknownClients {
                workload: workload.id.clone(),
                clients: workload.clients.clone(),
            })
    }
}

/// By group of clients: the server's port of each of their NICs; none for a group that is not remote.
fn ports(scenario: &Scenario) -> Result<Vec<Vec<usize>>, BindError> {
    let (groups, mut nics) = (scenario.clients.iter(), 0);
    let ports = groups.map(|group| {
        let mut workloads = scenario.workloads.iter();
        if workloads.any(|workload| workload.clients == group.id && !workload.is_local()) {
            ports_of_nics(scenario, group, &mut nics)
        } else {
            Ok(Vec::new())
        }
    });
    ports.collect()
}

/// The cards that hold the data of a workload.
fn gpus(topology: &Topology, workload: &Workload) -> Result<Vec<usize>, BindError> {
    let found = cards_with_memory(topology, workload, "gpus", &workload.gpus)?;
    if !found.is_empty() && !matches!(workload.protocol.medium(), Medium::Rdma | Medium::None) {
        return Err(BindError::PastGpus {
            workload: workload.id.clone(),
            protocol: workload.protocol.name(),
        });
    }
    Ok(found)
}

/// The cards that those of a workload copy from and to.
fn peers(scenario: &Scenario, workload: &Workload) -> Result<Vec<usize>, BindError> {
    if workload.peers.is_empty() {
        return Ok(Vec::new());
    }
    let needed = if workload.gpus.is_empty() {
        "`gpus`, which copy from and to them"
    } else if workload.peers.iter().any(|peer| workload.gpus.contains(peer)) {
        "to be others than its `gpus`"
    } else if !workload.is_local() {
        "`protocol = \"host\"`: GPUs copy for processes of the server"
    } else if !scenario.storage.pools.is_empty() {
        "a scenario without a pool, whose drives would have the data"
    } else {
        return cards_with_memory(&scenario.topology, workload, "peers", &workload.peers);
    };
    Err(BindError::Peers {
        workload: workload.id.clone(),
        needed,
    })
}

/// The cards of these names, which a field of a workload gives.
fn cards_with_memory(
    topology: &Topology,
    workload: &Workload,
    field: &'static str,
    names: &[String],
) -> Result<Vec<usize>, BindError> {
    let has_memory = |card: &&Card| card.part.has_memory();
    let known = || topology.cards().iter().filter(has_memory);
    let found = names.iter().map(|gpu| {
        let mut cards = topology.cards().iter();
        let found = cards.position(|card| card.id == *gpu && card.part.has_memory());
        found.ok_or_else(|| BindError::UnknownGpu {
            workload: workload.id.clone(),
            field,
            gpu: gpu.clone(),
            known: known().map(|card| card.id.clone()).collect(),
        })
    });
    found.collect()
}

/// A property of every workload, in the order of the scenario.
fn of_workloads<T>(scenario: &Scenario, of: impl Fn(&Workload) -> T) -> Arc<[T]> {
    scenario.workloads.iter().map(of).collect()
}
