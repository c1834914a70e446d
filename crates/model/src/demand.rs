//! Demands: the use of every resource by one operation.

use std::sync::Arc;

/// Work on the cores of one socket for one operation, independent of the miss latency.
pub use bandgraph_hardware::cpu::Work as SocketWork;
use bandgraph_hardware::hypertransport::{Cause, PacketMix};
use bandgraph_workload::OperationKind;

use crate::coherence::Ledger;
use crate::interrupts::InterruptWork;
use crate::placement::Placement;
use crate::serial::Serial;
use crate::storage::Wait;
use crate::work_parts::WorkParts;

/// Bytes per operation on one directed socket link, by cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Index into the resources of the bound scenario.
    pub resource: usize,
    /// Bytes per operation, in the order of [`Cause::ALL`].
    pub by_cause: [f64; Cause::ALL.len()],
}

impl Traffic {
    /// The traffic of a ledger, in ascending order of resource.
    pub(crate) fn of(ledger: &Ledger) -> Vec<Self> {
        let causes = ledger.causes.iter().enumerate();
        let used = causes.filter(|(_, bytes)| bytes.iter().any(|&bytes| bytes > 0.0));
        used.map(|(resource, &by_cause)| Self { resource, by_cause })
            .collect()
    }
}

/// The use of links and memory by one line missed by a socket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineUse {
    /// As [`Class::demand`].
    pub demand: Vec<(usize, f64)>,
    /// The same by cause, as [`Class::traffic`].
    pub traffic: Vec<Traffic>,
    /// Its reads and writes, as [`Class::memory`].
    pub memory: Vec<MemoryBytes>,
    /// Its packets, by resource.
    pub(crate) packets: Vec<PacketMix>,
}

impl LineUse {
    pub(crate) fn of(ledger: Ledger) -> Self {
        Self {
            demand: ledger.demand(),
            traffic: Traffic::of(&ledger),
            memory: ledger.memory,
            packets: ledger.packets,
        }
    }
}

/// The free work of an operation if all of it ran on one socket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SocketLoad {
    /// The work there.
    pub work: SocketWork,
    /// Lines missed there.
    pub lines: f64,
    /// The use of each of these lines.
    pub line: Arc<LineUse>,
}

impl SocketLoad {
    /// The use of links and memory by its misses, as [`Class::demand`].
    pub fn demand(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let of_line = self.line.demand.iter();
        of_line.map(|&(resource, units)| (resource, self.lines * units))
    }
}

/// The work of an operation that any core may do: an idle core takes it if its assigned cores are saturated.
/// Empty if all work is bound to its cores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FreeWork {
    /// Share of it assigned to each socket, in the order of the topology; the sum is 1. It is part of the
    /// demand and the work of its class.
    pub shares: Vec<f64>,
    /// By socket: all of the free work, if it ran there.
    pub on: Vec<SocketLoad>,
}

impl FreeWork {
    /// The change of each socket's share from the assigned shares to these.
    pub(crate) fn more(&self, shares: &[f64]) -> Vec<f64> {
        let dealt = self.shares.iter();
        dealt.zip(shares).map(|(dealt, share)| share - dealt).collect()
    }

    /// Adds to a demand the change due to moved free work; `more` is the change of each socket's share.
    pub(crate) fn move_demand(&self, more: &[f64], demand: &mut Vec<(usize, f64)>) {
        for (load, more) in self.on.iter().zip(more).filter(|(_, more)| **more != 0.0) {
            for (resource, units) in load.demand() {
                match demand.binary_search_by_key(&resource, |&(resource, _)| resource) {
                    Ok(position) => demand[position].1 += more * units,
                    Err(position) => demand.insert(position, (resource, more * units)),
                }
            }
        }
        // Remainders are rounding errors.
        demand.retain(|&(_, units)| units > 1e-9);
    }

    /// The same for work, by socket.
    pub(crate) fn move_work(&self, more: &[f64], work: &mut [SocketWork]) {
        for ((work, load), more) in work.iter_mut().zip(&self.on).zip(more) {
            work.instructions = (work.instructions + more * load.work.instructions).max(0.0);
            work.serial_misses = (work.serial_misses + more * load.work.serial_misses).max(0.0);
        }
    }

