//! Solid-state drives: the time of a command is a fixed time plus the time of its bytes.
//!
//! The two published figures, the rate of large transfers and the rate of small commands, determine both
//! terms.

use bandgraph_units::{Bytes, Time};

use crate::card::SMALL_COMMAND;
use crate::parts::SsdPart;

impl SsdPart {
    /// The number of concurrent small reads that keep the device busy: one per active die.
    pub(crate) fn at_once(&self) -> usize {
        1 + (self.read_latency.get() / self.read(SMALL_COMMAND).get()) as usize
    }

    /// Time of a read.
    pub fn read(&self, bytes: Bytes) -> Time {
        self.read_time + Time::new(bytes.get() / self.read_rate.get())
    }

    /// Time of a write, until the data is on stable storage.
    pub fn write(&self, bytes: Bytes) -> Time {
        self.write_time + Time::new(bytes.get() / self.write_rate.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::Card;
    use crate::{DrivePart, catalogue};

    /// By hand: 1.5 million reads/s of 80 µs each are 120 at a time. A device without a latency of its own
    /// serves one at a time.
    #[test]
    fn as_many_reads_are_at_a_time_as_keep_it_busy() {
        let nvme = catalogue()
            .nvme("samsung-pm1733-3tb84")
            .expect("in the catalogue");
        let Some(DrivePart::Ssd(ssd)) = nvme.drive() else {
            unreachable!("it is flash");
        };
        let lone = nvme.read_latency.get() * nvme.read_operations.get();
        assert!(
            (ssd.at_once() as f64 - lone).abs() <= 1.0,
            "{} of {lone}",
            ssd.at_once()
        );
        assert_eq!(
            catalogue()
                .ssd("zeusiops-18gb")
                .expect("in the catalogue")
                .at_once(),
            1
        );
    }

    /// facts.md, Storage: 3,300 synchronous writes/s of 8 KiB, and about 110 MB/s.
    #[test]
    fn the_log_device_writes_as_fast_as_said() {
        let device = catalogue().ssd("zeusiops-18gb").expect("in the catalogue");
        let small = 1.0 / device.write(Bytes::new(8192.0)).get();
        assert!((small / 3300.0 - 1.0).abs() < 0.001, "{small}");
        let long = 1e9 / device.write(Bytes::new(1e9)).get();
        assert!((long / 110e6 - 1.0).abs() < 0.001, "{long}");
    }
}
