//! Pools: their disks and data layout.

use bandgraph_config::words;
use bandgraph_hardware::SsdPart;
use bandgraph_units::{Bytes, Fraction};
use bandgraph_workload::Workload;

use super::costs::{StorageCosts, WriteMethod};

words! {
    /// The redundancy of a pool.
    #[derive(Default)]
    pub enum PoolKind: "a kind of pool" {
        /// None: every record on one disk, or in pieces on each disk of a group.
        Stripe = "stripe",
        /// Copies of every record on each disk of a group.
        #[default]
        Mirror = "mirror",
        /// Every record over a group of disks, with one parity column.
        Raidz1 = "raidz1",
        /// With two parity columns.
        Raidz2 = "raidz2",
        /// With three parity columns.
        Raidz3 = "raidz3",
    }
}

impl PoolKind {
    /// Parity columns per group.
    pub const fn parity(self) -> u32 {
        match self {
            Self::Stripe | Self::Mirror => 0,
            Self::Raidz1 => 1,
            Self::Raidz2 => 2,
            Self::Raidz3 => 3,
        }
    }

    /// Default number of disks per group: a choice of this program that divides shelves of 24.
    pub const fn default_width(self) -> u32 {
        match self {
            Self::Stripe => 1,
            Self::Mirror => 2,
            Self::Raidz1 => 4,
            Self::Raidz2 => 6,
            Self::Raidz3 => 12,
        }
    }

    /// Minimum and maximum number of disks per group.
    pub const fn widths(self) -> (u32, u32) {
        match self {
            Self::Stripe => (1, 255),
            Self::Mirror => (2, 8),
            _ => (self.parity() + 1, 255),
        }
    }
}

/// A pool of disks.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Its id.
    pub id: String,
    /// Its redundancy.
    pub kind: PoolKind,
    /// Disks per group: copies of a mirror, data and parity columns of RAID-Z. The kind's default if `None`.
    pub width: Option<u32>,
    /// Its enclosures; all of the topology if empty.
    pub jbods: Vec<String>,
    /// Number of its disks in each; all of them if `None`.
    pub disks_per_jbod: Option<u32>,
    /// Number of spare disks, which carry no data.
    pub spares: u32,
    /// Bytes of a record, the unit of checksums and of the cache: a power of two from 512 B to 1 MiB.
    pub record_size: Bytes,
    /// The write method; the default of the software if `None`.
    pub writes: Option<WriteMethod>,
    /// Contiguous bytes of a stream or of a written file before the arms move: on one disk, or in pieces on
    /// each disk of a striped group. From a record to 1 GiB. If `None`, arms move when streams alternate at a
    /// disk.
    pub run: Option<Bytes>,
    /// Share of each disk, from the outermost track, that contains the data.
    pub spread: Fraction,
    /// SSDs for synchronous writes before they go to the disks.
    pub log: Vec<String>,
    /// SSDs that cache data evicted from DRAM.
    pub cache: Vec<String>,
}

impl Pool {
    /// Bytes that ZFS allocates on one disk before the next, if possible: the aliquot of its allocator
    /// (`metaslab_aliquot`).
    pub const ZFS_RUN: Bytes = Bytes::new(524_288.0);

    /// Mirrored pairs of all disks of the topology, records of 128 KiB.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            kind: PoolKind::Mirror,
            width: None,
            jbods: Vec::new(),
            disks_per_jbod: None,
            spares: 0,
            record_size: Bytes::new(131_072.0),
            writes: None,
            run: None,
            spread: Fraction::new(1.0),
            log: Vec::new(),
            cache: Vec::new(),
        }
    }

    /// Contiguous bytes of a stream; the default is that of ZFS, at least a record.
    pub fn run(&self) -> Bytes {
        self.run
            .unwrap_or_else(|| Bytes::new(Self::ZFS_RUN.get().max(self.record_size.get())))
    }

    /// The write method for a workload: data that bypasses the cache is not written back from it.
    pub(super) fn method_for(&self, costs: &StorageCosts, workload: &Workload) -> WriteMethod {
        match self.method(costs) {
            WriteMethod::WriteBack if workload.direct => WriteMethod::InPlace,
            method => method,
        }
    }

    /// Bytes in the cache touched by a random access of `bytes`: whole records if checksums cover records.
    pub(super) fn touched(&self, costs: &StorageCosts, bytes: f64) -> f64 {
        match self.method(costs) {
            WriteMethod::Groups => bytes.max(self.record_size.get()),
            WriteMethod::InPlace | WriteMethod::WriteBack => bytes,
        }
    }

    /// The write method for software with these costs.
    pub fn method(&self, costs: &StorageCosts) -> WriteMethod {
        self.writes.unwrap_or(costs.writes)
    }

    /// Disks per group.
    pub fn width(&self) -> u32 {
        self.width.unwrap_or_else(|| self.kind.default_width())
    }
}

/// An SSD for a log or a cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Ssd {
    /// Its id.
    pub id: String,
    /// The part.
    pub part: SsdPart,
    /// Its location.
    pub seat: SsdSeat,
}

/// The location of an SSD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SsdSeat {
    /// In an enclosure, on that enclosure's SAS port.
    Jbod(String),
    /// On a port of the I/O bridge itself.
    Bridge(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_defaults_are_allowed() {
        for kind in PoolKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
            let (least, most) = kind.widths();
            assert!((least..=most).contains(&kind.default_width()), "{kind}");
        }
        assert!("raid5".parse::<PoolKind>().is_err());
    }
}
