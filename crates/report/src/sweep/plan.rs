//! The points of a sweep before any of them is answered: their numbers, values and hashes.

use bandgraph_scenario::SweepFile;
use bandgraph_study::Point;
use serde_json::{Value, json};

use super::row::{axis_cell, cell_text, push_json_object};
use crate::csv::csv_lines;

fn columns(sweep: &SweepFile) -> Vec<String> {
    let mut columns = vec!["point".to_owned()];
    columns.extend(sweep.axes.iter().map(bandgraph_scenario::Axis::column));
    columns.push("input_hash".to_owned());
    columns
}

fn cells(sweep: &SweepFile, point: &Point, input_hash: &str) -> Vec<Value> {
    let mut cells = vec![json!(point.number)];
    cells.extend(
        sweep
            .axes
            .iter()
            .zip(&point.values)
            .map(|(axis, value)| axis_cell(axis.kind, value)),
    );
    cells.push(json!(input_hash));
    cells
}

/// The header row of a plan as CSV.
pub fn plan_csv_header(sweep: &SweepFile) -> String {
    csv_lines(std::iter::once(columns(sweep)))
}

/// The row of one point as CSV.
pub fn plan_csv_row(sweep: &SweepFile, point: &Point, input_hash: &str) -> String {
    let cells = cells(sweep, point, input_hash);
    csv_lines(std::iter::once(cells.iter().map(cell_text)))
}

/// The line of one point as JSON.
pub fn plan_json_line(sweep: &SweepFile, point: &Point, input_hash: &str) -> String {
    let mut line = String::new();
    push_json_object(
        &mut line,
        columns(sweep).iter().zip(cells(sweep, point, input_hash)),
    );
    line
}
