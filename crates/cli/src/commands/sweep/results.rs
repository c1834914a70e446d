//! What a sweep leaves behind: reports on stdout and in files, and an exit code.

use std::path::{Path, PathBuf};

use bandgraph_plot::{Picture, PlotError};
use bandgraph_report::sweep::{
    SweepDocument, SweepRows, SweepWish, read_baseline, sweep_junit, sweep_results, sweep_view,
};
use bandgraph_report::{PictureError, parse_tolerance};
use bandgraph_scenario::{Metric, SweepFile, read_text};
use bandgraph_study::{Baseline, Design, Drift};
use bandgraph_sweep::Records;
use clap::{Args, ValueEnum};

use super::row_file::RowFile;
use crate::arguments::{OutputArguments, ResultFormat, metric};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::picture_format::of_ending;
use crate::terminal::Terminal;
use crate::terminal::write_whole;

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
    /// Also draw a picture: a curve along one axis, a surface over several; the extension selects SVG
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
    /// For people: a table, bar charts along the axes, and failed expectations
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
    Ok((of, parse_tolerance(share)?))
}

impl ResultArguments {
    /// The baseline, if one is asked for. It is read before a sweep begins, so that a mistake shows at once;
    /// so does one in the name of a picture.
    pub(super) fn prepare(&self, sweep: &SweepFile) -> Result<Option<Baseline>, Failure> {
        if let Some(path) = &self.plot {
            of_ending(path)?;
        }
        let Some(path) = &self.baseline else {
            return Ok(None);
        };
        let text = read_text(path, LARGEST_BASELINE)
            .map_err(|error| Failure::usage(format!("failed to read {}: {error}", path.display())))?;
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
        baseline: Option<Baseline>,
        terminal: Terminal,
    ) -> Result<Exit, Failure> {
        terminal.note(&records.note());
        let drift = Drift {
            tolerances: self.tolerances.clone(),
            better_is_fine: self.only_worse,
        };
        let wish = SweepWish {
            metric: self.metric,
            baseline: baseline.map(|baseline| (baseline, drift)),
            picture: self.plot.is_some(),
        };
        let (results, files): (_, Vec<RowFile>) =
            sweep_results::<_, Failure>(design, records, wish, self.rows()?)?;
        files.into_iter().try_for_each(RowFile::finish)?;
        self.write_whole(&results.document, &design.sweep().files)?;
        if let (Some(path), Some(picture)) = (&self.plot, results.picture) {
            draw(path, picture, terminal)?;
        }
        match results.internal_errors {
            0 => Ok(Exit::of_gates(results.document.holds())),
            count => Err(Failure::internal(format!(
                "{count} points ended in a failed check inside the program; the results say which"
            ))),
        }
    }

    /// The files of all points.
    fn rows(&self) -> Result<SweepRows<RowFile>, Failure> {
        let file = |path: &Option<PathBuf>| {
            let path = path.as_deref();
            path.map(|path| RowFile::create(Some(path))).transpose()
        };
        let main = |format| {
            let is_main = self.format == format;
            is_main.then(|| RowFile::create(self.output.path())).transpose()
        };
        Ok(SweepRows {
            csv: file(&self.csv)?.into_iter().chain(main(Format::Csv)?).collect(),
            json_lines: file(&self.jsonl)?
                .into_iter()
                .chain(main(Format::Jsonl)?)
                .collect(),
            parquet: file(&self.parquet)?,
        })
    }

    /// Writes what is made of the whole.
    fn write_whole(&self, document: &SweepDocument, files: &[(String, String)]) -> Result<(), Failure> {
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
        let mut view = sweep_view(document);
        view.files(files.to_vec());
        self.output.write_result(format, document, &view)
    }
}

/// Draws a picture of the whole. Where there is none to draw, the results are no worse for it, and a note
/// says why.
fn draw(path: &Path, picture: Result<Picture, PictureError>, terminal: Terminal) -> Result<(), Failure> {
    let format = of_ending(path)?;
    let reason = match picture.map(|picture| picture.draw_as(format, None)) {
        Ok(Ok(bytes)) => return write_whole(path, &bytes),
        Ok(Err(error @ PlotError::Drawing(_))) => {
            return Err(Failure::internal(error.to_string()));
        }
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    terminal.note(&format!("no picture: {reason}\n"));
    Ok(())
}
