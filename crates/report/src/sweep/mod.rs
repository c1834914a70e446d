//! Sweeps in every format: one file each.
//!
//! A sweep of millions of points is never in memory, so [`sweep_results`] makes formats of all points of some
//! at a time: CSV, JSON lines, Parquet. The [`SweepDocument`] of the whole is of bounded size; [`sweep_view`]
//! and [`sweep_junit`] are walks over it.

mod baseline;
mod csv;
mod document;
mod json_lines;
mod junit;
mod parquet;
mod plan;
mod results;
mod row;
mod text;

use self::parquet::SweepParquet;
pub use baseline::{BaselineError, read_baseline};
use csv::{sweep_csv_header, sweep_csv_rows};
pub(crate) use document::SWEEP_SCHEMA_VERSION;
use document::SweepReport;
pub use document::{
    MAXIMUM_CASES, SweepAxisDocument, SweepBottleneckDocument, SweepDocument, SweepExpectationDocument,
    SweepExtremeDocument, SweepFindingDocument, SweepPointDocument, SweepValueDocument,
};
use json_lines::sweep_json_lines;
pub use junit::sweep_junit;
pub use plan::{PlanRows, plan_text, write_plan};
pub use results::{SweepResults, SweepRows, SweepWish, sweep_results};
pub(crate) use row::{cells as sweep_cells, file_name, origin as sweep_origin, saturation_column};
pub use row::{point_label, sweep_columns};
pub use text::sweep_view;
