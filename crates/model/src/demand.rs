//! Demands: what one operation uses of every resource.

use std::sync::Arc;

/// Work on the cores of one socket for one operation, before it is known how long a miss takes.
pub use bandgraph_hardware::cpu::Work as SocketWork;
use bandgraph_hardware::hypertransport::{Cause, PacketMix};
use bandgraph_workload::OperationKind;

use crate::coherence::Ledger;
use crate::interrupts::InterruptWork;
use crate::placement::Placement;
use crate::storage::Wait;

/// Bytes per operation on one directed socket link, by cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// The resource, as an index into the resources of the bound scenario.
    pub resource: usize,
    /// Bytes per operation, in the order of [`Cause::ALL`].
    pub by_cause: [f64; Cause::ALL.len()],
}

impl Traffic {
    /// That of a ledger, in ascending order of resource.
    pub(crate) fn of(ledger: &Ledger) -> Vec<Self> {
        let causes = ledger.causes.iter().enumerate();
        let used = causes.filter(|(_, bytes)| bytes.iter().any(|&bytes| bytes > 0.0));
        used.map(|(resource, &by_cause)| Self { resource, by_cause })
            .collect()
    }
}

/// What one line that a socket misses uses of links and memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineUse {
    /// As [`Class::demand`].
    pub demand: Vec<(usize, f64)>,
    /// The same by cause, as [`Class::traffic`].
    pub traffic: Vec<Traffic>,
    /// What it reads and writes, as [`Class::memory`].
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

/// What the free work of an operation would use if all of it ran on one socket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SocketLoad {
    /// The work there.
    pub work: SocketWork,
    /// Lines that it misses there.
    pub lines: f64,
    /// What each of them uses.
    pub line: Arc<LineUse>,
}

impl SocketLoad {
    /// What its misses use of links and memory, as [`Class::demand`].
    pub fn demand(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let of_line = self.line.demand.iter();
        of_line.map(|&(resource, units)| (resource, self.lines * units))
    }
}

/// The work of an operation that any core may do: an idle core takes it where those that it was dealt to
/// are full. Empty where all work is bound to its cores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FreeWork {
    /// Share of it that is dealt to each socket, in the order of the topology; they sum to 1. It is part of
    /// the demand and the work of its class.
    pub shares: Vec<f64>,
    /// All of it, if it ran on that socket.
    pub on: Vec<SocketLoad>,
}

impl FreeWork {
    /// How much more of it than dealt each socket has, where it has these shares.
    pub(crate) fn more(&self, shares: &[f64]) -> Vec<f64> {
        let dealt = self.shares.iter();
        dealt.zip(shares).map(|(dealt, share)| share - dealt).collect()
    }

    /// Adds what so much less on the sockets that it was dealt to and more on others changes.
    pub(crate) fn move_demand(&self, more: &[f64], demand: &mut Vec<(usize, f64)>) {
        for (load, more) in self.on.iter().zip(more).filter(|(_, more)| **more != 0.0) {
            for (resource, units) in load.demand() {
                match demand.binary_search_by_key(&resource, |&(resource, _)| resource) {
                    Ok(position) => demand[position].1 += more * units,
                    Err(position) => demand.insert(position, (resource, more * units)),
                }
            }
        }
        // What is left where all of it has gone is rounding.
        demand.retain(|&(_, units)| units > 1e-9);
    }

    /// The same of work, by socket.
    pub(crate) fn move_work(&self, more: &[f64], work: &mut [SocketWork]) {
        for ((work, load), more) in work.iter_mut().zip(&self.on).zip(more) {
            work.instructions = (work.instructions + more * load.work.instructions).max(0.0);
            work.serial_misses = (work.serial_misses + more * load.work.serial_misses).max(0.0);
        }
    }

    /// The same of what memory reads and writes.
    pub(crate) fn move_memory(&self, more: &[f64], memory: &mut [MemoryBytes]) {
        for (load, more) in self.on.iter().zip(more) {
            for (sum, bytes) in memory.iter_mut().zip(&load.line.memory) {
                sum.add(*bytes, more * load.lines);
                sum.reads = sum.reads.max(0.0);
                sum.writes = sum.writes.max(0.0);
            }
        }
    }

    /// The same of traffic.
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

/// What an operation does at a disk or an SSD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceUse {
    /// The resource, as an index into those of the bound scenario.
    pub resource: usize,
    /// Units of it per operation: its part of the demand.
    pub units: f64,
    /// Whether the operation has [waits](Class::device_waits) for it.
    pub queued: bool,
    /// Commands and bytes per operation.
    pub commands: f64,
    /// As `commands`.
    pub bytes: f64,
}

