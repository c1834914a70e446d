//! Errors of predictions and simulations of a bound scenario.

use bandgraph_engine::{BuildError, EngineError, SolveError};
use bandgraph_units::Time;
use thiserror::Error;

use crate::effort::Effort;

/// Why a bound scenario was not predicted or simulated. Variants without an [id](Self::id) are not usage
/// errors: each is a defect of the program or of a model, and the message asks for a report.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RunError {
    /// The fixed point of shares, populations and memory latencies was not reached.
    #[error("the steady state was not found: after {iterations} rounds it still moves by {change:.1e}")]
    NotConverged {
        /// Number of iterations.
        iterations: u32,
        /// Maximum relative change in the last one.
        change: f64,
    },
    /// The engine rejected a resource or a class of the binding.
    #[error("the engine refused a demand: {0}")]
    Build(#[from] BuildError),
    /// No fair shares were found.
    #[error("no fair shares were found: {0}")]
    Solve(#[from] SolveError),
    /// One of the engine's checks failed.
    #[error("a check of the engine failed: {0}")]
    Engine(#[from] EngineError),
    /// A resource carried more than its capacity.
    #[error("`{resource}` carried {carried} units in {seconds} s, in which it can carry {limit}")]
    CapacityExceeded {
        /// The resource's id.
        resource: String,
        /// Units carried.
        carried: f64,
        /// Units that its usable capacity permits.
        limit: f64,
        /// The length of the interval.
        seconds: f64,
    },
    /// A call or a thread is in no place, or in several.
    #[error("a call of workload `{workload}` is in {places} places, where every call must be in one")]
    LostCall {
        /// The workload's id.
        workload: String,
        /// Number of places with it: queues of clients, timers, flows and groups.
        places: u32,
    },
    /// The number of operations differs from the number of completed calls.
    #[error(
        "{replies} replies were counted for workload `{workload}`, and {answered} of its calls were answered"
    )]
    Replies {
        /// The workload's id.
        workload: String,
        /// Calls issued in the window, plus those in flight at its start, minus those in flight at its end.
        answered: u64,
        /// Operations counted in the window.
        replies: u64,
    },
    /// The recorded latencies do not add up to the time of calls in flight.
    #[error(
        "the operations of workload `{workload}` took {recorded} s by their latencies, and {elapsed} s by \
         when they began and ended"
    )]
    Latencies {
        /// The workload's id.
        workload: String,
        /// Sum of the latencies of a class, seconds.
        recorded: f64,
        /// Sum of its completion times minus sum of its issue times.
        elapsed: f64,
    },
    /// Threads had operations in flight and thought for longer than the window.
    #[error("the {threads} threads of workload `{workload}` were busy like {found} threads")]
    Population {
        /// The workload's id.
        workload: String,
        /// Number of threads.
        threads: f64,
        /// Time in flight and thinking, over the time of the window.
        found: f64,
    },
    /// Contradictory figures of one result.
    #[error("{what}")]
    Inconsistent {
        /// The figures and their contradiction.
        what: String,
    },
    /// A simulation would exceed the limits of time or memory.
    #[error("{}", too_large(.0))]
    TooLarge(Effort),
    /// More operations are in flight than in the steady state, and than the memory limit.
    #[error(
        "more than {most} operations are in flight after {at} of simulated time, and no more are simulated"
    )]
    TooManyInFlight {
        /// The maximum.
        most: u32,
        /// The simulated time.
        at: Time,
    },
    /// The use of a resource differs from the demand of the operations done.
    #[error("`{resource}` carried {carried} units, but completed operations account for {accounted}")]
    Conservation {
        /// The resource's id.
        resource: String,
        /// Units carried in the measured window.
        carried: f64,
        /// Units required by the operations done in the window.
        accounted: f64,
    },
}

impl RunError {
    /// The stable id of an error that another input avoids; `None` for a defect.
    pub fn id(&self) -> Option<&'static str> {
        match self {
            Self::TooLarge(_) => Some("run::too_long"),
            Self::TooManyInFlight { .. } => Some("run::too_many_in_flight"),
            _ => None,
        }
    }
}

fn too_large(effort: &Effort) -> String {
    let Effort {
        simulated,
        operations,
        in_flight,
    } = effort;
    if *operations > Effort::MOST_OPERATIONS {
        let most = Effort::MOST_OPERATIONS;
        return format!(
            "the run would simulate about {operations:.1e} operations in {simulated}, and at most {most:.0e} are"
        );
    }
    format!(
        "about {in_flight:.1e} operations would be in flight at the end of {simulated}, which take {:.1} GB of memory; at most \
         {:.0e} are simulated",
        effort.memory() / 1e9,
        f64::from(Effort::MOST_IN_FLIGHT),
    )
}
