//! The metadata cache of a replay, file by file.
//!
//! A trace identifies files only: all metadata of a file are in the cache together or not at all. If the
//! scenario does not specify metadata, all are in the cache.

use bandgraph_model::storage::replay::Replacement;
use bandgraph_model::storage::{CacheUse, HitRateMethod};
use bandgraph_units::{Bytes, Fraction};
use bandgraph_workload::Metadata;

use super::blocks::{Blocks, Sizes};

/// The metadata of a trace.
pub(super) enum Names {
    /// All metadata are in the cache.
    Cached,
    /// The miss share is given; `carried` is the fraction of a miss not yet reported.
    Known { missed: f64, carried: f64 },
    /// The metadata of each file, through the replacement policy.
    Files(Box<Blocks>),
}

impl Names {
    /// An initially empty cache for the metadata of a workload: its part of the cache, and bytes per file.
    pub(super) fn new(metadata: &Metadata, policy: Replacement, warm: &CacheUse, of_file: f64) -> Self {
        match metadata.metadata_hit_rate {
            Some(rate) => Self::Known {
                missed: 1.0 - rate.get(),
                carried: 0.0,
            },
            None if metadata.is_known() => {
                let blocks = Blocks::new(policy, Sizes::of_dram(warm.capacity.get().max(of_file), of_file));
                Self::Files(Box::new(blocks))
            }
            None => Self::Cached,
        }
    }

    /// Whether the metadata of a file miss; they are in the cache afterwards.
    pub(super) fn miss(&mut self, file: u64) -> bool {
        match self {
            Self::Cached => false,
            Self::Known { missed, carried } => {
                *carried += *missed;
                let misses = *carried >= 1.0 - 1e-9;
                if misses {
                    *carried -= 1.0;
                }
                misses
            }
            Self::Files(files) => files.miss_one(file),
        }
    }

    /// The cache use observed in the replay instead of the steady state.
    pub(super) fn cache_use(&self, warm: CacheUse) -> CacheUse {
        let Self::Files(files) = self else { return warm };
        CacheUse {
            working_set: Bytes::new(files.touched()),
            hit_rate: Fraction::new(files.hit_rate()),
            second_level_hit_rate: Fraction::ZERO,
            second_level: None,
            method: if files.is_sampled() {
                HitRateMethod::SampledBlocks
            } else {
                HitRateMethod::Blocks
            },
            ..warm
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warm(capacity: f64) -> CacheUse {
        CacheUse {
            working_set: Bytes::new(1e9),
            capacity: Bytes::new(capacity),
            hit_rate: Fraction::new(0.5),
            second_level_hit_rate: Fraction::ZERO,
            second_level: None,
            method: HitRateMethod::Random,
        }
    }

    #[test]
    fn nothing_said_is_nothing_missed() {
        let mut names = Names::new(&Metadata::default(), Replacement::Arc, &warm(1e6), 640.0);
        assert!(!(0..100).any(|file| names.miss(file)));
        assert_eq!(names.cache_use(warm(1e6)), warm(1e6));
    }

    #[test]
    fn a_known_share_is_missed_as_often() {
        let known = Metadata {
            metadata_hit_rate: Some(Fraction::new(0.9)),
            ..Metadata::default()
        };
        let mut names = Names::new(&known, Replacement::Arc, &warm(1e6), 640.0);
        assert_eq!((0..1000).filter(|_| names.miss(1)).count(), 100);
    }

    /// Capacity of two files: the first use of each file misses, and so does a use after two other files.
    #[test]
    fn files_are_missed_when_they_are_new_or_forgotten() {
        let known = Metadata {
            files: Some(3),
            ..Metadata::default()
        };
        let mut names = Names::new(&known, Replacement::Lru, &warm(1280.0), 640.0);
        let missed: Vec<bool> = [1, 1, 2, 1, 3, 2].iter().map(|&file| names.miss(file)).collect();
        assert_eq!(missed, [true, false, true, false, true, true]);
        let found = names.cache_use(warm(1280.0));
        assert!((found.hit_rate.get() - 2.0 / 6.0).abs() < 1e-12);
        assert_eq!(found.method, HitRateMethod::Blocks);
    }
}
