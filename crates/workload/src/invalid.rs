//! What can be wrong with a value of a workload, a client group or a network.

use std::fmt;

use bandgraph_units::{Bandwidth, Bytes, OperationRate, Quantity, QuantityKind, Time};
use thiserror::Error;

/// A field with a value that it cannot have.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{field}: {problem}")]
pub struct InvalidField {
    /// The field's name, as in the struct and in files: `"threads_per_client"`, or `"nics.rate"` inside
    /// another.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a value. Messages fit after "failed: ", in lower case.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Not a number, or infinite.
    #[error("must be a finite number")]
    NotFinite,
    /// Below what the field allows.
    #[error("{} is less than the smallest possible, {}", .value, .minimum)]
    TooSmall {
        /// The value as printed.
        value: Printed,
        /// The smallest allowed.
        minimum: Printed,
    },
    /// Zero or less, where any positive value would do.
    #[error("{value} is not more than zero")]
    NotPositive {
        /// The value as printed.
        value: Printed,
    },
    /// Above what the field allows.
    #[error("{value} is more than the largest possible, {maximum}")]
    TooLarge {
        /// The value as printed.
        value: Printed,
        /// The largest allowed.
        maximum: Printed,
    },
    /// A fraction, where there are only whole ones.
    #[error("{value} is not a whole number")]
    NotWhole {
        /// The value as printed.
        value: Printed,
    },
    /// Not a multiple of what it is counted in.
    #[error("{value} is not a multiple of {of} B")]
    NotMultiple {
        /// The value as printed.
        value: Printed,
        /// What it must be a multiple of.
        of: u32,
    },
    /// A name that must not be empty.
    #[error("must not be empty")]
    Empty,
    /// The same entry twice in a list.
    #[error("`{entry}` is named twice")]
    Repeated {
        /// The entry.
        entry: String,
    },
    /// A kind of operation that the protocol does not have.
    #[error("{protocol} has no operation `{operation}`")]
    NoSuchOperation {
        /// The protocol's name.
        protocol: &'static str,
        /// The operation's name.
        operation: &'static str,
    },
    /// Operations that are larger than all the data there is.
    #[error("{io_size} at a time do not fit a working set of {working_set}")]
    LargerThanWorkingSet {
        /// The I/O size.
        io_size: Printed,
        /// The working set.
        working_set: Printed,
    },
    /// A job on a number of cores for which no time was given.
    #[error("there is no time for {cores} cores")]
    NoComputeTime {
        /// The cores of the job.
        cores: u32,
    },
    /// A job whose operations move no data.
    #[error("a job's mix reads or writes: that is how its data is counted")]
    NoJobData,
    /// An end before the beginning.
    #[error("{stop} is not after the start at {start}")]
    StopsBeforeItStarts {
        /// The start as printed.
        start: String,
        /// The end as printed.
        stop: String,
    },
    /// More threads in all than can be simulated.
    #[error("{clients} clients of {threads} threads are more than {maximum} threads in all")]
    TooManyStreams {
        /// Clients in the group.
        clients: u32,
        /// Threads of each.
        threads: u32,
        /// The largest product allowed.
        maximum: u64,
    },
}

impl Problem {
    /// The stable name of the kind of problem, a key of [`EXPLANATIONS`].
    pub const fn id(&self) -> &'static str {
        match self {
            Self::NotFinite => "workload::not_finite",
            Self::TooSmall { .. } => "workload::too_small",
            Self::NotPositive { .. } => "workload::not_positive",
            Self::TooLarge { .. } => "workload::too_large",
            Self::NotWhole { .. } => "workload::not_whole",
            Self::NotMultiple { .. } => "workload::not_multiple",
            Self::Empty => "workload::empty",
            Self::Repeated { .. } => "workload::repeated",
            Self::NoSuchOperation { .. } => "workload::no_such_operation",
            Self::LargerThanWorkingSet { .. } => "workload::larger_than_working_set",
            Self::NoComputeTime { .. } => "workload::no_compute_time",
            Self::NoJobData => "workload::no_job_data",
            Self::StopsBeforeItStarts { .. } => "workload::stops_before_it_starts",
            Self::TooManyStreams { .. } => "workload::too_many_streams",
        }
    }
}

