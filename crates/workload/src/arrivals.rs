//! When operations are issued: by threads that wait for their replies, or at a rate that does not depend on
//! the server.

use bandgraph_config::{Field, settings, words};
use bandgraph_units::{OperationRate, Time};

use crate::invalid::{InvalidField, Problem};

/// The highest rate of an open loop: a billion operations a second.
pub const MAX_RATE: OperationRate = OperationRate::new(1e9);
/// The rate of an open loop in files.
pub const ARRIVAL_RATE: Field = Field::of::<Option<OperationRate>>(
    "rate",
    "Operations per second of all clients of the group together, whatever the server does: an open loop. Threads and think \
     time do not matter then.",
)
.positive()
.at_most(MAX_RATE.get());
/// The latest start, the longest ramp and the latest stop: a day.
const MAX_TIME: f64 = 86_400.0;

words! {
    /// How the operations of an open loop are spaced.
    #[derive(Default)]
    pub enum Spacing: "a spacing of arrivals" {
        /// At random, each independent of all others: the gaps are exponentially distributed.
        #[default]
        Poisson = "poisson",
        /// Evenly.
        Deterministic = "deterministic",
    }
}

/// How clients issue operations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Arrivals {
    /// A closed loop: every thread waits for the reply, thinks, and issues its next operation.
    #[default]
    Closed,
    /// An open loop: operations arrive at a rate, even if the server cannot keep up.
    Open {
        /// Rate of all clients of the group together: above zero, at most [`MAX_RATE`].
        rate: OperationRate,
        /// The distribution of arrivals.
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

settings! {
    /// When in a run a workload is there.
    pub struct Schedule as "schedule" {
        /// When it begins, from the start of the run, warm-up included.
        start: Time = "0 s", at_most(MAX_TIME);
        /// When it issues its last operation; at the end of the run if left out.
        stop: Option<Time>, positive, at_most(MAX_TIME);
        /// How long it takes from its start to all of its threads, which begin one by one, or to its full
        /// rate.
        ramp: Time = "0 s", at_most(MAX_TIME);
    }
}

impl Copy for Schedule {}

impl Schedule {
    /// Whether the workload runs at its full level for the whole run.
    pub fn is_constant(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that it stops after it starts, if both are in range.
    pub(crate) fn check_order(&self, invalid: &mut Vec<InvalidField>) {
        let out_of_range = |found: &InvalidField| found.field == "start" || found.field == "stop";
        if let Some(stop) = self.stop
            && stop <= self.start
            && !invalid.iter().any(out_of_range)
        {
            let problem = Problem::StopsBeforeItStarts {
                start: self.start.to_string(),
                stop: stop.to_string(),
            };
            invalid.push(problem.of("stop"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invalid::{ids, within_ranges};

    #[test]
    fn a_workload_stops_after_it_starts() {
        let problems = |start: f64, stop: f64| {
            let schedule = Schedule {
                start: Time::new(start),
                stop: Some(Time::new(stop)),
                ramp: Time::ZERO,
            };
            let mut invalid = within_ranges(|found| schedule.check("", found));
            schedule.check_order(&mut invalid);
            ids(invalid).into_iter().map(|(_, id)| id).collect::<Vec<_>>()
        };
        assert_eq!(problems(1.0, 2.0), Vec::<&str>::new());
        assert_eq!(problems(2.0, 2.0), ["workload::stops_before_it_starts"]);
        assert_eq!(problems(-1.0, 2.0), ["workload::too_small"]);
        assert_eq!(problems(0.0, 1e6), ["workload::too_large"]);
    }
}
