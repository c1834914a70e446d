//! The hit rate of an LRU cache of any size: reuse distances in constant memory.
//!
//! Fixed-size SHARDS with adjustment (Waldspurger, Park, Garthwaite, Ahmad: Efficient MRC Construction with
//! SHARDS, FAST 2015): only blocks whose hash is below a threshold are sampled, and the threshold falls so
//! that at most [`FOLLOWED`] are. Their reuse distances divided by the sampling rate estimate those of all
//! blocks. If there are few blocks, all are sampled and the curve is exact.

use std::collections::{BinaryHeap, HashMap};

use rustc_hash::FxBuildHasher;

use crate::trace::fields::mix;
use bandgraph_workload::OperationKind;
use bandgraph_workload::Record;

/// The block size, in bytes: 4 KiB.
pub const WORKING_SET_BLOCK: u64 = 4096;

/// The maximum part of an operation that is counted, in bytes: 1 GiB, more than any protocol moves in one
/// operation.
pub const LARGEST_LOOKED_AT: u64 = 1 << 30;

/// The maximum number of sampled blocks. The paper finds a mean error of 0.6 % with a quarter of these.
const FOLLOWED: usize = 32_768;

/// The number of access times before they are renumbered.
const TIMES: usize = 4 * FOLLOWED;

/// The number of cache sizes in the curve: powers of two of blocks.
const POINTS: usize = 64;

/// The hit rate of one cache size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CachePoint {
    /// Its size in bytes, a power of two.
    pub bytes: f64,
    /// The hit rate of read data, 0 to 1.
    pub hits: f64,
}

/// Sampled blocks by their last access.
pub(super) struct WorkingSet {
    /// The last access time of each sampled block.
    last: HashMap<u64, usize, FxBuildHasher>,
    /// The hashes of sampled blocks; the largest is removed first.
    hashes: BinaryHeap<u64>,
    /// Blocks with a hash at or above it are not sampled.
    threshold: u128,
    /// The access times that are the last of some block, as a Fenwick tree.
    used: Vec<u32>,
    now: usize,
    /// Weights of reads, by the smallest cache (a power of two of blocks) in which they hit.
    distances: [f64; POINTS],
    weight: f64,
    reads: f64,
}

impl Default for WorkingSet {
    fn default() -> Self {
        Self {
            last: HashMap::default(),
            hashes: BinaryHeap::new(),
            threshold: 1 << 64,
            used: vec![0; TIMES + 1],
            now: 0,
            distances: [0.0; POINTS],
            weight: 0.0,
            reads: 0.0,
        }
    }
}

impl WorkingSet {
    /// Adds a read or write.
    pub(super) fn add(&mut self, record: &Record) {
        let looked_at = record.bytes.min(LARGEST_LOOKED_AT);
        if looked_at == 0 {
            return;
        }
        let read = record.operation == OperationKind::Read;
        let file = mix(record.file);
        let first = record.offset / WORKING_SET_BLOCK;
        let last = (record.offset + (looked_at - 1)) / WORKING_SET_BLOCK;
        for block in first..=last {
            if read {
                self.reads += 1.0;
            }
            let hash = mix(file.wrapping_add(mix(block).rotate_left(1)));
            if u128::from(hash) < self.threshold {
                self.visit(hash, read);
            }
        }
    }

    /// The inverse sampling rate.
    fn scale(&self) -> f64 {
        2_f64.powi(64) / self.threshold as f64
    }

    fn visit(&mut self, hash: u64, read: bool) {
        if self.now == TIMES {
            self.renumber();
        }
        self.now += 1;
        let now = self.now;
        let before = self.last.insert(hash, now);
        if let Some(before) = before {
            // The blocks accessed since, and the block itself.
            let since = self.last.len() - self.used_until(before) + 1;
            self.mark(before, false);
            if read {
                let distance = since as f64 * self.scale();
                let point = libm::log2(distance).ceil().max(0.0) as usize;
                self.distances[point.min(POINTS - 1)] += self.scale();
            }
        } else {
            self.hashes.push(hash);
        }
        if read {
            self.weight += self.scale();
        }
        self.mark(now, true);
        if self.last.len() > FOLLOWED {
            self.lower();
        }
    }

    /// Lowers the threshold: removes the block with the largest hash, and excludes all hashes at or above it.
    fn lower(&mut self) {
        if let Some(largest) = self.hashes.pop() {
            self.threshold = u128::from(largest);
            if let Some(time) = self.last.remove(&largest) {
                self.mark(time, false);
            }
        }
    }

    /// The number of access times up to `time` that are the last of a block.
    fn used_until(&self, mut time: usize) -> usize {
        let mut sum = 0;
        while time > 0 {
            sum += self.used[time] as usize;
            time &= time - 1;
        }
        sum
    }

    fn mark(&mut self, mut time: usize, used: bool) {
        while time <= TIMES {
            self.used[time] = if used {
                self.used[time] + 1
            } else {
                self.used[time] - 1
            };
            time += time & time.wrapping_neg();
        }
    }

