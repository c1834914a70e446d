//! The classes of the records of a trace.
//!
//! Every kind of operation (its type, size, stability, and whether it is sequential) is bound at every port,
//! once for each source of its data. The most frequent kinds are also bound for every client NIC, whose rate
//! limits them. Of very many kinds and NICs, the rest is limited by the ports only.

use std::ops::Range;

use bandgraph_units::{Bytes, Fraction};
use bandgraph_workload::{AccessPattern, ClientGroup, DataDirection, Mix, OperationKind, Workload};

use super::classes::Template;
use super::remote::{PRESENCE, at_client};
use super::threads::ThreadsByCore;
use super::{Binder, Binding, Bound};
use crate::delays;
use crate::demand::{Supply, ThreadGroup};
use crate::network::{ClientNic, ClientWork};
use crate::storage::{CacheShares, CacheUse, HitRateMethod};
use crate::{BindError, Scenario};

/// Maximum number of classes bound per NIC; it keeps a replay below 200 MB.
const MOST_CLASSES: usize = 8192;

/// The properties of a record that determine its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceKind {
    /// The kind of operation.
    pub operation: OperationKind,
    /// File data moved, or brought to the log by a COMMIT, bytes.
    pub bytes: u64,
    /// Whether a write required stable storage.
    pub stable: bool,
    /// Whether it began where the previous access to its file ended.
    pub sequential: bool,
}

/// The source of the data of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// DRAM, or no data.
    Dram,
    /// Disks.
    Disks,
    /// The cache devices of the pools.
    Devices,
}

impl Answer {
    /// The possible sources for an operation.
    fn of(operation: OperationKind, devices: bool) -> &'static [Self] {
        match operation.data() {
            DataDirection::None => &[Self::Dram],
            DataDirection::Read if devices => &[Self::Dram, Self::Disks, Self::Devices],
            _ => &[Self::Dram, Self::Disks],
        }
    }

    /// The cache use if all data comes from this source.
    fn cache(self) -> CacheUse {
        let whole = |answer| Fraction::new(f64::from(u8::from(self == answer)));
        CacheUse {
            working_set: Bytes::ZERO,
            capacity: Bytes::ZERO,
            hit_rate: whole(Self::Dram),
            second_level_hit_rate: whole(Self::Devices),
            second_level: None,
            method: HitRateMethod::Blocks,
        }
    }
}

/// The sources of the data and metadata of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The source of its data.
    pub data: Answer,
    /// The source of its metadata: DRAM or disks.
    pub metadata: Answer,
}

impl Found {
    const COUNT: usize = 6;
    /// Everything in DRAM.
    pub const IN_DRAM: Self = Self {
        data: Answer::Dram,
        metadata: Answer::Dram,
    };

    /// The possible sources for an operation. Without information on metadata, all of it is in DRAM.
    fn of(operation: OperationKind, devices: bool, metadata_is_known: bool) -> Vec<Self> {
        let metadata = if metadata_is_known { 2 } else { 1 };
        let metadata = &[Answer::Dram, Answer::Disks][..metadata];
        let all = Answer::of(operation, devices).iter();
        all.flat_map(|&data| metadata.iter().map(move |&metadata| Self { data, metadata }))
            .collect()
    }

    fn number(self) -> usize {
        self.data as usize + 3 * self.metadata as usize
    }

    fn caches(self) -> CacheShares {
        CacheShares {
            data: self.data.cache(),
            metadata: self.metadata.cache(),
        }
    }
}

/// The workload replaced by a trace, and properties of the beginning of the trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceProfile<'t> {
    /// Index into the workloads of the scenario.
    pub workload: usize,
    /// Most frequent first.
    pub kinds: &'t [TraceKind],
    /// Total operations/s of each kind.
    pub rates: &'t [f64],
}

/// Classes with their shares.
type Shares = Vec<(usize, f64)>;

/// The mapping from trace operations to classes.
#[derive(Clone, Debug)]
pub struct TraceClasses {
    /// The paths to the server: client NICs, subdivided by the cores of their connections if these are bound.
    pub ways: Vec<Way>,
    /// The paths of every client.
    of_client: Vec<Range<usize>>,
    /// By kind, then by the sources of data and metadata.
    of: Vec<[Option<Places>; Found::COUNT]>,
    /// Classes, and the seconds of their operations outside all resources.
    delays: Vec<(usize, f64)>,
}

