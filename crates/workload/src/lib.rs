//! Operations, protocols and clients: the load of a server, in bytes on the wire and work in the host.
//!
//! Nothing here depends on a server. From the bottom up:
//!
//! - [`OperationKind`]: the operations of clients, in any protocol.
//! - [`ProtocolKind`]: the protocols. [`exchange`] turns one operation into an [`Exchange`]: the packets and
//!   IP-level bytes that it sends in both directions, and the file data that it moves.
//! - [`Mix`]: operations with their shares.
//! - [`ClientGroup`] and [`Workload`]: the clients, their rates and their ports; [`Job`]: computing between
//!   operations.
//! - [`Cluster`]: servers that keep the data together, and the messages between them.
//! - [`Record`]: one operation of a trace.
//!
//! ```
//! use bandgraph_units::Bytes;
//! use bandgraph_workload::{NetworkSettings, OperationKind, ProtocolKind, exchange};
//!
//! let jumbo = NetworkSettings { mtu: Bytes::new(9000.0), ..NetworkSettings::default() };
//! let read = exchange(ProtocolKind::Nfs3Tcp, OperationKind::Read, Bytes::new(8192.0), &jumbo);
//! // The reply fits one jumbo frame, and its acknowledgement rides on the next call.
//! assert_eq!(read.to_client.frames, 1.0);
//! assert_eq!(read.to_server.frames, 1.0);
//! assert_eq!(read.payload_read, 8192.0);
//! ```
//!
//! A new protocol is one file in `protocol/` and its line in [`ProtocolKind`].

mod arrivals;
mod clients;
mod cluster;
mod exchange;
mod infiniband;
mod invalid;
mod job;
mod metadata;
mod mix;
mod network;
mod operation;
mod pattern;
mod placement;
mod protocol;
mod record;
mod shapes;
mod shares;
mod sizes;
mod tcp;
mod workload;

pub use arrivals::{ARRIVAL_RATE, Arrivals, MAX_RATE, Schedule, Spacing};
pub use clients::{
    ClientGroup, ClientNics, ClientProcessors, MAX_CLIENT_NICS, MAX_CLIENTS, MAX_CONNECTIONS, MAX_JOB_SLOTS,
};
pub use cluster::{Asked, Cluster, Parts};
pub use exchange::{Exchange, OneWay, PACKET_GROUPS, Packets};
pub use invalid::{EXPLANATIONS, InvalidField, Problem};
pub use job::{ComputeTimes, Job, MAX_JOB_CORES, MAX_JOBS, Reuse, ReuseSpread};
pub use metadata::{MAX_FILES, Metadata};
pub use mix::{MAX_MIX_OPERATIONS, Mix, MixError};
pub use network::{
    CONNECTED_MTU, INFINIBAND_MTUS, MAX_CREDENTIALS, MAX_DIRECTORY_ENTRIES, MAX_KEY, MAX_MTU,
    MIN_CREDENTIALS, MIN_MTU, NetworkSettings,
};
pub use operation::{DataDirection, OperationKind};
pub use pattern::AccessPattern;
pub use placement::{MemoryHomes, Near, NearBuffers, WorkPlacement};
pub use protocol::{MAX_IO_SIZE, Medium, ProtocolKind, exchange};
pub use record::Record;
pub use shares::{NotShares, Shares};
pub use sizes::{MAX_SIZES, Sizes, SizesError};
pub use workload::{MAX_STREAMS, MAX_THREADS_PER_CLIENT, MAX_WORKING_SET, Workload};
