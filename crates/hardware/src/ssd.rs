//! Solid-state drives: the time of a command is a fixed time plus the time of its bytes.
//!
//! The two published figures, the rate of large transfers and the rate of small commands, determine both
//! terms. Behind this time of the whole drive is that of its flash: each read goes to one die, and meets
//! other reads there, and programs and erases. Random writes cost garbage collection: blocks of which some
//! pages are still valid are copied before they are erased. A drive that takes fewer random writes than reads
//! spends the difference on these copies, which a stream does not need.

use bandgraph_units::{Bytes, Time};

use crate::card::SMALL_COMMAND;
use crate::parts::SsdPart;

impl SsdPart {
    /// Time of a read.
    pub fn read(&self, bytes: Bytes) -> Time {
        self.read_time + Time::new(bytes.get() / self.read_rate.get())
    }

    /// Time of a write that follows the one before it, until the data is on stable storage: it leaves nothing
    /// to copy.
    pub fn write(&self, bytes: Bytes) -> Time {
        self.write_command() + self.stream(bytes)
    }

    /// Time of a write at a random place of a `span` of the drive, whose other data is deleted (trimmed) and
    /// thus spare. The rate of small writes of the part is that of writes all over the drive.
    pub fn random_write(&self, bytes: Bytes, span: f64) -> Time {
        if self.flash.spare <= 0.0 {
            return self.write(bytes);
        }
        let whole = write_amplification(self.flash.spare);
        let copies = self.write_time - self.write_command();
        // Published rates of small writes are right: their drives copy no more than they leave time for.
        let of_small = (copies + self.stream(SMALL_COMMAND)).get() / SMALL_COMMAND.get();
        let copied = Time::new(bytes.get() * (whole / self.write_rate.get()).min(of_small));
        let spared = write_amplification((1.0 + self.flash.spare) / span.clamp(1e-3, 1.0) - 1.0) / whole;
        let at_flash = (copies + self.stream(bytes)).max(copied) * spared;
        self.write_command() + at_flash.max(self.stream(bytes))
    }

    /// What a lone write that takes a `time` waits beyond that, until it is in a buffer that outlasts a power
    /// failure. The buffer does not wait for copies.
    pub fn write_delay(&self, bytes: Bytes, time: Time) -> Time {
        (self.write(bytes) + self.write_latency - time).max(Time::ZERO)
    }

    fn stream(&self, bytes: Bytes) -> Time {
        Time::new(bytes.get() / self.write_rate.get())
    }

    /// Time of a write without its bytes and without copies: the controller takes writes as it takes reads
    /// (an assumption).
    fn write_command(&self) -> Time {
        if self.flash.spare > 0.0 {
            self.write_time.min(self.read_time)
        } else {
            self.write_time
        }
    }
}

/// Pages that a drive writes for each page of uniformly random writes, in its steady state: 1/(1 − *x*),
/// where *x* is the valid share of the block that is erased next. Pages of a block become invalid at random
/// until all blocks have been written once more, so that −ln *x* = (1 + spare)(1 − *x*) (Xiang & Kurkoski,
/// 2011, who write it with the function of Lambert; Desnoyers, 2012).
fn write_amplification(spare: f64) -> f64 {
    let flash = 1.0 + spare;
    // Newton's method on a concave function from below: it converges from one side.
    let mut valid = libm::exp(-flash);
    for _ in 0..50 {
        let error = flash * (1.0 - valid) + libm::log(valid);
        let step = error / (1.0 / valid - flash);
        valid -= step;
        if step.abs() < 1e-12 {
            break;
        }
    }
    1.0 / (1.0 - valid)
}

#[cfg(test)]
mod tests {
    use bandgraph_units::Bandwidth;

    use super::*;
    use crate::card::Card;
    use crate::{AnyPart, DrivePart, Flash, catalogue};

    /// Published (Xiang & Kurkoski, 2011): 2.36 with 30 % of spare flash, 2.35 in their simulations. Against
    /// a simulation of the least recently written block, page by page.
    #[test]
    fn random_writes_copy_what_is_valid() {
        assert!((write_amplification(0.3) - 2.36).abs() < 0.005);
        for (blocks, used) in [(100_u64, 87_u64), (100, 70), (100, 50)] {
            const PAGES: u64 = 128;
            let data = used * PAGES;
            // The block and the pages of each; a page is valid where its data points to it.
            let mut place: Vec<u64> = (0..data).collect();
            let mut held: Vec<Vec<u64>> = vec![Vec::new(); blocks as usize];
            for page in 0..data {
                held[(page / PAGES) as usize].push(page);
            }
            let mut order: std::collections::VecDeque<u64> = (0..blocks).collect();
            order.rotate_left(used as usize);
            let (mut random, mut host, mut written) = (1_u64, 0_u64, 0_u64);
            let mut open = order.pop_front().expect("there are blocks");
            held[open as usize].clear();
            while host < 40 * data {
                if host == 20 * data {
                    written = 0;
                }
                if held[open as usize].len() as u64 == PAGES {
                    order.push_back(open);
                    open = order.pop_front().expect("there are blocks");
                    let old = std::mem::take(&mut held[open as usize]);
                    for (at, page) in old.into_iter().enumerate() {
                        if place[page as usize] == open * PAGES + at as u64 {
                            place[page as usize] = open * PAGES + held[open as usize].len() as u64;
                            held[open as usize].push(page);
                            written += 1;
                        }
                    }
                    continue;
                }
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let page = (random >> 33) % data;
                place[page as usize] = open * PAGES + held[open as usize].len() as u64;
                held[open as usize].push(page);
                (host, written) = (host + 1, written + 1);
            }
            let simulated = written as f64 / (20 * data) as f64;
            let found = write_amplification(blocks as f64 / used as f64 - 1.0);
            assert!(
                (found / simulated - 1.0).abs() < 0.05,
                "{used}: {found} of {simulated}"
            );
        }
    }

