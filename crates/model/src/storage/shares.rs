//! The division of the cache between workloads whose sets do not fit together, and between their data and
//! metadata.
//!
//! **Workloads** get parts in proportion to their sets, data and metadata together. For data with a given hit
//! rate, that share of the set counts.
//!
//! **Data and metadata** of one workload get parts by their access rates: data accessed more often stays.
//! Every byte of a set that is touched at random at a rate of *a* is cached with probability 1 − exp(−*aT*),
//! where *T* is the characteristic time of the cache, at which the sum over all bytes equals its capacity
//! (Che, Tung & Wang, "Hierarchical Web caching systems: modeling, design and experimental results", IEEE
//! JSAC 2002). A single set has all of the cache, with a hit rate of cache over set. The same is assumed for
//! a loop, which the cache does not hold anyway.

use bandgraph_units::Bytes;
use bandgraph_workload::{AccessPattern, Medium, Workload};

use super::cache::{CacheUse, Second, metadata_use, use_of};
use super::costs::{StorageCosts, WriteMethod};
use super::plan::threads;
use super::{Pool, Storage, StorageError, metadata};
use crate::{BindError, Scenario};

/// Bytes per record without a pool.
const RECORD: f64 = 131_072.0;
/// Bisection steps in the search for the characteristic time.
const HALVINGS: usize = 200;

/// The cache results of one workload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheShares {
    /// Its data.
    pub data: CacheUse,
    /// Names, attributes and pointers.
    pub metadata: CacheUse,
}

/// Bytes touched by a workload, as the cache holds them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sets {
    data: f64,
    metadata: f64,
}

impl Sets {
    fn of(scenario: &Scenario, workload: &Workload) -> Self {
        let (storage, costs) = (&scenario.storage, &scenario.stack.storage);
        Self {
            // Streams are of no set, and copies between GPUs pass main memory.
            data: if workload.mix.moves_data() && workload.protocol.has_calls() && workload.peers.is_empty() {
                workload.working_set.get() / cached_ratio(storage, costs, workload)
            } else {
                0.0
            },
            metadata: metadata::set(workload, costs, record_size(storage, workload)),
        }
    }

    fn all(self) -> f64 {
        self.data + self.metadata
    }

    /// Bytes that the cache would keep: of data with a given hit rate, at most that share, and none with
    /// direct I/O.
    fn kept(self, scenario: &Scenario, workload: &Workload) -> f64 {
        let share = match workload.hit_rate {
            Some(known) => known.get(),
            None if is_direct(&scenario.storage, &scenario.stack.storage, workload) => 0.0,
            None => 1.0,
        };
        self.data * share + self.metadata
    }
}

/// Whether a workload bypasses the cache.
pub(super) fn is_direct(storage: &Storage, costs: &StorageCosts, workload: &Workload) -> bool {
    let mut pools = storage.pools.iter();
    let in_place =
        pools.all(|pool| !pool.serves(workload) || pool.method_for(costs, workload) == WriteMethod::InPlace);
    workload.direct || in_place && !storage.pools.is_empty()
}

/// Record size of a workload's data in bytes, on average over its pools.
pub(super) fn record_size(storage: &Storage, workload: &Workload) -> f64 {
    of_pools(storage, workload, RECORD, |pool| pool.record_size.get())
}

/// Bytes of a workload's data for each byte of the caches that holds some of it, on average over its pools: 1
/// unless caches hold data as it is stored.
pub fn cached_ratio(storage: &Storage, costs: &StorageCosts, workload: &Workload) -> f64 {
    of_pools(storage, workload, 1.0, |pool| pool.cached_ratio(costs))
}

/// A figure on average over the pools of a workload; `without` if it has none.
fn of_pools(storage: &Storage, workload: &Workload, without: f64, figure: impl Fn(&Pool) -> f64) -> f64 {
    let pools = storage.pools.iter().filter(|pool| pool.serves(workload));
    let (count, sum) = pools.fold((0.0, 0.0), |(count, sum), pool| (count + 1.0, sum + figure(pool)));
    if count > 0.0 { sum / count } else { without }
}

