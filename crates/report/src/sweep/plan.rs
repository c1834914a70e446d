//! The points of a sweep before any of them is answered: their numbers, values and hashes.

use std::fmt::Write as _;
use std::io::{self, Write};

use bandgraph_diagnostics::Sources;
use bandgraph_scenario::{Axis, SweepFile, Workbench};
use bandgraph_study::{Design, Point, Shard, prepare_hash};
use serde_json::{Value, json};

use super::row::{axis_cell, cell_text, point_label, push_json_object};
use crate::csv::csv_lines;

/// Points that are shown to people.
const SHOWN: u64 = 20;
/// Numbers that are tried one by one to count points for people.
const TRIED: u64 = 1_000_000;
/// Letters of a hash that are shown to people.
const HASH: usize = 12;

/// The formats of all points of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanRows {
    /// CSV with a header.
    Csv,
    /// JSON lines.
    Json,
}

/// Writes all points of a shard, with the hashes of their inputs.
///
/// # Errors
///
/// Those of `target`.
pub fn write_plan(
    design: &Design<'_>,
    sources: &Sources,
    shard: Shard,
    rows: PlanRows,
    target: &mut dyn Write,
) -> io::Result<()> {
    let sweep = design.sweep();
    let members = shard.members(design.candidates());
    let mut bench = Workbench::new();
    let columns = columns(sweep);
    if rows == PlanRows::Csv {
        target.write_all(csv_lines(std::iter::once(columns.clone())).as_bytes())?;
    }
    for point in design.points().filter(|point| members(point.number)) {
        let cells = cells(sweep, &point, &prepare_hash(design, sources, &point, &mut bench));
        let mut line = String::new();
        match rows {
            PlanRows::Csv => line = csv_lines(std::iter::once(cells.iter().map(cell_text))),
            PlanRows::Json => push_json_object(&mut line, columns.iter().zip(cells)),
        }
        target.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// How many points a shard has, and the first of them, for people.
pub fn plan_text(design: &Design<'_>, sources: &Sources, shard: Shard) -> String {
    let sweep = design.sweep();
    let members = shard.members(design.candidates());
    let mut bench = Workbench::new();
    let mut listed = String::new();
    let candidates = design.candidates();
    // Without a filter every number is a point, and few have to be made.
    let is_whole = shard == Shard::WHOLE && sweep.filters.is_empty();
    let tried = candidates.min(if is_whole { SHOWN } else { TRIED });
    let numbers = (0..tried).filter(|&number| members(number));
    let mut count = 0;
    for point in numbers.filter_map(|number| design.point(number)) {
        if count < SHOWN {
            let hash = prepare_hash(design, sources, &point, &mut bench);
            let label = point_label(sweep, &point);
            // Writing to a text cannot fail.
            let _ = writeln!(listed, "  {:>8}  {}  {label}", point.number, &hash[..HASH]);
        }
        count += 1;
    }
    let shown = count.min(SHOWN);
    if is_whole {
        count = candidates;
    }
    let at_least = if is_whole || tried == candidates {
        ""
    } else {
        "at least "
    };
    let rest = match count - shown {
        0 => String::new(),
        more => format!("  and {at_least}{more} more; --format csv has all\n"),
    };
    format!(
        "{}\n  {at_least}{count} points of {candidates}, shard {shard}, {}\n\n{listed}{rest}",
        sweep.name,
        sweep.mode.as_str()
    )
}

fn columns(sweep: &SweepFile) -> Vec<String> {
    let axes = sweep.axes.iter().map(Axis::column);
    let [first, last] = ["point", "input_hash"].map(str::to_owned);
    std::iter::once(first).chain(axes).chain([last]).collect()
}

fn cells(sweep: &SweepFile, point: &Point, input_hash: &str) -> Vec<Value> {
    let axes = sweep.axes.iter().zip(&point.values);
    let axes = axes.map(|(axis, value)| axis_cell(axis.kind, value));
    let first = std::iter::once(json!(point.number));
    first.chain(axes).chain([json!(input_hash)]).collect()
}
