//! Devices that serve single commands, and the commands that operations wait for.
//!
//! Every disk is a separate queue. Work that many operations share evenly (streams with read-ahead,
//! transaction groups) is a demand on all disks of a pool; work that an operation waits for is an
//! [`Access`]: commands at single devices, drawn at random or, for a mirror, at the copy with the shorter
//! queue.

use bandgraph_hardware::DrivePart;
use bandgraph_units::{Bytes, Time};

/// Maximum bytes of one log command (`SPA_MAXBLOCKSIZE` of 2009).
pub const LOG_LARGEST: f64 = 131_072.0;
/// Position of the log on a disk, as a share of its span: one position for all of its blocks.
pub const LOG_PLACE: f64 = 0.5;
/// Bytes that a drive writes to one die before the next one: a page of TLC flash (an assumption).
pub(super) const FLASH_PAGE: f64 = 16_384.0;
/// Minimum bytes of a log write.
pub(super) const LOG_BLOCK: f64 = 4096.0;

/// Identical devices with the same load: the disks of one part in a pool, or one SSD.
#[derive(Clone, Debug, PartialEq)]
pub struct Bank {
    /// The device.
    pub part: DrivePart,
    /// Number of devices.
    pub devices: usize,
    /// Number of consecutive devices in a group: copies of a mirror, or the columns of a RAID-Z record.
    pub group: usize,
    /// Whether all devices of a group hold the same data.
    pub mirrored: bool,
    /// Share of each device that contains the data.
    pub span: f64,
    /// Commands that are ordered by place before they come to the device, those in its queue included; 0 if
    /// they come in the order of their arrival.
    pub sorted: f64,
    /// Resources of the busy time: one per device, or one that represents all.
    pub resources: Vec<usize>,
    /// Units of that resource per second of busy time of one device, if it had a resource of its own.
    pub per_second: f64,
    /// Seconds per command of a stream or of a transaction group on one of them, or for a part of it before
    /// which flash takes no other command.
    pub run_seconds: f64,
}

impl Bank {
    /// Units of its resource per second of busy time of one device.
    pub fn units(&self) -> f64 {
        self.per_second * self.resources.len() as f64 / self.devices as f64
    }

    /// Whether a read can be served by any device of a group.
    pub fn reads_any(&self) -> bool {
        self.mirrored && self.group > 1
    }

    /// The most commands that a device has to choose from.
    pub fn depth(&self) -> f64 {
        self.sorted.max(self.part.queue_depth() as f64)
    }

    /// Mean seconds of one command if the device chooses from `queue` commands, or of one of `queue` commands
    /// to a log that come together. Commands to a log flush the device.
    pub fn seconds(&self, command: &Command, queue: f64) -> f64 {
        let flush = if command.log {
            self.part.flush_time().get()
        } else {
            0.0
        };
        self.seconds_without_flush(command, queue) + flush
    }

    fn seconds_without_flush(&self, command: &Command, queue: f64) -> f64 {
        if command.bytes <= 0.0 {
            return 0.0;
        }
        let bytes = Bytes::new(command.bytes);
        match &self.part {
            // The log's blocks are adjacent.
            DrivePart::Disk(disk) if command.log => disk.next_tracks(bytes, queue).get(),
            part => {
                let kind = (command.write, command.random);
                part.queued_access(kind, bytes, self.span, (queue, self.sorted))
                    .get()
            }
        }
    }

    /// The positioning times of commands that come to it at random places.
    pub fn positionings(&self) -> Positionings {
        let DrivePart::Disk(disk) = &self.part else {
            return Positionings::default();
        };
        let last = (2.0 * libm::log2(self.depth())).ceil() as i32;
        let at = |place| disk.positioning(self.span, libm::exp2(f64::from(place) / 2.0), self.sorted);
        Positionings {
            seconds: (0..=last).map(|place| at(place).get()).collect(),
        }
    }

    /// [`Self::seconds`] with positioning times that were computed before.
    pub fn seconds_at(&self, command: &Command, queue: f64, positionings: &Positionings) -> f64 {
        match &self.part {
            DrivePart::Disk(disk) if !command.log => {
                positionings.at(queue) + command.bytes / disk.average_rate(self.span).get()
            }
            _ => self.seconds(command, queue),
        }
    }

