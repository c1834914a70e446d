//! A picture and its formats.

use std::path::Path;

use crate::canvas::{Area, Canvas, Side, at};
use crate::error::at_most;
use crate::raster::png;
use crate::style::{MARGIN, ORIGIN, wrapped};
use crate::svg::svg;
use crate::{Bars, Board, ColouredPoints, Curves, HeatMap, PlotError, PredictedMeasured, palette};

/// The height of a line of the origin.
const ORIGIN_HEIGHT: f64 = 16.0;

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

/// Any picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows.
    pub drawing: Drawing,
    /// What it was made from: small lines at the bottom; none if empty.
    pub origin: String,
}

/// Declares the drawings, each with its data type: the enum and the common methods.
macro_rules! drawings {
    ($($(#[$doc:meta])* $picture:ident),+ $(,)?) => {
        /// What a picture shows.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Drawing {
            $($(#[$doc])* $picture($picture)),+
        }

        $(impl From<$picture> for Picture {
            fn from(data: $picture) -> Self {
                Self {
                    drawing: Drawing::$picture(data),
                    origin: String::new(),
                }
            }
        })+

        impl Drawing {
            fn title(&self) -> &str {
                match self {
                    $(Self::$picture(data) => &data.title),+
                }
            }

            fn check(&self) -> Result<(), PlotError> {
                match self {
                    $(Self::$picture(data) => data.check()),+
                }
            }

            /// Width and height, in units.
            fn size(&self) -> (u32, u32) {
                match self {
                    $(Self::$picture(data) => data.size()),+
                }
            }

            fn draw(&self, canvas: &mut Canvas) {
                match self {
                    $(Self::$picture(data) => data.draw(canvas)),+
                }
            }
        }
    };
}

drawings! {
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
        Ok(svg(&self.drawn()?, self.size()?, self.drawing.title()))
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

    /// The lines of the origin in a drawing of this width.
    fn origin_lines(&self, width: u32) -> Vec<String> {
        if self.origin.is_empty() {
            return Vec::new();
        }
        wrapped(&self.origin, f64::from(width) - 2.0 * MARGIN, ORIGIN)
    }

    /// Width and height, in units.
    fn size(&self) -> Result<(u32, u32), PlotError> {
        self.drawing.check()?;
        let (width, height) = self.drawing.size();
        let lines = self.origin_lines(width).len();
        Ok((width, height + (ORIGIN_HEIGHT * lines as f64).ceil() as u32))
    }

    fn drawn(&self) -> Result<Canvas, PlotError> {
        let (width, height) = self.size()?;
        let (right, bottom) = (f64::from(width), f64::from(height));
        let mut canvas = Canvas::default();
        canvas.rectangle(Area::between(at(0.0, 0.0), at(right, bottom)), palette::PAPER);
        self.drawing.draw(&mut canvas);
        for (above, line) in self.origin_lines(width).iter().rev().enumerate() {
            let y = bottom - MARGIN / 2.0 - ORIGIN_HEIGHT * above as f64;
            canvas.text(line, at(MARGIN, y), Side::Left, ORIGIN);
        }
        canvas.finished()
    }
}
