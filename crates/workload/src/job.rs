//! Jobs: so much computing and so much I/O, after which a job is done.
//!
//! A job runs as one process on each of its cores. Computing is spread evenly between its I/O, and over its
//! processes: what matters is how much of either there is, and what holds it up. A batch is many like jobs,
//! of which as many run at a time as there is room for.

use bandgraph_units::{Bandwidth, Bytes, Fraction, Time};

use crate::invalid::{InvalidField, Problem, Range};

/// The most jobs of a batch.
pub const MAX_JOBS: u32 = 1_000_000;
/// The most cores of a job.
pub const MAX_JOB_CORES: u32 = 1024;
/// The longest a job may compute: a year.
const MAX_COMPUTE: Time = Time::new(3.2e7);
/// The most data that a job reads and writes: 1 EiB.
const MAX_DATA: Bytes = Bytes::new(1_152_921_504_606_846_976.0);

/// What a thread does between its operations, and when it is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Jobs of the batch, 1 to [`MAX_JOBS`].
    pub count: u32,
    /// Cores that each job runs on, 1 to [`MAX_JOB_CORES`]: with a process, a thread of the workload, on
    /// each.
    pub cores: u32,
    /// How long a job computes, I/O excepted, by the number of its cores; a lone time holds for any number.
    pub compute: ComputeTimes,
    /// Share of the computing, 0 to 1, that waits for memory, and so is longer where memory is slower.
    pub memory_bound: Fraction,
    /// The rate of a memory channel at which the times hold; zero for that of the server, whatever it is.
    pub memory_rate: Bandwidth,
    /// Data that a job reads and writes: all its processes together, or each of them.
    pub data: Bytes,
    /// Whether `data` and the re-use distance are those of each process: processes that work on parts of
    /// their own, with files of their own.
    pub per_process: bool,
    /// Memory that every process takes, which the cache cannot have; of jobs on the server itself.
    pub memory: Bytes,
    /// When the job comes back to its data; where nothing is said, the workload's set and pattern decide what
    /// is cached.
    pub reuse: Option<Reuse>,
}

impl Job {
    /// A job on one core that computes for so long, and reads and writes so much.
    pub fn new(compute: Time, data: Bytes) -> Self {
        Self {
            count: 1,
            cores: 1,
            compute: ComputeTimes::Any(compute),
            memory_bound: Fraction::new(0.0),
            memory_rate: Bandwidth::ZERO,
            data,
            per_process: false,
            memory: Bytes::ZERO,
            reuse: None,
        }
    }

    /// How many times over the data of [`data`](Self::data) a job has.
    fn parts(&self) -> f64 {
        if self.per_process {
            f64::from(self.cores)
        } else {
            1.0
        }
    }

    /// Data that a job reads and writes, all its processes together.
    pub fn all_data(&self) -> Bytes {
        self.data * self.parts()
    }

    /// Share of a job's reads that its part of a cache answers; `None` where nothing is said of re-use.
    pub fn hit_rate(&self, cache: Bytes) -> Option<Fraction> {
        // Processes take turns: between two visits of one to its data, all others touch as much of theirs.
        Some(self.reuse?.hit_rate(cache / self.parts()))
    }

    /// How long a job computes where a memory channel has this rate; `None` where its number of cores has no
    /// time.
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

    /// Every field that is out of its range; empty if all is well.
    pub(crate) fn validate(&self, invalid: &mut Vec<InvalidField>) {
        Range::count(1, MAX_JOBS).check("job.count", f64::from(self.count), invalid);
        Range::count(1, MAX_JOB_CORES).check("job.cores", f64::from(self.cores), invalid);
        for time in self.compute.times() {
            Range::time(MAX_COMPUTE).check("job.compute", time.get(), invalid);
        }
        if self.compute.on(self.cores).is_none() {
            invalid.push(InvalidField {
                field: "job.compute",
                problem: Problem::NoComputeTime { cores: self.cores },
            });
        }
        Range::number(0.0, 1.0).check("job.memory_bound", self.memory_bound.get(), invalid);
        Range::bytes(Bytes::new(1.0), MAX_DATA).check("job.data", self.data.get(), invalid);
        Range::bytes(Bytes::ZERO, MAX_DATA).check("job.memory", self.memory.get(), invalid);
        if let Some(reuse) = &self.reuse {
            Range::number(0.0, 1e18)
                .positive()
                .check("job.reuse_distance", reuse.distance.get(), invalid);
            Range::number(0.0, 1.0).check("job.first_reads", reuse.first_reads.get(), invalid);
        }
    }
}

