//! A picture as an SVG document. Text is text, so that it can be searched, selected and read aloud: each line
//! has its width in the embedded font, so that its extent stays the same in a viewer with another font.

use std::fmt::Write as _;

use crate::canvas::{Area, At, Canvas, Dash, Group, Mark, Words, printable};
use crate::font::{Weight, em, middle_to_base};
use crate::palette::Paint;

/// The embedded font, and common fonts with letters of similar width.
const FONTS: &str = "DejaVu Sans,Verdana,Bitstream Vera Sans,Geneva,sans-serif";

/// The canvas as a document of a given size and title.
pub(crate) fn svg(canvas: &Canvas, (width, height): (u32, u32), title: &str) -> String {
    let title = escaped(&printable(title));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\" role=\"img\" aria-label=\"{title}\">\n"
    );
    for mark in canvas.marks() {
        element(&mut text, mark).expect("a text takes all");
    }
    text.push_str("</svg>\n");
    text
}

fn element(text: &mut String, mark: &Mark) -> std::fmt::Result {
    match mark {
        Mark::Rectangle {
            area,
            radius,
            fill,
            edge,
        } => rectangle(text, area, *radius, *fill, edge.as_ref()),
        Mark::Polygon { corners, fill } => {
            let corners = points(corners);
            writeln!(text, "<polygon points=\"{corners}\"{}/>", paint("fill", *fill))
        }
        Mark::Circle { centre, radius, fill } => writeln!(
            text,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>",
            short(centre.x),
            short(centre.y),
            short(*radius),
            paint("fill", *fill)
        ),
        Mark::Line {
            places,
            width,
            paint: colour,
            dash,
        } => {
            let dash = dash.map_or_else(String::new, |(dash, before)| {
                format!("{} stroke-dashoffset=\"{}\"", dashes(dash), short(before))
            });
            writeln!(
                text,
                "<polyline points=\"{}\" fill=\"none\" stroke-width=\"{}\"{}{dash}/>",
                points(&sharp(places, *width)),
                short(*width),
                paint("stroke", *colour)
            )
        }
        Mark::Words(line) => words(text, line),
        Mark::Begin(group) => begin(text, group),
        Mark::End => writeln!(text, "</g>"),
    }
}

fn rectangle(
    text: &mut String,
    area: &Area,
    radius: f64,
    fill: Paint,
    edge: Option<&(Paint, f64, Option<Dash>)>,
) -> std::fmt::Result {
    // The edge is drawn inside.
    let half = edge.map_or(0.0, |(_, width, _)| width / 2.0);
    let area = area.inset(half);
    let corners = if radius > 0.0 {
        format!(" rx=\"{}\"", short(radius))
    } else {
        String::new()
    };
    let edge = edge.map_or_else(String::new, |&(colour, width, dash)| {
        let dash = dash.map_or_else(String::new, dashes);
        format!(
            "{} stroke-width=\"{}\"{dash}",
            paint("stroke", colour),
            short(width)
        )
    });
    writeln!(
        text,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{corners}{}{edge}/>",
        short(area.left),
        short(area.top),
        short(area.width().max(0.0)),
        short(area.height().max(0.0)),
        paint("fill", fill)
    )
}

fn words(text: &mut String, words: &Words) -> std::fmt::Result {
    let size = em(words.look.size);
    let base = middle_to_base(words.look.size);
    let At { x, y } = words.start;
    let place = if words.upward {
        format!(
            "transform=\"translate({} {}) rotate(-90)\"",
            short(x + base),
            short(y)
        )
    } else {
        format!("x=\"{}\" y=\"{}\"", short(x), short(y + base))
    };
    let weight = match words.look.weight {
        Weight::Regular => "",
        Weight::Bold => " font-weight=\"bold\"",
    };
    // Multiple blanks would collapse.
    let space = if words.text.contains("  ") || words.text.trim() != words.text {
        " xml:space=\"preserve\""
    } else {
        ""
    };
    writeln!(
        text,
        "<text {place} font-size=\"{}\"{weight} textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"{}{space}>{}</text>",
        short(size),
        short(words.width),
        paint("fill", words.look.colour.into()),
        escaped(&words.text)
    )
}

fn begin(text: &mut String, group: &Group) -> std::fmt::Result {
    write!(text, "<g class=\"{}\"", group.class)?;
    for (name, value) in &group.data {
        write!(text, " data-{name}=\"{}\"", escaped(&printable(value)))?;
    }
    writeln!(text, ">")?;
    if group.title.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = group
        .title
        .lines()
        .map(|line| escaped(&printable(line)))
        .collect();
    writeln!(text, "<title>{}</title>", lines.join("\n"))
}

/// The positions of a line; those of a vertical or horizontal one with an odd width are moved to the middle
/// of units, so that its edges are sharp.
pub(crate) fn sharp(places: &[At], width: f64) -> Vec<At> {
    let shift = if width.round() as i64 % 2 == 1 { 0.5 } else { 0.0 };
    let snapped = |value: f64| (value - shift).round() + shift;
    let along = |of: fn(&At) -> f64| places.windows(2).any(|pair| of(&pair[0]) != of(&pair[1]));
    let straight = places.len() >= 2
        && places
            .windows(2)
            .all(|pair| pair[0].x == pair[1].x || pair[0].y == pair[1].y);
    if !straight {
        return places.to_vec();
    }
    let is_bent = along(|at| at.x) && along(|at| at.y);
    let mut sharp = places.to_vec();
    for place in &mut sharp {
        if is_bent || !along(|at| at.x) {
            place.x = snapped(place.x);
        }
        if is_bent || !along(|at| at.y) {
            place.y = snapped(place.y);
        }
    }
    sharp
}

fn paint(attribute: &str, paint: Paint) -> String {
    let colour = paint.colour;
    let opacity = if paint.opacity < 1.0 {
        format!(" {attribute}-opacity=\"{}\"", short(paint.opacity))
    } else {
        String::new()
    };
    format!(
        " {attribute}=\"#{:02X}{:02X}{:02X}\"{opacity}",
        colour.0, colour.1, colour.2
    )
}

fn dashes(dash: Dash) -> String {
    format!(" stroke-dasharray=\"{} {}\"", short(dash.on), short(dash.off))
}

fn points(places: &[At]) -> String {
    let places: Vec<String> = places
        .iter()
        .map(|place| format!("{},{}", short(place.x), short(place.y)))
        .collect();
    places.join(" ")
}

/// A number with the visible digits only.
fn short(number: f64) -> String {
    let digits = format!("{number:.2}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    if digits == "-0" { "0" } else { digits }.to_owned()
}

/// `text` escaped for the content of an element or the value of an attribute.
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
    fn numbers_are_as_short_as_they_can_be() {
        assert_eq!(
            (short(12.0), short(-0.50), short(-0.000_001)),
            ("12".into(), "-0.5".into(), "0".into())
        );
    }
}
