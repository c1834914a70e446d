//! Files and folders to facts: bounded in number, size and depth.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bandgraph_config::{DiskFiles, Files, ReadError};
use bandgraph_diagnostics::{Diagnostic, Place, Sources};
use roxmltree::{Document, Error as XmlError, ParsingOptions};
use serde::de::IgnoredAny;

use crate::archive::{self, Unpacked};
use crate::facts::Facts;
use crate::formats::{READERS, Text, format_names, sysfs};
use crate::merge::merge;
use crate::origin::Said;
use crate::ranges;
use crate::resolve::{Machine, resolve};

/// Files that are read at most, folders included. A `sosreport` that is unpacked has 20,000.
const MAXIMUM_FILES: usize = 50_000;
/// Folders within folders.
const MAXIMUM_DEPTH: usize = 24;
/// Letters from the beginning of a file that tell whether it has two bytes for each.
const UTF16_LETTERS: usize = 64;

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

/// The machine that files on a disk describe, with what could not be read. Without any file that a reader
/// knows, the diagnostics hold an error.
pub fn import(paths: &[PathBuf], sources: &mut Sources) -> (Machine, Gathered) {
    let mut gathered = gather(paths, &DiskFiles, sources);
    if gathered.formats.is_empty() && !gathered.diagnostics.iter().any(Diagnostic::is_error) {
        gathered.diagnostics.push(
            Diagnostic::error("import::nothing_found", "none of the files describes a machine").help(
                format!(
                    "formats are recognised by content: {}",
                    format_names().collect::<Vec<_>>().join(", ")
                ),
            ),
        );
    }
    gathered
        .diagnostics
        .extend(several_machines(&gathered.facts, sources));
    let machine = resolve(merge(std::mem::take(&mut gathered.facts)));
    let out_of_range = machine.facts.out_of_range_in_words();
    gathered.diagnostics.extend(
        out_of_range.map(|(words, at)| Diagnostic::warning("import::out_of_range", words).at(at.place())),
    );
    (machine, gathered)
}

/// An error if files of one format name different products: they are of several machines.
fn several_machines(facts: &[(usize, Facts)], sources: &Sources) -> Option<Diagnostic> {
    let mut products: BTreeMap<usize, &Said<String>> = BTreeMap::new();
    for (rank, facts) in facts {
        let Some(product) = &facts.system.product else {
            continue;
        };
        let first = products.entry(*rank).or_insert(product);
        if first.value != product.value {
            let name = |said: &Said<String>| format!("`{}` of {}", sources.name(said.at.source), said.value);
            return Some(
                Diagnostic::error(
                    "import::several_machines",
                    format!(
                        "the files are of several machines: {} and {}",
                        name(first),
                        name(product)
                    ),
                )
                .at(product.at.place())
                .also(first.at.place())
                .help("give the files of one machine; `inspect --each FOLDER/*` takes each folder and file there as one"),
            );
        }
    }
    None
}

/// Reads all of `paths`. Files in folders and archives that no reader knows are skipped; a file that was
/// named and is not known is an error.
pub fn gather(paths: &[PathBuf], files: &dyn Files, sources: &mut Sources) -> Gathered {
    let mut gathering = Gathering {
        gathered: Gathered::default(),
        trees: BTreeMap::new(),
        sources,
    };
    let mut open: Vec<(PathBuf, usize)> = paths.iter().rev().map(|path| (path.clone(), 0)).collect();
    let (mut count, mut unread) = (0, Vec::new());
    while let Some((path, depth)) = open.pop() {
        count += 1;
        if count > MAXIMUM_FILES {
            gathering.gathered.diagnostics.push(Diagnostic::error(
                "import::too_many_files",
                format!("there are more than {MAXIMUM_FILES} files and folders"),
            ));
            break;
        }
        let name = path.display().to_string();
        match files.read(&path) {
            Ok(bytes) if archive::is_packed(&bytes) => gathering.unpack(&name, &bytes),
            Ok(bytes) => gathering.file(&name, bytes, depth > 0),
            Err(ReadError::Folder) if depth < MAXIMUM_DEPTH => {
                let names = files.names(&path);
                open.extend(names.iter().rev().map(|name| (path.join(name), depth + 1)));
            }
            // Device files of the kernel are often closed to users; the collected ones are enough.
            Err(ReadError::Unreadable(why)) if depth > 0 && sysfs::split(&name).is_none() => {
                unread.push(format!("`{name}`: {why}"));
            }
            Err(_) if depth > 0 => {}
            Err(error) => gathering.gathered.diagnostics.push(unreadable(&path, &error)),
        }
    }
    if let Some(first) = unread.first() {
        let more = match unread.len() - 1 {
            0 => String::new(),
            more => format!("; {more} more cannot be read either"),
        };
        gathering.gathered.diagnostics.push(
            Diagnostic::warning("import::unread", format!("failed to read {first}{more}"))
                .help("what these files say of the machine is missing"),
        );
    }
    gathering.finish()
}

fn unreadable(path: &Path, error: &ReadError) -> Diagnostic {
    let why = match error {
        ReadError::Folder => "its folders are nested too deeply".to_owned(),
        other => other.to_string(),
    };
    Diagnostic::error(
        "import::unreadable",
        format!("failed to read `{}`: {why}", path.display()),
    )
}

