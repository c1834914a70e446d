//! Files and folders to facts: bounded in number, size and depth.

use std::path::{Path, PathBuf};

use bandgraph_config::{DiskFiles, Files, ReadError};
use bandgraph_diagnostics::{Diagnostic, Sources};

use crate::facts::Facts;
use crate::formats::{READERS, Text, format_names};
use crate::merge::merge;
use crate::resolve::{Machine, resolve};

/// Files that are read at most, folders and archives included.
const MAXIMUM_FILES: usize = 10_000;
/// Folders within folders.
const MAXIMUM_DEPTH: usize = 24;

/// What was read.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The facts of each file, with the place of its reader in the registry.
    pub facts: Vec<(usize, Facts)>,
    /// Each file that a reader took, with the name of its format.
    pub formats: Vec<(String, &'static str)>,
    /// What could not be read, and what no reader knows.
    pub diagnostics: Vec<Diagnostic>,
}

/// The machine that files on a disk describe, with what could not be read. Without any file that a reader knows, the
/// diagnostics hold an error.
pub fn import(paths: &[PathBuf], sources: &mut Sources) -> (Machine, Gathered) {
    let mut gathered = gather(paths, &DiskFiles, sources);
    if gathered.formats.is_empty() && gathered.diagnostics.is_empty() {
        gathered.diagnostics.push(
            Diagnostic::error("import::nothing_found", "none of the files describes a machine").help(
                format!(
                    "formats are recognised by content: {}",
                    format_names().collect::<Vec<_>>().join(", ")
                ),
            ),
        );
    }
    let machine = resolve(merge(std::mem::take(&mut gathered.facts)));
    (machine, gathered)
}

/// Reads all of `paths`. Files in folders that no reader knows are skipped; a file that was named and is not known
/// is an error.
pub fn gather(paths: &[PathBuf], files: &dyn Files, sources: &mut Sources) -> Gathered {
    let mut gathered = Gathered::default();
    let mut open: Vec<(PathBuf, usize)> = paths.iter().rev().map(|path| (path.clone(), 0)).collect();
    let mut count = 0;
    while let Some((path, depth)) = open.pop() {
        count += 1;
        if count > MAXIMUM_FILES {
            gathered.diagnostics.push(Diagnostic::error(
                "import::too_many_files",
                format!("there are more than {MAXIMUM_FILES} files and folders"),
            ));
            break;
        }
        match files.read(&path) {
            Ok(bytes) => read(&path, bytes, depth > 0, sources, &mut gathered),
            Err(ReadError::Folder) if depth < MAXIMUM_DEPTH => {
                let names = files.names(&path);
                open.extend(names.iter().rev().map(|name| (path.join(name), depth + 1)));
            }
            Err(_) if depth > 0 => {}
            Err(error) => gathered.diagnostics.push(unreadable(&path, &error)),
        }
    }
    gathered
}

fn unreadable(path: &Path, error: &ReadError) -> Diagnostic {
    let why = match error {
        ReadError::Missing => "there is no such file".to_owned(),
        ReadError::Folder => "its folders are nested too deeply".to_owned(),
        ReadError::TooLarge => format!("it is larger than {} bytes", bandgraph_config::MAXIMUM_FILE_SIZE),
        ReadError::Unreadable(reason) => reason.clone(),
    };
    Diagnostic::error(
        "import::unreadable",
        format!("failed to read `{}`: {why}", path.display()),
    )
}

/// Recognises a file and reads it.
fn read(path: &Path, bytes: Vec<u8>, in_folder: bool, sources: &mut Sources, gathered: &mut Gathered) {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    let found = READERS
        .iter()
        .enumerate()
        .find(|(_, reader)| (reader.recognises)(&text));
    let Some((rank, reader)) = found else {
        if !in_folder {
            let names: Vec<&str> = format_names().collect();
            gathered.diagnostics.push(
                Diagnostic::error(
                    "import::unknown_format",
                    format!("`{}` is of no format that can be imported", path.display()),
                )
                .help(format!("formats are recognised by content: {}", names.join(", "))),
            );
        }
        return;
    };
    let name = path.display().to_string();
    let source = sources.add(&name, text);
    let mut facts = Facts::default();
    (reader.read)(
        &Text {
            source,
            text: sources.text(source),
        },
        &mut facts,
    );
    gathered.facts.push((rank, facts));
    gathered.formats.push((name, reader.name));
}