/// A path of a client to the server.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The group of threads that issues operations on this path.
    pub group: usize,
    /// The index of its port.
    port: usize,
}

/// The classes of a kind, by path or by port.
#[derive(Clone, Debug)]
enum Places {
    Ways(Vec<Shares>),
    Ports(Vec<Shares>),
}

/// A client NIC of a path, and the core of its port that it is bound to.
struct Line<'n> {
    nic: &'n ClientNic,
    core: Option<usize>,
}

impl TraceClasses {
    /// The classes of a kind on a path, with their shares; empty for operations that need missing disks.
    pub fn of(&self, kind: usize, found: Found, way: usize) -> &[(usize, f64)] {
        self.at(kind, found.number(), way)
    }

    fn at(&self, kind: usize, found: usize, way: usize) -> &[(usize, f64)] {
        match &self.of[kind][found] {
            Some(Places::Ways(of)) => &of[way],
            Some(Places::Ports(of)) => &of[self.ways[way].port],
            None => &[],
        }
    }

    /// Whether client NICs limit a kind.
    pub fn passes_nics(&self, kind: usize) -> bool {
        matches!(self.of[kind][0], Some(Places::Ways(_)))
    }

    /// Number of clients of the scenario.
    pub fn clients(&self) -> usize {
        self.of_client.len()
    }

    /// The paths of a client.
    pub fn ways_of(&self, client: usize) -> Range<usize> {
        self.of_client[client].clone()
    }

    /// Seconds outside all resources, by class.
    pub fn delays(&self, bound: &Bound) -> Vec<f64> {
        let mut delays = vec![0.0; bound.classes.len()];
        for group in bound.threads.iter() {
            for &(class, _) in &group.visits {
                delays[class] = group.delay;
            }
        }
        for &(class, delay) in &self.delays {
            delays[class] = delay;
        }
        delays
    }
}

impl Bound {
    /// Binds a scenario with one of its workloads replaced by records of these kinds.
    pub fn bind_trace(
        scenario: &Scenario,
        profile: TraceProfile<'_>,
    ) -> Result<(Self, TraceClasses), BindError> {
        let mut binder = Binder::new();
        let binding = Binding::new(scenario, &mut binder)?;
        let (bound, classes) = binding.finish(&mut binder, Some(profile))?;
        Ok((
            bound,
            classes.expect("the workload of this index has been bound for a trace"),
        ))
    }
}

