//! Invalid values of a workload, a client group or a network.

use std::collections::BTreeSet;

use bandgraph_config::OutOfRange;
use thiserror::Error;

/// A field with an invalid value.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{field}: {problem}")]
pub struct InvalidField {
    /// The field's name, as in the struct and in files: `"threads_per_client"`, or `"nics.rate"` for a nested
    /// field.
    pub field: String,
    /// The problem of its value.
    pub problem: Problem,
}

/// Why a value is invalid. Messages fit after "failed: ", in lower case.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A number out of the field's range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// An empty name.
    #[error("must not be empty")]
    Empty,
    /// A repeated entry in a list.
    #[error("`{entry}` is named twice")]
    Repeated {
        /// The entry.
        entry: String,
    },
    /// An operation that the protocol does not have.
    #[error("{protocol} has no operation `{operation}`")]
    NoSuchOperation {
        /// The protocol's name.
        protocol: &'static str,
        /// The operation's name.
        operation: &'static str,
    },
    /// Operations larger than the working set.
    #[error("{io_size} at a time do not fit a working set of {working_set}")]
    LargerThanWorkingSet {
        /// The I/O size.
        io_size: String,
        /// The working set.
        working_set: String,
    },
    /// A job on a number of cores without a compute time.
    #[error("there is no time for {cores} cores")]
    NoComputeTime {
        /// The cores of the job.
        cores: u32,
    },
    /// A job whose operations move no data.
    #[error("a job's mix reads or writes: that is how its data is counted")]
    NoJobData,
    /// A barrier between operations that no fixed set of threads issues.
    #[error("only threads that are there for the whole run, each with one call out, wait for each other")]
    NoBarrier,
    /// Processes with asynchronous I/O that compute.
    #[error("only processes that do nothing but I/O share the work on a core")]
    NoProcesses,
    /// Copies of data that an erasure code divides.
    #[error("data is kept in copies or in the parts of a code, not in both")]
    CopiesAndParts,
    /// More copies than servers.
    #[error(
        "{copies} copies need as many servers, and there are {servers}: those on drives of one server are \
         `kind = \"mirror\"` and `width` of its pool"
    )]
    MoreCopiesThanServers {
        /// The copies.
        copies: u32,
        /// The servers.
        servers: u32,
    },
    /// Parts of a code without parts of data.
    #[error("a code has parts of data beside them: give `data_parts`")]
    CodeWithoutData,
    /// A stop time before the start time.
    #[error("{stop} is not after the start at {start}")]
    StopsBeforeItStarts {
        /// The start as printed.
        start: String,
        /// The end as printed.
        stop: String,
    },
    /// More threads in total than a simulation supports.
    #[error("{clients} clients of {threads} threads are more than {maximum} threads in all")]
    TooManyStreams {
        /// Clients in the group.
        clients: u32,
        /// Threads per client.
        threads: u32,
        /// The largest product allowed.
        maximum: u64,
    },
}

impl Problem {
    /// This problem of a field.
    pub(crate) fn of(self, field: &str) -> InvalidField {
        InvalidField {
            field: field.to_owned(),
            problem: self,
        }
    }

    /// The stable name of the kind of problem, a key of [`EXPLANATIONS`].
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Range(OutOfRange::NotFinite) => "workload::not_finite",
            Self::Range(OutOfRange::TooSmall { .. }) => "workload::too_small",
            Self::Range(OutOfRange::NotPositive { .. }) => "workload::not_positive",
            Self::Range(OutOfRange::TooLarge { .. }) => "workload::too_large",
            Self::Range(OutOfRange::NotWhole { .. }) => "workload::not_whole",
            Self::Range(OutOfRange::NotMultiple { .. }) => "workload::not_multiple",
            Self::Empty => "workload::empty",
            Self::Repeated { .. } => "workload::repeated",
            Self::NoSuchOperation { .. } => "workload::no_such_operation",
            Self::LargerThanWorkingSet { .. } => "workload::larger_than_working_set",
            Self::NoComputeTime { .. } => "workload::no_compute_time",
            Self::NoJobData => "workload::no_job_data",
            Self::NoBarrier => "workload::no_barrier",
            Self::NoProcesses => "workload::no_processes",
            Self::CopiesAndParts => "workload::copies_and_parts",
            Self::MoreCopiesThanServers { .. } => "workload::more_copies_than_servers",
            Self::CodeWithoutData => "workload::code_without_data",
            Self::StopsBeforeItStarts { .. } => "workload::stops_before_it_starts",
            Self::TooManyStreams { .. } => "workload::too_many_streams",
        }
    }
}