/// Bytes that the memory of one socket moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MemoryBytes {
    /// Out of memory.
    pub reads: f64,
    /// Into memory.
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
    /// The workload, as an index into those of the scenario.
    pub workload: usize,
    /// What the operations do.
    pub operation: OperationKind,
    /// The demand vector: resource (index into those of the bound scenario) and units per operation, cores
    /// excepted, in ascending order of resource, every unit above zero.
    pub demand: Vec<(usize, f64)>,
    /// Bytes by cause on the socket links, in ascending order of resource.
    pub traffic: Arc<[Traffic]>,
    /// Bytes per operation that the memory of each socket moves, in the order of the topology.
    pub memory: Arc<[MemoryBytes]>,
    /// File data per operation, in bytes.
    pub payload: f64,
    /// Bytes at the server's port per operation, both directions, as a port counter shows them.
    pub network: f64,
    /// Bytes at the disks per operation, both directions.
    pub disk: f64,
    /// What of the demand is done after the reply, if anything, as an index into the bound scenario's
    /// [`behind`](crate::Bound); nobody waits for it.
    pub behind: Option<usize>,
    /// The demand vector and the work without that; empty where all is waited for.
    pub waited: Waited,
    /// Seconds per operation that it waits for devices that have nothing else to do, one after the other with
    /// its work on a core.
    pub device_wait: f64,
    /// What it waits for there, one after the other.
    pub device_waits: Arc<[Wait]>,
    /// What it does at devices, whether it waits for that or not.
    pub devices: Arc<[DeviceUse]>,
    /// The resource of the core that the connection is bound to, where it is; its cycles follow from the
    /// load, as those of sockets.
    pub port_core: Option<usize>,
    /// Seconds that one core of the client works on it while its data are on their way: they take no less.
    pub client_seconds: f64,
    /// Work on each socket, in the order of the topology.
    pub work: Arc<[SocketWork]>,
    /// The part of it that any core may do, without that done after the reply.
    pub free: Arc<FreeWork>,
    /// The part of it that is done on the core of the connection, where there is one.
    pub bound_work: Arc<[SocketWork]>,
    /// The part of all this that is interrupts of its port, as a lone operation has them.
    pub interrupts: Option<Arc<InterruptWork>>,
    /// Where the lines live that it misses, as a number of the [`Fabric`](crate::Fabric)'s.
    pub homes: usize,
}

impl Class {
    /// The demand that an operation waits for, in ascending order of resource.
    pub fn waited_demand(&self) -> &[(usize, f64)] {
        if self.behind.is_some() {
            &self.waited.demand
        } else {
            &self.demand
        }
    }

    /// The demand that an operation waits for while it moves its data, without the busy time of devices whose
    /// commands it waits for.
    pub fn moving_demand(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.waited_demand().iter().filter_map(|&(resource, units)| {
            let served = self.served(resource);
            let left = units - served;
            (served == 0.0 || left > 1e-9 * units).then_some((resource, left))
        })
    }

    /// Busy time of a device that an operation has waits for, in units of its resource.
    pub fn served(&self, resource: usize) -> f64 {
        let devices = self.devices.iter();
        let queued = devices.filter(|device| device.queued && device.resource == resource);
        queued.map(|device| device.units).sum()
    }

    /// The work on each socket that an operation waits for.
    pub fn waited_work(&self) -> &[SocketWork] {
        if self.behind.is_some() {
            &self.waited.work
        } else {
            &self.work
        }
    }

    /// Whether an operation neither uses a resource nor takes time, so that nothing limits its rate.
    pub fn is_free(&self) -> bool {
        let idle = |work: &SocketWork| work.instructions <= 0.0 && work.serial_misses <= 0.0;
        self.waited_demand().is_empty() && self.waited_work().iter().all(idle) && self.device_wait <= 0.0
    }

    /// Whether its work, and what that uses of links and memory, is that of another class, nothing of which
    /// is done after the reply.
    pub(crate) fn has_work_of(&self, other: &Self) -> bool {
        self.behind.is_none()
            && Arc::ptr_eq(&self.work, &other.work)
            && Arc::ptr_eq(&self.free, &other.free)
            && Arc::ptr_eq(&self.traffic, &other.traffic)
            && Arc::ptr_eq(&self.memory, &other.memory)
    }

