//! CSV for spreadsheets and data frames: one row per number.
//!
//! Columns: `scenario`, `mode`, `seed`, `subject`, `kind`, `metric`, `value`, `unit`, and those that say what
//! the document was made from: `file`, `overrides`, `bandgraph`,
//! `software_profile`, `software_is_default`, `input_hash`. The table is long rather than wide:
//! resources, sockets and workloads have different numbers, a long table holds them all without empty cells,
//! and the tables of several results can be put one under the other. Names and units are those of the JSON.

use ciborium::Value as Serialized;
use serde::Serialize;

use crate::document::{Document, figures, identifier};
use crate::json::WhatIfDocument;
use crate::origin::{ORIGIN_COLUMNS, Origin, with_origin};
use crate::run_report::relative;

/// The columns of [`Document::csv`].
pub const CSV_COLUMNS: [&str; 14] = with_origin([
    "scenario", "mode", "seed", "subject", "kind", "metric", "value", "unit",
]);

/// The columns of [`whatif_csv`]: `overrides` are those of the base and of the variant, and `input_hash` is
/// that of the variant.
pub const WHATIF_COLUMNS: [&str; 18] = with_origin([
    "scenario",
    "variant",
    "subject",
    "kind",
    "metric",
    "base",
    "variant_value",
    "difference",
    "relative",
    "unit",
    "mode",
    "seed",
]);

impl Document {
    /// CSV with a header row. Numbers are the shortest that read back as the same number; what the document
    /// does not say of itself is empty.
    pub fn csv(&self) -> String {
        let said = Origin::new(self.value());
        let [scenario, mode, seed] = said.texts(["scenario", "mode", "seed"]);
        let origin = said.texts(ORIGIN_COLUMNS);
        let header = CSV_COLUMNS.map(str::to_owned).to_vec();
        let rows = self.figures().into_iter().map(|figure| {
            let mut cells = vec![
                scenario.clone(),
                mode.clone(),
                seed.clone(),
                figure.subject,
                figure.kind,
                identifier(&figure.metric),
                figure.value.to_string(),
                figure.unit,
            ];
            cells.extend_from_slice(&origin);
            cells
        });
        csv_lines(std::iter::once(header).chain(rows))
    }
}

/// A what-if as CSV with a header row: a row for each figure of each variant, with that of the base beside
/// it. `relative` is the difference over the figure of the base, and empty where that is none.
pub fn whatif_csv(report: &WhatIfDocument) -> String {
    let mut lines = vec![WHATIF_COLUMNS.map(str::to_owned).to_vec()];
    let names = ["mode", "seed", "file", "software_profile", "software_is_default"];
    let [mode, seed, file, software, is_default] = Origin::of(report).texts(names);
    for variant in &report.variants {
        let sets = [report.overrides.clone(), variant.case.sets.clone()].concat();
        let origin = [
            mode.clone(),
            seed.clone(),
            file.clone(),
            sets.join("; "),
            report.bandgraph.clone(),
            software.clone(),
            is_default.clone(),
            variant.case.input_hash.clone(),
        ];
        let figures = figures(&variant.difference);
        for pair in figures.windows(2) {
            let [before, after] = pair else { continue };
            let Some(metric) = before.metric.strip_suffix("_before") else {
                continue;
            };
            let relative = relative(after.value, before.value);
            let mut cells = vec![
                report.scenario.clone(),
                variant.case.name.clone(),
                before.subject.clone(),
                before.kind.clone(),
                metric.to_owned(),
                before.value.to_string(),
                after.value.to_string(),
                (after.value - before.value).to_string(),
                relative.map_or_else(String::new, |share| share.to_string()),
                before.unit.clone(),
            ];
            cells.extend_from_slice(&origin);
            lines.push(cells);
        }
    }
    csv_lines(lines.into_iter())
}

/// A row of a wide table: its cells by the names of their columns.
pub(crate) type NamedCells = Vec<(String, String)>;

/// The fields of an object as a row of a wide table, behind a column `table` with the name of what the object
/// is. An interval is two columns.
pub(crate) fn object_cells(table: &str, object: &impl Serialize) -> NamedCells {
    let mut cells = vec![("table".to_owned(), table.to_owned())];
    for (name, value) in Document::new(object).fields() {
        match value {
            Serialized::Array(ends) => {
                let named = ["low", "high"].into_iter().zip(ends);
                cells.extend(named.map(|(end, value)| (format!("{name}_{end}"), cell_text(value))));
            }
            value => cells.push((name.to_owned(), cell_text(value))),
        }
    }
    cells
}

fn cell_text(value: &Serialized) -> String {
    match value {
        Serialized::Text(text) => text.clone(),
        Serialized::Integer(number) => i128::from(*number).to_string(),
        Serialized::Float(number) => number.to_string(),
        Serialized::Bool(answer) => answer.to_string(),
        _ => String::new(),
    }
}

/// Rows as one table with a header row: a column for each name, in the order in which names first come.
/// Numbers are the shortest that read back as the same number; what a row does not have is empty.
pub(crate) fn table_csv(rows: &[NamedCells]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let cell = |row: &NamedCells, column: &str| {
        let found = row.iter().find(|(name, _)| name == column);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    };
    let header = columns.iter().map(|column| (*column).to_owned()).collect();
    let lines = rows
        .iter()
        .map(|row| columns.iter().map(|column| cell(row, column)).collect());
    csv_lines(std::iter::once::<Vec<String>>(header).chain(lines))
}

/// Rows of cells as lines of CSV, each cell made safe by [`csv_cell`].
pub(crate) fn csv_lines<R: IntoIterator<Item = String>>(rows: impl Iterator<Item = R>) -> String {
    let in_memory = "writing to memory cannot fail";
    let mut writer = ::csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
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
