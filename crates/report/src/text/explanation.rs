//! Explanations of errors, for people.

use bandgraph_diagnostics::Explanation;

use super::columns::{Columns, Side};
use super::options::{TextOptions, Tone};
use super::page::Page;

/// What one error means.
pub fn explanation_text(explanation: &Explanation, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.toned(
        Tone::Heading,
        &format!("{}: {}", explanation.id, explanation.title),
    );
    for paragraph in explanation.text.split("\n\n") {
        page.blank();
        page.paragraph(paragraph);
    }
    page.finish()
}

/// The ids of all errors, one a line.
pub fn explanations_text(explanations: &[Explanation], options: &TextOptions) -> String {
    let mut page = Page::new(options);
    let mut table = Columns::default().column("", Side::Left).optional("", Side::Left);
    for explanation in explanations {
        table.row(
            Tone::Plain,
            [explanation.id.to_owned(), explanation.title.to_owned()],
        );
    }
    page.table(&table);
    page.finish()
}
