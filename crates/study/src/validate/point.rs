//! One measurement beside its prediction.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bandgraph_scenario::{Loaded, Measured};

use super::PointInterval;
use crate::Answer;
use crate::metric_value::figure;

/// One measurement beside its prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidatedPoint {
    /// What tables of measurements call the server.
    pub system: String,
    /// The scenario.
    pub scenario: String,
    /// Its file, as it was asked for.
    pub path: PathBuf,
    /// What was measured.
    pub measured: Measured,
    /// What is predicted, in the same unit; `None` where the answer does not say.
    pub predicted: Option<f64>,
    /// How sure the prediction is; `None` until
    /// [`ValidationSet::add_intervals`](super::ValidationSet::add_intervals) draws it, and where there is no
    /// prediction to draw.
    pub interval: Option<PointInterval>,
}

impl ValidatedPoint {
    /// (predicted − measured) / measured; `None` where there is no prediction, or nothing but zero was
    /// measured.
    pub fn relative_error(&self) -> Option<f64> {
        let error = self.predicted? / self.measured.value - 1.0;
        error.is_finite().then_some(error)
    }

    /// As the relative error, but 0 where what was measured is a bound and the prediction keeps it.
    pub fn deviation(&self) -> Option<f64> {
        let deviation = self.measured.deviation(self.predicted?);
        deviation.is_finite().then_some(deviation)
    }

    /// Whether it says how well the model predicts. See [`Measured::is_unseen`].
    pub fn is_unseen(&self) -> bool {
        self.measured.is_unseen()
    }

    /// How far a rule without a model is off, as [`deviation`](Self::deviation); `None` where there is none.
    pub fn deviation_of_null_model(&self) -> Option<f64> {
        let deviation = self.measured.deviation(self.measured.null_model?);
        deviation.is_finite().then_some(deviation)
    }

    /// Whether the prediction is there and within the tolerance.
    pub fn is_within(&self) -> bool {
        self.predicted
            .is_some_and(|predicted| self.measured.admits(predicted))
    }

    /// Whether it is a bound that the prediction keeps: right, but no figure that an error can be told of.
    pub fn is_kept_bound(&self) -> bool {
        self.measured.is_bound() && self.deviation() == Some(0.0)
    }
}

/// The measurements of a scenario beside its answer.
pub(super) fn points(
    loaded: &Loaded,
    answer: &Answer,
    bases: &BTreeMap<&Path, &Answer>,
) -> Vec<ValidatedPoint> {
    let rows = loaded.measured.iter();
    rows.map(|row| ValidatedPoint {
        system: loaded.system.clone(),
        scenario: loaded.name.clone(),
        path: loaded.path.clone(),
        measured: row.clone(),
        predicted: predicted(row, answer, bases),
        interval: None,
    })
    .collect()
}

/// What is predicted for a measurement, over the same of another scenario where it is relative to one.
pub(crate) fn predicted(row: &Measured, answer: &Answer, bases: &BTreeMap<&Path, &Answer>) -> Option<f64> {
    let here = figure(row, &answer.outcome)?;
    let Some(base) = &row.relative_to else {
        return Some(here);
    };
    let there = figure(row, &bases.get(base.as_path())?.outcome)?;
    let ratio = here / there;
    ratio.is_finite().then_some(ratio)
}
