//! Common parts of scenarios that are bound one after another.
//!
//! The named resources, the slots of cards and the devices depend only on the hardware of a scenario;
//! workloads, the software and the run only use them. In a sweep most scenarios have the same hardware as the
//! previous one, so that a [`Binder`] caches it: naming the resources of two hundred client cards takes
//! longer than predicting their use. If figures of parts are drawn at random, each scenario has the same
//! server with other capacities: the clients and the routes of lines are kept.

use std::sync::Arc;

use bandgraph_topology::{Resource, ResourceTable, Role, TopologyIdentity, Unit};
use bandgraph_workload::ClientGroup;

use super::{Binding, Bound};
use crate::cards::CardTable;
use crate::coherence::{LineTable, MissedLines};
use crate::latency::LinkRoutes;
use crate::network::{ClientNic, EqualNics, Outside, connection_threads};
use crate::placement::Placement;
use crate::power::PowerModel;
use crate::storage::{CacheLoad, Devices, OperatingPoint, Pool, Ssd, WriteMethod};
use crate::{BindError, Network, Scenario};

/// Maximum number of cached servers; a sweep alternates between at most this many.
const KEPT: usize = 64;

/// The description of the core of a single process.
pub const ONE_CORE: &str = "one core";

/// Binds scenarios and caches their common parts. The cache never affects the result.
#[derive(Clone, Debug, Default)]
pub struct Binder {
    /// The most recently used is the last.
    servers: Vec<Server>,
    merges_clients: bool,
}

/// A server with its devices, for all scenarios with the same description of them.
#[derive(Clone, Debug)]
struct Server {
    of: ServerKey,
    parts: ServerParts,
    /// The lines that its sockets missed last.
    missed: Option<Arc<MissedLines>>,
    /// The clients that were last connected to it.
    clients: Option<(ClientsKey, Clients)>,
}

impl Server {
    /// Binds a server. `like` is the same server with other figures, if one is cached.
    fn new(scenario: &Scenario, placement: &Placement, like: Option<Self>) -> Result<Self, BindError> {
        let parts = ServerParts::new(scenario, placement, like.as_ref().map(|like| &like.parts))?;
        let clients = like.and_then(|like| {
            let (key, clients) = like.clients?;
            let has_connections = key.has_connections_of(scenario);
            let moved = has_connections.then(|| clients.moved_to(scenario, &parts, &like.parts))?;
            Some((key, moved?))
        });
        Ok(Self {
            of: ServerKey::of(scenario, placement),
            parts,
            missed: None,
            clients,
        })
    }
}

/// The parts of a scenario that determine its [`ServerParts`].
#[derive(Clone, Debug)]
struct ServerKey {
    topology: TopologyIdentity,
    pools: Vec<Pool>,
    ssds: Vec<Ssd>,
    every_disk: bool,
    cores_per_port: f64,
    /// Shares of the sockets in the work on cores.
    cores: Vec<f64>,
    processes: [f64; 2],
    arrays: (WriteMethod, [f64; 4]),
}

/// Processes of the server for each drive, and the cores that each uses at the most.
const fn server_processes(scenario: &Scenario) -> [f64; 2] {
    [scenario.stack.processes_per_drive, scenario.stack.process_cores]
}

/// The costs of the software that determine the shares and the arrays of drives.
const fn of_arrays(scenario: &Scenario) -> (WriteMethod, [f64; 4]) {
    let costs = &scenario.stack.storage;
    (
        costs.writes,
        [
            costs.journal_bytes,
            costs.array_instructions_per_page,
            costs.array_threads,
            costs.array_read_seconds,
        ],
    )
}

impl ServerKey {
    fn of(scenario: &Scenario, placement: &Placement) -> Self {
        Self {
            topology: scenario.topology.identity(),
            pools: scenario.storage.pools.clone(),
            ssds: scenario.storage.ssds.clone(),
            every_disk: scenario.storage.every_disk,
            cores_per_port: scenario.stack.packets.cores_per_port,
            cores: placement.cores.clone(),
            processes: server_processes(scenario),
            arrays: of_arrays(scenario),
        }
    }

    fn is_of(&self, scenario: &Scenario, placement: &Placement) -> bool {
        let storage = &scenario.storage;
        self.topology.is_of(&scenario.topology)
            && self.every_disk == storage.every_disk
            && self.cores_per_port == scenario.stack.packets.cores_per_port
            && self.cores == placement.cores
            && self.processes == server_processes(scenario)
            && self.arrays == of_arrays(scenario)
            && self.pools == storage.pools
            && self.ssds == storage.ssds
    }
}

/// The bound parts of a server, independent of its clients.
#[derive(Clone, Debug)]
pub(super) struct ServerParts {
    pub(super) lines: Arc<LineTable>,
    pub(super) routes: Arc<LinkRoutes>,
    pub(super) cards: Arc<CardTable>,
    pub(super) devices: Arc<Devices>,
    /// The resource of the cores of its processes, if these limit.
    pub(super) processes: Option<usize>,
    /// Resources of the topology, cards and devices.
    pub(super) resources: Arc<ResourceTable>,
}