/// How long a job computes.
#[derive(Clone, Debug, PartialEq)]
pub enum ComputeTimes {
    /// So long, on any number of cores.
    Any(Time),
    /// So long on so many cores.
    ByCores(Vec<(u32, Time)>),
    /// One part that a single core does, and one that all share (Amdahl's law).
    Amdahl {
        /// What more cores do not shorten.
        serial: Time,
        /// What one core alone would take for the rest.
        parallel: Time,
    },
}

impl ComputeTimes {
    /// The time on so many cores.
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

/// How re-use distances lie around their mean. The re-use distance of a read is how much other data its job
/// has read and written since it last touched the same data: least-recently-used replacement has it still if
/// the cache is larger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReuseSpread {
    /// Exponentially: many short ones, a few that are several times the mean.
    #[default]
    Exponential,
    /// Evenly from nothing to twice the mean.
    Uniform,
    /// All the same: a loop over so much data.
    Fixed,
}

impl ReuseSpread {
    /// The names that files use, in the order of declaration.
    pub const WORDS: &'static [&'static str] = &["exponential", "uniform", "fixed"];

    /// The spread of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Exponential, Self::Uniform, Self::Fixed]
            .into_iter()
            .find(|spread| spread.as_str() == name)
    }

    /// The name that files use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::Uniform => "uniform",
            Self::Fixed => "fixed",
        }
    }
}

/// When a job reads data again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reuse {
    /// The mean re-use distance.
    pub distance: Bytes,
    /// How distances lie around it.
    pub spread: ReuseSpread,
    /// Share of the reads, 0 to 1, whose data was never touched before.
    pub first_reads: Fraction,
}

impl Reuse {
    /// Share of the reads that a cache of this size answers.
    pub fn hit_rate(&self, cache: Bytes) -> Fraction {
        let ratio = (cache.get() / self.distance.get()).max(0.0);
        let near = match self.spread {
            ReuseSpread::Exponential => -(-ratio).exp_m1(),
            ReuseSpread::Uniform => (ratio / 2.0).min(1.0),
            // Equal but for rounding is equal.
            ReuseSpread::Fixed => f64::from(ratio >= 1.0 - 1e-12),
        };
        Fraction::new((1.0 - self.first_reads.get()) * near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reuse(spread: ReuseSpread, first_reads: f64) -> Reuse {
        Reuse {
            distance: Bytes::new(10e9),
            spread,
            first_reads: Fraction::new(first_reads),
        }
    }

    #[test]
    fn hit_rates_are_the_distributions_below_the_cache() {
        let hit = |spread, cache: f64| reuse(spread, 0.0).hit_rate(Bytes::new(cache)).get();
        assert_eq!(hit(ReuseSpread::Fixed, 9e9), 0.0);
        assert_eq!(hit(ReuseSpread::Fixed, 10e9), 1.0);
        assert_eq!(hit(ReuseSpread::Uniform, 5e9), 0.25);
        assert_eq!(hit(ReuseSpread::Uniform, 30e9), 1.0);
        assert!((hit(ReuseSpread::Exponential, 10e9) - (1.0 - 1.0 / std::f64::consts::E)).abs() < 1e-12);
        assert_eq!(hit(ReuseSpread::Exponential, -1.0), 0.0);
        // What was never touched is in no cache.
        assert_eq!(
            reuse(ReuseSpread::Fixed, 0.25).hit_rate(Bytes::new(1e12)).get(),
            0.75
        );
    }

    /// By hand: a fifth of 100 s waits for memory of which a channel has 10.667 GB/s; at 8.533, that fifth
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

    /// By hand: 282 s and 602 s over 8 cores are 357.25 s; 20 GB of each of 8 processes are 160 GB, and each
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
        job.reuse = Some(reuse(ReuseSpread::Uniform, 0.0));
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

    #[test]
    fn names_of_spreads_read_back() {
        for word in ReuseSpread::WORDS {
            assert_eq!(ReuseSpread::from_name(word).map(ReuseSpread::as_str), Some(*word));
        }
        assert_eq!(ReuseSpread::from_name("normal"), None);
    }
}
