//! What a sweep leaves behind: reports on stdout and in files, and an exit code.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_plot::PlotError;
use bandgraph_report::sweep::{
    SweepDocument, SweepReport, axis_cells, read_baseline, sweep_csv_header, sweep_junit, sweep_view,
};
use bandgraph_report::{PictureError, SweepTable};
use bandgraph_scenario::{Metric, SweepFile, open_file};
use bandgraph_study::{Baseline, Design, Drift, Gate, SweepVerdict};
use bandgraph_units::QuantityKind;
use clap::{Args, ValueEnum};

use super::blocks::{Block, Wanted, each_block};
use super::journal::noted;
use super::parquet_file::ParquetFile;
use super::records::Records;
use super::row_file::RowFile;
use super::usage;
use crate::arguments::{OutputArguments, ResultFormat, metric};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::write_whole;
use crate::picture_format::PictureFormat;
use crate::terminal::Terminal;

/// The largest baseline that is read, in bytes.
const LARGEST_BASELINE: u64 = 512 << 20;
/// Points that are named where points are missing.
const NAMED: usize = 5;

/// What is made of the results of a sweep.
#[derive(Debug, Args)]
pub(crate) struct ResultArguments {
    /// Format of the result on stdout or in --output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Also write all points as CSV
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,
    /// Also write all points as JSON lines
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    jsonl: Option<PathBuf>,
    /// Also write all points as Parquet
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    parquet: Option<PathBuf>,
    #[arg(help = "Also write JUnit XML")]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    junit: Option<PathBuf>,
    /// Also write a summary in Markdown, short enough for the page of a CI step
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    markdown: Option<PathBuf>,
    /// Also draw a picture: a curve along one axis, a surface over several; the ending says whether it is SVG
    /// or PNG
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot: Option<PathBuf>,
    /// Compare with the CSV of an older sweep, and fail where results deviate from it
    #[arg(long, value_name = "CSV", help_heading = "Gates")]
    baseline: Option<PathBuf>,
    /// How far results may deviate from the baseline; repeatable. With a METRIC, only the metrics named
    /// in this way are compared
    #[arg(long = "tolerance", value_name = "[METRIC=]SHARE", default_value = "0%", value_parser = tolerance)]
    #[arg(help_heading = "Gates", requires = "baseline")]
    tolerances: Vec<(Option<Metric>, f64)>,
    /// Let results be better than the baseline by any amount
    #[arg(long, help_heading = "Gates", requires = "baseline")]
    only_worse: bool,
    #[arg(
        help = "The metric that tables and plots show [default: that of the first expectation, or network_bytes_per_s]"
    )]
    #[arg(long, value_name = "METRIC", value_parser = metric, help_heading = "Output")]
    metric: Option<Metric>,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: a table, plots of bars along the axes, and what is not as expected
    #[default]
    Text,
    /// All points, with units in the names of columns
    Csv,
    /// All points as JSON lines: an object a point, with the columns of the CSV
    Jsonl,
    /// For programs: the whole, and its points up to 10,000; `bandgraph schema sweep-result` has its schema
    Json,
    /// A summary for the page of a CI step
    Markdown,
    #[value(help = "One HTML file with everything in it, for browsers")]
    Html,
    #[value(help = "JUnit XML")]
    Junit,
}

fn tolerance(text: &str) -> Result<(Option<Metric>, f64), String> {
    let (of, share) = match text.split_once('=') {
        Some((name, share)) => (Some(metric(name)?), share),
        None => (None, text),
    };
    match QuantityKind::Fraction.parse(share) {
        Ok(share) if (0.0..=1e6).contains(&share) => Ok((of, share)),
        Ok(_) => Err("a tolerance is not negative".to_owned()),
        Err(error) => Err(format!("{error}; write it as in 2%")),
    }
}

impl ResultArguments {
    /// The baseline, if one is asked for. It is read before a sweep begins, so that a mistake shows at once;
    /// so does one in the name of a picture.
    pub(super) fn prepare(&self, sweep: &SweepFile) -> Result<Option<Baseline>, Failure> {
        if let Some(path) = &self.plot {
            PictureFormat::of_ending(path)?;
        }
        let Some(path) = &self.baseline else {
            return Ok(None);
        };
        let text = text_of(path)?;
        let baseline = read_baseline(sweep, &text).map_err(|error| {
            usage(
                format!("{}: {error}", path.display()),
                Some("a baseline is the CSV of a sweep"),
            )
        })?;
        Ok(Some(baseline))
    }

