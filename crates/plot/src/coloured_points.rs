//! A scatter plot over two axes: the colour of each point is its value.

use crate::axis::{Axis, AxisTitle};
use crate::canvas::{Canvas, Group, Marker};
use crate::colour_bar::ColourBar;
use crate::error::at_most;
use crate::frame::{Frame, HEIGHT, OVER, UNDER, WIDTH, check_value};
use crate::style::{MARGIN, draw_title, title_height};
use crate::{PlotError, palette};

/// Points with values over two axes, without a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct ColouredPoints {
    /// The title at the top, in bold.
    pub title: String,
    /// The text below the title; may be empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: AxisTitle,
    /// The vertical axis.
    pub y: AxisTitle,
    /// The values.
    pub value: AxisTitle,
    /// The points: horizontal and vertical position, and value.
    pub points: Vec<(f64, f64, f64)>,
}

/// The maximum number of points in a picture.
const POINTS_MAX: usize = 20_000;

impl ColouredPoints {
    pub(crate) fn size(&self) -> (u32, u32) {
        let height = title_height(&self.subtitle) + OVER + HEIGHT + UNDER + MARGIN / 2.0;
        (WIDTH as u32, height.round() as u32)
    }

    pub(crate) fn check(&self) -> Result<(), PlotError> {
        if self.points.is_empty() {
            return Err(PlotError::Empty("no point that has a value"));
        }
        at_most(POINTS_MAX, self.points.len(), "points")?;
        self.points.iter().try_for_each(|&(x, y, value)| {
            check_value(&self.x, "a point", x)?;
            check_value(&self.y, "a point", y)?;
            check_value(&self.value, "a point", value)
        })
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) {
        draw_title(canvas, &self.title, &self.subtitle, WIDTH);
        let values = || self.points.iter().map(|&(_, _, value)| value);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let bar = ColourBar::new(&self.value.name, self.value.kind, low, high);
        let (x, y) = (
            Axis::around(self.x.scale, self.points.iter().map(|point| point.0)),
            Axis::around(self.y.scale, self.points.iter().map(|point| point.1)),
        );
        let top = title_height(&self.subtitle) + OVER;
        let frame = Frame::new((&self.x, x), (&self.y, y), top, bar.room());
        frame.draw(canvas);
        for &(x, y, value) in &self.points {
            let share = if high > low {
                (value - low) / (high - low)
            } else {
                0.0
            };
            let place = frame.at(x, y);
            canvas.group(Group::fixed(), |canvas| {
                canvas.marker(place, 4.0, Marker::Circle, palette::gradient(share));
            });
        }
        bar.draw(canvas, &frame.area, WIDTH - MARGIN);
    }
}
