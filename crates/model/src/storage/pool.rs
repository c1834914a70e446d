//! Pools: their disks and data layout.

use std::collections::BTreeMap;

use bandgraph_config::{Shape, settings, words};
use bandgraph_hardware::{DrivePart, SsdPart};
use bandgraph_topology::{Jbod, Topology};
use bandgraph_units::{Bytes, Fraction};
use bandgraph_workload::Workload;

use super::costs::{StorageCosts, WriteMethod};
use super::layout::Layout;

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
        /// Chunks of `record_size` on the disks of a group, with one chunk of parity for a row of them, as
        /// Linux (md) and RAID cards write it.
        Raid5 = "raid5",
        /// With two chunks of parity for a row.
        Raid6 = "raid6",
    }
}

impl PoolKind {
    /// Parity columns per group.
    pub const fn parity(self) -> u32 {
        match self {
            Self::Stripe | Self::Mirror => 0,
            Self::Raidz1 | Self::Raid5 => 1,
            Self::Raidz2 | Self::Raid6 => 2,
            Self::Raidz3 => 3,
        }
    }

    /// Whether every record is on one disk of its group, and rows of records have parity of their own.
    pub const fn is_chunked(self) -> bool {
        matches!(self, Self::Raid5 | Self::Raid6)
    }

