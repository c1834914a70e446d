//! A picture as a PNG file: tiny-skia fills shapes and letters, without vector instructions, so that the
//! bytes are the same on every machine.

use ab_glyph::{Font as _, OutlineCurve};
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint as Fill, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash,
    Transform,
};

use crate::PlotError;
use crate::canvas::{Area, At, Canvas, Dash, Mark, Words};
use crate::font::{em, face, line, middle_to_base, units};
use crate::palette::{PAPER, Paint};
use crate::svg::sharp;

/// The canvas as a PNG file, with `scale` pixels per unit.
pub(crate) fn png(canvas: &Canvas, (width, height): (u32, u32), scale: f32) -> Result<Vec<u8>, PlotError> {
    let size = |units: u32| (f64::from(units) * f64::from(scale)) as u32;
    let Some(pixels) = Pixmap::new(size(width), size(height)) else {
        return Err(PlotError::Drawing("a picture without pixels".to_owned()));
    };
    let mut raster = Raster { pixels, scale };
    raster
        .pixels
        .fill(Color::from_rgba8(PAPER.0, PAPER.1, PAPER.2, 255));
    for mark in canvas.marks() {
        raster.draw(mark);
    }
    let words: Vec<&str> = (canvas.marks().iter())
        .filter_map(|mark| match mark {
            Mark::Words(words) => Some(words.text.as_str()),
            _ => None,
        })
        .collect();
    encode(&raster.pixels, &words.join("\n")).map_err(|error| PlotError::Drawing(error.to_string()))
}

struct Raster {
    pixels: Pixmap,
    scale: f32,
}

impl Raster {
    fn draw(&mut self, mark: &Mark) {
        match mark {
            Mark::Rectangle {
                area,
                radius,
                fill,
                edge,
            } => {
                let half = edge.as_ref().map_or(0.0, |(_, width, _)| width / 2.0);
                let path = rounded(&area.inset(half), *radius);
                self.fill(path.as_ref(), *fill);
                if let Some((paint, width, dash)) = edge {
                    self.stroke(path.as_ref(), *width, *paint, dash.map(|dash| (dash, 0.0)));
                }
            }
            Mark::Polygon { corners, fill } => self.fill(through(corners, true).as_ref(), *fill),
            Mark::Circle { centre, radius, fill } => {
                let circle = PathBuilder::from_circle(centre.x as f32, centre.y as f32, *radius as f32);
                self.fill(circle.as_ref(), *fill);
            }
            Mark::Line {
                places,
                width,
                paint,
                dash,
            } => {
                let path = through(&sharp(places, *width), false);
                self.stroke(path.as_ref(), *width, *paint, *dash);
            }
            Mark::Words(words) => self.write(words),
            Mark::Begin(_) | Mark::End => {}
        }
    }

    fn fill(&mut self, path: Option<&Path>, paint: Paint) {
        let turn = Transform::from_scale(self.scale, self.scale);
        self.fill_turned(path, paint, turn);
    }

    /// A path without an area is not drawn.
    fn fill_turned(&mut self, path: Option<&Path>, paint: Paint, turn: Transform) {
        if let Some(path) = path {
            self.pixels
                .fill_path(path, &colour(paint), FillRule::Winding, turn, None);
        }
    }

    fn stroke(&mut self, path: Option<&Path>, width: f64, paint: Paint, dash: Option<(Dash, f64)>) {
        let Some(path) = path else { return };
        let stroke = Stroke {
            width: width as f32,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Miter,
            dash: dash.and_then(|(dash, before)| {
                StrokeDash::new(vec![dash.on as f32, dash.off as f32], before as f32)
            }),
            ..Stroke::default()
        };
        let turn = Transform::from_scale(self.scale, self.scale);
        self.pixels.stroke_path(path, &colour(paint), &stroke, turn, None);
    }

