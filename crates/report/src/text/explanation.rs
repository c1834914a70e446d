//! Explanations of errors, for people.

use bandgraph_diagnostics::Explanation;

use crate::view::{Side, Table, Tone, View};

/// What one error means.
pub fn explanation_view(explanation: &Explanation) -> View {
    let mut page = View::new();
    page.title(format!("{}: {}", explanation.id, explanation.title));
    for paragraph in explanation.text.split("\n\n") {
        page.blank();
        page.paragraph(paragraph);
    }
    page
}

/// The ids of all errors, one a line.
pub fn explanations_view(explanations: &[Explanation]) -> View {
    let mut page = View::new();
    let mut table = Table::default().column("", Side::Left).optional("", Side::Left);
    for explanation in explanations {
        table.row(
            Tone::Plain,
            [explanation.id.to_owned(), explanation.title.to_owned()],
        );
    }
    page.table(table);
    page
}
