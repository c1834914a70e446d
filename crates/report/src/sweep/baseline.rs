//! Older results, from the CSV of an older sweep.

use bandgraph_scenario::{Axis, Metric, SweepFile};
use bandgraph_study::{Baseline, BaselineRow};
use thiserror::Error;

use super::row::metrics;

/// Why a text is no baseline of a sweep.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BaselineError {
    /// Not CSV.
    #[error("the baseline is not CSV: {0}")]
    NotCsv(String),
    /// A column that tells points apart is not there.
    #[error("the baseline has no column `{0}`, so its points cannot be told apart")]
    NoColumn(String),
    /// Nothing to compare.
    #[error("the baseline has no figure that this sweep has")]
    NoMetrics,
    /// A cell that should be a number.
    #[error("line {line} of the baseline: `{column}` is `{text}`, which is no number")]
    NotANumber {
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What it says.
        text: String,
    },
    /// Two rows of the same point.
    #[error("line {0} of the baseline has the same values as a line before it")]
    Twice(u64),
}

/// Reads the baseline of `sweep`. Points are told apart by the columns of its axes; whatever figures it has
/// of those that the sweep tells are compared.
///
/// # Errors
///
/// [`BaselineError`], the first that is found.
pub fn read_baseline(sweep: &SweepFile, text: &str) -> Result<Baseline, BaselineError> {
    let not_csv = |error: csv::Error| BaselineError::NotCsv(error.to_string());
    // The reader counts the second half of a line end to the next line.
    let text = text.replace("\r\n", "\n");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(not_csv)?.clone();
    let column = |name: &str| header.iter().position(|known| known == name);
    let axes: Vec<usize> = sweep
        .axes
        .iter()
        .map(|axis: &Axis| column(&axis.column()).ok_or_else(|| BaselineError::NoColumn(axis.column())))
        .collect::<Result<_, _>>()?;
    let figures: Vec<(Metric, usize)> = metrics(sweep)
        .filter_map(|metric| Some((metric, column(metric.as_str())?)))
        .collect();
    if figures.is_empty() {
        return Err(BaselineError::NoMetrics);
    }
    let mut baseline = Baseline::default();
    for row in reader.records() {
        let row = row.map_err(not_csv)?;
        let line = row.position().map_or(0, csv::Position::line);
        let mut found = Vec::new();
        for (metric, column) in &figures {
            let text = row.get(*column).unwrap_or_default();
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => found.push((*metric, value)),
                _ if text.is_empty() => {}
                _ => {
                    let column = metric.as_str().to_owned();
                    return Err(BaselineError::NotANumber {
                        line,
                        column,
                        text: text.to_owned(),
                    });
                }
            }
        }
        let values = axes
            .iter()
            .map(|column| row.get(*column).unwrap_or_default().to_owned())
            .collect();
        if !baseline.add(values, BaselineRow::new(found)) {
            return Err(BaselineError::Twice(line));
        }
    }
    Ok(baseline)
}
