//! A surface to draw on, in the units of the picture: one unit is a pixel of an SVG, and two of a PNG, which
//! looks the same on screens of high density.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle};
use plotters::style::{Color, RGBAColor, RGBColor, ShapeStyle};
use plotters_backend::DrawingErrorKind;

use crate::PlotError;
use crate::font::{Weight, width};
use crate::surface::{Surface, Words};

/// A place, in the units of the picture, from its upper left corner to the right and down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct At {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A place from its two coordinates.
pub(crate) const fn at(x: f64, y: f64) -> At {
    At { x, y }
}

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Whether the two have more than an edge in common.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether all of `other` lies within.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        other.left >= self.left
            && other.right <= self.right
            && other.top >= self.top
            && other.bottom <= self.bottom
    }
}

/// Which side of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Centre,
    Right,
}

/// How text looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) colour: RGBColor,
}

/// The shape of a point, so that series differ in more than colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Marker {
    /// The shape of a series by its position.
    pub(crate) fn of_series(position: usize) -> Self {
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond][position % 4]
    }
}

/// How a broken line is broken: how much is drawn, and how much is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dash {
    on: f64,
    off: f64,
}

impl Dash {
    /// The usual dash.
    pub(crate) const PLAIN: Self = Self { on: 6.0, off: 4.0 };

    /// The dash of a line by its position, so that neighbours differ.
    pub(crate) fn of_position(position: usize) -> Self {
        const KINDS: [Dash; 4] = [
            Dash::PLAIN,
            Dash { on: 2.0, off: 3.0 },
            Dash { on: 12.0, off: 4.0 },
            Dash { on: 3.0, off: 7.0 },
        ];
        KINDS[position % KINDS.len()]
    }
}

/// A surface to draw on.
pub(crate) struct Canvas<DB: Surface> {
    area: DrawingArea<DB, Shift>,
    scale: f64,
}

impl<DB: Surface> Canvas<DB> {
    /// A surface on which one unit is `scale` pixels.
    pub(crate) fn new(area: DrawingArea<DB, Shift>, scale: f64) -> Self {
        Self { area, scale }
    }

    /// Fills everything.
    pub(crate) fn fill(&self, colour: RGBColor) -> Result<(), PlotError> {
        self.area.fill(&colour).map_err(failed)
    }

    /// Fills a rectangle.
    pub(crate) fn rectangle(&self, area: Area, colour: RGBAColor) -> Result<(), PlotError> {
        let corners = [
            self.pixel(at(area.left, area.top)),
            self.pixel(at(area.right, area.bottom)),
        ];
        self.area
            .draw(&Rectangle::new(corners, colour.filled()))
            .map_err(failed)
    }

    /// Draws the edge of a rectangle, inside of it.
    pub(crate) fn edge(&self, area: Area, width: f64, colour: RGBColor) -> Result<(), PlotError> {
        let half = width / 2.0;
        let (left, right) = (area.left + half, area.right - half);
        let (top, bottom) = (area.top + half, area.bottom - half);
        let corners = [at(left, top), at(right, top), at(right, bottom), at(left, bottom)];
        self.line(
            &[corners[0], corners[1], corners[2], corners[3], corners[0]],
            width,
            colour,
        )
    }

    /// Fills a polygon.
    pub(crate) fn polygon(&self, corners: &[At], colour: RGBAColor) -> Result<(), PlotError> {
        let corners: Vec<(i32, i32)> = corners.iter().map(|corner| self.pixel(*corner)).collect();
        self.area
            .draw(&Polygon::new(corners, colour.filled()))
            .map_err(failed)
    }

    /// Draws a line through places.
    pub(crate) fn line(&self, places: &[At], width: f64, colour: RGBColor) -> Result<(), PlotError> {
        let places: Vec<(i32, i32)> = places.iter().map(|place| self.pixel(*place)).collect();
        let style = ShapeStyle {
            color: colour.to_rgba(),
            filled: false,
            stroke_width: self.stroke(width),
        };
        self.area.draw(&PathElement::new(places, style)).map_err(failed)
    }

