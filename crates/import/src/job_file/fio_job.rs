//! The job that a section of a fio job file describes: order and mix, sizes, threads, rates, pauses and
//! times.

use super::fio_section::Section;
use super::fio_sizes::{range, split};
use super::fio_units::{number, size};
use super::{Job, Rate, Sourced};
use bandgraph_workload::{AccessPattern, OperationKind, Sizes};

/// Engines with one outstanding operation per job, for any `iodepth`.
const SYNCHRONOUS_ENGINES: &[&str] = &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"];
/// The size without `bs`.
const DEFAULT_SIZE: u64 = 4096;

/// Whether a job reads, whether it writes, and its access pattern.
fn direction(value: &str) -> Option<(bool, bool, AccessPattern)> {
    use AccessPattern::{Random, Sequential};

    // `rw:8` jumps after every eighth operation: it counts as sequential, and the caller adds a remark.
    Some(match value.split(':').next().unwrap_or_default() {
        "read" => (true, false, Sequential),
        "write" => (false, true, Sequential),
        "rw" | "readwrite" => (true, true, Sequential),
        "randread" => (true, false, Random),
        "randwrite" => (false, true, Random),
        "randrw" => (true, true, Random),
        _ => return None,
    })
}

impl Section<'_, '_> {
    /// The job that the section describes; `None` and a problem if it describes none.
    pub(super) fn job(&mut self, name: &str) -> Option<Job> {
        let (reads, writes, pattern) = self.direction()?;
        let read_share = self.read_share(reads, writes);
        let sizes = self.io_sizes();
        let (read_size, write_size) = (sizes.value.0.mean().get(), sizes.value.1.mean().get());
        let io_size = (read_size * read_share + write_size * (1.0 - read_share)).round();
        let sizes_range = sizes.range.clone();
        let io_size = Sourced::new(io_size as u64, sizes_range.clone());
        let jobs = self.count(&["numjobs"]);
        let (threads, processes) = self.threads(jobs.as_ref());
        let working_set = self.working_set(jobs.as_ref().map_or(1, |jobs| jobs.value));
        let synchronous = self.flag(&["sync"]);
        let direct = self.flag(&["direct"]);
        // A COMMIT after every n writes.
        let every = self.value(&["fsync", "fdatasync"], "a number of writes", |text, _| {
            number(text)
        });
        let writes_to_commit = every.map_or(0, |every| every.value);
        let commits = if writes_to_commit > 0 {
            (1.0 - read_share) / writes_to_commit as f64
        } else {
            0.0
        };
        let all = 1.0 + commits;
        let depth = threads.value as f64 / jobs.as_ref().map_or(1, |jobs| jobs.value) as f64;
        let think_time_s = self.think_time(all, depth);
        let rate = self.rate(
            read_share,
            [read_size, write_size],
            jobs.map_or(1, |jobs| jobs.value),
        );
        let rate = rate.map(|mut rate| {
            rate.value.operations_per_s *= all;
            rate
        });
        let differ = sizes.value.0 != sizes.value.1 || sizes.value.0.shares().len() > 1;
        let (read_sizes, write_sizes) = if differ {
            let (read, write) = sizes.value;
            let sourced = |sizes| Some(Sourced::new(sizes, sizes_range.clone()));
            (sourced(read), sourced(write))
        } else {
            (None, None)
        };
        let stonewall = self
            .get(&["stonewall", "wait_for_previous"])
            .filter(|given| given.value != "0");
        let stonewall = stonewall.map(|given| given.key_range.clone());
        let start_s = self.seconds(&["startdelay"], 1.0);
        let runtime_s = self.seconds(&["runtime"], 1.0);
        let ramp_s = self.seconds(&["ramp_time"], 1.0);
        let mix = [
            (OperationKind::Read, read_share),
            (OperationKind::Write, 1.0 - read_share),
            (OperationKind::Commit, commits),
        ];
        Some(Job {
            name: Sourced::new(name.to_owned(), self.name.clone()),
            mix: Sourced::new(
                mix.into_iter().filter(|(_, weight)| *weight > 0.0).collect(),
                pattern.range.clone(),
            ),
            pattern,
            io_size: Some(io_size),
            read_sizes: read_sizes.filter(|_| read_share > 0.0),
            write_sizes: write_sizes.filter(|_| read_share < 1.0),
            working_set,
            threads,
            processes,
            think_time_s,
            synchronous,
            direct,
            rate,
            runtime_s,
            ramp_s,
            start_s,
            stop_s: None,
            stonewall,
        })
    }

    fn direction(&mut self) -> Option<(bool, bool, Sourced<AccessPattern>)> {
        let Some(given) = self.get(&["rw", "readwrite"]) else {
            // The default of fio.
            let pattern = Sourced::new(AccessPattern::Sequential, self.name.clone());
            return Some((true, false, pattern));
        };
        if let Some((reads, writes, pattern)) = direction(given.value) {
            if given.value.contains(':') {
                self.file.remark(
                    "what follows the colon is ignored: the job stays in order",
                    given.range.clone(),
                );
            }
            return Some((reads, writes, Sourced::new(pattern, given.range.clone())));
        }
        if given.value.contains("trim") {
            self.file.problem(
                "job_file::not_modelled",
                "trimming is not modelled",
                given.range.clone(),
            );
        } else {
            self.bad(
                "rw",
                given,
                "`read`, `write`, `rw`, `randread`, `randwrite` or `randrw`",
            );
        }
        None
    }

