//! Hit rates of the cache, from working sets and access patterns.
//!
//! These are rates of the steady state, with a cache that has been warm for long. [`warm_up`](super::warm_up)
//! covers caches that start empty.
//!
//! * **All sets fit**: every read hits.
//! * **Random**, uniform over a set that does not fit: all blocks have the same probability of residence, so
//!   the hit rate is cache over set, for any policy.
//! * **Sequential**, a loop over a set that does not fit: least-recently-used replacement evicts every block
//!   just before its next read, and never hits. The hit rate of ARC (Megiddo & Modha, FAST 2003) is found by
//!   a scaled replay of the loop through [`replay`](super::replay): it never hits either, because blocks seen
//!   once fill the cache and leave no space for ghosts (case IV A of the algorithm), which it needs to adapt.
//!
//! [`shares`](super::shares) divides the cache between workloads.

use bandgraph_config::words;
use bandgraph_units::{Bytes, Fraction, Time};
use bandgraph_workload::{AccessPattern, Metadata, Workload};

use super::replay::{BlockCache, Replacement};
use super::warm_up::{CacheStart, Feed, SecondLevel};

/// Number of blocks of the scaled cache for replayed loops.
const SCALED_BLOCKS: usize = 256;
/// Passes of a loop before counting starts, and counted passes.
const WARM_PASSES: usize = 12;
const COUNTED_PASSES: usize = 8;
/// A loop longer than the cache by this factor is forgotten between two passes, including ghosts.
const FORGOTTEN: f64 = 4.0;

/// The cache in DRAM, and the feed of cache devices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheSettings {
    /// The replacement policy.
    pub policy: Replacement,
    /// Its size; if `None`, the DRAM left by the stack.
    pub size: Option<Bytes>,
    /// Contents of the cache and of cache devices at the start of a run.
    pub start: CacheStart,
    /// The feed rate of cache devices.
    pub feed: Feed,
}

words! {
    /// The method that determined a hit rate.
    pub enum HitRateMethod {
        /// Everything fits.
        Fits = "fits": "all working sets fit in the cache",
        /// Cache over set, for uniformly random reads.
        Random = "random": "random reads find what the cache holds of the set",
        /// A loop under least-recently-used replacement never hits.
        LruLoop = "lru_loop": "a loop over more than the cache holds never finds a block under LRU",
        /// A loop, scaled down and replayed through ARC.
        ArcLoop = "arc_loop": "a loop over more than the cache holds, replayed through an adaptive cache",
        /// Reuse distances of a job against the size of the cache.
        Reuse = "reuse": "a job comes back to data within so much other data",
        /// Random reads with caches that were empty at the start of the run: blocks read before hit.
        ColdRandom = "cold_random":
            "random reads find what had been read before, from caches that were empty at the start of the run",
        /// A loop with caches that were empty at the start of the run: no hits in the first pass.
        ColdLoop = "cold_loop":
            "a loop from caches that were empty at the start of the run, the first pass of which finds nothing",
        /// The blocks of a trace, one by one, through the replacement policy.
        Blocks = "blocks":
            "every block of the trace went through the replacement policy, from an empty cache",
        /// A sample of the blocks of a trace, through a cache smaller by the same factor.
        SampledBlocks = "sampled_blocks":
            "a sample of the blocks of the trace went through the replacement policy, from an empty cache",
        /// Given by the scenario.
        Given = "given": "as the scenario says",
        /// Direct I/O: reads bypass the cache.
        Direct = "direct": "direct I/O goes past the cache",
        /// The workload reads and writes no file data.
        NoData = "no_data": "no file data is read or written",
    }
}

/// Cache results of one workload's data, or of its metadata.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheUse {
    /// Bytes that the workload touches; zero if it touches none, or if the amount of metadata is unknown.
    pub working_set: Bytes,
    /// Its part of the cache.
    pub capacity: Bytes,
    /// Share of its reads that hit DRAM.
    pub hit_rate: Fraction,
    /// Share of its reads that hit cache devices.
    pub second_level_hit_rate: Fraction,
    /// Its part of cache devices; `None` if there are none, or it does not use them.
    pub second_level: Option<SecondLevel>,
    /// The method that determined the hit rate.
    pub method: HitRateMethod,
}

/// The part of all cache devices for a workload: bytes, and bytes/s of feed.
#[derive(Clone, Copy)]
pub(super) struct Second {
    pub(super) capacity: f64,
    pub(super) feed: f64,
}

impl Second {
    /// A part of it.
    pub(super) fn part(self, share: f64) -> Self {
        Self {
            capacity: self.capacity * share,
            feed: self.feed * share,
        }
    }
}

