//! Calibration: parameters of the model, within their physical bounds, fitted to measurements.
//!
//! A fit reports the values, how well the data determine them, and which of them the data cannot separate.
//! Whether the model predicts anything shows on machines outside the fit: [`Calibration::fit`] takes the
//! systems to fit to, and reports the errors on all of them.

mod certainty;
mod compass;
mod fit;
mod model;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_model::{Coefficients, Correlation, Correlations};
use bandgraph_scenario::{CalibrationFile, DiskFiles, Files, Parameter, ProfileValue, profile_file};
use thiserror::Error;

pub use certainty::{Certainty, Correlated, Undetermined};
pub use fit::AtBound;
pub use model::CalibrationPoint;

use crate::ErrorSummary;
use fit::Range;
use model::Model;

/// A range, which holds 90 %, over an interval of 95 %, of a normal distribution.
const RANGE_OF_INTERVAL: f64 = 1.645 / 1.960;

/// Why a fit is impossible.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CalibrateError {
    /// There are no data for the requested systems.
    #[error("no measurement is of {0}")]
    NoData(String),
    /// A requested system has no data.
    #[error("no measurement of the calibration is of `{asked}`")]
    UnknownSystem {
        /// The requested system.
        asked: String,
        /// The systems with data.
        known: String,
    },
    /// No tried values of the parameters give all scenarios an answer.
    #[error("the scenarios have no answer with any values of the parameters that were tried")]
    NoAnswer,
}

impl CalibrateError {
    /// What would be right, if that is known.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownSystem { known, .. } => Some(known.clone()),
            Self::NoData(_) | Self::NoAnswer => None,
        }
    }
}

/// A calibration, loaded and checked.
pub struct Calibration<'f> {
    parameters: &'f [Parameter],
    model: Model<'f>,
}

/// A parameter after a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedParameter {
    /// The parameter.
    pub parameter: Parameter,
    /// Its value, in its unit.
    pub value: f64,
    /// The bound that it ended at, if any.
    pub at_bound: Option<AtBound>,
    /// Its 95 % interval, cut at the bounds; `None` at a bound, and if there are no more points than
    /// parameters.
    pub interval: Option<(f64, f64)>,
}

/// A data point after a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedPoint {
    /// The point.
    pub point: CalibrationPoint,
    /// Whether it is a training point.
    pub seen: bool,
    /// The prediction with the starts of the parameters.
    pub before: f64,
    /// The prediction with their fitted values.
    pub after: f64,
    /// Relative deviation of `before` from the measurement.
    pub deviation_before: f64,
    /// Relative deviation of `after` from the measurement.
    pub deviation_after: f64,
}

/// The result of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The systems of the training points, in the order of the data.
    pub fitted_to: Vec<String>,
    /// The parameters, in the order of the file.
    pub parameters: Vec<FittedParameter>,
    /// All points of the file, also those outside the training set.
    pub points: Vec<FittedPoint>,
    /// How well the parameters are known.
    pub certainty: Certainty,
}

impl Fit {
    /// The errors after the fit on training points (`seen`) or on the others. Bounds that are kept do not
    /// count, as in a validation.
    pub fn errors(&self, seen: bool) -> ErrorSummary {
        ErrorSummary::of_errors(self.deviations(seen))
    }

    /// The absolute deviations that [`errors`](Self::errors) summarises.
    pub fn deviations(&self, seen: bool) -> impl Iterator<Item = f64> {
        let points = self.points.iter().filter(move |point| point.seen == seen);
        points
            .filter(|point| !(point.point.is_bound && point.deviation_after == 0.0))
            .map(|point| point.deviation_after)
    }

    /// The file's profile with its fitted parameters, as a file that scenarios can include.
    pub fn profile(&self, file: &CalibrationFile) -> String {
        let seen: Vec<&str> = self
            .points
            .iter()
            .filter(|point| point.seen)
            .map(|point| point.point.id.as_str())
            .collect();
        let mut provenance = vec![
            format!(
                "Fitted by bandgraph {} with the calibration \"{}\",",
                env!("CARGO_PKG_VERSION"),
                file.name
            ),
            format!("from the profile {}, to {}.", file.profile, seen.join(", ")),
        ];
        let (mut values, mut correlations) = (Vec::new(), Correlations::default());
        let mut above: Vec<usize> = Vec::new();
        for (number, fitted) in self.parameters.iter().enumerate() {
            if !fitted.parameter.is_of(&file.profile) {
                continue;
            }
            let parameter = &fitted.parameter;
            // A figure that the data do not determine is as uncertain as before.
            let (range, note) = match fitted.interval {
                Some((low, high)) => {
                    let at = |end: f64| fitted.value + (end - fitted.value) * RANGE_OF_INTERVAL;
                    (
                        [at(low), at(high)],
                        format!("fitted; 95 % interval {low} to {high}"),
                    )
                }
                None => (
                    [parameter.low, parameter.high],
                    "not determined by the data; the range of the calibration".to_owned(),
                ),
            };
            if self.certainty.half_widths[number].is_some_and(f64::is_finite) {
                let of_row = &self.certainty.correlations[number];
                let with = Coefficients(above.iter().map(|&other| of_row[other]).collect());
                let figure = parameter.path.clone();
                // Shares have no ranges, and what the data do not tell apart has no correlation either.
                let is_drawn = parameter.stack_field().is_some_and(|field| !field.contains('.'));
                if is_drawn && correlations.push(Correlation { figure, with }).is_ok() {
                    above.push(number);
                }
            }
            match parameter.stack_field() {
                Some(field) => values.push(ProfileValue {
                    part: None,
                    unit: None,
                    field: field.to_owned(),
                    value: fitted.value,
                    range: (range[0] < range[1]).then_some(range),
                    note,
                }),
                None => provenance.push(format!(
                    "Also fitted, which is no figure of the stack: --set {}",
                    parameter.set(fitted.value)
                )),
            }
        }
        profile_file(&file.profile, &values, &[], &correlations, &[], &provenance)
    }
}

