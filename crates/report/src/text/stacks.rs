//! Stacks, for people.

use bandgraph_model::Stack;

use super::parts::figures;
use crate::view::{Table, View};

/// Several stacks, a line each: their names, and what they fit.
pub fn stacks_view(stacks: &[&Stack]) -> View {
    let mut page = View::new();
    let mut table = Table::of("profile | years | software");
    for stack in stacks {
        table.plain([stack.name.clone(), years(stack), stack.fits.clone()]);
    }
    page.table(table);
    page
}

/// One stack with all of its figures: what they mean, how each was found, and the full references of the
/// sources.
pub fn stack_view(stack: &Stack) -> View {
    let mut page = View::new();
    page.title(&stack.name);
    page.paragraph(&format!("{}, {}", stack.fits, years(stack)));
    if !stack.protocols.is_empty() {
        let protocols: Vec<&str> = stack.protocols.iter().map(|protocol| protocol.name()).collect();
        page.paragraph(&format!("Protocols: {}", protocols.join(", ")));
    }
    page.blank();
    figures(&mut page, stack.figures());
    page
}

/// The years of software that a stack fits: `2008 to 2010`.
fn years(stack: &Stack) -> String {
    stack
        .years
        .map_or_else(String::new, |[first, last]| format!("{first} to {last}"))
}
