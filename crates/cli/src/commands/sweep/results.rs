//! What a sweep leaves behind: reports on stdout and in files, and an exit code.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bandgraph_plot::PlotError;
use bandgraph_report::sweep::{
    SweepDocument, SweepReport, axis_cells, read_baseline, sweep_csv_header, sweep_csv_rows,
    sweep_json_lines, sweep_junit, sweep_view,
};
use bandgraph_report::{PictureError, SweepTable};
use bandgraph_scenario::{Metric, SweepFile, open_file};
use bandgraph_study::{Baseline, Design, Drift, Gate, Point, Record};
use bandgraph_sweep::Records;
use bandgraph_units::QuantityKind;
use clap::{Args, ValueEnum};

use super::parquet_file::ParquetFile;
use super::row_file::RowFile;
use crate::arguments::{OutputArguments, ResultFormat, metric};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::write_whole;
use crate::picture_format::PictureFormat;
use crate::terminal::Terminal;

/// The largest baseline that is read, in bytes.
const LARGEST_BASELINE: u64 = 512 << 20;

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
            Failure::usage(format!("{}: {error}", path.display())).help("a baseline is the CSV of a sweep")
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
        records.check_complete(design)?;
        terminal.note(&records.note());
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
        let make = rows.texts(sweep);
        records.each_block(design, make, &mut |points, texts| {
            rows.push(sweep, &points, &texts)?;
            for (point, record) in points {
                let mut findings = gate.judge(&point, &record);
                if let Some(baseline) = &mut baseline {
                    findings.extend(baseline.judge(&axis_cells(sweep, &point), &record, &drift));
                }
                if let Ok(Some(table)) = &mut table {
                    table.add(sweep, &point, &record);
                }
                report.add(&point, &record, findings);
            }
            Ok::<_, Failure>(())
        })?;
        let mut verdicts = gate.verdicts();
        let mut notes = Vec::new();
        if let Some(baseline) = &baseline {
            verdicts.push(baseline.verdict(&drift));
            notes.extend(baseline.note());
        }
        rows.finish()?;
        let internal_errors = report.internal_errors();
        let document = report.document(overrides, verdicts, notes);
        self.write_whole(&document)?;
        if let Some(path) = &self.plot {
            draw(path, table, terminal)?;
        }
        if internal_errors > 0 {
            return Err(Failure::internal(format!(
                "{internal_errors} points ended in a failed check inside the program; the results say \
                     which"
            )));
        }
        Ok(Exit::of_gates(document.holds()))
    }

    /// Writes what is made of the whole.
    fn write_whole(&self, document: &SweepDocument) -> Result<(), Failure> {
        let file = |path: &Option<PathBuf>, make: fn(&SweepDocument) -> String| match path {
            Some(path) => write_whole(path, make(document).as_bytes()),
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
        Ok(bytes) => write_whole(path, &bytes),
        Err(error @ (PlotError::Font | PlotError::Drawing(_))) => Err(Failure::internal(error.to_string())),
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

    /// What makes rows of CSV and lines of JSON of points, each empty unless it is wanted.
    fn texts<'s>(&self, sweep: &'s SweepFile) -> impl Fn(&[(Point, Record)]) -> [String; 2] + Sync + use<'s> {
        let (csv, json) = (!self.csv.is_empty(), !self.json.is_empty());
        move |points| {
            let csv = csv.then(|| sweep_csv_rows(sweep, points));
            let json = json.then(|| sweep_json_lines(sweep, points));
            [csv, json].map(Option::unwrap_or_default)
        }
    }

    fn push(
        &mut self,
        sweep: &SweepFile,
        points: &[(Point, Record)],
        [csv, json]: &[String; 2],
    ) -> Result<(), Failure> {
        for file in &mut self.csv {
            file.push(csv)?;
        }
        for file in &mut self.json {
            file.push(json)?;
        }
        if let Some(file) = &mut self.parquet {
            for (point, record) in points {
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
        Err(error) => Err(Failure::usage(format!(
            "failed to read {}: {error}",
            path.display()
        ))),
    }
}
