//! Sweeps: one scenario at many points, in one process or in many.
//!
//! - [`Design`]: the points. A point follows from its number alone, so that only the points in progress are
//!   in memory, and all processes agree on point 4711.
//! - [`Shard`]: the points of one process of many.
//! - [`run_sweep`]: answers points in parallel and delivers each [`Record`] as soon as it is complete.
//! - [`Gate`] and [`Baseline`]: comparisons of the results with expectations and with older results.
//! - [`SweepSummary`]: a summary of all points, built one record at a time.
//!
//! [`run_sweep`] delivers records in any order, since points take different times. Results are made from them
//! in the order of their numbers, so that they do not depend on the number of threads, shards and restarts.

mod baseline;
mod design;
mod gate;
mod permutation;
mod record;
mod run;
mod shard;
mod summary;

pub use baseline::{Baseline, BaselineRow, Drift};
pub use design::{Design, Point};
pub use gate::{Finding, Gate, SweepVerdict};
pub(crate) use permutation::{Permutation, mix};
pub use record::{Bottleneck, Figures, PointCertainty, PointError, Record};
pub use run::{SweepProgress, estimated_operations, prepare_hash, run_sweep};
pub use shard::{InvalidShard, Shard};
pub use summary::{AxisSummary, Extreme, Group, SweepSummary};
