//! Job files of fio: sections in brackets, options below them (`HOWTO`, "Job file format").
//!
//! A `[global]` section gives defaults to the jobs after it. Read are the options that make the load: `rw`, `bs`, `size`,
//! `numjobs`, `iodepth` (which means nothing to synchronous engines, as in fio), `rwmixread`, `rate`, `rate_iops`,
//! `thinktime`, `sync`, `runtime`, `ramp_time`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::fio_units::{KbBase, number, size, time};
use super::{Job, JobFile, Rate, Sourced};
use crate::{AccessPattern, OperationKind};

/// Options that say where and with what, not how much: they change nothing in the load on a server.
const OF_NO_WEIGHT: &[&str] = &[
    "name",
    "description",
    "group_reporting",
    // Caches of clients are not modelled: all I/O is direct.
    "direct",
    "buffered",
    "directory",
    "filename_format",
    "thread",
    "create_on_open",
    "create_only",
    "fallocate",
    "unlink",
    "invalidate",
    "time_based",
    "randrepeat",
    "allrandrepeat",
    "norandommap",
    "gtod_reduce",
    "eta",
    "per_job_logs",
    "refill_buffers",
    "randseed",
];

/// Engines that have one operation under way per job, whatever `iodepth` says.
const SYNCHRONOUS_ENGINES: &[&str] = &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"];

/// Options of a section: value and places, by name.
type Options<'a> = BTreeMap<&'a str, Given<'a>>;

#[derive(Clone)]
struct Given<'a> {
    value: &'a str,
    key_range: Range<usize>,
    range: Range<usize>,
}

/// Reads a job file.
pub(super) fn read(text: &str) -> JobFile {
    let mut file = JobFile::default();
    let mut global = Options::new();
    let mut section: Option<(&str, Range<usize>, Options<'_>)> = None;
    let mut in_global = false;
    let mut ignored = BTreeMap::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let content = line.trim();
        let from = at + (line.len() - line.trim_start().len());
        let range = from..from + content.len();
        if content.is_empty() || content.starts_with([';', '#']) {
            continue;
        }
        if let Some(inside) = content.strip_prefix('[') {
            if let Some((name, range, options)) = section.take() {
                job(name, range, &options, &mut file, &mut ignored);
            }
            let Some(name) = inside.strip_suffix(']') else {
                file.problem("job_file::syntax", "a section ends in `]`", range);
                in_global = false;
                continue;
            };
            in_global = name == "global";
            if !in_global {
                section = Some((name, range, global.clone()));
            }
            continue;
        }
        let (key, value) = match content.split_once('=') {
            Some((key, value)) => (key.trim_end(), value.trim_start()),
            None => (content, ""),
        };
        if key.starts_with("include ") {
            file.problem_with_help(
                "job_file::syntax",
                "files that a job file includes are not read",
                "write their options into this file",
                range,
            );
            continue;
        }
        let given = Given {
            value,
            key_range: from..from + key.len(),
            range: if value.is_empty() {
                range.clone()
            } else {
                range.end - value.len()..range.end
            },
        };
        if value.contains("${") {
            file.problem(
                "job_file::value",
                "environment variables are not looked up",
                given.range,
            );
            continue;
        }
        match (&mut section, in_global) {
            (Some((_, _, options)), _) => {
                options.insert(key, given);
            }
            (None, true) => {
                global.insert(key, given);
            }
            (None, false) => file.problem_with_help(
                "job_file::syntax",
                format!("`{key}` stands in no section"),
                "sections begin with a line such as `[global]` or `[job]`",
                range,
            ),
        }
    }
    if let Some((name, range, options)) = section.take() {
        job(name, range, &options, &mut file, &mut ignored);
    }
    // An option of `[global]` is remarked on once, not for each job.
    for (_, (message, range)) in ignored {
        file.remark(message, range);
    }
    file
}

/// What a job's section is read with.
struct Section<'a, 'f> {
    options: &'a Options<'a>,
    file: &'f mut JobFile,
    base: KbBase,
    name: Range<usize>,
    read: Vec<&'static str>,
}

