//! Event-by-event simulation of a bound scenario.
//!
//! [`simulate`] starts from the steady state found by `solve` and returns an
//! [`Outcome`](bandgraph_solve::Outcome) of the same shape; [`simulate_with_timeline`] also returns the use
//! of resources over time. [`replay`] replaces one workload by the operations of a trace.
//!
//! Nothing here reads a file, a clock or the environment.

mod replay;
mod simulation;

pub use replay::{ReplayError, ReplaySettings, ReplaySummary, Replayed, SeenKind, TIMINGS, Timing, replay};
pub use simulation::{
    Progress, Stretch, Timeline, effort_of, simulate, simulate_with_progress, simulate_with_timeline,
};
