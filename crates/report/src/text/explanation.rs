//! Explanations of errors, for people.

use bandgraph_diagnostics::Explanation;

use crate::view::{Side, Table, Tone, View};

/// What one error means.
pub fn explanation_view(explanation: &Explanation) -> View {
    let mut page = View::new();
    page.title(if explanation.title.is_empty() {
        explanation.id.to_owned()
    } else {
        format!("{}: {}", explanation.id, explanation.title)
    });
    for paragraph in explanation.text.split("\n\n") {
        page.blank();
        page.paragraph(paragraph);
    }
    page
}

/// All that is explained, in groups, each with its heading: one a line.
pub fn explanations_view(groups: &[(&str, Vec<Explanation>)]) -> View {
    let mut page = View::new();
    for (heading, explanations) in groups {
        page.heading(*heading);
        page.table(listed(explanations));
    }
    page
}

fn listed(explanations: &[Explanation]) -> Table {
    let mut table = Table::default().column("", Side::Left).optional("", Side::Left);
    for explanation in explanations {
        table.row(
            Tone::Plain,
            [explanation.id.to_owned(), explanation.title.to_owned()],
        );
    }
    table
}
