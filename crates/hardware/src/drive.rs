//! A drive in a bay of a shelf: a rotating disk or a solid-state drive.

use bandgraph_units::{Bandwidth, Bytes, Power, Time};

use crate::part::Part;
use crate::parts::{DiskPart, DriveInterface, SsdPart};

/// A rotating disk or a solid-state device.
#[derive(Clone, Debug, PartialEq)]
pub enum DrivePart {
    /// A rotating disk.
    Disk(DiskPart),
    /// A solid-state device.
    Ssd(SsdPart),
}

impl DrivePart {
    /// The part, for access by field names.
    pub fn part(&self) -> &dyn Part {
        match self {
            Self::Disk(disk) => disk,
            Self::Ssd(ssd) => ssd,
        }
    }

    /// The part, for changes by field names.
    pub fn part_mut(&mut self) -> &mut dyn Part {
        match self {
            Self::Disk(disk) => disk,
            Self::Ssd(ssd) => ssd,
        }
    }

    /// Power when idle, and when fully used; unknown if both are zero.
    pub fn power(&self) -> [Power; 2] {
        match self {
            Self::Disk(disk) => [disk.idle_power, disk.active_power],
            Self::Ssd(ssd) => [ssd.idle_power, ssd.active_power],
        }
    }

    /// The technology, as named in reports; `None` for rotating disks.
    pub fn technology(&self) -> Option<String> {
        matches!(self, Self::Ssd(_)).then(|| "SSD".to_owned())
    }

    /// What it speaks.
    pub fn interface(&self) -> DriveInterface {
        match self {
            Self::Disk(disk) => disk.interface,
            Self::Ssd(ssd) => ssd.interface,
        }
    }

    /// Its capacity.
    pub fn capacity(&self) -> Bytes {
        match self {
            Self::Disk(disk) => disk.capacity,
            Self::Ssd(ssd) => ssd.capacity,
        }
    }

    /// Its physical sector. Many solid-state drives report 512 B; ZFS takes 4 KiB for most of those that
    /// it knows (openzfs-disk-database), and so do administrators.
    pub fn sector(&self) -> Bytes {
        match self {
            Self::Disk(disk) => disk.sector,
            Self::Ssd(_) => Bytes::new(4096.0),
        }
    }

    /// The rate for the conversion of busy time: that of its fastest transfers.
    pub fn fastest_rate(&self) -> Bandwidth {
        match self {
            Self::Disk(disk) => disk.outer_rate,
            Self::Ssd(ssd) => ssd.read_rate.max(ssd.write_rate),
        }
    }

    /// Limits its transfers to the rate of what it is connected by.
    pub fn limit_rate(&mut self, rate: Bandwidth) {
        let rates = match self {
            Self::Disk(disk) => [&mut disk.outer_rate, &mut disk.inner_rate],
            Self::Ssd(ssd) => [&mut ssd.read_rate, &mut ssd.write_rate],
        };
        for of_drive in rates {
            *of_drive = of_drive.min(rate);
        }
    }

    /// The latency of a read in addition to the time for which it occupies the drive.
    pub fn read_delay(&self) -> Time {
        match self {
            Self::Disk(_) => Time::ZERO,
            Self::Ssd(ssd) => ssd.read_latency,
        }
    }

    /// Coefficient of variation of the latency of a command in addition to its time.
    pub fn delay_variation(&self, write: bool) -> f64 {
        match self {
            Self::Disk(_) => 0.0,
            Self::Ssd(ssd) if write => ssd.flash.write_variation,
            Self::Ssd(ssd) => ssd.flash.read_variation,
        }
    }

    /// The units of its flash that serve reads, each one at a time; zero for any number, and for disks.
    pub fn read_units(&self) -> usize {
        match self {
            Self::Disk(_) => 0,
            Self::Ssd(ssd) => ssd.flash.read_units as usize,
        }
    }

    /// Time for which a program or an erase keeps reads from a die.
    pub fn program_time(&self) -> Time {
        match self {
            Self::Disk(_) => Time::ZERO,
            Self::Ssd(ssd) => ssd.flash.program_time,
        }
    }

    /// Time of a flush of its write cache. Zero for disks: a synchronous write to a disk is complete when it
    /// is on the platter.
    pub fn flush_time(&self) -> Time {
        match self {
            Self::Disk(_) => Time::ZERO,
            Self::Ssd(ssd) => ssd.flash.flush_time,
        }
    }

