//! Rows of bars: a label at the left, a bar, a note at the right.

use plotters::prelude::DrawingBackend;

use crate::PlotError;
use crate::canvas::{Canvas, Side, Type, at};
use crate::style::{BOLD, MARGIN, SMALL, cut, widest};

/// The width of a picture of rows.
pub(crate) const WIDTH: f64 = 900.0;
/// From the end of a label to its bar, and from the bar to its note.
const GAP: f64 = 12.0;

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
    pub(crate) fn draw_label<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<DB>,
        label: &str,
        y: f64,
        look: Type,
    ) -> Result<(), PlotError> {
        let label = cut(label, self.left - MARGIN - 2.0 * GAP, look)?;
        canvas.text(&label, at(self.left - GAP - 3.0, y), Side::Right, look)
    }

    /// Writes the note of a row.
    pub(crate) fn draw_note<DB: DrawingBackend>(
        &self,
        canvas: &Canvas<DB>,
        note: &str,
        y: f64,
    ) -> Result<(), PlotError> {
        let note = cut(note, WIDTH - MARGIN - self.right - GAP + 1.0, SMALL)?;
        canvas.text(&note, at(self.right + GAP, y), Side::Left, SMALL)
    }
}
