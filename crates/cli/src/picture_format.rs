//! The formats of pictures, and what the endings of files say of them.

use std::path::{Path, PathBuf};

use bandgraph_plot::{Picture, PictureFormat, PlotError};
use clap::Args;

use crate::arguments::one_of;
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::terminal::write_whole;

/// The format that the ending of a file says.
pub(crate) fn of_ending(path: &Path) -> Result<PictureFormat, Failure> {
    PictureFormat::of_ending(path).ok_or_else(|| {
        Failure::usage(format!("{} ends neither in .svg nor in .png", path.display()))
            .help("say the format: `--format svg` or `--format png`")
    })
}

/// Where a picture goes.
#[derive(Debug, Args)]
pub(crate) struct PictureArguments {
    /// Write the picture to FILE; its extension selects the format [default: SVG to stdout]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Pixels of a PNG per unit of the picture, 1 to 6; most pictures are 900 units wide [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=6))]
    scale: Option<u32>,
    /// Format of the picture, whatever the extension of FILE
    #[arg(long, value_parser = one_of(PictureFormat::ALL))]
    format: Option<PictureFormat>,
}

impl PictureArguments {
    /// The format that is asked for, or else that of the file's ending, or else SVG.
    pub(crate) fn format(&self) -> Result<PictureFormat, Failure> {
        let format = match (self.format, &self.output) {
            (Some(format), _) => format,
            (None, None) => PictureFormat::Svg,
            (None, Some(path)) => of_ending(path)?,
        };
        if format == PictureFormat::Png && self.output.is_none() {
            return Err(
                Failure::usage("a PNG is not for stdout").help("say where it is to go: `--output FILE.png`")
            );
        }
        Ok(format)
    }

    /// Draws the picture; `refused` says what it is of, where that cannot be drawn.
    pub(crate) fn write(
        &self,
        picture: &Picture,
        refused: impl FnOnce(&str) -> Failure,
    ) -> Result<(), Failure> {
        let bytes = picture
            .draw_as(self.format()?, self.scale)
            .map_err(|error| match error {
                PlotError::Drawing(_) => Failure::internal(error.to_string()),
                _ => refused(&error.to_string()),
            })?;
        match &self.output {
            Some(path) => write_whole(path, &bytes),
            None => Terminal::result(&String::from_utf8_lossy(&bytes)),
        }
    }
}
