//! Job files of load generators, read as workloads.
//!
//! [`read`] takes the text of a job file of fio or of a personality of Filebench (WML) and gives [`Job`]s:
//! operations, sizes, threads, each with its place in the text. Reading never stops at the first problem.
//! What a job file says and is not read is listed as a [`Remark`], never passed over in silence.
//!
//! ```
//! use bandgraph_workload::job_file::read;
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

use crate::{AccessPattern, OperationKind, Sizes};

/// The most jobs of a file.
pub const MAX_FILE_JOBS: usize = 256;

/// A value, and where in the text it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Bytes of the text.
    pub range: Range<usize>,
}

impl<T> Sourced<T> {
    fn new(value: T, range: Range<usize>) -> Self {
        Self { value, range }
    }
}

/// What the threads of a job do. What the file does not say is `None`, or has the generator's own default.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The name of the section, or of the process and its thread.
    pub name: Sourced<String>,
    /// Operations with their weights.
    pub mix: Sourced<Vec<(OperationKind, f64)>>,
    /// The order in which data is visited.
    pub pattern: Sourced<AccessPattern>,
    /// File data of each read or write, in bytes, on average; `None` if there is none of either.
    pub io_size: Option<Sourced<u64>>,
    /// The sizes of reads, where not all reads and writes are of one size.
    pub read_sizes: Option<Sourced<Sizes>>,
    /// The sizes of writes.
    pub write_sizes: Option<Sourced<Sizes>>,
    /// All data that is visited, in bytes.
    pub working_set: Option<Sourced<u64>>,
    /// Operations that are under way at once.
    pub threads: Sourced<u64>,
    /// Seconds of pause between a reply and the next operation.
    pub think_time_s: Option<Sourced<f64>>,
    /// Whether every write is on stable storage before its reply.
    pub synchronous: Option<Sourced<bool>>,
    /// Whether it goes around the cache of the system that it runs on. Caches of clients are not modelled, so that this
    /// matters to jobs on the server itself.
    pub direct: Option<Sourced<bool>>,
    /// Operations a second of one client at the most.
    pub rate: Option<Sourced<Rate>>,
    /// Seconds that it runs, once it is warm.
    pub runtime_s: Option<Sourced<f64>>,
    /// Seconds of running before anything is measured.
    pub ramp_s: Option<Sourced<f64>>,
    /// Seconds after which it begins.
    pub start_s: Option<Sourced<f64>>,
    /// Seconds after which it ends, where others go on.
    pub stop_s: Option<Sourced<f64>>,
    /// Where it says that it waits for the jobs before it.
    stonewall: Option<Range<usize>>,
}

/// Operations at a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Operations a second.
    pub operations_per_s: f64,
    /// Whether they come at random (Poisson), not evenly.
    pub poisson: bool,
}

/// What a job file says and a workload does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What becomes of it.
    pub message: String,
    /// Where it stands.
    pub range: Range<usize>,
}

/// What is wrong with a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobProblem {
    /// A key of [`EXPLANATIONS`].
    pub id: &'static str,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
    /// Where it stands.
    pub range: Range<usize>,
}

/// What a job file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobFile {
    /// The jobs, in the order of the text.
    pub jobs: Vec<Job>,
    /// What was not read.
    pub remarks: Vec<Remark>,
    /// What is wrong; the jobs are of use only without.
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
    fn problem(&mut self, id: &'static str, message: impl Into<String>, range: Range<usize>) {
        self.problems.push(JobProblem {
            id,
            message: message.into(),
            help: None,
            range,
        });
    }

    fn problem_with_help(
        &mut self,
        id: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
        range: Range<usize>,
    ) {
        self.problems.push(JobProblem {
            id,
            message: message.into(),
            help: Some(help.into()),
            range,
        });
    }

    fn remark(&mut self, message: impl Into<String>, range: Range<usize>) {
        self.remarks.push(Remark {
            message: message.into(),
            range,
        });
    }
}

/// A paragraph for every [`JobProblem::id`].
pub const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "job_file::syntax",
        "The text is not as job files are written: in a file of fio, `[section]` lines and `option=value` lines below \
         them; in one of Filebench, `define`, `set` and `run` with their attributes. The caret shows where it ceases to be.",
    ),
    (
        "job_file::value",
        "The option has a value that it cannot have, or that is not understood: sizes are numbers with an optional \
         suffix (`4k`, `1g`), times likewise (`30s`, `500us`). Expressions, percentages and environment variables are \
         not evaluated.",
    ),
    (
        "job_file::not_modelled",
        "The job asks for a kind of load that is not modelled. That is an error and not a remark, because without it \
         there is nothing left of the job, or something else altogether.",
    ),
    (
        "job_file::unknown_name",
        "A name refers to something that the file does not define: a variable that is not set, a set of \
         files that is \
         not there.",
    ),
    (
        "job_file::ignored",
        "A remark and not an error: the option is known to the program that the file was written for, and nothing here \
         depends on it, or something that would is not modelled. The message says which. What is computed is the load \
         without it.",
    ),
    (
        "job_file::unknown_option",
        "The program that the file was written for has no option of this name, but one whose name is nearly \
         the same: \
         the option that was meant would have no effect. fio refuses such a file too.",
    ),
    (
        "job_file::no_job",
        "There is no job in the file: no section other than `[global]`, or no process. Nothing would be \
         asked of the server.",
    ),
    (
        "job_file::too_many",
        "The file has more jobs than one scenario may have workloads made of it.",
    ),
];
