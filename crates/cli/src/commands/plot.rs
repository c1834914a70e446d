//! `bandgraph plot`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bandgraph_plot::{Picture, PlotError};
use bandgraph_report::{PictureKind, picture};
use bandgraph_scenario::{DiskFiles, Files, MAXIMUM_FILE_SIZE, ReadError};
use clap::{Args, ValueEnum};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::write_whole;
use crate::terminal::Terminal;

/// Draw a picture of a result
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph run scenarios/7410-barcelona-cached-read.toml --format json --output result.json
  bandgraph plot result.json --output result.svg
  bandgraph plot result.json --picture measured --output measured.png")]
pub(crate) struct Arguments {
    /// A result of `run --format json`; - reads it from stdin
    #[arg(value_name = "RESULT")]
    path: PathBuf,
    /// What to show [default: what suits the result]
    #[arg(long, value_enum)]
    picture: Option<Subject>,
    /// Write the picture to FILE; its ending says the format [default: SVG to stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format of the picture, whatever the ending of the file
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Subject {
    /// How much of each resource is used
    Utilisation,
    /// What was predicted against what was measured
    Measured,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Lines and text, for any size
    Svg,
    /// Pixels
    Png,
}

impl Arguments {
    /// Draws the picture.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let format = self.format()?;
        let text = self.read()?;
        let kind = self.picture.map(|subject| match subject {
            Subject::Utilisation => PictureKind::Utilisation,
            Subject::Measured => PictureKind::Measured,
        });
        let picture = picture(&text, kind).map_err(|error| self.refused(&error.to_string()))?;
        self.write(&picture, format)?;
        Ok(Exit::Fine)
    }

    /// The format that is asked for, or else that of the file's ending, or else SVG.
    fn format(&self) -> Result<Format, Failure> {
        let format = match (self.format, &self.output) {
            (Some(format), _) => format,
            (None, None) => Format::Svg,
            (None, Some(path)) => of_ending(path)?,
        };
        if format == Format::Png && self.output.is_none() {
            return Err(Failure::Usage {
                message: "a PNG is not for stdout".to_owned(),
                help: Some("say where it is to go: `--output FILE.png`".to_owned()),
            });
        }
        Ok(format)
    }

    fn write(&self, picture: &Picture, format: Format) -> Result<(), Failure> {
        let bytes = match format {
            Format::Svg => picture.svg().map(String::into_bytes),
            Format::Png => picture.png(),
        };
        let bytes = bytes.map_err(|error| match error {
            PlotError::Font | PlotError::Drawing(_) => Failure::Internal { message: error.to_string() },
            _ => self.refused(&error.to_string()),
        })?;
        match &self.output {
            Some(path) => write_whole(path, &bytes).map_err(|error| Failure::output(path, error)),
            None => Terminal::result(&String::from_utf8_lossy(&bytes)),
        }
    }

    /// The text of the result.
    fn read(&self) -> Result<String, Failure> {
        let bytes = if self.path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            let mut stdin = io::stdin().lock().take(MAXIMUM_FILE_SIZE as u64 + 1);
            stdin.read_to_end(&mut bytes).map_err(|error| self.refused(&error.to_string()))?;
            if bytes.len() > MAXIMUM_FILE_SIZE {
                return Err(self.refused("it is too large"));
            }
            bytes
        } else {
            DiskFiles.read(&self.path).map_err(|error| self.refused(&reason(&error)))?
        };
        String::from_utf8(bytes).map_err(|_| self.refused("this is not text in UTF-8"))
    }

    /// The result cannot be drawn.
    fn refused(&self, reason: &str) -> Failure {
        Failure::Usage {
            message: format!("no picture of {}: {reason}", self.path.display()),
            help: Some("`bandgraph run SCENARIO --format json --output RESULT.json` writes a result".to_owned()),
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

/// The format that the ending of a file says.
fn of_ending(path: &Path) -> Result<Format, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => Err(Failure::Usage {
            message: format!("{} ends neither in .svg nor in .png", path.display()),
            help: Some("say the format: `--format svg` or `--format png`".to_owned()),
        }),
    }
}
