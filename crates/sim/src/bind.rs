//! Turns a scenario into resources and demand vectors.

use std::collections::BTreeMap;
use std::sync::Arc;

use bandgraph_hardware::hypertransport::PacketMix;
use bandgraph_hardware::{SocketPart, cpu};
use bandgraph_topology::{Resource, ResourceKind, Topology};
use bandgraph_units::{Bandwidth, OperationRate, Time};
use bandgraph_workload::{
    Arrivals, ClientGroup, Exchange, Medium, OperationKind, Schedule, Spacing, Workload, exchange,
};

mod trace;

pub(crate) use trace::{TraceClasses, TraceKind};

use crate::batch::Batch;
use crate::cards::{Cards, Framing};
use crate::coherence::{Coherence, Ledger, link_resources};
use crate::connections::{self, Deals};
use crate::demand::{BehindDemand, Class, OPEN_HORIZON, SocketWork, Supply, ThreadGroup, Traffic, Waited};
use crate::latency::Fabric;
use crate::network::{self, ClientNic, Outside};
use crate::packets::{MachineUse, PortUse};
use crate::placement::Placement;
use crate::power::PowerModel;
use crate::storage::{Alike, CacheUse, Case, GroupSettings, Plan};
use crate::work::{OperationWork, anywhere};
use crate::{BindError, RunSettings, Scenario};

/// The most classes that a scenario may have: kinds of operations × client NICs.
const CLASSES_MAX: u64 = 50_000;
/// Resources of a client and its way to the server that an operation uses, about.
const CLIENT_RESOURCES: usize = 8;
/// The most threads that a scenario may have.
const THREADS_MAX: u64 = 2_000_000;
/// Operations of an open loop count as if each stayed for so many seconds, where the number of threads at a port matters
/// (batches of interrupts): about what a cached operation takes. An assumption.
const PRESENCE: f64 = 1e-3;
/// The longest run, warm-up included, in seconds: a day of simulated time.
const RUN_MAX: f64 = 86_400.0;

/// A socket as the cores see it.
#[derive(Clone, Debug)]
pub(crate) struct SocketModel {
    pub(crate) id: String,
    /// The resource of its cores.
    pub(crate) cpu: usize,
    /// Cycles per second of one core.
    pub(crate) clock: f64,
    part: SocketPart,
}

impl SocketModel {
    /// Cycles that work costs when a miss takes `latency` seconds.
    pub(crate) fn cycles(&self, work: &SocketWork, latency: f64) -> f64 {
        cpu::cycles(*work, Time::new(latency), &self.part).total()
    }

    /// Cycles of a core in which so many instructions execute.
    pub(crate) fn executing(&self, instructions: f64) -> f64 {
        let work = SocketWork {
            instructions,
            serial_misses: 0.0,
        };
        cpu::cycles(work, Time::ZERO, &self.part).executing
    }
}

/// A scenario turned into resources and demands, ready to be predicted or simulated any number of times.
#[derive(Clone, Debug)]
pub struct Bound {
    pub(crate) resources: Vec<Arc<Resource>>,
    /// What a resource is, in words: `gen1 x8`, `ht1-x16`.
    pub(crate) details: Vec<String>,
    pub(crate) sockets: Vec<SocketModel>,
    pub(crate) classes: Vec<Class>,
    pub(crate) threads: Vec<ThreadGroup>,
    /// What is done behind operations, for all classes that name it.
    pub(crate) behind: Vec<BehindDemand>,
    /// How transaction groups are written.
    pub(crate) groups: GroupSettings,
    /// Ids of the workloads, in the order of the scenario.
    pub(crate) workloads: Vec<String>,
    /// Operations of all jobs of each workload; `None` for one without an end.
    pub(crate) batches: Vec<Option<f64>>,
    /// When each workload is there.
    pub(crate) schedules: Vec<Schedule>,
    /// Operations that a client of each workload lets be under way at a time.
    pub(crate) outstanding: Vec<Option<u32>>,
    /// The batch, where it is played job by job.
    pub(crate) batch: Option<Batch>,
    pub(crate) fabric: Fabric,
    /// Packets on the links between sockets, by resource, for their residual service time.
    pub(crate) packets: Vec<PacketMix>,
    /// What its components draw.
    pub(crate) power: PowerModel,
    /// What the cache does for each workload.
    pub(crate) caches: Vec<CacheUse>,
    /// Disks of which one stands for all in the demands.
    pub(crate) alike: Vec<Alike>,
    pub(crate) run: RunSettings,
}

