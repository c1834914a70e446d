//! Curves over an axis with their limits: throughput over read size with ceilings, throughput over clients
//! with the knee.

use crate::axis::{Axis, AxisTitle, words};
use crate::canvas::{At, Canvas, Dash, Marker, Side, Type, at};
use crate::ends::{End, LEAD, draw_ends, draw_exits};
use crate::error::at_most;
use crate::frame::{Frame, HEIGHT, OVER, Stroke, UNDER, WIDTH, check_value};
use crate::style::{MARGIN, POINT_LABEL, SMALL, cut, draw_title, text_width, title_height, widest, wrapped};
use crate::{PlotError, Scale, palette};

/// The maximum number of curves, and of ceilings, in a picture: more are not distinguishable.
pub const CURVES_MAX: usize = 12;
/// The maximum number of points of a curve.
const POINTS_MAX: usize = 20_000;
/// The maximum number of points of a curve with individual marks.
const MARKED_MAX: usize = 60;

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name, at its end. May be empty for a single curve.
    pub label: String,
    /// Its points, by their position along the axis.
    pub points: Vec<(f64, f64)>,
    /// The ends of the interval around each point, by its position along the axis; may be empty.
    pub band: Vec<(f64, [f64; 2])>,
}

/// The knee of a curve: the position at which its slope without limits meets its maximum.
#[derive(Clone, Debug, PartialEq)]
pub struct Knee {
    /// Its name.
    pub label: String,
    /// The position along the axis, above zero.
    pub x: f64,
    /// The maximum of the curve.
    pub y: f64,
}

/// Curves over an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The title at the top, in bold.
    pub title: String,
    /// The text below the title; may be empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: AxisTitle,
    /// The vertical axis.
    pub y: AxisTitle,
    /// The curves, at least one and at most [`CURVES_MAX`].
    pub curves: Vec<Curve>,
    /// The limits of the curves, drawn as dashed lines. Those far above the curves are listed in text.
    pub ceilings: Vec<Curve>,
    /// The knee of the first curve.
    pub knee: Option<Knee>,
}

/// The height of a line of the key, and the start of its text.
const KEY_ROW: f64 = 17.0;
const KEY_INDENT: f64 = 34.0;
/// The opacity of the band around a curve.
const BAND: f64 = 0.18;
/// The maximum ratio of a drawn ceiling to the greatest value of a curve.
const CEILINGS_TO: f64 = 1.7;
/// The names of ceilings, in the grey of items that are not data.
const CEILING_LABEL: Type = Type {
    colour: palette::FAINT,
    ..POINT_LABEL
};

impl Curves {
    pub(crate) fn size(&self) -> (u32, u32) {
        let footer = if self.far_ceilings().is_empty() { 0.0 } else { 22.0 };
        let key = self.key().iter().map(|(_, lines)| lines.len()).sum::<usize>() as f64 * KEY_ROW;
        let height = title_height(&self.subtitle) + OVER + HEIGHT + UNDER + footer + key + MARGIN / 2.0;
        (WIDTH as u32, height.round() as u32)
    }

    pub(crate) fn check(&self) -> Result<(), PlotError> {
        if self.curves.iter().all(|curve| curve.points.is_empty()) {
            return Err(PlotError::Empty("no point that has a value"));
        }
        for (what, list) in [("curves", &self.curves), ("ceilings", &self.ceilings)] {
            at_most(CURVES_MAX, list.len(), what)?;
            for curve in list {
                at_most(POINTS_MAX, curve.points.len(), "points of a curve")?;
                for &(x, y) in &curve.points {
                    check_value(&self.x, &curve.label, x)?;
                    check_value(&self.y, &curve.label, y)?;
                }
                for &(x, ends) in &curve.band {
                    check_value(&self.x, &curve.label, x)?;
                    for end in ends {
                        check_value(&self.y, &curve.label, end)?;
                    }
                }
            }
        }
        if let Some(knee) = &self.knee {
            check_value(&self.x, "the knee", knee.x)?;
            check_value(&self.y, "the knee", knee.y)?;
        }
        Ok(())
    }

