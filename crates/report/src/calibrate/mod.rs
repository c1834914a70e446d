//! Calibrations: what was fitted, how well the data identify it, and what it predicts, as a document and for
//! people.

mod json;
mod text;

use bandgraph_scenario::CalibrationFile;
use bandgraph_study::Fit;

pub use json::{
    CALIBRATE_SCHEMA_VERSION, CalibrateDocument, CombinationDocument, CorrelationDocument, FitDocument,
    FittedParameterDocument, FittedPointDocument,
};
pub use text::calibrate_view;

/// A calibration, gathered for reporting.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrateReport {
    /// What the calibration is called.
    pub name: String,
    /// What it is about; may be empty.
    pub description: String,
    /// The calibration file, as it was named.
    pub file: String,
    /// The software profile whose figures are fitted.
    pub profile: String,
    /// Hash of everything that went in.
    pub input_hash: String,
    /// The fit to everything, or to the systems that were asked for.
    pub fit: Fit,
    /// Fits without one system each, with its name.
    pub left_out: Vec<(String, Fit)>,
}

impl CalibrateReport {
    /// Gathers the fits of a file.
    pub fn new(file: &CalibrationFile, fit: Fit, left_out: Vec<(String, Fit)>) -> Self {
        Self {
            name: file.name.clone(),
            description: file.description.clone(),
            file: file.path.display().to_string(),
            profile: file.profile.clone(),
            input_hash: file.input_hash.clone(),
            fit,
            left_out,
        }
    }
}
