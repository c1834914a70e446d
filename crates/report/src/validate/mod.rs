//! Validations: every measurement beside its prediction, as text, CSV, Markdown and JSON.

mod json;
mod page;
mod text;

use bandgraph_study::{Method, ModelErrors, Validation};

pub use json::{
    CoverageDocument, VALIDATE_SCHEMA_VERSION, ValidateBottleneckDocument, ValidateCoverageDocument,
    ValidateDocument, ValidateErrorsDocument, ValidateGroupDocument, ValidateLinkDocument,
    ValidateLinkRunDocument, ValidatePointDocument, ValidateScenarioDocument, ValidateSummaryDocument,
};
pub use page::validation_page;
pub use text::validate_view;
pub(crate) use text::{errors_cells, errors_table};

use crate::csv::{NamedCells, object_cells, table_csv};
use crate::origin::Origin;

/// A validation, gathered for reporting.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidateReport {
    /// How the scenarios were answered.
    pub method: Method,
    /// The folders and scenarios that were asked for.
    pub files: Vec<String>,
    /// The overrides of the command line, in order.
    pub overrides: Vec<String>,
    /// What each scenario with measurements was made from, in order.
    pub scenarios: Vec<ValidateScenarioDocument>,
    /// What was found.
    pub validation: Validation,
    /// What the model misses, as its unseen points say; `None` where no intervals were drawn.
    pub model_errors: Option<ModelErrors>,
}

/// A validation as CSV: a row for every point, then one for every link. The columns are the fields of both in
/// JSON, behind one that says which of them a row is, and before those that say what it was made from.
pub fn validate_csv(document: &ValidateDocument) -> String {
    let origin = |scenario: Option<&ValidateScenarioDocument>, mut cells: NamedCells| {
        let of_all = [
            ("mode", document.mode.as_str().to_owned()),
            ("overrides", document.overrides.join("; ")),
            ("bandgraph", document.bandgraph.clone()),
        ];
        cells.extend(of_all.map(|(name, cell)| (name.to_owned(), cell)));
        let said = scenario.map(Origin::of);
        for name in ["seed", "software_profile", "software_is_default", "input_hash"] {
            cells.extend(said.as_ref().map(|said| (name.to_owned(), said.text(name))));
        }
        cells
    };
    let scenarios = &document.scenarios;
    let points = document.points.iter().map(|point| {
        let scenario = scenarios.iter().find(|one| one.file == point.file);
        origin(scenario, object_cells("point", point))
    });
    let links = document.links.iter().map(|link| {
        let of_link =
            |one: &&ValidateScenarioDocument| (&one.system, &one.name) == (&link.system, &link.scenario);
        origin(scenarios.iter().find(of_link), object_cells("link", link))
    });
    table_csv(&points.chain(links).collect::<Vec<_>>())
}
