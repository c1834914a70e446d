//! CSV for spreadsheets and data frames: one row per number.
//!
//! Columns: `scenario`, `mode`, `seed`, `subject`, `kind`, `metric`, `value`, `unit`. The table is long
//! rather than wide: resources, sockets and workloads have different numbers, a long table holds them all
//! without empty cells, and the tables of several runs can be put one under the other. Names and units are
//! those of the JSON.

use bandgraph_solve::Mode;

use crate::{RunReport, figures};

/// The columns of [`run_csv`].
pub const RUN_COLUMNS: [&str; 8] = [
    "scenario", "mode", "seed", "subject", "kind", "metric", "value", "unit",
];

/// `report` as CSV with a header row. Numbers are the shortest that read back as the same number.
pub fn run_csv(report: &RunReport) -> String {
    let mode = match report.outcome.mode {
        Mode::Predict => "predict",
        Mode::Simulate => "simulate",
    };
    let seed = report.seed.to_string();
    let header = RUN_COLUMNS.map(str::to_owned).to_vec();
    let rows = figures(report).into_iter().map(|figure| {
        vec![
            report.scenario.clone(),
            mode.to_owned(),
            seed.clone(),
            figure.subject,
            figure.kind.to_owned(),
            figure.metric,
            figure.value.to_string(),
            figure.unit.to_owned(),
        ]
    });
    csv_lines(std::iter::once(header).chain(rows))
}

/// Rows of cells as lines of CSV, each cell made safe by [`csv_cell`].
pub(crate) fn csv_lines<R: IntoIterator<Item = String>>(rows: impl Iterator<Item = R>) -> String {
    let in_memory = "writing to memory cannot fail";
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for cells in rows {
        let cells = cells.into_iter().map(|cell| csv_cell(cell).into_bytes());
        writer.write_record(cells).expect(in_memory);
    }
    String::from_utf8(writer.into_inner().expect(in_memory)).expect("every cell was a string")
}

/// A cell that is safe to open: a text that a spreadsheet would run as a formula gets a leading `'`, which
/// marks it as text; numbers stay as they are. Control characters, which terminals obey, become spaces.
pub(crate) fn csv_cell(mut cell: String) -> String {
    if cell.contains(char::is_control) {
        cell = cell.replace(char::is_control, " ");
    }
    let is_number = || cell.parse::<f64>().is_ok_and(f64::is_finite);
    if cell.trim_start().starts_with(['=', '+', '-', '@']) && !is_number() {
        cell.insert(0, '\'');
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_formulas_and_numbers_stay_numbers() {
        for (cell, expected) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("\t=1", "' =1"),
            ("-inf", "'-inf"),
            ("a\u{1b}[2Jb\r\nc", "a [2Jb  c"),
            ("-1.5e-7", "-1.5e-7"),
            ("+3", "+3"),
            ("64 KiB", "64 KiB"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(csv_cell(cell.to_owned()), expected);
        }
    }
}
