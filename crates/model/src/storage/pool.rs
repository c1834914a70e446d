//! Pools: which disks hold the data, and how.

use bandgraph_config::{Shape, settings, words};
use bandgraph_hardware::SsdPart;
use bandgraph_units::{Bytes, Fraction};

words! {
    /// How a pool protects its data.
    #[derive(Default)]
    pub enum PoolKind: "a kind of pool" {
        /// Not at all: every record on one disk, or in pieces on each disk of a group.
        Stripe = "stripe",
        /// Every record on each disk of a group.
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
    /// Columns of parity in a group.
    pub const fn parity(self) -> u32 {
        match self {
            Self::Stripe | Self::Mirror => 0,
            Self::Raidz1 => 1,
            Self::Raidz2 => 2,
            Self::Raidz3 => 3,
        }
    }

    /// Disks of a group where nothing is said: a choice of this program, made to divide shelves of 24.
    pub const fn default_width(self) -> u32 {
        match self {
            Self::Stripe => 1,
            Self::Mirror => 2,
            Self::Raidz1 => 4,
            Self::Raidz2 => 6,
            Self::Raidz3 => 12,
        }
    }

    /// The fewest and the most disks that a group may have.
    pub const fn widths(self) -> (u32, u32) {
        match self {
            Self::Stripe => (1, 255),
            Self::Mirror => (2, 8),
            _ => (self.parity() + 1, 255),
        }
    }
}

settings! {
    /// A pool of disks. Workloads use all pools, in proportion to their disks, or the one that they name.
    pub struct Pool as "pool" by "id" {
        /// Its name, by which other entries, `--set` and reports call it.
        id: String as Shape::Id;
        /// How it protects its data.
        kind: PoolKind = "mirror";
        /// Disks of a group: copies of a mirror, data and parity columns of RAID-Z. 1 for a stripe, 2 for a mirror, 4,
        /// 6 and 12 for RAID-Z with one, two and three parities if left out. A stripe with more has a piece of every record on
        /// each. Groups must take up all disks but spares.
        width: Option<u32>, at_least(1), at_most(255);
        /// The enclosures whose disks it has; all of the topology if left out.
        jbods: Vec<String> as Shape::References("jbod");
        /// Disks that it has of each enclosure; all of them if left out.
        disks_per_jbod: Option<u32>, at_least(1), at_most(1024);
        /// Disks that stand by and carry nothing.
        spares: u32 = 0, at_most(1_000_000);
        /// The unit of checksums and of the cache: a power of two from 512 B to 1 MiB.
        record_size: Bytes = "128 KiB", positive;
        /// Bytes of a stream, or of a file that is written, that lie together before the arms move on: on one disk, or in
        /// pieces on each disk of a striped group. The default is what ZFS allocates on one disk before it takes the next,
        /// while it can: the aliquot of its allocator (`metaslab_aliquot`).
        run: Bytes = "512 KiB", positive;
        /// Share of each disk, from the outermost track, over which data lies: how far seeks go, and how fast the tracks
        /// are.
        spread: Fraction = "100 %", positive;
        /// SSDs that take synchronous writes before these go to the disks.
        log: Vec<String> as Shape::References("ssd");
        /// SSDs that cache what the DRAM has no room for.
        cache: Vec<String> as Shape::References("ssd");
    }
}

impl Pool {
    /// Mirrored pairs of all disks of the topology, records of 128 KiB.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
        }
    }

    /// Disks of a group.
    pub fn width(&self) -> u32 {
        self.width.unwrap_or_else(|| self.kind.default_width())
    }
}

/// An SSD for a log or a cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Ssd {
    /// Its id.
    pub id: String,
    /// What it is.
    pub part: SsdPart,
    /// Where it sits.
    pub seat: SsdSeat,
}

/// Where an SSD sits.
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
