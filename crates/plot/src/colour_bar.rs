//! The colour bar: a legend of colours and values.

use crate::axis::words;
use crate::canvas::{Area, Canvas, Group, Side, at};
use crate::frame::OVER;
use crate::palette;
use crate::style::{SMALL, cut, widest};
use bandgraph_units::QuantityKind;

const WIDTH: f64 = 14.0;
/// The distance from the neighbouring area.
const GAP: f64 = 20.0;

/// A colour bar, from bottom to top.
pub(crate) struct ColourBar<'a> {
    name: &'a str,
    /// The values at the bottom, in the middle and at the top, as text.
    texts: [String; 3],
}

impl<'a> ColourBar<'a> {
    /// A bar for values from `low` to `high`.
    pub(crate) fn new(name: &'a str, kind: Option<QuantityKind>, low: f64, high: f64) -> Self {
        Self {
            name,
            texts: [low, f64::midpoint(low, high), high].map(|value| words(kind, value)),
        }
    }

    /// The width of the bar with its text and the distance from its neighbour.
    pub(crate) fn room(&self) -> f64 {
        GAP + WIDTH + 8.0 + widest(&self.texts, SMALL)
    }

    /// Draws the bar with the height of its neighbour. Its name ends at `right`.
    pub(crate) fn draw(&self, canvas: &mut Canvas, beside: &Area, right: f64) {
        /// The number of pieces of the bar, each of one colour.
        const PIECES: u32 = 64;
        let area = Area {
            left: beside.right + GAP,
            right: beside.right + GAP + WIDTH,
            ..*beside
        };
        let y = |share: f64| (area.bottom - share * area.height()).round();
        canvas.group(Group::fixed(), |canvas| {
            for piece in 0..PIECES {
                let share = |piece: u32| f64::from(piece) / f64::from(PIECES);
                let part = Area {
                    top: y(share(piece + 1)),
                    bottom: y(share(piece)),
                    ..area
                };
                canvas.rectangle(
                    part,
                    palette::gradient((f64::from(piece) + 0.5) / f64::from(PIECES)),
                );
            }
        });
        for (index, text) in self.texts.iter().enumerate() {
            // The texts at the ends stay within the height of the bar.
            let share = index as f64 / 2.0;
            let inset = 7.0 * (1.0 - 2.0 * share);
            canvas.text(text, at(area.right + 8.0, y(share) - inset), Side::Left, SMALL);
        }
        let name = cut(self.name, beside.width() / 2.0 - GAP, SMALL);
        canvas.text(&name, at(right, area.top - OVER / 2.0), Side::Right, SMALL);
    }
}