    /// The names of curves below the picture, each with the number of lines that it needs, if there is no
    /// space at their ends.
    fn key(&self) -> Vec<(usize, Vec<String>)> {
        let labels = self.curves.iter().map(|curve| curve.label.as_str());
        if widest(labels, POINT_LABEL) <= WIDTH / 4.0 {
            return Vec::new();
        }
        let entries = self.curves.iter().enumerate().map(|(position, curve)| {
            let room = WIDTH - 2.0 * MARGIN - KEY_INDENT;
            (position, wrapped(&curve.label, room, POINT_LABEL))
        });
        entries.collect()
    }

    fn draw_key(&self, canvas: &mut Canvas, top: f64) {
        let mut y = top;
        for (position, lines) in self.key() {
            let colour = palette::series(position);
            canvas.marker(at(MARGIN + 5.0, y), 4.0, Marker::of_series(position), colour);
            let number = (position + 1).to_string();
            canvas.text(&number, at(MARGIN + 14.0, y), Side::Left, POINT_LABEL);
            for line in lines {
                canvas.text(&line, at(MARGIN + KEY_INDENT, y), Side::Left, POINT_LABEL);
                y += KEY_ROW;
            }
        }
    }

    fn greatest(&self) -> f64 {
        let values = self.curves.iter().flat_map(|curve| &curve.points);
        values.map(|&(_, y)| y).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The ceilings near enough to be drawn.
    fn near_ceilings(&self) -> Vec<&Curve> {
        let reach = self.greatest() * CEILINGS_TO;
        let is_near = |curve: &&Curve| curve.points.iter().any(|&(_, y)| y <= reach);
        self.ceilings.iter().filter(is_near).collect()
    }

    /// The other ceilings, each with its lowest value.
    fn far_ceilings(&self) -> Vec<(&str, f64)> {
        let near = self.near_ceilings();
        let far = self.ceilings.iter().filter(|ceiling| {
            !ceiling.points.is_empty() && !near.iter().any(|other| std::ptr::eq(*other, *ceiling))
        });
        far.map(|ceiling| {
            let values = ceiling.points.iter().map(|&(_, y)| y);
            (ceiling.label.as_str(), values.fold(f64::INFINITY, f64::min))
        })
        .collect()
    }

    fn axes(&self) -> (Axis, Axis) {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let knee = || self.knee.iter();
        let x = points().map(|&(x, _)| x).chain(knee().map(|knee| knee.x));
        let reach = self.greatest() * CEILINGS_TO;
        let ceilings = self.near_ceilings();
        let ceilings = ceilings
            .iter()
            .flat_map(|ceiling| &ceiling.points)
            .map(|&(_, y)| y.min(reach));
        let bands = self.curves.iter().flat_map(|curve| &curve.band);
        let bands = bands.flat_map(|&(_, ends)| ends);
        let y = points().map(|&(_, y)| y).chain(bands).chain(ceilings);
        (
            Axis::around(self.x.scale, x),
            Axis::around(self.y.scale, y.chain(knee().map(|knee| knee.y))),
        )
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        draw_title(canvas, &self.title, &self.subtitle, WIDTH);
        let (x, y) = self.axes();
        let top = title_height(&self.subtitle) + OVER;
        let near = self.near_ceilings();
        let is_keyed = !self.key().is_empty();
        let curve_labels: Vec<String> = (self.curves.iter().enumerate())
            .map(|(position, curve)| {
                if is_keyed {
                    (position + 1).to_string()
                } else {
                    curve.label.clone()
                }
            })
            .collect();
        let labels = curve_labels
            .iter()
            .chain(near.iter().map(|ceiling| &ceiling.label));
        // The frame keeps at least half of the picture.
        let labels = widest(labels, POINT_LABEL).min(WIDTH / 4.0);
        let beside = if labels > 0.0 { LEAD + labels } else { 0.0 };
        let frame = Frame::new((&self.x, x), (&self.y, y), top, beside);
        frame.draw(canvas);
        for (position, curve) in self.curves.iter().enumerate() {
            let upper = places(&frame, &side_of(curve, 1));
            let lower = places(&frame, &side_of(curve, 0));
            let corners: Vec<At> = upper.into_iter().chain(lower.into_iter().rev()).collect();
            if corners.len() > 2 {
                canvas.polygon(&corners, palette::series(position).mix(BAND));
            }
        }
        let mut ends: Vec<End<'_>> = Vec::new();
        let mut exits: Vec<End<'_>> = Vec::new();
        for (position, ceiling) in near.iter().enumerate() {
            let places = places(&frame, &ceiling.points);
            let stroke = Stroke {
                width: 1.0,
                colour: palette::INK,
                broken: Some(Dash::of_position(position)),
            };
            frame.line(canvas, &places, stroke);
            let end = |at| End {
                at,
                label: ceiling.label.as_str(),
                look: CEILING_LABEL,
            };
            match frame.exit(&places) {
                Some(exit) => exits.push(end(exit)),
                None => ends.extend(places.last().map(|last| end(*last))),
            }
        }
        ends.extend(draw_exits(canvas, &frame, exits, WIDTH));
        if let Some(knee) = &self.knee {
            draw_asymptotes(canvas, &frame, knee);
        }
        for (position, (curve, label)) in self.curves.iter().zip(&curve_labels).enumerate() {
            let places = places(&frame, &curve.points);
            let colour = palette::series(position);
            frame.line(canvas, &places, Stroke::solid(2.0, colour));
            if places.len() <= MARKED_MAX {
                for place in &places {
                    canvas.marker(*place, 4.0, Marker::of_series(position), colour);
                }
            }
            let end = |at: &At| End {
                at: *at,
                label,
                look: POINT_LABEL,
            };
            ends.extend(places.last().map(end));
        }
        draw_ends(canvas, &frame, ends, WIDTH);
        if let Some(knee) = &self.knee {
            draw_knee(canvas, &frame, knee);
        }
        let below = frame.area.bottom + UNDER + 6.0;
        self.draw_far_ceilings(canvas, below);
        let footer = if self.far_ceilings().is_empty() { 0.0 } else { 22.0 };
        self.draw_key(canvas, below + footer);
    }

    /// Lists the ceilings that are too far above to be drawn.
    fn draw_far_ceilings(&self, canvas: &mut Canvas, y: f64) {
        let far = self.far_ceilings();
        if far.is_empty() {
            return;
        }
        let texts: Vec<String> = far
            .iter()
            .map(|(label, least)| format!("{label} from {}", words(self.y.kind, *least)))
            .collect();
        let text = cut(
            &format!("Far above: {}.", texts.join(", ")),
            WIDTH - 2.0 * MARGIN,
            SMALL,
        );
        canvas.text(&text, at(MARGIN, y), Side::Left, SMALL);
    }
}

/// One side of the band of a curve.
fn side_of(curve: &Curve, side: usize) -> Vec<(f64, f64)> {
    let band = curve.band.iter();
    band.map(|&(x, ends)| (x, ends[side])).collect()
}

/// The positions of points, in ascending order along the axis.
fn places(frame: &Frame<'_>, points: &[(f64, f64)]) -> Vec<At> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.into_iter().map(|(x, y)| frame.at(x, y)).collect()
}

/// Draws the slope of the curve without limits, and its maximum.
fn draw_asymptotes(canvas: &mut Canvas, frame: &Frame<'_>, knee: &Knee) {
    /// The number of pieces of a line that is curved on logarithmic axes.
    const PIECES: u32 = 80;
    let stroke = Stroke::solid(1.0, palette::FAINT);
    let rising: Vec<At> = (0..=PIECES)
        .map(|piece| frame.x.1.value(f64::from(piece) / f64::from(PIECES)))
        .filter(|x| *x > 0.0 || frame.y.0.scale == Scale::Linear)
        .map(|x| frame.at(x, x / knee.x * knee.y))
        .collect();
    frame.line(canvas, &rising, stroke);
    let level = frame.at(knee.x, knee.y).y;
    frame.line(
        canvas,
        &[at(frame.area.left, level), at(frame.area.right, level)],
        stroke,
    );
}

fn draw_knee(canvas: &mut Canvas, frame: &Frame<'_>, knee: &Knee) {
    let place = frame.at(knee.x, knee.y);
    let foot = at(place.x, frame.area.bottom);
    canvas.dashes((place, foot), 0.0, Dash::PLAIN, 1.0, palette::INK);
    canvas.marker(place, 5.0, Marker::Diamond, palette::INK);
    let room = frame.area.right - place.x - 12.0;
    let is_left = text_width(&knee.label, POINT_LABEL) <= room;
    let (x, side) = if is_left {
        (place.x + 10.0, Side::Left)
    } else {
        (place.x - 10.0, Side::Right)
    };
    canvas.text(
        &knee.label,
        at(x, f64::midpoint(place.y, frame.area.bottom)),
        side,
        POINT_LABEL,
    );
}
