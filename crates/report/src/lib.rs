//! Results as text, Markdown, HTML, JSON and CSV.
//!
//! A result is one document (in [`mod@json`]): a struct with a published schema, in which every figure is one
//! field. Every format is a walk over it:
//!
//! - [`json()`]: the document itself. The fields are a contract with a version.
//! - [`Document::csv`]: its figures as a flat list ([`figures`]), one number a row.
//! - a [`View`]: what people read of it, as titles, paragraphs and tables. [`View::text`] lays it out for the
//!   width of a page, [`View::markdown`] for tickets, [`View::html`] as one file with everything in it.
//! - [`picture`]: turns a result that was written as JSON back into the data of a picture.
//! - [`compare`]: two results of a kind, side by side.
//!
//! Nothing here computes a result, reads a file or prints: every format is a function from values to a
//! string. Inner types know no format; their serialisable twins live here.

#[macro_use]
mod documents;

mod apart;
pub mod calibrate;
mod compare;
mod comparison;
mod csv;
mod document;
mod fields;
mod findings;
mod glossary;
pub mod json;
mod learned;
mod origin;
mod parts_page;
pub mod pcie;
mod picture;
mod place_report;
mod run_report;
mod schemas;
mod study_report;
pub mod sweep;
mod text;
mod trace_report;
pub mod validate;
mod view;
mod warnings;

pub use apart::Apart;
pub use bandgraph_study::{measured_value, metric_value};
pub use calibrate::{CalibrateDocument, CalibrateReport, calibrate_view};
pub use compare::{
    CompareDocument, CompareError, CompareGate, CompareGateDocument, FigureChangeDocument, GateSide,
    TextChangeDocument, compare, compare_view, parse_tolerance,
};
pub use comparison::{Comparison, Verdict};
pub use csv::{CSV_COLUMNS, WHATIF_COLUMNS, whatif_csv};
pub use document::{Document, Figure, NotFinite, check, figures};
pub use findings::{FINDINGS_COLUMNS, findings_csv, findings_text, findings_view};
pub use glossary::glossary_page;
pub use json::{
    FiguresDocument, LadderDocument, MachineDocument, PartDocument, PartsDocument, PlaceDocument,
    RunDocument, StackDocument, StacksDocument, TopologyDocument, TraceDocument, WhatIfDocument, json,
    machine_json,
};
pub use learned::{LearnedDocument, learned_view};
pub use parts_page::parts_page;
pub use pcie::{pcie_csv, pcie_document, pcie_view};
pub use picture::{
    PictureError, PictureKind, PictureWish, SweepTable, draw_ladder, draw_place, draw_whatif, path_picture,
    picture, topology_picture,
};
pub use place_report::PlaceReport;
pub use run_report::{ReplayReport, RunReport};
pub use schemas::SCHEMAS;
pub use serde_json::Value as JsonValue;
pub use study_report::{LadderReport, WhatIfReport};
pub use text::{
    CheckedFile, Explanations, check_text, explanation_view, figures_csv, figures_view, found, ladder_view,
    part_view, parts_view, place_view, run_view, stack_view, stacks_view, topology_view, trace_fit_comment,
    trace_view, whatif_view,
};
pub use view::{NARROWEST, Page, TextOptions, View};
pub use warnings::warnings_of_files;

pub use trace_report::TraceReport;
pub use validate::{
    ValidateDocument, ValidateReport, ValidateScenarioDocument, validate_csv, validate_view, validation_page,
};

/// The version of the program, as results carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
