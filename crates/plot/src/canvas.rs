//! The canvas of pictures: a list of shapes and texts with positions in the units of the picture, from which
//! the formats are written. One unit is a pixel of an SVG, and two of a PNG, which looks the same on
//! high-density screens.

use crate::PlotError;
use crate::font::{Weight, width};
use crate::palette::{Colour, PAPER, Paint};

/// A position in the units of the picture, from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct At {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A position from its two coordinates.
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
    /// The area between its upper left and its lower right corner.
    pub(crate) const fn between(from: At, to: At) -> Self {
        Self {
            left: from.x,
            top: from.y,
            right: to.x,
            bottom: to.y,
        }
    }

    /// The area around its centre, with half its width and half its height.
    pub(crate) fn around(At { x, y }: At, across: f64, down: f64) -> Self {
        Self::between(at(x - across, y - down), at(x + across, y + down))
    }

    /// Its corners, clockwise from the upper left one.
    pub(crate) fn corners(&self) -> [At; 4] {
        let [from, to] = [at(self.left, self.top), at(self.right, self.bottom)];
        [from, at(to.x, from.y), to, at(from.x, to.y)]
    }

    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// Its centre.
    pub(crate) fn middle(&self) -> At {
        at(
            f64::midpoint(self.left, self.right),
            f64::midpoint(self.top, self.bottom),
        )
    }

    /// The area reduced by a margin on all sides; enlarged by a negative one.
    pub(crate) fn inset(&self, margin: f64) -> Self {
        Self::between(
            at(self.left + margin, self.top + margin),
            at(self.right - margin, self.bottom - margin),
        )
    }

    /// Whether the two areas share more than an edge.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether `other` is completely inside.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        other.left >= self.left
            && other.right <= self.right
            && other.top >= self.top
            && other.bottom <= self.bottom
    }

    /// The area rounded to whole numbers, so that edges are sharp.
    fn snapped(&self) -> Self {
        Self::between(
            at(self.left.round(), self.top.round()),
            at(self.right.round(), self.bottom.round()),
        )
    }
}

/// The side of a text that is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Centre,
    Right,
}

/// The style of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Type {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) colour: Colour,
}

impl Type {
    pub(crate) const fn regular(size: f64, colour: Colour) -> Self {
        let weight = Weight::Regular;
        Self { size, weight, colour }
    }

    pub(crate) const fn bold(size: f64, colour: Colour) -> Self {
        let weight = Weight::Bold;
        Self { size, weight, colour }
    }
}

/// The shape of a point, so that not only colours distinguish series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Marker {
    /// The shape of a series by its index.
    pub(crate) fn of_series(position: usize) -> Self {
        [Self::Circle, Self::Square, Self::Triangle, Self::Diamond][position % 4]
    }
}

/// The pattern of a dashed line: the lengths of dashes and gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dash {
    pub(crate) on: f64,
    pub(crate) off: f64,
}

impl Dash {
    /// The usual dash.
    pub(crate) const PLAIN: Self = Self { on: 6.0, off: 4.0 };

    /// The dash of a line by its index, so that neighbours differ.
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

/// A line of text with its style and position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words {
    pub(crate) text: String,
    pub(crate) look: Type,
    /// The start of the text, at the height of the middle of its letters.
    pub(crate) start: At,
    /// Its width.
    pub(crate) width: f64,
    /// Whether it is rotated upward.
    pub(crate) upward: bool,
}

/// The invisible attributes of a part of a picture, for programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Group {
    /// Its class, such as `wire`.
    pub(crate) class: &'static str,
    /// Attributes `data-NAME` with their values.
    pub(crate) data: Vec<(&'static str, String)>,
    /// The tooltip in a viewer; none if empty.
    pub(crate) title: String,
}

impl Group {
    /// The group of what keeps its colours on dark pages: those of a scale of values, and the text on them.
    pub(crate) fn fixed() -> Self {
        Self {
            class: "fixed",
            ..Self::default()
        }
    }
}

/// A drawn item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// A rectangle with rounded corners, optionally with an edge of a given colour and width.
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
    /// A line through positions, optionally dashed: `before` is the length of the dashes before it.
    Line {
        places: Vec<At>,
        width: f64,
        paint: Paint,
        dash: Option<(Dash, f64)>,
    },
    /// Text.
    Words(Words),
    /// The start of a group, which ends at [`End`](Self::End).
    Begin(Group),
    /// The end of a group.
    End,
}

/// A list of shapes and words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Canvas {
    marks: Vec<Mark>,
    /// Whether a mark is at an infinite position, which no format can express.
    is_infinite: bool,
}

impl Canvas {
    /// The drawn items, from the lowest to the uppermost.
    pub(crate) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The canvas, if all its positions are finite.
    pub(crate) fn finished(self) -> Result<Self, PlotError> {
        if self.is_infinite {
            return Err(PlotError::Drawing("a place that is not finite".to_owned()));
        }
        Ok(self)
    }