    /// Seconds that a command waits in addition to its service, while the device serves others.
    pub fn delay(&self, command: &Command) -> f64 {
        match &self.part {
            DrivePart::Ssd(_) if command.bytes <= 0.0 => 0.0,
            DrivePart::Ssd(ssd) if command.write => {
                let time = Time::new(self.seconds_without_flush(command, 1.0));
                ssd.write_delay(Bytes::new(command.bytes), time).get()
            }
            part => part.read_delay().get(),
        }
    }

    /// Coefficient of variation of [`Self::delay`].
    pub fn delay_variation(&self, command: &Command) -> f64 {
        self.part.delay_variation(command.write)
    }

    /// Dies that a command finds data on.
    pub fn pages(&self, command: &Command) -> f64 {
        (command.bytes / FLASH_PAGE).ceil().max(1.0)
    }

    /// Additional time of a log command after another command, if the device chooses from `queue` commands:
    /// the arm returns to [`LOG_PLACE`].
    pub fn detour(&self, queue: f64, positionings: &Positionings) -> f64 {
        match &self.part {
            DrivePart::Disk(disk) => {
                let queue = queue.min(self.part.queue_depth() as f64);
                disk.detour(self.span, Time::new(positionings.at(queue))).get()
            }
            DrivePart::Ssd(_) => 0.0,
        }
    }

    /// Maximum time of a log command: a whole revolution of a disk.
    pub(super) fn slowest(&self, command: &Command) -> f64 {
        let turn = match &self.part {
            DrivePart::Disk(disk) => disk.rotational_latency().get(),
            DrivePart::Ssd(_) => 0.0,
        };
        self.seconds(command, 1.0) + turn
    }

    /// Squared coefficient of variation of that time, for a device with a single command.
    pub fn variation(&self, command: &Command) -> f64 {
        let mean = self.seconds(command, 1.0);
        if mean > 0.0 {
            self.part.access_variance(self.span) / (mean * mean)
        } else {
            0.0
        }
    }
}

/// Mean seconds of a disk from one command to the sector of the next at a random place
/// ([`positioning`](bandgraph_hardware::DiskPart::positioning)), by the number of commands that it chooses
/// from: 1, and each power of the root of 2 up to its depth. Between these the logarithm of the number
/// decides, within 0.3 %.
#[derive(Clone, Debug, Default)]
pub struct Positionings {
    seconds: Vec<f64>,
}

impl Positionings {
    /// Whether none were computed, or the drive has no arm.
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }

    /// The seconds with a choice of `queue` commands; zero for a drive without an arm.
    pub fn at(&self, queue: f64) -> f64 {
        let Some(last) = self.seconds.len().checked_sub(1) else {
            return 0.0;
        };
        let place = (2.0 * libm::log2(queue.max(1.0))).min(last as f64);
        let before = place.floor() as usize;
        let (from, to) = (self.seconds[before], self.seconds[(before + 1).min(last)]);
        from + (to - from) * (place - before as f64)
    }
}

/// A command to a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// To the device; otherwise from it.
    pub write: bool,
    /// To the log, whose blocks are contiguous.
    pub log: bool,
    /// At a random place, not after the command before it.
    pub random: bool,
    /// Bytes; zero for a flush of the write cache alone, which is a command to the log.
    pub bytes: f64,
}

impl Command {
    /// A command for data in its place.
    pub const fn for_data(write: bool, random: bool, bytes: f64) -> Self {
        Self {
            write,
            log: false,
            random,
            bytes,
        }
    }

    /// The same command for other bytes.
    #[must_use]
    pub const fn of(self, bytes: f64) -> Self {
        Self { bytes, ..self }
    }
}

/// The devices of a group that a command goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Devices {
    /// The one with the shortest queue.
    Shortest,
    /// Several, each with its own command, in parallel.
    Several(usize),
}

impl Devices {
    /// Commands to one group.
    pub fn count(self) -> usize {
        match self {
            Self::Shortest => 1,
            Self::Several(several) => several,
        }
    }
}

