//! Devices that serve commands one at a time, and the commands that operations wait for there.
//!
//! Every disk is a queue of its own. What many operations share evenly, streams that are read ahead and
//! transaction groups, is a demand on all disks of a pool at once; what an operation waits for is an
//! [`Access`]: commands at single devices, drawn at random or, of a mirror, at the copy with the shorter
//! queue.

use bandgraph_hardware::DrivePart;
use bandgraph_units::Bytes;

/// The most that one command writes to the log (`SPA_MAXBLOCKSIZE` of 2009).
pub(super) const LOG_LARGEST: f64 = 131_072.0;
/// Where the log lies on a disk, as a share of its span: one place for all of its blocks.
pub const LOG_PLACE: f64 = 0.5;
/// The least that the log writes.
pub(super) const LOG_BLOCK: f64 = 4096.0;

/// Identical devices that carry the same: the disks of one part in a pool, or one SSD.
#[derive(Clone, Debug, PartialEq)]
pub struct Bank {
    /// What they are.
    pub part: DrivePart,
    /// How many.
    pub devices: usize,
    /// Devices of a group, one after the other: copies of a mirror, or what a record of RAID-Z is spread
    /// over.
    pub group: usize,
    /// Whether every device of a group holds the same.
    pub mirrored: bool,
    /// Share of each device over which the data lies.
    pub span: f64,
    /// Resources that take the busy time: of every device its own, or one that stands for all.
    pub resources: Vec<usize>,
    /// Units of that resource for a second of busy time of one device, if it had a resource of its own.
    pub per_second: f64,
    /// Seconds that a command of a stream or of a transaction group takes on one of them.
    pub run_seconds: f64,
}

impl Bank {
    /// Units on its resource for a second of busy time of one device.
    pub fn units(&self) -> f64 {
        self.per_second * self.resources.len() as f64 / self.devices as f64
    }

    /// Whether a read finds what it needs on any device of a group.
    pub fn reads_any(&self) -> bool {
        self.mirrored && self.group > 1
    }

    /// The resource of a device.
    pub fn resource_of(&self, device: usize) -> usize {
        self.resources[device % self.resources.len()]
    }

    /// Mean seconds of one command when the device has `queue` to choose the next from.
    pub fn seconds(&self, command: &Command, queue: f64) -> f64 {
        let bytes = Bytes::new(command.bytes);
        match &self.part {
            // The log's blocks are neighbours.
            DrivePart::Disk(disk) if command.log => disk.access(bytes, 0.0, 0.0, 0.5).get(),
            part => part.swept_access(command.write, bytes, self.span, queue).get(),
        }
    }

    /// Seconds that a command waits beyond its time in service, in which the device serves others.
    pub fn delay(&self, command: &Command) -> f64 {
        self.part.delay(command.write).get()
    }

    /// Coefficient of variation of that.
    pub fn delay_variation(&self, command: &Command) -> f64 {
        self.part.delay_variation(command.write)
    }

    /// How much longer a command to the log takes after one that is not to the log, where the device has
    /// `queue` to choose the next from: the arm comes back to [`LOG_PLACE`].
    pub fn detour(&self, queue: f64) -> f64 {
        self.part.detour(self.span, queue).get()
    }

    /// The longest that a command to the log takes: a whole revolution, of a disk.
    pub(super) fn slowest(&self, command: &Command) -> f64 {
        let turn = match &self.part {
            DrivePart::Disk(disk) => disk.rotational_latency().get(),
            DrivePart::Ssd(_) => 0.0,
        };
        self.seconds(command, 1.0) + turn
    }

    /// Squared coefficient of variation of that time, for a device with nothing to choose from.
    pub fn variation(&self, command: &Command) -> f64 {
        let mean = self.seconds(command, 1.0);
        if mean > 0.0 {
            self.part.access_variance(self.span) / (mean * mean)
        } else {
            0.0
        }
    }
}

