//! Storage behind the cache: pools of disks, their log and cache devices, and the accesses of operations to
//! them.
//!
//! * [`Storage`] is the storage of a scenario in checked values: [`Pool`]s, [`Ssd`]s and the
//!   [`CacheSettings`].
//! * `layout` computes the layout of a record on the disks of a pool (mirrors, RAID, RAID-Z).
//! * `shares` divides the cache between workloads, and between data and metadata of each.
//! * `cache` computes the hit rates of the DRAM and the cache devices; [`replay`] implements the replacement
//!   policies, for a sequence of blocks.
//! * `metadata` computes the metadata blocks touched by operations.
//! * `warm_up` simulates caches that are empty when a run starts and fill by reads.
//! * `plan` splits operations into `case`s by their cache results; `at_pool`, `change` and `at_metadata`
//!   compute their accesses to devices.
//! * `logs` finds the logs of pools and of the processes of object stores.
//! * `check` reports unknown pools and devices.
//! * [`Bank`]s are devices with a queue each, and an operation has [`Wait`]s for them.
//! * `rewrites` counts the blocks that are written again before they go to the disks.
//! * `array` has the serial work of software arrays: the threads that make parity, and the locks of reads.
//! * `path` books the transfers on their path: disks, SAS ports, adapters, slots, bridges, lines.
//! * [`StorageCosts`] is the part of the stack with the core costs of storage.

mod array;
mod at_metadata;
mod at_pool;
mod at_ssds;
mod bank;
mod cache;
mod case;
mod change;
mod check;
mod costs;
mod error;
mod layout;
mod logs;
mod metadata;
mod path;
mod plan;
mod pool;
pub mod replay;
mod rewrites;
mod shares;
mod streams;
mod warm_up;

pub use bank::{
    Access, Bank, Command, Devices as DevicesOfGroup, LOG_LARGEST, LOG_PLACE, Log, Positionings, Wait,
};
pub use cache::{CacheSettings, CacheUse, HitRateMethod};
pub use costs::{StorageCosts, WriteMethod};
pub use error::{StorageError, Subject};
pub use pool::{Pool, PoolKind, Ssd, SsdSeat};
pub use rewrites::Rewrites;
pub use warm_up::{CacheStart, Feed, SecondLevel};

pub(crate) use case::Case;
pub use path::EqualResources;
pub use plan::{CacheLoad, GroupSettings, OperatingPoint, Written};
pub(crate) use plan::{Devices, Plan};
pub use shares::{CacheShares, cached_ratio};
pub use streams::{PoolRuns, StreamShares};
pub use warm_up::{Filling, over_window};

/// The storage of a scenario. The default is a server without pools, which serves data that fit its cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Storage {
    /// Pools of disks. A workload uses all of them, in proportion to their disks, or the one that it names.
    pub pools: Vec<Pool>,
    /// SSDs that pools name as log or cache devices.
    pub ssds: Vec<Ssd>,
    /// The cache in DRAM.
    pub cache: CacheSettings,
    /// Whether every disk is a separate resource in the demands. Otherwise identical disks share one, because
    /// each has the same load: the same result in less time.
    pub every_disk: bool,
}