    /// Published pairs of drives that differ in their spare flash (3.84 and 3.2 TB of 4 TiB): 170 and 350
    /// thousand random writes/s of the CM6, 200 and 341 of the P5520 and P5620.
    #[test]
    fn spare_flash_brings_random_writes() {
        let mut ssd = SsdPart {
            write_rate: Bandwidth::new(4.2e9),
            read_time: Time::new(0.1e-6),
            flash: Flash {
                spare: 0.145,
                ..Flash::default()
            },
            ..SsdPart::default()
        };
        let small = Bytes::new(4096.0);
        for (more, less, tolerance) in [(350e3, 170e3, 0.05), (341e3, 200e3, 0.25)] {
            ssd.write_time = Time::new(1.0 / less - 4096.0 / 4.2e9);
            let found = 1.0 / ssd.random_write(small, 3.2 / 3.84).get();
            assert!((found / more - 1.0).abs() < tolerance, "{found} of {more}");
            assert!((ssd.random_write(small, 1.0).get() * less - 1.0).abs() < 1e-9);
        }
        // The bytes of large random writes are those of small ones, not those of a stream.
        let [random, sequential] = [ssd.random_write(Bytes::new(1e9), 1.0), ssd.write(Bytes::new(1e9))];
        assert!((random.get() / sequential.get() / write_amplification(0.145) - 1.0).abs() < 0.01);
    }

    /// All solid-state drives of the catalogue.
    fn ssds() -> impl Iterator<Item = SsdPart> {
        let drives = catalogue().iter().filter_map(|part| match part {
            AnyPart::Ssd(ssd) => Some(DrivePart::from(ssd.clone())),
            AnyPart::Nvme(nvme) => nvme.drive(),
            _ => None,
        });
        drives.filter_map(|drive| match drive {
            DrivePart::Ssd(ssd) => Some(ssd),
            DrivePart::Disk(_) => None,
        })
    }

    /// Streams leave nothing to copy. No write, and no part of a drive, is faster than its flash takes bytes.
    #[test]
    fn streams_are_never_slower_than_random_writes() {
        for ssd in ssds() {
            for power in 9..=20 {
                let bytes = Bytes::new(f64::from(1 << power));
                let mut before = ssd.write(bytes);
                assert!(bytes.get() / before.get() <= ssd.write_rate.get(), "{}", ssd.name);
                for span in [1e-3, 0.1, 0.5, 0.9, 1.0] {
                    let random = ssd.random_write(bytes, span);
                    assert!(random >= before, "{}: {bytes:?} of {span}", ssd.name);
                    before = random;
                }
                let [stream, random] =
                    [ssd.write(bytes), before].map(|time| time + ssd.write_delay(bytes, time));
                assert!(
                    stream.get() <= random.get() * (1.0 + 1e-9),
                    "{}: a lone write of {bytes:?}",
                    ssd.name
                );
            }
        }
    }

    /// Published (S. Han, 2014): 926 MB/s of 4 KiB written in sequence by five jobs to a P3700 of 400 GB,
    /// whose data sheet has 1.08 GB/s, 450,000 reads and 75,000 random writes a second.
    #[test]
    fn small_writes_in_sequence_are_a_stream() {
        let part = crate::NvmePart {
            read_rate: Bandwidth::new(2.7e9),
            write_rate: Bandwidth::new(1.08e9),
            read_operations: bandgraph_units::OperationRate::new(450e3),
            write_operations: bandgraph_units::OperationRate::new(75e3),
            ..catalogue()
                .nvme("intel-dc-p3700-800gb")
                .expect("in the catalogue")
                .clone()
        };
        let Some(DrivePart::Ssd(ssd)) = part.drive() else {
            panic!("it is a drive");
        };
        let found = SMALL_COMMAND.get() / ssd.write(SMALL_COMMAND).get();
        assert!((found / 926e6 - 1.0).abs() < 0.05, "{found}");
    }

    /// The dies of every drive serve more small reads than its published rate.
    #[test]
    fn dies_are_enough_for_the_rate_of_reads() {
        let mut with_dies = 0;
        for ssd in ssds() {
            let of_dies = ssd.flash.read_units as f64 / ssd.read_latency.get();
            let needed = 1.2 / ssd.read(SMALL_COMMAND).get();
            assert!(
                ssd.flash.read_units == 0 || of_dies > needed,
                "{}: {of_dies}",
                ssd.name
            );
            with_dies += u32::from(ssd.flash.read_units > 0);
        }
        assert!(with_dies > 50, "{with_dies}");
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
