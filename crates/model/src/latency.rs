//! The time that a core waits for a line, idle and under load.
//!
//! The latency of one requester–home pair is that of `hardware::hypertransport` (the maximum of the memory
//! path and the slowest probe path); this module walks the graph for it. Every hop takes the latency of the
//! link and the wait for it under its present load; the home's controller adds the wait for memory.
//!
//! The load also sets the clock of a processor that runs faster while few of its cores are busy.

use std::sync::Arc;

use bandgraph_hardware::cpu::Pace;
use bandgraph_hardware::hypertransport::{LinePath, PacketMix, ProbePath, queue_wait};
use bandgraph_hardware::memory::LatencyCurve;
use bandgraph_hardware::{Clocks, Probing};
use bandgraph_topology::{ResourceId, Topology};
use bandgraph_units::{Bandwidth, Time};

/// A queue on the route of messages: one direction of a socket link.
#[derive(Clone, Copy, Debug)]
struct Queue {
    resource: usize,
    /// Raw capacity, bytes/s.
    raw: f64,
    /// Usable share of it.
    ceiling: f64,
    /// Time without a wait.
    idle: Time,
    /// Mean residual service time, which scales the wait.
    residual: Time,
}

/// A memory controller with a measured latency under load: its own, or that of others relative to the idle
/// latency.
#[derive(Clone, Debug)]
struct Memory {
    resource: usize,
    /// Peak capacity, bytes/s.
    raw: f64,
    /// Sustained rate of pure reads, bytes/s.
    sustained: f64,
    /// Latency of a read without a wait.
    idle: Time,
    /// Nanoseconds of a read by utilisation of the peak rate, if known.
    measured: LatencyCurve,
    /// The latency of a read relative to the idle latency, by the share of the sustained rate.
    shape: LatencyCurve,
}

impl Memory {
    fn time(&self, rates: &[f64]) -> Time {
        let rate = rates[self.resource];
        match self.measured.at(rate / self.raw) {
            Some(nanoseconds) => Time::new(nanoseconds * 1e-9),
            None => self.idle * self.shape.at(rate / self.sustained).unwrap_or(1.0),
        }
    }
}

/// A socket whose clock depends on its busy cores.
#[derive(Clone, Copy, Debug)]
struct Turbo {
    socket: usize,
    /// The resource of its cores.
    cpu: usize,
    /// Its clock while all cores are busy, cycles/s: the unit of the use of cores.
    full: f64,
    clocks: Clocks,
}

impl Queue {
    fn time(&self, rates: &[f64]) -> Time {
        self.idle + queue_wait(rates[self.resource] / self.raw, self.ceiling, self.residual)
    }
}

/// Intermediate results of a latency computation: times of links, routes and memory.
#[derive(Clone, Debug, Default)]
pub struct Times {
    links: Vec<f64>,
    routes: Vec<f64>,
    responses: Vec<f64>,
    memories: Vec<Time>,
}

/// The links of all routes between sockets, as indices into those of the topology: twice that of a link, plus
/// one for its second direction.
#[derive(Debug)]
pub(crate) struct LinkRoutes {
    /// Per pair of sockets (from × sockets + to): the links of the route, and the share of traffic on each.
    requests: Vec<Vec<(usize, f64)>>,
    /// The same for responses, which may take other routes.
    responses: Vec<Vec<(usize, f64)>>,
}

impl LinkRoutes {
    pub(crate) fn new(topology: &Topology) -> Self {
        let sockets = topology.sockets().len();
        let mut link_of = vec![usize::MAX; topology.resources().len()];
        let links = topology.links().iter().flat_map(|link| link.resources);
        for (index, resource) in links.enumerate() {
            link_of[resource.index()] = index;
        }
        let crossed = |route: &[(ResourceId, f64)]| -> Vec<(usize, f64)> {
            let links = route.iter();
            links
                .map(|&(resource, share)| (link_of[resource.index()], share))
                .collect()
        };
        let pairs = (0..sockets).flat_map(|from| (0..sockets).map(move |to| (from, to)));
        let requests = pairs.clone().map(|(from, to)| crossed(topology.route(from, to)));
        let responses = pairs.map(|(from, to)| crossed(topology.response_route(from, to)));
        Self {
            requests: requests.collect(),
            responses: responses.collect(),
        }
    }
}

