//! Jobs: units of work with a fixed amount of computing and I/O.
//!
//! A job runs one process on each of its cores. Its computing is spread evenly over its processes and between
//! its I/O, so that only the amounts and their bottlenecks matter. A batch is a number of equal jobs, which
//! run concurrently as far as there are slots.

use bandgraph_config::{Field, settings, words};
use bandgraph_units::{Bandwidth, Bytes, Fraction, Time};

use crate::invalid::{InvalidField, Problem, within_ranges};

/// The maximum number of jobs in a batch.
pub const MAX_JOBS: u32 = 1_000_000;
/// The maximum number of cores of a job.
pub const MAX_JOB_CORES: u32 = 1024;
/// The compute time of a job: at most a year.
const TIME: Field = Field::of::<Time>("compute", "").at_most(3.2e7);
/// The maximum data that a job reads and writes: 1 EiB.
const MAX_DATA: Bytes = Bytes::new(1_152_921_504_606_846_976.0);

settings! {
    /// A batch of equal jobs. Each computes for a given time and reads and writes a given amount, evenly
    /// between its computing. `elapsed_s` is how long the batch takes. Jobs run on the clients, against the
    /// server;
    /// with the protocol `host` they run on the server itself, against its own pools.
    pub struct Job as "job" {
        /// Jobs of the batch.
        count: u32 = 1, at_least(1), at_most(MAX_JOBS);
        /// Cores that each job runs on, with a process on each.
        cores: u32 = 1, at_least(1), at_most(MAX_JOB_CORES);
        /// How long a job computes, I/O excepted: a time for any number of cores (`"20 min"`), or one for
        /// each (`"1: 884 s, 2: 583 s"`), or a part that one core does and one that all share (`"282 s + 602
        /// s / cores"`).
        compute: ComputeTimes;
        /// Share of the computing that waits for memory, and takes longer where memory is slower than
        /// `memory_rate`; on the server itself.
        memory_bound: Fraction = "0 %", at_most(1), uncertain;
        /// Rate of a memory channel at which the times hold; that of the server, whatever it is, if left out.
        memory_rate: Bandwidth = "0 B/s", optional, positive;
        /// File data that a job reads and writes, all its processes together; the mix says how much of it is
        /// written.
        data: Bytes = "1 B", required, positive, at_least(1), at_most(MAX_DATA.get()), whole, uncertain;
        /// Whether `data` and `reuse_distance` are those of each process, with files of its own.
        per_process: bool = false;
        /// Memory that each process takes, which the cache cannot have; on the server itself.
        memory: Bytes = "0 B", at_most(MAX_DATA.get()), whole;
        flatten {
            /// When the job comes back to its data.
            reuse: Reuse;
        }
    }
}

impl Job {
    /// A job on one core with this compute time, which reads and writes this much data.
    pub fn new(compute: Time, data: Bytes) -> Self {
        Self {
            compute: ComputeTimes::Any(compute),
            data,
            ..Self::default()
        }
    }

    /// The number of copies of [`data`](Self::data) in a job.
    fn parts(&self) -> f64 {
        if self.per_process {
            f64::from(self.cores)
        } else {
            1.0
        }
    }

    /// Data that all processes of a job read and write.
    pub fn all_data(&self) -> Bytes {
        self.data * self.parts()
    }

    /// Share of a job's reads that hit its part of a cache; `None` if the file does not describe re-use.
    pub fn hit_rate(&self, cache: Bytes) -> Option<Fraction> {
        // Processes take turns: between two accesses of one to its data, all others access as much of theirs.
        self.reuse.hit_rate(cache / self.parts())
    }

    /// The compute time with this memory channel rate; `None` if there is no time for its number of cores.
    pub fn compute_time(&self, channel: Bandwidth) -> Option<Time> {
        let bound = if self.memory_rate.get() > 0.0 {
            self.memory_bound.get()
        } else {
            0.0
        };
        let slower = self.memory_rate.get() / channel.get();
        let factor = if bound > 0.0 {
            1.0 - bound + bound * slower
        } else {
            1.0
        };
        Some(self.compute.on(self.cores)? * factor)
    }

    /// Checks that there is a time for its cores, and that no time is too long.
    pub(crate) fn validate(&self, invalid: &mut Vec<InvalidField>) {
        for time in self.compute.times() {
            if let Some(problem) = TIME.range.problem(time.get(), TIME.quantity()) {
                invalid.push(Problem::Range(problem).of("job.compute"));
            }
        }
        if self.compute.on(self.cores).is_none() {
            invalid.push(Problem::NoComputeTime { cores: self.cores }.of("job.compute"));
        }
        invalid.extend(within_ranges(|found| self.check("job.", found)));
    }
}

/// The compute time of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum ComputeTimes {
    /// The same time on any number of cores.
    Any(Time),
    /// Pairs of a number of cores and the time on them.
    ByCores(Vec<(u32, Time)>),
    /// A serial and a parallel part (Amdahl's law).
    Amdahl {
        /// The serial part, which more cores do not shorten.
        serial: Time,
        /// The parallel part, as the time on one core.
        parallel: Time,
    },
}

impl ComputeTimes {
    /// The time on a number of cores.
    pub fn on(&self, cores: u32) -> Option<Time> {
        match self {
            Self::Any(time) => Some(*time),
            Self::ByCores(times) => times.iter().find(|&&(on, _)| on == cores).map(|&(_, time)| time),
            Self::Amdahl { serial, parallel } => Some(*serial + *parallel / f64::from(cores)),
        }
    }

    fn times(&self) -> Vec<Time> {
        match self {
            Self::Any(time) => vec![*time],
            Self::ByCores(times) => times.iter().map(|&(_, time)| time).collect(),
            Self::Amdahl { serial, parallel } => vec![*serial, *parallel],
        }
    }
}