/// Cache results of the metadata of a workload: blocks that are touched at random.
pub(super) fn metadata_use(metadata: &Metadata, set: f64, first: f64, second: Second) -> CacheUse {
    let (hit_rate, method) = match metadata.metadata_hit_rate {
        Some(given) => (given.get(), HitRateMethod::Given),
        None if set <= 0.0 => (1.0, HitRateMethod::NoData),
        // Equal within rounding counts as equal.
        None if set <= first * (1.0 + 1e-12) => (1.0, HitRateMethod::Fits),
        None => (first / set, HitRateMethod::Random),
    };
    let devices = match method {
        HitRateMethod::Random => second.capacity.min(set - first),
        _ => 0.0,
    };
    CacheUse {
        working_set: Bytes::new(set),
        capacity: Bytes::new(first),
        hit_rate: Fraction::new(hit_rate),
        second_level_hit_rate: Fraction::new(if devices > 0.0 { devices / set } else { 0.0 }),
        second_level: held(devices, second),
        method,
    }
}

/// The part of cache devices for a workload that uses `used` bytes of them.
fn held(used: f64, second: Second) -> Option<SecondLevel> {
    (used > 0.0).then(|| SecondLevel {
        capacity: Bytes::new(used),
        held: Bytes::new(used),
        fill_time: Time::new(used / second.feed),
    })
}

/// Cache results of the data of a workload with `first` bytes of DRAM: no hits for direct I/O.
pub(super) fn use_of(
    workload: &Workload,
    set: f64,
    first: f64,
    second: Second,
    policy: Replacement,
    jobs: f64,
) -> CacheUse {
    let reuse = workload
        .job
        .as_ref()
        .filter(|job| job.reuse.reuse_distance.is_some());
    let hit = |cache: f64| {
        let rate = reuse.and_then(|job| job.hit_rate(Bytes::new(cache / jobs)));
        rate.map_or(0.0, Fraction::get)
    };
    let given = workload.hit_rate.map_or(0.0, Fraction::get);
    let (hit_rate, method) = match workload.pattern {
        _ if set <= 0.0 => (1.0, HitRateMethod::NoData),
        _ if workload.hit_rate.is_some() => (given, HitRateMethod::Given),
        _ if first <= 0.0 => (0.0, HitRateMethod::Direct),
        _ if reuse.is_some() => (hit(first), HitRateMethod::Reuse),
        // Equal within rounding counts as equal.
        _ if set <= first * (1.0 + 1e-12) => (1.0, HitRateMethod::Fits),
        AccessPattern::Random => (first / set, HitRateMethod::Random),
        AccessPattern::Sequential => match policy {
            Replacement::Lru => (0.0, HitRateMethod::LruLoop),
            Replacement::Arc => (arc_loop(set / first), HitRateMethod::ArcLoop),
        },
    };
    // Streams with read-ahead bypass the cache devices, the default of ZFS.
    let by_chance = |missing: f64| {
        (
            (second.capacity / set).min(1.0 - hit_rate),
            second.capacity.min(missing),
        )
    };
    let (second_level, used) = match method {
        HitRateMethod::Given if workload.pattern == AccessPattern::Random => {
            by_chance(set * (1.0 - hit_rate))
        }
        HitRateMethod::Random => by_chance(set - first),
        HitRateMethod::Reuse => (hit(first + second.capacity) - hit_rate, second.capacity),
        _ => (0.0, 0.0),
    };
    CacheUse {
        working_set: Bytes::new(set),
        capacity: Bytes::new(first),
        hit_rate: Fraction::new(hit_rate),
        second_level_hit_rate: Fraction::new(second_level),
        second_level: held(used, second),
        method,
    }
}

/// Hit rate of ARC in a loop over `length` times the cache.
fn arc_loop(length: f64) -> f64 {
    let passes = arc_passes(length);
    let counted = passes.iter().skip(WARM_PASSES);
    counted.fold(0.0, |sum, rate| sum + rate) / COUNTED_PASSES as f64
}

