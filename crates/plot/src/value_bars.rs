//! A value of each of several things as bars under their names, with a line at the value that they are
//! compared to: the variants of a what-if, the rungs of a ladder, placements of cards.

use crate::axis::{Axis, AxisTitle, words};
use crate::canvas::{Area, Canvas, Side, at};
use crate::frame::check_value;
use crate::rows::{Legend, Names, WIDTH, draw_bar, draw_tick};
use crate::style::{MARGIN, SMALL, cut, draw_title, title_height};
use crate::{PlotError, palette};

/// The height of the legend.
const LEGEND: f64 = 26.0;
/// The most bars of one picture.
const BARS_MAX: usize = 100;

/// The value of one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueBar {
    /// What it is called.
    pub label: String,
    /// What stands behind the label.
    pub note: String,
    /// The value, at least 0.
    pub value: f64,
    /// The colour, by its position in the palette.
    pub colour: usize,
    /// What the colour means, as the legend calls it; nothing if empty.
    pub kind: String,
    /// Whether the others are compared to it; it is labelled in bold, and a line goes down all bars at its
    /// value.
    pub is_reference: bool,
}

/// Values of several things, from the top down.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueBars {
    /// Above everything, in bold.
    pub title: String,
    /// Under the title; may be empty.
    pub subtitle: String,
    /// What the values are; bars begin at zero, whatever the scale says.
    pub value: AxisTitle,
    /// The bars, at least one.
    pub bars: Vec<ValueBar>,
    /// What the line at the value of the reference means, as the legend calls it.
    pub reference: String,
    /// Under everything; may be empty.
    pub footer: String,
}

impl ValueBars {
    pub(crate) fn size(&self) -> Result<(u32, u32), PlotError> {
        self.check()?;
        let footer = if self.footer.is_empty() { 0.0 } else { 24.0 };
        Ok((
            WIDTH as u32,
            (self.names()?.bottom(&self.subtitle) + 48.0 + LEGEND + footer + MARGIN / 2.0).round() as u32,
        ))
    }

    fn names(&self) -> Result<Names, PlotError> {
        Names::of(self.bars.iter().map(|bar| (&*bar.label, &*bar.note)))
    }

    fn check(&self) -> Result<(), PlotError> {
        if self.bars.is_empty() {
            return Err(PlotError::Empty("nothing that has a value"));
        }
        if self.bars.len() > BARS_MAX {
            return Err(PlotError::TooMuch {
                what: "bars",
                count: self.bars.len(),
                limit: BARS_MAX,
            });
        }
        let linear = AxisTitle {
            scale: crate::Scale::Linear,
            ..self.value.clone()
        };
        self.bars.iter().try_for_each(|bar| {
            check_value(&linear, &bar.label, bar.value)?;
            if bar.value >= 0.0 {
                return Ok(());
            }
            Err(PlotError::Value {
                of: bar.label.clone(),
                value: bar.value,
            })
        })
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) -> Result<(), PlotError> {
        self.check()?;
        draw_title(canvas, &self.title, &self.subtitle, WIDTH)?;
        let axis = Axis::around(crate::Scale::Linear, self.bars.iter().map(|bar| bar.value));
        let (left, right) = (MARGIN, WIDTH - MARGIN);
        let x = |value: f64| (left + axis.place(value) * (right - left)).round();
        let names = self.names()?;
        let (top, bottom) = (title_height(&self.subtitle), names.bottom(&self.subtitle));
        for tick in axis.ticks(self.value.kind) {
            draw_tick(canvas, &words(self.value.kind, tick), x(tick), (top, bottom))?;
        }
        for (row, bar) in self.bars.iter().enumerate() {
            let named = names.at(top, row);
            named.draw(canvas, &bar.label, &bar.note, bar.is_reference)?;
            let area = Area {
                left,
                right: x(bar.value),
                ..named.bar
            };
            draw_bar(canvas, area, palette::series(bar.colour), false)?;
        }
        if let Some(reference) = self.bars.iter().find(|bar| bar.is_reference) {
            let x = x(reference.value);
            for row in 0..self.bars.len() {
                let bar = names.at(top, row).bar;
                canvas.line(
                    &[at(x, bar.top - 2.0), at(x, bar.bottom + 2.0)],
                    2.0,
                    palette::INK,
                )?;
            }
        }
        let name = cut(&self.value.name, WIDTH - 2.0 * MARGIN, SMALL)?;
        canvas.text(&name, at(WIDTH / 2.0, bottom + 38.0), Side::Centre, SMALL)?;
        self.draw_legend(canvas, bottom + 38.0 + LEGEND)?;
        let footer = cut(&self.footer, WIDTH - 2.0 * MARGIN, SMALL)?;
        canvas.text(&footer, at(MARGIN, bottom + 64.0 + LEGEND), Side::Left, SMALL)
    }

    /// What the colours and the line stand for.
    fn draw_legend(&self, canvas: &mut Canvas, y: f64) -> Result<(), PlotError> {
        let mut legend = Legend::at(y, 12.0);
        let mut known: Vec<&str> = Vec::new();
        for bar in &self.bars {
            if bar.kind.is_empty() || known.contains(&bar.kind.as_str()) || !legend.has_room(&bar.kind)? {
                continue;
            }
            known.push(&bar.kind);
            canvas.rectangle(legend.swatch(), palette::series(bar.colour))?;
            legend.draw_word(canvas, &bar.kind)?;
        }
        if self.bars.iter().any(|bar| bar.is_reference) && legend.has_room(&self.reference)? {
            let swatch = legend.swatch();
            let x = swatch.middle().x;
            canvas.line(
                &[at(x, swatch.top - 2.0), at(x, swatch.bottom + 2.0)],
                2.0,
                palette::INK,
            )?;
            legend.draw_word(canvas, &self.reference)?;
        }
        Ok(())
    }
}