/// A command to a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// To the device, not from it.
    pub write: bool,
    /// To the log, whose blocks lie one behind the other.
    pub log: bool,
    /// Bytes, above zero.
    pub bytes: f64,
}

/// Which devices of a group a command goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Devices {
    /// The one with the shortest queue.
    Shortest,
    /// So many of them, each with a command of its own, at the same time.
    Several(usize),
}

/// Commands that an operation waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Banks, and the share of the commands that goes to each; shares sum to 1.
    pub banks: Vec<(usize, f64)>,
    /// How often, one after the other; not necessarily whole.
    pub rounds: f64,
    /// Groups of devices at the same time, each drawn at random; not necessarily whole, at least 1.
    pub groups: f64,
    /// Which devices of a group.
    pub devices: Devices,
    /// What each of them gets.
    pub command: Command,
}

/// A wait of an operation for devices.
#[derive(Clone, Debug, PartialEq)]
pub enum Wait {
    /// For commands of its own.
    Access(Access),
    /// For so many bytes to be in the log of a pool.
    Log {
        /// The log, as an index into those of the bound scenario.
        log: usize,
        /// Bytes.
        bytes: f64,
    },
}

/// The log of a pool: what waits for it together is written together.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// The log devices, each a bank of its own; none where the log is on the disks.
    pub devices: Vec<usize>,
    /// Bytes that the log devices take together in the time in which the disks take any number of blocks.
    /// What of a batch is above that goes to the disks. (A constant in the ZFS of 2009: 1 MiB, `slog_limit`
    /// of `zil.c`. That it follows the devices is an assumption.)
    pub devices_most: f64,
    /// Writing a block of it to the disks of the pool; `bytes` are those of a full block on one of them.
    pub on_disks: Access,
    /// Bytes on one disk for every byte of a block.
    pub share_on_disk: f64,
}

impl Log {
    /// Blocks of a batch of so many bytes, and the bytes of each.
    pub fn blocks(bytes: f64) -> (f64, f64) {
        let blocks = (bytes / LOG_LARGEST).ceil().max(1.0);
        (blocks, (bytes / blocks / LOG_BLOCK).ceil().max(1.0) * LOG_BLOCK)
    }

    /// The same on average over batches whose bytes are evenly distributed around `bytes` with a standard
    /// deviation. Where that is above zero, a little more in a batch is never much more in blocks: a steady
    /// state needs that, because the bytes of its batches follow from how long they take.
    pub fn mean_blocks(bytes: f64, deviation: f64) -> (f64, f64) {
        let width = deviation * 12.0_f64.sqrt();
        let blocks = mean_ceiling(bytes / LOG_LARGEST, width / LOG_LARGEST).max(1.0);
        let each = mean_ceiling(bytes / blocks / LOG_BLOCK, width / blocks / LOG_BLOCK);
        (blocks, each.max(1.0) * LOG_BLOCK)
    }

    /// What of a batch goes to log devices, and what to the disks.
    pub fn split(&self, bytes: f64) -> (f64, f64) {
        let most = bytes.min(self.devices_most);
        (most, bytes - most)
    }

    /// Bytes that fill a block of every log device: a batch has no more, unless what waits is more than they
    /// take.
    pub fn round(&self) -> f64 {
        self.devices.len() as f64 * LOG_LARGEST
    }
}

/// The mean of numbers rounded up that are evenly distributed around `x`, over a width.
fn mean_ceiling(x: f64, width: f64) -> f64 {
    /// What is rounding of sums.
    const ROUNDING: f64 = 1e-9;
    if width <= ROUNDING * x {
        return (x - ROUNDING * x).ceil();
    }
    // The integral of the numbers rounded up from 0 to `end`.
    let integral = |end: f64| {
        let whole = end.floor();
        whole * (whole + 1.0) / 2.0 + (whole + 1.0) * (end - whole)
    };
    (integral(x + width / 2.0) - integral(x - width / 2.0)) / width
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against blocks of sizes evenly distributed, one by one; and without a deviation, those of one size.
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