    /// The same class with more demand that is waited for, of at most `most` resources above those that are
    /// there.
    pub(crate) fn extended(&self, most: usize, extend: impl Fn(&mut Vec<(usize, f64)>)) -> Self {
        let longer = |demand: &[(usize, f64)]| {
            let mut longer = Vec::with_capacity(demand.len() + most);
            longer.extend_from_slice(demand);
            extend(&mut longer);
            longer
        };
        let waited = Waited {
            demand: self.behind.map_or_else(Vec::new, |_| longer(&self.waited.demand)),
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

    /// Takes this share of its interrupts off its work.
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

    /// Adds work that is waited for: so many instructions if all of it runs on that socket, for each socket.
    pub(crate) fn add_instructions(&mut self, placement: &Placement, instructions: &[f64]) {
        let work = Arc::make_mut(&mut self.work);
        let waited = self.waited.work.iter_mut().filter(|_| self.behind.is_some());
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

/// What an operation waits for, of all that it demands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waited {
    /// As [`Class::demand`].
    pub demand: Vec<(usize, f64)>,
    /// As [`Class::work`].
    pub work: Vec<SocketWork>,
}

/// What is done after the reply of an operation, with its transaction group.
#[derive(Clone, Debug, PartialEq)]
pub struct BehindDemand {
    /// As [`Class::demand`].
    pub demand: Vec<(usize, f64)>,
    /// As [`Class::work`].
    pub work: Vec<SocketWork>,
    /// The part of it that any core may do.
    pub free: FreeWork,
    /// As [`Class::homes`].
    pub homes: usize,
}

/// What issues the operations of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Supply {
    /// Threads that wait for their replies.
    Closed,
    /// Arrivals at a rate.
    Open {
        /// Operations per second.
        rate: f64,
        /// At random; evenly otherwise.
        poisson: bool,
    },
    /// The records of a trace, at a rate where they come when they were recorded.
    Trace {
        /// Operations per second; `None` where they come as fast as they are answered.
        rate: Option<f64>,
    },
}

/// The time that an open loop is stretched over to solve it as a closed one, in seconds. Long against any
/// operation.
pub const OPEN_HORIZON: f64 = 3600.0;

/// Threads that behave alike: those of one workload on one client NIC; or the arrivals of an open loop there.
///
/// An open loop of rate λ is the limit of a closed one of λH threads that think for a time H: the longer H,
/// the less their number matters. That is how the steady state sees it, with an hour for H. When the server
/// does not keep up, all of them come to be in flight, and its rate is what it can do.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadGroup {
    /// The workload, as an index into those of the scenario.
    pub workload: usize,
    /// The resource of what their client NIC receives, which tells client NICs apart; cores of the server for
    /// its own processes.
    pub client_nic: usize,
    /// The client machine, numbered within its group of clients.
    pub client: usize,
    /// The server's port, as an index; `None` for processes of the server itself.
    pub port: Option<usize>,
    /// The resource of the core of the port that their connections are bound to, where they are.
    pub port_core: Option<usize>,
    /// Client NICs of one kind have the same rate, the same port of the server, and the same threads on them.
    pub kind: usize,
    /// How many threads; none in an open loop.
    pub threads: u32,
    /// How many groups like this one it stands for: one, but where a scenario is reduced to what differs.
    pub members: f64,
    /// What issues their operations.
    pub supply: Supply,
    /// Threads as the steady state counts them.
    pub population: f64,
    /// Operations that the client lets be under way at a time; infinite where it does not limit them. The
    /// limit is the client's; this is the part of it for this NIC.
    pub slots: f64,
    /// Seconds per operation that pass outside of all resources: propagation, switches, interrupt delay.
    pub delay: f64,
    /// Seconds a thread waits between a reply and its next operation; as the steady state sees it in an open
    /// loop.
    pub think: f64,
    /// Whether no thread of the workload thinks before all of them have their replies.
    pub barrier: bool,
    /// The classes its operations belong to, and the share of each; shares sum to 1.
    pub visits: Vec<(usize, f64)>,
}

impl ThreadGroup {
    /// Operations per second that come, whatever the server does; `None` in a closed loop.
    pub fn offered(&self) -> Option<f64> {
        match self.supply {
            Supply::Closed => None,
            Supply::Open { rate, .. } => Some(rate),
            Supply::Trace { rate } => rate,
        }
    }
}