impl Bound {
    /// Binds a scenario.
    ///
    /// # Errors
    ///
    /// [`BindError`], the first that is found: what the scenario asks cannot be answered, or not yet.
    pub fn bind(scenario: &Scenario) -> Result<Self, BindError> {
        check_run(&scenario.run)?;
        Binding::new(scenario)?.finish()
    }

    /// The resources: those of the topology, then those of the clients.
    pub fn resources(&self) -> &[Arc<Resource>] {
        &self.resources
    }

    /// The classes of operations with their demand vectors.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// How many threads all clients run together.
    pub fn threads(&self) -> u64 {
        self.threads.iter().map(|group| u64::from(group.threads)).sum()
    }

    /// Whether the operations of a workload come at a rate.
    pub(crate) fn is_open(&self, workload: usize) -> bool {
        let mut groups = self.threads.iter();
        groups.any(|group| group.workload == workload && group.offered().is_some())
    }

    /// All simulated time, in seconds.
    pub(crate) fn run_seconds(&self) -> f64 {
        self.run.warm_up.get() + self.run.duration.get()
    }

    /// The usable capacity of every resource, in its unit.
    pub(crate) fn usable_capacities(&self) -> Vec<f64> {
        self.resources.iter().map(|resource| resource.usable()).collect()
    }

    /// Rates of all resources from those in the demands, where one disk stands for all that are alike.
    pub(crate) fn with_all_disks(&self, rates: &[f64]) -> Vec<f64> {
        let mut rates = rates.to_vec();
        for alike in &self.alike {
            for &disk in &alike.all {
                rates[disk] = rates[alike.stands];
            }
        }
        rates
    }

    /// The resources of cores that serve ports, in ascending order.
    pub(crate) fn port_cores(&self) -> Vec<usize> {
        let mut cores: Vec<usize> = self.classes.iter().filter_map(|class| class.port_core).collect();
        cores.sort_unstable();
        cores.dedup();
        cores
    }

    /// Cycles of an operation on the core of its connection, for given miss latencies of the sockets.
    pub(crate) fn bound_cycles(&self, class: &Class, miss_latencies: &[f64]) -> f64 {
        let sockets = self.sockets.iter().zip(&class.bound_work).zip(miss_latencies);
        sockets
            .map(|((socket, work), &latency)| socket.cycles(work, latency))
            .sum()
    }

    pub(crate) fn is_client(&self, resource: usize) -> bool {
        self.resources[resource].kind == ResourceKind::Client
    }

    /// Use of every resource, in units per second, for given rates of the classes and miss latencies of the sockets.
    pub(crate) fn resource_rates(&self, class_rates: &[f64], miss_latencies: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; self.resources.len()];
        for (class, &rate) in self.classes.iter().zip(class_rates) {
            for &(resource, units) in &class.demand {
                rates[resource] += units * rate;
            }
            for ((socket, work), &latency) in self.sockets.iter().zip(&class.work).zip(miss_latencies) {
                rates[socket.cpu] += socket.cycles(work, latency) * rate;
            }
            if let Some(core) = class.port_core {
                rates[core] += self.bound_cycles(class, miss_latencies) * rate;
            }
        }
        rates
    }
}

fn check_run(run: &RunSettings) -> Result<(), BindError> {
    let out_of_range = |field: &str, value: Time, range: &str| BindError::OutOfRange {
        field: field.to_owned(),
        value: value.to_string(),
        range: range.to_owned(),
    };
    let (warm_up, duration, latency) = (run.warm_up.get(), run.duration.get(), run.network_latency.get());
    if !(0.0..=RUN_MAX).contains(&warm_up) {
        return Err(out_of_range("run.warm_up", run.warm_up, "0 s to 24 h"));
    }
    if !(1e-6..=RUN_MAX).contains(&duration) {
        return Err(out_of_range("run.duration", run.duration, "1 us to 24 h"));
    }
    if !(0.0..=60.0).contains(&latency) {
        return Err(out_of_range(
            "run.network_latency",
            run.network_latency,
            "0 s to 1 min",
        ));
    }
    Ok(())
}

