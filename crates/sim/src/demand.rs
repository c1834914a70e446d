//! Demands: what one operation uses of every resource.

/// Work on the cores of one socket for one operation, before it is known how long a miss takes.
pub(crate) use bandgraph_hardware::cpu::Work as SocketWork;
use bandgraph_hardware::hypertransport::Cause;
use bandgraph_workload::OperationKind;

/// Bytes per operation on one directed socket link, by cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// The resource, as an index into the resources of the bound scenario.
    pub resource: usize,
    /// Bytes per operation, in the order of [`Cause::ALL`].
    pub by_cause: [f64; Cause::ALL.len()],
}

/// Operations with equal demands: one kind of operation of one workload, between one client NIC and one server port.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The workload, as an index into those of the scenario.
    pub workload: usize,
    /// What the operations do.
    pub operation: OperationKind,
    /// The demand vector: resource (index into those of the bound scenario) and units per operation, cores excepted,
    /// in ascending order of resource, every unit above zero.
    pub demand: Vec<(usize, f64)>,
    /// Bytes by cause on the socket links, in ascending order of resource.
    pub traffic: Vec<Traffic>,
    /// File data per operation, in bytes.
    pub payload: f64,
    /// Bytes at the server's port per operation, both directions, as a port counter shows them.
    pub network: f64,
    /// Bytes at the disks per operation, both directions.
    pub disk: f64,
    /// Seconds per operation that it waits for devices, one after the other with its work on a core.
    pub(crate) device_wait: f64,
    /// The resource of the core that the connection is bound to, where it is; its cycles follow from the load, as those
    /// of sockets.
    pub(crate) port_core: Option<usize>,
    /// Work on each socket, in the order of the topology.
    pub(crate) work: Vec<SocketWork>,
    /// The part of it that is done on the core of the connection, where there is one.
    pub(crate) bound_work: Vec<SocketWork>,
}

/// Threads that behave alike: those of one workload on one client NIC.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ThreadGroup {
    /// The workload, as an index into those of the scenario.
    pub(crate) workload: usize,
    /// The resource of what their client NIC receives, which tells client NICs apart; cores of the server for its own
    /// processes.
    pub(crate) client_nic: usize,
    /// The server's port, as an index; `None` for processes of the server itself.
    pub(crate) port: Option<usize>,
    /// The resource of the core of the port that their connections are bound to, where they are.
    pub(crate) port_core: Option<usize>,
    /// Client NICs of one kind have the same rate, the same port of the server, and the same threads on them.
    pub(crate) kind: usize,
    /// How many threads.
    pub(crate) threads: u32,
    /// How many groups like this one it stands for: one, but where a scenario is reduced to what differs.
    pub(crate) members: f64,
    /// Seconds per operation that pass outside of all resources: propagation, switches, interrupt delay.
    pub(crate) delay: f64,
    /// Seconds a thread waits between a reply and its next operation.
    pub(crate) think: f64,
    /// The classes its operations belong to, and the share of each; shares sum to 1.
    pub(crate) visits: Vec<(usize, f64)>,
}
