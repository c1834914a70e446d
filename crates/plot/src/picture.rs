//! A picture, and the formats it comes in.

use std::path::Path;

use crate::canvas::{Area, Canvas};
use crate::raster::png;
use crate::svg::svg;
use crate::{Bars, Board, ColouredPoints, Curves, HeatMap, PlotError, PredictedMeasured, palette};

/// Pixels of a PNG for each unit of the picture, in each direction, if nothing else is asked for.
const PNG_SCALE: u32 = 2;
/// The most pixels of a PNG: three times as many bytes are in memory while it is made.
const PIXELS_MAX: usize = 100_000_000;

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Lines and text, for any size.
    Svg,
    /// Pixels.
    Png,
}

impl PictureFormat {
    /// Each with its name, which is also the ending of its files, and what it is.
    pub const ALL: &[(Self, &str, &str)] = &[
        (Self::Svg, "svg", "Lines and text, for any size"),
        (Self::Png, "png", "Pixels"),
    ];

    /// The format that the ending of a file says.
    pub fn of_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        let mut known = Self::ALL.iter();
        known
            .find(|(_, name, _)| ending.eq_ignore_ascii_case(name))
            .map(|(format, ..)| *format)
    }
}

/// Declares the pictures, each with the data of its name: the enum and what all of them can do.
macro_rules! pictures {
    ($($(#[$doc:meta])* $picture:ident),+ $(,)?) => {
        /// Anything that can be drawn.
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
    /// Values of things with names.
    Bars,
    /// What was predicted against what was measured.
    PredictedMeasured,
    /// Curves over an axis.
    Curves,
    /// A value for every pair of two things.
    HeatMap,
    /// A sample over two axes.
    ColouredPoints,
    /// A server.
    Board,
}

impl Picture {
    /// The bytes of the picture; of a PNG as [`png_scaled`](Self::png_scaled), where there is a scale.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn.
    pub fn draw_as(&self, format: PictureFormat, scale: Option<u32>) -> Result<Vec<u8>, PlotError> {
        match format {
            PictureFormat::Svg => self.svg().map(String::into_bytes),
            PictureFormat::Png => self.png_scaled(scale.unwrap_or(PNG_SCALE)),
        }
    }

    /// The picture as an SVG document. Its text is text, in the embedded font where the viewer has it and in
    /// a similar one of the same width where it does not.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn.
    pub fn svg(&self) -> Result<String, PlotError> {
        Ok(svg(&self.drawn()?, self.size()?, self.title()))
    }

    /// The picture as a PNG file of twice its size in each direction, for sharp text on any screen.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn.
    pub fn png(&self) -> Result<Vec<u8>, PlotError> {
        self.png_scaled(PNG_SCALE)
    }

    /// The picture as a PNG file of so many times its size in each direction, at least once.
    ///
    /// # Errors
    ///
    /// [`PlotError`], where the data cannot be drawn, or there would be too many pixels.
    pub fn png_scaled(&self, scale: u32) -> Result<Vec<u8>, PlotError> {
        let scale = scale.max(1);
        let (width, height) = self.size()?;
        let size = (width.saturating_mul(scale), height.saturating_mul(scale));
        let count = (size.0 as usize).saturating_mul(size.1 as usize);
        if count > PIXELS_MAX {
            return Err(PlotError::TooMuch {
                what: "pixels",
                count,
                limit: PIXELS_MAX,
            });
        }
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
