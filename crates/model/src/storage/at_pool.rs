//! The accesses of one operation to one pool.
//!
//! * **Reads** that hit the cache access no device. A random read that misses reads the whole record (its
//!   checksum covers all of it) and waits for it. A stream is read ahead without waits, in runs that are on
//!   one disk each; with direct I/O to flash there is no read-ahead.
//! * **Writes** go to memory and are written to disk with their transaction group, a few seconds later,
//!   sorted by position. No operation waits for that: the work is *deferred*. A part of a record that is not
//!   cached is read first, and the whole record is written. Redundancy and metadata are additional.
//! * **Synchronous writes**, and operations that change names or attributes, also wait for the log: on a log
//!   device, or on the disks of the pool if there is none.

use bandgraph_hardware::DrivePart;
use bandgraph_units::Bytes;
use bandgraph_workload::{AccessPattern, Workload};

use super::bank::{Access, Command, Devices, Wait};
use super::cache::CacheUse;
use super::case::{Case, Transfer, Work, background, together};
use super::costs::WriteMethod;
use super::layout::{Footprint, SECTOR};
use super::path::{Disks, DriveGroup};
use super::plan::{Plan, Written};
use super::{Pool, PoolKind};

/// Runs read ahead of a stream: 32 MiB (`zfetch_block_cap`, 256 records of 128 KiB).
const READ_AHEAD: f64 = 64.0;
/// Seconds of arrivals that a queue sorts by position (`vdev_queue_io_add`: deadlines are counted in units of
/// 64 ms).
const SORTED: f64 = 0.064;
/// Maximum size of a command that merges adjacent transfers (`zfs_vdev_aggregation_limit`).
const AGGREGATED: f64 = 131_072.0;

/// Operations at one pool.
pub(super) struct AtPool<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) pool: usize,
    pub(super) spec: &'a Pool,
    pub(super) disks: &'a Disks,
    /// Maximum number of operations on streams in flight per disk, of all workloads.
    pub(super) streaming: f64,
    /// Maximum number of commands in the queue of a disk, including the one in service.
    pub(super) queued: f64,
    /// Number of streams at each disk.
    pub(super) streams: f64,
    /// The write method.
    pub(super) method: WriteMethod,
    /// Whether operations bypass the cache.
    pub(super) direct: bool,
    /// What becomes of the data that the workload writes.
    pub(super) written: Written,
}

