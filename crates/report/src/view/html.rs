//! A report as one HTML file: no network, no other file, light and dark, for screens, printers and screen
//! readers. It can be read without scripts; with them, tables sort and resources can be selected.
//!
//! The document itself is in the link that downloads it, once: scripts read it from there.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use bandgraph_plot::Picture;

use super::dark::dark_rules;
use super::options::Tone;
use super::table::{Cell, Column, Side, Table};
use super::{Block, View};
use crate::picture::{PictureWish, drawings, picture};
use crate::{Document, RunDocument};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Colours by name, in light and in dark.
const PALETTE: [(&str, &str, &str); 9] = [
    ("background", "#ffffff", "#14171a"),
    ("surface", "#f1f4f7", "#20262c"),
    ("text", "#1a1d21", "#e8eaed"),
    ("faint", "#525b65", "#aab3bc"),
    ("line", "#c5ccd3", "#434c56"),
    ("link", "#0b4f96", "#8ab8f0"),
    ("alarm", "#a8131d", "#ff9a94"),
    ("good", "#14693a", "#7fd3a0"),
    ("fill", "#2f6fb0", "#5b9bd8"),
];

/// What an HTML page shows beside the report.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The document that the report is a view of, as JSON on one line; empty if there is none.
    json: String,
    /// Drawings with their names, of which parts can be selected; one is shown at a time.
    drawings: Vec<(String, Picture)>,
    /// A chart.
    chart: Option<Picture>,
}

impl Page {
    /// What a page has for a document: the document itself, and the picture that suits it, if there is one.
    pub fn of(document: &Document) -> Self {
        let wish = PictureWish {
            name: "",
            kind: None,
            metric: None,
            before: None,
            operation: None,
        };
        let json = document.compact();
        let run: Option<RunDocument> = serde_json::from_value(document.value()).ok();
        let chart = picture(json.as_bytes(), &wish).ok();
        Self {
            json,
            drawings: run.as_ref().map_or_else(Vec::new, drawings),
            chart,
        }
    }
}

impl View {
    /// The report as one HTML file.
    pub fn html(&self, page: &Page) -> String {
        let mut body = Body::default();
        let mut figures = String::new();
        let of_view = self
            .drawing
            .iter()
            .map(|picture| ("Load".to_owned(), picture.clone()));
        let all: Vec<(String, Picture)> = page.drawings.iter().cloned().chain(of_view).collect();
        for (index, (name, picture)) in (0..).zip(&all) {
            let Some(figure) = drawing(picture) else { continue };
            // One at a time, without a script too.
            let _ = match (all.len(), index) {
                (1, _) => write!(figures, "{figure}"),
                (_, 0) => write!(figures, "{}", folded(name, " name=\"drawing\" open", &figure)),
                _ => write!(figures, "{}", folded(name, " name=\"drawing\"", &figure)),
            };
        }
        if let Some(svg) = page.chart.as_ref().and_then(|picture| picture.svg().ok()) {
            // A part of the page, so that its text can be searched and selected.
            let _ = writeln!(figures, "<figure>\n{svg}</figure>");
        }
        for block in &self.blocks {
            body.block(block);
        }
        body.end_section();
        let title = text(body.title.as_deref().unwrap_or("Bandgraph"));
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>\n{}{STYLE}</style>\n</head>\n\
             <body>\n<a class=\"skip\" href=\"#report\">Skip to the report</a>\n<header>\n<h1>{title}</h1>\n{}</header>\n",
            colours() + &dark_rules(&[&figures, &body.html]),
            body.introduction
        );
        if body.sections.len() > 2 {
            html.push_str("<nav aria-label=\"Sections\">\n<ul>\n");
            for (id, heading) in &body.sections {
                let _ = writeln!(html, "<li><a href=\"#{id}\">{}</a></li>", text(heading));
            }
            html.push_str("</ul>\n</nav>\n");
        }
        html.push_str("<main id=\"report\">\n");
        html.push_str(&figures);
        html.push_str(&body.html);
        html.push_str(
            "</main>\n<aside id=\"selected\" aria-label=\"Selected\" aria-live=\"polite\" hidden></aside>\n",
        );
        let mut footer = body.ending;
        if !page.json.is_empty() {
            let _ = writeln!(
                footer,
                "<p><a id=\"result\" download=\"result.json\" \
                 href='data:application/json;charset=utf-8,{}'>Download the \
                 result as JSON</a></p>",
                in_data_address(&page.json)
            );
        }
        if !footer.is_empty() {
            let _ = writeln!(html, "<footer>\n{footer}</footer>");
        }
        let _ = writeln!(html, "<script>\n{SCRIPT}</script>\n</body>\n</html>");
        html
    }
}

