//! An SVG document. Each glyph that is used is defined once, and text is a row of references to them, with
//! its words as the label that programs which read aloud, and searches, go by.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write as _;

use ab_glyph::{Font as _, GlyphId};
use plotters::prelude::DrawingBackend;
use plotters_backend::{BackendColor, BackendStyle, DrawingErrorKind};

use super::{Surface, Words};
use crate::PlotError;
use crate::font::{Weight, em, face, line, middle_to_base, path, units};

/// An SVG document that grows.
pub(crate) struct Svg<'t> {
    text: &'t mut String,
    size: (u32, u32),
    /// The glyphs in use, each with its number in the order in which they came.
    glyphs: BTreeMap<(Weight, GlyphId), usize>,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl<'t> Svg<'t> {
    /// A document in `text`, which says what it shows.
    pub(crate) fn new(text: &'t mut String, size: (u32, u32), title: &str) -> Self {
        let (width, height) = size;
        let title = escaped(title);
        *text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\n"
        );
        Self {
            text,
            size,
            glyphs: BTreeMap::new(),
        }
    }

    /// Adds an element, with what is in it.
    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        self.text.write_fmt(element).expect("a text takes all");
        self.text.push('\n');
    }

    /// Adds a shape, unless nothing of it would be seen.
    fn shape(&mut self, element: &str, colour: BackendColor, fills: bool) {
        if colour.alpha > 0.0 {
            let (red, green, blue) = colour.rgb;
            let paint = if fills { "fill" } else { "fill=\"none\" stroke" };
            let alpha = if colour.alpha < 1.0 {
                format!(" opacity=\"{}\"", colour.alpha)
            } else {
                String::new()
            };
            self.add(format_args!(
                "<{element} {paint}=\"#{red:02X}{green:02X}{blue:02X}\"{alpha}/>"
            ));
        }
    }
}

impl Surface for Svg<'_> {
    fn write(&mut self, words: &Words<'_>) -> Result<(), PlotError> {
        let face = face(words.weight)?;
        let scale = em(words.size) / f64::from(units(face));
        let base = middle_to_base(words.size);
        let (x, y) = words.start;
        let (place, turn) = if words.upward {
            ((x + base, y), " rotate(-90)")
        } else {
            ((x, y + base), "")
        };
        let mut row = String::new();
        for (glyph, along) in line(words.text, words.weight)?.glyphs {
            if face.outline(glyph).is_none() {
                continue;
            }
            let next = self.glyphs.len();
            let number = *self.glyphs.entry((words.weight, glyph)).or_insert(next);
            let x = if along == 0.0 {
                String::new()
            } else {
                format!(" x=\"{along}\"")
            };
            write!(row, "<use xlink:href=\"#{}\"{x}/>", id(number)).expect("a text takes all");
        }
        if !row.is_empty() {
            let (red, green, blue) = (words.colour.0, words.colour.1, words.colour.2);
            self.add(format_args!(
                "<g aria-label=\"{}\" fill=\"#{red:02X}{green:02X}{blue:02X}\" transform=\"translate({} {}){turn} \
                 scale({} {})\">{row}</g>",
                escaped(words.text),
                short(place.0),
                short(place.1),
                short(scale),
                short(-scale),
            ));
        }
        Ok(())
    }
}

impl DrawingBackend for Svg<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        let mut glyphs: Vec<(usize, Weight, GlyphId)> = std::mem::take(&mut self.glyphs)
            .into_iter()
            .map(|((weight, glyph), number)| (number, weight, glyph))
            .collect();
        glyphs.sort_unstable();
        self.add(format_args!("<defs>"));
        for (number, weight, glyph) in glyphs {
            if let Ok(face) = face(weight) {
                self.add(format_args!(
                    "<path id=\"{}\" d=\"{}\"/>",
                    id(number),
                    path(glyph, face)
                ));
            }
        }
        self.add(format_args!("</defs>\n</svg>"));
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): (i32, i32), colour: BackendColor) -> Drawn {
        self.shape(
            &format!("rect x=\"{x}\" y=\"{y}\" width=\"1\" height=\"1\""),
            colour,
            true,
        );
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: (i32, i32), to: (i32, i32), style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: (i32, i32),
        to: (i32, i32),
        style: &S,
        fill: bool,
    ) -> Drawn {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = (from.0.abs_diff(to.0), from.1.abs_diff(to.1));
        self.shape(
            &format!("rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""),
            style.color(),
            fill,
        );
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = (i32, i32)>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let element = format!(
            "polyline points=\"{}\" stroke-width=\"{}\"",
            points(path),
            style.stroke_width()
        );
        self.shape(&element, style.color(), false);
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): (i32, i32),
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Drawn {
        let element = format!("circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"");
        self.shape(&element, style.color(), fill);
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = (i32, i32)>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        self.shape(
            &format!("polygon points=\"{}\"", points(corners)),
            style.color(),
            true,
        );
        Ok(())
    }
}

fn points(places: impl IntoIterator<Item = (i32, i32)>) -> String {
    let places: Vec<String> = places.into_iter().map(|(x, y)| format!("{x},{y}")).collect();
    places.join(" ")
}

/// The id of a glyph by its number: letters, so that it is a name.
fn id(number: usize) -> String {
    const LETTERS: &[u8; 26] = b"abcdefghijklmnopqrstuvwxyz";
    let mut left = number + 1;
    let mut name = Vec::new();
    while left > 0 {
        left -= 1;
        name.push(char::from(LETTERS[left % LETTERS.len()]));
        left /= LETTERS.len();
    }
    name.into_iter().rev().collect()
}

/// A number with as many digits as can be seen.
fn short(number: f64) -> String {
    let digits = format!("{number:.5}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `text` as the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_letters_and_none_comes_twice() {
        let ids: std::collections::BTreeSet<String> = (0..1000).map(id).collect();
        assert_eq!(ids.len(), 1000);
        assert_eq!(
            (id(0), id(25), id(26), id(27)),
            ("a".into(), "z".into(), "aa".into(), "ab".into())
        );
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        assert_eq!(
            (short(12.0), short(-0.50), short(0.000_001)),
            ("12".into(), "-0.5".into(), "0".into())
        );
    }
}
