//! Results as CSV: one row a point, numbers in base units, units in the names of the columns.

use bandgraph_scenario::SweepFile;
use bandgraph_study::{Point, Record};

use super::row::{cells, csv_cell, csv_line, sweep_columns};

/// The header row.
pub fn sweep_csv_header(sweep: &SweepFile) -> String {
    csv_line(sweep_columns(sweep).into_iter())
}

/// The row of one point. Numbers are the shortest that read back as the same number; what a point does not tell is empty.
pub fn sweep_csv_row(sweep: &SweepFile, point: &Point, record: &Record) -> String {
    csv_line(cells(sweep, point, record).iter().map(csv_cell))
}
