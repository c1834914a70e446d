//! The reference pages in `docs/` are up to date with the tables of fields.

#![expect(clippy::disallowed_methods, reason = "tests read the files of the project")]

use std::path::Path;

use bandgraph_scenario::{errors_page, reference_page};

#[test]
fn the_pages_are_current() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (name, made) in [("files.md", reference_page()), ("errors.md", errors_page())] {
        let page = std::fs::read_to_string(docs.join(name)).unwrap_or_default();
        let difference = page.lines().zip(made.lines()).find(|(old, new)| old != new);
        assert!(
            page == made,
            "docs/{name} is not current: run `cargo xtask pages`\n\
             first difference: {difference:?}"
        );
    }
}

/// Every override on the page works on the scenario for which it is shown.
#[test]
fn the_overrides_on_the_page_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = reference_page();
    let shown: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `--set ")?.split('`').next())
        .map(|set| set.trim_matches('\''))
        .filter(|set| !set.starts_with("topology="))
        .collect();
    assert!(shown.len() > 8, "{shown:?}");
    for set in shown {
        let mut sources = bandgraph_diagnostics::Sources::new();
        // Frees the slot for the card that one of them moves.
        let sets = ["card.hba1.slot=s3".to_owned(), set.to_owned()];
        let path = root.join("scenarios/7410-istanbul/cached-read.toml");
        let result = bandgraph_scenario::load(&path, &sets, &mut sources);
        assert!(result.is_ok(), "{set}: {:?}", result.err());
    }
}