    /// Renumbers the last access times without gaps.
    fn renumber(&mut self) {
        let mut order: Vec<(usize, u64)> = self.hashes.iter().map(|hash| (self.last[hash], *hash)).collect();
        order.sort_unstable();
        self.used.fill(0);
        for (time, (_, hash)) in order.iter().enumerate() {
            self.last.insert(*hash, time + 1);
            self.mark(time + 1, true);
        }
        self.now = order.len();
    }

    /// Distinct data, in bytes.
    pub(super) fn footprint(&self) -> f64 {
        self.last.len() as f64 * self.scale() * WORKING_SET_BLOCK as f64
    }

    /// The curve, from one block to the size after which the hit rate does not grow.
    pub(super) fn curve(&self) -> Vec<CachePoint> {
        if self.reads == 0.0 {
            return Vec::new();
        }
        // Very hot blocks, with short distances, cause the sample's excess or deficit of accesses (the
        // paper's adjustment).
        let missing = self.reads - self.weight;
        let last = self.distances.iter().rposition(|weight| *weight > 0.0);
        let mut hits = missing;
        let mut points = Vec::new();
        let mut bytes = WORKING_SET_BLOCK as f64;
        for weight in self.distances.iter().take(last.map_or(0, |last| last + 1)) {
            hits += weight;
            points.push(CachePoint {
                bytes,
                hits: (hits / self.reads).clamp(0.0, 1.0),
            });
            bytes *= 2.0;
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_engine::Streams;

    fn access(operation: OperationKind, block: u64) -> Record {
        Record {
            start_ns: 0,
            latency_ns: None,
            client: 0,
            file: 1,
            operation,
            offset: block * WORKING_SET_BLOCK,
            bytes: WORKING_SET_BLOCK,
            stable: false,
        }
    }

    fn curve(blocks: impl IntoIterator<Item = u64>) -> Vec<CachePoint> {
        let mut set = WorkingSet::default();
        blocks
            .into_iter()
            .for_each(|block| set.add(&access(OperationKind::Read, block)));
        set.curve()
    }

    /// The hits of a simulated LRU cache.
    fn played(blocks: &[u64], capacity: usize) -> f64 {
        let mut cache: Vec<u64> = Vec::new();
        let mut hits = 0;
        for block in blocks {
            if let Some(at) = cache.iter().position(|cached| cached == block) {
                cache.remove(at);
                hits += 1;
            } else if cache.len() == capacity {
                cache.remove(0);
            }
            cache.push(*block);
        }
        f64::from(hits) / blocks.len() as f64
    }

    #[test]
    fn small_traces_are_exact() {
        let mut stream = Streams::new(3).stream("blocks");
        let blocks: Vec<u64> = (0..4000).map(|_| stream.below(20) * stream.below(20)).collect();
        let curve = curve(blocks.iter().copied());
        assert!(curve.len() > 5);
        for point in curve {
            let capacity = (point.bytes / WORKING_SET_BLOCK as f64) as usize;
            assert!((point.hits - played(&blocks, capacity)).abs() < 1e-9, "{point:?}");
        }
    }

    /// A loop has a closed form: a cache of its size hits in all rounds except the first, a smaller one
    /// never.
    #[test]
    fn a_loop_over_more_blocks_than_are_followed() {
        let blocks = 1 << 19;
        let rounds = 4_u64;
        let points = curve((0..rounds).flat_map(|_| 0..blocks));
        let hits = |power: i32| {
            points
                .iter()
                .find(|point| point.bytes == WORKING_SET_BLOCK as f64 * 2_f64.powi(power))
                .map_or(1.0 - 1.0 / rounds as f64, |point| point.hits)
        };
        assert!(hits(17) < 0.02, "{}", hits(17));
        assert!((hits(20) - 0.75).abs() < 0.02, "{}", hits(20));
        let mut set = WorkingSet::default();
        (0..blocks).for_each(|block| set.add(&access(OperationKind::Write, block)));
        let footprint = set.footprint() / (blocks * WORKING_SET_BLOCK) as f64;
        assert!((footprint - 1.0).abs() < 0.02, "{footprint}");
        assert!(set.curve().is_empty(), "nothing was read");
    }

    /// Uniform draws: in a warm cache the hit rate is the share of blocks that it holds.
    #[test]
    fn uniform_draws_hit_by_share() {
        let mut stream = Streams::new(3).stream("blocks");
        let blocks = 1_u64 << 17;
        let points = curve((0..16 * blocks).map(|_| stream.below(blocks)));
        for power in [14, 15, 16] {
            let point = points[power];
            let share = (1_u64 << power) as f64 / blocks as f64;
            // One in sixteen reads is the first of its block.
            assert!((point.hits - share).abs() < 0.02, "{point:?} for {share}");
        }
    }

    #[test]
    fn the_largest_operation_ends() {
        let mut set = WorkingSet::default();
        set.add(&Record {
            bytes: u64::MAX,
            offset: 0,
            ..access(OperationKind::Read, 0)
        });
        assert_eq!(set.reads, (LARGEST_LOOKED_AT / WORKING_SET_BLOCK) as f64);
    }
}
