//! All results of a sweep, made in one pass over its records: the rows of its points, the document of the
//! whole, and the table of a picture.

use std::io::{self, Write};

use bandgraph_plot::Picture;
use bandgraph_scenario::Metric;
use bandgraph_study::{Baseline, Design, Drift, Gate};
use bandgraph_sweep::{Records, SweepError};
use parquet::errors::ParquetError;

use super::row::axis_cells;
use super::{SweepDocument, SweepParquet, SweepReport, sweep_csv_header, sweep_csv_rows, sweep_json_lines};
use crate::{PictureError, SweepTable};

/// What is made of the records of a sweep.
#[derive(Debug, Default)]
pub struct SweepWish {
    /// What tables and the picture show; without one, that of the first expectation, or else what goes over
    /// the network.
    pub metric: Option<Metric>,
    /// Older results, with how far the new ones may deviate from them.
    pub baseline: Option<(Baseline, Drift)>,
    /// Whether there is to be a picture.
    pub picture: bool,
}

/// Where the rows of all points go.
#[derive(Debug)]
pub struct SweepRows<W> {
    /// CSV.
    pub csv: Vec<W>,
    /// JSON lines.
    pub json_lines: Vec<W>,
    /// Parquet.
    pub parquet: Option<W>,
}

/// What there is to say about the whole.
#[derive(Debug)]
pub struct SweepResults {
    /// The document.
    pub document: SweepDocument,
    /// How many points ended in a defect of the program.
    pub internal_errors: u64,
    /// The picture, if one was asked for.
    pub picture: Option<Result<Picture, PictureError>>,
}

/// Makes all results of all records, and writes the rows of points. Returns the targets of rows, which have
/// all that they are to have.
///
/// # Errors
///
/// [`SweepError::Missing`] where a point has no record, [`SweepError::Refused`] where a journal has changed,
/// and those of the targets.
pub fn sweep_results<W: Write + Send, E: From<SweepError> + From<io::Error>>(
    design: &Design<'_>,
    records: &mut Records,
    mut wish: SweepWish,
    mut rows: SweepRows<W>,
) -> Result<(SweepResults, Vec<W>), E> {
    records.check_complete(design)?;
    let sweep = design.sweep();
    let expected = sweep.expect.first().map(|expect| expect.bound.metric);
    let metric = wish.metric.or(expected);
    let metric = metric.unwrap_or(Metric::NetworkBytesPerSecond);
    let mut report = SweepReport::new(sweep, metric);
    let mut gate = Gate::new(sweep);
    let mut table = wish.picture.then(|| SweepTable::new(sweep, metric));
    for target in &mut rows.csv {
        target.write_all(sweep_csv_header(sweep).as_bytes())?;
    }
    let parquet = rows.parquet.take().map(|target| SweepParquet::new(target, sweep));
    let mut parquet = parquet.transpose().map_err(io_error)?;
    let (has_csv, has_json) = (!rows.csv.is_empty(), !rows.json_lines.is_empty());
    let make = |points: &[_]| {
        let csv = has_csv.then(|| sweep_csv_rows(sweep, points));
        let json_lines = has_json.then(|| sweep_json_lines(sweep, points));
        [csv, json_lines].map(Option::unwrap_or_default)
    };
    records.each_block(design, make, &mut |points, [csv, json_lines]| {
        for (targets, text) in [(&mut rows.csv, csv), (&mut rows.json_lines, json_lines)] {
            for target in targets {
                target.write_all(text.as_bytes())?;
            }
        }
        for (point, record) in points {
            if let Some(parquet) = &mut parquet {
                parquet.push(sweep, &point, &record).map_err(io_error)?;
            }
            let mut findings = gate.judge(&point, &record);
            if let Some((baseline, drift)) = &mut wish.baseline {
                findings.extend(baseline.judge(&axis_cells(sweep, &point), &record, drift));
            }
            if let Some(Ok(table)) = &mut table {
                table.add(sweep, &point, &record);
            }
            report.add(&point, &record, findings);
        }
        Ok::<_, E>(())
    })?;
    let mut targets = rows.csv;
    targets.extend(rows.json_lines);
    if let Some(parquet) = parquet {
        targets.push(parquet.finish().map_err(io_error)?);
    }
    let mut verdicts = gate.verdicts();
    let mut notes = Vec::new();
    if let Some((baseline, drift)) = &wish.baseline {
        verdicts.push(baseline.verdict(drift));
        notes.extend(baseline.note());
    }
    let results = SweepResults {
        internal_errors: report.internal_errors(),
        document: report.document(verdicts, notes),
        picture: table.map(|table| table?.picture(None)),
    };
    Ok((results, targets))
}

/// The error of the target, where it is one.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => inner
            .downcast()
            .map_or_else(io::Error::other, |inner: Box<io::Error>| *inner),
        other => io::Error::other(other),
    }
}
