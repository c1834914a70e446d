//! The network between the server's ports and its clients: client NICs, client processors, switches and
//! delays.
//!
//! A client's NIC has a rate in each direction, and optionally one for both together. Its processors are
//! divided evenly between its NICs: each NIC has its part of the cores as a resource of its own. A switch
//! limits the exchange between a client and a server port to the rates of its own ports, and the total
//! traffic to its backplane, where each frame counts once.
//!
//! An operation also waits outside all resources: for propagation, for switches, for the interrupt that
//! announces its call, and for the client's own work, where a thread does one thing at a time.

use bandgraph_hardware::{LinkLayer, NetworkPorts, NetworkSwitchPart};
use bandgraph_topology::{
    ClientResource, Direction, NetworkResource, Resource, ResourceTable, Role, Socket, Topology, Unit,
};
use bandgraph_workload::{ClientGroup, Medium, ProtocolKind, Workload};

use crate::packets::{PortUse, interrupts};
use crate::{BindError, Scenario};

/// What the process is called that serves all connections of a client.
pub const PROCESS_OF_CLIENT: &str = "process of a client";

/// A switch between clients and the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Its id, by which client groups refer to it.
    pub id: String,
    /// The switch.
    pub part: NetworkSwitchPart,
}

/// The NICs of the clients of a group that differ only in their client: the first represents all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EqualNics {
    /// The position of the first among all NICs of the group.
    pub(crate) first: usize,
    /// Their number.
    pub(crate) count: u32,
}

/// Identical client NICs and their server port.
#[derive(Debug)]
pub(crate) struct ClientNic {
    /// The receive resource.
    pub(crate) inbound: usize,
    /// The transmit resource.
    outbound: usize,
    /// The resource of both directions together.
    both: Option<usize>,
    /// The resource of the cores that serve it.
    cores: Option<usize>,
    /// The resource of the cores that take its interrupts.
    interrupts: Option<usize>,
    /// The resource of the threads that serve its connections.
    connections: Option<usize>,
    /// Index of the server's port.
    pub(crate) port: usize,
    switched: Option<Switched>,
}

/// The resources of a switch on the path.
#[derive(Clone, Copy, Debug)]
struct Switched {
    backplane: Option<usize>,
    /// The switch's port toward the server: to clients, and from them.
    to_clients: Option<usize>,
    to_server: Option<usize>,
}

impl ClientNic {
    /// Maximum number of resources outside the server used by an operation.
    pub(crate) const RESOURCES: usize = 9;

    /// Adds the non-zero demand of one operation on resources outside the server. Their indices are higher
    /// than those already in `demand`.
    pub(crate) fn add_demand(&self, moved: &Moved, work: &ClientWork, demand: &mut Vec<(usize, f64)>) {
        let (to_client, to_server) = (moved.to_client, moved.to_server);
        let first = demand.len();
        let mut add = |resource: Option<usize>, units: f64| {
            if let Some(resource) = resource.filter(|_| units > 0.0) {
                demand.push((resource, units));
            }
        };
        let both = to_client + to_server;
        if let Some(switch) = &self.switched {
            add(switch.backplane, both);
            add(switch.to_clients, to_client);
            add(switch.to_server, to_server);
        }
        add(Some(self.inbound), to_client);
        add(Some(self.outbound), to_server);
        add(self.both, both);
        add(self.cores, work.anywhere + work.at_interrupts);
        add(self.interrupts, work.at_interrupts);
        add(self.connections, work.in_connection);
        demand[first..].sort_unstable_by_key(|&(resource, _)| resource);
    }
}

/// The transfers of one operation between a client and the server.
#[derive(Clone, Copy)]
pub(crate) struct Moved {
    /// File data, bytes, and the part of it that the client writes.
    pub(crate) payload: f64,
    pub(crate) written: f64,
    /// Bytes on the wire.
    pub(crate) to_client: f64,
    pub(crate) to_server: f64,
    pub(crate) frames_to_client: f64,
    pub(crate) frames_to_server: f64,
}