    /// The same for reads and writes of memory.
    pub(crate) fn move_memory(&self, more: &[f64], memory: &mut [MemoryBytes]) {
        for (load, more) in self.on.iter().zip(more) {
            for (sum, bytes) in memory.iter_mut().zip(&load.line.memory) {
                sum.add(*bytes, more * load.lines);
                sum.reads = sum.reads.max(0.0);
                sum.writes = sum.writes.max(0.0);
            }
        }
    }

    /// The same for traffic.
    pub(crate) fn move_traffic(&self, more: &[f64], traffic: &mut Vec<Traffic>) {
        for (load, more) in self.on.iter().zip(more).filter(|(_, more)| **more != 0.0) {
            for of_line in &load.line.traffic {
                let known = traffic.iter().position(|sum| sum.resource >= of_line.resource);
                let position = known.unwrap_or(traffic.len());
                if traffic
                    .get(position)
                    .is_none_or(|sum| sum.resource != of_line.resource)
                {
                    let by_cause = [0.0; Cause::ALL.len()];
                    let resource = of_line.resource;
                    traffic.insert(position, Traffic { resource, by_cause });
                }
                for (sum, bytes) in traffic[position].by_cause.iter_mut().zip(of_line.by_cause) {
                    *sum = (*sum + more * load.lines * bytes).max(0.0);
                }
            }
        }
    }
}

/// The use of a disk or an SSD by an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceUse {
    /// Index into the resources of the bound scenario.
    pub resource: usize,
    /// To the device; otherwise from it.
    pub write: bool,
    /// Units per operation: its part of the demand.
    pub units: f64,
    /// Whether the operation [waits](Class::device_waits) for it.
    pub queued: bool,
    /// Commands per operation.
    pub commands: f64,
    /// Bytes per operation.
    pub bytes: f64,
}

/// Bytes moved by the memory of one socket.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryBytes {
    /// Bytes read from memory.
    pub reads: f64,
    /// Bytes written to memory.
    pub writes: f64,
}

impl MemoryBytes {
    /// Adds `other`, multiplied by `times`.
    pub fn add(&mut self, other: Self, times: f64) {
        self.reads += times * other.reads;
        self.writes += times * other.writes;
    }
}

/// Operations with equal demands: one kind of operation of one workload, between one client NIC and one
/// server port.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Index into the workloads of the scenario.
    pub workload: usize,
    /// The kind of operation.
    pub operation: OperationKind,
    /// The demand vector: resource (index into those of the bound scenario) and units per operation, except
    /// cores, in ascending order of resource, all above zero.
    pub demand: Vec<(usize, f64)>,
    /// Bytes by cause on the socket links, in ascending order of resource.
    pub traffic: Arc<[Traffic]>,
    /// Bytes per operation moved by the memory of each socket, in the order of the topology.
    pub memory: Arc<[MemoryBytes]>,
    /// File data per operation, bytes.
    pub payload: f64,
    /// Bytes at the server's port per operation, both directions, as in a port counter.
    pub network: f64,
    /// Bytes at the disks per operation, both directions.
    pub disk: f64,
    /// The deferred part of the demand, if any: index into [`background`](crate::Bound) of the bound
    /// scenario. No operation waits for it.
    pub background: Option<usize>,
    /// The demand vector and the work without the deferred part; empty if there is none.
    pub waited: Waited,
    /// Seconds per operation that it waits for idle devices, in sequence with its work on a core.
    pub device_wait: f64,
    /// Its waits for devices, in sequence.
    pub device_waits: Arc<[Wait]>,
    /// Its use of devices, whether or not it waits.
    pub devices: Arc<[DeviceUse]>,
    /// The resource of the core that the connection is bound to, or of the cores of the processes that issue
    /// or serve it, if any; its cycles follow from the load, like those of sockets.
    pub port_core: Option<usize>,
    /// Seconds of work of one client core during the transfer of the data, which takes no less.
    pub client_seconds: f64,
    /// The parts of its work and transfer that overlap with nothing.
    pub serial: Serial,
    /// What its work is for, while sockets are idle.
    pub parts: WorkParts,
    /// Work on each socket, in the order of the topology.
    pub work: Arc<[SocketWork]>,
    /// The part of it that any core may do, without deferred work.
    pub free: Arc<FreeWork>,
    /// The part of it on that core, if there is one.
    pub bound_work: Arc<[SocketWork]>,
    /// The part of the work for interrupts of its port, at the level of isolated operations.
    pub interrupts: Option<Arc<InterruptWork>>,
    /// The homes of the lines that it misses: a number in the [`Fabric`](crate::Fabric).
    pub homes: usize,
}

