//! What can go wrong between a bound scenario and its outcome.

use bandgraph_engine::{BuildError, EngineError, SolveError};
use bandgraph_units::Time;
use thiserror::Error;

use crate::effort::Effort;

/// Why a bound scenario could not be predicted or simulated. Those without an [id](Self::id) are no user's
/// fault: each is a defect of the program or of a model, and the message says what to report.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RunError {
    /// The fixed point of shares, populations and memory latencies was not reached.
    #[error("the steady state was not found: after {iterations} rounds it still moves by {change:.1e}")]
    NotConverged {
        /// Rounds done.
        iterations: u32,
        /// The largest relative change in the last of them.
        change: f64,
    },
    /// The engine refused what the binding made.
    #[error("the engine refused a demand: {0}")]
    Build(#[from] BuildError),
    /// No fair shares were found.
    #[error("no fair shares were found: {0}")]
    Solve(#[from] SolveError),
    /// One of the engine's checks failed.
    #[error("a check of the engine failed: {0}")]
    Engine(#[from] EngineError),
    /// A resource carried more than it can.
    #[error("`{resource}` carried {carried} units in {seconds} s, in which it can carry {limit}")]
    CapacityExceeded {
        /// The resource's id.
        resource: String,
        /// Units that it carried.
        carried: f64,
        /// Units that its usable capacity allows.
        limit: f64,
        /// The time in which it carried them.
        seconds: f64,
    },
    /// A call or a thread is nowhere, or in several places.
    #[error("a call of workload `{workload}` is in {places} places, where every call must be in one")]
    LostCall {
        /// The workload's id.
        workload: String,
        /// Clients' queues, timers, flows and groups that have it.
        places: u32,
    },
    /// Operations that were counted do not match the calls that were answered.
    #[error(
        "{replies} replies were counted for workload `{workload}`, and {answered} of its calls were answered"
    )]
    Replies {
        /// The workload's id.
        workload: String,
        /// Calls issued in the window, and those out at its start, less those out at its end.
        answered: u64,
        /// Operations counted in the window.
        replies: u64,
    },
    /// The latencies that were recorded do not add up to the time that calls were out.
    #[error(
        "the operations of workload `{workload}` took {recorded} s by their latencies, and {elapsed} s by \
         when they began and ended"
    )]
    Latencies {
        /// The workload's id.
        workload: String,
        /// Sum of the latencies of a class, in seconds.
        recorded: f64,
        /// Sum of the times of its replies, less that of the times of its calls.
        elapsed: f64,
    },
    /// Threads had more operations out and thought for longer than there is time for.
    #[error("the {threads} threads of workload `{workload}` were busy like {found} threads")]
    Population {
        /// The workload's id.
        workload: String,
        /// How many threads there are.
        threads: f64,
        /// Time that operations were out and threads thought, over the time of the window.
        found: f64,
    },
    /// Figures of one answer contradict each other.
    #[error("{what}")]
    Inconsistent {
        /// Which, and how.
        what: String,
    },
    /// A simulation would take more time or memory than it may.
    #[error("{}", too_large(.0))]
    TooLarge(Effort),
    /// More operations were in flight than the steady state has, and than there is memory for.
    #[error(
        "more than {most} operations are in flight after {at} of simulated time, and no more are simulated"
    )]
    TooManyInFlight {
        /// How many may be.
        most: u32,
        /// The simulated time.
        at: Time,
    },
    /// What a resource carried does not match the operations that completed.
    #[error("`{resource}` carried {carried} units, but completed operations account for {accounted}")]
    Conservation {
        /// The resource's id.
        resource: String,
        /// Units it carried in the measured window.
        carried: f64,
        /// Units that the operations completed in the window need.
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
