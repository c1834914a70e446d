//! A surface to draw on, in the units of the picture: one unit is a pixel of an SVG, and two of a PNG, which looks the
//! same on screens of high density.

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, RGBAColor, RGBColor, ShapeStyle, TextStyle};

use crate::PlotError;
use crate::font::{Weight, font};

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

/// A surface to draw on.
pub(crate) struct Canvas<DB: DrawingBackend> {
    area: DrawingArea<DB, Shift>,
    scale: f64,
    /// How far below a place a line of text must be drawn for its middle to be there, over its size: backends differ
    /// in what they take for the middle.
    drop: f64,
}

impl<DB: DrawingBackend> Canvas<DB> {
    /// A surface on which one unit is `scale` pixels, and text is drawn `drop` times its size lower than asked.
    pub(crate) fn new(area: DrawingArea<DB, Shift>, scale: f64, drop: f64) -> Self {
        Self { area, scale, drop }
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

    /// Draws a broken line between two places.
    pub(crate) fn dashes(&self, from: At, to: At, width: f64, colour: RGBColor) -> Result<(), PlotError> {
        const DASH: f64 = 6.0;
        const GAP: f64 = 4.0;
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let length = dx.hypot(dy);
        let count = (length / (DASH + GAP)).ceil().min(1000.0) as usize;
        for dash in 0..count {
            let start = dash as f64 * (DASH + GAP) / length;
            let end = (start + DASH / length).min(1.0);
            let place = |share: f64| at(from.x + share * dx, from.y + share * dy);
            self.line(&[place(start), place(end)], width, colour)?;
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
        self.write(text, place, side, look, FontTransform::None)
    }

    /// Writes a line of text that runs upward, centred on `place`.
    pub(crate) fn text_upward(&self, text: &str, place: At, look: Type) -> Result<(), PlotError> {
        self.write(text, place, Side::Centre, look, FontTransform::Rotate270)
    }

    fn write(
        &self,
        text: &str,
        place: At,
        side: Side,
        look: Type,
        turn: FontTransform,
    ) -> Result<(), PlotError> {
        let place = match turn {
            FontTransform::None => at(place.x, place.y + self.drop * look.size),
            _ => at(place.x + self.drop * look.size, place.y),
        };
        let horizontal = match side {
            Side::Left => HPos::Left,
            Side::Centre => HPos::Center,
            Side::Right => HPos::Right,
        };
        let style = TextStyle::from(font(look.size * self.scale, look.weight)?.transform(turn))
            .color(&look.colour)
            .pos(Pos::new(horizontal, VPos::Center));
        self.area
            .draw(&Text::new(printable(text), self.pixel(place), style))
            .map_err(failed)
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