/// Checks the ranges of fields.
pub(crate) fn within_ranges(
    check: impl FnOnce(&mut Vec<bandgraph_config::InvalidField>),
) -> Vec<InvalidField> {
    let mut found = Vec::new();
    check(&mut found);
    let problems = found.into_iter();
    problems
        .map(|invalid| Problem::Range(invalid.problem).of(&invalid.field))
        .collect()
}

/// Checks a list of names: none is empty, and none is there twice.
pub(crate) fn check_names(field: &str, names: &[String], invalid: &mut Vec<InvalidField>) {
    let mut known = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            invalid.push(Problem::Empty.of(field));
        } else if !known.insert(name) {
            invalid.push(Problem::Repeated { entry: name.clone() }.of(field));
        }
    }
}

/// An explanation of every [`Problem::id`] and every [`MixError::id`](crate::MixError::id).
pub const EXPLANATIONS: &str = include_str!("explanations.txt");

/// The fields and the ids of their problems, for tests.
#[cfg(test)]
pub(crate) fn ids(invalid: Vec<InvalidField>) -> Vec<(String, &'static str)> {
    let ids = invalid.into_iter();
    ids.map(|invalid| (invalid.field, invalid.problem.id())).collect()
}

/// The expected result of [`ids`].
#[cfg(test)]
pub(crate) fn named(expected: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
    expected
        .iter()
        .map(|(field, id)| ((*field).to_owned(), *id))
        .collect()
}

#[cfg(test)]
mod tests {
    use bandgraph_diagnostics::Explanation;

    use super::*;
    use crate::{MixError, OperationKind};

    fn one_of_each() -> Vec<Problem> {
        let text = || "3".to_owned();
        vec![
            OutOfRange::NotFinite.into(),
            OutOfRange::TooSmall {
                minimum: text(),
                found: text(),
            }
            .into(),
            OutOfRange::NotPositive { found: text() }.into(),
            OutOfRange::TooLarge {
                maximum: text(),
                found: text(),
            }
            .into(),
            OutOfRange::NotWhole {
                of: "",
                found: text(),
            }
            .into(),
            OutOfRange::NotMultiple {
                multiple: text(),
                found: text(),
            }
            .into(),
            Problem::Empty,
            Problem::Repeated {
                entry: "nic0.0".to_owned(),
            },
            Problem::NoSuchOperation {
                protocol: "nfs3-tcp",
                operation: "read",
            },
            Problem::LargerThanWorkingSet {
                io_size: text(),
                working_set: text(),
            },
            Problem::NoComputeTime { cores: 3 },
            Problem::NoJobData,
            Problem::NoBarrier,
            Problem::NoProcesses,
            Problem::CopiesAndParts,
            Problem::MoreCopiesThanServers {
                copies: 3,
                servers: 1,
            },
            Problem::CodeWithoutData,
            Problem::StopsBeforeItStarts {
                start: "1 s".to_owned(),
                stop: "1 s".to_owned(),
            },
            Problem::TooManyStreams {
                clients: 1,
                threads: 1,
                maximum: 1,
            },
        ]
    }

    #[test]
    fn every_problem_is_explained_and_nothing_else() {
        let mut ids: Vec<&str> = one_of_each().iter().map(Problem::id).collect();
        let mixes = [
            MixError::Empty,
            MixError::BadWeight {
                operation: OperationKind::Read,
                weight: 0.0,
            },
            MixError::Repeated {
                operation: OperationKind::Read,
            },
            MixError::TooMany { count: 99 },
        ];
        ids.extend(mixes.iter().map(MixError::id));
        let explained: Vec<&str> = Explanation::all_of(EXPLANATIONS).map(|one| one.id).collect();
        assert_eq!(ids, explained);
    }
}
