//! The data cache of a replay, block by block.
//!
//! Every block that a record touches goes through the replacement policy. For a cache with very many blocks,
//! a sample of the blocks goes through a cache that is smaller by the same factor (Waldspurger et al.,
//! "Efficient MRC construction with SHARDS", FAST 2015): the hash of its number decides whether a block is in
//! the sample, so that all its uses are seen. For the other blocks, the recent hit rate of the sample
//! decides.

use bandgraph_model::Answer;
use bandgraph_model::storage::replay::{BlockCache, Replacement};
use bandgraph_workload::Record;
use bandgraph_workload::{DataDirection, OperationKind};

use super::devices::Devices;

/// Maximum number of blocks in the simulated cache (without ghosts) and on cache devices; it keeps a replay
/// below 200 MB.
const MOST_BLOCKS: f64 = 262_144.0;
/// Maximum number of blocks per record that are looked up; a longer record is sampled evenly.
const MOST_OF_RECORD: u64 = 64;

/// Sizes of a cache, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) dram: f64,
    pub(super) block: f64,
    /// Cache devices; zero without any.
    pub(super) devices: f64,
    /// Feed rate of the cache devices per second, and the additional rate until DRAM has been full.
    pub(super) feed: f64,
    pub(super) boost: f64,
}

impl Sizes {
    /// Sizes of a cache without devices.
    pub(super) fn of_dram(dram: f64, block: f64) -> Self {
        Self {
            dram,
            block,
            devices: 0.0,
            feed: 0.0,
            boost: 0.0,
        }
    }
}

/// The cache of a replay.
pub(super) struct Blocks {
    cache: BlockCache,
    devices: Option<Devices>,
    block: u64,
    /// Hash bits that are zero for blocks in the sample.
    mask: u64,
    /// Recent miss shares of reads in the sample.
    lately: Part,
    /// Fractions of misses not yet reported for a record.
    carried: Part,
    /// Blocks read, and how many of them hit.
    read: u64,
    hits: u64,
    device_hits: u64,
}

/// Shares that miss DRAM: 0 to 1 each, at most 1 in total per block.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    disks: f64,
    devices: f64,
}

impl Blocks {
    /// An empty cache of the given sizes.
    pub(super) fn new(policy: Replacement, sizes: Sizes) -> Self {
        let blocks = sizes.dram / sizes.block;
        let most = blocks.max(sizes.devices / sizes.block);
        let mut mask = 0_u64;
        while most / (mask + 1) as f64 > MOST_BLOCKS {
            mask = 2 * mask + 1;
        }
        let sampled = (mask + 1) as f64;
        let capacity = (blocks / sampled) as usize;
        let each = sizes.block * sampled;
        Self {
            cache: BlockCache::new(policy, capacity),
            devices: (sizes.devices >= each).then(|| {
                Devices::new(
                    (sizes.devices / each) as usize,
                    capacity,
                    [sizes.feed / each, sizes.boost / each],
                )
            }),
            block: sizes.block as u64,
            mask,
            // The cache is empty at first.
            lately: Part {
                disks: 1.0,
                devices: 0.0,
            },
            carried: Part::default(),
            read: 0,
            hits: 0,
            device_hits: 0,
        }
    }

    /// Whether only a sample of the blocks is simulated.
    pub(super) fn is_sampled(&self) -> bool {
        self.mask > 0
    }

    /// Share of the blocks read that hit DRAM.
    pub(super) fn hit_rate(&self) -> f64 {
        if self.read == 0 {
            1.0
        } else {
            self.hits as f64 / self.read as f64
        }
    }

    /// Share of the blocks read that missed DRAM and hit a cache device.
    pub(super) fn device_hit_rate(&self) -> f64 {
        self.device_hits as f64 / self.read.max(1) as f64
    }

    /// Bytes on the cache devices.
    pub(super) fn held_by_devices(&self) -> f64 {
        let held = self.devices.as_ref().map_or(0, Devices::held);
        held as f64 * (self.mask + 1) as f64 * self.block as f64
    }

    /// Bytes of all blocks known to the policy, including ghosts: the blocks touched, if these are at most
    /// twice its capacity.
    pub(super) fn touched(&self) -> f64 {
        self.cache.known() as f64 * (self.mask + 1) as f64 * self.block as f64
    }