    /// Adds a mark with its positions.
    fn add(&mut self, mark: Mark, numbers: &[f64]) {
        self.is_infinite |= !numbers.iter().all(|number| number.is_finite());
        self.marks.push(mark);
    }

    /// Fills a rectangle.
    pub(crate) fn rectangle(&mut self, area: Area, fill: impl Into<Paint>) {
        self.rounded(area, 0.0, fill, None);
    }

    /// Fills a rectangle with rounded corners, and draws its edge.
    pub(crate) fn rounded(
        &mut self,
        area: Area,
        radius: f64,
        fill: impl Into<Paint>,
        edge: Option<(Paint, f64, Option<Dash>)>,
    ) {
        let area = area.snapped();
        let fill = fill.into();
        let rectangle = Mark::Rectangle {
            area,
            radius,
            fill,
            edge,
        };
        self.add(rectangle, &coordinates(&area.corners()));
    }

    /// Draws the edge of a rectangle, inside of it.
    pub(crate) fn edge(&mut self, area: Area, width: f64, colour: Colour) {
        let [first, rest @ ..] = area.inset(width / 2.0).corners();
        self.line(&[first, rest[0], rest[1], rest[2], first], width, colour);
    }

    /// Fills a polygon.
    pub(crate) fn polygon(&mut self, corners: &[At], fill: impl Into<Paint>) {
        let polygon = Mark::Polygon {
            corners: corners.to_vec(),
            fill: fill.into(),
        };
        self.add(polygon, &coordinates(corners));
    }

    /// Draws a line through positions.
    pub(crate) fn line(&mut self, places: &[At], width: f64, paint: impl Into<Paint>) {
        let line = Mark::Line {
            places: places.to_vec(),
            width,
            paint: paint.into(),
            dash: None,
        };
        self.add(line, &coordinates(places));
    }

    /// Draws a dashed line between two positions, as a piece of a longer one: `before` is the length of the
    /// preceding pieces, so that the dashes continue.
    pub(crate) fn dashes(
        &mut self,
        (from, to): (At, At),
        before: f64,
        dash: Dash,
        width: f64,
        colour: Colour,
    ) {
        self.add(
            Mark::Line {
                places: vec![from, to],
                width,
                paint: colour.into(),
                dash: Some((dash, before % (dash.on + dash.off))),
            },
            &[from.x, from.y, to.x, to.y, before],
        );
    }

    /// Draws a point with a rim in the colour of paper, so that overlapping points remain distinct.
    pub(crate) fn marker(&mut self, place: At, radius: f64, marker: Marker, colour: Colour) {
        self.shape(place, radius + 1.0, marker, PAPER);
        self.shape(place, radius, marker, colour);
    }

    /// Draws a point as an outline.
    pub(crate) fn hollow_marker(&mut self, place: At, radius: f64, marker: Marker, colour: Colour) {
        const EDGE: f64 = 1.75;
        self.marker(place, radius, marker, colour);
        self.shape(place, radius - EDGE, marker, PAPER);
    }

    fn shape(&mut self, place: At, radius: f64, marker: Marker, colour: Colour) {
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
        self.polygon(&corners, colour);
    }

    /// Draws a line of text whose middle is at the height of `place`.
    pub(crate) fn text(&mut self, text: &str, place: At, side: Side, look: Type) {
        let text = printable(text);
        let width = width(&text, look.size, look.weight);
        let before = match side {
            Side::Left => 0.0,
            Side::Centre => width / 2.0,
            Side::Right => width,
        };
        self.write(text, at(place.x - before, place.y), width, false, look);
    }

    /// Draws a line of text that runs upward, centred on `place`.
    pub(crate) fn text_upward(&mut self, text: &str, place: At, look: Type) {
        let text = printable(text);
        let width = width(&text, look.size, look.weight);
        self.write(text, at(place.x, place.y + width / 2.0), width, true, look);
    }

    fn write(&mut self, text: String, start: At, width: f64, upward: bool, look: Type) {
        if text.trim().is_empty() {
            return;
        }
        let words = Words {
            text,
            look,
            start,
            width,
            upward,
        };
        self.add(Mark::Words(words), &[start.x, start.y, width]);
    }

    /// Draws a group.
    pub(crate) fn group(&mut self, group: Group, draw: impl FnOnce(&mut Self)) {
        self.marks.push(Mark::Begin(group));
        draw(self);
        self.marks.push(Mark::End);
    }
}

fn coordinates(places: &[At]) -> Vec<f64> {
    places.iter().flat_map(|place| [place.x, place.y]).collect()
}

/// `text` with a blank for every control character and every character that XML cannot contain: names come
/// from files.
pub(crate) fn printable(text: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if is_odd(c) { ' ' } else { c }).collect()
}