/// The routes of lines through a server, for the computation of latencies under any load.
#[derive(Clone, Debug)]
pub struct Fabric {
    sockets: usize,
    links: Vec<Queue>,
    routes: Arc<LinkRoutes>,
    memories: Vec<Memory>,
    probe_latencies: Vec<Time>,
    /// Whether lines of this home wait for probes.
    probes: Vec<bool>,
    /// Per requester × home, the share of the requester's lines with that home; one list for each placement
    /// of memory.
    homes: Vec<Arc<[f64]>>,
    turbos: Vec<Turbo>,
}

impl Fabric {
    /// Builds the queues of a topology with these routes. `residuals` is the mean residual service time of
    /// every resource that is a socket link; each of `homes` is requester × home, the sum of each row is 1.
    pub(crate) fn new(
        topology: &Topology,
        routes: Arc<LinkRoutes>,
        residuals: &[Time],
        homes: Vec<Arc<[f64]>>,
    ) -> Self {
        let sockets = topology.sockets();
        let mut links = Vec::new();
        for link in topology.links() {
            for resource in link.resources {
                let resource = resource.index();
                links.push(Queue {
                    resource,
                    raw: topology.resources()[resource].capacity,
                    ceiling: topology.resources()[resource].ceiling,
                    idle: link.part.hop_latency,
                    residual: residuals[resource],
                });
            }
        }
        let mut memories: Vec<Memory> = Vec::new();
        for socket in sockets {
            let part = &socket.memory.part;
            let resource = &topology[socket.memory_resource];
            memories.push(Memory {
                resource: socket.memory_resource.index(),
                raw: resource.capacity,
                sustained: resource.usable(),
                idle: socket.part.local_latency,
                measured: part.loaded_latency.clone(),
                shape: part.latency_shape.clone(),
            });
        }
        let turbos = sockets
            .iter()
            .enumerate()
            .filter(|(_, socket)| socket.part.has_turbo());
        let turbos = turbos.map(|(index, socket)| Turbo {
            socket: index,
            cpu: socket.cpu_resource.index(),
            full: socket.part.full_clock().get(),
            clocks: socket.part.clocks(),
        });
        Self {
            turbos: turbos.collect(),
            sockets: sockets.len(),
            links,
            routes,
            memories,
            probe_latencies: sockets.iter().map(|socket| socket.part.probe_latency).collect(),
            probes: sockets
                .iter()
                .map(|socket| socket.part.probes != Probing::Filter)
                .collect(),
            homes,
        }
    }