/// The cost of one operation on a client.
#[derive(Default)]
pub(crate) struct ClientWork {
    /// Cycles on any of its cores.
    anywhere: f64,
    /// Cycles on the cores that take the interrupts of the card.
    at_interrupts: f64,
    /// Cycles of the thread that serves its connection.
    in_connection: f64,
    /// Seconds of work of one core during the transfer of its data, and before and after it.
    during: f64,
    before_and_after: f64,
    /// Seconds that the transfer takes no less, because all cores together also do the rest of the work
    /// during it.
    pub(crate) while_moving: f64,
}

impl ClientWork {
    /// The client work of an operation with these transfers.
    ///
    /// A core does one thing at a time. It processes bytes and packets while more of them arrive, except for
    /// the last batch. A client that receives gets a batch with each interrupt, whose interval is the time of
    /// its wire or its core for all of them; one that sends transfers frame by frame. The total use of all
    /// its cores is a flow, which takes the rest of the work of a core at least as long as that core.
    pub(crate) fn of(scenario: &Scenario, workload: &Workload, group: &ClientGroup, moved: &Moved) -> Self {
        let (processors, nics) = (&group.processors, &group.nics);
        let seconds = |cycles: f64| cycles / processors.clock.get();
        let anywhere = processors.cycles(moved.payload);
        let at_interrupts = processors.interrupt_cycles(moved.frames_to_client + moved.frames_to_server);
        let once = seconds(processors.cycles(0.0));
        let on_bytes = seconds(anywhere) - once;
        let batches = if moved.to_client > moved.to_server {
            let received = PortUse {
                interrupt_interval: nics.interrupt_delay.get(),
                wire_seconds: on_bytes.max(moved.to_client / nics.rate.get()),
                ..PortUse::default()
            };
            interrupts(moved.frames_to_client, &received)
        } else {
            moved.frames_to_server
        };
        let (cores, of_interrupts) = (cores_of_nic(group), interrupt_cores(group));
        let in_connection = if shares_connections(workload, group) {
            let core = fastest_core(&scenario.topology);
            let stack = &scenario.stack;
            stack.connection_cycles(moved.payload, moved.written, &core.part)
        } else {
            0.0
        };
        let packets = seconds(at_interrupts);
        let batches = batches.max(1.0);
        let (last_bytes, last_packets) = (on_bytes / batches, packets / batches);
        let of_all = |seconds: f64, cores: f64| seconds / cores.max(1.0);
        let (bytes, packets) = (on_bytes - last_bytes, packets - last_packets);
        let bytes_on_all = bytes + of_all(once + last_bytes, cores);
        Self {
            anywhere,
            at_interrupts,
            in_connection,
            during: bytes.max(packets),
            before_and_after: once + last_bytes + last_packets,
            while_moving: bytes_on_all.max(packets + of_all(last_packets, of_interrupts)),
        }
    }

    /// Seconds of an operation at its client outside all resources, where `seconds_of` are those of a lone
    /// operation with a transfer that takes no less than some seconds: it takes as long on any number of
    /// cores.
    pub(crate) fn beside(&self, seconds_of: impl Fn(f64) -> f64) -> f64 {
        if self.while_moving == 0.0 {
            return 0.0;
        }
        self.before_and_after + seconds_of(self.during) - seconds_of(self.while_moving)
    }
}

/// The resources outside the server, during their construction.
pub(crate) struct Outside<'a> {
    scenario: &'a Scenario,
    topology: &'a Topology,
    resources: &'a mut ResourceTable,
    /// Number of connected client NICs.
    nics: usize,
    /// By network: the backplane, and the switch's ports toward the server by the server's port.
    switches: Vec<SwitchInUse>,
}

#[derive(Default)]
struct SwitchInUse {
    backplane: Option<usize>,
    /// The connected server ports, with the resources of those limited by the switch.
    server_ports: Vec<(usize, Option<(usize, usize)>)>,
    /// Number of connected client NICs.
    clients: u64,
}

