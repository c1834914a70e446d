//! CSV for spreadsheets and data frames: one row per number.
//!
//! Columns: `scenario`, `mode`, `seed`, `subject`, `kind`, `metric`, `value`, `unit`. The table is long rather than wide:
//! resources, sockets and workloads have different numbers, a long table holds them all without empty cells, and
//! the tables of several runs can be put one under the other. Names and units are those of the JSON.

use bandgraph_sim::Mode;

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
    let mut writer = csv::Writer::from_writer(Vec::new());
    let in_memory = "writing to memory cannot fail, and all rows have the same columns";
    writer.write_record(RUN_COLUMNS).expect(in_memory);
    for figure in figures(report) {
        let value = figure.value.to_string();
        let row = [
            &report.scenario,
            mode,
            &seed,
            &figure.subject,
            figure.kind,
            &figure.metric,
            &value,
            figure.unit,
        ];
        writer.write_record(row).expect(in_memory);
    }
    let bytes = writer.into_inner().expect(in_memory);
    String::from_utf8(bytes).expect("every field was a string")
}
