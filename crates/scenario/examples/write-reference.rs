//! Writes the reference pages of the file formats into a folder: `docs` of the project if none is given.
//!
//! A test of this crate holds the pages in the project to what this would write.

#![expect(
    clippy::disallowed_methods,
    reason = "a tool of the project that writes its pages"
)]

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from(docs), PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("files.md"), bandgraph_scenario::reference_page())?;
    std::fs::write(folder.join("errors.md"), bandgraph_scenario::errors_page())
}