impl<'a> Outside<'a> {
    /// Starts with the switches of the scenario.
    pub(crate) fn new(scenario: &'a Scenario, resources: &'a mut ResourceTable) -> Self {
        let mut outside = Self {
            scenario,
            topology: &scenario.topology,
            resources,
            nics: 0,
            switches: Vec::new(),
        };
        for (index, network) in scenario.networks.iter().enumerate() {
            let backplane = network.part.backplane.get();
            let backplane = (backplane > 0.0).then(|| {
                outside.resources.add(Resource::new(
                    format!("network.{}.backplane", network.id),
                    Role::Network {
                        network: index,
                        resource: NetworkResource::Backplane,
                    },
                    [&network.id; 2],
                    backplane,
                    Unit::BytesPerSecond,
                    &network.part.name,
                ))
            });
            outside.switches.push(SwitchInUse {
                backplane,
                ..SwitchInUse::default()
            });
        }
        outside
    }

    /// Adds the resources of a group's clients, each for all NICs that are equal, and connects them to the
    /// server's ports. `ports` is the port of each NIC of the group.
    pub(crate) fn connect(
        &mut self,
        group: &ClientGroup,
        ports: &[usize],
        equal: &[EqualNics],
    ) -> Result<Vec<ClientNic>, BindError> {
        let network = self.network_of(group)?;
        let mut nics = Vec::with_capacity(equal.len());
        for of_kind in equal {
            let port = ports[of_kind.first];
            let switched = network.map(|network| self.switched(network, port, of_kind.count));
            nics.push(self.client_nic(group, of_kind, network, port, switched));
        }
        Ok(nics)
    }

    fn client_nic(
        &mut self,
        group: &ClientGroup,
        equal: &EqualNics,
        network: Option<usize>,
        port: usize,
        switched: Option<Switched>,
    ) -> ClientNic {
        let (client, of_client) = (
            equal.first as u32 / group.nics.count,
            equal.first as u32 % group.nics.count,
        );
        let mut id = group.id.clone();
        if group.count > 1 {
            id = format!("{id}{client}");
        }
        if group.nics.count > 1 {
            id = format!("{id}.{of_client}");
        }
        let id = id.as_str();
        let server_port = self.topology.ports()[port].id.clone();
        let mut rate = group.nics.rate.get();
        if let Some(network) = network {
            rate = rate.min(self.scenario.networks[network].part.port_rate.get());
        }
        let nic = self.nics;
        self.nics += 1;
        let mut add =
            |name: &str, resource: ClientResource, ends: [&str; 2], (capacity, unit), detail: &str| {
                let role = Role::Client { nic, resource };
                let id = format!("client.{id}.{name}");
                let mut resource = Resource::new(id, role, ends, capacity, unit, detail);
                resource.count = equal.count;
                self.resources.add(resource)
            };
        let mut wire = |direction: Direction, ends: [&str; 2]| {
            let resource = ClientResource::Wire(direction);
            let capacity = (rate, Unit::BytesPerSecond);
            add(direction.as_str(), resource, ends, capacity, "client NIC")
        };
        let inbound = wire(Direction::In, [&server_port, id]);
        let outbound = wire(Direction::Out, [id, &server_port]);
        let together = group.nics.duplex_rate.get();
        let both = (together > 0.0 && together < 2.0 * rate).then(|| {
            let capacity = (together, Unit::BytesPerSecond);
            let detail = "client NIC, both directions";
            add("both", ClientResource::Both, [id, &server_port], capacity, detail)
        });
        let processors = &group.processors;
        let cycles = |cores: f64| (cores * processors.clock.get(), Unit::CyclesPerSecond);
        let cores = (processors.cores > 0).then(|| {
            let capacity = cycles(cores_of_nic(group));
            add("cores", ClientResource::Cores, [id; 2], capacity, "client cores")
        });
        let interrupts = (processors.interrupt_cycles(1.0) > 0.0).then(|| {
            let capacity = cycles(interrupt_cores(group));
            let detail = "client cores that take interrupts";
            add(
                "interrupts",
                ClientResource::Interrupts,
                [id; 2],
                capacity,
                detail,
            )
        });
        let connections = connection_threads(self.scenario, group).map(|(cycles, detail)| {
            let (ends, capacity) = ([id, &server_port], (cycles, Unit::CyclesPerSecond));
            add("connections", ClientResource::Connections, ends, capacity, detail)
        });
        ClientNic {
            inbound,
            outbound,
            both,
            cores,
            interrupts,
            connections,
            port,
            switched,
        }
    }

