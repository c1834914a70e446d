//! Errors of binding a checked scenario.

use bandgraph_workload::{OperationKind, ProtocolKind};
use thiserror::Error;

use crate::storage::StorageError;

/// Why a scenario cannot be bound.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BindError {
    /// The scenario has no workload.
    #[error("the scenario has no workload, so there is nothing to run")]
    NoWorkload,
    /// A workload names a group of clients that the scenario does not have.
    #[error("workload `{workload}` is for clients `{clients}`, which the scenario does not have")]
    UnknownClients {
        /// The workload's id.
        workload: String,
        /// The unknown name.
        clients: String,
    },
    /// Clients, or the servers of a cluster, name a port that the server does not have.
    #[error("{users} use port `{port}`, which no card of the topology has")]
    UnknownPort {
        /// Who names it.
        users: String,
        /// The unknown name.
        port: String,
        /// The known ports.
        known: Vec<String>,
    },
    /// Servers exchange messages for a workload of the server itself, in no protocol.
    #[error("the operations of workload `{workload}` go to other servers of the cluster in no protocol")]
    NoProtocolBetween {
        /// The workload's id.
        workload: String,
    },
    /// A group of clients is behind a switch that the scenario does not have.
    #[error("clients `{clients}` are on network `{network}`, which the scenario does not have")]
    UnknownNetwork {
        /// The group's id.
        clients: String,
        /// The unknown name.
        network: String,
        /// The known networks.
        known: Vec<String>,
    },
    /// A switch has fewer ports than connections.
    #[error("network `{network}` would have {count} {what} connected, and has ports for {limit}")]
    SwitchPorts {
        /// The network's id.
        network: String,
        /// The kind of connection.
        what: &'static str,
        /// Number of connections.
        count: u64,
        /// Number of ports.
        limit: u64,
    },
    /// A protocol on a port of another network.
    #[error(
        "workload `{workload}` speaks {protocol}, which needs {needed}, but port `{port}` speaks {spoken}"
    )]
    WrongMedium {
        /// The workload's id.
        workload: String,
        /// The protocol.
        protocol: &'static str,
        /// The required network.
        needed: &'static str,
        /// The server's port.
        port: String,
        /// The network of the port.
        spoken: &'static str,
    },
    /// A workload has its data on an unknown card, or one without memory.
    #[error("workload `{workload}` names `{gpu}` in `{field}`, which is no GPU of the topology")]
    UnknownGpu {
        /// The workload's id.
        workload: String,
        /// The field with the name.
        field: &'static str,
        /// The unknown name.
        gpu: String,
        /// The known GPUs.
        known: Vec<String>,
    },
    /// A protocol that moves data through main memory cannot have them in GPUs.
    #[error("workload `{workload}` has its data in GPUs, but those of {protocol} pass main memory")]
    PastGpus {
        /// The workload's id.
        workload: String,
        /// The protocol.
        protocol: &'static str,
    },
    /// GPUs copy from and to each other only where nothing else has the data.
    #[error("`peers` of workload `{workload}` need {needed}")]
    Peers {
        /// The workload's id.
        workload: String,
        /// What it lacks.
        needed: &'static str,
    },
    /// The server has no network port at all.
    #[error("no card of the topology has a network port, so no client can reach the server")]
    NoPorts,
    /// The working set exceeds the cache, and there is no pool for the rest.
    #[error(
        "workload `{workload}` reads a set of {working_set}, but {capacity} of DRAM are left for the cache, \
         and the scenario has no pool of disks to read the rest from"
    )]
    ExceedsCache {
        /// The workload's id.
        workload: String,
        /// Its size, as text.
        working_set: String,
        /// The available size, as text.
        capacity: String,
    },
    /// The operation needs disks, and there is no pool.
    #[error(
        "workload `{workload}` does {operation} operations, which need disks, and the scenario has no pool of them"
    )]
    NeedsDisks {
        /// The workload's id.
        workload: String,
        /// The operation.
        operation: String,
    },
    /// The pools, their devices or the cache are invalid.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// An operation of local processes uses no resource, so that its rate would be infinite.
    #[error(
        "a {operation} of workload `{workload}` uses no resource and takes no time, so its rate has no limit"
    )]
    FreeOperation {
        /// The workload's id.
        workload: String,
        /// The operation.
        operation: OperationKind,
    },
    /// A job with a number of cores without a given time.
    #[error("workload `{workload}` has no time for a job on {cores} cores")]
    NoComputeTime {
        /// The workload's id.
        workload: String,
        /// The cores of the job.
        cores: u32,
    },
    /// The processes of jobs exceed the memory.
    #[error(
        "the jobs of workload `{workload}` take {asked} of memory, and the server has {available} for them"
    )]
    JobMemory {
        /// The workload's id.
        workload: String,
        /// Memory of all processes, as text.
        asked: String,
        /// Available memory, as text.
        available: String,
    },
    /// More classes or threads than the program supports.
    #[error("the scenario has {count} {what}; at most {limit} are allowed")]
    TooMany {
        /// The kind of item.
        what: &'static str,
        /// The number of items.
        count: u64,
        /// The maximum.
        limit: u64,
    },
    /// A setting is out of range.
    #[error("`{field}` cannot be {value}: {reason}")]
    OutOfRange {
        /// The path of the setting, as `--set` has it.
        field: String,
        /// Its value, as text.
        value: String,
        /// The valid range, or what the setting needs.
        reason: String,
    },
}

