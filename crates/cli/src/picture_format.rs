//! The formats of pictures, and what the endings of files say of them.

use std::path::Path;

use bandgraph_plot::{Picture, PlotError};
use clap::ValueEnum;

use crate::failure::Failure;

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureFormat {
    /// Lines and text, for any size
    Svg,
    /// Pixels
    Png,
}

impl PictureFormat {
    /// The format that the ending of a file says.
    pub(crate) fn of_ending(path: &Path) -> Result<Self, Failure> {
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .map(str::to_ascii_lowercase);
        match ending.as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(Failure::Usage {
                message: format!("{} ends neither in .svg nor in .png", path.display()),
                help: Some("say the format: `--format svg` or `--format png`".to_owned()),
            }),
        }
    }

    /// The bytes of a picture; of a PNG with so many pixels for each unit of the picture, if that is said.
    pub(crate) fn draw(self, picture: &Picture, scale: Option<u32>) -> Result<Vec<u8>, PlotError> {
        match (self, scale) {
            (Self::Svg, _) => picture.svg().map(String::into_bytes),
            (Self::Png, Some(scale)) => picture.png_scaled(scale),
            (Self::Png, None) => picture.png(),
        }
    }
}