/// Commands that an operation waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Banks with their shares of the commands; the sum is 1.
    pub banks: Vec<(usize, f64)>,
    /// Sequential repetitions; not necessarily whole.
    pub rounds: f64,
    /// Parallel groups of devices; not necessarily whole, at least 1.
    pub groups: f64,
    /// Whether they are neighbours, the first of them drawn at random, so that no two commands meet at one
    /// device as long as there are as many groups. Otherwise each is drawn.
    pub neighbours: bool,
    /// Which devices of a group.
    pub devices: Devices,
    /// The command of each device.
    pub command: Command,
}

/// A wait of an operation for devices.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// For its own commands.
    Access(Access),
    /// For bytes to be in the log of a pool.
    Log {
        /// Index into the logs of the bound scenario.
        log: usize,
        /// Bytes; zero for a flush of the devices, after a write in place.
        bytes: f64,
        /// The number of times that the pool, or other servers, log these bytes for the operation.
        count: f64,
    },
}

impl Wait {
    /// Whether it is for a log.
    pub fn is_for(&self, number: usize) -> bool {
        matches!(self, &Self::Log { log, .. } if log == number)
    }
}

/// The log of a pool, or the equal logs of its drives: waiting writes are combined.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// The number of logs. If there are several, each is on a device of its own among those of `on_disks`,
    /// in turn.
    pub logs: usize,
    /// Writes of the least size after the blocks of a batch, each after the one before it.
    pub more_writes: f64,
    /// The log devices, each a separate bank; empty if the log is on the disks.
    pub devices: Vec<usize>,
    /// Bytes that the log devices take together in the time of the disks for any number of blocks. What
    /// waits beyond that goes to the disks. (A constant in the ZFS of 2009: 1 MiB, `slog_limit` of `zil.c`.
    /// Its dependence on the devices is an assumption.)
    pub devices_most: f64,
    /// The write of a block to the disks of the pool; `bytes` are those of a full block on one of them.
    pub on_disks: Access,
    /// Bytes on one disk per byte of a block.
    pub share_on_disk: f64,
    /// Bytes of a batch in addition to those of its operations, if these have any.
    pub commit_bytes: f64,
    /// Groups of disks, all of which a batch without bytes flushes.
    pub groups: f64,
}

impl Log {
    /// Commands to groups of disks for a batch of `bytes`, and the bytes of each: none if it is only flushed.
    pub fn blocks_on_disks(&self, bytes: f64) -> (f64, f64) {
        if bytes > 0.0 {
            Self::blocks(bytes + self.commit_bytes)
        } else {
            (self.groups, 0.0)
        }
    }

    /// The number of logs that an operation waits for, and its bytes in each: what one log has several times
    /// is one entry.
    pub fn entries(&self, bytes: f64, count: f64) -> (f64, f64) {
        if self.logs == 1 {
            (1.0, bytes * count)
        } else {
            (count, bytes)
        }
    }

    /// The least write of a log.
    pub fn least(&self) -> Command {
        self.on_disks.command.of(LOG_BLOCK)
    }

    /// Blocks of a batch of `bytes`, and the bytes of each.
    pub fn blocks(bytes: f64) -> (f64, f64) {
        let blocks = (bytes / LOG_LARGEST).ceil().max(1.0);
        (blocks, (bytes / blocks / LOG_BLOCK).ceil().max(1.0) * LOG_BLOCK)
    }

    /// The mean over batches whose bytes are uniformly distributed around `bytes` with a standard
    /// deviation. If that is above zero, the blocks are a continuous function of the bytes: a steady state
    /// needs that, because the bytes of its batches follow from their duration.
    pub fn mean_blocks(bytes: f64, deviation: f64) -> (f64, f64) {
        let width = deviation * 12.0_f64.sqrt();
        let blocks = mean_ceiling(bytes / LOG_LARGEST, width / LOG_LARGEST).max(1.0);
        let each = mean_ceiling(bytes / blocks / LOG_BLOCK, width / blocks / LOG_BLOCK);
        (blocks, each.max(1.0) * LOG_BLOCK)
    }

    /// The mean over blocks whose bytes are uniformly distributed around `bytes` with a standard deviation.
    pub fn mean_block(bytes: f64, deviation: f64) -> f64 {
        let width = deviation * 12.0_f64.sqrt();
        let each = mean_ceiling(bytes / LOG_BLOCK, width / LOG_BLOCK).max(1.0) * LOG_BLOCK;
        each.min(LOG_LARGEST)
    }