    /// Time of one long command for `bytes` at a random place of a `span` of the drive, with `queue` commands
    /// to choose from. Place, span and queue do not matter for a drive without an arm.
    pub fn random_access(&self, write: bool, bytes: Bytes, span: f64, queue: f64) -> Time {
        match self {
            Self::Disk(disk) => disk.random_access(bytes, span, queue),
            Self::Ssd(ssd) if write => ssd.write(bytes),
            Self::Ssd(ssd) => ssd.read(bytes),
        }
    }

    /// Time of one command for `bytes` that follows the previous one sequentially, somewhere in a `span`.
    pub fn next_access(&self, write: bool, bytes: Bytes, span: f64) -> Time {
        match self {
            Self::Disk(disk) => Time::new(bytes.get() / disk.average_rate(span).get()),
            Self::Ssd(_) => self.random_access(write, bytes, span, 1.0),
        }
    }

    /// Time of one command for `bytes` in a `span` with `queue` commands to choose from, of which as many as
    /// `sorted` are ordered by place before they come to the drive, as [`DiskPart::positioning`]. `random`
    /// writes to flash cost garbage collection, those that follow each other none.
    pub fn queued_access(
        &self,
        (write, random): (bool, bool),
        bytes: Bytes,
        span: f64,
        (queue, sorted): (f64, f64),
    ) -> Time {
        match self {
            Self::Disk(disk) => {
                disk.positioning(span, queue, sorted) + Time::new(bytes.get() / disk.average_rate(span).get())
            }
            Self::Ssd(ssd) if write && random => ssd.random_write(bytes, span),
            Self::Ssd(ssd) if write => ssd.write(bytes),
            Self::Ssd(ssd) => ssd.read(bytes),
        }
    }

    /// Variance of the time of one command at a random place of a `span` of the drive, in square seconds.
    pub fn access_variance(&self, span: f64) -> f64 {
        match self {
            Self::Disk(disk) => disk.access_variance(span),
            Self::Ssd(_) => 0.0,
        }
    }

    /// The number of commands that the drive can reorder; at least 1.
    pub fn queue_depth(&self) -> usize {
        match self {
            Self::Disk(disk) => disk.queue_depth.max(1) as usize,
            Self::Ssd(_) => 1,
        }
    }
}

impl From<DiskPart> for DrivePart {
    fn from(disk: DiskPart) -> Self {
        Self::Disk(disk)
    }
}

impl From<SsdPart> for DrivePart {
    fn from(ssd: SsdPart) -> Self {
        Self::Ssd(ssd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    /// By hand: 1 MiB at 250 MB/s after 12.2 µs, and at 170 MB/s after as much. Data sheet: 35,000 reads/s of
    /// 4 KiB, and 75 µs for a single one.
    #[test]
    fn a_device_without_an_arm_tells_reads_from_writes() {
        let ssd = catalogue().ssd("x25-e-32gb").expect("in the catalogue").clone();
        let drive = DrivePart::from(ssd);
        let bytes = Bytes::new(1_048_576.0);
        let read = drive.random_access(false, bytes, 1.0, 1.0).get();
        let write = drive.random_access(true, bytes, 1.0, 32.0).get();
        assert!((read - (12.2e-6 + 1_048_576.0 / 250e6)).abs() < 1e-9, "{read}");
        let small = drive.random_access(false, Bytes::new(4096.0), 1.0, 32.0);
        assert!((small.get() * 35e3 - 1.0).abs() < 2e-3, "{small:?}");
        let lone = small + drive.read_delay();
        assert!((lone.get() / 75e-6 - 1.0).abs() < 2e-3, "{lone:?}");
        assert!((write - (12.2e-6 + 1_048_576.0 / 170e6)).abs() < 1e-9, "{write}");
        assert_eq!(drive.fastest_rate().get(), 250e6);
    }

    #[test]
    fn a_disk_is_what_it_was() {
        let disk = catalogue()
            .disk("sata-1tb-7200")
            .expect("in the catalogue")
            .clone();
        let bytes = Bytes::new(8192.0);
        let alone = disk.random_access(bytes, 1.0, 4.0);
        let drive = DrivePart::from(disk.clone());
        assert_eq!(drive.random_access(true, bytes, 1.0, 4.0), alone);
        assert_eq!(drive.fastest_rate(), disk.outer_rate);
    }
}
