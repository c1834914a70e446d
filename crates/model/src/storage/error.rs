//! Errors of pools, their devices and the cache.

use thiserror::Error;

/// Why the storage of a scenario is invalid.
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
    /// A pool names an unknown enclosure.
    #[error("pool `{pool}` is over the disks of `{jbod}`, an enclosure that the topology does not have")]
    UnknownJbod {
        /// The pool's id.
        pool: String,
        /// The unknown name.
        jbod: String,
        /// The known enclosures.
        known: Vec<String>,
    },
    /// An enclosure is in two pools that do not both give their number of its disks, or twice in one.
    #[error("the disks of `{jbod}` are in pool `{first}` already, and cannot be in pool `{second}` too")]
    JbodTwice {
        /// The enclosure.
        jbod: String,
        /// The pool that has it first.
        first: String,
        /// The other pool.
        second: String,
    },
    /// A pool asks for more disks than an enclosure has.
    #[error("pool `{pool}` has {asked} disks of `{jbod}`, which has {there} for it")]
    NotEnoughDisks {
        /// The pool's id.
        pool: String,
        /// The enclosure.
        jbod: String,
        /// Disks requested.
        asked: u64,
        /// Disks in the enclosure that no earlier pool has.
        there: u64,
    },
    /// A pool has no disk.
    #[error("pool `{pool}` has no disks: the topology has no enclosure, or all of its disks are spares")]
    NoDisks {
        /// The pool's id.
        pool: String,
    },
    /// An invalid number of disks in a group.
    #[error("pool `{pool}` is a {kind} of groups of {width} disks; such a group has {least} to {most}")]
    Width {
        /// The pool's id.
        pool: String,
        /// Its kind.
        kind: &'static str,
        /// Requested disks per group.
        width: u32,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
    },
    /// The number of disks is not a multiple of the group size.
    #[error("pool `{pool}` has {disks} disks, which do not divide into groups of {width}: {left} left over")]
    Indivisible {
        /// The pool's id.
        pool: String,
        /// Its disks, without spares.
        disks: u64,
        /// Disks per group.
        width: u32,
        /// Remaining disks.
        left: u64,
    },
    /// An invalid record size.
    #[error("pool `{pool}` has records of {record_size}; a record is a power of two from 512 B to 1 MiB")]
    RecordSize {
        /// The pool's id.
        pool: String,
        /// The requested value, as text.
        record_size: String,
    },
    /// An invalid sector.
    #[error("pool `{pool}` has sectors of {sector}; a sector is a power of two from 512 B to 64 KiB")]
    Sector {
        /// The pool's id.
        pool: String,
        /// The requested value, as text.
        sector: String,
    },
    /// A spread that is zero or above one.
    #[error("pool `{pool}` spreads its data over {spread} of each disk; that is above 0 % and at most 100 %")]
    Spread {
        /// The pool's id.
        pool: String,
        /// The requested value, as text.
        spread: String,
    },
    /// An invalid run.
    #[error("pool `{pool}` lays {run} together; that is at least a record and at most 1 GiB")]
    Run {
        /// The pool's id.
        pool: String,
        /// The requested value, as text.
        run: String,
    },
    /// A workload names an unknown pool.
    #[error("workload `{workload}` has its data in pool `{pool}`, which the scenario does not have")]
    UnknownPool {
        /// The workload's id.
        workload: String,
        /// The unknown name.
        pool: String,
        /// The known pools.
        known: Vec<String>,
    },
    /// A pool names an unknown SSD.
    #[error(
        "pool `{pool}` has `{ssd}` as a {role} device, which is no SSD of the scenario and no NVMe drive"
    )]
    UnknownSsd {
        /// The pool's id.
        pool: String,
        /// The unknown name.
        ssd: String,
        /// `"log"` or `"cache"`.
        role: &'static str,
        /// The known SSDs.
        known: Vec<String>,
    },
    /// An SSD is used twice.
    #[error(
        "`{ssd}` is a {first_role} device of pool `{first}` already, and cannot be a {role} device of `{pool}` too"
    )]
    SsdTwice {
        /// The SSD.
        ssd: String,
        /// The pool that has it first.
        first: String,
        /// Its role there.
        first_role: &'static str,
        /// The other pool.
        pool: String,
        /// Its role there.
        role: &'static str,
    },
    /// Data that stays in place is to be compressed.
    #[error("pool `{pool}` compresses its data, but writes it {method}: that takes transaction groups")]
    Compression {
        /// The pool.
        pool: String,
        /// How it writes.
        method: &'static str,
    },
    /// Nothing would be on its drives.
    #[error("pool `{pool}` has drives, but what is written stays in memory")]
    InMemory {
        /// The pool.
        pool: String,
    },
    /// The software computes an erasure code that nothing stores.
    #[error("`{stack}` writes an erasure code, but pool `{pool}` is a stripe, which has no room for it")]
    NoCode {
        /// The pool.
        pool: String,
        /// The software.
        stack: String,
    },
    /// The location of an SSD is unknown.
    #[error("SSD `{ssd}` sits on `{seat}`, which the topology does not have")]
    UnknownSeat {
        /// The SSD.
        ssd: String,
        /// The unknown name.
        seat: String,
        /// `"jbod"` or `"bridge"`.
        field: &'static str,
    },
    /// The cache exceeds the available DRAM.
    #[error("the cache is to have {asked}, but {dram} of DRAM less the stack's reserve leave it {available}")]
    CacheTooLarge {
        /// The requested size, as text.
        asked: String,
        /// All DRAM, as text.
        dram: String,
        /// The DRAM left by the stack, as text.
        available: String,
    },
}

