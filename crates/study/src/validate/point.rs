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
    /// The name of the server in tables of measurements.
    pub system: String,
    /// The scenario.
    pub scenario: String,
    /// The path of its file, as given.
    pub path: PathBuf,
    /// The measurement.
    pub measured: Measured,
    /// The prediction, in the same unit; `None` if the answer does not have the metric.
    pub predicted: Option<f64>,
    /// The interval of the prediction; `None` until
    /// [`add_intervals`](super::add_intervals) computes it, and without a
    /// prediction.
    pub interval: Option<PointInterval>,
}

impl ValidatedPoint {
    /// (predicted − measured) / measured; `None` without a prediction, or if zero was measured.
    pub fn relative_error(&self) -> Option<f64> {
        let error = self.predicted? / self.measured.value - 1.0;
        error.is_finite().then_some(error)
    }

    /// The relative error, or 0 if the measurement is a bound that the prediction keeps.
    pub fn deviation(&self) -> Option<f64> {
        let deviation = self.measured.deviation(self.predicted?);
        deviation.is_finite().then_some(deviation)
    }

    /// Whether it shows how well the model predicts. See [`Measured::is_unseen`].
    pub fn is_unseen(&self) -> bool {
        self.measured.is_unseen()
    }

    /// The [`deviation`](Self::deviation) of a rule without a model; `None` if there is no rule.
    pub fn deviation_of_null_model(&self) -> Option<f64> {
        let deviation = self.measured.deviation(self.measured.null_model?);
        deviation.is_finite().then_some(deviation)
    }

    /// Whether there is a prediction within the tolerance.
    pub fn is_within(&self) -> bool {
        self.predicted
            .is_some_and(|predicted| self.measured.admits(predicted))
    }

    /// Whether it is a bound that the prediction keeps: correct, but without an error.
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

/// The prediction for a measurement, as a ratio if it is relative to another scenario.
pub(crate) fn predicted(row: &Measured, answer: &Answer, bases: &BTreeMap<&Path, &Answer>) -> Option<f64> {
    let here = figure(row, &answer.outcome)?;
    let Some(base) = &row.relative_to else {
        return Some(here);
    };
    let there = figure(row, &bases.get(base.as_path())?.outcome)?;
    let ratio = here / there;
    ratio.is_finite().then_some(ratio)
}
