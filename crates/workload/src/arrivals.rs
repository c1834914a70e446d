//! When operations are issued: by threads that wait for their replies, or at a rate, whatever the server
//! does.

use std::fmt;
use std::str::FromStr;

use bandgraph_units::{OperationRate, Time};

use crate::UnknownName;
use crate::invalid::{InvalidField, Problem, Range};

/// The highest rate of an open loop: a billion operations a second.
pub const MAX_RATE: OperationRate = OperationRate::new(1e9);
/// The latest start, the longest ramp and the latest stop: a day.
const MAX_TIME: Time = Time::new(86_400.0);

/// How the operations of an open loop are spaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spacing {
    /// At random, each independent of all others: the gaps are exponentially distributed.
    #[default]
    Poisson,
    /// Evenly.
    Deterministic,
}

impl Spacing {
    /// Both, in order of declaration.
    pub const ALL: &'static [Self] = &[Self::Poisson, Self::Deterministic];

    /// The name in files and reports: `"poisson"`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Deterministic => "deterministic",
        }
    }
}

impl fmt::Display for Spacing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads a [`name`](Spacing::name); [`Spacing::ALL`] has what would have been right.
impl FromStr for Spacing {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL
            .iter()
            .copied()
            .find(|spacing| spacing.name() == text)
            .ok_or_else(|| UnknownName {
                expected: "a spacing of arrivals",
                found: text.to_owned(),
            })
    }
}

/// What makes clients issue operations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Arrivals {
    /// A closed loop: every thread waits for its reply, thinks, and issues the next.
    #[default]
    Closed,
    /// An open loop: operations come at a rate, whether the server keeps up or not.
    Open {
        /// Of all clients of the group together: above zero, at most [`MAX_RATE`].
        rate: OperationRate,
        /// How they are spaced.
        spacing: Spacing,
    },
}

impl Arrivals {
    /// The rate of an open loop.
    pub fn rate(self) -> Option<OperationRate> {
        match self {
            Self::Closed => None,
            Self::Open { rate, .. } => Some(rate),
        }
    }
}

/// When in a run a workload is there. Times count from the start of the run, warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Schedule {
    /// When it begins: 0 to a day.
    pub start: Time,
    /// When it issues its last operation, after `start`; at the end of the run if `None`.
    pub stop: Option<Time>,
    /// How long it takes from its start to all of its threads, or to its full rate: 0 to a day. Threads begin
    /// one by one, a rate grows in proportion to time.
    pub ramp: Time,
}

impl Schedule {
    /// Whether the workload is there all the time, with all it has.
    pub fn is_constant(&self) -> bool {
        *self == Self::default()
    }

    /// Adds every field that is out of its range.
    pub(crate) fn check(&self, invalid: &mut Vec<InvalidField>) {
        Range::time(MAX_TIME).check("start", self.start.get(), invalid);
        Range::time(MAX_TIME).check("ramp", self.ramp.get(), invalid);
        if let Some(stop) = self.stop {
            let before = invalid.len();
            Range::time(MAX_TIME).check("stop", stop.get(), invalid);
            if invalid.len() == before && stop <= self.start {
                let problem = Problem::StopsBeforeItStarts {
                    start: self.start.to_string(),
                    stop: stop.to_string(),
                };
                invalid.push(InvalidField {
                    field: "stop",
                    problem,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for spacing in Spacing::ALL {
            assert_eq!(spacing.name().parse(), Ok(*spacing));
        }
        assert!("regular".parse::<Spacing>().is_err());
    }

    #[test]
    fn a_workload_stops_after_it_starts() {
        let problems = |start: f64, stop: f64| {
            let mut invalid = Vec::new();
            Schedule {
                start: Time::new(start),
                stop: Some(Time::new(stop)),
                ramp: Time::ZERO,
            }
            .check(&mut invalid);
            invalid
                .iter()
                .map(|invalid| invalid.problem.id())
                .collect::<Vec<_>>()
        };
        assert_eq!(problems(1.0, 2.0), Vec::<&str>::new());
        assert_eq!(problems(2.0, 2.0), ["workload::stops_before_it_starts"]);
        assert_eq!(problems(-1.0, 2.0), ["workload::too_small"]);
        assert_eq!(problems(0.0, 1e6), ["workload::too_large"]);
    }
}
