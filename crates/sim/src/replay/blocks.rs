//! What the cache answers of a trace, block by block.
//!
//! Every block that a record touches goes through the replacement policy. Where the cache holds very many blocks, a sample of
//! them stands for all, through a cache that is smaller by the same factor (Waldspurger et al., "Efficient MRC construction
//! with SHARDS", FAST 2015): a block is in the sample or not by the hash of its number, so that all uses of it are seen; for
//! the others the share of hits in the sample decides.

use bandgraph_workload::trace::Record;
use bandgraph_workload::{DataDirection, OperationKind};

use crate::storage::replay::{BlockCache, Replacement};

/// The most blocks that the cache here has, ghosts not counted: what keeps a replay below 200 MB.
const MOST_BLOCKS: f64 = 262_144.0;
/// The most blocks of one record that are looked at; of a longer one, as many, evenly.
const MOST_OF_RECORD: u64 = 64;

/// The cache as a trace sees it.
pub(super) struct Blocks {
    cache: BlockCache,
    block: u64,
    /// Bits of a block's hash that are zero for those in the sample.
    mask: u64,
    /// Share of hits among the reads of the sample, lately.
    lately: f64,
    /// Parts of reads that missed and have not been told yet.
    carried: f64,
    /// Blocks read, and those of them that were there.
    read: u64,
    hits: u64,
}

impl Blocks {
    /// An empty cache of so many bytes, in blocks of so many.
    pub(super) fn new(policy: Replacement, capacity: f64, block: f64) -> Self {
        let blocks = capacity / block;
        let mut mask = 0_u64;
        while blocks / (mask + 1) as f64 > MOST_BLOCKS {
            mask = 2 * mask + 1;
        }
        Self {
            cache: BlockCache::new(policy, (blocks / (mask + 1) as f64) as usize),
            block: block as u64,
            mask,
            lately: 0.0,
            carried: 0.0,
            read: 0,
            hits: 0,
        }
    }

    /// Whether a sample of the blocks stands for all.
    pub(super) fn is_sampled(&self) -> bool {
        self.mask > 0
    }

    /// Share of the blocks read that were there.
    pub(super) fn hit_rate(&self) -> f64 {
        if self.read == 0 {
            1.0
        } else {
            self.hits as f64 / self.read as f64
        }
    }

    /// Bytes of all blocks that the cache still knows of, dropped ones included: all that were touched, as long as those are
    /// no more than twice what it holds.
    pub(super) fn touched(&self) -> f64 {
        self.cache.known() as f64 * (self.mask + 1) as f64 * self.block as f64
    }

    /// Lets a record through; whether it counts as one that the cache did not answer. Of records that it answers in part,
    /// as many count as make up the parts.
    pub(super) fn miss(&mut self, record: &Record) -> bool {
        if record.operation.data() == DataDirection::None || record.bytes == 0 {
            return false;
        }
        let first = record.offset / self.block;
        let last = (record.offset + record.bytes - 1) / self.block;
        let stride = (last - first) / MOST_OF_RECORD + 1;
        let (mut looked, mut missed) = (0_u64, 0.0);
        let mut block = first;
        while block <= last {
            missed += self.access(hash(record.file, block), record.operation);
            looked += 1;
            block = block.saturating_add(stride);
        }
        self.tell(missed / looked as f64)
    }

    /// Whether a thing that fills one block is missing, which then is there.
    pub(super) fn miss_one(&mut self, thing: u64) -> bool {
        let missed = self.access(hash(thing, 0), OperationKind::Read);
        self.tell(missed)
    }

    /// Whether something counts as missed, of which such a part is: as many count as make up the parts.
    fn tell(&mut self, missed: f64) -> bool {
        self.carried += missed;
        let misses = self.carried >= 1.0 - 1e-9;
        if misses {
            self.carried -= 1.0;
        }
        misses
    }

    /// The part of a block that is not there, which then is.
    fn access(&mut self, block: u64, operation: OperationKind) -> f64 {
        let is_read = operation == OperationKind::Read;
        let sampled = block & self.mask == 0;
        let there = if sampled {
            f64::from(u8::from(self.cache.access(block)))
        } else {
            self.lately
        };
        if is_read && sampled {
            self.read += 1;
            self.hits += there as u64;
            self.lately += (there - self.lately) / (self.read as f64).min(10_000.0);
        }
        1.0 - there
    }
}

/// A number for a block of a file, all of whose bits depend on all of both.
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

    #[test]
    fn the_second_time_it_is_there() {
        let mut blocks = Blocks::new(Replacement::Arc, 4096.0 * 100.0, 4096.0);
        assert!(blocks.miss(&read(5, 1)));
        assert!(!blocks.miss(&read(5, 1)));
        assert_eq!(blocks.hit_rate(), 0.5);
        // Half of each of these is there: one of two counts as a miss.
        let misses = (0..10)
            .filter(|at| blocks.miss(&read(100 + 2 * at, 1)) && blocks.miss(&read(100 + 2 * at, 2)))
            .count();
        assert_eq!(misses, 5);
    }

    /// Uniform reads of four times what fits hit a quarter, exactly or by a sample.
    #[test]
    fn a_sample_stands_for_all() {
        for (fits, sampled) in [(50_000.0, false), (2_000_000.0, true)] {
            let mut blocks = Blocks::new(Replacement::Lru, 4096.0 * fits, 4096.0);
            assert_eq!(blocks.is_sampled(), sampled);
            let mut state = 1_u64;
            let mut draw = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % (4.0 * fits) as u64
            };
            // Fill it: five times what fits.
            for _ in 0..(5.0 * fits) as u64 {
                blocks.miss(&read(draw(), 1));
            }
            let count = 400_000;
            let misses = (0..count).filter(|_| blocks.miss(&read(draw(), 1))).count();
            let rate = misses as f64 / f64::from(count);
            assert!((rate - 0.75).abs() < 0.01, "{fits}: {rate}");
        }
    }
}
