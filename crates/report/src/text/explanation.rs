//! Explanations of errors, for people.

use super::columns::{Columns, Side};
use super::options::{TextOptions, Tone};
use super::page::Page;

/// The paragraphs of one error.
pub fn explanation_text(id: &str, explanation: &str, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.toned(Tone::Heading, id);
    for paragraph in explanation.split("\n\n") {
        page.blank();
        page.paragraph(paragraph);
    }
    page.finish()
}

/// The ids of all errors, one a line.
pub fn explanations_text(explanations: &[(&str, &str)], options: &TextOptions) -> String {
    let mut page = Page::new(options);
    let mut table = Columns::default().column("", Side::Left);
    for (id, _) in explanations {
        table.row(Tone::Plain, [(*id).to_owned()]);
    }
    page.table(&table);
    page.finish()
}
