//! What pictures are drawn on: a list of shapes and words with their places, in the units of the picture,
//! which the formats then write down. One unit is a pixel of an SVG, and two of a PNG, which looks the same
//! on screens of high density.

use crate::PlotError;
use crate::font::{Weight, width};
use crate::palette::{Colour, PAPER, Paint};

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

    /// The middle of it.
    pub(crate) fn middle(&self) -> At {
        at(
            f64::midpoint(self.left, self.right),
            f64::midpoint(self.top, self.bottom),
        )
    }

    /// The same, smaller by a margin on all sides; larger, if that is below zero.
    pub(crate) fn inset(&self, margin: f64) -> Self {
        Self {
            left: self.left + margin,
            top: self.top + margin,
            right: self.right - margin,
            bottom: self.bottom - margin,
        }
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

    /// The same with whole numbers, so that edges are sharp.
    fn snapped(&self) -> Self {
        Self {
            left: self.left.round(),
            top: self.top.round(),
            right: self.right.round(),
            bottom: self.bottom.round(),
        }
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Type {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) colour: Colour,
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dash {
    pub(crate) on: f64,
    pub(crate) off: f64,
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

/// A line of text with its look and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words {
    pub(crate) text: String,
    pub(crate) look: Type,
    /// Where the text begins, at the height of the middle of its letters.
    pub(crate) start: At,
    /// How long it is.
    pub(crate) width: f64,
    /// Whether it runs upward, and not to the right.
    pub(crate) upward: bool,
}

/// What programs that show a picture can know of a part of it that is not seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// What it is, such as `wire`.
    pub(crate) class: &'static str,
    /// Attributes `data-NAME` with their values.
    pub(crate) data: Vec<(&'static str, String)>,
    /// What a viewer shows under the pointer; nothing if empty.
    pub(crate) title: String,
}

/// Something that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// A rectangle with rounded corners, perhaps with an edge in its colour and of its width.
    Rectangle {
        area: Area,
        radius: f64,
        fill: Paint,
        edge: Option<(Paint, f64, Option<Dash>)>,
    },
    /// A filled polygon.
    Polygon { corners: Vec<At>, fill: Paint },
    /// A filled circle.
    Circle { centre: At, radius: f64, fill: Paint },
    /// A line through places, perhaps broken: `before` is how much of the dashes comes before it.
    Line {
        places: Vec<At>,
        width: f64,
        paint: Paint,
        dash: Option<(Dash, f64)>,
    },
    /// Text.
    Words(Words),
    /// What follows up to its [`End`](Self::End) belongs together.
    Begin(Group),
    /// The end of a group.
    End,
}

/// A list of shapes and words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Canvas {
    marks: Vec<Mark>,
}

impl Canvas {
    /// What was drawn, what lies above after what lies below.
    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Draws a mark. No format has a way to write an infinite place.
    fn add(&mut self, mark: Mark, numbers: &[f64]) -> Result<(), PlotError> {
        if numbers.iter().all(|number| number.is_finite()) {
            self.marks.push(mark);
            Ok(())
        } else {
            Err(PlotError::Drawing("a place that is not finite".to_owned()))
        }
    }

    /// Fills a rectangle.
    pub(crate) fn rectangle(&mut self, area: Area, fill: impl Into<Paint>) -> Result<(), PlotError> {
        self.rounded(area, 0.0, fill, None)
    }

    /// Fills a rectangle with rounded corners, and draws its edge.
    pub(crate) fn rounded(
        &mut self,
        area: Area,
        radius: f64,
        fill: impl Into<Paint>,
        edge: Option<(Paint, f64, Option<Dash>)>,
    ) -> Result<(), PlotError> {
        let area = area.snapped();
        let numbers = [area.left, area.top, area.right, area.bottom];
        let fill = fill.into();
        self.add(
            Mark::Rectangle {
                area,
                radius,
                fill,
                edge,
            },
            &numbers,
        )
    }

    /// Draws the edge of a rectangle, inside of it.
    pub(crate) fn edge(&mut self, area: Area, width: f64, colour: Colour) -> Result<(), PlotError> {
        let Area {
            left,
            top,
            right,
            bottom,
        } = area.inset(width / 2.0);
        let corners = [at(left, top), at(right, top), at(right, bottom), at(left, bottom)];
        self.line(
            &[corners[0], corners[1], corners[2], corners[3], corners[0]],
            width,
            colour,
        )
    }