impl Class {
    /// The demand that an operation waits for, in ascending order of resource.
    pub fn waited_demand(&self) -> &[(usize, f64)] {
        if self.background.is_some() {
            &self.waited.demand
        } else {
            &self.demand
        }
    }

    /// The demand that an operation waits for while it moves data, without the busy time of devices for which
    /// it has waits.
    pub fn moving_demand(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.waited_demand().iter().filter_map(|&(resource, units)| {
            let served = self.served(resource);
            let left = units - served;
            (served == 0.0 || left > 1e-9 * units).then_some((resource, left))
        })
    }

    /// Busy time of a device for which an operation has waits, in units of its resource.
    #[inline]
    pub fn served(&self, resource: usize) -> f64 {
        let devices = self.devices.iter();
        let queued = devices.filter(|device| device.queued && device.resource == resource);
        queued.map(|device| device.units).sum()
    }

    /// Busy time of a device for writes, deferred or not, in units of its resource.
    pub fn written(&self, resource: usize) -> f64 {
        let devices = self.devices.iter();
        let writes = devices.filter(|device| device.write && device.resource == resource);
        writes.map(|device| device.units).sum()
    }

    /// The work on each socket that an operation waits for.
    pub fn waited_work(&self) -> &[SocketWork] {
        if self.background.is_some() {
            &self.waited.work
        } else {
            &self.work
        }
    }

    /// Whether an operation uses no resource and takes no time, so that its rate is unlimited.
    pub fn is_free(&self) -> bool {
        let idle = |work: &SocketWork| work.instructions <= 0.0 && work.serial_misses <= 0.0;
        self.waited_demand().is_empty() && self.waited_work().iter().all(idle) && self.device_wait <= 0.0
    }

    /// Whether its work, and the use of links and memory by it, equals that of another class, without a
    /// deferred part.
    pub(crate) fn has_work_of(&self, other: &Self) -> bool {
        self.background.is_none()
            && Arc::ptr_eq(&self.work, &other.work)
            && Arc::ptr_eq(&self.free, &other.free)
            && Arc::ptr_eq(&self.traffic, &other.traffic)
            && Arc::ptr_eq(&self.memory, &other.memory)
    }

    /// The same class with an additional demand that is waited for, on at most `most` resources after the
    /// existing ones.
    pub(crate) fn extended(&self, most: usize, extend: impl Fn(&mut Vec<(usize, f64)>)) -> Self {
        let longer = |demand: &[(usize, f64)]| {
            let mut longer = Vec::with_capacity(demand.len() + most);
            longer.extend_from_slice(demand);
            extend(&mut longer);
            longer
        };
        let waited = Waited {
            demand: self
                .background
                .map_or_else(Vec::new, |_| longer(&self.waited.demand)),
            work: self.waited.work.clone(),
        };
        Self {
            demand: longer(&self.demand),
            waited,
            traffic: Arc::clone(&self.traffic),
            memory: Arc::clone(&self.memory),
            work: Arc::clone(&self.work),
            free: Arc::clone(&self.free),
            bound_work: Arc::clone(&self.bound_work),
            interrupts: self.interrupts.clone(),
            device_waits: Arc::clone(&self.device_waits),
            devices: Arc::clone(&self.devices),
            ..*self
        }
    }

    /// Binds it to the cores of its processes: all its work that it waits for, but what other threads do.
    pub(crate) fn bind_to_processes(&mut self, processes: usize) {
        let own = self.waited_work().iter().map(|work| SocketWork {
            instructions: self.serial.own_work(work.instructions),
            serial_misses: self.serial.own_work(work.serial_misses),
        });
        self.bound_work = own.collect();
        self.port_core = Some(processes);
    }

    /// Binds it to the cores of the server's processes: all its work, deferred or not.
    pub(crate) fn bind_to_server_processes(&mut self, processes: usize) {
        self.bound_work = Arc::clone(&self.work);
        self.port_core = Some(processes);
    }

    /// Subtracts a share of its interrupts from its work.
    pub(crate) fn save_interrupts(&mut self, interrupts: &InterruptWork, saved: f64) {
        let all = Arc::make_mut(&mut self.work).iter_mut();
        let bound = Arc::make_mut(&mut self.bound_work).iter_mut();
        let dealt = interrupts.dealt.iter().cycle();
        let works = all.chain(bound).chain(&mut self.waited.work);
        for (work, instructions) in works.zip(dealt) {
            work.instructions = (work.instructions - saved * instructions).max(0.0);
        }
        for load in &mut Arc::make_mut(&mut self.free).on {
            load.work.instructions = (load.work.instructions - saved * interrupts.free).max(0.0);
        }
    }

