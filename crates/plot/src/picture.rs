//! A picture and its formats.

use std::path::Path;

use crate::canvas::{Area, Canvas};
use crate::error::at_most;
use crate::raster::png;
use crate::svg::svg;
use crate::{Bars, Board, ColouredPoints, Curves, HeatMap, PlotError, PredictedMeasured, palette};

/// The default number of PNG pixels per unit of the picture, in each direction.
const PNG_SCALE: u32 = 2;
/// The maximum number of pixels of a PNG, whose encoding needs three bytes of memory for each.
const PIXELS_MAX: usize = 100_000_000;

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Vector graphics.
    Svg,
    /// Pixels.
    Png,
}

impl PictureFormat {
    /// Each format with its name, which is also its file extension, and its description.
    pub const ALL: &[(Self, &str, &str)] = &[
        (Self::Svg, "svg", "Lines and text, for any size"),
        (Self::Png, "png", "Pixels"),
    ];

    /// The format for a file extension.
    pub fn of_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let mut known = Self::ALL.iter();
        known
            .find(|(_, name, _)| ending.eq_ignore_ascii_case(name))
            .map(|(format, ..)| *format)
    }
}

/// Declares the pictures, each with its data type: the enum and the common methods.
macro_rules! pictures {
    ($($(#[$doc:meta])* $picture:ident),+ $(,)?) => {
        /// Any picture.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Picture {
            $($(#[$doc])* $picture($picture)),+
        }

        $(impl From<$picture> for Picture {
            fn from(data: $picture) -> Self {
                Self::$picture(data)
            }
        })+

        impl Picture {
            fn title(&self) -> &str {
                match self {
                    $(Self::$picture(data) => &data.title),+
                }
            }

            /// Width and height, in units.
            fn size(&self) -> Result<(u32, u32), PlotError> {
                match self {
                    $(Self::$picture(data) => data.size()),+
                }
            }

            fn draw(&self, canvas: &mut Canvas) -> Result<(), PlotError> {
                match self {
                    $(Self::$picture(data) => data.draw(canvas)),+
                }
            }
        }
    };
}

pictures! {
    /// Values of named items.
    Bars,
    /// Predictions over measurements.
    PredictedMeasured,
    /// Curves over an axis.
    Curves,
    /// A grid of values.
    HeatMap,
    /// A scatter plot over two axes.
    ColouredPoints,
    /// A server.
    Board,
}

impl Picture {
    /// The bytes of the picture; a PNG with the given scale uses [`png_scaled`](Self::png_scaled).
    ///
    /// # Errors
    ///
    /// [`PlotError`] if the data cannot be drawn.
    pub fn draw_as(&self, format: PictureFormat, scale: Option<u32>) -> Result<Vec<u8>, PlotError> {
        match format {
            PictureFormat::Svg => self.svg().map(String::into_bytes),
            PictureFormat::Png => self.png_scaled(scale.unwrap_or(PNG_SCALE)),
        }
    }

    /// The picture as an SVG document. Its text is text, in the embedded font if the viewer has it, otherwise
    /// in a similar one of the same width.
    ///
    /// # Errors
    ///
    /// [`PlotError`] if the data cannot be drawn.
    pub fn svg(&self) -> Result<String, PlotError> {
        Ok(svg(&self.drawn()?, self.size()?, self.title()))
    }

    /// The picture as a PNG file with two pixels per unit in each direction, for sharp text on any screen.
    ///
    /// # Errors
    ///
    /// [`PlotError`] if the data cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        self.png_scaled(PNG_SCALE)
    }

    /// The picture as a PNG file with `scale` pixels per unit in each direction, at least one.
    ///
    /// # Errors
    ///
    /// [`PlotError`] if the data cannot be drawn, or there would be too many pixels.
    pub fn png_scaled(&self, scale: u32) -> Result<Vec<u8>, PlotError> {
        let scale = scale.max(1);
        let (width, height) = self.size()?;
        let size = (width.saturating_mul(scale), height.saturating_mul(scale));
        let count = (size.0 as usize).saturating_mul(size.1 as usize);
        at_most(PIXELS_MAX, count, "pixels")?;
        png(&self.drawn()?, (width, height), scale as f32)
    }

    fn drawn(&self) -> Result<Canvas, PlotError> {
        let (width, height) = self.size()?;
        let mut canvas = Canvas::default();
        let all = Area {
            left: 0.0,
            top: 0.0,
            right: f64::from(width),
            bottom: f64::from(height),
        };
        canvas.rectangle(all, palette::PAPER)?;
        self.draw(&mut canvas)?;
        Ok(canvas)
    }
}
