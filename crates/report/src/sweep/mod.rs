//! Sweeps in every format: one file each.
//!
//! A sweep of millions of points is never in memory, so formats of all points are made of some at a time:
//! [`sweep_csv_header`] and [`sweep_csv_rows`], [`sweep_json_lines`], [`SweepParquet`]. Formats of the whole
//! ([`sweep_view`], [`sweep_junit`]) say what there is to say in a bounded number of lines, from a [`SweepReport`].
//!
//! The *journal* is what a sweep writes while it runs, and what `--resume` and `merge` read:
//! [`JournalHeader`] and
//! [`read_journal`].

mod baseline;
mod csv;
pub mod emit;
mod journal;
mod json_lines;
mod junit;
mod parquet;
mod plan;
mod row;
mod sweep_report;
mod text;

pub use self::parquet::SweepParquet;
pub use baseline::{BaselineError, read_baseline};
pub use csv::{sweep_csv_header, sweep_csv_rows};
pub use journal::{FaultyLines, JournalContent, JournalError, JournalHeader, LineFault, read_journal};
pub use json_lines::sweep_json_lines;
pub use junit::sweep_junit;
pub use plan::{plan_csv_header, plan_csv_row, plan_json_line};
pub use row::{axis_cells, point_label, sweep_columns};
pub(crate) use row::{cells as sweep_cells, file_stem, saturation_column};
pub use sweep_report::{FailingPoint, MAXIMUM_CASES, SweepReport};
pub use text::sweep_view;
