//! Caches that are empty at the start: their fill by reads, and their hit rates meanwhile.
//!
//! All quantities depend on the bytes touched by a workload, *v*, of a set of *S* (random accesses touch
//! whole records):
//!
//! * **Random**, uniform: the share of the set that has been seen is 1 − exp(−*v*/*S*), which is the hit rate
//!   of the next reads, until the workload's part of the cache is full. From then on it is cache over set, as
//!   in the steady state.
//! * **Sequential**: the first pass misses everything. In later passes everything hits if the set fits,
//!   nothing under LRU if it does not, and under ARC the hit rate is that of a scaled replay of those passes,
//!   block by block.
//! * **Cache devices** hold at most the bytes fed to them, at a rate in time and not per byte read; and they
//!   only serve data that has been seen and is not in DRAM.
//!
//! The rate of touched bytes depends on the hit rates, so that both are solved together, in steps that
//! double.

use bandgraph_config::words;
use bandgraph_units::{Bandwidth, Bytes, Fraction, Time};
use bandgraph_workload::AccessPattern;

use super::cache::{self, CacheUse, HitRateMethod};
use super::replay::Replacement;

/// Number of steps of doubling length over the time since the start.
const DOUBLINGS: i32 = 10;
/// Convergence tolerance of the alternating solution of rates and hit rates in a step, and the maximum number
/// of iterations.
const TOLERANCE: f64 = 1e-7;
const ROUNDS_MOST: usize = 24;
/// Points of a step over which hits of cache devices are averaged.
const POINTS: usize = 64;

words! {
    /// What the caches hold when a run starts.
    #[derive(Default)]
    pub enum CacheStart: "a start of caches" {
        /// What they hold after a long time: warm-up is skipped.
        #[default]
        Warm = "warm",
        /// Nothing: they fill by what is read.
        Cold = "cold",
    }
}

/// The feed rate of all cache devices together from DRAM: ZFS has one thread for it, which alternates between
/// devices every second (`l2arc_feed_thread` and `l2arc_dev_get_next` in `arc.c` of `OpenSolaris`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feed {
    /// Bytes/s: 8 MiB every second (`l2arc_write_max`, `l2arc_feed_secs`). Later versions write five times a
    /// second while there is much to write (`l2arc_feed_min_ms`).
    pub rate: Bandwidth,
    /// Additional rate until the cache in DRAM has been full (`l2arc_write_boost`).
    pub boost: Bandwidth,
}

impl Default for Feed {
    fn default() -> Self {
        const L2ARC_WRITE_SIZE: Bandwidth = Bandwidth::new(8_388_608.0);
        Self {
            rate: L2ARC_WRITE_SIZE,
            boost: L2ARC_WRITE_SIZE,
        }
    }
}

/// The part of cache devices for a workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondLevel {
    /// Its part of their capacity, up to the available data.
    pub capacity: Bytes,
    /// Bytes of it held at the end of the run.
    pub held: Bytes,
    /// Time to fill it at the feed rate, without the initial boost.
    pub fill_time: Time,
}

/// The caches of one workload during their fill.
#[derive(Clone, Debug)]
pub struct Filling {
    /// Their steady state.
    warm: CacheUse,
    order: Order,
    /// This workload's part of the feed.
    feed: Feed,
    /// Bytes touched so far, including repetitions.
    touched: f64,
    /// Bytes on cache devices.
    fed: f64,
}

/// The order of accesses.
#[derive(Clone, Debug)]
enum Order {
    Random,
    /// Hit rates of the first passes, and of all later ones.
    Loop {
        passes: Vec<f64>,
        later: f64,
    },
    /// Hit rates that do not depend on the start.
    Any,
}

impl Filling {
    /// Empty caches for a workload with the steady state `warm`. `part` is its part of the feed.
    pub fn new(warm: CacheUse, pattern: AccessPattern, policy: Replacement, feed: Feed, part: f64) -> Self {
        let order = match (warm.method, pattern) {
            // A job reuses data that it has itself read before, and given rates apply.
            (HitRateMethod::NoData | HitRateMethod::Reuse | HitRateMethod::Given, _) => Order::Any,
            (_, AccessPattern::Random) => Order::Random,
            (HitRateMethod::Fits, AccessPattern::Sequential) => Order::Loop {
                passes: vec![0.0],
                later: 1.0,
            },
            (_, AccessPattern::Sequential) => Order::Loop {
                passes: match policy {
                    Replacement::Lru => Vec::new(),
                    Replacement::Arc => cache::arc_passes(warm.working_set.get() / warm.capacity.get()),
                },
                later: warm.hit_rate.get(),
            },
        };
        Self {
            warm,
            order,
            feed: Feed {
                rate: feed.rate * part,
                boost: feed.boost * part,
            },
            touched: 0.0,
            fed: 0.0,
        }
    }

