//! The font: `DejaVu Sans`, embedded. Text is measured and laid out here, glyph by glyph, so that no system
//! needs the font and a picture has the same widths everywhere.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, GlyphId};

/// A font weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// For most text.
    Regular,
    /// For titles and emphasis.
    Bold,
}

/// The ratio of the size of letters to the size of a line of text, which extends from the highest accent to
/// the lowest descender.
const EM: f64 = 2048.0 / (1901.0 + 483.0);
/// The distance from the middle of a line of letters to its base line, as a share of the size of letters:
/// between half the height of small letters (0.27) and half of that of capitals (0.36).
const MIDDLE_TO_BASE: f64 = 0.32;

/// A line of text: its glyphs with their distances from the start, in font units.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) glyphs: Vec<(GlyphId, f32)>,
    width: f32,
}

/// The size of letters in a line of text.
pub(crate) fn em(size: f64) -> f64 {
    size * EM
}

/// The distance from the middle of a line of text to its base line.
pub(crate) fn middle_to_base(size: f64) -> f64 {
    em(size) * MIDDLE_TO_BASE
}

/// The font with a weight.
pub(crate) fn face(weight: Weight) -> &'static FontRef<'static> {
    static FACES: LazyLock<[FontRef<'static>; 2]> = LazyLock::new(|| {
        [dejavu::sans::regular(), dejavu::sans::bold()]
            .map(|bytes| FontRef::try_from_slice(bytes).expect("the embedded font is a font"))
    });
    &FACES[weight as usize]
}

/// Font units per size of letters.
pub(crate) fn units(face: &FontRef<'_>) -> f32 {
    face.units_per_em().unwrap_or(2048.0)
}

/// `text` as a line of glyphs.
pub(crate) fn line(text: &str, weight: Weight) -> Line {
    let face = face(weight);
    let mut line = Line {
        glyphs: Vec::with_capacity(text.len()),
        width: 0.0,
    };
    for letter in text.chars() {
        let glyph = face.glyph_id(letter);
        if let Some(&(before, _)) = line.glyphs.last() {
            line.width += face.kern_unscaled(before, glyph);
        }
        line.glyphs.push((glyph, line.width));
        line.width += face.h_advance_unscaled(glyph);
    }
    line
}

impl Line {
    /// Its width at a size, in the unit of the size.
    pub(crate) fn width(&self, size: f64, face: &FontRef<'_>) -> f64 {
        f64::from(self.width / units(face)) * em(size)
    }
}

/// The width of `text` at a size, in the unit of the size.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    line(text, weight).width(size, face(weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Advances of `DejaVu Sans` 2.37 from its `hmtx` table: A 1401, V 1401, with kerning of the pair.
    #[test]
    fn widths_are_the_advances_of_the_font_with_its_kerning() {
        let size = 2384.0; // Letters of 2048 units, as in the tables of the font.
        let of = |text| width(text, size, Weight::Regular);
        assert!((of("A") - 1401.0).abs() < 0.01, "{}", of("A"));
        assert!(of("AV") < 2.0 * 1401.0);
        assert_eq!(of(""), 0.0);
    }
}