    /// The resources of socket links.
    pub fn links(&self) -> impl Iterator<Item = usize> + '_ {
        self.links.iter().map(|link| link.resource)
    }

    /// Sets the packets on the links, by resource.
    pub fn set_packets(&mut self, packets: &[PacketMix]) {
        for link in &mut self.links {
            link.residual = packets[link.resource].residual(Bandwidth::new(link.raw));
        }
    }

    /// Multiplies the capacity of a resource, if lines wait for it. Service and residual times of packets and
    /// lines scale inversely.
    pub fn scale(&mut self, resource: usize, factor: f64) {
        for queue in self.links.iter_mut().filter(|queue| queue.resource == resource) {
            queue.raw *= factor;
            queue.residual = Time::new(queue.residual.get() / factor);
        }
        for memory in self
            .memories
            .iter_mut()
            .filter(|memory| memory.resource == resource)
        {
            memory.raw *= factor;
            memory.sustained *= factor;
        }
    }

    /// The resources that lines and messages wait for, in ascending order.
    pub fn resources(&self) -> Vec<usize> {
        let memories = self.memories.iter().map(|memory| memory.resource);
        let mut resources: Vec<usize> = self
            .links
            .iter()
            .map(|link| link.resource)
            .chain(memories)
            .collect();
        resources.sort_unstable();
        resources.dedup();
        resources
    }

    /// The sockets whose clock depends on their busy cores, with the resources of their cores.
    pub fn turbos(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.turbos.iter().map(|turbo| (turbo.socket, turbo.cpu))
    }

    /// The pace of every socket for the placement `homes`, from `latencies`, which end with the speeds of
    /// sockets with turbo.
    pub fn of<'l>(&'l self, homes: usize, latencies: &'l [f64]) -> impl Iterator<Item = Pace> + Clone + 'l {
        let speeds = &latencies[self.homes.len() * self.sockets..];
        let mut turbos = self.turbos.iter().zip(speeds).peekable();
        let of_sockets = latencies[homes * self.sockets..(homes + 1) * self.sockets].iter();
        of_sockets.enumerate().map(move |(socket, &latency)| {
            let turbo = turbos.next_if(|(turbo, _)| turbo.socket == socket);
            Pace {
                latency,
                speed: turbo.map_or(1.0, |(_, &speed)| speed),
            }
        })
    }

    /// Seconds per miss on each socket without load, for each placement of memory, and the speed of each
    /// socket with turbo.
    pub fn idle_latencies(&self) -> Vec<f64> {
        let last = self
            .resources()
            .into_iter()
            .chain(self.turbos.iter().map(|turbo| turbo.cpu));
        let resources = last.max().map_or(0, |last| last + 1);
        let mut latencies = Vec::new();
        self.loaded_latencies(&vec![0.0; resources], &mut Times::default(), &mut latencies);
        latencies
    }

    /// As [`idle_latencies`](Self::idle_latencies), with cores at the clock of `latencies`.
    pub fn idle_memory(&self, latencies: &[f64]) -> Vec<f64> {
        let mut idle = self.idle_latencies();
        let speeds = self.homes.len() * self.sockets;
        idle[speeds..].copy_from_slice(&latencies[speeds..]);
        idle
    }

    /// The number of [loaded latencies](Self::loaded_latencies).
    pub fn latencies(&self) -> usize {
        self.homes.len() * self.sockets + self.turbos.len()
    }

    /// Seconds per miss on each socket, for each placement of memory, and the speed of each socket with turbo
    /// relative to its clock while all cores are busy, at the given use of every resource in units/s (only
    /// those of [`Fabric::resources`] and of cores matter). `times` is scratch memory.
    pub fn loaded_latencies(&self, rates: &[f64], times: &mut Times, latencies: &mut Vec<f64>) {
        times.links.clear();
        times
            .links
            .extend(self.links.iter().map(|link| link.time(rates).get()));
        let links = &times.links;
        for (times, routes) in [
            (&mut times.routes, &self.routes.requests),
            (&mut times.responses, &self.routes.responses),
        ] {
            times.clear();
            times.extend(routes.iter().map(|route| {
                let crossed = route.iter().map(|&(link, share)| share * links[link]);
                crossed.sum::<f64>()
            }));
        }
        times.memories.clear();
        times
            .memories
            .extend(self.memories.iter().map(|memory| memory.time(rates)));
        latencies.clear();
        let each = self
            .homes
            .iter()
            .flat_map(|homes| (0..self.sockets).map(move |requester| (homes, requester)));
        latencies.extend(each.map(|(shares, requester)| {
            let homes = (0..self.sockets).map(|home| {
                let share = shares[requester * self.sockets + home];
                if share > 0.0 {
                    share * self.pair_latency(requester, home, times)
                } else {
                    0.0
                }
            });
            homes.sum::<f64>()
        }));
        let turbos = self.turbos.iter();
        latencies
            .extend(turbos.map(|turbo| turbo.clocks.of(rates[turbo.cpu] / turbo.full).get() / turbo.full));
    }

    fn pair_latency(&self, requester: usize, home: usize, times: &Times) -> f64 {
        let hops = |from: usize, to: usize| Time::new(times.routes[from * self.sockets + to]);
        let back = |from: usize, to: usize| Time::new(times.responses[from * self.sockets + to]);
        let path = LinePath {
            request: hops(requester, home),
            memory: times.memories[home],
            data: back(home, requester),
            probe_latency: self.probe_latencies[home],
        };
        let others =
            (0..self.sockets).filter(|&other| self.probes[home] && other != home && other != requester);
        let probes = others.map(|other| ProbePath {
            probe: hops(home, other),
            response: back(other, requester),
        });
        path.latency(probes).get()
    }
}
