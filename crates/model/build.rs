//! Lists the stacks of `stacks/`, so that a new stack only needs a new file.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads the files that it embeds"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("stacks");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        files.push(entry?.path());
    }
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str());
        let name = name.ok_or("the name of a stack is UTF-8")?;
        let path = file.display().to_string();
        writeln!(list, "    ({name:?}, include_str!({path:?})),")?;
    }
    list.push(']');
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("stacks.rs"), list)?;
    Ok(())
}