/// A scenario that is being bound.
struct Binding<'a> {
    scenario: &'a Scenario,
    topology: &'a Topology,
    coherence: Coherence<'a>,
    cards: Cards<'a>,
    storage: Plan<'a>,
    resources: Vec<Arc<Resource>>,
    details: Vec<String>,
    placement: Placement,
    classes: Vec<Class>,
    threads: Vec<ThreadGroup>,
    behind: Vec<BehindDemand>,
    packets: Vec<PacketMix>,
    /// By port: its connections.
    connections: BTreeMap<usize, u32>,
    /// Which core of its port each of them is on.
    deals: Deals,
    machine: MachineUse,
}

impl<'a> Binding<'a> {
    fn new(scenario: &'a Scenario) -> Result<Self, BindError> {
        let topology = &scenario.topology;
        if scenario.workloads.is_empty() {
            return Err(BindError::NoWorkload);
        }
        if topology.ports().is_empty() && !scenario.workloads.iter().all(is_local) {
            return Err(BindError::NoPorts);
        }
        let placement = Placement::new(topology, &scenario.stack)?;
        let mut resources = topology.resources().to_vec();
        let mut details = details(topology);
        let mut cards = Cards::new(topology, &mut resources, &mut details);
        cards.bind_cores(&scenario.stack.packets, &placement, &mut resources, &mut details)?;
        let storage = Plan::new(scenario, &mut resources, &mut details)?;
        Ok(Self {
            scenario,
            topology,
            coherence: Coherence::new(topology),
            cards,
            storage,
            placement,
            classes: Vec::new(),
            threads: Vec::new(),
            behind: Vec::new(),
            packets: vec![PacketMix::default(); link_resources(topology)],
            connections: BTreeMap::new(),
            deals: Deals::default(),
            machine: MachineUse::default(),
            resources,
            details,
        })
    }

    fn finish(self) -> Result<Bound, BindError> {
        self.finish_with(None).map(|(bound, _)| bound)
    }

    /// Binds everything, one of the workloads for the replay of a trace.
    fn finish_with(
        mut self,
        trace: Option<(usize, &[TraceKind])>,
    ) -> Result<(Bound, Option<TraceClasses>), BindError> {
        self.check_size()?;
        let mut of_trace = None;
        let mut nics_of: BTreeMap<&str, Vec<ClientNic>> = BTreeMap::new();
        let mut outside = Outside::new(self.scenario, &mut self.resources, &mut self.details);
        for group in &self.scenario.clients {
            let mut workloads = self.scenario.workloads.iter();
            if workloads.any(|workload| workload.clients == group.id && !is_local(workload)) {
                nics_of.insert(&group.id, outside.connect(group)?);
            }
        }
        let groups: Vec<&ClientGroup> = self
            .scenario
            .workloads
            .iter()
            .map(|workload| self.group_of(workload))
            .collect::<Result<_, _>>()?;
        let nics: Vec<&[ClientNic]> = groups
            .iter()
            .zip(&self.scenario.workloads)
            .map(|(group, workload)| {
                let nics = nics_of.get(group.id.as_str());
                nics.filter(|_| !is_local(workload))
                    .map_or(&[][..], Vec::as_slice)
            })
            .collect();
        self.connect(&groups, &nics);
        for (index, workload) in self.scenario.workloads.iter().enumerate() {
            let kinds = trace.filter(|&(traced, _)| traced == index);
            if let Some((_, kinds)) = kinds {
                of_trace = Some(self.bind_trace(index, workload, groups[index], nics[index], kinds)?);
            } else if is_local(workload) {
                self.bind_local(index, workload, groups[index])?;
            } else {
                self.bind_workload(index, workload, groups[index], nics[index])?;
            }
        }
        self.sort_client_nics();
        let residuals = self
            .packets
            .iter()
            .zip(&self.resources)
            .map(|(packets, resource)| packets.residual(Bandwidth::new(resource.capacity)));
        let residuals: Vec<Time> = residuals.collect();
        let sockets = self.topology.sockets().iter().map(|socket| SocketModel {
            id: socket.id.clone(),
            cpu: socket.cpu_resource.index(),
            clock: socket.part.clock.get(),
            part: socket.part.clone(),
        });
        let bound = Bound {
            batch: Batch::new(self.scenario, &self.threads)?,
            power: PowerModel::new(self.scenario, &self.resources),
            fabric: Fabric::new(self.topology, &residuals, self.placement.homes)?,
            sockets: sockets.collect(),
            packets: self.packets,
            resources: self.resources,
            details: self.details,
            caches: self.storage.caches().to_vec(),
            alike: self.storage.alike().to_vec(),
            classes: self.classes,
            threads: self.threads,
            workloads: of_workloads(self.scenario, |workload| workload.id.clone()),
            batches: of_workloads(self.scenario, batch),
            schedules: of_workloads(self.scenario, |workload| workload.schedule),
            outstanding: of_workloads(self.scenario, |workload| workload.outstanding_per_client),
            behind: self.behind,
            groups: self.storage.groups(),
            run: self.scenario.run.clone(),
        };
        Ok((bound, of_trace))
    }

