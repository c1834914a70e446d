//! How far predictions are from measurements: a bar for each figure, in groups, to the right of zero where
//! too much was predicted and to the left where too little.

use crate::canvas::{Area, Canvas, at};
use crate::rows::{Legend, Rows, Stack, WIDTH, draw_bar, draw_tick};
use crate::style::{LABEL, draw_title, title_height};
use crate::{PlotError, palette};

/// The most bars of one picture.
const BARS_MAX: usize = 250;
/// The largest error that a bar shows in full. Beyond, the note tells.
const LONGEST: f64 = 1.0;
/// The least that half of the axis shows.
const SHORTEST: f64 = 0.15;

/// The error of one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBar {
    /// What the figure is called.
    pub label: String,
    /// Predicted over measured, less one.
    pub error: f64,
    /// The error at both ends of the interval of the prediction: where zero is between them, the measurement
    /// is within it. `None` where there is none.
    pub interval: Option<[f64; 2]>,
    /// Whether the figure was used in a fit, so that its error says less; such bars are hollow.
    pub is_fitted: bool,
    /// What stands behind the bar.
    pub note: String,
}

/// Figures that belong together, such as those of one system.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorGroup {
    /// What they have in common.
    pub name: String,
    /// What stands behind the name, such as the median of the errors; may be empty.
    pub note: String,
    /// The figures.
    pub bars: Vec<ErrorBar>,
}

/// Errors of predictions, in groups.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorBars {
    /// Above everything, in bold.
    pub title: String,
    /// Under the title; may be empty.
    pub subtitle: String,
    /// The groups, from the top down.
    pub groups: Vec<ErrorGroup>,
    /// Half the width of the band around zero; above 0 and below 1.
    pub band: f64,
}

const ROW: f64 = 20.0;
const BAR: f64 = 12.0;
const GROUP: f64 = 30.0;

impl ErrorBars {
    pub(crate) fn size(&self) -> Result<(u32, u32), PlotError> {
        self.check()?;
        Ok(self.stack().size(&self.subtitle))
    }

    fn bars(&self) -> impl Iterator<Item = &ErrorBar> + Clone {
        self.groups.iter().flat_map(|group| &group.bars)
    }

    fn stack(&self) -> Stack {
        Stack {
            rows: self.bars().count(),
            groups: self.groups.len(),
            row_height: ROW,
            heading_height: GROUP,
        }
    }

    fn check(&self) -> Result<(), PlotError> {
        let empty = "no figure that is both measured and predicted";
        self.stack().check(empty, "figures", BARS_MAX)?;
        if !(self.band > 0.0 && self.band < 1.0) {
            return Err(PlotError::Value {
                of: "the band".to_owned(),
                value: self.band,
            });
        }
        match self.bars().find(|bar| !bar.error.is_finite()) {
            Some(bar) => Err(PlotError::Value {
                of: format!("the error of {}", bar.label),
                value: bar.error,
            }),
            None => Ok(()),
        }
    }

    /// The error at the right end of the axis.
    fn reach(&self) -> f64 {
        let largest = self.bars().map(|bar| bar.error.abs()).fold(0.0, f64::max);
        (largest.max(self.band) * 1.1).clamp(SHORTEST, LONGEST)
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) -> Result<(), PlotError> {
        self.check()?;
        draw_title(canvas, &self.title, &self.subtitle, WIDTH)?;
        let rows = Rows::new(
            self.bars().map(|bar| bar.label.as_str()),
            self.bars().map(|bar| bar.note.as_str()),
        )?;
        let reach = self.reach();
        let x = |error: f64| {
            let share = f64::midpoint(error.clamp(-reach, reach) / reach, 1.0);
            (rows.left + share * (rows.right - rows.left)).round()
        };
        let stack = self.stack();
        let (top, bottom) = (title_height(&self.subtitle), stack.bottom(&self.subtitle));
        let band = Area {
            left: x(-self.band),
            right: x(self.band),
            top,
            bottom,
        };
        canvas.rectangle(band, palette::SKY.mix(0.18))?;
        for error in ticks(reach) {
            let text = format!("{:+.0} %", error * 100.0).replace("+0 %", "0 %");
            draw_tick(canvas, &text, x(error), (top, bottom))?;
        }
        let mut y = top;
        for group in &self.groups {
            stack.draw_heading(canvas, &group.name, Some(&group.note), y)?;
            y += GROUP;
            for bar in &group.bars {
                let middle = y + ROW / 2.0;
                rows.draw_label(canvas, &bar.label, middle, LABEL)?;
                rows.draw_note(canvas, &bar.note, middle)?;
                let area = Area {
                    left: x(bar.error.min(0.0)),
                    right: x(bar.error.max(0.0)),
                    top: middle - BAR / 2.0,
                    bottom: middle + BAR / 2.0,
                };
                draw_bar(canvas, area, palette::BLUE, bar.is_fitted)?;
                if let Some(ends) = bar.interval {
                    draw_whisker(canvas, ends.map(x), middle)?;
                }
                y += ROW;
            }
        }
        canvas.line(&[at(x(0.0), top), at(x(0.0), bottom)], 1.0, palette::INK)?;
        self.draw_legend(canvas, Legend::under(bottom, BAR))
    }

    fn draw_legend(&self, canvas: &mut Canvas, mut legend: Legend) -> Result<(), PlotError> {
        let is_mixed = self.bars().any(|bar| bar.is_fitted);
        let entries: &[(&str, bool)] = if is_mixed {
            &[("predicted", false), ("used in a fit", true)]
        } else {
            &[("predicted", false)]
        };
        for &(text, is_fitted) in entries {
            draw_bar(canvas, legend.swatch(), palette::BLUE, is_fitted)?;
            legend.draw_word(canvas, text)?;
        }
        if self.bars().any(|bar| bar.interval.is_some()) {
            let Area {
                left,
                right,
                top,
                bottom,
            } = legend.swatch();
            draw_whisker(canvas, [left, right], f64::midpoint(top, bottom))?;
            legend.draw_word(canvas, "90 % interval")?;
        }
        canvas.rectangle(legend.swatch(), palette::SKY.mix(0.3))?;
        legend.draw_word(canvas, &format!("±{:.0} %", self.band * 100.0))
    }
}

/// An interval as a thin line with its ends.
fn draw_whisker(canvas: &mut Canvas, [low, high]: [f64; 2], y: f64) -> Result<(), PlotError> {
    canvas.line(&[at(low, y), at(high, y)], 1.0, palette::INK)?;
    for end in [low, high] {
        let half = BAR / 4.0;
        canvas.line(&[at(end, y - half), at(end, y + half)], 1.0, palette::INK)?;
    }
    Ok(())
}

/// Round errors on both sides of zero.
fn ticks(reach: f64) -> Vec<f64> {
    let step = [0.05, 0.1, 0.25, 0.5]
        .into_iter()
        .find(|step| reach / step <= 4.0)
        .unwrap_or(0.5);
    let count = (reach / step + 1e-9).floor() as i32;
    (-count..=count).map(|tick| f64::from(tick) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_stand_evenly_around_zero() {
        assert_eq!(ticks(0.15).len(), 7);
        for reach in [0.15, 0.22, 0.4, 0.99, 1.0] {
            let ticks = ticks(reach);
            assert!(
                ticks.contains(&0.0) && ticks.len() >= 3 && ticks.len() <= 9,
                "{reach}"
            );
            assert!(ticks.iter().all(|tick| tick.abs() <= reach + 1e-12));
        }
    }
}