    fn network_of(&self, group: &ClientGroup) -> Result<Option<usize>, BindError> {
        let Some(name) = &group.network else {
            return Ok(None);
        };
        let networks = &self.scenario.networks;
        match networks.iter().position(|network| network.id == *name) {
            Some(index) => Ok(Some(index)),
            None => Err(BindError::UnknownNetwork {
                clients: group.id.clone(),
                network: name.clone(),
                known: networks.iter().map(|network| network.id.clone()).collect(),
            }),
        }
    }

    /// The path of more client NICs through a switch to a port of the server.
    fn switched(&mut self, network: usize, port: usize, nics: u32) -> Switched {
        let scenario = self.scenario;
        let Network { id, part } = &scenario.networks[network];
        let (_, server_rate) = part.server_ports();
        if !self.switches[network]
            .server_ports
            .iter()
            .any(|&(other, _)| other == port)
        {
            let server_port = &self.topology.ports()[port];
            let slower = server_rate.get() < self.topology[server_port.outbound].capacity;
            let resources = slower.then(|| {
                let name = &server_port.id;
                let mut add = |direction: Direction, ends: [&str; 2]| {
                    self.resources.add(Resource::new(
                        format!("network.{id}.{name}.{}", direction.as_str()),
                        Role::Network {
                            network,
                            resource: NetworkResource::ServerPort(port, direction),
                        },
                        ends,
                        server_rate.get(),
                        Unit::BytesPerSecond,
                        &part.name,
                    ))
                };
                (add(Direction::Out, [name, id]), add(Direction::In, [id, name]))
            });
            self.switches[network].server_ports.push((port, resources));
        }
        let switch = &mut self.switches[network];
        switch.clients += u64::from(nics);
        let resources = switch
            .server_ports
            .iter()
            .find(|&&(other, _)| other == port)
            .and_then(|&(_, resources)| resources);
        Switched {
            backplane: switch.backplane,
            to_clients: resources.map(|(out, _)| out),
            to_server: resources.map(|(_, inward)| inward),
        }
    }

    /// Checks that the switches have ports for all connections.
    pub(crate) fn check_switches(&self) -> Result<(), BindError> {
        for (Network { id, part }, switch) in self.scenario.networks.iter().zip(&self.switches) {
            let (server_ports, _) = part.server_ports();
            let connected = switch.server_ports.len() as u64;
            let client_ports = if part.uplinks > 0 {
                part.ports
            } else {
                part.ports.saturating_sub(connected)
            };
            for (what, count, limit) in [
                ("ports of the server", connected, server_ports),
                ("client network cards", switch.clients, client_ports),
            ] {
                if count > limit {
                    return Err(BindError::SwitchPorts {
                        network: id.clone(),
                        what,
                        count,
                        limit,
                    });
                }
            }
        }
        Ok(())
    }
}

/// The ports of these names, as indices into the ports of the topology; `users` says who names them.
pub(crate) fn ports_named(
    topology: &Topology,
    names: &[String],
    users: impl Fn() -> String,
) -> Result<Vec<usize>, BindError> {
    let ports = topology.ports();
    let find = |name: &String| {
        let mut known = ports.iter();
        known
            .position(|port| port.id == *name)
            .ok_or_else(|| BindError::UnknownPort {
                users: users(),
                port: name.clone(),
                known: ports.iter().map(|port| port.id.clone()).collect(),
            })
    };
    names.iter().map(find).collect()
}

/// The server's port of each NIC of a group of clients, as an index into the ports of the topology: they are
/// connected round robin to the ports that the group names, or to all that speak its protocols. Groups that
/// name none take turns: `before` is the number of NICs of earlier ones.
pub(crate) fn ports_of_nics(
    scenario: &Scenario,
    group: &ClientGroup,
    before: &mut usize,
) -> Result<Vec<usize>, BindError> {
    let topology = &scenario.topology;
    let nics = group.count as usize * group.nics.count as usize;
    let mut first = 0;
    let used: Vec<usize> = if group.ports.is_empty() {
        let workloads = scenario.workloads.iter();
        let protocols: Vec<ProtocolKind> = workloads
            .filter(|workload| workload.clients == group.id)
            .map(|workload| workload.protocol)
            .collect();
        let speaks = |port: &usize| {
            let port = &topology.ports()[*port].kind;
            protocols
                .iter()
                .all(|protocol| is_spoken(protocol.medium(), port))
        };
        let all = 0..topology.ports().len();
        let speaking: Vec<usize> = all.clone().filter(speaks).collect();
        first = *before;
        *before += nics;
        // If none does, the first is reported.
        if speaking.is_empty() {
            all.collect()
        } else {
            speaking
        }
    } else {
        ports_named(topology, &group.ports, || format!("clients `{}`", group.id))?
    };
    first %= used.len().max(1);
    Ok(used.into_iter().cycle().skip(first).take(nics).collect())
}

