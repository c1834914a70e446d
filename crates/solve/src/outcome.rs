//! What a prediction or a simulation found, in one shape for both.
//!
//! These types carry no format: `report` has their serialisable twins.

use std::ops::{Add, Deref};

use bandgraph_model::storage::CacheUse;
use bandgraph_model::{Class, LinkTraffic, MemoryBytes, ServerPower};
use bandgraph_topology::Resource;
use bandgraph_units::{Bandwidth, OperationRate, Time};
use bandgraph_workload::OperationKind;

/// How an outcome was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The steady state, solved without events.
    Predict,
    /// Event by event.
    Simulate,
}

/// The rates of a whole run, averaged over its measured window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Throughput {
    /// Completed operations per second.
    pub operations: OperationRate,
    /// File data moved for clients, without any header.
    pub payload: Bandwidth,
    /// Bytes at the server's network ports, received and sent, frame headers and checksums included, preamble
    /// and inter-frame gap not: what a port counter shows.
    pub network: Bandwidth,
    /// Bytes at the disks. Zero for cached workloads.
    pub disk: Bandwidth,
}

impl Throughput {
    /// Adds so many operations of a class per second.
    pub fn add(&mut self, class: &Class, operations_per_second: f64) {
        self.operations += OperationRate::new(operations_per_second);
        self.payload += Bandwidth::new(operations_per_second * class.payload);
        self.network += Bandwidth::new(operations_per_second * class.network);
        self.disk += Bandwidth::new(operations_per_second * class.disk);
    }
}

impl Add for Throughput {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            operations: self.operations + other.operations,
            payload: self.payload + other.payload,
            network: self.network + other.network,
            disk: self.disk + other.disk,
        }
    }
}

/// The time from a client's issue of an operation to the last byte of its reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// The mean.
    pub mean: Time,
    /// The distribution, which only a simulation has.
    pub percentiles: Option<Percentiles>,
    /// The whole of it, fast to slow, in four buckets for each doubling; empty without percentiles.
    pub histogram: Vec<Bucket>,
}

/// Points of a latency distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Percentiles {
    /// Half of the operations took no longer.
    pub p50: Time,
    /// 95 % of the operations took no longer.
    pub p95: Time,
    /// 99 % of the operations took no longer.
    pub p99: Time,
    /// The slowest operation.
    pub max: Time,
    /// Operations that these are of.
    pub samples: u64,
}

impl Percentiles {
    /// Operations that the 99th percentile needs at the least: ten that are slower.
    pub const SAMPLES_OF_P99: u64 = 1000;
}

/// Operations that took between two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// None of them took longer.
    pub to: Time,
    /// How many there are; at least one.
    pub count: u64,
}

/// How much of one resource was used: the resource, with its use beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceUse {
    /// The resource.
    pub resource: Resource,
    /// Units used per second, averaged over the measured window.
    pub rate: f64,
    /// Bytes per second of words that return buffers in addition to `rate`: a link that is not full sends
    /// more of them than it has to. Nothing waits for them, but counters of the link count them.
    pub spare_words: f64,
}

impl Deref for ResourceUse {
    type Target = Resource;

    fn deref(&self) -> &Resource {
        &self.resource
    }
}

impl ResourceUse {
    /// Rate over raw capacity, 0 to 1.
    pub fn utilisation(&self) -> f64 {
        self.rate / self.capacity
    }

    /// Rate over the capacity that can be used in practice, 0 to 1: 1 is saturation.
    pub fn saturation(&self) -> f64 {
        self.rate / (self.capacity * self.ceiling)
    }
}

/// What the cores of one socket did.
#[derive(Clone, Debug, PartialEq)]
pub struct SocketUse {
    /// The socket's id.
    pub id: String,
    /// Share of its cycles not idle, 0 to 1, stalled cycles included: what an operating system calls busy.
    pub busy: f64,
    /// Share of its cycles spent waiting for memory, 0 to 1. Never more than `busy`.
    pub stalled: f64,
    /// Cycles per instruction.
    pub cycles_per_instruction: f64,
    /// The mean time a core waits for a line that it misses, under the load of the run.
    pub miss_latency: Time,
    /// Bytes per second that its memory reads and writes. Its resource counts a byte written for more than a
    /// byte read, as its controller takes longer for it.
    pub memory: MemoryBytes,
}

/// What an open loop asked for, and whether the server kept up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offered {
    /// Operations per second that came.
    pub rate: OperationRate,
    /// Operations that had come and were not done at the end of the run.
    pub backlog: f64,
    /// How fast that number grew, in operations per second; less than zero where it shrank.
    pub growth: f64,
    /// Whether more came than the server can do: the backlog grows for as long as that goes on, and every
    /// figure of latency is one of how long the run was.
    pub saturated: bool,
}

/// The share of what comes that a backlog must grow by to be no accident.
const GROWTH: f64 = 0.01;
/// How many standard deviations of the number of arrivals it must have grown by: it wanders by about one.
const DEVIATIONS: f64 = 3.0;

