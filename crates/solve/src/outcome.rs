//! The results of a prediction or a simulation, in one shape for both.
//!
//! These types have no format: `report` has their serialisable twins.

use std::ops::{Add, Deref};

use bandgraph_model::storage::CacheUse;
use bandgraph_model::{Class, LinkTraffic, MemoryBytes, ServerPower};
use bandgraph_topology::Resource;
use bandgraph_units::{Bandwidth, OperationRate, Time};
use bandgraph_workload::OperationKind;

/// The method of an outcome.
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
    /// File data moved for clients, without headers.
    pub payload: Bandwidth,
    /// Bytes at the server's network ports, received and sent, including frame headers and checksums, without
    /// preamble and inter-frame gap, as in a port counter.
    pub network: Bandwidth,
    /// Bytes at the disks. Zero for cached workloads.
    pub disk: Bandwidth,
}

impl Throughput {
    /// Adds the operations of a class.
    pub fn add(&mut self, class: &Class, operations_per_second: f64) {
        self.operations += OperationRate::new(operations_per_second);
        self.payload += Bandwidth::new(operations_per_second * class.payload);
        self.network += Bandwidth::new(operations_per_second * class.network);
        self.disk += Bandwidth::new(operations_per_second * class.disk);
    }
}

impl Throughput {
    /// All rates multiplied by `factor`.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            operations: self.operations * factor,
            payload: self.payload * factor,
            network: self.network * factor,
            disk: self.disk * factor,
        }
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
    /// The distribution, only from a simulation.
    pub percentiles: Option<Percentiles>,
    /// The complete distribution, fast to slow, in 24 buckets per doubling; empty without percentiles.
    pub histogram: Vec<Bucket>,
}

/// Percentiles of a latency distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Percentiles {
    /// 50 % of the operations took at most this time.
    pub p50: Time,
    /// 95 % of the operations took at most this time.
    pub p95: Time,
    /// 99 % of the operations took at most this time.
    pub p99: Time,
    /// The slowest operation.
    pub max: Time,
    /// Number of operations in the distribution.
    pub samples: u64,
}

impl Percentiles {
    /// Minimum number of operations for the 99th percentile: ten are slower.
    pub const SAMPLES_OF_P99: u64 = 1000;
}

/// Operations with a latency between two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// The upper limit.
    pub to: Time,
    /// Their number, at least one.
    pub count: u64,
}

/// A resource with its use.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceUse {
    /// The resource.
    pub resource: Resource,
    /// Units used per second, averaged over the measured window.
    pub rate: f64,
    /// Bytes/s of buffer returns in addition to `rate`: a link that is not saturated sends more of them than
    /// necessary. Nothing waits for them, but counters of the link include them.
    pub spare_words: f64,
    /// The work of a disk or an SSD; `None` for other resources.
    pub device: Option<DeviceRates>,
}

/// The work of a disk or an SSD: its rate is busy time only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceRates {
    /// Commands per second.
    pub commands: f64,
    /// Bytes per second, both directions.
    pub bytes: f64,
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

    /// Rate over the capacity usable in practice, 0 to 1: 1 is saturation.
    pub fn saturation(&self) -> f64 {
        self.rate / (self.capacity * self.ceiling)
    }
}

/// The use of the cores of one socket.
#[derive(Clone, Debug, PartialEq)]
pub struct SocketUse {
    /// The socket's id.
    pub id: String,
    /// Share of its cycles not idle, 0 to 1, including stalled cycles: the utilisation shown by an operating
    /// system.
    pub busy: f64,
    /// Share of its cycles spent waiting for memory, 0 to 1. Never more than `busy`.
    pub stalled: f64,
    /// Cycles per instruction.
    pub cycles_per_instruction: f64,
    /// The mean wait of a core for a missed line, under the load of the run.
    pub miss_latency: Time,
    /// Bytes/s read and written by its memory. Its resource weights a written byte more than a read one,
    /// because the controller takes longer for it.
    pub memory: MemoryBytes,
}

/// The offered load of an open loop, and whether the server kept up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offered {
    /// Arrivals per second.
    pub rate: OperationRate,
    /// Operations that had arrived and were not completed at the end of the run.
    pub backlog: f64,
    /// Growth of that number, operations/s; zero unless `saturated`.
    pub growth: f64,
    /// Whether arrivals exceed the capacity: the backlog then grows during the whole run, and latencies
    /// depend on its length.
    pub saturated: bool,
}

/// Minimum growth of a backlog, as a share of the arrivals, to be significant.
const GROWTH: f64 = 0.01;
/// Minimum growth in standard deviations of the number of arrivals; it varies by about one.
const DEVIATIONS: f64 = 3.0;

impl Offered {
    /// From a simulation: arrivals in a window of `seconds`, and operations in flight at its start and end.
    pub fn measured(arrived: f64, seconds: f64, [out_before, out_after]: [f64; 2]) -> Self {
        let grown = out_after - out_before;
        let saturated = grown > GROWTH * arrived && grown > DEVIATIONS * arrived.sqrt();
        Self {
            rate: OperationRate::new(arrived / seconds),
            backlog: out_after,
            growth: if saturated { grown / seconds } else { 0.0 },
            saturated,
        }
    }
}

