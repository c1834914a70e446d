//! What can be wrong with pools, their devices and the cache.

use thiserror::Error;

/// Why the storage of a scenario cannot be.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StorageError {
    /// Two pools, or two SSDs, have the same id.
    #[error("there are two {what}s `{id}`")]
    Duplicate {
        /// `"pool"` or `"ssd"`.
        what: &'static str,
        /// The id.
        id: String,
    },
    /// A pool is over an enclosure that is not there.
    #[error("pool `{pool}` is over the disks of `{jbod}`, an enclosure that the topology does not have")]
    UnknownJbod {
        /// The pool's id.
        pool: String,
        /// The name that is not there.
        jbod: String,
        /// The enclosures that are there.
        known: Vec<String>,
    },
    /// Two pools, or one twice, are over the same enclosure.
    #[error("the disks of `{jbod}` are in pool `{first}` already, and cannot be in pool `{second}` too")]
    JbodTwice {
        /// The enclosure.
        jbod: String,
        /// The pool that has it.
        first: String,
        /// The pool that wants it.
        second: String,
    },
    /// A pool asks for more disks than an enclosure has.
    #[error("pool `{pool}` has {asked} disks of `{jbod}`, which holds {there}")]
    NotEnoughDisks {
        /// The pool's id.
        pool: String,
        /// The enclosure.
        jbod: String,
        /// Disks asked for.
        asked: u64,
        /// Disks that are there.
        there: u64,
    },
    /// A pool has no disk.
    #[error("pool `{pool}` has no disks: the topology has no enclosure, or all of its disks are spares")]
    NoDisks {
        /// The pool's id.
        pool: String,
    },
    /// A group cannot have that many disks.
    #[error("pool `{pool}` is a {kind} of groups of {width} disks; such a group has {least} to {most}")]
    Width {
        /// The pool's id.
        pool: String,
        /// Its kind.
        kind: &'static str,
        /// Disks of a group that were asked for.
        width: u32,
        /// The fewest.
        least: u32,
        /// The most.
        most: u32,
    },
    /// The disks do not divide into groups.
    #[error(
        "pool `{pool}` has {disks} disks, which do not divide into groups of {width}: {left} are left over"
    )]
    Indivisible {
        /// The pool's id.
        pool: String,
        /// Its disks, spares taken off.
        disks: u64,
        /// Disks of a group.
        width: u32,
        /// Disks that no group takes.
        left: u64,
    },
    /// The record size is not one that a pool can have.
    #[error("pool `{pool}` has records of {record_size}; a record is a power of two from 512 B to 1 MiB")]
    RecordSize {
        /// The pool's id.
        pool: String,
        /// What was asked for, in words.
        record_size: String,
    },
    /// The data lies on no part of the disks, or on more than all of them.
    #[error("pool `{pool}` spreads its data over {spread} of each disk; that is above 0 % and at most 100 %")]
    Spread {
        /// The pool's id.
        pool: String,
        /// What was asked for, in words.
        spread: String,
    },
    /// A run that cannot be.
    #[error("pool `{pool}` lays {run} together; that is at least a record and at most 1 GiB")]
    Run {
        /// The pool's id.
        pool: String,
        /// What was asked for, in words.
        run: String,
    },
    /// A workload names a pool that is not there.
    #[error("workload `{workload}` has its data in pool `{pool}`, which the scenario does not have")]
    UnknownPool {
        /// The workload's id.
        workload: String,
        /// The name that is not there.
        pool: String,
        /// The pools that are there.
        known: Vec<String>,
    },
    /// A pool names an SSD that is not there.
    #[error("pool `{pool}` has `{ssd}` as a {role} device, an SSD that the scenario does not have")]
    UnknownSsd {
        /// The pool's id.
        pool: String,
        /// The name that is not there.
        ssd: String,
        /// `"log"` or `"cache"`.
        role: &'static str,
        /// The SSDs that are there.
        known: Vec<String>,
    },
    /// An SSD is used twice.
    #[error(
        "`{ssd}` is a {first_role} device of pool `{first}` already, and cannot be a {role} device of `{pool}` too"
    )]
    SsdTwice {
        /// The SSD.
        ssd: String,
        /// The pool that has it.
        first: String,
        /// What it is there.
        first_role: &'static str,
        /// The pool that wants it.
        pool: String,
        /// What it would be there.
        role: &'static str,
    },
    /// An SSD sits somewhere that is not there.
    #[error("SSD `{ssd}` sits on `{seat}`, which the topology does not have")]
    UnknownSeat {
        /// The SSD.
        ssd: String,
        /// The name that is not there.
        seat: String,
        /// `"jbod"` or `"bridge"`.
        field: &'static str,
    },
    /// The cache is to be larger than what the DRAM has for it.
    #[error("the cache is to have {asked}, but {dram} of DRAM less the stack's reserve leave it {available}")]
    CacheTooLarge {
        /// What was asked for, in words.
        asked: String,
        /// All DRAM, in words.
        dram: String,
        /// What the stack leaves, in words.
        available: String,
    },
}

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    /// `"pool"`, `"ssd"`, `"workload"` or `"cache"`.
    pub kind: &'static str,
    /// Its id; empty for the cache, of which there is one.
    pub id: &'a str,
    /// The field to look at.
    pub field: &'static str,
}

