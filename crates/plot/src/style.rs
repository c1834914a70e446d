//! The common style of all pictures: margins, kinds of text, and the title.

use crate::canvas::{Canvas, Side, Type, at, printable};
use crate::font::{Weight, width};
use crate::palette;

/// The margin around everything.
pub(crate) const MARGIN: f64 = 24.0;

/// The title of a picture.
pub(crate) const TITLE: Type = Type::bold(20.0, palette::INK);
/// The text below the title.
pub(crate) const SUBTITLE: Type = Type::regular(14.0, palette::FAINT);
/// The title of a part of a picture.
pub(crate) const HEADING: Type = Type::bold(15.0, palette::INK);
/// Names of rows.
pub(crate) const LABEL: Type = Type::regular(14.0, palette::INK);
/// Emphasised names of rows.
pub(crate) const BOLD: Type = Type {
    weight: Weight::Bold,
    ..LABEL
};
/// Ticks, legends and notes.
pub(crate) const SMALL: Type = Type::regular(13.0, palette::FAINT);
/// What a picture was made from.
pub(crate) const ORIGIN: Type = Type::regular(11.0, palette::FAINT);
/// Labels of points and curves.
pub(crate) const POINT_LABEL: Type = Type::regular(12.0, palette::INK);

/// The height of the title and the text below it, with the margin above.
pub(crate) fn title_height(subtitle: &str) -> f64 {
    MARGIN + TITLE.size + if subtitle.is_empty() { 12.0 } else { 36.0 }
}

/// Draws the title and the text below it, truncated at the right edge of a picture `across` units wide.
pub(crate) fn draw_title(canvas: &mut Canvas, title: &str, subtitle: &str, across: f64) {
    let room = across - 2.0 * MARGIN;
    let title = cut(title, room, TITLE);
    canvas.text(&title, at(MARGIN, MARGIN + TITLE.size / 2.0), Side::Left, TITLE);
    let subtitle = cut(subtitle, room, SUBTITLE);
    canvas.text(
        &subtitle,
        at(MARGIN, MARGIN + TITLE.size + 14.0),
        Side::Left,
        SUBTITLE,
    );
}

/// The width of `text` in this style.
pub(crate) fn text_width(text: &str, look: Type) -> f64 {
    width(&printable(text), look.size, look.weight)
}

/// The width of the widest of some texts.
pub(crate) fn widest(texts: impl IntoIterator<Item: AsRef<str>>, look: Type) -> f64 {
    let widths = texts.into_iter().map(|text| text_width(text.as_ref(), look));
    widths.fold(0.0, f64::max)
}

/// `text`, or as much of it as fits, followed by an ellipsis.
pub(crate) fn cut(text: &str, room: f64, look: Type) -> String {
    let text = printable(text);
    if width(&text, look.size, look.weight) <= room {
        return text;
    }
    let mut kept: Vec<char> = text.chars().take(200).collect();
    while kept.pop().is_some() {
        let shorter: String = kept.iter().chain(&['…']).collect();
        if width(&shorter, look.size, look.weight) <= room {
            return shorter;
        }
    }
    String::new()
}

/// `text` in lines that fit, broken at blanks; a word wider than a line is truncated.
pub(crate) fn wrapped(text: &str, room: f64, look: Type) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match longer {
            Some(longer) if text_width(&longer, look) <= room => {
                if let Some(line) = lines.last_mut() {
                    *line = longer;
                }
            }
            _ => lines.push(cut(word, room, look)),
        }
    }
    lines
}
