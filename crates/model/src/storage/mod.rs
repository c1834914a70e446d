//! Storage behind the cache: pools of disks, their log and cache devices, and what of an operation reaches
//! them.
//!
//! * [`Storage`] is what a scenario says of it, in checked values: [`Pool`]s, [`Ssd`]s and the
//!   [`CacheSettings`].
//! * `layout` knows how a record lies on the disks of a pool (mirrors, RAID-Z).
//! * `shares` says how much of the cache is whose: workloads', and of each its data's and its metadata's.
//! * `cache` finds which share of the reads the DRAM and the cache devices answer; [`replay`] has the
//!   replacement policies themselves, for a sequence of actual blocks.
//! * `metadata` knows which blocks of it operations touch.
//! * `warm_up` has caches that are empty when a run starts, and fill by what is read.
//! * `plan` splits operations by what the cache does for them, into `case`s; `at_pool` says what goes to
//!   which device.
//! * `check` refuses pools and devices that are not there.
//! * [`Bank`]s are devices with a queue each, and an operation has [`Wait`]s for them.
//! * `path` books that on the way there: disks, SAS ports, adapters, slots, bridges, lines.
//! * [`StorageCosts`] is the part of the stack that says what it costs the cores.

mod at_pool;
mod bank;
mod cache;
mod case;
mod check;
mod costs;
mod error;
mod layout;
mod metadata;
mod path;
mod plan;
mod pool;
pub mod replay;
mod shares;
mod warm_up;

pub use bank::{Access, Bank, Command, Devices as DevicesOfGroup, LOG_PLACE, Log, Wait};
pub use cache::{CacheSettings, CacheUse, HitRateMethod};
pub use costs::{StorageCosts, WriteMethod};
pub use error::{StorageError, Subject};
pub use pool::{Pool, PoolKind, Ssd, SsdSeat};
pub use warm_up::{CacheStart, Feed, SecondLevel};

pub(crate) use case::Case;
pub use path::Representative;
pub use plan::{CacheLoad, GroupSettings, OperatingPoint};
pub(crate) use plan::{Devices, Plan, uses_pool};
pub use shares::CacheShares;
pub use warm_up::{Filling, over_window};

/// What a scenario says of storage. The default is a server without pools, which serves what fits its cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Storage {
    /// Pools of disks. Workloads use all of them, in proportion to their disks, or the one that they name.
    pub pools: Vec<Pool>,
    /// SSDs that pools name as log or cache devices.
    pub ssds: Vec<Ssd>,
    /// The cache in DRAM.
    pub cache: CacheSettings,
    /// Whether every disk is a resource of its own in the demands. Otherwise disks that are alike share one,
    /// since each of them carries the same: the same answer in less time.
    pub every_disk: bool,
}
