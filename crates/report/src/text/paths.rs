//! The ways of operations, step by step.

use super::amount_in_words;
use crate::RunDocument;
use crate::view::{Table, View};

/// A table for each kind of operation, which HTML shows.
pub(super) fn paths(page: &mut View, run: &RunDocument) {
    for path in &run.paths {
        let mut table = Table::of(">step | from | to | >amount | stage");
        for step in &path.steps {
            table.plain([
                step.number.to_string(),
                step.from.clone(),
                step.to.clone(),
                amount_in_words(step.amount, &step.unit),
                step.stage.clone(),
            ]);
        }
        page.folded(format!("Steps of one {}", path.operation), table);
    }
}