    /// Makes all results of all records, which must be there.
    pub(super) fn write(
        &self,
        design: &Design<'_>,
        records: &mut Records,
        mut baseline: Option<Baseline>,
        overrides: &[String],
        terminal: Terminal,
    ) -> Result<Exit, Failure> {
        all_there(design, records)?;
        terminal.note(&noted(records.warnings()));
        let sweep = design.sweep();
        let metric = self
            .metric
            .or_else(|| sweep.expect.first().map(|expect| expect.bound.metric));
        let metric = metric.unwrap_or(Metric::NetworkBytesPerSecond);
        let drift = Drift {
            tolerances: self.tolerances.clone(),
            better_is_fine: self.only_worse,
        };
        let mut report = SweepReport::new(sweep, metric);
        let mut gate = Gate::new(sweep);
        let mut rows = Rows::create(self, sweep)?;
        let mut table = self
            .plot
            .as_ref()
            .map(|_| SweepTable::new(sweep, metric))
            .transpose();
        let (mut strange, mut compared, mut parted) = (0_u64, 0_u64, 0_u64);
        each_block(design, records, rows.wanted(), &mut |block| {
            rows.push(sweep, &block)?;
            for (point, record) in block.points {
                let mut findings = gate.judge(&point, &record);
                if let Some(baseline) = &mut baseline {
                    match baseline.judge(&axis_cells(sweep, &point), &record, &drift) {
                        Some(found) => {
                            compared += 1;
                            parted += u64::from(!found.is_empty());
                            findings.extend(found);
                        }
                        None => strange += 1,
                    }
                }
                if let Ok(Some(table)) = &mut table {
                    table.add(sweep, &point, &record);
                }
                report.add(&point, &record, findings);
            }
            Ok(())
        })?;
        let mut verdicts = gate.verdicts();
        let mut notes = Vec::new();
        if let Some(baseline) = &baseline {
            verdicts.push(comparison(baseline, &drift, parted, compared));
            if strange > 0 {
                notes.push(format!("{strange} points are not in the baseline."));
            }
        }
        rows.finish()?;
        let internal_errors = report.internal_errors();
        let document = report.document(overrides, verdicts, notes);
        self.write_whole(&document)?;
        if let Some(path) = &self.plot {
            draw(path, table, terminal)?;
        }
        if internal_errors > 0 {
            return Err(Failure::Internal {
                message: format!(
                    "{internal_errors} points ended in a failed check inside the program; the results say \
                     which"
                ),
            });
        }
        Ok(Exit::of_gates(document.holds()))
    }

    /// Writes what is made of the whole.
    fn write_whole(&self, document: &SweepDocument) -> Result<(), Failure> {
        let file = |path: &Option<PathBuf>, make: fn(&SweepDocument) -> String| match path {
            Some(path) => {
                write_whole(path, make(document).as_bytes()).map_err(|error| Failure::output(path, error))
            }
            None => Ok(()),
        };
        file(&self.junit, sweep_junit)?;
        file(&self.markdown, |document| sweep_view(document).markdown(2))?;
        let format = match self.format {
            Format::Csv | Format::Jsonl => return Ok(()),
            Format::Junit => return self.output.write(&sweep_junit(document)),
            Format::Text => ResultFormat::Text,
            Format::Json => ResultFormat::Json,
            Format::Markdown => ResultFormat::Markdown,
            Format::Html => ResultFormat::Html,
        };
        self.output.write_result(format, document, &sweep_view(document))
    }
}

/// Draws a picture of the whole. Where there is none to draw, the results are no worse for it, and a note
/// says why.
fn draw(
    path: &Path,
    table: Result<Option<SweepTable>, PictureError>,
    terminal: Terminal,
) -> Result<(), Failure> {
    let format = PictureFormat::of_ending(path)?;
    let no_picture = |reason: String| {
        terminal.note(&format!("no picture: {reason}\n"));
        Ok(())
    };
    let picture = table.and_then(|table| table.map(|table| table.picture(None)).transpose());
    let picture = match picture {
        Ok(Some(picture)) => picture,
        Ok(None) => return Ok(()),
        Err(error) => return no_picture(error.to_string()),
    };
    match format.draw(&picture, None) {
        Ok(bytes) => write_whole(path, &bytes).map_err(|error| Failure::output(path, error)),
        Err(error @ (PlotError::Font | PlotError::Drawing(_))) => Err(Failure::Internal {
            message: error.to_string(),
        }),
        Err(error) => no_picture(error.to_string()),
    }
}

/// The files of all points.
struct Rows {
    csv: Vec<RowFile>,
    json: Vec<RowFile>,
    parquet: Option<ParquetFile>,
}

