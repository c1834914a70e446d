//! Errors of binding a checked scenario.

use bandgraph_workload::OperationKind;
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
    /// A group of clients names a port that the server does not have.
    #[error("clients `{clients}` use port `{port}`, which no card of the topology has")]
    UnknownPort {
        /// The group's id.
        clients: String,
        /// The unknown name.
        port: String,
        /// The known ports.
        known: Vec<String>,
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
    #[error("workload `{workload}` has its data in `{gpu}`, which is no GPU of the topology")]
    UnknownGpu {
        /// The workload's id.
        workload: String,
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
    #[error("{field} is {value}, which is outside of its range: {range}")]
    OutOfRange {
        /// The setting.
        field: String,
        /// Its value, as text.
        value: String,
        /// The valid range.
        range: String,
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
            Self::WrongMedium { needed, .. } => Some(format!(
                "give the clients `ports` that speak {needed}, or choose another `protocol`"
            )),
            Self::PastGpus { .. } => {
                Some("choose a protocol over RDMA (`nfs3-rdma`, `nvme-rdma`), or leave `gpus` out".to_owned())
            }
            Self::NoPorts => Some(
                "add a `[[card]]` with a NIC to the topology (`bandgraph parts list --kind nic`); work \
                 that never leaves the server has `protocol = \"host\"`"
                    .to_owned(),
            ),
            Self::ExceedsCache { capacity, .. } => Some(format!(
                "add a `[[pool]]` of disks, or make `working_set` no more than the {capacity}"
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
            Self::UnknownNetwork { .. } => "sim::unknown_network",
            Self::SwitchPorts { .. } => "sim::switch_ports",
            Self::WrongMedium { .. } => "sim::wrong_medium",
            Self::UnknownGpu { .. } => "sim::unknown_gpu",
            Self::PastGpus { .. } => "sim::past_gpus",
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

/// A paragraph for every id of [`BindError`]: (id, text).
pub const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "sim::no_workload",
        "A scenario says what clients ask for in `[[workload]]` entries. Without one there is nothing to run or to \
         predict. Add at least one.",
    ),
    (
        "sim::unknown_clients",
        "Every workload is driven by one group of clients, named by the `id` of a `[[clients]]` entry of the same \
         scenario.",
    ),
    (
        "sim::unknown_port",
        "A group of clients may say which ports of the server it is connected to, as `card.port`: `nic0.0` is the \
         first port of card `nic0`. Every one of them must be a port of a network card in the topology.",
    ),
    (
        "sim::unknown_network",
        "A group of clients may say which switch joins it to the server, by the `id` of a `[[network]]` entry of the same \
         scenario. Without one, what is in between is never the limit.",
    ),
    (
        "sim::switch_ports",
        "Every network card of a client takes a port of its switch, and so does every port of the server that they use: \
         an uplink where the switch has any. Take a larger switch, override `ports` or `uplinks`, or spread the clients.",
    ),
    (
        "sim::wrong_medium",
        "NFS over RDMA and over IPoIB run over InfiniBand, NFS over TCP and TCP streams over Ethernet. The clients of a \
         workload use ports that speak the other. Give `ports` to the clients, or another protocol to the workload.",
    ),
    (
        "sim::unknown_gpu",
        "A workload may say that its data are in the memory of GPUs, by the ids of their `[[card]]` entries, \
         or ranges of them (`gpu[0-3]`). Each must be a card of kind `gpu` in a slot of the topology.",
    ),
    (
        "sim::past_gpus",
        "Network cards and drives move data between themselves and GPUs where software never touches them: \
         over RDMA, and for processes of the server itself. TCP hands its data to software, in main memory, \
         so that GPUs have them only after another copy, which is not part of the model.",
    ),
    (
        "sim::no_ports",
        "Clients reach the server through the ports of network cards. The topology has none: add a `[[card]]` with a \
         NIC as its part.",
    ),
    (
        "sim::exceeds_cache",
        "Reads are served from DRAM as long as the working sets fit. What fits is the memory of all sockets less the \
         share that the stack reserves for itself (`stack.memory_reserve`), or `cache.size`. The rest is read from disks, \
         so the scenario needs a `[[pool]]`. Add one, make the set smaller, or the memory larger.",
    ),
    (
        "sim::needs_disks",
        "Operations that change files end on disks or log devices. A figure that ignores them would be wrong, so the \
         scenario needs a `[[pool]]`.",
    ),
    (
        "sim::free_operation",
        "Processes of the server itself have no network. If their operations also have no instructions, no misses and no \
         data that is copied or read from a device, nothing limits them. Give the stack the cost of an operation \
         (`stack.instructions_per_operation` or `stack.copy_instructions_per_byte`), or give the job a compute time.",
    ),
    (
        "sim::no_compute_time",
        "A job says how long it computes for each number of cores that it may run on, or once for any number. It runs on a \
         number of cores that is not among them.",
    ),
    (
        "sim::job_memory",
        "Jobs that run on the server itself take memory for each of their processes (`job.memory`), and the cache has what \
         is left. Their processes need more than the DRAM less the stack's reserve. Run fewer of them, or give the server \
         more memory.",
    ),
    (
        "sim::too_many",
        "The program bounds what it is asked to hold in memory, so that a typing error (a million clients with a \
         million threads) is an answer at once and not a machine out of memory.",
    ),
    (
        "sim::out_of_range",
        "A setting of the stack or of the run has a value that cannot be: a negative cost, a share above 1, a run of \
         no length.",
    ),
    (
        "run::too_long",
        "Before a simulation begins, its operations are estimated from the steady state. More than 10 billion would take \
         hours, and more than 10 million in flight at its end would take gigabytes: where more is offered than is served, the \
         rest piles up for as long as the run lasts. Without `run.warm_up` and `run.duration` a run lasts a few cycles of its \
         slowest threads, which an overload makes very slow. Give both, as short as is useful (rates settle within seconds), \
         offer less, or use `--predict`.",
    ),
    (
        "run::too_many_in_flight",
        "A simulation holds every operation that has been issued and has no reply, and ends when these are more than 10 \
         million. The estimate before its beginning was less: what is offered came faster at a time than on average. Make \
         the run shorter, offer less, or use `--predict`.",
    ),
    (
        "storage::duplicate",
        "Pools and SSDs are called by their ids, so every id is there once.",
    ),
    (
        "storage::unknown_pool",
        "A `[[workload]]` may say in which pool its data lies, in `pool`: the id of a `[[pool]]` of the scenario. Without it \
         the data is spread over all pools, in proportion to their disks.",
    ),
    (
        "storage::unknown_jbod",
        "A `[[pool]]` may say over which enclosures it lies, in `jbods`. Each of them is the id of a `[[jbod]]` of the \
         topology. Left out, the pool has all of them.",
    ),
    (
        "storage::jbod_twice",
        "A disk belongs to one pool. Pools say which enclosures they have in `jbods`; one that does not has all, which \
         leaves none for another.",
    ),
    (
        "storage::not_enough_disks",
        "`disks_per_jbod` is how many disks the pool has of each of its enclosures: no more than there are.",
    ),
    (
        "storage::no_disks",
        "A pool is made of the disks of enclosures. Add a `[[jbod]]` to the topology, or have fewer spares.",
    ),
    (
        "storage::width",
        "`width` is the number of disks in a group: 1 for a stripe, 2 to 8 for a mirror, and for RAID-Z at least one more \
         than it has parity.",
    ),
    (
        "storage::indivisible",
        "Every disk of a pool is in a group of `width` disks, or a spare. Choose a width that divides the number of disks, \
         or make spares of those that are left over.",
    ),
    (
        "storage::record_size",
        "A record is what has a checksum, what the cache holds and what is read and written whole: a power of two from 512 \
         B to 1 MiB, 128 KiB where nothing is said.",
    ),
    (
        "storage::run",
        "`run` is how much of a stream lies together on a disk before the arm moves on: at least a record, at most 1 GiB.",
    ),
    (
        "storage::spread",
        "`spread` is the share of each disk over which data lies, from the outermost track: it decides how far seeks go \
         and how fast the tracks are. Above 0 %, at most 100 %.",
    ),
    (
        "storage::unknown_ssd",
        "The devices in `log` and `cache` of a pool are ids of `[[ssd]]` entries of the same scenario.",
    ),
    (
        "storage::ssd_twice",
        "A log or cache device serves one pool in one role. Add another `[[ssd]]`.",
    ),
    (
        "storage::unknown_seat",
        "An SSD sits in an enclosure (`jbod`) or on the I/O bridge itself (`bridge`), by an id of the topology.",
    ),
    (
        "storage::cache_too_large",
        "The cache lives in DRAM: `cache.size` is at most the memory of all sockets less the share that the stack reserves \
         for itself (`stack.memory_reserve`).",
    ),
];