/// The results of one workload in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadOutcome {
    /// The workload's id.
    pub id: String,
    /// Its rates.
    pub throughput: Throughput,
    /// Its latencies.
    pub latency: Latency,
    /// Their precision; `None` as [`SimulatedRun::precision`].
    pub precision: Option<Precision>,
    /// Its mean number of operations in flight.
    pub outstanding: f64,
    /// The offered load of an open loop; `None` for a closed one.
    pub offered: Option<Offered>,
    /// The cache results of its data.
    pub cache: CacheUse,
    /// The cache results of its metadata: all hits if their amount is not specified.
    pub metadata: CacheUse,
    /// Elapsed time of all its jobs; `None` without jobs.
    pub elapsed: Option<Time>,
    /// Each kind of its operations, in the order of [`OperationKind::ALL`].
    pub operations: Vec<OperationOutcome>,
}

/// One kind of operation of a workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperationOutcome {
    /// The kind of operation.
    pub operation: OperationKind,
    /// Completed operations per second.
    pub rate: OperationRate,
    /// Their mean latency.
    pub latency: Time,
    /// Instructions on the server per operation, including deferred work.
    pub instructions: f64,
    /// Cycles of its cores per operation, including waits for memory.
    pub cycles: f64,
    /// Bytes at the disks per operation, both directions, without log and cache devices.
    pub disk_bytes: f64,
}

/// Data on a simulation run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulatedRun {
    /// Simulated time before the measured window.
    pub warm_up: Time,
    /// Length of the measured window.
    pub measured: Time,
    /// Operations completed inside the measured window.
    pub operations: u64,
    /// Total number of events, including the warm-up.
    pub events: u64,
    /// The required window, if the scenario fixes one that is too short for a steady state.
    pub short: Option<ShortWindow>,
    /// Precision of the totals of all workloads; `None` for the replay of a trace, and if the window has
    /// fewer than three parts.
    pub precision: Option<Precision>,
}

/// Precision of the figures of a simulation: relative half-width of their 90 % confidence interval. One in
/// ten longer runs would deviate by more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Number of parts of the measured window.
    pub batches: u32,
    /// Of the operations per second, and of every proportional rate.
    pub throughput: f64,
    /// Of the mean latency; `None` without completed operations.
    pub latency: Option<f64>,
}

/// The shortest window whose figures are those of a steady state, and the reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortWindow {
    /// The minimum warm-up: 2 operations of the slowest thread, and 3 transaction groups.
    pub warm_up: Time,
    /// The minimum window: 3 operations of the slowest thread, and 3 transaction groups.
    pub measured: Time,
    /// Time between two operations of the slowest thread.
    pub operation: Time,
    /// Time between two transaction groups; `None` without writes to disks.
    pub group: Option<Time>,
}

/// The totals of the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// The total rates of all workloads.
    pub throughput: Throughput,
    /// The mean latency of all operations.
    pub mean_latency: Time,
}

/// The relative difference in throughput between a simulation and its steady state above which they disagree.
pub const DISAGREEMENT: f64 = 0.05;

impl Outcome {
    /// Whether an open loop offers more than the capacity: there is no steady state then, and latencies grow
    /// for as long as that lasts.
    pub fn is_overloaded(&self) -> bool {
        let mut offered = self.workloads.iter().filter_map(|workload| workload.offered);
        offered.any(|offered| offered.saturated)
    }

    /// Whether the operations per second differ from those of `other` by more than [`DISAGREEMENT`].
    pub fn disagrees_with(&self, other: &Self) -> bool {
        let [found, expected] = [self, other].map(|outcome| outcome.throughput.operations.get());
        (found - expected).abs() > DISAGREEMENT * expected
    }

    /// The rates of all resources, units/s.
    pub fn rates(&self) -> Vec<f64> {
        self.resources.iter().map(|resource| resource.rate).collect()
    }

    /// The totals of the server.
    pub fn totals(&self) -> Totals {
        Totals {
            throughput: self.throughput,
            mean_latency: self.latency.mean,
        }
    }
}

/// All results of a prediction or a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The method.
    pub mode: Mode,
    /// The total rates of all workloads.
    pub throughput: Throughput,
    /// The latencies of all operations.
    pub latency: Latency,
    /// One entry for every resource of the topology and of the clients, in the order of the topology.
    pub resources: Vec<ResourceUse>,
    /// One entry for every socket, in the order of the topology.
    pub sockets: Vec<SocketUse>,
    /// One entry for every directed socket link.
    pub link_traffic: Vec<LinkTraffic>,
    /// One entry for every workload, in the order of the scenario.
    pub workloads: Vec<WorkloadOutcome>,
    /// Power of the server; `None` if its topology has no chassis.
    pub power: Option<ServerPower>,
    /// Elapsed time of all jobs of all workloads; `None` without jobs.
    pub elapsed: Option<Time>,
    /// Data on the simulation run; `None` for a prediction.
    pub simulated: Option<SimulatedRun>,
    /// The relative change that is left in a prediction, where its steady state was found approximately only;
    /// zero otherwise.
    pub unsettled: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 arrivals in 10 s vary by 32: a difference of three times that is a growing backlog.
    #[test]
    fn a_backlog_grows_only_by_more_than_chance() {
        let growth = |out| Offered::measured(1000.0, 10.0, out).growth;
        assert_eq!([[9.0, 2.0], [2.0, 9.0], [2.0, 90.0]].map(growth), [0.0; 3]);
        assert_eq!(growth([2.0, 102.0]), 10.0);
    }
}
