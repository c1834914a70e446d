//! Calibrations: what was fitted, how well the data identify it, and what it predicts, as a document and for
//! people.

mod json;
mod text;

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
    /// The fit to everything, or to the systems that were asked for.
    pub fit: Fit,
    /// Fits without one system each, with its name.
    pub left_out: Vec<(String, Fit)>,
}
