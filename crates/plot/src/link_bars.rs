//! What links carried by the counters of the hardware, and what they were predicted to carry: two bars a
//! link, a group for each run.

use crate::axis::{Axis, words};
use crate::canvas::{Area, Canvas};
use crate::palette::Colour;
use crate::rows::{Legend, Rows, Stack, WIDTH, draw_bar, draw_tick};
use crate::style::{LABEL, draw_title, title_height};
use crate::{PlotError, Scale, palette};
use bandgraph_units::QuantityKind;

/// The most links of one picture.
const LINKS_MAX: usize = 150;

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkBar {
    /// What it is called.
    pub label: String,
    /// Bytes per second that were counted, at least 0.
    pub measured: f64,
    /// Bytes per second that were predicted, at least 0.
    pub predicted: f64,
    /// Whether figures of the model were fitted to the counter, so that the prediction says less; such bars
    /// are hollow.
    pub is_fitted: bool,
    /// What stands behind the bars, such as both figures in words.
    pub note: String,
}

/// The links of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkGroup {
    /// What the run is called.
    pub name: String,
    /// Its links.
    pub links: Vec<LinkBar>,
}

/// Counted against predicted traffic of links.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkBars {
    /// Above everything, in bold.
    pub title: String,
    /// Under the title; may be empty.
    pub subtitle: String,
    /// The runs, from the top down.
    pub groups: Vec<LinkGroup>,
}

const ROW: f64 = 26.0;
const BAR: f64 = 9.0;
const GROUP: f64 = 32.0;
const KIND: Option<QuantityKind> = Some(QuantityKind::Bandwidth);
/// The counted bar is grey, so that it differs from the other in lightness as well.
const MEASURED: Colour = Colour(150, 150, 150);

impl LinkBars {
    pub(crate) fn size(&self) -> Result<(u32, u32), PlotError> {
        self.check()?;
        Ok(self.stack().size(&self.subtitle))
    }

    fn links(&self) -> impl Iterator<Item = &LinkBar> + Clone {
        self.groups.iter().flat_map(|group| &group.links)
    }

    fn stack(&self) -> Stack {
        Stack {
            rows: self.links().count(),
            groups: self.groups.len(),
            row_height: ROW,
            heading_height: GROUP,
        }
    }

    fn check(&self) -> Result<(), PlotError> {
        let empty = "no link that is both measured and predicted";
        self.stack().check(empty, "links", LINKS_MAX)?;
        for link in self.links() {
            for value in [link.measured, link.predicted] {
                if !(0.0..=1e30).contains(&value) {
                    return Err(PlotError::Value {
                        of: link.label.clone(),
                        value,
                    });
                }
            }
        }
        Ok(())
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas) -> Result<(), PlotError> {
        self.check()?;
        draw_title(canvas, &self.title, &self.subtitle, WIDTH)?;
        let rows = Rows::new(
            self.links().map(|link| link.label.as_str()),
            self.links().map(|link| link.note.as_str()),
        )?;
        let values = self.links().flat_map(|link| [link.measured, link.predicted]);
        let axis = Axis::around(Scale::Linear, values);
        let x = |value: f64| (rows.left + axis.place(value) * (rows.right - rows.left)).round();
        let stack = self.stack();
        let (top, bottom) = (title_height(&self.subtitle), stack.bottom(&self.subtitle));
        for tick in axis.ticks(KIND) {
            draw_tick(canvas, &words(KIND, tick), x(tick), (top, bottom))?;
        }
        let mut y = top;
        for group in &self.groups {
            stack.draw_heading(canvas, &group.name, None, y)?;
            y += GROUP;
            for link in &group.links {
                let middle = y + ROW / 2.0;
                rows.draw_label(canvas, &link.label, middle, LABEL)?;
                rows.draw_note(canvas, &link.note, middle)?;
                let bar = |value: f64, top: f64| Area {
                    left: rows.left,
                    right: x(value),
                    top,
                    bottom: top + BAR,
                };
                canvas.rectangle(bar(link.measured, middle - BAR - 0.5), MEASURED)?;
                draw_bar(
                    canvas,
                    bar(link.predicted, middle + 0.5),
                    palette::BLUE,
                    link.is_fitted,
                )?;
                y += ROW;
            }
        }
        self.draw_legend(canvas, Legend::under(bottom, BAR))
    }

    fn draw_legend(&self, canvas: &mut Canvas, mut legend: Legend) -> Result<(), PlotError> {
        let has = |is_fitted: bool| self.links().any(|link| link.is_fitted == is_fitted);
        draw_bar(canvas, legend.swatch(), MEASURED, false)?;
        legend.draw_word(canvas, "counted")?;
        for (text, is_fitted) in [("predicted", false), ("fitted to the counters", true)] {
            if has(is_fitted) {
                draw_bar(canvas, legend.swatch(), palette::BLUE, is_fitted)?;
                legend.draw_word(canvas, text)?;
            }
        }
        Ok(())
    }
}
