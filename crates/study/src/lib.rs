//! Studies: questions that need several runs.
//!
//! - [`WhatIf`]: a scenario beside variants of it, with the differences in throughput, latency, bottleneck
//!   and traffic per link.
//! - [`run_sweep`]: one scenario at many points, in one process or in many, with gates for CI.
//! - [`climb`]: the ladder of limits: relieve the bottleneck, solve again, and repeat; with unlimited
//!   capacities or with parts of the catalogue.
//! - [`place`]: which card goes in which slot, under slot rules, for one or several scenarios.
//! - [`ValidationSet`]: every measurement of a set of scenarios beside its prediction.
//! - [`Calibration`]: parameters of the model fitted to measurements, and how well the data determine them.
//! - [`uncertainty`]: the interval of an answer when all figures vary within their ranges.
//! - [`marginal_gains`]: the gain in throughput per unit of extra capacity, for each resource.
//!
//! A study loads scenarios through `scenario` and answers them through `solve` and `simulate`; it knows no
//! output format. Variants are solved in parallel. The order of the results is that of the questions, on any
//! number of threads.

mod answer;
mod calibrate;
mod difference;
mod error;
mod ladder;
mod marginal;
mod metric_value;
mod own;
mod place;
mod sweep;
mod trace_fit;
mod uncertainty;
mod validate;
mod whatif;

pub use answer::{Answer, Method, answer, usual_draws};
pub use calibrate::{
    AtBound, CalibrateError, Calibration, CalibrationPoint, Certainty, Correlated, Fit, FittedParameter,
    FittedPoint, Undetermined,
};
pub use difference::{Change, Difference, LinkDifference, ResourceDifference, SocketDifference, difference};
pub use error::StudyError;
pub use ladder::{Climb, Ladder, LadderEnd, Need, Rung, Step, climb};
pub use marginal::{GroupGain, MarginalGain, MarginalGains, marginal_gains};
pub use metric_value::{measured_value, metric_value};
pub use own::OwnStudy;
pub use place::{
    BOUNDS_PER_PREDICTION, CardInSlot, Objective, PlaceError, PlaceOptions, PlacedAnswer, Placements,
    RankedPlacement, SaturationBounds, SlotRules, WeightedQuestion, place,
};
pub use sweep::{
    AxisSummary, Baseline, BaselineRow, Bottleneck, Design, Drift, Extreme, Figures, Finding, Gate, Group,
    InvalidShard, Point, PointCertainty, PointError, Record, Shard, SweepProgress, SweepSummary,
    SweepVerdict, estimated_operations, prepare_hash, run_sweep,
};
pub use trace_fit::{FitError, check_fit, fit_trace, simulate_fit};
pub use uncertainty::{
    CommonDraws, Earlier, Gain, Interval, Learned, LearnedError, LearnedFigure, LeftOutPoint, Missed,
    ModelErrors, NoInterval, OwnMachine, Relieved, UncertainFigure, Uncertainty, Verdict, Weight,
    elapsed_interval, uncertain_figures, uncertainty, weights,
};
pub use validate::{
    Coverage, ErrorSummary, LinkRun, PointInterval, ValidatedBottleneck, ValidatedLink, ValidatedPoint,
    Validation, ValidationSet, add_intervals, deviations, is_checked,
};
pub use whatif::{Case, Question, Variant, WhatIf, WhatIfAnswers};
