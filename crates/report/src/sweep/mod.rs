//! Sweeps in every format: one file each.
//!
//! A sweep of millions of points is never in memory, so formats of all points are made of some at a time:
//! [`sweep_csv_header`] and [`sweep_csv_rows`], [`sweep_json_lines`], [`SweepParquet`]. A [`SweepReport`]
//! gathers the [`SweepDocument`] of the whole, of bounded size; [`sweep_view`] and [`sweep_junit`] are
//! walks over it.

mod baseline;
mod csv;
mod document;
mod json_lines;
mod junit;
mod parquet;
mod plan;
mod row;
mod text;

pub use self::parquet::SweepParquet;
pub use baseline::{BaselineError, read_baseline};
pub use csv::{sweep_csv_header, sweep_csv_rows};
pub(crate) use document::SWEEP_SCHEMA_VERSION;
pub use document::{
    MAXIMUM_CASES, SweepAxisDocument, SweepBottleneckDocument, SweepDocument, SweepExpectationDocument,
    SweepExtremeDocument, SweepFindingDocument, SweepPointDocument, SweepReport, SweepValueDocument,
    sweep_result_schema,
};
pub use json_lines::sweep_json_lines;
pub use junit::sweep_junit;
pub use plan::{plan_csv_header, plan_csv_row, plan_json_line};
pub use row::{axis_cells, point_label, sweep_columns};
pub(crate) use row::{cells as sweep_cells, file_stem, saturation_column};
pub use text::sweep_view;