impl ServerParts {
    /// Binds a server. `like` is the same server with other figures, if one is cached.
    fn new(scenario: &Scenario, placement: &Placement, like: Option<&Self>) -> Result<Self, BindError> {
        let topology = &scenario.topology;
        let mut resources = topology.resources().clone();
        let mut cards = CardTable::new(topology, &mut resources);
        let costs = &scenario.stack.packets;
        cards.bind_cores(topology, costs, placement, &mut resources);
        let devices = Devices::new(scenario, &mut resources)?;
        let processes = add_processes(scenario, placement, &mut resources);
        Ok(Self {
            lines: like.filter(|like| like.lines.is_of(topology)).map_or_else(
                || Arc::new(LineTable::new(topology)),
                |like| Arc::clone(&like.lines),
            ),
            routes: like.map_or_else(
                || Arc::new(LinkRoutes::new(topology)),
                |like| Arc::clone(&like.routes),
            ),
            cards: Arc::new(cards),
            devices: Arc::new(devices),
            processes,
            resources: Arc::new(resources),
        })
    }
}

/// Adds the cores that the processes of a server use at the most: each has threads of few kinds, and serves
/// the drives of its own. Where connections are bound to cores, these limit instead.
fn add_processes(scenario: &Scenario, placement: &Placement, resources: &mut ResourceTable) -> Option<usize> {
    let topology = &scenario.topology;
    let [each, cores] = server_processes(scenario);
    let pools = scenario.storage.pools.iter();
    let drives: usize = pools
        .flat_map(|pool| pool.disks(topology))
        .map(|(_, disks)| disks)
        .sum();
    let count = drives as f64 * each;
    let limits = count * cores > 0.0 && scenario.stack.packets.cores_per_port == 0.0;
    limits.then(|| {
        resources.add(Resource::new(
            "processes.server".to_owned(),
            Role::ServerProcesses,
            ["server"; 2],
            count * cores * placement.mean_clock(topology),
            Unit::CyclesPerSecond,
            format!("{count} processes, {cores} cores each at the most"),
        ))
    })
}

/// The parts of a scenario that determine its [`Clients`], in addition to its server.
#[derive(Clone, Debug)]
struct ClientsKey {
    networks: Vec<Network>,
    groups: Vec<ClientGroup>,
    /// By group: its equal NICs; none for a group that is not remote.
    equal: Vec<Vec<EqualNics>>,
    /// By group: the cycles/s of the threads of its connections, and their name.
    connections: Vec<Option<(f64, &'static str)>>,
    processes: Vec<Option<Processes>>,
}

/// The processes of a workload, if they are fewer than its threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Processes {
    pub(super) count: f64,
    /// Cycles/s of the core of each.
    pub(super) clock: f64,
    /// Cycles of an operation in a client's library; `None` if they do all its work.
    pub(super) library: Option<f64>,
}

/// The cores of such processes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessCores {
    /// Their resource.
    pub(super) resource: usize,
    /// As [`Processes::library`].
    pub(super) library: Option<f64>,
}

/// The clients of a scenario, connected to its server.
#[derive(Clone, Debug)]
pub(super) struct Clients {
    /// All resources.
    pub(super) resources: Arc<ResourceTable>,
    /// By group: one for all equal NICs of its clients; none for a group that is not remote.
    pub(super) nics: Arc<Vec<Vec<ClientNic>>>,
    /// By workload: the cores of its processes, if they limit it.
    pub(super) processes: Arc<[Option<ProcessCores>]>,
    pub(super) power: Arc<PowerModel>,
}

impl ClientsKey {
    /// Whether the threads of connections are those of this scenario.
    fn has_connections_of(&self, scenario: &Scenario) -> bool {
        let groups = scenario.clients.iter();
        let connections = groups.map(|group| connection_threads(scenario, group));
        connections.eq(self.connections.iter().copied())
    }
}

impl Clients {
    /// The resources of a server without clients.
    pub(super) fn none(resources: Arc<ResourceTable>) -> Self {
        Self {
            resources,
            nics: Arc::default(),
            processes: Arc::default(),
            power: Arc::default(),
        }
    }

    fn new(
        scenario: &Scenario,
        server: &ServerParts,
        ports: &[Vec<usize>],
        equal: &[Vec<EqualNics>],
        processes: &[Option<Processes>],
    ) -> Result<Self, BindError> {
        let mut resources = ResourceTable::clone(&server.resources);
        let of_workloads = scenario.workloads.iter().zip(processes).enumerate();
        let processes = of_workloads.map(|(workload, (of, processes))| {
            let Processes {
                count,
                clock,
                library,
            } = (*processes)?;
            let resource = resources.add(Resource::new(
                format!("processes.{}", of.id),
                Role::Processes { workload },
                [&of.id; 2],
                count * clock,
                Unit::CyclesPerSecond,
                if count > 1.0 {
                    format!("{count} cores, one for each")
                } else {
                    ONE_CORE.to_owned()
                },
            ));
            Some(ProcessCores { resource, library })
        });
        let processes = processes.collect();
        let mut outside = Outside::new(scenario, &mut resources);
        let groups = scenario.clients.iter().zip(ports).zip(equal);
        let nics = groups.map(|((group, ports), equal)| outside.connect(group, ports, equal));
        let nics = nics.collect::<Result<_, _>>()?;
        outside.check_switches()?;
        Ok(Self {
            power: Arc::new(PowerModel::new(scenario, &resources)),
            resources: Arc::new(resources),
            nics: Arc::new(nics),
            processes,
        })
    }

