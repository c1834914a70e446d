//! Calibrations: what was fitted, how well the data know it, and what it predicts, as text, Markdown and
//! JSON.

mod json;
mod text;
mod words;

use bandgraph_study::Fit;

pub use json::{
    CALIBRATE_SCHEMA_VERSION, CalibrateDocument, CombinationDocument, CorrelationDocument, FitDocument,
    FittedParameterDocument, FittedPointDocument, calibrate_json, calibrate_schema,
};
pub use text::calibrate_view;

use crate::NotFinite;

/// A calibration, gathered for reporting.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrateReport {
    /// What the calibration is called.
    pub name: String,
    /// What it is about; may be empty.
    pub description: String,
    /// The fit to everything, or to the systems that were asked for.
    pub fit: Fit,
    /// Fits without one system each, with its name.
    pub left_out: Vec<(String, Fit)>,
}

impl CalibrateReport {
    /// Checks that every number can be reported.
    ///
    /// # Errors
    ///
    /// The first number that is not finite.
    pub fn check(&self) -> Result<(), NotFinite> {
        let fits = [&self.fit]
            .into_iter()
            .chain(self.left_out.iter().map(|(_, fit)| fit));
        let figures = fits.flat_map(|fit| {
            let parameters = fit
                .parameters
                .iter()
                .map(|fitted| (&fitted.parameter.path, fitted.value));
            let points = fit.points.iter().map(|point| (&point.point.id, point.after));
            parameters.chain(points)
        });
        match figures.into_iter().find(|(_, value)| !value.is_finite()) {
            Some((subject, value)) => Err(NotFinite {
                subject: subject.clone(),
                metric: "the fit".to_owned(),
                value,
            }),
            None => Ok(()),
        }
    }
}