impl<'f> Calibration<'f> {
    /// Prepares the calibration of a file that has been read.
    ///
    /// # Errors
    ///
    /// Every problem of the scenarios, and parameters that one of them does not have.
    pub fn new(file: &'f CalibrationFile, sources: &mut Sources) -> Result<Self, Vec<Diagnostic>> {
        Self::with_files(&DiskFiles, file, sources)
    }

    /// [`new`](Self::new), with a given reader of files.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_files(
        files: &'f (dyn Files + Sync),
        file: &'f CalibrationFile,
        sources: &mut Sources,
    ) -> Result<Self, Vec<Diagnostic>> {
        Ok(Self {
            parameters: &file.parameters,
            model: Model::new(files, file, sources)?,
        })
    }

    /// The systems with data, in the order of the data.
    pub fn systems(&self) -> Vec<&str> {
        let mut systems: Vec<&str> = Vec::new();
        for point in &self.model.points {
            if !systems.contains(&point.system.as_str()) {
                systems.push(&point.system);
            }
        }
        systems
    }

    /// Fits to the points of the systems in `asked`, or to all points if it is empty, and predicts all
    /// points.
    ///
    /// # Errors
    ///
    /// As [`fit`](Self::fit); also if a system has no data.
    pub fn fit_to(&self, asked: &[String]) -> Result<Fit, CalibrateError> {
        let systems = self.systems();
        match asked.iter().find(|system| !systems.contains(&system.as_str())) {
            Some(unknown) => Err(CalibrateError::UnknownSystem {
                asked: unknown.clone(),
                known: bandgraph_diagnostics::there_are(systems.iter().copied()),
            }),
            None => self.fit(&|system| asked.is_empty() || asked.iter().any(|one| one == system)),
        }
    }

    /// Fits to the points of the systems that `train` selects, and predicts all points.
    ///
    /// # Errors
    ///
    /// [`CalibrateError`] if there is nothing to fit to, or no answer.
    pub fn fit(&self, train: &dyn Fn(&str) -> bool) -> Result<Fit, CalibrateError> {
        let seen: Vec<bool> = self
            .model
            .points
            .iter()
            .map(|point| train(&point.system))
            .collect();
        if !seen.contains(&true) {
            return Err(CalibrateError::NoData(self.systems().join(", ")));
        }
        let only_seen = |residuals: Vec<f64>| -> Vec<f64> {
            residuals
                .into_iter()
                .zip(&seen)
                .filter(|(_, seen)| **seen)
                .map(|(residual, _)| residual)
                .collect()
        };
        let ranges: Vec<Range> = self.parameters.iter().map(range).collect();
        let residuals = |values: &[f64]| {
            let residuals = only_seen(self.model.residuals(&self.model.predicted(values)?));
            residuals
                .iter()
                .all(|residual| residual.is_finite())
                .then_some(residuals)
        };
        let best = fit::fit(&ranges, &residuals).ok_or(CalibrateError::NoAnswer)?;
        let starts: Vec<f64> = self.parameters.iter().map(|parameter| parameter.start).collect();
        let before = self.model.predicted(&starts).ok_or(CalibrateError::NoAnswer)?;
        let after = self
            .model
            .predicted(&best.values)
            .ok_or(CalibrateError::NoAnswer)?;
        let at_bounds: Vec<Option<AtBound>> = ranges
            .iter()
            .zip(&best.values)
            .map(|(range, value)| range.at_bound(*value))
            .collect();
        let free: Vec<bool> = at_bounds.iter().map(Option::is_none).collect();
        let certainty = certainty::certainty(&best.residuals, &best.jacobian, &free);
        let parameters = self.parameters.iter().enumerate().map(|(index, parameter)| {
            let value = best.values[index];
            let half = certainty.half_widths[index].map(|half| half * (parameter.high - parameter.low));
            FittedParameter {
                parameter: parameter.clone(),
                value,
                at_bound: at_bounds[index],
                interval: half.map(|half| {
                    (
                        (value - half).max(parameter.low),
                        (value + half).min(parameter.high),
                    )
                }),
            }
        });
        let parameters = parameters.collect();
        let deviations = self
            .model
            .deviations(&before)
            .into_iter()
            .zip(self.model.deviations(&after));
        let points = deviations
            .enumerate()
            .map(|(index, (deviation_before, deviation_after))| FittedPoint {
                point: self.model.points[index].clone(),
                seen: seen[index],
                before: before[index],
                after: after[index],
                deviation_before,
                deviation_after,
            });
        Ok(Fit {
            fitted_to: self
                .systems()
                .into_iter()
                .filter(|system| train(system))
                .map(str::to_owned)
                .collect(),
            parameters,
            points: points.collect(),
            certainty,
        })
    }

    /// Leave-one-out cross-validation: for each system a fit to all others, in the order of the systems.
    ///
    /// # Errors
    ///
    /// As [`fit`](Self::fit); also if there is only one system.
    pub fn leave_one_out(
        &self,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<(String, Fit)>, CalibrateError> {
        let systems = self.systems();
        let mut fits = Vec::new();
        for (number, left_out) in systems.iter().enumerate() {
            progress(number, systems.len());
            fits.push(((*left_out).to_owned(), self.fit(&|system| system != *left_out)?));
        }
        Ok(fits)
    }
}

fn range(parameter: &Parameter) -> Range {
    Range {
        low: parameter.low,
        high: parameter.high,
        start: parameter.start,
    }
}