/// Hit rates of ARC in the passes of such a loop, from an empty cache; empty if it never hits.
pub(super) fn arc_passes(length: f64) -> Vec<f64> {
    if length >= FORGOTTEN {
        return Vec::new();
    }
    let blocks = (length * SCALED_BLOCKS as f64).ceil() as u64;
    let mut cache = BlockCache::new(Replacement::Arc, SCALED_BLOCKS);
    let passes = (0..WARM_PASSES + COUNTED_PASSES).map(|_| {
        cache.reset_counts();
        for block in 0..blocks {
            cache.access(block);
        }
        cache.hit_rate()
    });
    passes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandgraph_workload::{Mix, OperationKind};

    fn workload(pattern: AccessPattern) -> Workload {
        Workload {
            pattern,
            ..Workload::new("w", "c", Mix::single(OperationKind::Read))
        }
    }

    fn second(capacity: f64) -> Second {
        Second { capacity, feed: 2.0 }
    }

    #[test]
    fn what_the_scenario_says_is_taken() {
        for pattern in [AccessPattern::Random, AccessPattern::Sequential] {
            let known = Workload {
                hit_rate: Some(Fraction::new(0.3)),
                ..workload(pattern)
            };
            for set in [50.0, 400.0] {
                let cache = use_of(&known, set, 100.0, second(0.0), Replacement::Arc, 1.0);
                assert_eq!((cache.hit_rate.get(), cache.method), (0.3, HitRateMethod::Given));
            }
        }
    }

    #[test]
    fn direct_reads_find_nothing() {
        for pattern in [AccessPattern::Random, AccessPattern::Sequential] {
            let cache = use_of(
                &workload(pattern),
                50.0,
                0.0,
                second(100.0),
                Replacement::Arc,
                1.0,
            );
            assert_eq!((cache.hit_rate.get(), cache.method), (0.0, HitRateMethod::Direct));
            assert_eq!(cache.second_level_hit_rate.get(), 0.0);
        }
    }

    /// A given rate is that of the DRAM: devices hold as much of the rest as fits.
    #[test]
    fn cache_devices_answer_where_the_rate_of_the_dram_is_given() {
        let known = |pattern| Workload {
            hit_rate: Some(Fraction::new(0.2)),
            ..workload(pattern)
        };
        let random = known(AccessPattern::Random);
        for (capacity, expected) in [(100.0, 0.25), (900.0, 0.8)] {
            let cache = use_of(&random, 400.0, 100.0, second(capacity), Replacement::Arc, 1.0);
            assert_eq!(
                (cache.hit_rate.get(), cache.second_level_hit_rate.get()),
                (0.2, expected)
            );
        }
        let stream = known(AccessPattern::Sequential);
        let cache = use_of(&stream, 400.0, 100.0, second(900.0), Replacement::Arc, 1.0);
        assert_eq!(cache.second_level_hit_rate.get(), 0.0);
    }

    #[test]
    fn random_reads_hit_what_fits() {
        let random = workload(AccessPattern::Random);
        for (set, expected) in [(50.0, 1.0), (100.0, 1.0), (400.0, 0.25)] {
            let cache = use_of(&random, set, 100.0, second(0.0), Replacement::Arc, 1.0);
            assert!((cache.hit_rate.get() - expected).abs() < 1e-12, "{set}");
        }
    }

    /// The closed form against an exact simulation: uniformly random reads replayed through either policy.
    #[test]
    fn random_reads_hit_as_often_when_replayed() {
        for policy in [Replacement::Arc, Replacement::Lru] {
            let mut cache = BlockCache::new(policy, 250);
            let mut state = 12_345_u64;
            for step in 0..200_000 {
                if step == 50_000 {
                    cache.reset_counts();
                }
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                cache.access((state >> 33) % 1000);
            }
            assert!(
                (cache.hit_rate() - 0.25).abs() < 0.01,
                "{policy:?}: {}",
                cache.hit_rate()
            );
        }
    }

    #[test]
    fn loops_that_do_not_fit_are_lost_to_lru_and_in_part_to_arc() {
        let sequential = workload(AccessPattern::Sequential);
        let rate = |set: f64, policy| {
            use_of(&sequential, set, 100.0, second(0.0), policy, 1.0)
                .hit_rate
                .get()
        };
        assert_eq!(rate(101.0, Replacement::Lru), 0.0);
        assert_eq!(rate(100.0, Replacement::Lru), 1.0);
        // No policy can keep more of a loop than fits.
        for set in [110.0, 150.0, 300.0, 1000.0] {
            let rate = rate(set, Replacement::Arc);
            assert!((0.0..=100.0 / set).contains(&rate), "{set}: {rate}");
        }
        assert_eq!(rate(1000.0, Replacement::Arc), 0.0);
        // At the limit of the shortcut, the replay agrees.
        assert!(arc_loop(FORGOTTEN - 0.01) < 0.01);
    }

    #[test]
    fn cache_devices_answer_what_dram_has_no_room_for() {
        let cache = use_of(
            &workload(AccessPattern::Random),
            400.0,
            100.0,
            second(200.0),
            Replacement::Arc,
            1.0,
        );
        assert_eq!(
            (cache.hit_rate.get(), cache.second_level_hit_rate.get()),
            (0.25, 0.5)
        );
        let all = use_of(
            &workload(AccessPattern::Random),
            400.0,
            100.0,
            second(900.0),
            Replacement::Arc,
            1.0,
        );
        assert_eq!(all.second_level_hit_rate.get(), 0.75);
        // There is data for 300 of the 900, which takes 150 s at 2/s.
        let filled = all.second_level.expect("cache devices");
        assert_eq!((filled.capacity.get(), filled.fill_time.get()), (300.0, 150.0));
        let stream = use_of(
            &workload(AccessPattern::Sequential),
            4000.0,
            100.0,
            second(900.0),
            Replacement::Arc,
            1.0,
        );
        assert_eq!(stream.second_level_hit_rate.get(), 0.0);
        assert_eq!(stream.second_level, None);
    }
}
