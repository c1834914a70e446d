//! What the way to the disks costs the cores: the storage part of a stack.

use bandgraph_config::Field;

use crate::stack_number::number;

/// Work of the software between the cache and the disks, besides what every operation and byte costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StorageCosts {
    /// Instructions for every byte that moves between memory and a device: checksums, the pool, the driver.
    pub instructions_per_byte: f64,
    /// Cache lines missed for every such byte.
    pub misses_per_byte: f64,
    /// Instructions for every command to a device.
    pub instructions_per_command: f64,
    /// Cache lines missed for every command to a device.
    pub misses_per_command: f64,
    /// Instructions for every byte that a client writes, on top of those of a byte that it reads.
    pub instructions_per_written_byte: f64,
    /// Cache lines missed for every byte that a client writes, on top of those of a byte that it reads: it is
    /// received into one buffer, copied into a record, and visited again when its transaction group is
    /// written.
    pub misses_per_written_byte: f64,
    /// Seconds from one transaction group to the next: what of the writes goes to disk together. ZFS starts
    /// one every 5 s at the latest (`zfs_txg_timeout`), and Linux wakes its flusher as often
    /// (`dirty_writeback_centisecs`).
    pub group_seconds: f64,
    /// Share of the DRAM that a transaction group may fill before writers wait: an eighth in ZFS
    /// (`zfs_write_limit_shift`).
    pub group_memory: f64,
    /// Bytes of metadata written for every byte of data: block pointers in two copies, space maps, the
    /// labels.
    pub metadata_share: f64,
    /// Bytes of metadata in the cache for every file, without pointers to its data: in ZFS 512 for its
    /// attributes (`DNODE_SIZE`), and an entry of a directory: three chunks of a leaf, 24 each
    /// (`ZAP_LEAF_CHUNKSIZE`), of which a part is empty. 128 for that is an assumption.
    pub metadata_bytes_per_file: f64,
    /// Bytes of a block of metadata in the cache: 16 KiB (`DNODE_BLOCK_SHIFT`, `fzap_default_block_shift`).
    pub metadata_block: f64,
    /// Bytes of such a block on disk, compressed. A quarter is an assumption.
    pub metadata_block_on_disk: f64,
    /// Share of the cache that metadata may fill. All of it is an assumption: `OpenSolaris` had a quarter
    /// (`arc_meta_limit`), which administrators of servers with many files raised.
    pub metadata_cache_share: f64,
}

impl StorageCosts {
    /// The fields that files may set, as fields of the stack.
    pub const FIELDS: [Field; 13] = [
        number(
            "disk_instructions_per_byte",
            "Instructions for every byte that moves between memory and a device, besides those of its payload.",
            0.0,
            1e6,
        ),
        number(
            "disk_misses_per_byte",
            "Cache lines missed for every byte that moves between memory and a device.",
            0.0,
            1e3,
        ),
        number(
            "disk_instructions_per_command",
            "Instructions for every command to a device.",
            0.0,
            1e12,
        ),
        number(
            "disk_misses_per_command",
            "Cache lines missed for every command to a device.",
            0.0,
            1e12,
        ),
        number(
            "write_instructions_per_byte",
            "Instructions for every byte that a client writes, on top of those of a byte that it reads.",
            0.0,
            1e6,
        ),
        number(
            "write_misses_per_byte",
            "Cache lines missed for every byte that a client writes, on top of those of a byte that it reads.",
            0.0,
            1e3,
        ),
        number(
            "metadata_share",
            "Bytes of metadata written to the disks for every byte of data; 0 to 1.",
            0.0,
            1.0,
        ),
        number(
            "group_seconds",
            "Seconds from one transaction group to the next: what of the writes goes to disk together.",
            0.001,
            3600.0,
        ),
        number(
            "group_memory",
            "Share of the DRAM that a transaction group may fill before writers wait; 0.000001 to 1.",
            1e-6,
            1.0,
        ),
        number(
            "metadata_bytes_per_file",
            "Bytes of metadata in the cache for every file: its attributes and its entry in a directory, without pointers \
             to its data.",
            1.0,
            1e6,
        ),
        number(
            "metadata_block",
            "Bytes of a block of metadata in the cache.",
            512.0,
            1_048_576.0,
        ),
        number(
            "metadata_block_on_disk",
            "Bytes of a block of metadata on disk.",
            512.0,
            1_048_576.0,
        ),
        number(
            "metadata_cache_share",
            "Share of the cache that metadata may fill; 0.001 to 1.",
            0.001,
            1.0,
        ),
    ];

    /// The value of the field of that name.
    pub(crate) fn number_mut(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "disk_instructions_per_byte" => &mut self.instructions_per_byte,
            "disk_misses_per_byte" => &mut self.misses_per_byte,
            "disk_instructions_per_command" => &mut self.instructions_per_command,
            "disk_misses_per_command" => &mut self.misses_per_command,
            "write_instructions_per_byte" => &mut self.instructions_per_written_byte,
            "write_misses_per_byte" => &mut self.misses_per_written_byte,
            "metadata_share" => &mut self.metadata_share,
            "group_seconds" => &mut self.group_seconds,
            "group_memory" => &mut self.group_memory,
            "metadata_bytes_per_file" => &mut self.metadata_bytes_per_file,
            "metadata_block" => &mut self.metadata_block,
            "metadata_block_on_disk" => &mut self.metadata_block_on_disk,
            "metadata_cache_share" => &mut self.metadata_cache_share,
            _ => return None,
        })
    }

    /// No work, and none of the metadata that data brings with it.
    pub const NONE: Self = Self {
        instructions_per_byte: 0.0,
        misses_per_byte: 0.0,
        instructions_per_command: 0.0,
        misses_per_command: 0.0,
        instructions_per_written_byte: 0.0,
        misses_per_written_byte: 0.0,
        metadata_share: 0.0,
        ..Self::FISHWORKS_2009
    };

    /// The ZFS of the 7410 in 2009, one profile for all machines.
    ///
    /// Instructions for a byte read from disk are derived (2.8 in all, of which 1.2 are the cached path's).
    /// Misses were fitted to Barcelona's streams from and to disk; the rest is assumed. See
    /// `docs/physics-storage.md`.
    pub const FISHWORKS_2009: Self = Self {
        instructions_per_byte: 1.4,
        misses_per_byte: 0.067,
        instructions_per_command: 25_000.0,
        misses_per_command: 400.0,
        instructions_per_written_byte: 1.0,
        misses_per_written_byte: 0.08,
        metadata_share: 0.02,
        group_seconds: 5.0,
        group_memory: 0.125,
        metadata_bytes_per_file: 640.0,
        metadata_block: 16_384.0,
        metadata_block_on_disk: 4096.0,
        metadata_cache_share: 1.0,
    };
}
