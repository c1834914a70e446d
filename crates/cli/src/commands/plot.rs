//! `bandgraph plot`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bandgraph_report::{PictureError, PictureKind, PictureWish, picture};
use bandgraph_scenario::{DiskFiles, Files, MAXIMUM_FILE_SIZE, Metric, ReadError, open_file};
use clap::Args;

use crate::arguments::{metric, one_of};
use crate::complete;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::picture_format::PictureArguments;
use crate::terminal::Terminal;

/// Draw a picture of a result
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph run scenarios/7410-barcelona/cached-read.toml --format json \\
      --output result.json
  bandgraph plot result.json --output result.svg
  bandgraph plot result.json --picture server --output server.png
  bandgraph plot result.json --trace read --output path.svg
  bandgraph plot after.json --before result.json --output moved.svg
  bandgraph plot result.json --picture measured --output measured.png
  bandgraph sweep scenarios/sweeps/7410-io-size.toml --csv sizes.csv
  bandgraph plot sizes.csv --picture curves --output sizes.svg")]
pub(crate) struct Arguments {
    /// A result of `run`, `whatif`, `ladder`, `place`, `sweep`, `validate`, `calibrate` or `topology show`
    /// as JSON, or of `sweep` as CSV, JSON lines or Parquet; - reads it from stdin
    #[arg(value_name = "RESULT")]
    path: PathBuf,
    /// What to show [default: what suits the result]
    #[arg(long, value_name = "PICTURE", value_parser = one_of(PictureKind::CHOICES))]
    picture: Option<PictureKind>,
    #[arg(
        help = "The metric to show, of a sweep [default: the first of its columns] or of a study [default: \
                  the network throughput]"
    )]
    #[arg(long, value_name = "METRIC", value_parser = metric)]
    metric: Option<Metric>,
    /// Title of the picture of a sweep [default: the name of its file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// An earlier result of `run`: the picture `server` shows the changes since then
    #[arg(long, value_name = "RESULT")]
    before: Option<PathBuf>,
    /// Show the way of one operation of a result of `run`, such as read or write, step by step
    #[arg(long, value_name = "OPERATION", conflicts_with_all = ["before", "metric"],
        add = complete::operations())]
    trace: Option<String>,
    #[command(flatten)]
    output: PictureArguments,
}

impl Arguments {
    /// Draws the picture.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        self.output.format()?;
        let read = |path: &Path| read_result(path).map_err(|reason| refused(path, &reason));
        let result = read(&self.path)?;
        let before = self.before.as_deref().map(read).transpose()?;
        let kind = self.picture.or(self.before.as_ref().map(|_| PictureKind::Server));
        let stem = self.path.file_stem().filter(|stem| *stem != "-");
        let stem = stem.map_or("sweep".into(), |stem| stem.to_string_lossy());
        let wish = PictureWish {
            name: self.title.as_deref().unwrap_or(&stem),
            kind,
            metric: self.metric,
            before: before.as_deref(),
            operation: self.trace.as_deref(),
        };
        let picture = picture(&result, &wish).map_err(|error| {
            // Only of what is no result it helps to hear how to make one.
            let is_no_result = matches!(error, PictureError::NotAResult(_));
            let of_before = matches!(error, PictureError::Before(_));
            let path = self.before.as_deref().filter(|_| of_before).unwrap_or(&self.path);
            refused(path, &error.to_string()).help_if(is_no_result.then(|| {
                "`bandgraph run SCENARIO --format json --output RESULT.json` writes a result, and `bandgraph \
                 topology draw TOPOLOGY` draws a server without one"
                    .to_owned()
            }))
        })?;
        self.output.write(&picture, |error| refused(&self.path, error))?;
        Ok(Exit::Fine)
    }
}

/// The result of this path cannot be drawn.
fn refused(path: &Path, reason: &str) -> Failure {
    Failure::usage(format!("no picture of {}: {reason}", path.display()))
}

/// The bytes of a result; of `-` those of stdin. If there are none, why.
pub(super) fn read_result(path: &Path) -> Result<Vec<u8>, String> {
    let source: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        match DiskFiles.read(path) {
            // A pipe is none, and can be read all the same.
            Err(ReadError::Unreadable(_)) => Box::new(open_file(path).map_err(|error| error.to_string())?),
            read => return read.map_err(|error| error.to_string()),
        }
    };
    let mut bytes = Vec::new();
    let mut start = source.take(MAXIMUM_FILE_SIZE as u64 + 1);
    start.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() > MAXIMUM_FILE_SIZE {
        return Err("it is too large".to_owned());
    }
    Ok(bytes)
}
