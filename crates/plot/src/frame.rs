//! A frame with two axes: grid, ticks with values, names, and lines that are clipped at its edge.

use crate::axis::{Axis, AxisTitle, words};
use crate::canvas::{Area, At, Canvas, Dash, Side, at};
use crate::palette::Colour;
use crate::style::{MARGIN, SMALL, cut, text_width, widest};
use crate::{PlotError, palette};
use bandgraph_units::QuantityKind;

/// The width of a picture with one frame, and the height of the frame.
pub(crate) const WIDTH: f64 = 900.0;
pub(crate) const HEIGHT: f64 = 430.0;
/// The space below a frame for ticks and the name of its axis.
pub(crate) const UNDER: f64 = 52.0;
/// The space above a frame for the name of the vertical axis.
pub(crate) const OVER: f64 = 26.0;
/// The distance between the frame and the text beside it.
const GAP: f64 = 8.0;

/// The range of magnitudes that can be drawn: outside, logarithms and pixels have no meaning.
const DRAWABLE: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// A frame with two axes.
pub(crate) struct Frame<'a> {
    pub(crate) area: Area,
    pub(crate) x: (&'a AxisTitle, Axis),
    pub(crate) y: (&'a AxisTitle, Axis),
}

/// The style of a line through positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    pub(crate) width: f64,
    pub(crate) colour: Colour,
    pub(crate) broken: Option<Dash>,
}

impl Stroke {
    /// A line without gaps.
    pub(crate) const fn solid(width: f64, colour: Colour) -> Self {
        let broken = None;
        Self {
            width,
            colour,
            broken,
        }
    }
}

/// Checks that values, each with its item, are in the range that can be drawn on a linear axis.
pub(crate) fn check_values<'t>(mut values: impl Iterator<Item = (&'t str, f64)>) -> Result<(), PlotError> {
    match values.find(|(_, value)| value.abs() > *DRAWABLE.end() || value.is_nan()) {
        Some((of, value)) => Err(PlotError::Value {
            of: of.to_owned(),
            value,
        }),
        None => Ok(()),
    }
}

/// Checks that a value can be drawn on an axis.
pub(crate) fn check_value(title: &AxisTitle, of: &str, value: f64) -> Result<(), PlotError> {
    let fine = match title.scale {
        crate::Scale::Logarithmic | crate::Scale::PowersOfTwo => DRAWABLE.contains(&value),
        crate::Scale::Linear => value == 0.0 || DRAWABLE.contains(&value.abs()),
    };
    if fine {
        return Ok(());
    }
    Err(PlotError::Value {
        of: format!("{} of {of}", title.name),
        value,
    })
}

/// The width of the values beside an axis.
fn room_for_words(kind: Option<QuantityKind>, axis: &Axis) -> f64 {
    let texts: Vec<String> = axis.ticks().iter().map(|tick| words(kind, *tick)).collect();
    widest(&texts, SMALL) + GAP
}

/// The step with which texts of a row can be drawn without overlap. Each text has its centre and its width.
pub(crate) fn every_that_fits(texts: &[(f64, f64)]) -> usize {
    const CLEARANCE: f64 = 6.0;
    let fits = |every: &usize| {
        let chosen: Vec<&(f64, f64)> = texts.iter().step_by(*every).collect();
        chosen.windows(2).all(|pair| {
            let distance = (pair[1].0 - pair[0].0).abs();
            distance >= f64::midpoint(pair[0].1, pair[1].1) + CLEARANCE
        })
    };
    (1..=texts.len()).find(fits).unwrap_or(1)
}

impl<'a> Frame<'a> {
    /// The frame of a picture, from `top` on, with space to its right.
    pub(crate) fn new(x: (&'a AxisTitle, Axis), y: (&'a AxisTitle, Axis), top: f64, beside: f64) -> Self {
        let left = (MARGIN + room_for_words(y.0.kind, &y.1)).round();
        let right = (WIDTH - MARGIN - beside).round();
        let area = Area::between(at(left, top), at(right, top + HEIGHT));
        Self { area, x, y }
    }

    /// The position of a pair of values.
    pub(crate) fn at(&self, x: f64, y: f64) -> At {
        at(
            self.area.left + self.x.1.place(x) * self.area.width(),
            self.area.bottom - self.y.1.place(y) * self.area.height(),
        )
    }

