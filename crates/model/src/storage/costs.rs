//! Core costs of disk accesses: the storage part of a stack.

use bandgraph_config::{AssumedRange, settings, words};
use bandgraph_workload::Workload;

words! {
    /// How data that is written gets to its place on the drives.
    pub enum WriteMethod: "a way to write" {
        /// To free space, together with all that was written in the last seconds: random writes become runs,
        /// as in ZFS.
        Groups = "transaction groups",
        /// To where it was before, and the operation waits for the drive: direct I/O.
        InPlace = "in place",
        /// To memory first, and later to where it was before: a page cache over a file system without copies.
        WriteBack = "write back",
        /// To free space of one drive in one piece, and the operation waits for that drive: what an object
        /// store keeps on drives that it does not stripe.
        WholeObjects = "whole objects",
        /// Nowhere but to memory: a RAM disk (tmpfs), which has no pool.
        Memory = "memory",
    }
}

impl WriteMethod {
    /// Whether a write ends when its data is on the drives.
    pub const fn waits_for_drives(self) -> bool {
        matches!(self, Self::InPlace | Self::WholeObjects)
    }
}

settings! {
    /// What the way to the disks costs the cores, and what metadata the file system keeps. The default is no
    /// work, and none of the metadata that data brings with it.
    pub struct StorageCosts as "storage costs" {
        /// Instructions for every byte that moves between memory and a device, in addition to those of its
        /// payload.
        disk_instructions_per_byte: f64 = 0, at_most(1e6),
            measured("`perf stat -e instructions` over bytes from disks, less those from the cache"),
            because("no drives, or part of its other costs"), assumed(AssumedRange::USUAL);
        /// Cache lines missed for every byte that moves between memory and a device.
        disk_misses_per_byte: f64 = 0, at_most(1e3),
            measured("`perf stat -e LLC-load-misses` over bytes from disks, less those from the cache"),
            because("no drives, or part of its other costs"), assumed(AssumedRange::USUAL);
        /// Instructions for every command to a device.
        disk_instructions_per_command: f64 = 0, at_most(1e12),
            because("no drives, or part of its other costs"), assumed(AssumedRange::USUAL);
        /// Cache lines missed for every command to a device.
        disk_misses_per_command: f64 = 0, at_most(1e12),
            measured("`perf stat -e LLC-load-misses` over the commands that `iostat` counts"),
            because("no drives, or part of its other costs"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: small against the bytes of a record"));
        /// Commands to one disk that the operating system sorts by place, those in the queue of the disk
        /// included. 0 if it sends them on as they come.
        sorted_commands: u64 = 0, at_most(65536.0),
            measured("`nr_requests` in `/sys/block/*/queue`, unless `scheduler` beside it is none"),
            because("commands go to the disk as they come");
        /// Bytes of a stream that are read ahead at once, on one disk; two such windows are in flight. On
        /// several disks at least two rows of chunks, as Linux md has it. 0 if a stream keeps all drives
        /// busy.
        read_ahead_bytes: f64 = 0, at_most(1_073_741_824),
            measured("`read_ahead_kb` in `/sys/block/*/queue`"), because("a stream keeps all drives busy"),
            assumed(AssumedRange(0.5, 4.0, "half to four times: distributions set it"));
        /// The same for calls that are longer than that: as many bytes as they have, up to this.
        read_ahead_call_bytes: f64 = 0, at_most(1_073_741_824),
            measured("`max_sectors_kb` in `/sys/block/*/queue`"), because("calls do not matter"),
            assumed(AssumedRange(0.1, 1.0, "a tenth to all: drives accept smaller commands"));
        /// Share of this work that other threads do, on other cores, for a stream that is read ahead: its
        /// commands, checksums and parity. 0 if the thread that reads does all of it.
        read_ahead_by_others: f64 = 0, at_most(1), because("the thread that reads does it");
        /// How often an operation that waits for a device is handed from one thread to another before it
        /// continues: to those that complete it, and back to the one that called.
        device_handovers: f64 = 0, at_most(64), because("the thread that asks completes the operation");
        /// Seconds of such a hand-over: the wake-up of a thread.
        handover_seconds: f64 = 0, at_most(1),
            measured("`perf bench sched pipe`: half of its time for an operation"),
            because("there is no hand-over");
        /// Instructions that make room for a byte that is read into a full page cache, by other threads and
        /// before it comes; matters only where data is written back from a page cache.
        reclaim_instructions_per_byte: f64 = 0, at_most(1e6),
            measured("`perf stat -e instructions` of the threads `kswapd`, over the bytes that drives read"),
            because("its cache is not a page cache, or the cost is not known");
        /// Bytes that a synchronous write or a COMMIT adds to the journal of a file system below a page
        /// cache, and any write to that of an object store, which each of its processes has on its drive. One
        /// commit at a time writes those of all that wait, after their data, and `journal_commit_bytes`. 0
        /// without a journal.
        journal_bytes: f64 = 0, at_most(1_048_576),
            because("its file system has no journal, or it is not known");
        /// Bytes that a commit writes to the journal in addition to those of the writes that wait for it.
        journal_commit_bytes: f64 = 0, at_most(1_048_576), because("only those of its writes");
        /// Writes of a commit to the journal of an object store, each after the one before is stable: 2 if
        /// the length of the journal is kept elsewhere.
        journal_writes: f64 = 1, at_least(1.0), at_most(16), exact, because("the journal alone");
        /// Maximum bytes of a write to disks that an object store puts into its journal, and in their place
        /// later. 0 if all data is in its place before its commit, as on solid-state drives.
        journal_data_bytes: f64 = 0, at_most(1_073_741_824), because("no data in the journal");
        /// Instructions for every byte that a client writes, on top of those of a byte that it reads. Direct
        /// I/O past a page cache (`writes = "write back"`) has none.
        write_instructions_per_byte: f64 = 0, at_most(1e6), because("as bytes that are read"),
            assumed(AssumedRange::USUAL);
        /// Cache lines missed for every byte that a client writes, on top of those of a byte that it
        /// reads.
        write_misses_per_byte: f64 = 0, at_most(1e3),
            measured("`perf stat -e LLC-load-misses` over the bytes that clients write"),
            because("as bytes that are read"), assumed(AssumedRange::USUAL);
        /// Instructions for every page (4 KiB of one disk) that is read or written to change an array with
        /// parity, which one thread of the array executes for all of it (`md*_raid5` of Linux). Cards with
        /// arrays of their own need none.
        array_instructions_per_page: f64 = 0, at_most(1e12),
            measured("`perf stat -e instructions` of `md*_raid5` over the 4 KiB that `iostat` counts"),
            because("its software has no such thread"), assumed(AssumedRange::USUAL);
        /// Threads of an array that execute them: `group_thread_cnt` of Linux, and one more.
        array_threads: f64 = 1, at_least(1.0), at_most(4096), exact, because("one, unless it is set");
        /// Seconds for which a read of an array with parity or copies holds a lock of all of it.
        array_read_seconds: f64 = 0, at_most(1),
            measured("arrays over the rate of `fio --rw=randread --bs=4k` on faster drives"),
            because("its software has no such lock");
        /// Instructions that compress a byte of data, in pools with compression.
        compress_instructions_per_byte: f64 = 0, at_most(1e6),
            measured("clock over rate of `lzbench` for one core, over the cycles of an instruction"),
            because("its file system does not compress"), assumed(AssumedRange::USUAL);
        /// Instructions that decompress a byte of data.
        decompress_instructions_per_byte: f64 = 0, at_most(1e6),
            measured("clock over rate of `lzbench` for one core, over the cycles of an instruction"),
            because("its file system does not compress"), assumed(AssumedRange::USUAL);
        /// Cache lines missed for every byte of data that is compressed or decompressed.
        compression_misses_per_byte: f64 = 0, at_most(1e3), because("its file system does not compress");
        /// Whether the caches in DRAM and on SSDs hold data as it is stored, so that compressed data takes
        /// less of them and every hit decompresses its record.
        cache_compressed: bool = false, because("its file system does not compress");
        /// Whether a stream is read from one copy of a mirror, as Linux md and most RAID cards do, and not
        /// from all copies by turns, as ZFS does.
        stream_from_one_copy: bool = false,
            measured("`iostat` during one stream: does one disk work, or all?"),
            because("all copies take turns");
        /// Bytes of metadata written to the disks for every byte of data; 0 to 1.
        metadata_share: f64 = 0, at_most(1), because("none that data brings with it"),
            assumed(AssumedRange(0.5, 2.0, "half to twice: by size of record and number of copies"));
        /// Bytes on the disks of an indirect block of a file, with pointers to its records; each is written
        /// in two copies with the transaction group that changes any of these at random. For streams they
        /// are in `metadata_share`. 0 if there are none.
        indirect_bytes: f64 = 0, at_most(1_048_576),
            because("its pointers are part of `metadata_share`"),
            assumed(AssumedRange(0.6, 2.0, "60 to 200 %: checksums in pointers hardly compress"));
        /// Pointers in an indirect block.
        indirect_pointers: f64 = 1024, at_least(1.0), at_most(1_048_576), exact,
            because("128 KiB of 128 bytes each");
        /// How data gets to its place on the drives: in transaction groups to free space, in place while the
        /// operation waits, or in place some time after it.
        writes: WriteMethod = "transaction groups", because("as ZFS writes");
        /// Seconds from one transaction group to the next: writes of one group go to disk together.
        group_seconds: f64 = 5, at_least(0.001), at_most(3600), because("`zfs_txg_timeout` of ZFS"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: a group ends earlier when it is full"));
        /// Seconds for which written data stays in a page cache, if longer than `group_seconds`.
        dirty_seconds: f64 = 0, at_most(86400),
            measured("`/proc/sys/vm/dirty_expire_centisecs`, over 100"),
            because("all goes with the next group");
        /// Share of `group_memory` from which written data goes to the disks early; 0.001 to 1.
        group_start: f64 = 1, at_least(0.001), at_most(1),
            measured("`dirty_background_ratio` over `dirty_ratio` in `/proc/sys/vm`"),
            because("its group waits for its time"),
            assumed(AssumedRange(0.2, 1.0, "a fifth to all: limits changed from version to version"));
        /// Share of the DRAM that a transaction group may fill before writers wait; 0.000001 to 1.
        group_memory: f64 = 0.125, at_least(1e-6), at_most(1),
            because("an eighth of the memory, as ZFS of 2009"),
            assumed(AssumedRange(0.7, 1.3, "±30 %: limits changed from version to version"));
        /// Maximum bytes of a transaction group before writers wait; 0 if only `group_memory` limits it.
        group_bytes: f64 = 0, at_most(1e15),
            measured("`zfs_dirty_data_max_max` of ZFS"), because("its share of the memory");
        /// Bytes of metadata in the cache for every file: its attributes and its entry in a directory,
        /// without pointers to its data.
        metadata_bytes_per_file: f64 = 640, at_least(1.0), at_most(1e6),
            because("a dnode of 512 bytes and an entry of a directory"),
            assumed(AssumedRange(0.7, 2.0, "70 to 200 %: names and extended attributes"));
        /// Bytes of a block of metadata in the cache.
        metadata_block: f64 = 16384, at_least(512.0), at_most(1_048_576), because("a block of dnodes of ZFS"),
            assumed(AssumedRange(0.25, 1.0, "a quarter to all: blocks of 4 to 16 KiB"));
        /// Bytes of a block of metadata on disk.
        metadata_block_on_disk: f64 = 4096, at_least(512.0), at_most(1_048_576),
            because("compressed to a quarter"),
            assumed(AssumedRange(0.5, 4.0, "half to four times: from well compressed to not at all"));
        /// Share of the cache that metadata may fill; 0.001 to 1.
        metadata_cache_share: f64 = 1, at_least(0.001), at_most(1), because("metadata may fill all of it"),
            assumed(AssumedRange(0.7, 1.0, "70 to 100 %: file systems keep some of it for data"));
    }
}

impl StorageCosts {
    /// Whether each process of an object store has a journal on its drive.
    pub(super) fn has_drive_journals(&self, method: WriteMethod) -> bool {
        method == WriteMethod::WholeObjects && self.journal_bytes > 0.0
    }

    /// Whether a workload goes past the pages of the cache. Figures of software that writes back are those of
    /// such pages.
    pub(crate) fn is_past_pages(&self, workload: &Workload) -> bool {
        self.writes == WriteMethod::WriteBack && workload.direct
    }

    /// Instructions and misses of bytes that are written, in addition to those of bytes that are read.
    pub(super) fn of_written(&self, bytes: f64) -> [f64; 2] {
        [self.write_instructions_per_byte, self.write_misses_per_byte].map(|each| each * bytes)
    }
}
