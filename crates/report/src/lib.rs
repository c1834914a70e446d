//! Results as text, JSON and CSV.
//!
//! What a format says is gathered first, in one shape for all formats ([`RunReport`]); then each format is
//! one file:
//!
//! - [`run_text`]: for people, laid out for the width of their page. Wording and layout may change with any version.
//! - [`run_json`]: for programs. The fields are a contract with a version and a published schema, [`run_schema`].
//! - [`run_csv`]: for spreadsheets and data frames, one number a row.
//!
//! What-ifs ([`WhatIfReport`]), ladders ([`LadderReport`]), placements ([`PlaceReport`]) and validations
//! ([`ValidateReport`]) come the same way.
//! [`picture`] turns a result that was written as JSON back into the data of a picture.
//!
//! Nothing here computes a result, reads a file or prints: every format is a function from values to a
//! string. Inner types know no format; their serialisable twins live here.

pub mod calibrate;
mod comparison;
mod csv;
mod figures;
mod findings;
pub mod json;
mod learned;
mod markdown;
mod parts_page;
pub mod pcie;
mod picture;
mod place_report;
mod run_report;
mod study_report;
pub mod sweep;
mod text;
mod trace_report;
pub mod validate;
mod warnings;
mod whatif_csv;

pub use bandgraph_study::{measured_value, metric_value};
pub use calibrate::{CalibrateReport, calibrate_json, calibrate_markdown, calibrate_schema, calibrate_text};
pub use comparison::{Comparison, Verdict};
pub use csv::{RUN_COLUMNS, run_csv};
pub use figures::{Figure, figures};
pub use findings::{FindingsHtml, findings_markdown};
pub use json::{
    MachineDocument, RunDocument, figures_json, figures_schema, json_text, ladder_json, ladder_schema,
    machine_json, machine_schema, part_json, parts_json, place_json, place_schema, run_json, run_schema,
    stack_json, stacks_json, topology_json, trace_json, trace_schema, whatif_json, whatif_schema,
};
pub use learned::learned_text;
pub use parts_page::parts_page;
pub use pcie::{pcie_csv, pcie_json, pcie_text};
pub use picture::{
    PictureError, PictureKind, PictureWish, SweepTable, path_picture, picture, server_svg, topology_picture,
};
pub use place_report::PlaceReport;
pub use run_report::{NotFinite, Provenance, ReplayReport, RunReport};
pub use study_report::{LadderReport, WhatIfReport};
pub use text::{
    CheckedFile, NARROWEST, TextOptions, check_text, explanation_text, explanations_text, figures_text,
    ladder_text, part_text, parts_text, place_text, run_text, stack_text, stacks_text, topology_text,
    trace_fit_text, trace_text, whatif_text,
};
pub use whatif_csv::{WHATIF_COLUMNS, whatif_csv};

pub use trace_report::TraceReport;
pub use validate::{
    ValidateReport, validate_csv, validate_json, validate_markdown, validate_schema, validate_text,
    validation_page,
};

/// The version of the program, as results carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