    /// Default number of disks per group: a choice of this program that divides shelves of 24.
    pub const fn default_width(self) -> u32 {
        match self {
            Self::Stripe => 1,
            Self::Mirror => 2,
            Self::Raidz1 | Self::Raid5 => 4,
            Self::Raidz2 | Self::Raid6 => 6,
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

settings! {
    /// A pool of disks. Workloads use all pools, in proportion to their disks, or the one that they name.
    pub struct Pool as "pool" by "id" {
        /// Its name, by which other entries, `--set` and reports call it.
        id: String as Shape::Id;
        /// How it protects its data. RAID 5 and 6 are made by cards that can, or else by the software
        /// (`stack.array_instructions_per_page`); what Linux md costs the cores for stripes and mirrors is
        /// not known.
        kind: PoolKind = "mirror";
        /// Disks of a group: copies of a mirror, data and parity of RAID-Z and RAID. 1 for a stripe, 2 for a
        /// mirror, 4, 6 and 12 with one, two and three parities if left out. A stripe with more
        /// has a piece of every record on each. Groups must take up all disks but spares.
        width: Option<u32>, at_least(1), at_most(255);
        /// The enclosures and NVMe drives whose disks it has, or ranges (`nvme[0-11]`); all if left out. Of
        /// drives that differ, ZFS and Ceph put more on the larger ones; other software puts the same on all.
        jbods: Vec<String> as Shape::References("jbod");
        /// Disks that it has of each enclosure; all of them if left out. Pools that give it share an
        /// enclosure, as groups of different widths do, which are a pool each.
        disks_per_jbod: Option<u32>, at_least(1), at_most(1024);
        /// Spare disks, which carry no data.
        spares: u32 = 0, at_most(1_000_000);
        /// The unit of checksums and of the cache, and the chunk of RAID: a power of two from 512 B to 1 MiB.
        record_size: Bytes = "128 KiB", positive;
        /// The unit in which RAID-Z allocates on a disk, 2^`ashift`: short records take whole sectors of data
        /// and of parity. A power of two from 512 B to 64 KiB; if left out, the largest sector of its drives.
        sector: Option<Bytes>;
        /// Bytes of data for every byte that is stored of it (`compressratio` of ZFS), whose stack says what
        /// compression costs the cores. 1 without compression.
        compress_ratio: f64 = 1, at_least(1.0), at_most(1000);
        /// How data gets to its place on its disks: in transaction groups to free space, in place while the
        /// operation waits, or in place some time after it. As `stack.writes` says if left out.
        writes: Option<WriteMethod>;
        /// Bytes of a stream, or of a file that is written, that lie together before the arms move on: on one
        /// disk, or in pieces on each disk of a striped group. If left out, at least 512 KiB, as much as the
        /// read-ahead of a stream puts on a disk, and arms move on only where streams take turns.
        run: Option<Bytes>, positive;
        /// Bytes of a stream that are read ahead at once, of which two windows are in flight; matters only
        /// with `stack.read_ahead_bytes`, which says it if left out.
        read_ahead: Option<Bytes>, at_least(4096);
        /// Share of each drive over which data lies: of a disk from the outermost track, how far seeks go,
        /// and how fast the tracks are; of a solid-state drive what is written, so that other flash is spare.
        /// If left out, whole disks, and of solid-state drives what the working sets take.
        spread: Option<Fraction>, positive;
        /// SSDs or NVMe drives that take synchronous writes before these go to the disks, or ranges
        /// (`log[0-1]`). They hold no data.
        log: Vec<String> as Shape::References("ssd");
        /// SSDs or NVMe drives that cache what the DRAM has no room for, or ranges (`cache[0-11]`).
        cache: Vec<String> as Shape::References("ssd");
    }
}

impl Pool {
    /// Bytes that ZFS allocates on one disk before the next, if possible: the aliquot of its allocator
    /// (`metaslab_aliquot`).
    pub const ZFS_RUN: Bytes = Bytes::new(524_288.0);

    /// Mirrored pairs of all disks of the topology, records of 128 KiB.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            ..Self::default()
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

    /// Whether random writes of a workload stay in the memory of the server before they go to its disks. What
    /// a card or a journal keeps is not there.
    pub(super) fn defers_in_memory(&self, costs: &StorageCosts, workload: &Workload) -> bool {
        match self.method_for(costs, workload) {
            WriteMethod::Groups => true,
            WriteMethod::WriteBack => !workload.synchronous,
            _ => false,
        }
    }

    /// Bytes in the cache touched by a random access of `bytes`: whole records if checksums cover records.
    pub(super) fn touched(&self, costs: &StorageCosts, bytes: f64) -> f64 {
        match self.method(costs) {
            WriteMethod::Groups => bytes.max(self.record_size.get()),
            _ => bytes,
        }
    }

    /// Bytes of data for each byte of the caches that holds some of it.
    pub(super) fn cached_ratio(&self, costs: &StorageCosts) -> f64 {
        if costs.cache_compressed {
            self.compress_ratio
        } else {
            1.0
        }
    }

    /// The write method for software with these costs.
    pub fn method(&self, costs: &StorageCosts) -> WriteMethod {
        match self.writes.unwrap_or(costs.writes) {
            // Below a file system that writes groups, chunks change in place, after the operation.
            WriteMethod::Groups if self.kind.is_chunked() => WriteMethod::WriteBack,
            method => method,
        }
    }

    /// Whether it has data in an enclosure or on an NVMe drive: in those that it names, or in each except
    /// its log and cache devices.
    pub(super) fn has_data_on(&self, jbod: &String) -> bool {
        let is_device = || self.log.contains(jbod) || self.cache.contains(jbod);
        self.jbods.contains(jbod) || (self.jbods.is_empty() && !is_device())
    }

    /// The enclosures that it has disks in, with their number, at most all of them, without spares: these are
    /// the last disks of the first enclosures.
    pub fn disks<'t>(&self, topology: &'t Topology) -> impl Iterator<Item = (&'t Jbod, usize)> {
        let mut spares = self.spares as usize;
        let jbods = topology.jbods().iter();
        let own = jbods.filter(|jbod| self.has_data_on(&jbod.id));
        own.map(move |jbod| {
            let there = jbod.disks.len();
            let asked = self
                .disks_per_jbod
                .map_or(there, |asked| there.min(asked as usize));
            let idle = spares.min(asked);
            spares -= idle;
            (jbod, asked - idle)
        })
    }

    /// Whether the data of a workload is in it.
    pub fn serves(&self, workload: &Workload) -> bool {
        workload.pool.as_ref().is_none_or(|id| *id == self.id)
    }

    /// Whether its drives hold data in proportion to their capacity: ZFS allocates by free space, and Ceph
    /// gives each OSD a weight, its capacity, where every group has drives of one size. Other software, and
    /// groups of unlike drives, put as much on each drive as on the smallest.
    pub fn fills_by_capacity(&self, topology: &Topology, costs: &StorageCosts) -> bool {
        let method = self.method(costs);
        if method != WriteMethod::Groups && !costs.has_drive_journals(method) {
            return false;
        }
        let mut of_size = BTreeMap::new();
        for (jbod, disks) in self.disks(topology) {
            *of_size.entry(jbod.disk.capacity().get().to_bits()).or_insert(0) += disks;
        }
        of_size.values().all(|disks| disks % self.width() as usize == 0)
    }

    /// Bytes of any of its drives that data may take, at most the capacity of the drive.
    pub(super) fn most_of_drive(&self, topology: &Topology, costs: &StorageCosts) -> Bytes {
        let all = Bytes::new(f64::INFINITY);
        if self.fills_by_capacity(topology, costs) {
            return all;
        }
        let drives = self.disks(topology).filter(|&(_, disks)| disks > 0);
        drives.fold(all, |least, (jbod, _)| least.min(jbod.disk.capacity()))
    }

    /// Bytes of data, before compression, for which it has room beside copies, parity and padding.
    pub fn room(&self, topology: &Topology, costs: &StorageCosts) -> Bytes {
        let most = self.most_of_drive(topology, costs);
        let raw = self
            .disks(topology)
            .map(|(jbod, disks)| disks as f64 * jbod.disk.capacity().min(most).get());
        let record = self.record_size.get();
        let layout = Layout::new(self, self.sector(topology));
        let stored = layout.written(record / self.compress_ratio).bytes;
        Bytes::new(raw.sum::<f64>() * (record / stored))
    }

    /// The unit in which RAID-Z allocates on a disk.
    pub(super) fn sector(&self, topology: &Topology) -> Bytes {
        let drives = self.disks(topology).filter(|&(_, disks)| disks > 0);
        let sectors = drives.map(|(jbod, _)| jbod.disk.sector());
        self.sector
            .unwrap_or_else(|| sectors.fold(Bytes::ZERO, Bytes::max))
    }

    /// Share of a drive over which data lies, if it may take up to `most` of the drive, and the working sets
    /// take a share of the room of the pool.
    pub(super) fn span(&self, part: &DrivePart, most: Bytes, taken: f64) -> f64 {
        let usable = part.capacity().min(most) / part.capacity();
        match (self.spread, part) {
            (Some(spread), _) => spread.get(),
            (None, DrivePart::Disk(_)) => usable,
            (None, DrivePart::Ssd(_)) => usable * taken,
        }
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
        assert!("raid4".parse::<PoolKind>().is_err());
    }
}
