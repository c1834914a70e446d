//! Colours that people with the usual kinds of colour blindness can tell apart: the palette of Masataka Okabe and Kei
//! Ito, "Color Universal Design" (2008). Greys are for everything that is not data.

use plotters::style::RGBColor;

/// The palette's blue.
pub(crate) const BLUE: RGBColor = RGBColor(0, 114, 178);
/// The palette's vermilion.
pub(crate) const VERMILION: RGBColor = RGBColor(213, 94, 0);
/// The palette's bluish green.
pub(crate) const GREEN: RGBColor = RGBColor(0, 158, 115);
/// The palette's orange.
pub(crate) const ORANGE: RGBColor = RGBColor(230, 159, 0);
/// The palette's sky blue.
pub(crate) const SKY: RGBColor = RGBColor(86, 180, 233);
/// The palette's reddish purple.
pub(crate) const PURPLE: RGBColor = RGBColor(204, 121, 167);
/// The palette's yellow, which is too light for lines and text.
pub(crate) const YELLOW: RGBColor = RGBColor(240, 228, 66);

/// The colours of series, in the order in which series get them.
const SERIES: [RGBColor; 7] = [BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, YELLOW];

/// The colour of a series by its position. After seven they come again: tell series apart by more than colour.
pub(crate) fn series(position: usize) -> RGBColor {
    SERIES[position % SERIES.len()]
}

/// Text and axes.
pub(crate) const INK: RGBColor = RGBColor(34, 34, 34);
/// Text that matters less.
pub(crate) const FAINT: RGBColor = RGBColor(102, 102, 102);
/// Grid lines.
pub(crate) const GRID: RGBColor = RGBColor(221, 221, 221);
/// Areas behind data.
pub(crate) const SHADE: RGBColor = RGBColor(242, 242, 242);
/// The ground.
pub(crate) const PAPER: RGBColor = RGBColor(255, 255, 255);