    /// The clients of a workload.
    fn group_of(&self, workload: &Workload) -> Result<&'a ClientGroup, BindError> {
        let mut groups = self.scenario.clients.iter();
        groups
            .find(|group| group.id == workload.clients)
            .ok_or_else(|| BindError::UnknownClients {
                workload: workload.id.clone(),
                clients: workload.clients.clone(),
            })
    }

    /// Counts the connections of all workloads, given their clients and those NICs, and deals them to cores.
    fn connect(&mut self, groups: &[&ClientGroup], nics: &[&[ClientNic]]) {
        for ((workload, group), nics) in self.scenario.workloads.iter().zip(groups).zip(nics) {
            for (at, nic) in nics.iter().enumerate() {
                let count = connections::through_nic(workload, group, threads_of(workload, group, at));
                *self.connections.entry(nic.port).or_default() += count;
            }
        }
        let cores = self.scenario.stack.packets.cores_per_port as usize;
        self.deals = Deals::new(&self.connections, cores);
        let caches = self.topology.sockets().iter().map(|socket| socket.part.l3.get());
        self.machine = MachineUse {
            connections: self.connections.values().copied().map(f64::from).sum(),
            caches: caches.sum(),
            line: self.coherence.line(),
            copy_instructions: self.scenario.stack.copy_instructions_per_byte,
        };
    }

    /// Threads of a client's NIC by the core of the port that their connections are on; all on none where nothing is
    /// bound.
    fn threads_by_core(
        &mut self,
        workload: &Workload,
        group: &ClientGroup,
        port: usize,
        threads: u32,
    ) -> Vec<(Option<usize>, u32)> {
        let cores = self.cards.port_cores(port);
        if cores.is_empty() {
            return vec![(None, threads)];
        }
        let connections = connections::through_nic(workload, group, threads);
        let mut by_core = Vec::new();
        // Threads take the connections in turn: what does not divide goes to the first.
        let mut before = 0;
        for (core, count) in self.deals.take(port, connections) {
            let share = |connections_before: u32| {
                (u64::from(threads) * u64::from(connections_before)).div_ceil(u64::from(connections)) as u32
            };
            let on_core = share(before + count) - share(before);
            before += count;
            if on_core > 0 {
                by_core.push((Some(cores.start + core), on_core));
            }
        }
        by_core
    }

    /// Refuses what would not fit in memory, before anything is made of it.
    fn check_size(&self) -> Result<(), BindError> {
        let (mut classes, mut threads) = (0_u64, 0_u64);
        for workload in &self.scenario.workloads {
            if let Some(group) = self
                .scenario
                .clients
                .iter()
                .find(|group| group.id == workload.clients)
            {
                let nics = u64::from(group.count) * u64::from(group.nics.count);
                // A class for every NIC, or for every core of a port that connections of the NIC are on.
                let cores = self.scenario.stack.packets.cores_per_port as u64;
                let bound = cores.min(u64::from(workload.threads_per_client)).max(1);
                let nics = nics.saturating_mul(bound);
                classes = classes.saturating_add(nics.saturating_mul(workload.mix.shares().len() as u64));
                threads = threads.saturating_add(workload.streams(group));
            }
        }
        let nics = self
            .scenario
            .clients
            .iter()
            .map(|group| u64::from(group.count) * u64::from(group.nics.count));
        let nics = nics.fold(0_u64, u64::saturating_add);
        for (what, count, limit) in [
            ("client network cards", nics, CLASSES_MAX),
            ("classes of operations", classes, CLASSES_MAX),
            ("threads", threads, THREADS_MAX),
        ] {
            if count > limit {
                return Err(BindError::TooMany { what, count, limit });
            }
        }
        Ok(())
    }

    fn bind_workload(
        &mut self,
        index: usize,
        workload: &Workload,
        group: &ClientGroup,
        nics: &[ClientNic],
    ) -> Result<(), BindError> {
        let threads = |at: usize| threads_of(workload, group, at);
        let per_client = group.nics.count as usize;
        let rate = workload
            .arrivals
            .rate()
            .map(|rate| rate.get() / nics.len() as f64);
        // Operations that may be at a port together, for what depends on their number.
        let present = |at: usize| rate.map_or(f64::from(threads(at)), |rate| rate * PRESENCE);
        let mut threads_at_port: BTreeMap<usize, f64> = BTreeMap::new();
        for (at, nic) in nics.iter().enumerate() {
            *threads_at_port.entry(nic.port).or_default() += present(at);
        }
        // A process computes on a core of its client, or on a part of one where there are more processes than cores.
        let cores = f64::from(group.processors.cores);
        let processes = f64::from(workload.threads_of(0, group));
        let crowding = if cores > 0.0 {
            (processes / cores).max(1.0)
        } else {
            1.0
        };
        let computing = self.compute_seconds(workload)? * crowding;
        // Demands differ by port, not by client: what is alike is computed once.
        let mut at_port: BTreeMap<usize, Vec<Template>> = BTreeMap::new();
        for (&port, &count) in threads_at_port.iter().filter(|&(_, &count)| count > 0.0) {
            at_port.insert(port, self.templates(index, workload, Some(port), count, None)?);
        }
        // What a client allows is for its threads alike, whichever NIC they use.
        let slots = |at: usize, on_core: u32| {
            let client = at - at % per_client;
            let all: u32 = (client..client + per_client).map(threads).sum();
            workload.outstanding_per_client.map_or(f64::INFINITY, |slots| {
                f64::from(slots) * f64::from(on_core) / f64::from(all)
            })
        };
        for (at, nic) in nics.iter().enumerate().filter(|&(at, _)| threads(at) > 0) {
            let here = threads(at);
            for (core, threads) in self.threads_by_core(workload, group, nic.port, here) {
                let rate = rate.map(|rate| rate * f64::from(threads) / f64::from(here));
                let (mut visits, mut delay) = (Vec::new(), 0.0);
                for template in &at_port[&nic.port] {
                    let mut class = template.class.clone();
                    class.demand.reserve(CLIENT_RESOURCES);
                    class.port_core = core;
                    let cycles = group.processors.cycles(class.payload);
                    let (to_client, to_server) = (template.wire_to_client, template.wire_to_server);
                    class.extend_demand(nic.demand(to_client, to_server, cycles));
                    delay += template.share
                        * network::delay(
                            self.scenario,
                            group,
                            nic.port,
                            cycles,
                            template.frames_to_server,
                            threads_at_port[&nic.port],
                        );
                    visits.push((self.classes.len(), template.share));
                    self.classes.push(class);
                }
                self.threads.push(ThreadGroup {
                    workload: index,
                    client_nic: nic.inbound,
                    client: at / per_client,
                    port: Some(nic.port),
                    port_core: core,
                    kind: 0,
                    threads: if rate.is_some() { 0 } else { threads },
                    supply: supply(workload, rate),
                    population: rate.map_or(f64::from(threads), |rate| rate * OPEN_HORIZON),
                    slots: slots(at, threads),
                    members: 1.0,
                    delay,
                    think: rate.map_or(workload.think_time.get() + computing, |_| OPEN_HORIZON),
                    visits,
                });
            }
        }
        Ok(())
    }

    /// Processes of the server itself, which compute on its cores and have no network.
    fn bind_local(
        &mut self,
        index: usize,
        workload: &Workload,
        group: &ClientGroup,
    ) -> Result<(), BindError> {
        let threads = workload.threads(group);
        let rate = workload.arrivals.rate().map(OperationRate::get);
        let compute = self.compute_seconds(workload)?;
        let mut visits = Vec::new();
        for mut template in self.templates(index, workload, None, threads as f64, None)? {
            let sockets = self.topology.sockets().iter().zip(&self.placement.cores);
            for (index, (socket, share)) in sockets.enumerate() {
                let cycles = compute * socket.part.clock.get() * share;
                let instructions = cycles / socket.part.base_cpi;
                template.class.add_instructions(index, instructions);
            }
            visits.push((self.classes.len(), template.share));
            self.classes.push(template.class);
        }
        self.threads.push(ThreadGroup {
            workload: index,
            client_nic: self.topology.sockets()[0].cpu_resource.index(),
            client: 0,
            port: None,
            port_core: None,
            kind: 0,
            // There are no more than a scenario may have.
            threads: if rate.is_some() {
                0
            } else {
                u32::try_from(threads).unwrap_or(u32::MAX)
            },
            supply: supply(workload, rate),
            population: rate.map_or(threads as f64, |rate| rate * OPEN_HORIZON),
            slots: workload.outstanding_per_client.map_or(f64::INFINITY, f64::from),
            members: 1.0,
            delay: 0.0,
            think: rate.map_or(workload.think_time.get(), |_| OPEN_HORIZON),
            visits,
        });
        Ok(())
    }

    /// Seconds that a process of a job computes for each of its operations.
    fn compute_seconds(&self, workload: &Workload) -> Result<f64, BindError> {
        let (Some(job), Some(operations)) = (&workload.job, workload.operations_per_job()) else {
            return Ok(0.0);
        };
        let channel = self.topology.sockets()[0].memory.part.transfer_rate;
        let time = job
            .compute_time(channel)
            .ok_or_else(|| BindError::NoComputeTime {
                workload: workload.id.clone(),
                cores: job.cores,
            })?;
        Ok(time.get() * f64::from(job.cores) / operations)
    }

    /// Finds the client NICs that nothing tells apart but which client they belong to.
    fn sort_client_nics(&mut self) {
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
            let rate = self.resources[group.client_nic].capacity.to_bits();
            let next = kinds.len();
            let load = load[&group.client_nic].as_slice();
            group.kind = *kinds
                .entry((group.port, rate, load, group.port_core))
                .or_insert(next);
        }
    }

    /// The classes of one workload at one port, without the client's side. `threads` weighs their packets; `cache` is
    /// for operations of which it is known what the cache does.
    fn templates(
        &mut self,
        index: usize,
        workload: &Workload,
        port: Option<usize>,
        threads: f64,
        cache: Option<&CacheUse>,
    ) -> Result<Vec<Template>, BindError> {
        if let Some(port) = port {
            network::check_medium(self.topology, workload, port)?;
        }
        let mut templates = Vec::new();
        for &(operation, share) in workload.mix.shares() {
            let share = share.get();
            let network = &self.scenario.run.network;
            let exchange = exchange(workload.protocol, operation, workload.io_size, network);
            let framing = port.map(|port| Framing::of(self.topology, port));
            let wire = |direction| {
                framing
                    .as_ref()
                    .map_or(0.0, |framing| framing.wire_bytes(direction))
            };
            let steps = workload.protocol.steps(operation);
            let dispatch = (steps - 1.0) * self.scenario.stack.instructions_per_compound_step;
            let cases = match cache {
                None => self.storage.cases(index, workload, operation)?,
                Some(cache) => self.storage.cases_with(index, workload, operation, cache)?,
            };
            for mut case in cases {
                case.instructions += dispatch;
                let share = share * case.share;
                let (class, packets) = self.class(index, operation, port, &exchange, &case);
                for (sum, packets) in self.packets.iter_mut().zip(&packets) {
                    sum.add_all(packets, threads * share);
                }
                templates.push(Template {
                    share,
                    wire_to_client: wire(&exchange.to_client),
                    wire_to_server: wire(&exchange.to_server),
                    frames_to_server: exchange.to_server.frames,
                    class,
                });
            }
        }
        Ok(templates)
    }

    /// How a port is used by an exchange and by all who are connected to it.
    fn port_use(&self, port: usize, exchange: &Exchange) -> PortUse {
        let framing = Framing::of(self.topology, port);
        let wire = framing
            .wire_bytes(&exchange.to_client)
            .max(framing.wire_bytes(&exchange.to_server));
        let rate = self.topology[self.topology.ports()[port].outbound].capacity;
        PortUse {
            connections: f64::from(self.connections.get(&port).copied().unwrap_or(0)),
            wire_seconds: wire / rate,
            ..self.cards.port_use(port)
        }
    }

    /// The class of one operation at one port, in one of the cases that the storage has for it, and its packets on every
    /// resource.
    fn class(
        &mut self,
        workload: usize,
        operation: OperationKind,
        port: Option<usize>,
        exchange: &Exchange,
        case: &Case,
    ) -> (Class, Vec<PacketMix>) {
        let mut ledger = Ledger::new(self.topology, self.resources.len());
        let stack = &self.scenario.stack;
        let port_use = port.map(|port| self.port_use(port, exchange)).unwrap_or_default();
        let packets = stack.packets.of_operation(exchange, &port_use, &self.machine);
        let line = self.coherence.line();
        let work = OperationWork::new(stack, line, exchange.payload(), case, packets);
        let misses = work.misses(self.topology);
        self.coherence
            .book_misses(&mut ledger, &self.placement, &misses, stack.written_share);
        let homes = &self.placement.buffers;
        if let Some(port) = port {
            self.cards
                .book_port(&mut ledger, &mut self.coherence, port, exchange, homes);
        }
        self.storage
            .book(case, false, &mut ledger, &mut self.coherence, &self.cards, homes);
        let all_work = work.on_sockets(self.topology, &self.placement);
        let bound_work = work.bound(self.topology, &self.placement);
        let (behind, waited, all_work) = self.behind(case, &mut ledger, all_work);
        let framing = port.map(|port| Framing::of(self.topology, port));
        let counted = |direction| {
            framing
                .as_ref()
                .map_or(0.0, |framing| framing.counted_bytes(direction))
        };
        let causes = ledger.causes.iter().enumerate();
        let traffic = causes.filter(|(_, bytes)| bytes.iter().any(|&bytes| bytes > 0.0));
        let class = Class {
            workload,
            operation,
            demand: ledger.demand(),
            traffic: traffic
                .map(|(resource, &by_cause)| Traffic { resource, by_cause })
                .collect(),
            payload: exchange.payload(),
            network: counted(&exchange.to_client) + counted(&exchange.to_server),
            disk: case.disk_bytes(),
            device_wait: case.wait,
            port_core: None,
            behind,
            waited,
            work: all_work,
            bound_work,
        };
        (class, ledger.packets)
    }
}

