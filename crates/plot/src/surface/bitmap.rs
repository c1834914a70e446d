//! The pixels of a PNG.

use ab_glyph::{Font, PxScale, point};
use plotters::prelude::{BitMapBackend, DrawingBackend};
use plotters_backend::{BackendColor, BackendStyle, DrawingErrorKind};

use super::{Surface, Words};
use crate::PlotError;
use crate::font::{em, face, line, middle_to_base, units};

/// Pixels in red, green and blue, on which shapes are drawn by plotters.
pub(crate) struct Bitmap<'p>(BitMapBackend<'p>);

type Drawn<'p> = Result<(), DrawingErrorKind<<BitMapBackend<'p> as DrawingBackend>::ErrorType>>;

impl<'p> Bitmap<'p> {
    /// Draws on `pixels`, three bytes each, row by row.
    pub(crate) fn new(pixels: &'p mut [u8], size: (u32, u32)) -> Self {
        Self(BitMapBackend::with_buffer(pixels, size))
    }
}

impl Surface for Bitmap<'_> {
    fn write(&mut self, words: &Words<'_>) -> Result<(), PlotError> {
        let face = face(words.weight)?;
        // What ab_glyph calls the height of a line is the size of a line here.
        let scale = PxScale::from(words.size as f32);
        let to_pixels = em(words.size) / f64::from(units(face));
        let base = middle_to_base(words.size);
        let (width, height) = self.0.get_size();
        for (glyph, along) in line(words.text, words.weight)?.glyphs {
            let along = f64::from(along) * to_pixels;
            // Text that runs upward is drawn to the right of nothing and turned: along becomes up.
            let place = if words.upward {
                point(along as f32, base as f32)
            } else {
                point((words.start.0 + along) as f32, (words.start.1 + base) as f32)
            };
            let Some(outline) = face.outline_glyph(glyph.with_scale_and_position(scale, place)) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            let mut drawn = Ok(());
            outline.draw(|x, y, coverage| {
                let (x, y) = (
                    corner.x as i32 + x.cast_signed(),
                    corner.y as i32 + y.cast_signed(),
                );
                let (x, y) = if words.upward {
                    (words.start.0.round() as i32 + y, words.start.1.round() as i32 - x)
                } else {
                    (x, y)
                };
                let inside = (0..width.cast_signed()).contains(&x) && (0..height.cast_signed()).contains(&y);
                if inside && drawn.is_ok() {
                    let colour = words.colour;
                    let colour = BackendColor {
                        alpha: f64::from(coverage.min(1.0)),
                        rgb: (colour.0, colour.1, colour.2),
                    };
                    drawn = self.0.draw_pixel((x, y), colour);
                }
            });
            drawn.map_err(|error| PlotError::Drawing(error.to_string()))?;
        }
        Ok(())
    }
}

impl<'p> DrawingBackend for Bitmap<'p> {
    type ErrorType = <BitMapBackend<'p> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn<'p> {
        self.0.ensure_prepared()
    }

    fn present(&mut self) -> Drawn<'p> {
        self.0.present()
    }

    fn draw_pixel(&mut self, point: (i32, i32), colour: BackendColor) -> Drawn<'p> {
        self.0.draw_pixel(point, colour)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: (i32, i32), to: (i32, i32), style: &S) -> Drawn<'p> {
        self.0.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: (i32, i32),
        to: (i32, i32),
        style: &S,
        fill: bool,
    ) -> Drawn<'p> {
        self.0.draw_rect(from, to, style, fill)
    }
}
