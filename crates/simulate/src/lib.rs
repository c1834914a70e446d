//! Plays a bound scenario event by event.
//!
//! [`simulate`] starts from the steady state that `solve` has found and gives an
//! [`Outcome`](bandgraph_solve::Outcome) of the same shape; [`simulate_with_timeline`] also says what was
//! used when. [`replay`] has the operations of a trace in the place of one workload.
//!
//! Nothing here reads a file, a clock or the environment.

mod replay;
mod simulation;

pub use replay::{ReplayError, ReplaySettings, ReplaySummary, Replayed, SeenKind, TIMINGS, Timing, replay};
pub use simulation::{
    Progress, Stretch, Timeline, effort_of, simulate, simulate_with_progress, simulate_with_timeline,
};
