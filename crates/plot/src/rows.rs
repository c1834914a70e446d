//! Rows of bars: a label at the left, a bar, a note at the right.

use crate::canvas::{Area, Canvas, Side, Type, at};
use crate::palette::Colour;
use crate::style::{BOLD, HEADING, LABEL, MARGIN, SMALL, cut, text_width, title_height, widest};
use crate::{PlotError, palette};

/// The width of a picture of rows.
pub(crate) const WIDTH: f64 = 900.0;
/// From the end of a label to its bar, and from the bar to its note.
const GAP: f64 = 12.0;

/// The room under the rows for the words of an axis and a legend.
const LEGEND: f64 = 50.0;
/// The width of a sample in a legend.
const SWATCH: f64 = 22.0;

/// Rows in groups, each under a heading: how many there are, and how high.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    pub(crate) rows: usize,
    pub(crate) groups: usize,
    pub(crate) row_height: f64,
    pub(crate) heading_height: f64,
}

impl Stack {
    /// Refuses a picture without rows, and one of more rows or groups than the limit.
    pub(crate) fn check(
        &self,
        empty: &'static str,
        what: &'static str,
        limit: usize,
    ) -> Result<(), PlotError> {
        if self.rows == 0 {
            return Err(PlotError::Empty(empty));
        }
        let count = self.rows.max(self.groups);
        if count > limit {
            return Err(PlotError::TooMuch { what, count, limit });
        }
        Ok(())
    }

    /// Where the last row ends.
    pub(crate) fn bottom(&self, subtitle: &str) -> f64 {
        let rows = self.row_height * self.rows as f64;
        title_height(subtitle) + rows + self.heading_height * self.groups as f64
    }

    /// The size of the picture.
    pub(crate) fn size(&self, subtitle: &str) -> (u32, u32) {
        let height = self.bottom(subtitle) + LEGEND + MARGIN;
        (WIDTH as u32, height.round() as u32)
    }

    /// Writes the heading of a group that begins at `y`, and what stands behind it, if anything does.
    pub(crate) fn draw_heading(
        &self,
        canvas: &mut Canvas,
        name: &str,
        note: Option<&str>,
        y: f64,
    ) -> Result<(), PlotError> {
        let y = y + self.heading_height / 2.0 + 2.0;
        let note = cut(note.unwrap_or_default(), WIDTH / 2.0 - MARGIN, SMALL)?;
        let noted = text_width(&note, SMALL)?;
        canvas.text(&note, at(WIDTH - MARGIN, y), Side::Right, SMALL)?;
        let name = cut(name, WIDTH - 2.0 * (MARGIN + GAP) - noted, HEADING)?;
        canvas.text(&name, at(MARGIN, y), Side::Left, HEADING)
    }
}

/// Draws a line down all rows, with what it stands for under it.
pub(crate) fn draw_tick(
    canvas: &mut Canvas,
    text: &str,
    x: f64,
    (top, bottom): (f64, f64),
) -> Result<(), PlotError> {
    canvas.line(&[at(x, top), at(x, bottom + 4.0)], 1.0, palette::GRID)?;
    canvas.text(text, at(x, bottom + 16.0), Side::Centre, SMALL)
}

/// Draws a bar, hollow if it says less than others.
pub(crate) fn draw_bar(
    canvas: &mut Canvas,
    area: Area,
    colour: Colour,
    is_hollow: bool,
) -> Result<(), PlotError> {
    const EDGE: f64 = 1.5;
    if is_hollow && area.width() > 2.0 * EDGE {
        canvas.rectangle(area, palette::PAPER)?;
        canvas.edge(area, EDGE, colour)
    } else {
        canvas.rectangle(area, colour)
    }
}

/// The legend under rows that end at `bottom`: samples, each with its word, from left to right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Legend {
    x: f64,
    y: f64,
    bar: f64,
}

impl Legend {
    /// An empty legend, for bars of this height.
    pub(crate) const fn under(bottom: f64, bar: f64) -> Self {
        Self {
            x: MARGIN,
            y: bottom + LEGEND - 8.0,
            bar,
        }
    }

    /// An empty legend at a height, for bars of this one.
    pub(crate) const fn at(y: f64, bar: f64) -> Self {
        Self { x: MARGIN, y, bar }
    }

    /// Whether there is room for one more sample with this word.
    pub(crate) fn has_room(&self, word: &str) -> Result<bool, PlotError> {
        Ok(self.x + SWATCH + 6.0 + text_width(word, SMALL)? <= WIDTH - MARGIN)
    }

    /// Where the next sample is.
    pub(crate) fn swatch(&self) -> Area {
        Area {
            left: self.x,
            right: self.x + SWATCH,
            top: self.y - self.bar / 2.0,
            bottom: self.y + self.bar / 2.0,
        }
    }

    /// Writes what that sample stands for, and goes on to the next.
    pub(crate) fn draw_word(&mut self, canvas: &mut Canvas, word: &str) -> Result<(), PlotError> {
        canvas.text(word, at(self.x + SWATCH + 6.0, self.y), Side::Left, SMALL)?;
        self.x += SWATCH + 28.0 + text_width(word, SMALL)?;
        Ok(())
    }
}

