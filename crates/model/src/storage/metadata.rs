//! The blocks of metadata touched by an operation: attributes, directories, pointers to data.
//!
//! Sizes are those of ZFS (`dnode.h`, `spa.h`, `zap_impl.h` of OpenSolaris): a file's attributes are a dnode
//! of 512 bytes, 32 of which are a block of 16 KiB; a directory is a hash table in leaves of 16 KiB; data is
//! found by pointers of 128 bytes, in blocks of 16 KiB. Blocks of all three kinds are read and cached singly
//! and at random: names are hashed, and requests are random. A block that misses is a small, compressed read
//! from a disk; several are read in sequence, because each contains the position of the next.

use bandgraph_units::Bytes;
use bandgraph_workload::{AccessPattern, OperationKind, Workload};

use super::StorageCosts;
use super::cache::CacheUse;

/// Bytes of a file's attributes (`DNODE_SIZE`).
const ATTRIBUTES: f64 = 512.0;
/// Bytes of a pointer to a block of data (`SPA_BLKPTRSHIFT`).
const POINTER: f64 = 128.0;

/// Bytes of metadata touched by a workload, with records of `record` bytes; zero if the amount is unknown.
pub(super) fn set(workload: &Workload, costs: &StorageCosts, record: f64) -> f64 {
    let metadata = &workload.metadata;
    if !workload.protocol.serves_files() {
        return 0.0;
    }
    let of_files = |files: u64| files as f64 * costs.metadata_bytes_per_file + pointers(workload, record);
    let worked_out = || metadata.files.map_or(0.0, of_files);
    metadata.metadata_working_set.map_or_else(worked_out, Bytes::get)
}

/// Bytes of the pointers to the data of a workload in separate blocks: the pointer of a file of one record is
/// stored with its attributes.
fn pointers(workload: &Workload, record: f64) -> f64 {
    if has_pointers(workload, record) {
        workload.working_set.get() / record * POINTER
    } else {
        0.0
    }
}

/// Whether its files are longer than a record; true if unknown.
fn has_pointers(workload: &Workload, record: f64) -> bool {
    let file = |files: u64| workload.working_set.get() / files as f64;
    workload.mix.moves_data() && workload.metadata.files.is_none_or(|files| file(files) > record)
}

/// Mean number of metadata blocks touched by an operation.
pub(super) fn touches(
    workload: &Workload,
    operation: OperationKind,
    costs: &StorageCosts,
    record: f64,
) -> f64 {
    use OperationKind as Op;
    let entries = f64::from(workload.metadata.directory_entries);
    // Bytes per directory entry: the metadata of a file beyond its attributes.
    let entry = (costs.metadata_bytes_per_file - ATTRIBUTES).max(0.0);
    let leaves = (entries * entry / costs.metadata_block).max(1.0);
    match operation {
        // Properties of the whole file system are always in memory.
        Op::Null | Op::Fsstat | Op::Fsinfo | Op::Pathconf => 0.0,
        Op::Getattr | Op::Setattr | Op::Access | Op::Readlink | Op::Commit
        // Only the directory: a new file gets the next attributes in a block that is being filled.
        | Op::Create | Op::Mkdir | Op::Symlink | Op::Mknod => 1.0,
        // The directory, and the file found there.
        Op::Lookup | Op::Remove | Op::Rmdir | Op::Link => 2.0,
        // Two directories, and the renamed file.
        Op::Rename => 3.0,
        Op::Readdir => leaves,
        // Files of a directory were created in sequence, so that their attributes are adjacent.
        Op::Readdirplus => leaves + (entries * ATTRIBUTES / costs.metadata_block).max(1.0),
        Op::Read | Op::Write => of_data(workload, costs, record),
    }
}

/// Metadata blocks changed by an operation. The attributes of new files fill blocks in sequence.
pub(super) fn changed(operation: OperationKind) -> f64 {
    use OperationKind as Op;
    match operation {
        // The directory, and the new directory, the removed file, or the linked file.
        Op::Mkdir | Op::Remove | Op::Rmdir | Op::Link => 2.0,
        Op::Rename => 3.0,
        _ => 1.0,
    }
}

/// Blocks touched by a read or write: a random one has its own, those of a stream serve all data that they
/// point to.
fn of_data(workload: &Workload, costs: &StorageCosts, record: f64) -> f64 {
    let pointed = has_pointers(workload, record);
    match workload.pattern {
        AccessPattern::Random => 1.0 + f64::from(u8::from(pointed)),
        AccessPattern::Sequential => {
            let bytes = workload.io_size.get();
            let ahead = costs.metadata_block / POINTER * record;
            let of_pointers = if pointed { bytes / ahead } else { 0.0 };
            let files = workload.metadata.files.unwrap_or(0) as f64;
            of_pointers + (bytes * files / workload.working_set.get()).min(1.0)
        }
    }
}

/// Mean number of blocks touched by the operations of a workload, over its mix.
pub(super) fn touches_of_mix(workload: &Workload, costs: &StorageCosts, record: f64) -> f64 {
    let shares = workload.mix.shares().iter();
    shares
        .map(|&(operation, share)| share.get() * touches(workload, operation, costs, record))
        .sum()
}

