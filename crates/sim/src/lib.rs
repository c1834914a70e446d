//! Binds a topology, a workload and a stack into demands, and answers by prediction or by simulation.
//!
//! The pipeline is one of types, so that a half-checked thing cannot be run:
//!
//! 1. [`Scenario`]: what was asked, in checked values. No files, no spans: those belong to `scenario`.
//! 2. [`Bound`]: the scenario turned into resources and *demand vectors* (units of every directed resource that one
//!    operation uses), by [`bind`](fn@bind).
//! 3. [`Outcome`]: what comes out, by [`predict`] (the steady state, without events) or [`simulate`] (event by
//!    event), in the same shape, so that the two can be compared field by field.
//!
//! [`explain`] then names the bottleneck of an outcome, and what would hold the server back next.
//!
//! Nothing here reads a file, a clock or the environment.

mod batch;
mod bind;
mod cards;
mod coherence;
mod cold_start;
mod commits;
mod connections;
mod core_use;
mod demand;
mod dominance;
mod effort;
mod error;
mod explain;
mod fixed_point;
mod latency;
mod limit_kind;
mod limits;
mod line_traffic;
mod network;
mod operate;
mod outcome;
mod packets;
mod placement;
mod play;
mod power;
mod predict;
mod procedures;
mod profiles;
mod replay;
pub mod rounding;
mod run_error;
mod scaled;
mod scenario;
mod seating;
mod simulate;
mod stack;
mod stack_number;
pub mod storage;
mod tally;
mod thread_kinds;
mod wording;
mod work;

pub use batch::{Batch, Machine};
pub use bind::{Answer, Binder, Bound, Found, SocketModel, TraceClasses, TraceKind, TraceSight, Way};
pub use demand::{BehindDemand, Class, OPEN_HORIZON, SocketWork, Supply, ThreadGroup, Traffic, Waited};
pub use dominance::kept;
pub use effort::Effort;
pub use error::{BindError, EXPLANATIONS};
pub use explain::{Explained, Limit, Relief, explain};
pub use latency::{Fabric, Times};
pub use limit_kind::LimitKind;
pub use limits::{BareLimit, Limits, limits_of};
pub use line_traffic::{CardTraffic, LineLoad, LinkTraffic, line_traffic};
pub use network::Network;
pub use operate::{bind, bind_with};
pub use outcome::{
    Latency, Mode, Offered, OperationOutcome, Outcome, Percentiles, ResourceUse, ShortWindow, SimulatedRun,
    SocketUse, Throughput, Totals, WorkloadOutcome,
};
pub use packets::PacketCosts;
pub use play::play_into;
pub use power::{PowerModel, PowerUse, ServerPower};
pub use predict::{SteadyState, predict};
pub use procedures::ProcedureCosts;
pub use replay::{ReplayError, ReplaySettings, ReplaySummary, Replayed, SeenKind, Timing, replay};
pub use run_error::RunError;
pub use scenario::{RunSettings, Scenario};
pub use seating::{Renaming, SeatedCard, SeatingScratch, Seatings};
pub use simulate::{
    Progress, Stretch, Timeline, effort_of, simulate, simulate_with_progress, simulate_with_timeline,
};
pub use stack::{MemoryHomes, Stack};
pub use storage::{CacheUse, Storage, StorageError};
pub use tally::{ClassTotals, Tally};
pub use thread_kinds::ThreadKind;