impl Binding<'_> {
    /// Books what is done after the reply, besides what the ledger and the work have already: its number, what is waited
    /// for without it, and the work with it.
    fn behind(
        &mut self,
        case: &Case,
        ledger: &mut Ledger,
        mut work: Vec<SocketWork>,
    ) -> (Option<usize>, Waited, Vec<SocketWork>) {
        if case.behind.is_empty() {
            return (None, Waited::default(), work);
        }
        let waited = Waited {
            demand: ledger.demand(),
            work: work.clone(),
        };
        let stack = &self.scenario.stack;
        let mut later = Ledger::new(self.topology, self.resources.len());
        let misses = vec![case.behind.misses; self.topology.sockets().len()];
        self.coherence
            .book_misses(&mut later, &self.placement, &misses, stack.written_share);
        let homes = &self.placement.buffers;
        self.storage
            .book(case, true, &mut later, &mut self.coherence, &self.cards, homes);
        ledger.add_all(&later);
        let (instructions, misses) = (case.behind.instructions, case.behind.misses);
        let behind = BehindDemand {
            demand: later.demand(),
            work: anywhere(stack, self.topology, &self.placement, instructions, misses),
        };
        for (sum, later) in work.iter_mut().zip(&behind.work) {
            sum.instructions += later.instructions;
            sum.serial_misses += later.serial_misses;
        }
        let known = self.behind.iter().position(|other| *other == behind);
        let index = known.unwrap_or_else(|| {
            self.behind.push(behind);
            self.behind.len() - 1
        });
        (Some(index), waited, work)
    }
}