/// A text that names no operation, protocol, pattern or whatever else was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{found}` is not the name of {expected}")]
pub struct UnknownName {
    /// What the text should have named, as `"an operation"`. The type that was asked for lists all names in
    /// its `ALL`.
    pub expected: &'static str,
    /// The text.
    pub found: String,
}

/// A paragraph for every [`Problem::id`] and every [`MixError::id`](crate::MixError::id).
pub const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "workload::not_finite",
        "The value is infinite or not a number. Every figure of a workload is a finite amount.",
    ),
    (
        "workload::too_small",
        "The value is below what the field allows. An MTU has the minimum that IPv4 requires of every host; counts of \
         clients, cards and threads begin at 1, because a group without any would ask for nothing.",
    ),
    (
        "workload::not_positive",
        "The value is zero or negative, where something must be there: a network card that carries nothing, or reads of \
         no bytes, would make an endless run without progress.",
    ),
    (
        "workload::too_large",
        "The value is above what the field allows. The limits keep runs within the memory of a workstation and are far \
         from anything that was ever built; each is documented with its field.",
    ),
    (
        "workload::not_whole",
        "The value has a fraction, but counts things that are only there as a whole: bytes of a packet or of an \
         operation.",
    ),
    (
        "workload::not_multiple",
        "XDR, the encoding of RPC, counts in units of four bytes, so the size of credentials is a multiple of 4.",
    ),
    (
        "workload::empty",
        "The name or list is empty, and must say something.",
    ),
    (
        "workload::repeated",
        "The list names the same entry twice. A port serves a group once; list each port one time.",
    ),
    (
        "workload::no_such_operation",
        "The mix has an operation that the protocol does not have. Choose another operation or another protocol.",
    ),
    (
        "workload::larger_than_working_set",
        "One operation is larger than the whole working set. Make the operations smaller or the working set larger.",
    ),
    (
        "workload::no_compute_time",
        "A job says how long it computes for each number of cores that it may run on, as \"1: 884 s, 8: 381 s\", or once for \
         any number. It runs on a number of cores that is not among them.",
    ),
    (
        "workload::no_job_data",
        "The data of a job is what its operations read and write, so its mix has to have one of them. Take the `job` away \
         for a workload that only asks for names and attributes.",
    ),
    (
        "workload::stops_before_it_starts",
        "A workload that has a `stop` issues operations from its `start` to that time; both count from the start of the \
         run, warm-up included. The one must come after the other.",
    ),
    (
        "workload::too_many_streams",
        "Every thread of every client may have one operation under way, and each takes memory in a simulation. Lower \
         the number of clients or of threads per client; results saturate long before this limit.",
    ),
    (
        "workload::empty_mix",
        "A mix of operations needs at least one operation with a weight above zero.",
    ),
    (
        "workload::bad_weight",
        "The weight of an operation in a mix must be a finite number above zero. Weights are relative: they need not \
         add up to 100. Leave an operation out to have none of it.",
    ),
    (
        "workload::repeated_operation",
        "The mix lists an operation twice. Add the weights and list it once.",
    ),
    (
        "workload::too_many_operations",
        "The mix has more entries than there are kinds of operations.",
    ),
];

/// A value with its unit, for messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    value: f64,
    kind: Option<QuantityKind>,
}

impl Printed {
    /// A size in bytes.
    pub(crate) const fn bytes(value: Bytes) -> Self {
        Self {
            value: value.get(),
            kind: Some(QuantityKind::Bytes),
        }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            // Sizes below 100 kB are printed in full: `65535 B` is a limit, `65.5 kB` is not.
            Some(QuantityKind::Bytes) if self.value.abs() < 1e5 => write!(f, "{} B", self.value),
            Some(kind) => f.write_str(&kind.format_binary(self.value)),
            None => write!(f, "{}", self.value),
        }
    }
}

/// The values that a field allows.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    kind: Option<QuantityKind>,
    minimum: f64,
    /// Zero itself is refused.
    positive: bool,
    maximum: f64,
    whole: bool,
    multiple: u32,
}

impl Range {
    /// Whole bytes.
    pub(crate) const fn bytes(minimum: Bytes, maximum: Bytes) -> Self {
        Self {
            kind: Some(QuantityKind::Bytes),
            minimum: minimum.get(),
            positive: false,
            maximum: maximum.get(),
            whole: true,
            multiple: 1,
        }
    }