/// The cache results of each workload of a scenario.
pub(super) fn uses(scenario: &Scenario) -> Result<Vec<CacheShares>, BindError> {
    let capacity = capacity(scenario)? - job_memory(scenario)?;
    let workloads = scenario.workloads.iter();
    let sets: Vec<Sets> = workloads.map(|workload| Sets::of(scenario, workload)).collect();
    if sets.iter().map(|sets| sets.all()).sum::<f64>() > capacity && scenario.storage.pools.is_empty() {
        return Err(exceeds(scenario, &sets, capacity));
    }
    // The feed alternates between devices, so that each workload has the same share of it as of their
    // capacity.
    let seconds: Vec<f64> = (0..sets.len())
        .map(|workload| second_level(scenario, &sets, workload))
        .collect();
    let devices: f64 = seconds.iter().sum();
    let uses = || scenario.workloads.iter().zip(&sets);
    let total: f64 = uses().map(|(workload, sets)| sets.kept(scenario, workload)).sum();
    let uses = uses().zip(seconds);
    let uses = uses.map(|((workload, &sets), second)| {
        let part = |of: f64| {
            if total > 0.0 {
                of * sets.kept(scenario, workload) / total
            } else {
                0.0
            }
        };
        let share = if devices > 0.0 { second / devices } else { 0.0 };
        let second = Second {
            capacity: second,
            feed: scenario.storage.cache.feed.rate.get() * share,
        };
        of_workload(scenario, workload, sets, part(capacity), second)
    });
    Ok(uses.collect())
}

/// The cache results of a workload with the given parts of the cache and of cache devices.
fn of_workload(
    scenario: &Scenario,
    workload: &Workload,
    sets: Sets,
    capacity: f64,
    second: Second,
) -> CacheShares {
    let costs = &scenario.stack.storage;
    let record = record_size(&scenario.storage, workload);
    let blocks = metadata::touches_of_mix(workload, costs, record);
    let ratio = cached_ratio(&scenario.storage, costs, workload);
    let rates = Sets {
        data: data_touched(scenario, workload) / (sets.data * ratio).max(1.0),
        metadata: blocks * costs.metadata_block / sets.metadata.max(1.0),
    };
    let mut has = split(sets, rates, capacity, costs.metadata_cache_share);
    if is_direct(&scenario.storage, &scenario.stack.storage, workload) {
        has.data = 0.0;
    }
    // Cache devices hold the bytes missing from DRAM, in proportion.
    let random = workload.pattern == AccessPattern::Random;
    let missing = Sets {
        data: if random {
            (sets.data - has.data).max(0.0)
        } else {
            0.0
        },
        metadata: (sets.metadata - has.metadata).max(0.0),
    };
    let of_metadata = if missing.metadata > 0.0 {
        missing.metadata / missing.all()
    } else {
        0.0
    };
    CacheShares {
        data: use_of(
            workload,
            sets.data * ratio,
            has.data * ratio,
            second.part((1.0 - of_metadata) * ratio),
            scenario.storage.cache.policy,
            jobs_at_once(scenario, workload),
        ),
        metadata: metadata_use(
            &workload.metadata,
            sets.metadata,
            has.metadata,
            second.part(of_metadata),
        ),
    }
}

/// Mean bytes of data touched per operation: random ones touch whole records.
fn data_touched(scenario: &Scenario, workload: &Workload) -> f64 {
    let bytes = workload.io_size.get();
    let shares = workload.mix.shares().iter();
    let moving: f64 = shares
        .filter(|(kind, _)| kind.moves_data())
        .map(|(_, share)| share.get())
        .sum();
    moving
        * match workload.pattern {
            AccessPattern::Random => of_pools(&scenario.storage, workload, RECORD, |pool| {
                pool.touched(&scenario.stack.storage, bytes)
            })
            .max(bytes),
            AccessPattern::Sequential => bytes,
        }
}

/// Division of a cache between data and metadata whose bytes are touched at these rates. Metadata may have at
/// most `limit` of it.
fn split(sets: Sets, rates: Sets, capacity: f64, limit: f64) -> Sets {
    if sets.metadata <= 0.0 {
        return Sets {
            data: capacity,
            metadata: 0.0,
        };
    }
    let most = capacity * limit;
    let free = if sets.all() <= capacity * (1.0 + 1e-12) {
        // All of it fits; the excess is unused.
        Sets {
            data: capacity * sets.data / sets.all(),
            metadata: capacity * sets.metadata / sets.all(),
        }
    } else {
        remembered(sets, rates, capacity)
    };
    if sets.metadata.min(free.metadata) <= most {
        return free;
    }
    Sets {
        data: capacity - most,
        metadata: most,
    }
}