impl<'a> Section<'a, '_> {
    /// The option under the first of its names that is there.
    fn get(&mut self, names: &[&'static str]) -> Option<&'a Given<'a>> {
        self.read.extend_from_slice(names);
        names.iter().find_map(|name| self.options.get(name))
    }

    fn bad(&mut self, name: &str, given: &Given<'_>, expected: &str) {
        self.file.problem_with_help(
            "job_file::value",
            format!("`{}` is no value of `{name}`", given.value),
            format!("`{name}` takes {expected}"),
            given.range.clone(),
        );
    }

    /// An option's value by `read`, or `None` with a problem if it has one that it cannot have.
    fn value<T>(
        &mut self,
        names: &[&'static str],
        expected: &str,
        read: impl Fn(&str, KbBase) -> Option<T>,
    ) -> Option<Sourced<T>> {
        let given = self.get(names)?;
        let value = read(given.value, self.base);
        if value.is_none() {
            self.bad(names[0], given, expected);
        }
        Some(Sourced::new(value?, given.range.clone()))
    }

    fn count(&mut self, names: &[&'static str]) -> Option<Sourced<u64>> {
        self.value(names, "a whole number of at least 1", |text, _| {
            number(text).filter(|n| *n > 0)
        })
    }

    fn seconds(&mut self, names: &[&'static str], default_s: f64) -> Option<Sourced<f64>> {
        self.value(names, "a time, such as `30s` or `500us`", |text, _| {
            time(text, default_s)
        })
    }

    /// Values for reads and for writes. One value is for both; of two or three, separated by commas, the second is for
    /// writes.
    fn pair<T: Copy>(
        &mut self,
        names: &[&'static str],
        expected: &str,
        read: impl Fn(&str, KbBase) -> Option<T>,
    ) -> Option<Sourced<(Option<T>, Option<T>)>> {
        self.value(names, expected, |text, base| {
            let value = |text: &str| {
                if text.trim().is_empty() {
                    Some(None)
                } else {
                    read(text, base).map(Some)
                }
            };
            let mut parts = text.split(',');
            let first = value(parts.next()?)?;
            match parts.next() {
                None => Some((first, first)),
                Some(second) => Some((first, value(second)?)),
            }
        })
    }

    fn flag(&mut self, names: &[&'static str]) -> Option<Sourced<bool>> {
        self.value(names, "0 or 1", |text, _| match text {
            "" | "1" | "true" | "sync" | "dsync" => Some(true),
            "0" | "false" | "none" => Some(false),
            _ => None,
        })
    }
}

/// What a job reads, writes or does both of, and in which order.
fn direction(value: &str) -> Option<(bool, bool, AccessPattern)> {
    use AccessPattern::{Random, Sequential};

    // `rw:8` jumps after every eighth operation: sequential all the same, and remarked on by the caller.
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

fn job<'a>(
    name: &'a str,
    range: Range<usize>,
    options: &Options<'a>,
    file: &mut JobFile,
    ignored: &mut BTreeMap<usize, (String, Range<usize>)>,
) {
    let before = file.problems.len();
    let mut section = Section {
        options,
        file,
        base: KbBase::default(),
        name: range.clone(),
        read: Vec::new(),
    };
    if let Some(base) = section.value(&["kb_base"], "1000 or 1024", |text, _| match text {
        "1024" => Some(KbBase::Binary),
        "1000" => Some(KbBase::Decimal),
        _ => None,
    }) {
        section.base = base.value;
    }
    let job = section.job(name);
    let mut read = section.read;
    // Of a job that went wrong, what was not come to is not ignored.
    let Some(job) = job.filter(|_| file.problems.len() == before) else {
        return;
    };
    read.extend_from_slice(OF_NO_WEIGHT);
    for (key, given) in options.iter().filter(|(key, _)| !read.contains(key)) {
        ignored
            .entry(given.key_range.start)
            .or_insert_with(|| (format!("`{key}` is ignored"), given.key_range.clone()));
    }
    file.jobs.push(job);
}

impl Section<'_, '_> {
    fn job(&mut self, name: &str) -> Option<Job> {
        let (reads, writes, pattern) = self.direction()?;
        let read_share = self.read_share(reads, writes);
        let io_size = self.io_size(read_share);
        let jobs = self.count(&["numjobs"]);
        let threads = self.threads(jobs.as_ref());
        let working_set = self.working_set(jobs.as_ref().map_or(1, |jobs| jobs.value));
        let size = io_size.value;
        let synchronous = self.flag(&["sync"]);
        if let Some(fsync) = self.count(&["fsync", "fdatasync"]) {
            self.file.remark(
                "`fsync` is ignored: writes are stable each (`sync=1`) or not at all",
                fsync.range,
            );
        }
        let think_time_s = self.seconds(&["thinktime"], 1e-6);
        let rate = self.rate(read_share, size, jobs.map_or(1, |jobs| jobs.value));
        let runtime_s = self.seconds(&["runtime"], 1.0);
        let ramp_s = self.seconds(&["ramp_time"], 1.0);
        let mix = [
            (OperationKind::Read, read_share),
            (OperationKind::Write, 1.0 - read_share),
        ];
        Some(Job {
            name: Sourced::new(name.to_owned(), self.name.clone()),
            mix: Sourced::new(
                mix.into_iter().filter(|(_, share)| *share > 0.0).collect(),
                pattern.range.clone(),
            ),
            pattern,
            io_size: Some(io_size),
            working_set,
            threads,
            think_time_s,
            synchronous,
            rate,
            runtime_s,
            ramp_s,
        })
    }

    fn direction(&mut self) -> Option<(bool, bool, Sourced<AccessPattern>)> {
        let Some(given) = self.get(&["rw", "readwrite"]) else {
            // As fio has it.
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
                // The later of the two counts, if both are there.
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

    /// One size for all: the mean where reads and writes differ.
    fn io_size(&mut self, read_share: f64) -> Sourced<u64> {
        const DEFAULT: u64 = 4096;
        let sizes = self.pair(&["bs", "blocksize"], "a size, such as `4k`", |text, base| {
            size(text, base).filter(|bytes| *bytes > 0)
        });
        let Some(sizes) = sizes else {
            return Sourced::new(DEFAULT, self.name.clone());
        };
        let (read, write) = sizes.value;
        let (read, write) = (read.unwrap_or(DEFAULT), write.unwrap_or(DEFAULT));
        let mean = (read as f64 * read_share + write as f64 * (1.0 - read_share)).round() as u64;
        if read != write && read_share > 0.0 && read_share < 1.0 {
            self.file.remark(
                format!("reads of {read} B and writes of {write} B are taken as {mean} B each, their mean"),
                sizes.range.clone(),
            );
        }
        Sourced::new(mean, sizes.range)
    }

    /// Operations under way at once.
    fn threads(&mut self, jobs: Option<&Sourced<u64>>) -> Sourced<u64> {
        let depth = self.count(&["iodepth"]);
        let engine = self.get(&["ioengine"]).map_or("psync", |given| given.value);
        let jobs = jobs
            .cloned()
            .unwrap_or_else(|| Sourced::new(1, self.name.clone()));
        let Some(depth) = depth.filter(|depth| depth.value > 1) else {
            return jobs;
        };
        if SYNCHRONOUS_ENGINES.contains(&engine) {
            self.file.remark(
                format!("`iodepth` is ignored: the engine `{engine}` has one operation under way, as in fio"),
                depth.range,
            );
            return jobs;
        }
        Sourced::new(jobs.value.saturating_mul(depth.value), depth.range)
    }

    /// All data: each job has files of its own, unless a file is named.
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

    /// The rate of all jobs together, in operations.
    fn rate(&mut self, read_share: f64, io_size: u64, jobs: u64) -> Option<Sourced<Rate>> {
        let poisson = self
            .get(&["rate_process"])
            .is_some_and(|given| given.value == "poisson");
        let counts = self.pair(&["rate_iops"], "operations a second", |text, base| {
            size(text, base)
        });
        let bytes = self.pair(&["rate"], "bytes a second, such as `10m`", size);
        let (limits, unit) = match (counts, bytes) {
            (Some(counts), _) => (counts, 1.0),
            (None, Some(bytes)) => (bytes, io_size as f64),
            (None, None) => return None,
        };
        // Each direction has a limit of its own, and the job keeps to its mix: the tighter of the two counts.
        let whole = |limit: Option<u64>, share: f64| match limit {
            Some(limit) if share > 0.0 && limit > 0 => limit as f64 / unit / share,
            _ => f64::INFINITY,
        };
        let each = whole(limits.value.0, read_share).min(whole(limits.value.1, 1.0 - read_share));
        each.is_finite().then(|| {
            let rate = Rate {
                operations_per_s: each * jobs as f64,
                poisson,
            };
            Sourced::new(rate, limits.range)
        })
    }
}