impl Rows {
    fn create(arguments: &ResultArguments, sweep: &SweepFile) -> Result<Self, Failure> {
        let file = |path: &Option<PathBuf>| {
            path.as_deref()
                .map(|path| RowFile::create(Some(path)))
                .transpose()
        };
        let mut rows = Self {
            csv: file(&arguments.csv)?.into_iter().collect(),
            json: file(&arguments.jsonl)?.into_iter().collect(),
            parquet: arguments
                .parquet
                .as_deref()
                .map(|path| ParquetFile::create(path, sweep))
                .transpose()?,
        };
        let main = || RowFile::create(arguments.output.path());
        match arguments.format {
            Format::Csv => rows.csv.push(main()?),
            Format::Jsonl => rows.json.push(main()?),
            Format::Text | Format::Json | Format::Markdown | Format::Html | Format::Junit => {}
        }
        for file in &mut rows.csv {
            file.push(&sweep_csv_header(sweep))?;
        }
        Ok(rows)
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            csv: !self.csv.is_empty(),
            json: !self.json.is_empty(),
        }
    }

    fn push(&mut self, sweep: &SweepFile, block: &Block) -> Result<(), Failure> {
        for file in &mut self.csv {
            file.push(&block.csv)?;
        }
        for file in &mut self.json {
            file.push(&block.json)?;
        }
        if let Some(file) = &mut self.parquet {
            for (point, record) in &block.points {
                file.push(sweep, point, record)?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        self.csv
            .into_iter()
            .chain(self.json)
            .try_for_each(RowFile::finish)?;
        self.parquet.map_or(Ok(()), ParquetFile::finish)
    }
}

/// The verdict on a baseline: something was compared, nothing parts from it, and nothing that it has is
/// missing.
fn comparison(baseline: &Baseline, drift: &Drift, parted: u64, compared: u64) -> SweepVerdict {
    let unmet: Vec<String> = baseline
        .unmet()
        .take(NAMED)
        .map(|values| values.join(", "))
        .collect();
    let missing = baseline.unmet().count() as u64;
    let mut message = format!(
        "{parted} points {} by more than {}",
        if drift.better_is_fine {
            "are worse"
        } else {
            "differ"
        },
        drift
            .tolerances
            .iter()
            .map(|(of, share)| {
                let share = QuantityKind::Fraction.format(*share);
                of.map_or_else(|| share.clone(), |metric| format!("{share} in {metric}"))
            })
            .collect::<Vec<_>>()
            .join(", ")
    );
    if missing > 0 {
        message = format!(
            "{message}; {missing} points of the baseline are not in this sweep ({})",
            unmet.join("; ")
        );
    }
    if compared == 0 {
        "it has none of the points of this sweep".clone_into(&mut message);
    }
    SweepVerdict {
        gate: "baseline".to_owned(),
        ok: parted == 0 && missing == 0 && compared > 0,
        message,
        points: baseline.len() as u64,
        failed: parted + missing,
    }
}

/// That every point has a record.
fn all_there(design: &Design<'_>, records: &Records) -> Result<(), Failure> {
    let mut named = Vec::new();
    let (mut missing, mut points) = (0_u64, 0_u64);
    for number in 0..design.candidates() {
        // Filters cost more than looking, and nothing that is there is left out by them.
        if records.has(number) {
            points += 1;
        } else if design.point(number).is_some() {
            points += 1;
            missing += 1;
            if named.len() < NAMED {
                named.push(number.to_string());
            }
        }
    }
    if missing == 0 {
        return Ok(());
    }
    let more = if missing > named.len() as u64 { ", …" } else { "" };
    let missing = format!(
        "{missing} of {points} points are not in these journals: {}{more}",
        named.join(", ")
    );
    let missing = Diagnostic::error("journal::missing_points", missing)
        .help("run what is not done yet with `bandgraph sweep run --resume`, and name all journals");
    let mut diagnostics = records.warnings().to_vec();
    diagnostics.push(missing);
    Err(Failure::Input {
        diagnostics,
        sources: Sources::new(),
    })
}

fn text_of(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = open_file(path).and_then(|file| {
        // The size first: what is too large is not read.
        if file.metadata()?.len() > LARGEST_BASELINE {
            return Err(io::Error::other(format!(
                "it is larger than {} MiB",
                LARGEST_BASELINE >> 20
            )));
        }
        file.take(LARGEST_BASELINE).read_to_string(&mut text)
    });
    match read {
        Ok(_) => Ok(text),
        Err(error) => Err(usage(format!("failed to read {}: {error}", path.display()), None)),
    }
}