/// The palette as custom properties.
fn colours() -> String {
    let of = |colour: fn(&(&'static str, &'static str, &'static str)) -> &'static str| -> String {
        let properties = PALETTE
            .iter()
            .map(|entry| ["--", entry.0, ":", colour(entry), ";"].concat());
        properties.collect::<Vec<_>>().concat()
    };
    format!(
        ":root{{{}}}\n@media (prefers-color-scheme:dark){{:root{{{}}}}}\n@media print{{:root{{{}}}}}\n",
        of(|entry| entry.1),
        of(|entry| entry.2),
        of(|entry| entry.1)
    )
}

/// The parts of a page under construction.
#[derive(Default)]
struct Body {
    title: Option<String>,
    /// What comes before the first section.
    introduction: String,
    /// All sections.
    html: String,
    /// What is said of the report itself, faintly.
    ending: String,
    /// Ids and headings of sections.
    sections: Vec<(String, String)>,
    ids: BTreeSet<String>,
    in_section: bool,
    in_list: bool,
}

impl Body {
    fn block(&mut self, block: &Block) {
        if self.in_list && !matches!(block, Block::Item(_)) {
            self.put("</ul>\n");
            self.in_list = false;
        }
        match block {
            Block::Blank => {}
            Block::Title(words) => self.title = Some(words.clone()),
            Block::Heading(words) => self.section(words, ""),
            Block::Choice(words) => self.section(words, " class=\"choice\""),
            Block::Line(Tone::Faint, words) => {
                let _ = writeln!(self.ending, "<p>{}</p>", prose(words));
            }
            Block::Line(tone, words) => {
                self.put(&format!("<p{}>{}</p>\n", class(*tone, "lead"), prose(words)));
            }
            Block::Paragraph(words) => self.put(&format!("<p>{}</p>\n", prose(words))),
            Block::Item(words) => {
                let start = if self.in_list { "" } else { "<ul>\n" };
                self.in_list = true;
                self.put(&format!("{start}<li>{}</li>\n", prose(words)));
            }
            Block::Table(table) => {
                let rows = rows(table);
                self.put(&rows);
            }
            Block::Folded(summary, table) => {
                let rows = rows(table);
                self.put(&folded(summary, "", &rows));
            }
            Block::Drawing(picture) => {
                if let Some(figure) = drawing(picture) {
                    self.put(&figure);
                }
            }
            Block::Files(files) => {
                self.section("Files", "");
                for (name, contents) in files {
                    let lines: Vec<String> = contents.lines().map(text).collect();
                    self.put(&format!(
                        "<details>\n<summary>{}</summary>\n<pre tabindex=\"0\">{}</pre>\n</details>\n",
                        text(name),
                        lines.join("\n")
                    ));
                }
            }
        }
    }

    fn put(&mut self, html: &str) {
        if self.in_section {
            self.html.push_str(html);
        } else {
            self.introduction.push_str(html);
        }
    }

    fn section(&mut self, heading: &str, class: &str) {
        self.end_section();
        self.in_section = true;
        let id = self.unique(heading);
        let words = text(heading);
        let _ = write!(
            self.html,
            "<section{class} id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{words}</h2>\n"
        );
        self.sections.push((id, heading.to_owned()));
    }

    fn end_section(&mut self) {
        if self.in_list {
            self.put("</ul>\n");
            self.in_list = false;
        }
        if self.in_section {
            self.html.push_str("</section>\n");
        }
    }

    /// An id that no other section has, of the letters of a heading.
    fn unique(&mut self, heading: &str) -> String {
        let words = heading.to_ascii_lowercase();
        let words = words.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(6).collect();
        let stem = format!("s-{}", words.join("-"));
        let mut id = stem.clone();
        let mut number = 2;
        while !self.ids.insert(id.clone()) {
            id = format!("{stem}-{number}");
            number += 1;
        }
        id
    }
}

/// What is shown when its name is selected.
fn folded(name: &str, attributes: &str, html: &str) -> String {
    format!(
        "<details{attributes}>\n<summary>{}</summary>\n{html}</details>\n",
        text(name)
    )
}

/// A picture that is wider than pages; none if its numbers cannot be drawn.
fn drawing(picture: &Picture) -> Option<String> {
    let svg = picture.svg().ok()?;
    Some(format!(
        "<label class=\"size\"><input type=\"checkbox\"> Drawing at its natural size</label>\n<figure \
         class=\"scroll\" tabindex=\"0\">\n{svg}</figure>\n"
    ))
}

/// The attribute for a tone, with a name for that of headings.
fn class(tone: Tone, heading: &str) -> String {
    let name = match tone {
        Tone::Plain => "",
        Tone::Heading => heading,
        Tone::Faint => "faint",
        Tone::Alarm => "alarm",
        Tone::Good => "good",
    };
    if name.is_empty() {
        String::new()
    } else {
        format!(" class=\"{name}\"")
    }
}

fn rows(table: &Table) -> String {
    let columns: Vec<(usize, &Column)> = table.worthwhile().collect();
    let mut html = "<div class=\"scroll\" tabindex=\"0\"><table>\n".to_owned();
    if table.has_headings() {
        html.push_str("<thead><tr>");
        for (_, column) in &columns {
            let side = side(column.side());
            // A heading without words names nothing.
            let _ = match column.heading() {
                "" => write!(html, "<td{side}></td>"),
                words => write!(html, "<th scope=\"col\"{side}>{}</th>", text(words)),
            };
        }
        html.push_str("</tr></thead>\n");
    }
    html.push_str("<tbody>\n");
    for (cells, tone) in table.rows() {
        let _ = write!(html, "<tr{}>", class(*tone, ""));
        for (position, (index, column)) in columns.iter().enumerate() {
            let side = side(column.side());
            let _ = match &cells[*index] {
                Cell::Text(words) if position == 0 && !words.is_empty() => {
                    write!(html, "<th scope=\"row\"{side}>{}</th>", text(words))
                }
                Cell::Text(words) => write!(html, "<td{side}>{}</td>", text(words)),
                Cell::Bar(share) => write!(html, "<td>{}</td>", bar(*share)),
            };
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>\n</table></div>\n");
    html
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Left => "",
        Side::Right => " class=\"number\"",
    }
}

fn bar(share: f64) -> String {
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0) * 100.0
    } else {
        0.0
    };
    format!(
        "<span class=\"bar\" role=\"img\" aria-label=\"{share:.1} %\"><span class=\"fill\" \
         style=\"width:{share:.2}%\"></span></span>"
    )
}

/// A text in which what is between backticks is code.
fn prose(words: &str) -> String {
    let pieces: Vec<&str> = words.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return text(words);
    }
    let piece = |(index, piece): (usize, &&str)| match index % 2 {
        0 => text(piece),
        _ => format!("<code>{}</code>", text(piece)),
    };
    pieces.iter().enumerate().map(piece).collect()
}