impl Offered {
    /// From a simulation: arrivals in a window of so many seconds, and operations out at its beginning and at
    /// its end.
    pub fn measured(arrived: f64, seconds: f64, [out_before, out_after]: [f64; 2]) -> Self {
        let grown = out_after - out_before;
        Self {
            rate: OperationRate::new(arrived / seconds),
            backlog: out_after,
            growth: grown / seconds,
            saturated: grown > GROWTH * arrived && grown > DEVIATIONS * arrived.sqrt(),
        }
    }
}

/// The share of one workload in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadOutcome {
    /// The workload's id.
    pub id: String,
    /// Its own rates.
    pub throughput: Throughput,
    /// Its own latencies.
    pub latency: Latency,
    /// How exact these are; `None` as [`SimulatedRun::precision`].
    pub precision: Option<Precision>,
    /// Operations of it that were out at a time, on average.
    pub outstanding: f64,
    /// What came, in an open loop; `None` in a closed one.
    pub offered: Option<Offered>,
    /// What the cache did for its data.
    pub cache: CacheUse,
    /// What the cache did for its metadata: everything, where nothing says how much of that there is.
    pub metadata: CacheUse,
    /// How long all its jobs take; `None` where it has none, and so no end.
    pub elapsed: Option<Time>,
    /// Each kind of its operations, in the order of [`OperationKind::ALL`].
    pub operations: Vec<OperationOutcome>,
}

/// One kind of operation of a workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperationOutcome {
    /// What was asked for.
    pub operation: OperationKind,
    /// How many were completed a second.
    pub rate: OperationRate,
    /// Their mean latency.
    pub latency: Time,
    /// Instructions of the server for each, what is done behind it included.
    pub instructions: f64,
    /// Cycles of its cores for each, waiting for memory included.
    pub cycles: f64,
    /// Bytes at the disks for each, both directions, log and cache devices excepted.
    pub disk_bytes: f64,
}

/// What a simulation did to find its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedRun {
    /// Simulated time before the measured window.
    pub warm_up: Time,
    /// Length of the measured window.
    pub measured: Time,
    /// Operations completed inside the measured window.
    pub operations: u64,
    /// Events handled in all, warm-up included.
    pub events: u64,
    /// What the window should be, where the scenario keeps one that is too short for a steady state.
    pub short: Option<ShortWindow>,
    /// How exact the figures of all workloads together are; `None` for the replay of a trace, and where the
    /// window has fewer than three parts.
    pub precision: Option<Precision>,
}

/// How exact the figures of a simulation are: half of their 90 % interval, relative to them. A longer run
/// would be off by more in one of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Parts of the measured window that were compared.
    pub batches: u32,
    /// Of the operations per second, and of every rate that is in proportion to them.
    pub throughput: f64,
    /// Of the mean latency; `None` where no operation completed.
    pub latency: Option<f64>,
}

/// The shortest window of which the figures are those of a steady state, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortWindow {
    /// The least warm-up: 2 operations of the slowest thread, and 3 transaction groups.
    pub warm_up: Time,
    /// The least window: 3 operations of the slowest thread, and 3 transaction groups.
    pub measured: Time,
    /// From one operation of the slowest thread to its next.
    pub operation: Time,
    /// From one transaction group to the next; `None` where nothing is written to disks.
    pub group: Option<Time>,
}

/// The figures of the whole server alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// The rates of all workloads together.
    pub throughput: Throughput,
    /// The mean latency of all operations together.
    pub mean_latency: Time,
}

impl Outcome {
    /// The rates of all resources, in units per second.
    pub fn rates(&self) -> Vec<f64> {
        self.resources.iter().map(|resource| resource.rate).collect()
    }

    /// The figures of the whole server alone.
    pub fn totals(&self) -> Totals {
        Totals {
            throughput: self.throughput,
            mean_latency: self.latency.mean,
        }
    }
}

/// Everything that a prediction or a simulation found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it was found.
    pub mode: Mode,
    /// The rates of all workloads together.
    pub throughput: Throughput,
    /// The latencies of all operations together.
    pub latency: Latency,
    /// One entry for every resource of the topology and of the clients, in the order of the topology.
    pub resources: Vec<ResourceUse>,
    /// One entry for every socket, in the order of the topology.
    pub sockets: Vec<SocketUse>,
    /// One entry for every directed socket link.
    pub link_traffic: Vec<LinkTraffic>,
    /// One entry for every workload, in the order of the scenario.
    pub workloads: Vec<WorkloadOutcome>,
    /// What the server draws; `None` where its topology has no chassis.
    pub power: Option<ServerPower>,
    /// How long all jobs of all workloads take that have any; `None` where none has.
    pub elapsed: Option<Time>,
    /// How the simulation went; `None` for a prediction.
    pub simulated: Option<SimulatedRun>,
}