    /// Fills a polygon.
    pub(crate) fn polygon(&mut self, corners: &[At], fill: impl Into<Paint>) -> Result<(), PlotError> {
        let fill = fill.into();
        self.add(
            Mark::Polygon {
                corners: corners.to_vec(),
                fill,
            },
            &coordinates(corners),
        )
    }

    /// Draws a line through places.
    pub(crate) fn line(
        &mut self,
        places: &[At],
        width: f64,
        paint: impl Into<Paint>,
    ) -> Result<(), PlotError> {
        let paint = paint.into();
        self.add(
            Mark::Line {
                places: places.to_vec(),
                width,
                paint,
                dash: None,
            },
            &coordinates(places),
        )
    }

    /// Draws a broken line between two places, which is a piece of a longer one: `before` is how much of that
    /// comes before it, so that the dashes continue.
    pub(crate) fn dashes(
        &mut self,
        (from, to): (At, At),
        before: f64,
        dash: Dash,
        width: f64,
        colour: Colour,
    ) -> Result<(), PlotError> {
        self.add(
            Mark::Line {
                places: vec![from, to],
                width,
                paint: colour.into(),
                dash: Some((dash, before % (dash.on + dash.off))),
            },
            &[from.x, from.y, to.x, to.y, before],
        )
    }

    /// Draws a point, with a rim of paper so that points on top of each other stay apart.
    pub(crate) fn marker(
        &mut self,
        place: At,
        radius: f64,
        marker: Marker,
        colour: Colour,
    ) -> Result<(), PlotError> {
        self.shape(place, radius + 1.0, marker, PAPER)?;
        self.shape(place, radius, marker, colour)
    }

    /// Draws a point as an edge around nothing.
    pub(crate) fn hollow_marker(
        &mut self,
        place: At,
        radius: f64,
        marker: Marker,
        colour: Colour,
    ) -> Result<(), PlotError> {
        const EDGE: f64 = 1.75;
        self.marker(place, radius, marker, colour)?;
        self.shape(place, radius - EDGE, marker, PAPER)
    }

    fn shape(&mut self, place: At, radius: f64, marker: Marker, colour: Colour) -> Result<(), PlotError> {
        let corners: &[(f64, f64)] = match marker {
            Marker::Circle => {
                let circle = Mark::Circle {
                    centre: place,
                    radius,
                    fill: colour.into(),
                };
                return self.add(circle, &[place.x, place.y, radius]);
            }
            Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Marker::Triangle => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Marker::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        };
        let corners: Vec<At> = corners
            .iter()
            .map(|(x, y)| at(place.x + x * radius, place.y + y * radius))
            .collect();
        self.polygon(&corners, colour)
    }

    /// Writes a line of text, its middle at the height of `place`.
    pub(crate) fn text(&mut self, text: &str, place: At, side: Side, look: Type) -> Result<(), PlotError> {
        let text = printable(text);
        let width = width(&text, look.size, look.weight)?;
        let before = match side {
            Side::Left => 0.0,
            Side::Centre => width / 2.0,
            Side::Right => width,
        };
        self.write(text, at(place.x - before, place.y), width, false, look)
    }

    /// Writes a line of text that runs upward, centred on `place`.
    pub(crate) fn text_upward(&mut self, text: &str, place: At, look: Type) -> Result<(), PlotError> {
        let text = printable(text);
        let width = width(&text, look.size, look.weight)?;
        self.write(text, at(place.x, place.y + width / 2.0), width, true, look)
    }

    fn write(
        &mut self,
        text: String,
        start: At,
        width: f64,
        upward: bool,
        look: Type,
    ) -> Result<(), PlotError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let words = Words {
            text,
            look,
            start,
            width,
            upward,
        };
        self.add(Mark::Words(words), &[start.x, start.y, width])
    }

    /// Draws what belongs together.
    pub(crate) fn group(
        &mut self,
        group: Group,
        draw: impl FnOnce(&mut Self) -> Result<(), PlotError>,
    ) -> Result<(), PlotError> {
        self.marks.push(Mark::Begin(group));
        draw(self)?;
        self.marks.push(Mark::End);
        Ok(())
    }
}

fn coordinates(places: &[At]) -> Vec<f64> {
    places.iter().flat_map(|place| [place.x, place.y]).collect()
}

/// `text` with a blank for every control character and for what XML cannot hold: names come from files.
pub(crate) fn printable(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if is_odd(c) { ' ' } else { c }).collect()
}