/// Cycles/s of the threads that serve the connections of one NIC of a client, and their name; `None` if they
/// limit nothing.
pub(crate) fn connection_threads(scenario: &Scenario, group: &ClientGroup) -> Option<(f64, &'static str)> {
    let stack = &scenario.stack;
    let of_client = |group: &ClientGroup| {
        let of_group = |of: &Workload| of.clients == group.id && shares_connections(of, group);
        let is_served = scenario.workloads.iter().any(of_group);
        // A process of a client serves the connections of all its NICs.
        match stack.process_per_client {
            _ if !is_served => 0.0,
            true => 1.0,
            false => f64::from(group.nics.count) * f64::from(group.nics.connections.max(1)),
        }
    };
    let own = of_client(group);
    // Where they limit, all of them are busy. Other work may keep more cores busy.
    (stack.serialises_connections() && own > 0.0).then(|| {
        let groups = scenario.clients.iter();
        let busy = groups.map(|group| f64::from(group.count) * of_client(group));
        let clock = fastest_core(&scenario.topology).part.clock_of(busy.sum()).get();
        let name = if stack.process_per_client {
            PROCESS_OF_CLIENT
        } else {
            "threads of connections"
        };
        (clock * (own / f64::from(group.nics.count)), name)
    })
}

/// Whether all threads of a client have their operations in the same few connections: because the protocol
/// does so, or because their number is given.
fn shares_connections(workload: &Workload, group: &ClientGroup) -> bool {
    group.nics.connections > 0 || !workload.protocol.has_connection_per_thread()
}

/// The socket whose cores execute the most instructions a second: what serves a connection runs on one of
/// them, and clients count as no slower.
pub(crate) fn fastest_core(topology: &Topology) -> &Socket {
    let rate = |socket: &Socket| socket.part.full_clock().get() / socket.part.base_cpi;
    let sockets = topology.sockets().iter();
    let fastest = sockets.max_by(|a, b| rate(a).total_cmp(&rate(b)));
    fastest.expect("a topology has sockets")
}

/// Cores of a client that can process the traffic of one of its NICs: its part of all cores, at most one per
/// connection.
fn cores_of_nic(group: &ClientGroup) -> f64 {
    let cores = f64::from(group.processors.cores) / f64::from(group.nics.count);
    if group.nics.connections > 0 {
        cores.min(f64::from(group.nics.connections))
    } else {
        cores
    }
}

/// Cores of a client that take the interrupts of one of its NICs.
fn interrupt_cores(group: &ClientGroup) -> f64 {
    f64::from(group.nics.interrupt_cores.min(group.processors.cores))
}

/// Checks that a port supports the network of a protocol.
pub(crate) fn check_medium(
    topology: &Topology,
    (workload, protocol): (&Workload, ProtocolKind),
    port: usize,
) -> Result<(), BindError> {
    let port = &topology.ports()[port];
    let medium = protocol.medium();
    if is_spoken(medium, &port.kind) {
        return Ok(());
    }
    Err(BindError::WrongMedium {
        workload: workload.id.clone(),
        protocol: protocol.name(),
        needed: medium.as_str(),
        port: port.id.clone(),
        spoken: port.kind.link_layer.as_str(),
    })
}

/// Whether ports support a network.
fn is_spoken(medium: Medium, ports: &NetworkPorts) -> bool {
    match medium {
        Medium::Ethernet => ports.link_layer == LinkLayer::Ethernet,
        Medium::Infiniband => ports.link_layer == LinkLayer::Infiniband,
        Medium::Rdma => ports.rdma,
        Medium::None => true,
    }
}
