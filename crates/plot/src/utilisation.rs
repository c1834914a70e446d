//! How much of each resource is used: a bar each, with a mark where practice ends.

use crate::canvas::{Area, Canvas, Side, at};
use crate::rows::{Rows, WIDTH};
use crate::style::{BOLD, LABEL, MARGIN, SMALL, cut, draw_title, text_width, title_height};
use crate::{PlotError, palette};

/// The most bars of one picture.
pub const BARS_MAX: usize = 64;

/// One resource, or several that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct UtilisationBar {
    /// What it is called.
    pub label: String,
    /// What kind of resource it is, as the legend calls it.
    pub kind: String,
    /// The colour of its kind, by its position in the palette; after eleven they repeat. Kinds that keep
    /// theirs look the same in all pictures.
    pub colour: usize,
    /// Rate over raw capacity, 0 to 1. What lies outside is drawn as the nearer end.
    pub utilisation: f64,
    /// The share of the raw capacity that can be used in practice, 0 to 1.
    pub ceiling: f64,
    /// What stands behind the bar, such as the rate in words.
    pub note: String,
    /// Whether it is what holds everything back; such a bar is labelled in bold, with an arrowhead.
    pub is_bottleneck: bool,
}

/// Bars of utilisation, from the first down.
#[derive(Clone, Debug, PartialEq)]
pub struct UtilisationBars {
    /// Above everything, in bold.
    pub title: String,
    /// Under the title; may be empty.
    pub subtitle: String,
    /// The bars, at least one and at most [`BARS_MAX`].
    pub bars: Vec<UtilisationBar>,
    /// Under everything; may be empty.
    pub footer: String,
}

const ROW: f64 = 26.0;
const BAR: f64 = 16.0;
/// Where the parts of the picture are.
struct Layout {
    rows: Rows,
    /// The area that bars can fill.
    plot: Area,
    /// The height of the text under the axis, of the legend and of the footer.
    axis: f64,
    legend: f64,
    footer: f64,
    height: f64,
}

impl UtilisationBars {
    pub(crate) fn size(&self) -> Result<(u32, u32), PlotError> {
        self.check()?;
        Ok((WIDTH as u32, self.layout()?.height as u32))
    }

    fn check(&self) -> Result<(), PlotError> {
        if self.bars.is_empty() {
            return Err(PlotError::Empty("no resource"));
        }
        if self.bars.len() > BARS_MAX {
            return Err(PlotError::TooMuch {
                what: "bars",
                count: self.bars.len(),
                limit: BARS_MAX,
            });
        }
        for bar in &self.bars {
            for value in [bar.utilisation, bar.ceiling] {
                if !value.is_finite() {
                    return Err(PlotError::Value {
                        of: format!("the utilisation of {}", bar.label),
                        value,
                    });
                }
            }
        }
        Ok(())
    }

    fn layout(&self) -> Result<Layout, PlotError> {
        let rows = Rows::new(
            self.bars.iter().map(|bar| bar.label.as_str()),
            self.bars.iter().map(|bar| bar.note.as_str()),
        )?;
        let top = title_height(&self.subtitle);
        let bottom = top + ROW * self.bars.len() as f64;
        let footer_height = if self.footer.is_empty() { 0.0 } else { 22.0 };
        Ok(Layout {
            rows,
            plot: Area {
                left: rows.left,
                top: top.round(),
                right: rows.right,
                bottom: bottom.round(),
            },
            axis: bottom + 16.0,
            legend: bottom + 46.0,
            footer: bottom + 70.0,
            height: (bottom + 46.0 + footer_height + MARGIN).round(),
        })
    }