/// Metadata blocks that miss DRAM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Missed {
    /// Probability that any block misses, 0 to 1.
    pub(super) share: f64,
    /// Mean number read from disks in that case, and from cache devices.
    pub(super) from_disks: f64,
    pub(super) from_devices: f64,
}

impl Missed {
    /// The misses of `touched` blocks that miss independently; a fraction of a block is a probability.
    pub(super) fn of(touched: f64, cache: &CacheUse) -> Self {
        let missed = 1.0 - cache.hit_rate.get();
        let devices = cache.second_level_hit_rate.get().min(missed);
        let none = libm::pow(1.0 - missed, touched.floor()) * (1.0 - touched.fract() * missed);
        let share = 1.0 - none;
        let each = |rate: f64| if share > 0.0 { touched * rate / share } else { 0.0 };
        Self {
            share,
            from_disks: each(missed - devices),
            from_devices: each(devices),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cache::HitRateMethod;
    use super::*;
    use bandgraph_units::Fraction;
    use bandgraph_workload::{Metadata, Mix};

    fn costs() -> StorageCosts {
        crate::Stack::fishworks_2009().storage
    }

    const RECORD: f64 = 131_072.0;

    fn workload(operation: OperationKind, files: u64) -> Workload {
        Workload {
            pattern: AccessPattern::Random,
            working_set: Bytes::new(1e12),
            metadata: Metadata {
                files: Some(files),
                ..Metadata::default()
            },
            ..Workload::new("w", "c", Mix::single(operation))
        }
    }

    #[test]
    fn files_have_attributes_and_entries_and_long_ones_have_pointers() {
        let names = workload(OperationKind::Getattr, 1_000_000);
        assert_eq!(set(&names, &costs(), RECORD), 640e6);
        // A million files of a megabyte: eight records each.
        let data = workload(OperationKind::Read, 1_000_000);
        assert_eq!(set(&data, &costs(), RECORD), 640e6 + 1e12 / RECORD * 128.0);
        assert_eq!(touches(&data, OperationKind::Read, &costs(), RECORD), 2.0);
        // Ten million of 100 kB: a record each.
        let small = workload(OperationKind::Read, 10_000_000);
        assert_eq!(set(&small, &costs(), RECORD), 6400e6);
        assert_eq!(touches(&small, OperationKind::Read, &costs(), RECORD), 1.0);
        let said = Workload {
            metadata: Metadata {
                metadata_working_set: Some(Bytes::new(5e9)),
                ..small.metadata
            },
            ..small.clone()
        };
        assert_eq!(set(&said, &costs(), RECORD), 5e9);
        let unknown = Workload {
            metadata: Metadata::default(),
            ..small
        };
        assert_eq!(set(&unknown, &costs(), RECORD), 0.0);
    }

    /// A stream touches a block of pointers every 128 records, and attributes once per file.
    #[test]
    fn streams_touch_little() {
        let stream = Workload {
            pattern: AccessPattern::Sequential,
            io_size: Bytes::new(1e6),
            ..workload(OperationKind::Read, 1000)
        };
        let expected = 1e6 / (128.0 * RECORD) + 1e6 / 1e9;
        assert!((touches(&stream, OperationKind::Read, &costs(), RECORD) - expected).abs() < 1e-12);
    }

    /// A thousand entries of 128 bytes, and their attributes, in blocks of 16 KiB.
    #[test]
    fn directories_are_as_long_as_they_list() {
        let mut long = workload(OperationKind::Readdirplus, 1_000_000);
        long.metadata.directory_entries = 1000;
        let leaves = 128_000.0 / 16_384.0;
        let found = |operation| touches(&long, operation, &costs(), RECORD);
        assert_eq!(found(OperationKind::Readdir), leaves);
        assert_eq!(found(OperationKind::Readdirplus), leaves + 512_000.0 / 16_384.0);
        assert_eq!(found(OperationKind::Fsstat), 0.0);
    }

    /// Two blocks with a hit rate of 3/4 each: 9 of 16 operations have no miss, and the mean is half a missed
    /// block per operation, two fifths of which are on cache devices.
    #[test]
    fn blocks_are_missed_by_chance() {
        let cache = CacheUse {
            working_set: Bytes::new(4.0),
            capacity: Bytes::new(3.0),
            hit_rate: Fraction::new(0.75),
            second_level_hit_rate: Fraction::new(0.1),
            second_level: None,
            method: HitRateMethod::Random,
        };
        let two = Missed::of(2.0, &cache);
        assert!((two.share - 7.0 / 16.0).abs() < 1e-12);
        assert!((two.share * (two.from_disks + two.from_devices) - 0.5).abs() < 1e-12);
        assert!((two.share * two.from_devices - 0.2).abs() < 1e-12);
        let seldom = Missed::of(0.25, &cache);
        assert!((seldom.share - 0.0625).abs() < 1e-12);
        assert!((seldom.from_disks + seldom.from_devices - 1.0).abs() < 1e-12);
        assert_eq!(Missed::of(0.0, &cache).share, 0.0);
    }
}