/// The subject of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject<'a> {
    /// `"pool"`, `"ssd"`, `"workload"` or `"cache"`.
    pub kind: &'static str,
    /// Its id; empty for the cache, which is unique.
    pub id: &'a str,
    /// The field in question.
    pub field: &'static str,
}

impl StorageError {
    /// The subject of the error.
    pub fn subject(&self) -> Subject<'_> {
        let (kind, id, field) = match self {
            Self::Duplicate { what, id } => (*what, id.as_str(), "id"),
            Self::UnknownJbod { pool, .. } => ("pool", pool.as_str(), "jbods"),
            Self::JbodTwice { second, .. } => ("pool", second.as_str(), "jbods"),
            Self::NotEnoughDisks { pool, .. } => ("pool", pool.as_str(), "disks_per_jbod"),
            Self::NoDisks { pool } => ("pool", pool.as_str(), "id"),
            Self::Width { pool, .. } | Self::Indivisible { pool, .. } => ("pool", pool.as_str(), "width"),
            Self::RecordSize { pool, .. } => ("pool", pool.as_str(), "record_size"),
            Self::Sector { pool, .. } => ("pool", pool.as_str(), "sector"),
            Self::Run { pool, .. } => ("pool", pool.as_str(), "run"),
            Self::Spread { pool, .. } => ("pool", pool.as_str(), "spread"),
            Self::Compression { pool, .. } => ("pool", pool.as_str(), "compress_ratio"),
            Self::InMemory { pool } => ("pool", pool.as_str(), "writes"),
            Self::NoCode { pool, .. } => ("pool", pool.as_str(), "kind"),
            Self::UnknownSsd { pool, role, .. } | Self::SsdTwice { pool, role, .. } => {
                ("pool", pool.as_str(), *role)
            }
            Self::UnknownSeat { ssd, field, .. } => ("ssd", ssd.as_str(), *field),
            Self::UnknownPool { workload, .. } => ("workload", workload.as_str(), "pool"),
            Self::CacheTooLarge { .. } => ("cache", "", "size"),
        };
        Subject { kind, id, field }
    }

    /// A suggestion, if there is one.
    pub fn help(&self) -> Option<String> {
        if matches!(self, Self::JbodTwice { first, second, .. } if first != second) {
            let help = "give both pools `disks_per_jbod`, the number of its disks that they have";
            return Some(help.to_owned());
        }
        if let Self::InMemory { .. } = self {
            let help = "leave out the pool, or choose software that writes to drives (`stack.writes`)";
            return Some(help.to_owned());
        }
        if let Self::NoCode { .. } = self {
            let help = "give `data_parts` and `code_parts` of `[cluster]`, with `servers = 1` for one server";
            return Some(help.to_owned());
        }
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

    /// An unknown name, and the known ones.
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
            Self::Sector { .. } => "storage::sector",
            Self::Run { .. } => "storage::run",
            Self::Spread { .. } => "storage::spread",
            Self::Compression { .. } => "storage::compression",
            Self::InMemory { .. } => "storage::in_memory",
            Self::NoCode { .. } => "storage::no_code",
            Self::UnknownSsd { .. } => "storage::unknown_ssd",
            Self::SsdTwice { .. } => "storage::ssd_twice",
            Self::UnknownSeat { .. } => "storage::unknown_seat",
            Self::UnknownPool { .. } => "storage::unknown_pool",
            Self::CacheTooLarge { .. } => "storage::cache_too_large",
        }
    }
}