    /// Processes a record at `seconds` after the start and returns the source of its data. Partial hits
    /// accumulate, so that the number of misses is right on average. `sequential` records bypass cache
    /// devices, because they are read ahead.
    pub(super) fn answer(&mut self, record: &Record, sequential: bool, seconds: f64) -> Answer {
        if record.operation.data() == DataDirection::None || record.bytes == 0 {
            return Answer::Dram;
        }
        if let Some(devices) = &mut self.devices {
            devices.feed(seconds, self.cache.len());
        }
        let is_read = record.operation == OperationKind::Read;
        let first = record.offset / self.block;
        let last = (record.offset + record.bytes - 1) / self.block;
        let stride = (last - first) / MOST_OF_RECORD + 1;
        let mut looked = 0_u64;
        let mut missed = Part::default();
        let mut block = first;
        while block <= last {
            let part = self.access(hash(record.file, block), is_read, is_read && !sequential);
            missed.disks += part.disks;
            missed.devices += part.devices;
            looked += 1;
            block = block.saturating_add(stride);
        }
        self.carried.disks += missed.disks / looked as f64;
        self.carried.devices += missed.devices / looked as f64;
        let whole = 1.0 - 1e-9;
        if self.carried.disks >= whole {
            self.carried.disks -= 1.0;
            Answer::Disks
        } else if self.carried.devices >= whole {
            self.carried.devices -= 1.0;
            Answer::Devices
        } else {
            Answer::Dram
        }
    }

    /// Whether an item of one block misses DRAM; it is in DRAM afterwards.
    pub(super) fn miss_one(&mut self, thing: u64) -> bool {
        let missed = self.access(hash(thing, 0), true, false);
        self.carried.disks += missed.disks;
        let misses = self.carried.disks >= 1.0 - 1e-9;
        if misses {
            self.carried.disks -= 1.0;
        }
        misses
    }

    /// Miss shares of a block, which is in DRAM afterwards. Cache devices serve only `random` reads.
    fn access(&mut self, block: u64, is_read: bool, random: bool) -> Part {
        if block & self.mask != 0 {
            return self.lately;
        }
        let hit = self.cache.access(block);
        let devices = self.devices.as_mut().filter(|_| random && !hit);
        let on_devices = devices.is_some_and(|devices| devices.look_up(block));
        let part = Part {
            disks: f64::from(u8::from(!hit && !on_devices)),
            devices: f64::from(u8::from(on_devices)),
        };
        if is_read {
            self.read += 1;
            self.hits += u64::from(hit);
            self.device_hits += u64::from(on_devices);
            let step = 1.0 / (self.read as f64).min(10_000.0);
            self.lately.disks += (part.disks - self.lately.disks) * step;
            self.lately.devices += (part.devices - self.lately.devices) * step;
        }
        part
    }
}

/// Hash of a block of a file; every bit depends on all bits of both numbers.
fn hash(file: u64, block: u64) -> u64 {
    let mut z = file ^ block.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: u64, blocks: u64) -> Record {
        Record {
            start_ns: 0,
            latency_ns: None,
            client: 0,
            file: 1,
            operation: OperationKind::Read,
            offset: block * 4096,
            bytes: blocks * 4096,
            stable: false,
        }
    }

    /// Sizes in blocks of 4 KiB: DRAM, and cache devices without a limit of the feed rate.
    fn sizes(dram: f64, devices: f64) -> Sizes {
        Sizes {
            dram: 4096.0 * dram,
            block: 4096.0,
            devices: 4096.0 * devices,
            feed: f64::INFINITY,
            boost: 0.0,
        }
    }

    /// Whether disks serve the record.
    fn misses(blocks: &mut Blocks, record: &Record) -> bool {
        blocks.answer(record, false, 0.0) == Answer::Disks
    }

    #[test]
    fn the_second_time_it_is_there() {
        let mut blocks = Blocks::new(Replacement::Arc, sizes(100.0, 0.0));
        assert!(misses(&mut blocks, &read(5, 1)));
        assert!(!misses(&mut blocks, &read(5, 1)));
        assert_eq!(blocks.hit_rate(), 0.5);
        // Half of each record hits: one of two counts as a miss.
        let missed = (0..10)
            .filter(|at| {
                misses(&mut blocks, &read(100 + 2 * at, 1)) && misses(&mut blocks, &read(100 + 2 * at, 2))
            })
            .count();
        assert_eq!(missed, 5);
    }

    /// Uniform reads over four times the capacity have a hit rate of a quarter, exactly and with a sample.
    #[test]
    fn a_sample_stands_for_all() {
        for (fits, sampled) in [(50_000.0, false), (2_000_000.0, true)] {
            let mut blocks = Blocks::new(Replacement::Lru, sizes(fits, 0.0));
            assert_eq!(blocks.is_sampled(), sampled);
            let mut state = 1_u64;
            let mut draw = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % (4.0 * fits) as u64
            };
            // Fill the cache: five times its capacity.
            for _ in 0..(5.0 * fits) as u64 {
                misses(&mut blocks, &read(draw(), 1));
            }
            let count = 400_000;
            let missed = (0..count)
                .filter(|_| misses(&mut blocks, &read(draw(), 1)))
                .count();
            let rate = missed as f64 / f64::from(count);
            assert!((rate - 0.75).abs() < 0.01, "{fits}: {rate}");
        }
    }
}