    /// The same clients on the same server with other figures; `None` if that has other resources.
    fn moved_to(&self, scenario: &Scenario, server: &ServerParts, from: &ServerParts) -> Option<Self> {
        let ids = server.resources.iter().map(|resource| resource.role);
        let same = ids.eq(from.resources.iter().map(|resource| resource.role));
        // The switch ports toward the server depend on its ports.
        (same && scenario.networks.is_empty()).then(|| {
            let resources = self.resources.with_first(&server.resources);
            Self {
                power: Arc::new(PowerModel::new(scenario, &resources)),
                resources: Arc::new(resources),
                nics: Arc::clone(&self.nics),
                processes: Arc::clone(&self.processes),
            }
        })
    }
}

impl Binder {
    /// A binder with an empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// A binder for steady states: one of several identical clients represents all of them, with one set of
    /// resources, so that the cost does not depend on their number. A simulation needs every client.
    pub fn merging() -> Self {
        Self {
            merges_clients: true,
            ..Self::default()
        }
    }

    pub(super) fn merges_clients(&self) -> bool {
        self.merges_clients
    }

    /// Binds a scenario at a given operating point, which in turn follows from the rates of the steady state.
    ///
    /// # Errors
    ///
    /// The first [`BindError`] found: the scenario is invalid or not supported.
    pub fn bind_at(&mut self, scenario: &Scenario, point: OperatingPoint<'_>) -> Result<Bound, BindError> {
        let mut binding = Binding::new(scenario, self)?;
        binding.storage.operate_at(point);
        let (bound, _) = binding.finish(self, None)?;
        Ok(bound)
    }

    /// The use of the cache by every workload of a scenario.
    ///
    /// # Errors
    ///
    /// [`BindError`] for an error that [`bind_at`](Self::bind_at) finds before the first operation.
    pub fn cache_loads(&mut self, scenario: &Scenario) -> Result<Vec<CacheLoad>, BindError> {
        let binding = Binding::new(scenario, self)?;
        Ok(binding.storage.cache_loads(&scenario.workloads))
    }

    /// The server of a scenario, which becomes the most recently used.
    pub(super) fn server(
        &mut self,
        scenario: &Scenario,
        placement: &Placement,
    ) -> Result<ServerParts, BindError> {
        let known = self
            .servers
            .iter()
            .rposition(|server| server.of.is_of(scenario, placement));
        let server = if let Some(index) = known {
            self.servers.remove(index)
        } else {
            let like = self
                .servers
                .iter()
                .rposition(|server| server.of.topology.has_structure_of(&scenario.topology));
            // The figures of another topology were drawn, and do not come again.
            let like = like.map(|index| match &self.servers[index] {
                same if same.of.topology.is_of(&scenario.topology) => same.clone(),
                _ => self.servers.remove(index),
            });
            if self.servers.len() >= KEPT {
                self.servers.remove(0);
            }
            Server::new(scenario, placement, like)?
        };
        let parts = server.parts.clone();
        self.servers.push(server);
        Ok(parts)
    }

    /// The lines that the sockets of the server used last missed last.
    pub(super) fn missed(&self) -> Option<Arc<MissedLines>> {
        self.servers.last()?.missed.clone()
    }

    /// Keeps the lines that the sockets of the server used last missed.
    pub(super) fn keep_missed(&mut self, missed: Option<Arc<MissedLines>>) {
        if let Some(server) = self.servers.last_mut() {
            server.missed = missed;
        }
    }

    /// The clients of the scenario whose server was used last; by group, `ports` are the server's ports of
    /// their NICs, and `equal` which of these are equal; by workload, `processes` are those that limit it.
    pub(super) fn clients(
        &mut self,
        scenario: &Scenario,
        ports: &[Vec<usize>],
        equal: &[Vec<EqualNics>],
        processes: &[Option<Processes>],
    ) -> Result<Clients, BindError> {
        let server = self
            .servers
            .last_mut()
            .expect("the server comes before its clients");
        let groups = &scenario.clients;
        if let Some((key, clients)) = &server.clients
            && key.groups == *groups
            && key.networks == scenario.networks
            && key.equal == *equal
            && key.processes == *processes
            && key.has_connections_of(scenario)
        {
            return Ok(clients.clone());
        }
        let clients = Clients::new(scenario, &server.parts, ports, equal, processes)?;
        let key = ClientsKey {
            networks: scenario.networks.clone(),
            groups: groups.clone(),
            equal: equal.to_vec(),
            connections: groups
                .iter()
                .map(|group| connection_threads(scenario, group))
                .collect(),
            processes: processes.to_vec(),
        };
        server.clients = Some((key, clients.clone()));
        Ok(clients)
    }
}
