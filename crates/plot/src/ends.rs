//! Names of curves: to the right of the frame where they end there, and above it where they leave it at the
//! top.

use crate::canvas::{At, Canvas, Side, Type, at};
use crate::frame::{Frame, OVER};
use crate::palette;
use crate::style::{MARGIN, SMALL, cut, text_width};

/// The distance between labels at the right edge.
const LABEL_ROW: f64 = 16.0;
/// The distance between the frame and the labels to its right.
pub(crate) const LEAD: f64 = 22.0;

/// The end of a curve with its label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End<'t> {
    pub(crate) at: At,
    pub(crate) label: &'t str,
    pub(crate) look: Type,
}

/// Draws labels to the right of the frame, each as close to the end of its curve as the others permit.
pub(crate) fn draw_ends(canvas: &mut Canvas, frame: &Frame<'_>, mut ends: Vec<End<'_>>, across: f64) {
    ends.retain(|end| !end.label.is_empty());
    ends.sort_by(|a, b| a.at.y.total_cmp(&b.at.y));
    let area = frame.area;
    let wanted: Vec<f64> = ends
        .iter()
        .map(|end| end.at.y.clamp(area.top, area.bottom))
        .collect();
    let rows = spread(&wanted, LABEL_ROW, area.top, area.bottom);
    for ((end, wanted), row) in ends.into_iter().zip(wanted).zip(rows) {
        let start = at(end.at.x.min(area.right), wanted);
        let lead = [at(start.x + 5.0, start.y), at(area.right + LEAD - 5.0, row)];
        canvas.line(&lead, 1.0, palette::GRID);
        let label = cut(end.label, across - MARGIN - area.right - LEAD + 1.0, end.look);
        canvas.text(&label, at(area.right + LEAD, row), Side::Left, end.look);
    }
}

/// Draws labels above the frame, each as close to the exit of its curve as the others permit. Returns those
/// without space.
pub(crate) fn draw_exits<'t>(
    canvas: &mut Canvas,
    frame: &Frame<'_>,
    mut exits: Vec<End<'t>>,
    across: f64,
) -> Vec<End<'t>> {
    /// The distance between labels.
    const CLEARANCE: f64 = 14.0;
    exits.sort_by(|a, b| a.at.x.total_cmp(&b.at.x));
    let name = text_width(&frame.y.0.name, SMALL).min(frame.area.width() / 2.0);
    let mut from = frame.area.left + name + CLEARANCE;
    let mut left_over = Vec::new();
    for exit in exits {
        let width = text_width(exit.label, exit.look);
        let left = (exit.at.x - width / 2.0).max(from);
        if left + width > across - MARGIN {
            left_over.push(exit);
            continue;
        }
        let middle = left + width / 2.0;
        let y = frame.area.top - OVER / 2.0;
        let lead = [at(exit.at.x, frame.area.top - 1.0), at(middle, y + 6.0)];
        canvas.line(&lead, 1.0, palette::FAINT);
        canvas.text(exit.label, at(middle, y - 1.0), Side::Centre, exit.look);
        from = left + width + CLEARANCE;
    }
    left_over
}

/// Rows at least `distance` apart, from `top` to `bottom`, with the least squared deviation from their wanted
/// positions. `wanted` is in ascending order.
fn spread(wanted: &[f64], distance: f64, top: f64, bottom: f64) -> Vec<f64> {
    // After subtraction of its share of the distances, each row only has to be at or below the previous one:
    // an isotonic regression, by pooling of adjacent violators. A pool is the sum of its members and their
    // number.
    let mut pools: Vec<(f64, usize)> = Vec::with_capacity(wanted.len());
    for (index, row) in wanted.iter().enumerate() {
        let mut pool = (row - index as f64 * distance, 1);
        while let Some(before) = pools.last()
            && before.0 / before.1 as f64 > pool.0 / pool.1 as f64
        {
            pool = (before.0 + pool.0, before.1 + pool.1);
            pools.pop();
        }
        pools.push(pool);
    }
    let lowest = (bottom - wanted.len().saturating_sub(1) as f64 * distance).max(top);
    let means = pools
        .iter()
        .flat_map(|&(sum, count)| std::iter::repeat_n((sum / count as f64).clamp(top, lowest), count));
    means
        .enumerate()
        .map(|(index, mean)| mean + index as f64 * distance)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_stay_near() {
        let spread = |wanted: &[f64]| spread(wanted, 16.0, 0.0, 100.0);
        assert_eq!(spread(&[10.0, 40.0, 70.0]), [10.0, 40.0, 70.0]);
        assert_eq!(spread(&[50.0, 50.0, 50.0]), [34.0, 50.0, 66.0]);
        assert_eq!(spread(&[10.0, 50.0, 54.0]), [10.0, 44.0, 60.0]);
        assert_eq!(spread(&[90.0, 95.0, 99.0]), [68.0, 84.0, 100.0]);
        assert_eq!(spread(&[0.0, 0.0]), [0.0, 16.0]);
    }
}