impl BindError {
    /// A suggestion, if there is one.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::WrongMedium {
                needed: "rdma", port, ..
            } => Some(format!(
                "if the card of `{port}` does RoCE, give it `rdma = true`; or choose another `protocol`"
            )),
            Self::WrongMedium { needed, spoken, .. } => {
                let protocols = ProtocolKind::ALL.iter();
                let there = protocols.filter(|protocol| protocol.medium().as_str() == *spoken);
                let there: Vec<String> = there.map(|protocol| format!("`{}`", protocol.name())).collect();
                Some(format!(
                    "give the clients `ports` that speak {needed}, or choose a `protocol` over {spoken}: {}",
                    there.join(", ")
                ))
            }
            Self::PastGpus { .. } => {
                Some("choose a protocol over RDMA (`nfs3-rdma`, `nvme-rdma`), or leave `gpus` out".to_owned())
            }
            Self::Peers { .. } => Some(
                "copies from GPU to GPU have `gpus`, other `peers`, `protocol = \"host\"` and no pool"
                    .to_owned(),
            ),
            Self::NoPorts => Some(
                "add a `[[card]]` with a NIC to the topology (`bandgraph parts list --kind nic`); work \
                 that never leaves the server has `protocol = \"host\"`"
                    .to_owned(),
            ),
            Self::NoProtocolBetween { .. } => {
                Some("give the cluster the `protocol` between its servers, such as `nvme-tcp`".to_owned())
            }
            Self::NeedsDisks { .. } => Some(
                "add a `[[pool]]` of disks; files on a RAM disk (tmpfs) have `stack.writes = \"memory\"`"
                    .to_owned(),
            ),
            Self::FreeOperation { operation, .. } => Some(format!(
                "the software has no cost for {operation} operations: choose another `stack.profile`, or a `mix` \
                 without them"
            )),
            Self::ExceedsCache { capacity, .. } => Some(format!(
                "add a `[[pool]]` of disks, or make `working_set` no more than the {capacity}; \
                 `stack.memory_reserve` keeps the rest of the DRAM, or `cache.size` says less"
            )),
            _ => None,
        }
    }

    /// An unknown name, and the known ones.
    pub fn wrong_name(&self) -> Option<(&str, &[String])> {
        match self {
            Self::UnknownGpu { gpu, known, .. } => Some((gpu, known)),
            Self::Storage(error) => error.wrong_name(),
            _ => None,
        }
    }

    /// The stable id of this kind of error.
    pub fn id(&self) -> &'static str {
        match self {
            Self::NoWorkload => "sim::no_workload",
            Self::UnknownClients { .. } => "sim::unknown_clients",
            Self::UnknownPort { .. } => "sim::unknown_port",
            Self::NoProtocolBetween { .. } => "sim::no_protocol_between",
            Self::UnknownNetwork { .. } => "sim::unknown_network",
            Self::SwitchPorts { .. } => "sim::switch_ports",
            Self::WrongMedium { .. } => "sim::wrong_medium",
            Self::UnknownGpu { .. } => "sim::unknown_gpu",
            Self::PastGpus { .. } => "sim::past_gpus",
            Self::Peers { .. } => "sim::peers",
            Self::NoPorts => "sim::no_ports",
            Self::ExceedsCache { .. } => "sim::exceeds_cache",
            Self::NeedsDisks { .. } => "sim::needs_disks",
            Self::Storage(error) => error.id(),
            Self::FreeOperation { .. } => "sim::free_operation",
            Self::NoComputeTime { .. } => "sim::no_compute_time",
            Self::JobMemory { .. } => "sim::job_memory",
            Self::TooMany { .. } => "sim::too_many",
            Self::OutOfRange { .. } => "sim::out_of_range",
        }
    }
}

/// An explanation of every id of [`BindError`].
pub const EXPLANATIONS: &str = include_str!("explanations.txt");