    /// Whether the initially empty caches have an effect.
    pub fn matters(&self) -> bool {
        !matches!(self.order, Order::Any)
    }

    /// Share of the set seen after `touched` random bytes.
    fn seen(&self, touched: f64) -> f64 {
        -libm::expm1(-touched / self.warm.working_set.get())
    }

    /// Bytes touched at random until the DRAM is full.
    fn full_at(&self) -> f64 {
        let (set, capacity) = (self.warm.working_set.get(), self.warm.capacity.get());
        if capacity >= set {
            f64::INFINITY
        } else {
            -set * libm::log1p(-capacity / set)
        }
    }

    /// Bytes of the first `touched` ones that hit DRAM.
    fn hits(&self, touched: f64) -> f64 {
        let set = self.warm.working_set.get();
        match &self.order {
            Order::Random => {
                let filling = touched.min(self.full_at());
                let rest = touched - filling;
                filling + set * libm::expm1(-filling / set) + rest * self.warm.hit_rate.get()
            }
            Order::Loop { passes, later } => {
                let mut left = touched;
                let mut hits = 0.0;
                for pass in passes {
                    hits += pass * left.min(set);
                    left -= left.min(set);
                }
                hits + later * left
            }
            Order::Any => touched * self.warm.hit_rate.get(),
        }
    }

    /// Bytes on cache devices after `seconds` in which `touched` bytes are touched.
    fn fed_after(&self, seconds: f64, touched: f64) -> f64 {
        let Some(second) = self.warm.second_level else {
            return 0.0;
        };
        let left = (self.full_at() - self.touched).max(0.0);
        let boosted = if touched > left { left / touched } else { 1.0 };
        let fed = self.fed + seconds * (self.feed.rate.get() + boosted * self.feed.boost.get());
        let seen = self.seen(self.touched + touched) * self.warm.working_set.get();
        fed.min(second.capacity.get()).min(seen)
    }

    /// Share of touched bytes that hit cache devices over `seconds`.
    fn second_level(&self, seconds: f64, touched: f64) -> f64 {
        if self.warm.second_level.is_none() || !matches!(self.order, Order::Random) {
            return self.warm.second_level_hit_rate.get();
        }
        let set = self.warm.working_set.get();
        let at = |point: usize| {
            let part = (point as f64 + 0.5) / POINTS as f64;
            let seen = self.seen(self.touched + touched * part);
            let missed = seen - seen.min(self.warm.hit_rate.get());
            (self.fed_after(seconds * part, touched * part) / set).min(missed)
        };
        (0..POINTS).map(at).sum::<f64>() / POINTS as f64
    }

    /// Cache results over `seconds` in which `touched` bytes are touched.
    fn over(&self, seconds: f64, touched: f64) -> CacheUse {
        if !self.matters() {
            return self.warm;
        }
        // Without any touched bytes: the result of the very next access.
        let next = touched.max(1e-6 * self.warm.working_set.get());
        let hits = (self.hits(self.touched + next) - self.hits(self.touched)) / next;
        let hits = hits.clamp(0.0, 1.0);
        let second = self.second_level(seconds, touched).min(1.0 - hits);
        CacheUse {
            hit_rate: Fraction::new(hits),
            second_level_hit_rate: Fraction::new(second),
            method: match self.order {
                Order::Random => HitRateMethod::ColdRandom,
                Order::Loop { .. } => HitRateMethod::ColdLoop,
                Order::Any => self.warm.method,
            },
            second_level: self.warm.second_level.map(|second| SecondLevel {
                held: match self.order {
                    Order::Any => second.held,
                    _ => Bytes::new(self.fed_after(seconds, touched)),
                },
                ..second
            }),
            ..self.warm
        }
    }
}

/// Cache results, over a window that begins `warm_up` seconds after the start, of caches that were empty at
/// the start. `rates` returns the bytes/s touched by each workload at given cache results.
pub fn over_window<E>(
    mut fillings: Vec<Filling>,
    warm_up: f64,
    duration: f64,
    mut rates: impl FnMut(&[CacheUse]) -> Result<Vec<f64>, E>,
) -> Result<Vec<CacheUse>, E> {
    let mut uses: Vec<CacheUse> = fillings.iter().map(|filling| filling.over(0.0, 0.0)).collect();
    let mut counted = vec![Counted::default(); fillings.len()];
    let mut begin = 0.0;
    for end in step_ends(warm_up, duration) {
        let seconds = end - begin;
        let mut touched = Vec::new();
        for _ in 0..ROUNDS_MOST {
            touched = rates(&uses)?;
            for touched in &mut touched {
                *touched *= seconds;
            }
            let next = fillings.iter().zip(&touched);
            let next: Vec<CacheUse> = next
                .map(|(filling, &touched)| filling.over(seconds, touched))
                .collect();
            let moved = uses.iter().zip(&next).map(|(old, new)| distance(old, new));
            let moved = moved.fold(0.0, f64::max);
            uses = next;
            if moved <= TOLERANCE {
                break;
            }
        }
        for (((filling, counted), touched), cache) in
            fillings.iter_mut().zip(&mut counted).zip(touched).zip(&uses)
        {
            if begin >= warm_up {
                counted.add(touched, cache);
            }
            filling.fed = filling.fed_after(seconds, touched);
            filling.touched += touched;
        }
        begin = end;
    }
    let counted = counted.iter().zip(uses);
    Ok(counted.map(|(counted, last)| counted.mean(last)).collect())
}