    /// Adds work that is waited for: by socket, the instructions if all of it ran there.
    pub(crate) fn add_instructions(&mut self, placement: &Placement, instructions: &[f64]) {
        let work = Arc::make_mut(&mut self.work);
        let waited = self.waited.work.iter_mut().filter(|_| self.background.is_some());
        for (work, (share, more)) in work.iter_mut().zip(placement.cores.iter().zip(instructions)) {
            work.instructions += share * more;
        }
        for (work, (share, more)) in waited.zip(placement.cores.iter().zip(instructions)) {
            work.instructions += share * more;
        }
        let free = Arc::make_mut(&mut self.free);
        for (load, more) in free.on.iter_mut().zip(instructions) {
            load.work.instructions += placement.free * more;
        }
    }
}

/// The part of the demand of an operation that it waits for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waited {
    /// As [`Class::demand`].
    pub demand: Vec<(usize, f64)>,
    /// As [`Class::work`].
    pub work: Vec<SocketWork>,
}

/// Deferred work: done after the reply of an operation, with its transaction group.
#[derive(Clone, Debug, PartialEq)]
pub struct BackgroundDemand {
    /// As [`Class::demand`].
    pub demand: Vec<(usize, f64)>,
    /// As [`Class::work`].
    pub work: Vec<SocketWork>,
    /// The part of it that any core may do.
    pub free: FreeWork,
    /// As [`Class::homes`].
    pub homes: usize,
}

/// The source of the operations of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Supply {
    /// Threads that wait for their replies.
    Closed,
    /// Arrivals at a rate.
    Open {
        /// Operations/s.
        rate: f64,
        /// Random arrivals; otherwise evenly spaced.
        poisson: bool,
    },
    /// The records of a trace; with a rate if their recorded times apply.
    Trace {
        /// Operations/s; `None` if operations are issued as fast as replies arrive.
        rate: Option<f64>,
    },
}

/// Think time for the solution of an open loop as a closed one, seconds; long against any operation.
pub const OPEN_HORIZON: f64 = 3.6e6;

/// Equivalent threads: those of one workload on one client NIC; or the arrivals of an open loop there.
///
/// An open loop of rate λ is the limit of a closed loop of λH threads with a think time H: the longer H, the
/// smaller the effect of their number. The steady state uses a thousand hours for H. On an overloaded
/// server, all of them are finally in flight, and the rate is the capacity of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadGroup {
    /// Index into the workloads of the scenario.
    pub workload: usize,
    /// The receive resource of their client NIC, which identifies the NIC; the cores of the server for local
    /// processes.
    pub client_nic: usize,
    /// The client machine, numbered within its client group.
    pub client: usize,
    /// Index of the server's port; `None` for processes on the server itself.
    pub port: Option<usize>,
    /// The resource of the port core that their connections are bound to, if any.
    pub port_core: Option<usize>,
    /// Client NICs of one kind have the same rate, the same port of the server, and the same threads.
    pub kind: usize,
    /// Number of threads; 0 in an open loop.
    pub threads: u32,
    /// Number of equivalent groups that this one represents; above one only in a reduced scenario.
    pub members: f64,
    /// The source of their operations.
    pub supply: Supply,
    /// Number of threads for the steady state.
    pub population: f64,
    /// Maximum number of operations in flight; infinite without a limit. This is the part for this NIC of the
    /// limit of the client.
    pub slots: f64,
    /// Seconds per operation outside all resources: propagation, switches, interrupt delay.
    pub delay: f64,
    /// Seconds between a reply and the next operation of a thread; in an open loop the value for the steady
    /// state.
    pub think: f64,
    /// Whether threads of the workload only think after all of them have their replies.
    pub barrier: bool,
    /// The classes of its operations with their shares; the sum of the shares is 1.
    pub visits: Vec<(usize, f64)>,
}

impl ThreadGroup {
    /// Arrivals per second, independent of the server; `None` in a closed loop.
    pub fn offered(&self) -> Option<f64> {
        match self.supply {
            Supply::Closed => None,
            Supply::Open { rate, .. } => Some(rate),
            Supply::Trace { rate } => rate,
        }
    }
}