/// The cached bytes of sets that do not fit: those touched within the characteristic time.
fn remembered(sets: Sets, rates: Sets, capacity: f64) -> Sets {
    let within = |time: f64| {
        let there = |set: f64, rate: f64| -set * libm::expm1(-rate * time);
        Sets {
            data: there(sets.data, rates.data),
            metadata: there(sets.metadata, rates.metadata),
        }
    };
    let touched = |set: f64, rate: f64| if rate > 0.0 { set } else { 0.0 };
    let reachable = touched(sets.data, rates.data) + touched(sets.metadata, rates.metadata);
    if reachable <= capacity {
        // The rest is never accessed.
        return Sets {
            data: touched(sets.data, rates.data),
            metadata: touched(sets.metadata, rates.metadata),
        };
    }
    let (mut low, mut high) = (0.0, 1.0);
    while within(high).all() < capacity && high < f64::MAX / 2.0 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if within(middle).all() < capacity {
            low = middle;
        } else {
            high = middle;
        }
    }
    let there = within(high);
    // Corrects rounding errors of the sum.
    let scale = capacity / there.all();
    Sets {
        data: (there.data * scale).min(sets.data),
        metadata: (there.metadata * scale).min(sets.metadata),
    }
}

/// Memory of all processes of jobs on the server itself.
fn job_memory(scenario: &Scenario) -> Result<f64, BindError> {
    let available = capacity(scenario)?;
    let mut taken = 0.0;
    for workload in &scenario.workloads {
        let Some(job) = &workload.job else { continue };
        if workload.protocol.medium() == Medium::None {
            taken += job.memory.get() * threads(scenario, workload);
        }
        if taken > available {
            return Err(BindError::JobMemory {
                workload: workload.id.clone(),
                asked: Bytes::new(taken).binary(),
                available: Bytes::new(available).binary(),
            });
        }
    }
    Ok(taken)
}

/// Number of concurrent jobs of a workload, which share its part of the cache; 1 without jobs.
fn jobs_at_once(scenario: &Scenario, workload: &Workload) -> f64 {
    let Some(job) = &workload.job else { return 1.0 };
    (threads(scenario, workload) / f64::from(job.cores)).max(1.0)
}

/// Bytes of the cache in DRAM.
fn capacity(scenario: &Scenario) -> Result<f64, BindError> {
    let sockets = scenario.topology.sockets().iter();
    let dram: f64 = sockets.map(|socket| socket.memory.size.get()).sum();
    let available = dram * (1.0 - scenario.stack.memory_reserve);
    let asked = scenario.storage.cache.size.map_or(available, Bytes::get);
    if asked > available || asked.is_nan() || asked < 0.0 {
        return Err(BindError::Storage(StorageError::CacheTooLarge {
            asked: Bytes::new(asked).binary(),
            dram: Bytes::new(dram).binary(),
            available: Bytes::new(available).binary(),
        }));
    }
    Ok(asked)
}

/// Bytes of cache devices for a workload: a part of those of each pool that it uses, in proportion to its
/// sets.
fn second_level(scenario: &Scenario, sets: &[Sets], workload: usize) -> f64 {
    let storage = &scenario.storage;
    let own = sets[workload].all();
    let of_pool = |pool: &Pool| {
        let users = scenario.workloads.iter().zip(sets);
        let users = users.filter(|(other, _)| pool.serves(other));
        let sets: f64 = users.map(|(_, sets)| sets.all()).sum();
        let found = (pool.cache.iter()).filter_map(|name| storage.ssds.iter().find(|ssd| ssd.id == *name));
        let bytes: f64 = found.map(|ssd| ssd.part.capacity.get()).sum();
        if sets > 0.0 { bytes * own / sets } else { 0.0 }
    };
    let workload = &scenario.workloads[workload];
    let used = storage.pools.iter().filter(|pool| pool.serves(workload));
    used.map(of_pool).sum()
}