    fn write(&mut self, words: &Words) {
        let face = face(words.look.weight);
        let mut path = PathBuilder::new();
        for (glyph, along) in line(&words.text, words.look.weight).glyphs {
            let Some(outline) = face.outline(glyph) else {
                continue;
            };
            let mut pen = None;
            for curve in &outline.curves {
                let (OutlineCurve::Line(start, end)
                | OutlineCurve::Quad(start, _, end)
                | OutlineCurve::Cubic(start, _, _, end)) = curve;
                if pen != Some(*start) {
                    if pen.is_some() {
                        path.close();
                    }
                    path.move_to(along + start.x, start.y);
                }
                match curve {
                    OutlineCurve::Line(..) => path.line_to(along + end.x, end.y),
                    OutlineCurve::Quad(_, control, _) => {
                        path.quad_to(along + control.x, control.y, along + end.x, end.y);
                    }
                    OutlineCurve::Cubic(_, first, second, _) => path.cubic_to(
                        along + first.x,
                        first.y,
                        along + second.x,
                        second.y,
                        along + end.x,
                        end.y,
                    ),
                }
                pen = Some(*end);
            }
            if pen.is_some() {
                path.close();
            }
        }
        let size = (em(words.look.size) / f64::from(units(face))) as f32 * self.scale;
        let base = middle_to_base(words.look.size);
        let At { x, y } = words.start;
        let place = |x: f64, y: f64| (x as f32 * self.scale, y as f32 * self.scale);
        // The glyphs of a font have their height above the base line.
        let turn = if words.upward {
            let (x, y) = place(x + base, y);
            Transform::from_row(0.0, -size, -size, 0.0, x, y)
        } else {
            let (x, y) = place(x, y + base);
            Transform::from_row(size, 0.0, 0.0, -size, x, y)
        };
        self.fill_turned(path.finish().as_ref(), words.look.colour.into(), turn);
    }
}

fn colour(paint: Paint) -> Fill<'static> {
    let mut fill = Fill::default();
    let alpha = (paint.opacity * 255.0).round() as u8;
    fill.set_color_rgba8(paint.colour.0, paint.colour.1, paint.colour.2, alpha);
    fill
}

/// A path through positions.
fn through(places: &[At], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, place) in places.iter().enumerate() {
        if index == 0 {
            path.move_to(place.x as f32, place.y as f32);
        } else {
            path.line_to(place.x as f32, place.y as f32);
        }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// A rectangle with rounded corners.
fn rounded(area: &Area, radius: f64) -> Option<Path> {
    /// The distance of the control points of a quarter circle from its ends, over its radius.
    const HANDLE: f32 = 0.552_284_8;
    let (left, top) = (area.left as f32, area.top as f32);
    let (right, bottom) = (area.right as f32, area.bottom as f32);
    let radius = (radius as f32)
        .min((right - left) / 2.0)
        .min((bottom - top) / 2.0);
    if radius <= 0.0 {
        return Rect::from_ltrb(left, top, right, bottom).map(PathBuilder::from_rect);
    }
    let handle = radius * (1.0 - HANDLE);
    let mut path = PathBuilder::new();
    path.move_to(left + radius, top);
    path.line_to(right - radius, top);
    path.cubic_to(right - handle, top, right, top + handle, right, top + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(
        right,
        bottom - handle,
        right - handle,
        bottom,
        right - radius,
        bottom,
    );
    path.line_to(left + radius, bottom);
    path.cubic_to(
        left + handle,
        bottom,
        left,
        bottom - handle,
        left,
        bottom - radius,
    );
    path.line_to(left, top + radius);
    path.cubic_to(left, top + handle, left + handle, top, left + radius, top);
    path.close();
    path.finish()
}

/// The pixels as a PNG file: red, green and blue, row by row. The words of the picture are in it as text, for
/// programs that search files.
fn encode(pixels: &Pixmap, words: &str) -> Result<Vec<u8>, png::EncodingError> {
    let colours: Vec<u8> = pixels
        .data()
        .chunks_exact(4)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.add_itxt_chunk("Description".to_owned(), words.to_owned())?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colours)?;
    writer.finish()?;
    Ok(file)
}
