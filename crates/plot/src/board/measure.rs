//! Sizes of boxes and labels.

use super::{Block, Gauge, Load, Wire};
use crate::canvas::Type;
use crate::font::Weight;
use crate::palette;
use crate::style::text_width;

/// The name of a box.
pub(super) const NAME: Type = Type::bold(15.0, palette::INK);
/// Other text in a box.
pub(super) const LINE: Type = Type::regular(13.0, palette::FAINT);
/// The name of a gauge, and the text of its load.
pub(super) const GAUGE: Type = Type::regular(13.0, palette::INK);

/// The distance between the edge of a box and its text.
pub(super) const PADDING: f64 = 10.0;
/// The distance between a frame and its box.
pub(super) const FRAME: f64 = 6.0;
/// The height of the text of a frame.
pub(super) const HEADER: f64 = 18.0;
/// The heights of the name, of a line, and of a gauge with its bar.
pub(super) const NAME_HEIGHT: f64 = 19.0;
pub(super) const LINE_HEIGHT: f64 = 16.0;
pub(super) const GAUGE_HEIGHT: f64 = 24.0;
/// The distance between the name of a gauge and its value.
pub(super) const BETWEEN: f64 = 14.0;
/// Sheets behind a box of several items: their offset, and their number.
pub(super) const SHEET: f64 = 4.0;
pub(super) const SHEETS: usize = 2;
/// The distance between the centre of a wire and its two directions, and between these and their text.
pub(super) const LANE: f64 = 5.0;
pub(super) const LABEL: f64 = 9.0;
/// The mark with the number of a step: the distance of the number from its edge, and from there to the text.
pub(super) const STEP_PADDING: f64 = 5.0;
pub(super) const STEP_GAP: f64 = 5.0;
/// The height of a line of a label.
pub(super) const LABEL_LINE: f64 = 15.0;
/// The minimum and maximum width of the text of a box.
const NARROWEST: f64 = 96.0;
const WIDEST: f64 = 400.0;

/// The size of an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Whether a box represents several items.
pub(super) fn is_stack(block: &Block) -> bool {
    block.ids.len() > 1
}

/// The text of a gauge, in one line.
pub(super) fn in_one_line(load: &Load) -> String {
    load.words.join("  ")
}

/// What edges at whole units can take from a text.
const ROUNDED: f64 = 4.0;

/// The size of a box without children, with its frame and the sheets behind it.
pub(super) fn of_block(block: &Block) -> Size {
    let lines = block.lines.iter().map(|line| text_width(line, LINE));
    let gauges = block.gauges.iter();
    let gauges = gauges.map(|Gauge { name, load }| text_width(name, GAUGE) + BETWEEN + of_row(Some(load)));
    let widest = lines.chain(gauges).fold(text_width(&block.name, NAME), f64::max);
    let mut width = widest + 2.0 * PADDING + ROUNDED;
    let mut height = 2.0 * PADDING
        + NAME_HEIGHT
        + LINE_HEIGHT * block.lines.len() as f64
        + GAUGE_HEIGHT * block.gauges.len() as f64;
    if !block.frame.is_empty() {
        width = width.max(text_width(&block.frame, LINE) + ROUNDED) + 2.0 * FRAME;
        height += HEADER + FRAME;
        if block.is_empty {
            height = HEADER + 2.0 * FRAME + NAME_HEIGHT;
        }
    }
    let sheets = if is_stack(block) {
        SHEET * SHEETS as f64
    } else {
        0.0
    };
    Size {
        width: width.clamp(NARROWEST, WIDEST) + sheets,
        height: height + sheets,
    }
}

/// The boldest style of a load's text.
pub(super) const BADGE: Type = Type {
    weight: Weight::Bold,
    ..GAUGE
};

/// The width of a load's label with its words on separate lines.
pub(super) fn of_label(load: Option<&Load>) -> f64 {
    let Some(load) = load else { return 0.0 };
    let mut widest: f64 = 0.0;
    let mut before = of_step(&load.step);
    for word in &load.words {
        widest = widest.max(before + text_width(word, BADGE));
        before = 0.0;
    }
    widest
}

/// The width of a load's label with its words in one line.
pub(super) fn of_row(load: Option<&Load>) -> f64 {
    load.map_or(0.0, |load| {
        of_step(&load.step) + text_width(&in_one_line(load), BADGE)
    })
}

/// The width of the mark with the number of a step, and of the distance to its text.
pub(super) fn of_step(step: &str) -> f64 {
    if step.is_empty() {
        return 0.0;
    }
    text_width(step, BADGE) + 2.0 * STEP_PADDING + STEP_GAP
}

/// The extents of a vertical wire to the left and to the right of its centre, including its labels.
pub(super) fn of_wire(wire: &Wire) -> [f64; 2] {
    let beside = |load: Option<&Load>| -> f64 {
        let label = of_label(load);
        LANE + LABEL + label + if label > 0.0 { 6.0 } else { 0.0 }
    };
    let [back, out] = labels(wire);
    [beside(back), beside(out)]
}

/// The labels of the two directions of a wire, back and out: a single one if both are equal.
pub(super) fn labels(wire: &Wire) -> [Option<&Load>; 2] {
    let same = |back: &Load, out: &Load| {
        (&back.words, &back.step, back.is_bottleneck) == (&out.words, &out.step, out.is_bottleneck)
    };
    match (&wire.back, &wire.out) {
        (Some(back), Some(out)) if same(back, out) => [None, Some(out)],
        (back, out) => [back.as_ref(), out.as_ref()],
    }
}
