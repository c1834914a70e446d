//! What pictures are drawn on: an SVG document, or the pixels of a PNG. Both write text by the outlines of
//! the embedded font, which the backends of plotters leave to the viewer and to whole pixels.

mod bitmap;
mod svg;

use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

use crate::PlotError;
use crate::font::Weight;

pub(crate) use bitmap::Bitmap;
pub(crate) use svg::Svg;

/// A line of text with its look and its place, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'t> {
    pub(crate) text: &'t str,
    /// Of the line, from the highest accent to the lowest descender.
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) colour: RGBColor,
    /// Where the text begins, at the height of the middle of its letters.
    pub(crate) start: (f64, f64),
    /// Whether it runs upward, and not to the right.
    pub(crate) upward: bool,
}

/// Something that shapes and text can be drawn on.
pub(crate) trait Surface: DrawingBackend {
    /// Draws a line of text.
    fn write(&mut self, words: &Words<'_>) -> Result<(), PlotError>;
}
