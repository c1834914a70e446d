//! Results as JSON lines: one object a point, with the columns of the CSV as its fields.

use bandgraph_scenario::SweepFile;
use bandgraph_study::{Point, Record};

use super::row::{cells, json_object, sweep_columns};

/// The line of one point. What a point does not tell is `null`.
pub fn sweep_json_line(sweep: &SweepFile, point: &Point, record: &Record) -> String {
    json_object(sweep_columns(sweep).iter().zip(cells(sweep, point, record)))
}
