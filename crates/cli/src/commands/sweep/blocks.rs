//! The results of a sweep, a block of points at a time: lines of journals are read in turn, what they say is
//! made ready on all threads, and blocks come back in the order of their numbers.

use bandgraph_report::sweep::{sweep_csv_rows, sweep_json_lines};
use bandgraph_study::{Design, Point, Record};
use rayon::prelude::*;

use super::records::{Line, Records};
use crate::failure::Failure;

/// Points of a block: enough that beginning one costs nothing.
const BLOCK: usize = 64;
/// Blocks that are made ready together: enough for many threads, and a few megabytes.
const TOGETHER: usize = 64;

/// Some points with their records, and what goes to files of all points.
pub(super) struct Block {
    pub(super) points: Vec<(Point, Record)>,
    /// Rows of CSV; empty unless they are wanted.
    pub(super) csv: String,
    /// Lines of JSON; empty unless they are wanted.
    pub(super) json: String,
}

/// What is wanted of all points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) csv: bool,
    pub(super) json: bool,
}

/// Shows all records in the order of their numbers.
pub(super) fn each_block(
    design: &Design<'_>,
    records: &mut Records,
    wanted: Wanted,
    show: &mut dyn FnMut(Block) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut numbers = 0..design.candidates();
    loop {
        let mut lines = Vec::with_capacity(BLOCK * TOGETHER);
        for number in numbers.by_ref() {
            if let Some(line) = records.line_of(number)? {
                lines.push((number, line));
                if lines.len() == BLOCK * TOGETHER {
                    break;
                }
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        let known = &*records;
        let blocks = lines
            .par_chunks(BLOCK)
            .map(|lines| block(design, known, wanted, lines));
        let blocks: Vec<Result<Block, Failure>> = blocks.collect();
        for block in blocks {
            show(block?)?;
        }
    }
}

fn block(
    design: &Design<'_>,
    records: &Records,
    wanted: Wanted,
    lines: &[(u64, Line)],
) -> Result<Block, Failure> {
    let mut points = Vec::with_capacity(lines.len());
    for (number, line) in lines {
        if let Some(point) = design.point(*number) {
            points.push((point, records.record(line)?));
        }
    }
    let text = |wanted: bool, rows: fn(&bandgraph_scenario::SweepFile, &[(Point, Record)]) -> String| {
        if wanted {
            rows(design.sweep(), &points)
        } else {
            String::new()
        }
    };
    Ok(Block {
        csv: text(wanted.csv, sweep_csv_rows),
        json: text(wanted.json, sweep_json_lines),
        points,
    })
}