    /// Draws a broken line between two places, which is a piece of a longer one: `before` is how much of that
    /// comes before it, so that the dashes go on where they were.
    pub(crate) fn dashes(
        &self,
        (from, to): (At, At),
        before: f64,
        dash: Dash,
        width: f64,
        colour: RGBColor,
    ) -> Result<(), PlotError> {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let length = libm::hypot(dx, dy);
        let period = dash.on + dash.off;
        let place = |along: f64| at(from.x + along / length * dx, from.y + along / length * dy);
        let mut start = -(before % period);
        while start < length {
            let (on, off) = (start.max(0.0), (start + dash.on).min(length));
            if off > on {
                self.line(&[place(on), place(off)], width, colour)?;
            }
            start += period;
        }
        Ok(())
    }

    /// Draws a point, with a rim of paper so that points on top of each other stay apart.
    pub(crate) fn marker(
        &self,
        place: At,
        radius: f64,
        marker: Marker,
        colour: RGBColor,
    ) -> Result<(), PlotError> {
        self.shape(place, radius + 1.0, marker, crate::palette::PAPER)?;
        self.shape(place, radius, marker, colour)
    }

    /// Draws a point as an edge around nothing.
    pub(crate) fn hollow_marker(
        &self,
        place: At,
        radius: f64,
        marker: Marker,
        colour: RGBColor,
    ) -> Result<(), PlotError> {
        const EDGE: f64 = 1.75;
        self.marker(place, radius, marker, colour)?;
        self.shape(place, radius - EDGE, marker, crate::palette::PAPER)
    }

    fn shape(&self, place: At, radius: f64, marker: Marker, colour: RGBColor) -> Result<(), PlotError> {
        let corners: &[(f64, f64)] = match marker {
            Marker::Circle => {
                let circle = Circle::new(
                    self.pixel(place),
                    (radius * self.scale).round() as i32,
                    colour.filled(),
                );
                return self.area.draw(&circle).map_err(failed);
            }
            Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Marker::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Marker::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        };
        let corners: Vec<At> = corners
            .iter()
            .map(|(x, y)| at(place.x + x * radius, place.y + y * radius))
            .collect();
        self.polygon(&corners, colour.to_rgba())
    }

    /// Writes a line of text, its middle at the height of `place`.
    pub(crate) fn text(&self, text: &str, place: At, side: Side, look: Type) -> Result<(), PlotError> {
        let text = printable(text);
        let width = width(&text, look.size, look.weight)?;
        let before = match side {
            Side::Left => 0.0,
            Side::Centre => width / 2.0,
            Side::Right => width,
        };
        self.write(&text, at(place.x - before, place.y), false, look)
    }

    /// Writes a line of text that runs upward, centred on `place`.
    pub(crate) fn text_upward(&self, text: &str, place: At, look: Type) -> Result<(), PlotError> {
        let text = printable(text);
        let width = width(&text, look.size, look.weight)?;
        self.write(&text, at(place.x, place.y + width / 2.0), true, look)
    }

    fn write(&self, text: &str, start: At, upward: bool, look: Type) -> Result<(), PlotError> {
        let words = Words {
            text,
            size: look.size * self.scale,
            weight: look.weight,
            colour: look.colour,
            start: (start.x * self.scale, start.y * self.scale),
            upward,
        };
        self.area.draw(&Written(words)).map_err(failed)
    }

    /// Ends drawing.
    pub(crate) fn finish(&self) -> Result<(), PlotError> {
        self.area.present().map_err(failed)
    }

    fn pixel(&self, place: At) -> (i32, i32) {
        (
            (place.x * self.scale).round() as i32,
            (place.y * self.scale).round() as i32,
        )
    }

    fn stroke(&self, width: f64) -> u32 {
        ((width * self.scale).round() as u32).max(1)
    }
}

/// `text` with a blank for every control character: names come from files, and an SVG is no place for control
/// characters.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn failed<E: std::error::Error>(error: E) -> PlotError {
    PlotError::Drawing(error.to_string())
}

/// Words as an element of plotters, which passes the surface on to it.
struct Written<'t>(Words<'t>);

impl PointCollection<'_, (i32, i32)> for &Written<'_> {
    type Point = (i32, i32);
    type IntoIter = Option<(i32, i32)>;

    fn point_iter(self) -> Self::IntoIter {
        None
    }
}

impl<DB: Surface> Drawable<DB> for Written<'_> {
    fn draw<I: Iterator<Item = (i32, i32)>>(
        &self,
        _: I,
        surface: &mut DB,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<DB::ErrorType>> {
        surface
            .write(&self.0)
            .map_err(|error| DrawingErrorKind::FontError(Box::new(error)))
    }
}