impl AtPool<'_> {
    pub(super) fn record(&self) -> f64 {
        self.spec.record_size.get()
    }

    /// Share of each drive of a group over which data lies.
    fn span(&self, group: &DriveGroup) -> f64 {
        self.plan.banks()[group.bank].span
    }

    /// Bytes that are stored of this much data.
    fn stored(&self, bytes: f64) -> f64 {
        bytes / self.spec.compress_ratio
    }

    /// The same with the decompression of this much data, if the pool compresses it.
    fn decompressed(&self, mut case: Case, bytes: f64) -> Case {
        if self.spec.compress_ratio > 1.0 {
            case.instructions += self.plan.costs.decompress_instructions_per_byte * bytes;
            case.misses += self.plan.costs.compression_misses_per_byte * bytes;
        }
        case
    }

    /// The same for data in the caches, if they hold it as it is stored.
    fn of_cache(&self, case: Case, bytes: f64) -> Case {
        if self.plan.costs.cache_compressed {
            self.decompressed(case, bytes)
        } else {
            case
        }
    }

    /// Busy time of the disks, by model.
    pub(super) fn at_disks(&self, seconds: impl Fn(&DriveGroup) -> f64) -> Work {
        Work::Disks {
            pool: self.pool,
            seconds: self.disks.groups.iter().map(seconds).collect(),
        }
    }

    /// Time of a stream of bytes on the disks: runs on each of their disks, each after a seek if the previous
    /// run was of another stream.
    fn streamed(&self, group: &DriveGroup, write: bool, bytes: f64, queue: f64) -> f64 {
        let run = self.run(group);
        let pieces = self.disks.layout.pieces_of_run();
        let each = Bytes::new(run / pieces);
        let part = &group.part;
        let queue = queue.min(self.plan.banks()[group.bank].depth());
        let access = part.random_access(write, each, self.span(group), queue);
        let going_on = part.next_access(write, each, self.span(group));
        let copies = if write { 1.0 } else { self.copies_of_streams() };
        let turns = self.turns(self.streams / copies);
        let seconds = bytes / run * pieces * (turns * access.get() + (1.0 - turns) * going_on.get());
        seconds * copies / self.streams.clamp(1.0, copies)
    }

    /// Copies over which streams are spread, each of which stays on one of them: 1 if every stream has all.
    fn copies_of_streams(&self) -> f64 {
        match self.spec.kind {
            PoolKind::Mirror if self.plan.costs.stream_from_one_copy => f64::from(self.spec.width()),
            _ => 1.0,
        }
    }

    /// Bytes of a stream that a disk transfers before it switches to another: simultaneous arrivals are
    /// sorted by position, at most the read-ahead of each stream.
    fn run(&self, group: &DriveGroup) -> f64 {
        let run = self.spec.run().get();
        let (None, DrivePart::Disk(disk)) = (self.spec.run, &group.part) else {
            return run;
        };
        let groups = self.disks.count / f64::from(self.spec.width());
        let ahead = READ_AHEAD * Pool::ZFS_RUN.get() / groups / self.disks.layout.columns_of_run();
        let sorted = SORTED * disk.average_rate(self.span(group)).get() / self.streams.max(1.0);
        run.max(ahead.min(sorted))
    }

    /// Probability that a run follows one of another of these streams: those at a disk alternate at random.
    /// If the pool specifies the run, it is 1.
    fn turns(&self, streams: f64) -> f64 {
        if self.spec.run.is_some() || streams.is_infinite() {
            1.0
        } else {
            1.0 - 1.0 / streams.max(1.0)
        }
    }

    /// Whether the pool contains a drive with an arm.
    fn has_arms(&self) -> bool {
        self.disks
            .groups
            .iter()
            .any(|group| matches!(group.part, DrivePart::Disk(_)))
    }

    /// Whether streams are read ahead: software with a cache does so, and disks do. With direct I/O to flash
    /// each read waits for its drive.
    fn reads_ahead(&self) -> bool {
        !self.direct || self.has_arms()
    }

    /// The pieces of a random read, which lie on different disks, and the footprint of each: whole records if
    /// there are checksums over records, the requested bytes if data is written in place.
    fn random_read(&self, bytes: f64) -> (f64, Footprint) {
        if self.method == WriteMethod::Groups {
            return (
                self.records(bytes),
                self.disks.layout.read(self.stored(self.record())),
            );
        }
        let pieces = self.pieces_in_place(bytes, self.disks.layout.columns_of_run());
        let piece = Footprint {
            bytes: (bytes / pieces).max(SECTOR),
            commands: 1.0,
        };
        (pieces, piece)
    }

    /// Pieces of an operation on data that stays in place. Neighbouring records are in one place after
    /// another, of which each group of disks has this number; all of one place are one piece.
    pub(super) fn pieces_in_place(&self, bytes: f64, of_group: f64) -> f64 {
        let groups = self.disks.count / f64::from(self.spec.width());
        let places = match self.method {
            WriteMethod::WholeObjects => 1.0,
            _ => of_group * groups * self.disks.layout.pieces_of_run(),
        };
        self.records(bytes).min(places).max(1.0)
    }

    /// Time of one command on a disk with a queue.
    fn access(&self, group: &DriveGroup, write: bool, random: bool, bytes: f64, queue: f64) -> f64 {
        let command = Command::for_data(write, random, bytes);
        self.plan.banks()[group.bank].seconds(&command, queue)
    }

    /// Time of one command that nothing waits for: the queue of each disk is full. Cards whose memory is full
    /// of such commands send one at a time, in the order of their places, each with half a revolution.
    fn deferred_access(&self, group: &DriveGroup, write: bool, random: bool, bytes: f64) -> f64 {
        let held = self.disks.write_cache.get() / bytes / self.disks.count;
        match &group.part {
            DrivePart::Disk(disk) if held > 1.0 => disk
                .random_access(Bytes::new(bytes), self.span(group), held)
                .get(),
            _ => self.access(group, write, random, bytes, f64::INFINITY),
        }
    }

    /// Mean wait of an operation for one command over all disks.
    fn mean_access(&self, write: bool, random: bool, bytes: f64) -> f64 {
        self.disks.mean(|group| {
            let command = Command::for_data(write, random, bytes);
            self.access(group, write, random, bytes, self.queued)
                + self.plan.banks()[group.bank].delay(&command)
        })
    }

    pub(super) fn read(&self, workload: &Workload, cache: &CacheUse) -> Vec<Case> {
        let (first, second) = (cache.hit_rate.get(), cache.second_level_hit_rate.get());
        let bytes = workload.io_size.get();
        let (miss, touched) = match workload.pattern {
            AccessPattern::Sequential if self.reads_ahead() => (self.stream(bytes), bytes),
            AccessPattern::Sequential | AccessPattern::Random => (
                self.random_records(bytes),
                self.spec.touched(self.plan.costs, bytes),
            ),
        };
        let mut cases = vec![
            Case {
                share: first,
                ..self.of_cache(Case::default(), touched)
            },
            Case {
                share: 1.0 - first - second,
                ..self.decompressed(miss, touched)
            },
        ];
        if second > 0.0 {
            cases.push(Case {
                share: second,
                ..self.of_cache(self.second_level(bytes), touched)
            });
        }
        cases
    }

    /// A read of a stream: without a wait, because it was read ahead.
    fn stream(&self, bytes: f64) -> Case {
        let record = self.stored(self.record());
        let read = self.disks.layout.read(record);
        let queue = self.streaming * READ_AHEAD;
        let passed = self.stored(bytes) / record * self.disks.layout.passed(record);
        Case {
            transfers: vec![Transfer {
                write: false,
                bytes: self.stored(bytes),
                commands: bytes / self.record() * read.commands,
                queued: false,
                work: self.at_disks(|group| self.streamed(group, false, passed, queue)),
            }],
            read_ahead: self.windows(bytes),
            ..Case::default()
        }
    }

    /// Seconds that idle disks take for the windows of these bytes of a stream, each window in chunks on as
    /// many of them as have one.
    fn windows(&self, bytes: f64) -> f64 {
        let costs = self.plan.costs;
        if self.direct || costs.read_ahead_bytes == 0.0 {
            return 0.0;
        }
        let chunk = self.record();
        let disks = self.disks.count * self.disks.layout.data_share();
        let of_disk = costs.read_ahead_bytes.max(bytes.min(costs.read_ahead_call_bytes));
        let of_rows = if disks > 1.0 { 2.0 * disks * chunk } else { 0.0 };
        let window = self.spec.read_ahead.map_or(of_disk.max(of_rows), Bytes::get);
        let each = window / (window / chunk).clamp(1.0, disks);
        let seconds = |group: &DriveGroup| {
            let command = Command::for_data(false, false, each);
            let part = &group.part;
            part.next_access(false, Bytes::new(each), self.span(group)).get()
                + self.plan.banks()[group.bank].delay(&command)
        };
        let slowest = self.disks.groups.iter().map(seconds).fold(0.0, f64::max);
        bytes / window * slowest
    }

    /// Records touched by a random operation of `bytes`; operations are aligned to their size.
    pub(super) fn records(&self, bytes: f64) -> f64 {
        (bytes / self.record()).max(1.0)
    }

    fn random_records(&self, bytes: f64) -> Case {
        // Records of one operation are read in parallel, from different groups.
        let (records, read) = self.random_read(bytes);
        self.random_reads(1.0, records, &read)
    }

    /// Random reads of this footprint that an operation waits for: some rounds in sequence, each of several
    /// groups in parallel.
    pub(super) fn random_reads(&self, rounds: f64, groups: f64, read: &Footprint) -> Case {
        let (count, each) = (rounds * groups, read.bytes / read.commands);
        Case {
            transfers: vec![Transfer {
                write: false,
                bytes: count * read.bytes,
                commands: count * read.commands,
                queued: true,
                work: self.at_disks(|group| {
                    count * read.commands * self.access(group, false, true, each, self.queued)
                }),
            }],
            wait: rounds * self.mean_access(false, true, each),
            waits: vec![self.reads(rounds, groups, read)],
            ..Case::default()
        }
    }

    pub(super) fn write(&self, workload: &Workload, cache: &CacheUse) -> Vec<Case> {
        let bytes = workload.io_size.get();
        if self.method != WriteMethod::Groups {
            return vec![self.write_in_place(workload)];
        }
        let partial = workload.pattern == AccessPattern::Random && bytes < self.record();
        // A stream fills its records before they are written; a random write modifies a record that is
        // written whole.
        let new = if partial { self.record() } else { bytes };
        let mut written = self.rewritten(self.group_write(new), workload);
        if workload.pattern == AccessPattern::Random {
            written = together(written, self.pointers());
        }
        if workload.synchronous {
            written = together(written, self.log(bytes));
        }
        let [instructions, misses] = self.plan.costs.of_written(bytes);
        written.background.instructions += instructions;
        written.background.misses += misses;
        if !partial {
            return vec![Case {
                share: 1.0,
                ..written
            }];
        }
        let cached = cache.hit_rate.get();
        let read = self.decompressed(self.random_records(bytes), self.record());
        let read_first = together(read, written.clone());
        vec![
            Case {
                share: cached,
                ..self.of_cache(written, self.record())
            },
            Case {
                share: 1.0 - cached,
                ..read_first
            },
        ]
    }

    /// Deferred writes, without those of blocks that are written again first.
    fn rewritten(&self, case: Case, workload: &Workload) -> Case {
        let is_random = workload.pattern == AccessPattern::Random;
        if is_random && self.spec.defers_in_memory(self.plan.costs, workload) {
            case.times(self.written.distinct)
        } else {
            case
        }
    }

    /// A write in place: at once, or later if the software writes back, or if a journal has the data.
    fn write_in_place(&self, workload: &Workload) -> Case {
        let (bytes, costs) = (workload.io_size.get(), self.plan.costs);
        let has_journal = costs.has_drive_journals(self.method);
        let in_journal = has_journal && self.has_arms() && bytes <= costs.journal_data_bytes;
        let asked = (self.method.waits_for_drives() || workload.synchronous) && !in_journal;
        let waits = asked && !self.disks.keeps_writes();
        // A drive with an arm writes a stream from its buffer, unless each write has to be on the platter
        // with the journal of the file system, which lies elsewhere.
        let streams = self.has_arms() && !workload.synchronous || !waits;
        let mut case = if workload.pattern == AccessPattern::Sequential && streams {
            let stream = self.group_write(bytes);
            if waits { stream.at_once() } else { stream }
        } else {
            self.rewritten(self.change(bytes, workload.pattern, waits), workload)
        };
        if !costs.is_past_pages(workload) {
            let (instructions, misses) = if waits || in_journal {
                (&mut case.instructions, &mut case.misses)
            } else {
                (&mut case.background.instructions, &mut case.background.misses)
            };
            let of_written = costs.of_written(bytes);
            *instructions += of_written[0];
            *misses += of_written[1];
        }
        if has_journal || workload.synchronous {
            case = self.journaled(case, if in_journal { bytes } else { 0.0 });
        }
        Case { share: 1.0, ..case }
    }

    /// Commands of an operation with this number of pieces of a footprint; deferred if nothing waits.
    pub(super) fn commands(
        &self,
        write: bool,
        random: bool,
        records: f64,
        of_record: &Footprint,
        waits: bool,
    ) -> Case {
        let each = of_record.bytes / of_record.commands;
        let commands = records * of_record.commands;
        let seconds = |group: &DriveGroup| {
            if waits {
                self.access(group, write, random, each, self.queued)
            } else {
                self.deferred_access(group, write, random, each)
            }
        };
        let transfer = Transfer {
            write,
            bytes: records * of_record.bytes,
            commands,
            queued: waits,
            work: self.at_disks(|group| commands * seconds(group)),
        };
        if !waits {
            return background(transfer);
        }
        Case {
            transfers: vec![transfer],
            wait: self.mean_access(write, random, each),
            waits: vec![Wait::Access(Access {
                banks: self.disks.banks(),
                rounds: 1.0,
                groups: records,
                neighbours: true,
                devices: Devices::Several(of_record.commands as usize),
                command: Command::for_data(write, random, each),
            })],
            ..Case::default()
        }
    }

    /// Data that goes to the disks with its transaction group.
    fn group_write(&self, bytes: f64) -> Case {
        let costs = self.plan.costs;
        let record = self.record().min(bytes.max(1.0));
        let whole = self.disks.layout.written(self.stored(record));
        let on_disks = bytes / record * whole.bytes * (1.0 + costs.metadata_share);
        let mut case = background(self.sorted_write(on_disks, bytes / record * whole.commands));
        if self.spec.compress_ratio > 1.0 {
            case.background.instructions += costs.compress_instructions_per_byte * bytes;
            case.background.misses += costs.compression_misses_per_byte * bytes;
        }
        case
    }

    /// The indirect blocks with the pointers to records of a transaction group, in two copies.
    fn pointers(&self) -> Case {
        let block = self.disks.layout.written(self.plan.costs.indirect_bytes);
        let copies = 2.0 * self.written.indirect;
        if copies * block.bytes > 0.0 {
            background(self.sorted_write(copies * block.bytes, copies * block.commands))
        } else {
            Case::default()
        }
    }

    /// Writes that are sorted by position before they go to the disks.
    pub(super) fn sorted_write(&self, bytes: f64, pieces: f64) -> Transfer {
        // The disk always has a full queue.
        let queue = f64::INFINITY;
        Transfer {
            write: true,
            bytes,
            commands: (bytes / AGGREGATED).min(pieces),
            queued: false,
            work: self.at_disks(|group| self.streamed(group, true, bytes, queue)),
        }
    }

    /// Reads of records or blocks on one group each, several in parallel (`groups`) and several in sequence
    /// (`rounds`).
    fn reads(&self, rounds: f64, groups: f64, read: &Footprint) -> Wait {
        Wait::Access(Access {
            banks: self.disks.banks(),
            rounds,
            groups,
            neighbours: self.method != WriteMethod::Groups,
            devices: match self.spec.kind {
                PoolKind::Mirror => Devices::Shortest,
                _ => Devices::Several(read.commands as usize),
            },
            command: Command::for_data(false, true, read.bytes / read.commands),
        })
    }

    /// Adds the core costs of the transfers of a case, and scales it by its share at this pool.
    pub(super) fn charged(&self, mut case: Case, share: f64) -> Case {
        let costs = self.plan.costs;
        let cost = |transfers: &[Transfer]| {
            let bytes: f64 = transfers.iter().map(|transfer| transfer.bytes).sum();
            let commands: f64 = transfers.iter().map(|transfer| transfer.commands).sum();
            let of_array = self
                .disks
                .array
                .map_or(0.0, |array| array.instructions(transfers));
            (
                costs.disk_instructions_per_byte * bytes
                    + costs.disk_instructions_per_command * commands
                    + of_array,
                costs.disk_misses_per_byte * bytes + costs.disk_misses_per_command * commands,
            )
        };
        let (instructions, misses) = cost(&case.transfers);
        case.instructions += instructions;
        case.misses += misses;
        // Of all that is waited for, only streams have no queue: they are read ahead.
        let mut transfers = case.transfers.iter();
        if transfers.all(|transfer| !transfer.write && !transfer.queued) {
            case.ahead = [instructions, misses].map(|work| costs.read_ahead_by_others * work);
        }
        if self.method == WriteMethod::WriteBack {
            let read = case.transfers.iter().filter(|transfer| !transfer.write);
            let bytes: f64 = read.map(|transfer| transfer.bytes).sum();
            case.instructions += costs.reclaim_instructions_per_byte * bytes;
            case.ahead[0] += costs.reclaim_instructions_per_byte * bytes;
        }
        let (instructions, misses) = cost(&case.background.transfers);
        case.background.instructions += instructions;
        case.background.misses += misses;
        case.share *= share;
        case
    }
}