    /// Mean number of operations, of `bytes` with a standard deviation, that fit into a block: at
    /// least one, and a continuous function of the bytes if the deviation is above zero.
    pub fn fit_into_block(bytes: f64, deviation: f64) -> f64 {
        let mean = LOG_LARGEST / bytes;
        let fit = if deviation > 0.0 {
            mean_ceiling(mean, (12.0 * mean).sqrt() * deviation / bytes) - 1.0
        } else {
            (mean + ROUNDING * mean).floor()
        };
        fit.max(1.0)
    }
}

/// Relative rounding error of sums.
const ROUNDING: f64 = 1e-9;

/// The mean of rounded-up numbers, uniformly distributed around `x` over a width.
fn mean_ceiling(x: f64, width: f64) -> f64 {
    if width <= ROUNDING * x {
        return (x - ROUNDING * x).ceil();
    }
    // The integral of the rounded-up numbers from 0 to `end`.
    let integral = |end: f64| {
        let whole = end.floor();
        whole * (whole + 1.0) / 2.0 + (whole + 1.0) * (end - whole)
    };
    (integral(x + width / 2.0) - integral(x - width / 2.0)) / width
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against batches of operations of two sizes that are drawn until the next one does not fit.
    #[test]
    fn as_many_operations_fit_into_a_block_as_into_drawn_ones() {
        let mut random = 1_u64;
        let mut draw = || {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as f64 / f64::from(1_u32 << 31)
        };
        for (small, large, share) in [
            (4096.0, 16384.0, 0.5),
            (512.0, 12288.0, 0.3),
            (8192.0, 20480.0, 0.9),
        ] {
            let mean = share * small + (1.0 - share) * large;
            let deviation = f64::sqrt(share * (1.0 - share)) * (large - small);
            let mut fit = 0.0;
            for _ in 0..20_000 {
                let mut bytes = 0.0;
                loop {
                    bytes += if draw() < share { small } else { large };
                    if bytes > LOG_LARGEST {
                        break;
                    }
                    fit += 1.0 / 20_000.0;
                }
            }
            let found = Log::fit_into_block(mean, deviation);
            assert!(
                (found - fit).abs() < 0.03 * fit,
                "{small} and {large}: {found}, drawn {fit}"
            );
        }
    }

    #[test]
    fn operations_of_one_size_fill_a_block_as_whole_ones() {
        for (bytes, fit) in [
            (8192.0, 16.0),
            (8192.0 * (1.0 + 1e-12), 16.0),
            (9000.0, 14.0),
            (1e6, 1.0),
        ] {
            assert_eq!(Log::fit_into_block(bytes, 0.0), fit, "{bytes}");
        }
    }

    /// Against single blocks with uniformly distributed sizes; and without a deviation, for one size.
    #[test]
    fn blocks_on_average_are_those_of_many_batches() {
        let deviation = 100_000.0;
        for bytes in [300_000.0, 650_000.0, 2_000_000.0] {
            let span = deviation * 12.0_f64.sqrt();
            let sizes = (0..100_000).map(|size| bytes + span * ((f64::from(size) + 0.5) / 1e5 - 0.5));
            let blocks = sizes.map(|size| Log::blocks(size).0).sum::<f64>() / 1e5;
            let (found, each) = Log::mean_blocks(bytes, deviation);
            assert!(
                (found - blocks).abs() < 1e-3 * blocks,
                "{bytes}: {found} and {blocks}"
            );
            assert!(
                found * each >= bytes && found * each < bytes + 2.0 * found * LOG_BLOCK,
                "{each}"
            );
            assert_eq!(Log::mean_blocks(bytes, 0.0), Log::blocks(bytes));
        }
    }

    /// By hand: 100 writes of 8 KiB with their headers are 838,400 bytes: 7 blocks of 30 sectors of 4 KiB.
    #[test]
    fn what_waits_together_is_cut_into_blocks() {
        assert_eq!(Log::blocks(8384.0), (1.0, 12_288.0));
        assert_eq!(Log::blocks(838_400.0), (7.0, 122_880.0));
        assert_eq!(Log::blocks(1.0), (1.0, 4096.0));
    }
}
