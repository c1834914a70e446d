//! `bandgraph plot`.

use std::io::{self, Read};
use std::path::PathBuf;

use bandgraph_plot::{Picture, PlotError};
use bandgraph_report::{PictureKind, PictureWish, picture};
use bandgraph_scenario::{DiskFiles, Files, MAXIMUM_FILE_SIZE, Metric, ReadError};
use clap::{Args, ValueEnum};

use crate::arguments::metric;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::write_whole;
use crate::picture_format::PictureFormat;
use crate::terminal::Terminal;

/// Draw a picture of a result
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph run scenarios/7410-barcelona-cached-read.toml --format json --output result.json
  bandgraph plot result.json --output result.svg
  bandgraph plot result.json --picture measured --output measured.png
  bandgraph sweep scenarios/sweeps/7410-io-size.toml --csv sizes.csv
  bandgraph plot sizes.csv --picture curves --output sizes.svg")]
pub(crate) struct Arguments {
    /// A result of `run`, `whatif`, `ladder`, `place`, `validate` or `calibrate` as JSON, or of `sweep` as
    /// CSV, JSON lines or Parquet; - reads it from stdin
    #[arg(value_name = "RESULT")]
    path: PathBuf,
    /// What to show [default: what suits the result]
    #[arg(long, value_enum)]
    picture: Option<Subject>,
    #[arg(
        help = "The metric to show, of a sweep [default: the first of its columns] or of a study [default: what goes \
                  over the network]"
    )]
    #[arg(long, value_name = "METRIC", value_parser = metric)]
    metric: Option<Metric>,
    /// Title of the picture of a sweep [default: the name of its file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Write the picture to FILE; its ending says the format [default: SVG to stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Pixels of a PNG for each unit of the picture, of which most are 900 units wide, from 1 to 6 [default:
    /// 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=6))]
    scale: Option<u32>,
    /// Format of the picture, whatever the ending of the file
    #[arg(long, value_enum)]
    format: Option<PictureFormat>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    /// Of a run: how much of each resource is used
    Utilisation,
    /// Of a run with --timeline: how much of each resource is used over time
    Timeline,
    /// Of a run, a validation or a calibration: what was predicted against what was measured
    Measured,
    /// Of a validation or a calibration: how far each prediction is off, by system
    Errors,
    /// Of a validation: what links carried by their counters, and what they were predicted to carry
    Links,
    /// Of a sweep: a metric along an axis, with what it cannot get past, and where it bends
    Curves,
    /// Of a sweep: a metric over two or more axes, as colours
    Surface,
    /// Of `whatif`, `ladder` or `place`: what each case delivers, beside what there is now
    Throughput,
    /// Of a calibration: what it found, within the ranges that its parameters may have
    Parameters,
}

impl Arguments {
    /// Draws the picture.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let format = self.format()?;
        let result = self.read()?;
        let kind = self.picture.map(|subject| match subject {
            Subject::Utilisation => PictureKind::Utilisation,
            Subject::Timeline => PictureKind::Timeline,
            Subject::Measured => PictureKind::Measured,
            Subject::Errors => PictureKind::Errors,
            Subject::Links => PictureKind::Links,
            Subject::Curves => PictureKind::Curves,
            Subject::Surface => PictureKind::Surface,
            Subject::Throughput => PictureKind::Throughput,
            Subject::Parameters => PictureKind::Parameters,
        });
        let stem = self
            .path
            .file_stem()
            .map_or("sweep".into(), |stem| stem.to_string_lossy());
        let wish = PictureWish {
            name: self.title.as_deref().unwrap_or(&stem),
            kind,
            metric: self.metric,
        };
        let picture = picture(&result, &wish).map_err(|error| self.refused(&error.to_string()))?;
        self.write(&picture, format)?;
        Ok(Exit::Fine)
    }

    /// The format that is asked for, or else that of the file's ending, or else SVG.
    fn format(&self) -> Result<PictureFormat, Failure> {
        let format = match (self.format, &self.output) {
            (Some(format), _) => format,
            (None, None) => PictureFormat::Svg,
            (None, Some(path)) => PictureFormat::of_ending(path)?,
        };
        if format == PictureFormat::Png && self.output.is_none() {
            return Err(Failure::Usage {
                message: "a PNG is not for stdout".to_owned(),
                help: Some("say where it is to go: `--output FILE.png`".to_owned()),
            });
        }
        Ok(format)
    }

    fn write(&self, picture: &Picture, format: PictureFormat) -> Result<(), Failure> {
        let bytes = format.draw(picture, self.scale).map_err(|error| match error {
            PlotError::Font | PlotError::Drawing(_) => Failure::Internal {
                message: error.to_string(),
            },
            _ => self.refused(&error.to_string()),
        })?;
        match &self.output {
            Some(path) => write_whole(path, &bytes).map_err(|error| Failure::output(path, error)),
            None => Terminal::result(&String::from_utf8_lossy(&bytes)),
        }
    }

    /// The bytes of the result.
    fn read(&self) -> Result<Vec<u8>, Failure> {
        if self.path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            let mut stdin = io::stdin().lock().take(MAXIMUM_FILE_SIZE as u64 + 1);
            stdin
                .read_to_end(&mut bytes)
                .map_err(|error| self.refused(&error.to_string()))?;
            if bytes.len() > MAXIMUM_FILE_SIZE {
                return Err(self.refused("it is too large"));
            }
            Ok(bytes)
        } else {
            DiskFiles
                .read(&self.path)
                .map_err(|error| self.refused(&reason(&error)))
        }
    }

    /// The result cannot be drawn.
    fn refused(&self, reason: &str) -> Failure {
        Failure::Usage {
            message: format!("no picture of {}: {reason}", self.path.display()),
            help: Some(
                "`bandgraph run SCENARIO --format json --output RESULT.json` writes a result".to_owned(),
            ),
        }
    }
}

fn reason(error: &ReadError) -> String {
    match error {
        ReadError::Missing => "there is no such file".to_owned(),
        ReadError::Folder => "it is a folder".to_owned(),
        ReadError::TooLarge => "it is too large".to_owned(),
        ReadError::Unreadable(reason) => reason.clone(),
    }
}