/// A text that is nothing but text, in elements and in attributes.
fn text(words: &str) -> String {
    let mut html = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            letter if letter.is_control() => html.push(' '),
            letter => html.push(letter),
        }
    }
    html
}

/// A text inside of a `data:` address inside of an attribute: only characters that addresses may contain, and
/// that mean nothing in HTML.
fn in_data_address(words: &str) -> String {
    let mut address = String::with_capacity(words.len() + words.len() / 2);
    for letter in words.chars() {
        if letter.is_ascii() && !letter.is_ascii_alphanumeric() && !"-._~!$()*+,;:@/?=".contains(letter) {
            let _ = write!(address, "%{:02X}", u32::from(letter));
        } else {
            address.push(letter);
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of a colour, by WCAG 2.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let byte = u8::from_str_radix(&colour[at..at + 2], 16).expect("two hexadecimal digits");
            let share = f64::from(byte) / 255.0;
            if share <= 0.040_45 {
                share / 12.92
            } else {
                libm::pow((share + 0.055) / 1.055, 2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn black_on_white_has_the_contrast_that_the_standard_says() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    }

    #[test]
    fn everyone_can_read_every_colour() {
        let find = |name: &str| {
            let entry = PALETTE.iter().find(|entry| entry.0 == name).expect("a colour");
            [entry.1, entry.2]
        };
        for (name, least) in [
            ("text", 7.0),
            ("faint", 4.5),
            ("link", 4.5),
            ("alarm", 4.5),
            ("good", 4.5),
            ("fill", 3.0),
        ] {
            for ground in ["background", "surface"] {
                for (colour, behind) in find(name).into_iter().zip(find(ground)) {
                    let found = contrast(colour, behind);
                    assert!(
                        found >= least,
                        "{name} on {ground}: {colour} on {behind} is {found:.2}"
                    );
                }
            }
        }
    }

    #[test]
    fn json_comes_out_of_an_address_as_it_went_in() {
        let json = r#"{"a b":["100 % of <x> & 'y' # \n ü`|^"]}"#;
        let address = in_data_address(json);
        let forbidden = [
            '\'', '"', '<', '>', '#', '&', ' ', '{', '}', '[', ']', '|', '^', '`', '\\',
        ];
        assert!(!address.contains(forbidden), "{address}");
        assert_eq!(bandgraph_testkit::percent_decoded(&address), json.as_bytes());
    }
}
