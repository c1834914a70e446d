//! The reference pages and the schemas.

use crate::program::{Scratch, bandgraph};
use crate::{Made, Outcome};

/// The reference pages.
pub(crate) fn pages() -> Vec<Made> {
    let pages = [
        ("files", bandgraph_scenario::reference_page()),
        ("errors", bandgraph_scenario::errors_page()),
        ("parts", bandgraph_report::parts_page()),
        ("glossary", bandgraph_report::glossary_page()),
    ];
    let made = |(name, page): (&str, String)| Made {
        path: format!("docs/{name}.md"),
        content: page.into_bytes(),
    };
    pages.map(made).into()
}

/// Everything that `bandgraph schema` can print.
pub(crate) fn schemas() -> Outcome<Vec<Made>> {
    let scratch = Scratch::new()?;
    let made = |&(_, name, _): &(_, &str, _)| {
        bandgraph(&["schema", name, "--output", &scratch.path("schema.json")])?;
        Ok(Made {
            content: scratch.read("schema.json")?,
            path: format!("docs/schema/{name}.json"),
        })
    };
    bandgraph_report::SCHEMAS.iter().map(made).collect()
}