/// The text of a file: UTF-8, or UTF-16 as shells of Windows write it, with or without a mark of the byte
/// order.
fn text_of(bytes: Vec<u8>) -> String {
    let pairs = bytes.chunks_exact(2).take(UTF16_LETTERS);
    let (count, zeros) = (pairs.len(), |at: usize| {
        pairs.clone().filter(|pair| pair[at] == 0).count()
    });
    let is_wide = |at| count > 0 && 2 * zeros(at) > count && zeros(1 - at) == 0;
    let unit: fn([u8; 2]) -> u16 = match bytes[..] {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ if is_wide(1) => u16::from_le_bytes,
        _ if is_wide(0) => u16::from_be_bytes,
        _ => {
            let mut text = String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
            if text.starts_with('\u{feff}') {
                text.remove(0);
            }
            return text;
        }
    };
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let letters = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    letters.skip_while(|&letter| letter == '\u{feff}').collect()
}

/// Where a text that begins as XML or JSON is neither, and why.
fn damage(text: &str) -> Option<(usize, String)> {
    let line_start = |line: usize| -> usize {
        let lines = text.split_inclusive('\n').take(line.saturating_sub(1));
        lines.map(str::len).sum()
    };
    let (line, column, why) = match text.trim_start().as_bytes().first()? {
        b'<' => {
            let options = ParsingOptions {
                allow_dtd: true,
                ..ParsingOptions::default()
            };
            let error = Document::parse_with_options(text, options).err()?;
            // What ends too soon has no place.
            if matches!(
                error,
                XmlError::UnexpectedEndOfStream | XmlError::UnclosedRootNode
            ) {
                return Some((text.len(), error.to_string()));
            }
            (
                error.pos().row as usize,
                error.pos().col as usize,
                error.to_string(),
            )
        }
        b'{' | b'[' => {
            let mut documents = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
            let error = documents.find_map(Result::err)?;
            if error.is_eof() {
                return Some((text.len(), error.to_string()));
            }
            (error.line(), error.column(), error.to_string())
        }
        _ => return None,
    };
    let at = (line_start(line) + column.saturating_sub(1)).min(text.len());
    Some((text.floor_char_boundary(at), why))
}

/// Programs whose archives are not read here, and how these begin.
const PACKERS: [(&str, &[u8]); 2] = [("zip", b"PK\x03\x04"), ("7z", b"7z\xbc\xaf")];

struct Gathering<'a> {
    gathered: Gathered,
    /// Files of `/sys` and `/proc` by the folder or archive that they are in.
    trees: BTreeMap<String, sysfs::Tree>,
    sources: &'a mut Sources,
}

impl Gathering<'_> {
    /// Reads the files of an archive, or the one file that is compressed.
    fn unpack(&mut self, name: &str, bytes: &[u8]) {
        let wants = |path: &str| sysfs::split(path).is_none_or(|(_, rest)| sysfs::wants(rest));
        let unpacked = archive::unpack(bytes, &wants, &mut |path, bytes| {
            self.file(&format!("{name}/{path}"), bytes, true);
        });
        match unpacked {
            Ok(Unpacked::Archive) => {}
            Ok(Unpacked::File(bytes)) => self.file(name, bytes, false),
            Err(error) => self.gathered.diagnostics.push(Diagnostic::error(
                "import::unreadable",
                format!("failed to unpack `{name}`: {error}"),
            )),
        }
    }

    /// Recognises a file and reads it.
    fn file(&mut self, name: &str, bytes: Vec<u8>, in_folder: bool) {
        if in_folder && let Some((root, path)) = sysfs::split(name) {
            if sysfs::wants(path) {
                let source = self.sources.add(name, sysfs::text_of(path, &bytes));
                self.trees
                    .entry(root.to_owned())
                    .or_default()
                    .insert(path.to_owned(), source);
            }
            return;
        }
        let packer = PACKERS.iter().find(|(_, start)| bytes.starts_with(start));
        let packer = packer.map(|&(packer, _)| packer);
        let text = text_of(bytes);
        let found = READERS
            .iter()
            .enumerate()
            .find(|(_, reader)| (reader.recognises)(&text));
        let Some((rank, reader)) = found else {
            if !in_folder {
                let names: Vec<&str> = format_names().collect();
                let message = format!("`{name}` is of no format that can be imported");
                let help = match packer {
                    Some(packer) => format!("it is packed by {packer}: unpack it and give the folder"),
                    None => format!("formats are recognised by content: {}", names.join(", ")),
                };
                let diagnostics = &mut self.gathered.diagnostics;
                diagnostics.push(Diagnostic::error("import::unknown_format", message).help(help));
            }
            return;
        };
        let source = self.sources.add(name, text);
        let mut facts = Facts::default();
        (reader.read)(
            &Text {
                source,
                text: self.sources.text(source),
            },
            &mut facts,
        );
        ranges::hold(&mut facts);
        if facts == Facts::default()
            && let Some((at, why)) = damage(self.sources.text(source))
        {
            let message = format!("`{name}` is cut off or damaged, so that nothing of it is read: {why}");
            let diagnostics = &mut self.gathered.diagnostics;
            diagnostics.push(Diagnostic::error("import::damaged", message).at(Place::new(source, at..at)));
        }
        self.gathered.facts.push((rank, facts));
        self.gathered.formats.push((name.to_owned(), reader.name));
    }

    /// Reads the trees, of which all files are known now.
    fn finish(mut self) -> Gathered {
        for (root, tree) in self.trees {
            let mut facts = Facts::default();
            sysfs::read(&tree, self.sources, &mut facts);
            ranges::hold(&mut facts);
            // Among equals the first takes precedence.
            self.gathered.facts.insert(0, (sysfs::PRECEDENCE, facts));
            self.gathered.formats.push((root, sysfs::NAME));
        }
        self.gathered
    }
}