    /// Draws the grid, the values at its lines, and the names of the axes.
    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        let (left, right) = (self.area.left, self.area.right);
        let (top, bottom) = (self.area.top, self.area.bottom);
        for tick in self.y.1.ticks() {
            let y = bottom - self.y.1.place(tick) * self.area.height();
            canvas.line(&[at(left - 4.0, y), at(right, y)], 1.0, palette::GRID);
            canvas.text(&words(self.y.0.kind, tick), at(left - GAP, y), Side::Right, SMALL);
        }
        let ticks = self.x.1.ticks();
        let mut texts = Vec::new();
        for tick in &ticks {
            let text = words(self.x.0.kind, *tick);
            let middle = left + self.x.1.place(*tick) * self.area.width();
            texts.push((middle, text_width(&text, SMALL)));
        }
        let every = every_that_fits(&texts);
        for (index, tick) in ticks.iter().enumerate() {
            let x = texts[index].0;
            canvas.line(&[at(x, top), at(x, bottom + 4.0)], 1.0, palette::GRID);
            if index % every == 0 {
                canvas.text(
                    &words(self.x.0.kind, *tick),
                    at(x, bottom + 17.0),
                    Side::Centre,
                    SMALL,
                );
            }
        }
        draw_outline(canvas, self.area);
        draw_names(canvas, self.area, &self.x.0.name, &self.y.0.name);
    }

    /// Draws a line through positions, clipped at the top and the bottom of the frame.
    pub(crate) fn line(&self, canvas: &mut Canvas, places: &[At], stroke: Stroke) {
        let mut before = 0.0;
        for pair in places.windows(2) {
            let Some((from, to)) = self.inside(pair[0], pair[1]) else {
                continue;
            };
            match stroke.broken {
                Some(dash) => canvas.dashes((from, to), before, dash, stroke.width, stroke.colour),
                None => canvas.line(&[from, to], stroke.width, stroke.colour),
            }
            before += libm::hypot(to.x - from.x, to.y - from.y);
        }
    }

    /// The position at which a line finally leaves the frame at its top, if it does.
    pub(crate) fn exit(&self, places: &[At]) -> Option<At> {
        places.last().filter(|last| last.y < self.area.top)?;
        let leaving = places
            .windows(2)
            .rev()
            .find_map(|pair| self.inside(pair[0], pair[1]));
        leaving.map(|(_, end)| end)
    }

    /// The part of a line that is not above or below the frame.
    fn inside(&self, from: At, to: At) -> Option<(At, At)> {
        let (top, bottom) = (self.area.top, self.area.bottom);
        if from.y.max(to.y) < top || from.y.min(to.y) > bottom {
            return None;
        }
        let cut = |point: At, other: At| {
            let y = point.y.clamp(top, bottom);
            if y == point.y {
                return point;
            }
            let share = (y - other.y) / (point.y - other.y);
            at(other.x + share * (point.x - other.x), y)
        };
        Some((cut(from, to), cut(to, from)))
    }
}

/// Draws the edge of a rectangle.
pub(crate) fn draw_outline(canvas: &mut Canvas, area: Area) {
    // Around the middle of its edge, not inside of it.
    canvas.edge(area.inset(-0.5), 1.0, palette::FAINT);
}

/// Draws the names of two axes: one below the frame, the other above its left edge, so that it is horizontal.
pub(crate) fn draw_names(canvas: &mut Canvas, area: Area, x: &str, y: &str) {
    let x = cut(x, area.width(), SMALL);
    let y = cut(y, area.width() / 2.0, SMALL);
    canvas.text(
        &x,
        at(f64::midpoint(area.left, area.right), area.bottom + 40.0),
        Side::Centre,
        SMALL,
    );
    canvas.text(&y, at(area.left, area.top - OVER / 2.0), Side::Left, SMALL);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_left_out_until_none_runs_into_another() {
        let row = |distance: f64| -> Vec<(f64, f64)> {
            (0..10).map(|index| (f64::from(index) * distance, 30.0)).collect()
        };
        assert_eq!(every_that_fits(&row(40.0)), 1);
        assert_eq!(every_that_fits(&row(20.0)), 2);
        assert_eq!(every_that_fits(&row(10.0)), 4);
        assert_eq!(every_that_fits(&[]), 1);
    }
}
