//! Results as JSON lines: one object a point, with the columns of the CSV as its fields.

use bandgraph_scenario::SweepFile;
use bandgraph_study::{Point, Record};

use super::row::{cells, push_json_object, sweep_columns};

/// The lines of some points. What a point does not tell is `null`.
pub(super) fn sweep_json_lines(sweep: &SweepFile, points: &[(Point, Record)]) -> String {
    let columns = sweep_columns(sweep);
    let mut lines = String::new();
    for (point, record) in points {
        push_json_object(&mut lines, columns.iter().zip(cells(sweep, point, record)));
    }
    lines
}