words! {
    /// How re-use distances lie around their mean.
    #[derive(Default)]
    pub enum ReuseSpread: "a spread of re-use distances" {
        /// Exponentially: many short ones, a few that are several times the mean.
        #[default]
        Exponential = "exponential",
        /// Evenly from nothing to twice the mean.
        Uniform = "uniform",
        /// All the same: a loop over so much data.
        Fixed = "fixed",
    }
}

settings! {
    /// How much other data lies between two visits of a job to the same data.
    pub struct Reuse as "reuse" {
        /// How much other data a job has touched, on average, since it last touched what it reads: a larger
        /// cache has it still. The working set and pattern decide if left out.
        reuse_distance: Option<Bytes>, positive, at_most(1e18);
        /// How re-use distances lie around their mean; `fixed` is a loop.
        reuse_spread: ReuseSpread = "exponential";
        /// Share of the reads whose data no job has touched before, which no cache has.
        first_reads: Fraction = "0 %", at_most(1);
    }
}

impl Copy for Reuse {}

impl Reuse {
    /// Share of the reads that hit a cache of this size.
    pub fn hit_rate(&self, cache: Bytes) -> Option<Fraction> {
        let ratio = (cache.get() / self.reuse_distance?.get()).max(0.0);
        let near = match self.reuse_spread {
            ReuseSpread::Exponential => -libm::expm1(-ratio),
            ReuseSpread::Uniform => (ratio / 2.0).min(1.0),
            // Sizes that are equal except for rounding count as equal.
            ReuseSpread::Fixed => f64::from(ratio >= 1.0 - 1e-12),
        };
        Some(Fraction::new((1.0 - self.first_reads.get()) * near))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reuse(spread: ReuseSpread, first_reads: f64) -> Reuse {
        Reuse {
            reuse_distance: Some(Bytes::new(10e9)),
            reuse_spread: spread,
            first_reads: Fraction::new(first_reads),
        }
    }

    fn hit_rate(spread: ReuseSpread, first_reads: f64, cache: f64) -> f64 {
        let rate = reuse(spread, first_reads).hit_rate(Bytes::new(cache));
        rate.expect("a distance").get()
    }

    #[test]
    fn hit_rates_are_the_distributions_below_the_cache() {
        let hit = |spread, cache: f64| hit_rate(spread, 0.0, cache);
        assert_eq!(hit(ReuseSpread::Fixed, 9e9), 0.0);
        assert_eq!(hit(ReuseSpread::Fixed, 10e9), 1.0);
        assert_eq!(hit(ReuseSpread::Uniform, 5e9), 0.25);
        assert_eq!(hit(ReuseSpread::Uniform, 30e9), 1.0);
        assert!((hit(ReuseSpread::Exponential, 10e9) - (1.0 - 1.0 / std::f64::consts::E)).abs() < 1e-12);
        assert_eq!(hit(ReuseSpread::Exponential, -1.0), 0.0);
        // First accesses always miss.
        assert_eq!(hit_rate(ReuseSpread::Fixed, 0.25, 1e12), 0.75);
    }

    /// By hand: a fifth of 100 s waits for memory with channels of 10.667 GB/s; at 8.533 GB/s that fifth
    /// takes 25 s.
    #[test]
    fn slower_memory_slows_the_share_that_waits_for_it() {
        let mut job = Job::new(Time::new(100.0), Bytes::new(1e9));
        job.memory_bound = Fraction::new(0.2);
        let slow = Bandwidth::new(8.533e9);
        assert_eq!(job.compute_time(slow), Some(Time::new(100.0)), "no rate is said");
        job.memory_rate = Bandwidth::new(8.533e9 * 1.25);
        let time = job.compute_time(slow).expect("a time for any number of cores");
        assert!((time.get() - 105.0).abs() < 1e-9, "{time}");
        assert_eq!(job.compute_time(job.memory_rate), Some(Time::new(100.0)));
    }

    /// By hand: 282 s and 602 s over 8 cores are 357.25 s; 8 processes with 20 GB each have 160 GB, and each
    /// has an eighth of a cache.
    #[test]
    fn processes_share_computing_and_caches() {
        let mut job = Job::new(Time::ZERO, Bytes::new(20e9));
        job.cores = 8;
        job.compute = ComputeTimes::Amdahl {
            serial: Time::new(282.0),
            parallel: Time::new(602.0),
        };
        assert_eq!(job.compute.on(8), Some(Time::new(357.25)));
        assert_eq!(job.compute.on(1), Some(Time::new(884.0)));
        assert_eq!(
            (job.all_data(), job.hit_rate(Bytes::new(1e9))),
            (Bytes::new(20e9), None)
        );
        job.per_process = true;
        job.reuse = reuse(ReuseSpread::Uniform, 0.0);
        assert_eq!(job.all_data(), Bytes::new(160e9));
        assert_eq!(job.hit_rate(Bytes::new(80e9)).map(Fraction::get), Some(0.5));
    }

    #[test]
    fn times_are_for_the_cores_that_they_are_given_for() {
        let times = ComputeTimes::ByCores(vec![(1, Time::new(884.0)), (8, Time::new(381.0))]);
        assert_eq!(times.on(8), Some(Time::new(381.0)));
        let mut job = Job::new(Time::ZERO, Bytes::new(1e9));
        job.compute = times;
        job.cores = 4;
        let mut invalid = Vec::new();
        job.validate(&mut invalid);
        let ids: Vec<_> = invalid.iter().map(|invalid| invalid.problem.id()).collect();
        assert_eq!(ids, ["workload::no_compute_time"]);
    }
}