/// Counts in the window.
#[derive(Clone, Debug, Default)]
struct Counted {
    touched: f64,
    first: f64,
    second: f64,
}

impl Counted {
    fn add(&mut self, touched: f64, cache: &CacheUse) {
        self.touched += touched;
        self.first += touched * cache.hit_rate.get();
        self.second += touched * cache.second_level_hit_rate.get();
    }

    /// The mean over the window, with the contents at its end.
    fn mean(&self, last: CacheUse) -> CacheUse {
        if self.touched <= 0.0 {
            return last;
        }
        CacheUse {
            hit_rate: Fraction::new(self.first / self.touched),
            second_level_hit_rate: Fraction::new(self.second / self.touched),
            ..last
        }
    }
}

fn distance(old: &CacheUse, new: &CacheUse) -> f64 {
    let first = (old.hit_rate.get() - new.hit_rate.get()).abs();
    first.max((old.second_level_hit_rate.get() - new.second_level_hit_rate.get()).abs())
}

/// Ends of the steps: doubling up to the end of the run, and the start of the window.
fn step_ends(warm_up: f64, duration: f64) -> Vec<f64> {
    let total = warm_up + duration;
    let mut ends: Vec<f64> = (0..=DOUBLINGS)
        .rev()
        .map(|halvings| total * 0.5_f64.powi(halvings))
        .collect();
    if warm_up > 0.0 {
        ends.push(warm_up);
        ends.sort_by(f64::total_cmp);
        ends.dedup();
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::super::replay::BlockCache;
    use super::*;

    const FEED: Feed = Feed {
        rate: Bandwidth::new(2.0),
        boost: Bandwidth::new(3.0),
    };

    /// The steady state of a set on a cache, by hand, with cache devices of the given size.
    fn warm(pattern: AccessPattern, set: f64, capacity: f64, hit_rate: f64, devices: f64) -> CacheUse {
        let used = devices.min(set - capacity);
        CacheUse {
            working_set: Bytes::new(set),
            capacity: Bytes::new(capacity),
            hit_rate: Fraction::new(hit_rate),
            second_level_hit_rate: Fraction::new(devices / set),
            second_level: (devices > 0.0).then(|| SecondLevel {
                capacity: Bytes::new(used),
                held: Bytes::new(used),
                fill_time: Time::new(used / FEED.rate.get()),
            }),
            method: match pattern {
                _ if hit_rate >= 1.0 => HitRateMethod::Fits,
                AccessPattern::Random => HitRateMethod::Random,
                AccessPattern::Sequential => HitRateMethod::ArcLoop,
            },
        }
    }

    /// The result at a constant rate of touched bytes.
    fn steadily(warm: CacheUse, pattern: AccessPattern, policy: Replacement, window: [f64; 2]) -> CacheUse {
        let filling = Filling::new(warm, pattern, policy, FEED, 1.0);
        let rates = |_: &[CacheUse]| Ok::<_, ()>(vec![10.0]);
        over_window(vec![filling], window[0], window[1], rates).expect("rates")[0]
    }

    fn close(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() <= by, "{found}, not {expected}");
    }

    /// The integral of 1 - exp(-x) over the window, by hand.
    #[test]
    fn random_reads_hit_what_has_been_seen() {
        let random = AccessPattern::Random;
        let fits = warm(random, 1000.0, 2000.0, 1.0, 0.0);
        let policy = Replacement::Arc;
        let found = steadily(fits, random, policy, [50.0, 150.0]);
        let mean = 1.0 - (libm::exp(-0.5) - libm::exp(-2.0)) / 1.5;
        close(found.hit_rate.get(), mean, 1e-9);
        assert_eq!(found.method, HitRateMethod::ColdRandom);
        // A quarter fits: full after ln(4/3) sets, 28.8 s, and the steady state from then on.
        let quarter = warm(random, 1000.0, 250.0, 0.25, 0.0);
        close(
            steadily(quarter, random, policy, [30.0, 5.0]).hit_rate.get(),
            0.25,
            1e-9,
        );
        let full = libm::log(4.0 / 3.0);
        let hits = full - 0.25 + (1.0 - full) * 0.25;
        close(
            steadily(quarter, random, policy, [0.0, 100.0]).hit_rate.get(),
            hits,
            1e-9,
        );
        // At first almost nothing has been read, and almost nothing hits.
        let first = steadily(fits, random, policy, [0.0, 0.01]).hit_rate.get();
        close(first, 5e-5, 1e-7);
    }

    /// A miss takes ten times as long as a hit: single blocks in sequence, against the joint solution of
    /// rates and hit rates.
    #[test]
    fn blocks_that_fill_a_cache_hit_as_often() {
        const SET: u64 = 20_000;
        let (warm_up, duration) = (40_000.0, 60_000.0);
        for (capacity, policy) in [
            (5_000, Replacement::Lru),
            (5_000, Replacement::Arc),
            (20_000, Replacement::Lru),
        ] {
            let mut cache = BlockCache::new(policy, capacity);
            let (mut state, mut now, mut reads, mut hits) = (12_345_u64, 0.0, 0.0, 0.0);
            while now < warm_up + duration {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let hit = cache.access((state >> 33) % SET);
                if now >= warm_up {
                    reads += 1.0;
                    hits += f64::from(u8::from(hit));
                }
                now += if hit { 1.0 } else { 10.0 };
            }
            let share = capacity as f64 / SET as f64;
            let warm = warm(AccessPattern::Random, SET as f64, capacity as f64, share, 0.0);
            let filling = Filling::new(warm, AccessPattern::Random, policy, FEED, 1.0);
            let found = over_window(vec![filling], warm_up, duration, |caches| {
                let hit = caches[0].hit_rate.get();
                Ok::<_, ()>(vec![1.0 / (hit + 10.0 * (1.0 - hit))])
            });
            close(found.expect("rates")[0].hit_rate.get(), hits / reads, 0.02);
        }
    }

    #[test]
    fn the_first_pass_of_a_loop_hits_nothing() {
        let order = AccessPattern::Sequential;
        let fits = warm(order, 1000.0, 1000.0, 1.0, 0.0);
        let rate = |cache, policy, window| steadily(cache, order, policy, window).hit_rate.get();
        // 100 s per pass.
        assert_eq!(rate(fits, Replacement::Lru, [0.0, 100.0]), 0.0);
        close(rate(fits, Replacement::Lru, [50.0, 100.0]), 0.5, 1e-9);
        assert_eq!(rate(fits, Replacement::Lru, [100.0, 7.0]), 1.0);
        let long = warm(order, 1500.0, 1000.0, 0.0, 0.0);
        assert_eq!(rate(long, Replacement::Lru, [0.0, 3000.0]), 0.0);
        // ARC, in the second to the fourth pass of a loop of 1.5 times the cache, over a thousand blocks: a
        // pure loop leaves it no ghosts for adaptation.
        let mut cache = BlockCache::new(Replacement::Arc, 1000);
        for pass in 0..4 {
            if pass == 1 {
                cache.reset_counts();
            }
            for block in 0..1500 {
                cache.access(block);
            }
        }
        close(
            rate(long, Replacement::Arc, [150.0, 450.0]),
            cache.hit_rate(),
            0.01,
        );
    }

    /// A set of 1000 of which 250 fit: DRAM is full after 28.8 s; the feed is 5/s until then, and 2/s
    /// afterwards.
    #[test]
    fn cache_devices_hold_what_they_have_been_fed() {
        let random = AccessPattern::Random;
        let quarter = warm(random, 1000.0, 250.0, 0.25, 500.0);
        let at = |window| steadily(quarter, random, Replacement::Arc, window);
        let full = 100.0 * libm::log(4.0 / 3.0);
        let fed = |time: f64| 5.0 * full + 2.0 * (time - full);
        // 100 s to 120 s: fewer bytes have been fed than seen.
        let found = at([100.0, 20.0]);
        close(found.second_level_hit_rate.get(), fed(110.0) / 1000.0, 1e-6);
        let second = found.second_level.expect("cache devices");
        close(second.held.get(), fed(120.0), 1e-6);
        assert_eq!((second.capacity.get(), second.fill_time.get()), (500.0, 250.0));
        // DRAM is not yet full: the contents of the devices are in DRAM as well.
        let early = at([0.0, 20.0]);
        assert_eq!(early.second_level_hit_rate.get(), 0.0);
        // The devices hold at most the bytes seen: fewer than 200 bytes were touched, 100 of them distinct.
        close(early.second_level.expect("cache devices").held.get(), 100.0, 1e-9);
        // Finally, the steady state.
        let late = at([4000.0, 10.0]);
        close(late.hit_rate.get(), 0.25, 1e-9);
        close(late.second_level_hit_rate.get(), 0.5, 1e-9);
    }
}