impl StorageError {
    /// What it is about.
    pub fn subject(&self) -> Subject<'_> {
        let (kind, id, field) = match self {
            Self::Duplicate { what, id } => (*what, id.as_str(), "id"),
            Self::UnknownJbod { pool, .. } => ("pool", pool.as_str(), "jbods"),
            Self::JbodTwice { second, .. } => ("pool", second.as_str(), "jbods"),
            Self::NotEnoughDisks { pool, .. } => ("pool", pool.as_str(), "disks_per_jbod"),
            Self::NoDisks { pool } => ("pool", pool.as_str(), "id"),
            Self::Width { pool, .. } | Self::Indivisible { pool, .. } => ("pool", pool.as_str(), "width"),
            Self::RecordSize { pool, .. } => ("pool", pool.as_str(), "record_size"),
            Self::Run { pool, .. } => ("pool", pool.as_str(), "run"),
            Self::Spread { pool, .. } => ("pool", pool.as_str(), "spread"),
            Self::UnknownSsd { pool, role, .. } | Self::SsdTwice { pool, role, .. } => {
                ("pool", pool.as_str(), *role)
            }
            Self::UnknownSeat { ssd, field, .. } => ("ssd", ssd.as_str(), *field),
            Self::UnknownPool { workload, .. } => ("workload", workload.as_str(), "pool"),
            Self::CacheTooLarge { .. } => ("cache", "", "size"),
        };
        Subject { kind, id, field }
    }

    /// What would be right, where that can be said.
    pub fn help(&self) -> Option<String> {
        let Self::Indivisible { disks, left, .. } = self else {
            return None;
        };
        let widths = (2..=24).filter(|width| disks % width == 0);
        let widths: Vec<String> = widths.map(|width| width.to_string()).collect();
        Some(if widths.is_empty() {
            format!("leave {left} more out of the groups: `spares`")
        } else {
            format!(
                "leave {left} more out of the groups (`spares`), or take a width that divides {disks}: {}",
                widths.join(", ")
            )
        })
    }

    /// A name that was not found, and those that would have been.
    pub fn wrong_name(&self) -> Option<(&str, &[String])> {
        match self {
            Self::UnknownJbod {
                jbod: name, known, ..
            }
            | Self::UnknownPool {
                pool: name, known, ..
            }
            | Self::UnknownSsd { ssd: name, known, .. } => Some((name, known)),
            _ => None,
        }
    }

    /// The stable id of this kind of error.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Duplicate { .. } => "storage::duplicate",
            Self::UnknownJbod { .. } => "storage::unknown_jbod",
            Self::JbodTwice { .. } => "storage::jbod_twice",
            Self::NotEnoughDisks { .. } => "storage::not_enough_disks",
            Self::NoDisks { .. } => "storage::no_disks",
            Self::Width { .. } => "storage::width",
            Self::Indivisible { .. } => "storage::indivisible",
            Self::RecordSize { .. } => "storage::record_size",
            Self::Run { .. } => "storage::run",
            Self::Spread { .. } => "storage::spread",
            Self::UnknownSsd { .. } => "storage::unknown_ssd",
            Self::SsdTwice { .. } => "storage::ssd_twice",
            Self::UnknownSeat { .. } => "storage::unknown_seat",
            Self::UnknownPool { .. } => "storage::unknown_pool",
            Self::CacheTooLarge { .. } => "storage::cache_too_large",
        }
    }
}