impl Binding<'_> {
    pub(super) fn bind_trace(
        &mut self,
        workload: &Workload,
        group: &ClientGroup,
        nics: &[ClientNic],
        dealt: &[ThreadsByCore],
        profile: TraceProfile<'_>,
    ) -> Result<TraceClasses, BindError> {
        let mut ports: Vec<usize> = Vec::new();
        for nic in nics {
            if !ports.contains(&nic.port) {
                ports.push(nic.port);
            }
        }
        let (mut trace, lines) = self.ways(group, nics, dealt, &ports);
        // Number of concurrent operations at a port.
        let rate: f64 = profile.rates.iter().sum();
        let present = |port: usize| {
            let here = nics.iter().filter(|nic| nic.port == port).count();
            rate * PRESENCE * here as f64 / nics.len() as f64
        };
        let present: Vec<f64> = ports.iter().map(|&port| present(port)).collect();
        let devices = self
            .scenario
            .storage
            .pools
            .iter()
            .any(|pool| !pool.cache.is_empty());
        let held_to_nics = MOST_CLASSES / (2 * lines.len()).max(1);
        for (number, (kind, rate)) in profile.kinds.iter().zip(profile.rates).enumerate() {
            let alone = alone(workload, *kind);
            let cases = Found::of(kind.operation, devices, workload.metadata.is_known());
            let mut of_kind = [const { None }; Found::COUNT];
            for found in &cases {
                let weight = rate * PRESENCE / (ports.len() * cases.len()) as f64;
                let mut at_ports = Vec::new();
                for &port in &ports {
                    let cache = found.caches();
                    at_ports.push(
                        match self.templates(profile.workload, &alone, Some(port), weight, Some(&cache)) {
                            // An error only if the trace has such an operation.
                            Err(BindError::NeedsDisks { .. }) => Vec::new(),
                            templates => templates?,
                        },
                    );
                }
                let delay = |template: &Template, beside: f64, port: usize| {
                    let moved = &template.moved;
                    let outside = delays::delay(
                        self.scenario,
                        group,
                        (workload.protocol, ports[port]),
                        moved,
                        beside,
                        present[port],
                        None,
                    );
                    outside + template.delay
                };
                let (topology, resources) = (self.topology, &self.clients.resources);
                let classes = &mut self.classes;
                let delays = &mut trace.delays;
                of_kind[found.number()] = Some(if number < held_to_nics {
                    let of_way = |(way, line): (&Way, &Line<'_>)| {
                        let templates = at_ports[way.port].iter();
                        let shares = templates.map(|template| {
                            let work = ClientWork::of(self.scenario, workload, group, &template.moved);
                            let mut class = template.class.extended(ClientNic::RESOURCES, |demand| {
                                line.nic.add_demand(&template.moved, &work, demand);
                            });
                            class.port_core = line.core.or(class.port_core);
                            let beside = at_client(topology, resources, &work, &mut class);
                            delays.push((classes.len(), delay(template, beside, way.port)));
                            classes.push(class);
                            (classes.len() - 1, template.share)
                        });
                        shares.collect()
                    };
                    Places::Ways(trace.ways.iter().zip(&lines).map(of_way).collect())
                } else {
                    let of_port = |(port, templates): (usize, &Vec<Template>)| {
                        let shares = templates.iter().map(|template| {
                            delays.push((classes.len(), delay(template, 0.0, port)));
                            classes.push(template.class.clone());
                            (classes.len() - 1, template.share)
                        });
                        shares.collect()
                    };
                    Places::Ports(at_ports.iter().enumerate().map(of_port).collect())
                });
            }
            trace.of.push(of_kind);
        }
        self.issue(profile.workload, &trace, &ports, &lines);
        Ok(trace)
    }

    /// The paths of all clients, without classes, and their NICs and cores.
    fn ways<'n>(
        &self,
        group: &ClientGroup,
        nics: &'n [ClientNic],
        dealt: &[ThreadsByCore],
        ports: &[usize],
    ) -> (TraceClasses, Vec<Line<'n>>) {
        let (mut ways, mut of_client, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        let per_client = group.nics.count as usize;
        for (client, own) in nics.chunks(per_client).enumerate() {
            let first = ways.len();
            for (at, nic) in own.iter().enumerate() {
                let port = ports.iter().position(|&port| port == nic.port);
                for &(core, _) in &dealt[client * per_client + at] {
                    ways.push(Way {
                        group: self.threads.len() + ways.len(),
                        port: port.expect("the ports of all NICs are listed"),
                    });
                    lines.push(Line { nic, core });
                }
            }
            of_client.push(first..ways.len());
        }
        let classes = TraceClasses {
            ways,
            of_client,
            of: Vec::new(),
            delays: Vec::new(),
        };
        (classes, lines)
    }

    /// Adds a group of threads for every path.
    fn issue(&mut self, workload: usize, trace: &TraceClasses, ports: &[usize], lines: &[Line<'_>]) {
        for (number, (way, line)) in trace.ways.iter().zip(lines).enumerate() {
            let clients = &trace.of_client;
            let client = clients.partition_point(|ways| ways.end <= number);
            let mut visits: Shares = (0..trace.of.len())
                .flat_map(|kind| (0..Found::COUNT).map(move |found| trace.at(kind, found, number)))
                .flatten()
                .copied()
                .collect();
            let cases: f64 = visits.iter().map(|(_, share)| share).sum();
            for (_, share) in &mut visits {
                *share /= cases;
            }
            self.threads.push(ThreadGroup {
                workload,
                client_nic: line.nic.inbound,
                client,
                port: Some(ports[way.port]),
                port_core: line.core,
                kind: 0,
                threads: 0,
                supply: Supply::Trace { rate: None },
                population: 1.0,
                slots: f64::INFINITY,
                members: 1.0,
                delay: 0.0,
                think: 0.0,
                barrier: false,
                visits,
            });
        }
    }
}

/// A workload with a single kind of operation.
fn alone(workload: &Workload, kind: TraceKind) -> Workload {
    Workload {
        mix: Mix::single(kind.operation),
        io_size: Bytes::new((kind.bytes as f64).max(1.0)),
        read_sizes: None,
        write_sizes: None,
        pattern: if kind.sequential {
            AccessPattern::Sequential
        } else {
            AccessPattern::Random
        },
        synchronous: workload.synchronous || kind.stable,
        commit_bytes: Some(Bytes::new(kind.bytes as f64)),
        ..workload.clone()
    }
}