    /// The share of reads.
    fn read_share(&mut self, reads: bool, writes: bool) -> f64 {
        let percent = |text: &str, _| number(text).filter(|percent| *percent <= 100);
        let read = self.value(&["rwmixread"], "a percentage, 0 to 100", percent);
        let write = self.value(&["rwmixwrite"], "a percentage, 0 to 100", percent);
        match (reads, writes) {
            (true, false) => 1.0,
            (false, true) => 0.0,
            _ => {
                // If both counts are given, the later one wins.
                let percent = match (read, write) {
                    (Some(read), Some(write)) if write.range.start > read.range.start => 100 - write.value,
                    (Some(read), _) => read.value,
                    (None, Some(write)) => 100 - write.value,
                    (None, None) => 50,
                };
                percent as f64 / 100.0
            }
        }
    }

    /// Sizes of reads and of writes: from `bssplit`, otherwise `bsrange`, otherwise `bs`.
    fn io_sizes(&mut self) -> Sourced<(Sizes, Sizes)> {
        let split = self.pair(
            &["bssplit"],
            "sizes with percentages, such as `4k/60:64k/40`",
            split,
        );
        let range = self.pair(
            &["bsrange", "blocksize_range"],
            "two sizes, such as `4k-64k`",
            range,
        );
        let same = self.pair(&["bs", "blocksize"], "a size, such as `4k`", |text, base| {
            Sizes::one(size(text, base)?)
        });
        let default = || Sizes::one(DEFAULT_SIZE).expect("a size of an operation");
        match split.or(range).or(same) {
            Some(sizes) => {
                let (read, write) = sizes.value;
                let pair = (read.unwrap_or_else(default), write.unwrap_or_else(default));
                Sourced::new(pair, sizes.range)
            }
            None => Sourced::new((default(), default()), self.name.clone()),
        }
    }

    /// The number of outstanding operations, and the processes that keep them in flight, if these are fewer.
    fn threads(&mut self, jobs: Option<&Sourced<u64>>) -> (Sourced<u64>, Option<Sourced<u64>>) {
        let depth = self.count(&["iodepth"]);
        let engine = self.get(&["ioengine"]).map_or("psync", |given| given.value);
        let jobs = jobs
            .cloned()
            .unwrap_or_else(|| Sourced::new(1, self.name.clone()));
        let Some(depth) = depth.filter(|depth| depth.value > 1) else {
            return (jobs, None);
        };
        if SYNCHRONOUS_ENGINES.contains(&engine) {
            self.file.remark(
                format!("`iodepth` is ignored: the engine `{engine}` has one operation under way, as in fio"),
                depth.range,
            );
            return (jobs, None);
        }
        let threads = Sourced::new(jobs.value.saturating_mul(depth.value), depth.range);
        (threads, Some(jobs))
    }

    /// The working set: each job has its own files unless a file is named.
    fn working_set(&mut self, jobs: u64) -> Option<Sourced<u64>> {
        let size = self.value(
            &["size", "io_size", "filesize"],
            "a size, such as `1g`",
            |text, base| size(text, base).filter(|bytes| *bytes > 0),
        )?;
        let shared = self.get(&["filename"]).is_some();
        let copies = if shared { 1 } else { jobs };
        Some(Sourced::new(size.value.saturating_mul(copies), size.range))
    }

    /// The pause after an operation of one of `depth` that a job keeps in flight; `all` is the number of
    /// operations per read or write. A job issues nothing in a pause.
    fn think_time(&mut self, all: f64, depth: f64) -> Option<Sourced<f64>> {
        let mut pause = self.seconds(&["thinktime"], 1e-6)?;
        let blocks = self.count(&["thinktime_blocks"]).map_or(1, |blocks| blocks.value);
        pause.value *= depth / (blocks as f64 * all);
        Some(pause)
    }

    /// The rate of reads and writes of all jobs together, given the mean size of each.
    fn rate(&mut self, read_share: f64, sizes: [f64; 2], jobs: u64) -> Option<Sourced<Rate>> {
        let poisson = self
            .get(&["rate_process"])
            .is_some_and(|given| given.value == "poisson");
        let counts = self.pair(&["rate_iops"], "operations a second", |text, base| {
            size(text, base)
        });
        let bytes = self.pair(&["rate"], "bytes a second, such as `10m`", size);
        let (limits, units) = match (counts, bytes) {
            (Some(counts), _) => (counts, [1.0; 2]),
            (None, Some(bytes)) => (bytes, sizes),
            (None, None) => return None,
        };
        // Each direction has its own limit, and the job keeps its mix: the tighter limit applies.
        let whole = |limit: Option<u64>, unit: f64, share: f64| match limit {
            Some(limit) if share > 0.0 && limit > 0 => limit as f64 / unit / share,
            _ => f64::INFINITY,
        };
        let read = whole(limits.value.0, units[0], read_share);
        let each = read.min(whole(limits.value.1, units[1], 1.0 - read_share));
        each.is_finite().then(|| {
            let rate = Rate {
                operations_per_s: each * jobs as f64,
                poisson,
            };
            Sourced::new(rate, limits.range)
        })
    }
}