/// The error for the first workload whose set no longer fits.
fn exceeds(scenario: &Scenario, sets: &[Sets], capacity: f64) -> BindError {
    let mut used = 0.0;
    let mut workloads = scenario.workloads.iter().zip(sets);
    let found = workloads.find(|(_, sets)| {
        used += sets.all();
        used > capacity
    });
    let (workload, sets) = found.expect("the sum of all sets is above the capacity");
    BindError::ExceedsCache {
        workload: workload.id.clone(),
        working_set: Bytes::new(sets.all()).binary(),
        capacity: Bytes::new(capacity).binary(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::replay::{BlockCache, Replacement};
    use super::*;
    use proptest::prelude::*;

    fn sets(data: f64, metadata: f64) -> Sets {
        Sets { data, metadata }
    }

    #[test]
    fn what_fits_is_all_there() {
        let has = split(sets(60.0, 20.0), sets(1.0, 9.0), 100.0, 1.0);
        assert_eq!((has.data, has.metadata), (75.0, 25.0));
        // Data alone has all of the cache, at any size.
        assert_eq!(split(sets(300.0, 0.0), sets(1.0, 0.0), 100.0, 1.0).data, 100.0);
        assert_eq!(
            split(sets(0.0, 300.0), sets(0.0, 1.0), 100.0, 1.0).metadata,
            100.0
        );
    }

    /// Equal rates: all bytes have the same probability. And a limit of a quarter yields at most a quarter.
    #[test]
    fn sets_asked_for_alike_have_it_in_proportion() {
        let has = split(sets(300.0, 100.0), sets(0.5, 0.5), 100.0, 1.0);
        assert!((has.data - 75.0).abs() < 1e-9 && (has.metadata - 25.0).abs() < 1e-9);
        let has = split(sets(300.0, 100.0), sets(0.5, 50.0), 100.0, 0.25);
        assert_eq!((has.data, has.metadata), (75.0, 25.0));
        // Data that is never accessed does not stay.
        let has = split(sets(300.0, 100.0), sets(0.0, 1.0), 150.0, 1.0);
        assert_eq!((has.data, has.metadata), (0.0, 100.0));
    }

    /// The approximation against an exact simulation: blocks of both sets, with equal total rates, replayed
    /// through LRU.
    #[test]
    fn a_replay_through_lru_shares_alike() {
        let (data, metadata, capacity) = (3000_u64, 1000_u64, 1000_usize);
        let has = split(
            sets(data as f64, metadata as f64),
            sets(0.5 / data as f64, 0.5 / metadata as f64),
            capacity as f64,
            1.0,
        );
        let mut cache = BlockCache::new(Replacement::Lru, capacity);
        let mut state = 4711_u64;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut hits, mut asked) = ([0.0; 2], [0.0; 2]);
        for step in 0..400_000 {
            let kind = draw(2) as usize;
            let block = if kind == 0 {
                draw(data)
            } else {
                data + draw(metadata)
            };
            let hit = cache.access(block);
            if step > 50_000 {
                asked[kind] += 1.0;
                hits[kind] += f64::from(u8::from(hit));
            }
        }
        assert!(
            (hits[0] / asked[0] - has.data / data as f64).abs() < 0.01,
            "{has:?}"
        );
        assert!(
            (hits[1] / asked[1] - has.metadata / metadata as f64).abs() < 0.01,
            "{has:?}"
        );
    }

    proptest! {
        /// More memory never holds less of either, and the parts do not exceed the total.
        #[test]
        fn more_memory_never_lowers_a_hit_rate(
            data in 0.0_f64..1e12,
            metadata in 1.0_f64..1e12,
            rates in (0.0_f64..1.0, 1e-9_f64..1.0),
            capacity in 1.0_f64..1e12,
            more in 0.0_f64..1e12,
            limit in 0.001_f64..1.0,
        ) {
            let sets = sets(data, metadata);
            let rates = Sets { data: rates.0, metadata: rates.1 };
            let has = |capacity: f64| split(sets, rates, capacity, limit);
            let there = |has: Sets| (has.data.min(data), has.metadata.min(metadata));
            let (few, many) = (there(has(capacity)), there(has(capacity + more)));
            prop_assert!(many.1 >= few.1 * (1.0 - 1e-9), "metadata {few:?} {many:?}");
            // Metadata above the limit may take space from data.
            if limit >= 1.0 {
                prop_assert!(many.0 >= few.0 * (1.0 - 1e-9), "data {few:?} {many:?}");
            }
            prop_assert!(few.0 + few.1 <= capacity * (1.0 + 1e-9));
        }
    }
}
