//! Solves the steady state of a bound scenario, and explains it.
//!
//! [`bind`] binds a scenario at the operating point of its own steady state. [`SteadyState::solve`] finds
//! consistent rates, populations and miss latencies, without events. [`SteadyState::prediction`] is its
//! [`Outcome`], in the same shape as that of a simulation, so that the two can be compared field by field.
//! [`explain`] finds the bottleneck of an outcome, and the next limit.
//!
//! Nothing here reads a file, a clock or the environment, and there is no simulated time.

mod backlog;
mod banks;
mod barrier;
mod by_class;
mod checks;
mod class_work;
mod cold_start;
mod commits;
mod core_use;
mod core_words;
mod dominance;
mod effort;
mod error;
mod explain;
mod fixed_point;
mod flash;
mod iteration;
mod less_full;
mod limit_kind;
mod limits;
mod lines;
mod log_queues;
mod logs;
mod meetings;
mod mixed_queue;
mod moving_demand;
mod operate;
mod outcome;
mod play;
mod predict;
mod queue_network;
mod queues;
mod seating;
mod slots;
mod slowest;
mod tally;
mod waits;
mod wording;

pub use dominance::kept;
pub use effort::Effort;
pub use error::RunError;
pub use explain::{Explained, Limit, Relief, explain, explain_beside};
pub use iteration::SearchMemory;
pub use limit_kind::LimitKind;
pub use limits::{BareLimit, Bottleneck, Limits, limits_of};
pub use operate::{bind, bind_merged, bind_with};
pub use outcome::{
    Bucket, DISAGREEMENT, DeviceRates, Latency, Mode, Offered, OperationOutcome, Outcome, Percentiles,
    Precision, ResourceUse, ShortWindow, SimulatedRun, SocketUse, Throughput, Totals, WorkloadOutcome,
};
pub use play::play_into;
pub use predict::{SteadyState, predict};
pub use seating::{SeatedCard, SlotAssignmentScratch, SlotAssignments};
pub use tally::{ClassTotals, Tally};
