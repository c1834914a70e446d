//! Stacks, for people.

use bandgraph_model::Stack;

use super::columns::{Columns, Side};
use super::options::{TextOptions, Tone};
use super::page::Page;
use super::parts::figures;

/// Several stacks, a line each: their names, and what they fit.
pub fn stacks_text(stacks: &[&Stack], options: &TextOptions) -> String {
    let mut page = Page::new(options);
    let mut table = Columns::default()
        .column("", Side::Left)
        .column("", Side::Left)
        .column("", Side::Left);
    for stack in stacks {
        table.row(
            Tone::Plain,
            [stack.name.clone(), years(stack), stack.fits.clone()],
        );
    }
    page.table(&table);
    page.finish()
}

/// One stack with all of its figures: what they mean, how each was found, and the full references of the
/// sources.
pub fn stack_text(stack: &Stack, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.toned(Tone::Heading, &stack.name);
    page.paragraph(&format!("{}, {}", stack.fits, years(stack)));
    page.blank();
    figures(&mut page, stack.figures());
    page.finish()
}

/// The years of software that a stack fits: `2008 to 2010`.
fn years(stack: &Stack) -> String {
    stack
        .years
        .map_or_else(String::new, |[first, last]| format!("{first} to {last}"))
}