    /// Things that are counted.
    pub(crate) fn count(minimum: u32, maximum: u32) -> Self {
        Self {
            kind: None,
            minimum: f64::from(minimum),
            positive: false,
            maximum: f64::from(maximum),
            whole: true,
            multiple: 1,
        }
    }

    /// A rate above zero.
    pub(crate) const fn rate(maximum: Bandwidth) -> Self {
        Self {
            kind: Some(Bandwidth::KIND),
            minimum: 0.0,
            positive: true,
            maximum: maximum.get(),
            whole: false,
            multiple: 1,
        }
    }

    /// Operations per second, above zero.
    pub(crate) const fn operations(maximum: OperationRate) -> Self {
        Self {
            kind: Some(OperationRate::KIND),
            minimum: 0.0,
            positive: true,
            maximum: maximum.get(),
            whole: false,
            multiple: 1,
        }
    }

    /// A number without a unit.
    pub(crate) const fn number(minimum: f64, maximum: f64) -> Self {
        Self {
            kind: None,
            minimum,
            positive: false,
            maximum,
            whole: false,
            multiple: 1,
        }
    }

    /// A time, or none.
    pub(crate) const fn time(maximum: Time) -> Self {
        Self {
            kind: Some(Time::KIND),
            minimum: 0.0,
            positive: false,
            maximum: maximum.get(),
            whole: false,
            multiple: 1,
        }
    }

    /// Only multiples of `multiple`.
    pub(crate) const fn multiple_of(self, multiple: u32) -> Self {
        Self { multiple, ..self }
    }

    /// Zero itself is refused.
    pub(crate) const fn positive(self) -> Self {
        Self {
            positive: true,
            ..self
        }
    }

    /// Adds what is wrong with `value`, if anything, to `invalid`.
    pub(crate) fn check(&self, field: &'static str, value: f64, invalid: &mut Vec<InvalidField>) {
        if let Some(problem) = self.problem(value) {
            invalid.push(InvalidField { field, problem });
        }
    }

    fn problem(&self, value: f64) -> Option<Problem> {
        let printed = |value| Printed {
            value,
            kind: self.kind,
        };
        if !value.is_finite() {
            Some(Problem::NotFinite)
        } else if self.positive && value <= 0.0 {
            Some(Problem::NotPositive {
                value: printed(value),
            })
        } else if value < self.minimum {
            Some(Problem::TooSmall {
                value: printed(value),
                minimum: printed(self.minimum),
            })
        } else if value > self.maximum {
            Some(Problem::TooLarge {
                value: printed(value),
                maximum: printed(self.maximum),
            })
        } else if self.whole && value.fract() != 0.0 {
            Some(Problem::NotWhole {
                value: printed(value),
            })
        } else if value % f64::from(self.multiple) != 0.0 && self.whole {
            Some(Problem::NotMultiple {
                value: printed(value),
                of: self.multiple,
            })
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MixError, OperationKind};

    fn one_of_each() -> Vec<Problem> {
        let value = Printed {
            value: 3.0,
            kind: None,
        };
        vec![
            Problem::NotFinite,
            Problem::TooSmall {
                value,
                minimum: value,
            },
            Problem::NotPositive { value },
            Problem::TooLarge {
                value,
                maximum: value,
            },
            Problem::NotWhole { value },
            Problem::NotMultiple { value, of: 4 },
            Problem::Empty,
            Problem::Repeated {
                entry: "nic0.0".to_owned(),
            },
            Problem::NoSuchOperation {
                protocol: "nfs3-tcp",
                operation: "read",
            },
            Problem::LargerThanWorkingSet {
                io_size: value,
                working_set: value,
            },
            Problem::NoComputeTime { cores: 3 },
            Problem::NoJobData,
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
        let explained: Vec<&str> = EXPLANATIONS.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, explained);
        assert!(EXPLANATIONS.iter().all(|(_, paragraph)| paragraph.len() > 30));
    }

    #[test]
    fn values_are_printed_with_their_unit() {
        let printed = |value: f64, kind| Printed { value, kind }.to_string();
        assert_eq!(printed(65_535.0, Some(QuantityKind::Bytes)), "65535 B");
        assert_eq!(printed(1_073_741_824.0, Some(QuantityKind::Bytes)), "1 GiB");
        assert_eq!(printed(0.001, Some(QuantityKind::Time)), "1 ms");
        assert_eq!(printed(3.0, None), "3");
    }
}
