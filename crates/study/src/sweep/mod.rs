//! Sweeps: one scenario at many points, in one process or in many.
//!
//! - [`Design`]: which points there are. Any point follows from its number alone, so nothing is ever in
//!   memory but the points that are being answered, and every process of many agrees on what point 4711 is.
//! - [`Shard`]: which of the points are for one process of many.
//! - [`run_sweep`]: answers points in parallel, and hands each [`Record`] on as soon as it is there.
//! - [`Gate`] and [`Baseline`]: whether results keep what is expected of them, and where they part from older
//!   ones.
//! - [`SweepSummary`]: what there is to say about all points together, gathered one record at a time.
//!
//! Records come in any order from [`run_sweep`], since points take different times; what is made of them is
//! made in the order of their numbers, so that it is the same for any number of threads, shards and restarts.

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