/// Operations of all jobs of a workload; `None` for one without jobs.
fn batch(workload: &Workload) -> Option<f64> {
    let jobs = workload.job.as_ref()?.count;
    Some(f64::from(jobs) * workload.operations_per_job()?)
}

/// Whether a workload is of processes of the server itself.
fn is_local(workload: &Workload) -> bool {
    workload.protocol.medium() == Medium::None
}

/// A class of operations at a port, before it is known which client it is for.
struct Template {
    share: f64,
    wire_to_client: f64,
    wire_to_server: f64,
    frames_to_server: f64,
    class: Class,
}

/// Something of every workload, in the order of the scenario.
fn of_workloads<T>(scenario: &Scenario, of: impl Fn(&Workload) -> T) -> Vec<T> {
    scenario.workloads.iter().map(of).collect()
}

/// What issues the operations of a workload on one client NIC, which has this rate in an open loop.
fn supply(workload: &Workload, rate: Option<f64>) -> Supply {
    match (workload.arrivals, rate) {
        (Arrivals::Open { spacing, .. }, Some(rate)) => Supply::Open {
            rate,
            poisson: spacing == Spacing::Poisson,
        },
        _ => Supply::Closed,
    }
}

/// Threads of a workload on one NIC of all that its clients have. In an open loop all NICs are used alike, as if by at least
/// one thread each.
fn threads_of(workload: &Workload, group: &ClientGroup, nic: usize) -> u32 {
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

/// Threads of one client that use its NIC of this number: they take the NICs in turn, and clients start at
/// different ones.
fn threads_on(threads: u32, client: usize, nic: usize, nics: usize) -> u32 {
    let position = ((nic + nics) - client % nics) % nics;
    threads / nics as u32 + u32::from((position as u32) < threads % nics as u32)
}

/// What each resource of a topology is, in the words of its part.
fn details(topology: &Topology) -> Vec<String> {
    let mut details = vec![String::new(); topology.resources().len()];
    for socket in topology.sockets() {
        details[socket.cpu_resource.index()].clone_from(&socket.part.name);
        details[socket.memory_resource.index()].clone_from(&socket.memory.part.name);
    }
    for link in topology.links() {
        for resource in link.resources {
            details[resource.index()].clone_from(&link.part.name);
        }
    }
    for bridge in topology.bridges() {
        for resource in [bridge.inbound, bridge.outbound] {
            details[resource.index()].clone_from(&bridge.uplink.name);
        }
    }
    for switch in topology.switches() {
        for resource in [switch.inbound, switch.outbound] {
            details[resource.index()] = switch.trained.to_string();
        }
    }
    for card in topology.cards() {
        if let Some(seated) = &card.seated {
            for resource in [seated.inbound, seated.outbound] {
                details[resource.index()] = seated.trained.to_string();
            }
        }
    }
    for port in topology.ports() {
        for resource in [port.inbound, port.outbound] {
            topology.cards()[port.card]
                .part
                .name()
                .clone_into(&mut details[resource.index()]);
        }
    }
    details
}