/// Rows whose labels are above their bars, where names are long: a label at the left and a note at the right,
/// or, where one of them has no room for both, the note below the label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    is_tall: bool,
    rows: usize,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    top: f64,
    is_tall: bool,
    /// Where the bar can be.
    pub(crate) bar: Area,
}

impl Names {
    const BAR: f64 = 14.0;
    /// From the top of a row to its first line, and from a line to the next.
    const FIRST: f64 = 14.0;
    const LINE: f64 = 18.0;

    /// Rows for these labels and notes.
    pub(crate) fn of<'t>(names: impl Iterator<Item = (&'t str, &'t str)>) -> Result<Self, PlotError> {
        let (mut is_tall, mut rows) = (false, 0);
        for (label, note) in names {
            rows += 1;
            let width = text_width(label, BOLD)? + 2.0 * GAP + text_width(note, SMALL)?;
            is_tall |= width > WIDTH - 2.0 * MARGIN;
        }
        Ok(Self { is_tall, rows })
    }

    /// Where the last row ends, under a title with this subtitle.
    pub(crate) fn bottom(self, subtitle: &str) -> f64 {
        title_height(subtitle) + self.height() * self.rows as f64
    }

    /// From one row to the next.
    pub(crate) fn height(self) -> f64 {
        48.0 + if self.is_tall { Self::LINE } else { 0.0 }
    }

    /// The row of a number, under `top`.
    pub(crate) fn at(self, top: f64, row: usize) -> Named {
        let top = top + row as f64 * self.height();
        let bar = top + self.height() - 24.0;
        Named {
            top,
            is_tall: self.is_tall,
            bar: Area {
                left: MARGIN,
                right: WIDTH - MARGIN,
                top: bar,
                bottom: bar + Self::BAR,
            },
        }
    }
}

impl Named {
    /// Writes the label and the note; of what is too long, as much as there is room for. The ground is
    /// cleared, so that no line crosses the words.
    pub(crate) fn draw(
        &self,
        canvas: &mut Canvas,
        label: &str,
        note: &str,
        is_bold: bool,
    ) -> Result<(), PlotError> {
        let look = if is_bold { BOLD } else { LABEL };
        let y = self.top + Names::FIRST;
        let note = cut(note, self.bar.width(), SMALL)?;
        let noted = text_width(&note, SMALL)?;
        let (room, note_at, side) = if self.is_tall {
            (self.bar.width(), at(self.bar.left, y + Names::LINE), Side::Left)
        } else {
            (
                self.bar.width() - noted - 2.0 * GAP,
                at(self.bar.right, y),
                Side::Right,
            )
        };
        let label = cut(label, room, look)?;
        let ends = [
            (at(self.bar.left, y), text_width(&label, look)?, Side::Left),
            (note_at, noted, side),
        ];
        for (place, width, side) in ends {
            let left = if side == Side::Left {
                place.x
            } else {
                place.x - width
            };
            let ground = Area {
                left,
                right: left + width,
                top: place.y - 9.0,
                bottom: place.y + 9.0,
            };
            canvas.rectangle(ground, palette::PAPER)?;
        }
        canvas.text(&label, at(self.bar.left, y), Side::Left, look)?;
        canvas.text(&note, note_at, side, SMALL)
    }
}

/// Where the parts of all rows are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    /// Where bars begin and end.
    pub(crate) left: f64,
    pub(crate) right: f64,
}

impl Rows {
    /// A layout for these labels and notes.
    pub(crate) fn new<'t>(
        labels: impl Iterator<Item = &'t str>,
        notes: impl Iterator<Item = &'t str>,
    ) -> Result<Self, PlotError> {
        // Bars keep at least a third of the picture; what does not fit beside them is cut off.
        let labels = widest(labels, BOLD)?.min(WIDTH / 3.0);
        let notes = widest(notes, SMALL)?.min(WIDTH / 3.0);
        Ok(Self {
            left: (MARGIN + labels + 2.0 * GAP).round(),
            right: (WIDTH - MARGIN - notes - GAP).round(),
        })
    }

    /// Writes the label of a row, and leaves room for a mark before its bar.
    pub(crate) fn draw_label(
        &self,
        canvas: &mut Canvas,
        label: &str,
        y: f64,
        look: Type,
    ) -> Result<(), PlotError> {
        let label = cut(label, self.left - MARGIN - 2.0 * GAP, look)?;
        canvas.text(&label, at(self.left - GAP - 3.0, y), Side::Right, look)
    }

    /// Writes the note of a row.
    pub(crate) fn draw_note(&self, canvas: &mut Canvas, note: &str, y: f64) -> Result<(), PlotError> {
        let note = cut(note, WIDTH - MARGIN - self.right - GAP + 1.0, SMALL)?;
        canvas.text(&note, at(self.right + GAP, y), Side::Left, SMALL)
    }
}
