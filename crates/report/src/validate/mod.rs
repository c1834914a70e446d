//! Validations: every measurement beside its prediction, as text, CSV, Markdown and JSON.

mod json;
mod page;
mod text;

use bandgraph_study::{Method, ModelErrors, Validation};

pub use json::{
    CoverageDocument, VALIDATE_SCHEMA_VERSION, ValidateBottleneckDocument, ValidateCoverageDocument,
    ValidateDocument, ValidateErrorsDocument, ValidateGroupDocument, ValidateLinkDocument,
    ValidateLinkRunDocument, ValidatePointDocument, ValidateSummaryDocument,
};
pub use page::validation_page;
pub use text::validate_view;
pub(crate) use text::{errors_cells, errors_table};

use crate::csv::{object_cells, table_csv};

/// A validation, gathered for reporting.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateReport {
    /// How the scenarios were answered.
    pub method: Method,
    /// The folders and scenarios that were asked for.
    pub files: Vec<String>,
    /// The overrides of the command line, in order.
    pub overrides: Vec<String>,
    /// What was found.
    pub validation: Validation,
    /// What the model misses, as its unseen points say; `None` where no intervals were drawn.
    pub model_errors: Option<ModelErrors>,
}

/// A validation as CSV: a row for every point, then one for every link. The columns are the fields of both in
/// JSON, behind one that says which of them a row is.
pub fn validate_csv(document: &ValidateDocument) -> String {
    let points = document.points.iter().map(|point| object_cells("point", point));
    let links = document.links.iter().map(|link| object_cells("link", link));
    table_csv(&points.chain(links).collect::<Vec<_>>())
}
