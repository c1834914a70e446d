//! What a fit found for each of its parameters: the value and its interval within the range that it may have.

use crate::canvas::{Area, Canvas, Marker, at};
use crate::rows::{Legend, Names, WIDTH};
use crate::style::{MARGIN, draw_title, title_height};
use crate::{PlotError, palette};

/// The most parameters of one picture.
const PARAMETERS_MAX: usize = 60;

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterBar {
    /// What it is called.
    pub label: String,
    /// What stands behind the label, such as the value in words.
    pub note: String,
    /// The least and the most that it may be; the first is less.
    pub range: (f64, f64),
    /// What the fit began with.
    pub start: f64,
    /// What it found.
    pub value: f64,
    /// Where it may be as well by what the data know; `None` where they do not know it.
    pub interval: Option<(f64, f64)>,
}

/// Parameters of a fit, from the top down, each over its own range.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterBars {
    /// Above everything, in bold.
    pub title: String,
    /// Under the title; may be empty.
    pub subtitle: String,
    /// The parameters, at least one.
    pub bars: Vec<ParameterBar>,
}

impl ParameterBars {
    pub(crate) fn size(&self) -> Result<(u32, u32), PlotError> {
        self.check()?;
        Ok((
            WIDTH as u32,
            (self.names()?.bottom(&self.subtitle) + 50.0 + MARGIN / 2.0).round() as u32,
        ))
    }

    fn names(&self) -> Result<Names, PlotError> {
        Names::of(self.bars.iter().map(|bar| (&*bar.label, &*bar.note)))
    }

    fn check(&self) -> Result<(), PlotError> {
        if self.bars.is_empty() {
            return Err(PlotError::Empty("no parameter"));
        }
        if self.bars.len() > PARAMETERS_MAX {
            return Err(PlotError::TooMuch {
                what: "parameters",
                count: self.bars.len(),
                limit: PARAMETERS_MAX,
            });
        }
        for bar in &self.bars {
            let (low, high) = bar.range;
            let (from, to) = bar.interval.unwrap_or(bar.range);
            let values = [low, high, bar.start, bar.value, from, to];
            if let Some(value) = values.into_iter().find(|value| !(-1e30..=1e30).contains(value)) {
                return Err(PlotError::Value {
                    of: bar.label.clone(),
                    value,
                });
            }
            if low >= high {
                return Err(PlotError::Value {
                    of: format!("the upper end of {}", bar.label),
                    value: high,
                });
            }
        }
        Ok(())
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) -> Result<(), PlotError> {
        self.check()?;
        draw_title(canvas, &self.title, &self.subtitle, WIDTH)?;
        let top = title_height(&self.subtitle);
        let names = self.names()?;
        for (row, bar) in self.bars.iter().enumerate() {
            let named = names.at(top, row);
            named.draw(canvas, &bar.label, &bar.note, false)?;
            draw_range(canvas, bar, &named.bar)?;
        }
        let mut legend = Legend::under(names.bottom(&self.subtitle), 12.0);
        let swatch = legend.swatch();
        canvas.rectangle(swatch, palette::GRID)?;
        legend.draw_word(canvas, "allowed range")?;
        canvas.rectangle(legend.swatch(), palette::SKY)?;
        legend.draw_word(canvas, "95 % interval of the fit")?;
        for (text, is_hollow) in [("fitted", false), ("start", true)] {
            let swatch = legend.swatch();
            draw_value(
                canvas,
                f64::midpoint(swatch.left, swatch.right),
                &swatch,
                is_hollow,
            )?;
            legend.draw_word(canvas, text)?;
        }
        Ok(())
    }
}

/// The range, the interval over it, and both values.
fn draw_range(canvas: &mut Canvas, bar: &ParameterBar, area: &Area) -> Result<(), PlotError> {
    let (low, high) = bar.range;
    let x = |value: f64| {
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        (area.left + share * area.width()).round()
    };
    canvas.rectangle(*area, palette::GRID)?;
    if let Some((from, to)) = bar.interval {
        canvas.rectangle(
            Area {
                left: x(from),
                right: x(to).max(x(from) + 1.0),
                ..*area
            },
            palette::SKY,
        )?;
    }
    draw_value(canvas, x(bar.start), area, true)?;
    draw_value(canvas, x(bar.value), area, false)
}

fn draw_value(canvas: &mut Canvas, x: f64, area: &Area, is_hollow: bool) -> Result<(), PlotError> {
    let place = at(x, f64::midpoint(area.top, area.bottom));
    if is_hollow {
        canvas.hollow_marker(place, 5.0, Marker::Diamond, palette::INK)
    } else {
        canvas.marker(place, 5.0, Marker::Circle, palette::BLUE)
    }
}
