//! Job files of load generators, read as workloads.
//!
//! [`read`] takes the text of a fio job file or of a Filebench personality (WML) and returns [`Job`]s:
//! operations, sizes, threads, each with its position in the text. Reading continues after a problem. A
//! [`Remark`] reports each setting that has no effect.
//!
//! ```
//! use bandgraph_import::job_file::read;
//!
//! let file = read("[global]\nbs=4k\nsize=1g\n[job]\nrw=randread\nnumjobs=8\n");
//! let job = &file.jobs[0];
//! assert_eq!(job.io_size.as_ref().map(|size| size.value), Some(4096));
//! assert_eq!(job.threads.value, 8);
//! assert!(file.remarks.is_empty());
//! ```

mod fio;
mod fio_job;
mod fio_section;
mod fio_sizes;
mod fio_units;
mod wml;
mod wml_load;
mod wml_syntax;

#[cfg(test)]
mod tests;

use std::ops::Range;

use bandgraph_workload::{AccessPattern, OperationKind, Sizes};

/// The maximum number of jobs in a file.
pub const MAX_FILE_JOBS: usize = 256;

/// A value and its position in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Byte range in the text.
    pub range: Range<usize>,
}

impl<T> Sourced<T> {
    fn new(value: T, range: Range<usize>) -> Self {
        Self { value, range }
    }
}

/// The activity of a job's threads. A missing setting is `None`, or has the generator's own default.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The name of the section, or of the process and its thread.
    pub name: Sourced<String>,
    /// Operations with their weights.
    pub mix: Sourced<Vec<(OperationKind, f64)>>,
    /// The access pattern.
    pub pattern: Sourced<AccessPattern>,
    /// Mean file data of a read or write, in bytes; `None` without reads and writes.
    pub io_size: Option<Sourced<u64>>,
    /// The sizes of reads, unless all reads and writes have the same size.
    pub read_sizes: Option<Sourced<Sizes>>,
    /// The sizes of writes.
    pub write_sizes: Option<Sourced<Sizes>>,
    /// The working set, in bytes.
    pub working_set: Option<Sourced<u64>>,
    /// The number of concurrent operations.
    pub threads: Sourced<u64>,
    /// The processes that keep them in flight, if these are fewer; each is one stream if it is sequential.
    pub processes: Option<Sourced<u64>>,
    /// Think time between a reply and the next operation, in seconds.
    pub think_time_s: Option<Sourced<f64>>,
    /// Whether every write is on stable storage before its reply.
    pub synchronous: Option<Sourced<bool>>,
    /// Whether it bypasses the cache of the system that it runs on. Caches of clients are not modelled, so
    /// that this matters only for jobs on the server itself.
    pub direct: Option<Sourced<bool>>,
    /// The maximum rate of one client, in operations per second.
    pub rate: Option<Sourced<Rate>>,
    /// Measured run time, in seconds.
    pub runtime_s: Option<Sourced<f64>>,
    /// Warm-up time before the measurement, in seconds.
    pub ramp_s: Option<Sourced<f64>>,
    /// Start time, in seconds.
    pub start_s: Option<Sourced<f64>>,
    /// Stop time, in seconds, if other jobs continue.
    pub stop_s: Option<Sourced<f64>>,
    /// Position of the option that makes it wait for previous jobs.
    stonewall: Option<Range<usize>>,
}

/// An operation rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Operations per second.
    pub operations_per_s: f64,
    /// Whether arrivals are random (Poisson), not evenly spaced.
    pub poisson: bool,
}

/// A setting of a job file that a workload does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its effect, in words.
    pub message: String,
    /// Its position.
    pub range: Range<usize>,
}

/// A problem of a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobProblem {
    /// A key of [`EXPLANATIONS`].
    pub id: &'static str,
    /// The problem.
    pub message: String,
    /// The correct form, if known.
    pub help: Option<String>,
    /// Its position.
    pub range: Range<usize>,
}

/// The contents of a job file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobFile {
    /// The jobs, in the order of the text.
    pub jobs: Vec<Job>,
    /// Settings without effect.
    pub remarks: Vec<Remark>,
    /// Problems; the jobs are valid only if there are none.
    pub problems: Vec<JobProblem>,
}

/// Reads a job file: of Filebench if its first word is one of that language, otherwise of fio.
pub fn read(text: &str) -> JobFile {
    let mut file = if wml::is_wml(text) {
        wml::read(text)
    } else {
        fio::read(text)
    };
    if file.jobs.len() > MAX_FILE_JOBS {
        file.problem(
            "job_file::too_many",
            format!("{} jobs are more than {MAX_FILE_JOBS}", file.jobs.len()),
            0..0,
        );
        file.jobs.truncate(MAX_FILE_JOBS);
    }
    if file.jobs.is_empty() && file.problems.is_empty() {
        file.problem("job_file::no_job", "there is no job in this file", 0..0);
    }
    file
}

impl JobFile {
    fn syntax(&mut self, message: impl Into<String>, range: Range<usize>) {
        self.problem("job_file::syntax", message, range);
    }

    fn problem(&mut self, id: &'static str, message: impl Into<String>, range: Range<usize>) {
        self.problems.push(JobProblem {
            id,
            message: message.into(),
            help: None,
            range,
        });
    }

    /// Says how the last problem is corrected.
    fn help(&mut self, help: impl Into<String>) {
        if let Some(problem) = self.problems.last_mut() {
            problem.help = Some(help.into());
        }
    }

    fn remark(&mut self, message: impl Into<String>, range: Range<usize>) {
        self.remarks.push(Remark {
            message: message.into(),
            range,
        });
    }
}

/// An explanation of every [`JobProblem::id`].
pub const EXPLANATIONS: &str = include_str!("explanations.txt");