    /// The kinds with their colours, in the order in which they first come.
    fn kinds(&self) -> Vec<(&str, usize)> {
        let mut kinds: Vec<(&str, usize)> = Vec::new();
        for bar in &self.bars {
            if !kinds.iter().any(|(kind, _)| *kind == bar.kind) {
                kinds.push((&bar.kind, bar.colour));
            }
        }
        kinds
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) -> Result<(), PlotError> {
        self.check()?;
        let layout = self.layout()?;
        draw_title(canvas, &self.title, &self.subtitle, WIDTH)?;
        grid(canvas, &layout)?;
        for (row, bar) in self.bars.iter().enumerate() {
            draw_bar(canvas, &layout, row, bar)?;
        }
        legend(canvas, &layout, &self.kinds())?;
        let footer = cut(&self.footer, WIDTH - 2.0 * MARGIN, SMALL)?;
        canvas.text(&footer, at(MARGIN, layout.footer), Side::Left, SMALL)
    }
}

/// Lines at every fifth of the capacity, with their percents under the last bar.
fn grid(canvas: &mut Canvas, layout: &Layout) -> Result<(), PlotError> {
    let plot = &layout.plot;
    for fifth in 0..=5 {
        let x = plot.left + plot.width() * f64::from(fifth) / 5.0;
        canvas.line(&[at(x, plot.top), at(x, plot.bottom + 4.0)], 1.0, palette::GRID)?;
        canvas.text(
            &format!("{} %", fifth * 20),
            at(x, layout.axis),
            Side::Centre,
            SMALL,
        )?;
    }
    Ok(())
}

fn draw_bar(canvas: &mut Canvas, layout: &Layout, row: usize, bar: &UtilisationBar) -> Result<(), PlotError> {
    let plot = &layout.plot;
    let middle = plot.top + ROW * (row as f64 + 0.5);
    let x = |share: f64| plot.left + plot.width() * share.clamp(0.0, 1.0);
    let area = |from: f64, to: f64| Area {
        left: x(from),
        top: middle - BAR / 2.0,
        right: x(to),
        bottom: middle + BAR / 2.0,
    };
    canvas.rectangle(area(0.0, 1.0), palette::SHADE)?;
    canvas.rectangle(area(0.0, bar.utilisation), palette::series(bar.colour))?;
    if bar.ceiling < 1.0 {
        let mark = x(bar.ceiling);
        let reach = BAR / 2.0 + 2.5;
        canvas.line(
            &[at(mark, middle - reach), at(mark, middle + reach)],
            2.0,
            palette::INK,
        )?;
    }
    let look = if bar.is_bottleneck { BOLD } else { LABEL };
    if bar.is_bottleneck {
        let tip = plot.left - 3.0;
        let corners = [
            at(tip - 7.0, middle - 5.0),
            at(tip, middle),
            at(tip - 7.0, middle + 5.0),
        ];
        canvas.polygon(&corners, palette::INK)?;
    }
    layout.rows.draw_label(canvas, &bar.label, middle, look)?;
    layout.rows.draw_note(canvas, &bar.note, middle)
}

/// The colours of the kinds, and what the marks mean.
fn legend(canvas: &mut Canvas, layout: &Layout, kinds: &[(&str, usize)]) -> Result<(), PlotError> {
    const SWATCH: f64 = 12.0;
    let y = layout.legend;
    let mut x = MARGIN;
    for &(kind, colour) in kinds {
        let end = x + SWATCH + 6.0 + text_width(kind, SMALL)?;
        if end > WIDTH - MARGIN {
            break;
        }
        let swatch = Area {
            left: x,
            top: y - SWATCH / 2.0,
            right: x + SWATCH,
            bottom: y + SWATCH / 2.0,
        };
        canvas.rectangle(swatch, palette::series(colour))?;
        canvas.text(kind, at(x + SWATCH + 6.0, y), Side::Left, SMALL)?;
        x = end + 18.0;
    }
    let meaning = "usable in practice";
    if x + 10.0 + text_width(meaning, SMALL)? < WIDTH - MARGIN {
        canvas.line(&[at(x + 2.0, y - 8.0), at(x + 2.0, y + 8.0)], 2.0, palette::INK)?;
        canvas.text(meaning, at(x + 10.0, y), Side::Left, SMALL)?;
    }
    Ok(())
}
