//! Results as CSV: one row a point, numbers in base units, units in the names of the columns.

use bandgraph_scenario::SweepFile;
use bandgraph_study::{Point, Record};

use super::row::{cell_text, cells, sweep_columns};
use crate::csv::csv_lines;

/// The header row.
pub(super) fn sweep_csv_header(sweep: &SweepFile) -> String {
    csv_lines(std::iter::once(sweep_columns(sweep)))
}

/// The rows of some points. Numbers are the shortest that read back as the same number; what a point does not
/// tell is empty.
pub(super) fn sweep_csv_rows(sweep: &SweepFile, points: &[(Point, Record)]) -> String {
    csv_lines(points.iter().map(|(point, record)| {
        let cells = cells(sweep, point, record);
        cells.into_iter().map(|cell| cell_text(&cell))
    }))
}
