//! Reading of a file with all its includes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{
    Diagnostic, Place, SourceId, Sources, did_you_mean, did_you_mean_one_of, suggest,
};

use crate::document::{Table, Value, parse_document, shortened};
use crate::files::{Files, MAXIMUM_FILE_SIZE, ReadError, normal};
use crate::problems::Problems;

/// The maximum depth of includes.
const MAXIMUM_DEPTH: usize = 16;

/// The maximum number of files of one input, and the maximum total of their bytes.
const MAXIMUM_FILES: usize = 100;
const MAXIMUM_TOTAL_SIZE: usize = 2 * MAXIMUM_FILE_SIZE;

/// Reads files.
#[expect(missing_debug_implementations, reason = "holds a trait object")]
pub struct Reader<'l> {
    files: &'l dyn Files,
    /// The texts of the files.
    pub sources: &'l mut Sources,
    /// The problems so far.
    pub problems: Problems,
    /// The path of each file, for paths relative to it.
    paths: BTreeMap<SourceId, PathBuf>,
    /// The folder of the first file that the user named: its references must be there or in the current
    /// folder.
    home: Option<PathBuf>,
    total_size: usize,
}

/// A file with all its includes, before merging.
#[derive(Debug)]
pub struct Gathered {
    /// The tables of all files, from the lowest to the uppermost.
    pub documents: Vec<Table>,
    /// The first line of the file, for problems about missing fields.
    pub place: Place,
}

/// The state of [`Reader::gather`] while it descends.
#[derive(Default)]
struct Descent {
    /// Tables, from the lowest to the uppermost.
    documents: Vec<Table>,
    /// The files above the present one, from the first.
    chain: Vec<(PathBuf, String)>,
    /// Files that were read or are being read. A file counts once, at its first inclusion.
    seen: BTreeSet<PathBuf>,
}

impl<'l> Reader<'l> {
    /// A reader of files from a source, which adds their texts to `sources`.
    pub fn new(files: &'l dyn Files, sources: &'l mut Sources) -> Self {
        Self {
            files,
            sources,
            problems: Problems::new(),
            paths: BTreeMap::new(),
            home: None,
            total_size: 0,
        }
    }

    /// Reads a file and its includes. `asked_at` is the reference in another file. `None` and a problem if it
    /// cannot be read.
    pub fn gather(&mut self, path: &Path, asked_at: Option<&Place>) -> Option<Gathered> {
        let mut descent = Descent::default();
        let source = self.descend(path, asked_at, &mut descent)?;
        Some(Gathered {
            documents: descent.documents,
            place: self.beginning(source),
        })
    }

    /// The tables of all files that a part of a file includes, from the lowest to the uppermost.
    pub fn gather_included(&mut self, table: &Table) -> Vec<Table> {
        let mut descent = Descent::default();
        for (include, place) in self.includes(table) {
            let path = self.beside(&place, &include);
            self.descend(&path, Some(&place), &mut descent);
        }
        descent.documents
    }

    /// The path for a text in a file, relative to that file.
    pub fn beside(&self, place: &Place, path: &str) -> PathBuf {
        let folder = self.paths.get(&place.source).and_then(|path| path.parent());
        normal(&folder.unwrap_or(Path::new("")).join(path))
    }

    /// Reads a file after the files that it includes.
    fn descend(&mut self, path: &Path, asked_at: Option<&Place>, descent: &mut Descent) -> Option<SourceId> {
        let identity = self.files.identity(path);
        if let Some(start) = descent.chain.iter().position(|(above, _)| *above == identity) {
            self.report_cycle(&descent.chain[start..], asked_at);
            return None;
        }
        if descent.seen.contains(&identity) {
            return None;
        }
        if descent.chain.len() >= MAXIMUM_DEPTH || self.paths.len() >= MAXIMUM_FILES {
            self.report_too_many(descent.chain.len(), asked_at);
            return None;
        }
        let name = path.display().to_string();
        let text = self.text(path, &name, asked_at)?;
        let source = self.add(path, &name, text, asked_at);
        self.paths.insert(source, path.to_owned());
        let table = parse_document(source, self.sources, &mut self.problems);
        descent.seen.insert(identity.clone());
        descent.chain.push((identity, name));
        for (include, place) in self.includes(&table) {
            let path = self.beside(&place, &include);
            self.descend(&path, Some(&place), descent);
        }
        descent.chain.pop();
        descent.documents.push(table);
        Some(source)
    }

    /// The paths of a file's includes.
    fn includes(&mut self, table: &Table) -> Vec<(String, Place)> {
        let Some(entry) = table.get("include") else {
            return Vec::new();
        };
        let texts: Vec<Option<(String, Place)>> = match &entry.node.value {
            Value::Array(items) => items
                .iter()
                .map(|item| Some((item.text()?.to_owned(), item.place.clone())))
                .collect(),
            _ => vec![None],
        };
        if texts.iter().any(Option::is_none) {
            self.problems.push(
                Diagnostic::error(
                    "value::wrong_type",
                    format!(
                        "`include` is a list of paths, not {}",
                        entry.node.value.description()
                    ),
                )
                .at(entry.node.place.clone())
                .help("write `include = [\"base.toml\"]`"),
            );
        }
        texts.into_iter().flatten().collect()
    }

    /// Reads a file that is not TOML. `None` and a problem if it cannot be read.
    pub fn source(&mut self, path: &Path, asked_at: Option<&Place>) -> Option<SourceId> {
        if self.paths.len() >= MAXIMUM_FILES {
            self.report_too_many(0, asked_at);
            return None;
        }
        let name = path.display().to_string();
        let text = self.text(path, &name, asked_at)?;
        let source = self.add(path, &name, text, asked_at);
        self.paths.insert(source, path.to_owned());
        Some(source)
    }

    /// The text of a file, or a problem.
    fn text(&mut self, path: &Path, name: &str, asked_at: Option<&Place>) -> Option<String> {
        if asked_at.is_none() {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            self.home = Some(self.files.identity(folder.unwrap_or(Path::new("."))));
        } else if !self.files.allows_outside() && self.is_outside(path, asked_at) {
            self.report_outside(name, asked_at);
            return None;
        }
        let bytes = match self.files.read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.report_unreadable(path, name, &error, asked_at);
                return None;
            }
        };
        self.total_size += bytes.len();
        if self.total_size > MAXIMUM_TOTAL_SIZE {
            self.report_unreadable(path, name, &ReadError::TooLarge, asked_at);
            return None;
        }
        match String::from_utf8(bytes) {
            Ok(text) => Some(text),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                // The mark of the byte order, as shells and editors of Windows write it.
                let marks: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
                let is_utf16 = marks.iter().any(|mark| error.as_bytes().starts_with(mark));
                let help = if is_utf16 {
                    "it is in UTF-16: save it as UTF-8 (PowerShell: `Set-Content -Encoding utf8`)"
                } else {
                    "TOML files are in UTF-8; is this another kind of file?"
                };
                // Up to the first invalid byte this is the text of the file, so that the place is right.
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let source = self.add(path, name, text, asked_at);
                self.problems.push(
                    Diagnostic::error("file::not_utf8", format!("`{name}` is not text in UTF-8"))
                        .at(Place::new(source, at..at + '\u{fffd}'.len_utf8()).label("the first bad byte"))
                        .help(help),
                );
                None
            }
        }
    }

    /// Adds the text of a file. Errors do not show lines of a referenced file outside the project.
    fn add(&mut self, path: &Path, name: &str, text: String, asked_at: Option<&Place>) -> SourceId {
        let source = self.sources.add(name, text);
        if self.is_outside(path, asked_at) {
            self.sources.withhold(source);
        }
        source
    }

    /// Whether a file refers to the file at `path` outside (after resolution of links) of the folder of the
    /// first file, of its project, and of the current folder.
    fn is_outside(&self, path: &Path, asked_at: Option<&Place>) -> bool {
        // A path on the command line, including overrides, may be anywhere.
        let is_named = asked_at.is_some_and(|place| self.paths.contains_key(&place.source));
        let Some(home) = self.home.as_deref().filter(|_| is_named) else {
            return false;
        };
        let identity = self.files.identity(path);
        let inside = |folder: &Path| {
            let rest = identity.strip_prefix(folder).ok();
            rest.is_some_and(|rest| rest.is_relative() && !rest.starts_with(".."))
        };
        !inside(home)
            && !inside(&self.files.identity(Path::new(".")))
            && !self.project(home).is_some_and(inside)
    }

    /// The closest parent folder with a folder of topologies or a repository.
    fn project<'h>(&self, home: &'h Path) -> Option<&'h Path> {
        let is_project = |folder: &&Path| {
            let names = self.files.names(folder);
            [".git", "topologies"]
                .iter()
                .any(|mark| names.iter().any(|name| name == mark))
        };
        home.ancestors().find(is_project)
    }

    /// The first item in a file, for problems about missing fields.
    fn beginning(&self, source: SourceId) -> Place {
        let text = self.sources.text(source);
        let start = text.len() - text.trim_start().len();
        let end = text[start..]
            .find(['\n', '\r'])
            .map_or(text.len(), |length| start + length);
        Place::new(source, start..end)
    }

    fn report(&mut self, diagnostic: Diagnostic, asked_at: Option<&Place>) {
        self.problems.push(match asked_at {
            Some(place) => diagnostic.at(place.clone()),
            None => diagnostic,
        });
    }

    fn report_unreadable(&mut self, path: &Path, name: &str, error: &ReadError, asked_at: Option<&Place>) {
        let name = shortened(name);
        let diagnostic = match error {
            ReadError::Missing => Diagnostic::error("file::missing", format!("there is no file `{name}`"))
                .help_if(self.similar_files(path, asked_at.is_none())),
            ReadError::Folder => {
                let toml = |name: &String| Path::new(name).extension().is_some_and(|end| end == "toml");
                let inside: Vec<String> = self.files.names(path).into_iter().filter(toml).collect();
                let help = if inside.is_empty() {
                    "it has no TOML file itself: name one in a folder below it".to_owned()
                } else {
                    let inside = inside.iter().map(String::as_str);
                    format!("in it {}", bandgraph_diagnostics::there_are(inside))
                };
                Diagnostic::error("file::folder", format!("`{name}` is a folder, not a file")).help(help)
            }
            ReadError::TooLarge => Diagnostic::error("file::too_large", format!("`{name}` is too large"))
                .help(format!("at most {} MiB are read", MAXIMUM_FILE_SIZE >> 20)),
            ReadError::Unreadable(reason) => {
                Diagnostic::error("file::unreadable", format!("`{name}` cannot be read: {reason}"))
            }
        };
        self.report(diagnostic, asked_at);
    }

    /// Reports a file outside, without any of its contents and without whether it exists.
    fn report_outside(&mut self, name: &str, asked_at: Option<&Place>) {
        let message = format!(
            "`{}` lies outside the project of this file and outside the current folder",
            shortened(name)
        );
        let help =
            "run from a folder that holds both, or allow it with `--allow-outside` if you trust this file";
        self.report(Diagnostic::error("file::outside", message).help(help), asked_at);
    }

    /// Files in the folder of a missing one with a similar name, or with the same name but for its ending;
    /// otherwise those with the same ending. A path of the command line is answered with one.
    fn similar_files(&self, path: &Path, with_folder: bool) -> Option<String> {
        let wanted = path.file_name()?.to_str()?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let place = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let names = self.files.names(folder);
        let all = || names.iter().map(String::as_str);
        let likeliest = suggest(wanted, all()).filter(|_| with_folder);
        let likeliest = likeliest.map(|name| folder.join(name).display().to_string());
        let likeliest = likeliest.and_then(|path| did_you_mean_one_of(&[&path]));
        likeliest.or_else(|| did_you_mean(wanted, all())).or_else(|| {
            let same_kind = |name: &&str| Path::new(name).extension() == path.extension();
            let inside: Vec<&str> = all().filter(same_kind).collect();
            Some(match (names.as_slice(), inside.as_slice()) {
                ([], _) => format!(
                    "there is nothing in the folder `{}`",
                    shortened(&place.display().to_string())
                ),
                (_, []) => return None,
                (_, inside) => format!(
                    "in its folder {}",
                    bandgraph_diagnostics::there_are(inside.iter().copied())
                ),
            })
        })
    }

    fn report_cycle(&mut self, cycle: &[(PathBuf, String)], asked_at: Option<&Place>) {
        let mut names: Vec<&str> = cycle.iter().map(|(_, name)| name.as_str()).collect();
        names.extend(cycle.first().map(|(_, name)| name.as_str()));
        let message = format!("files include each other in a circle: {}", names.join(" → "));
        self.report(Diagnostic::error("file::include_cycle", message), asked_at);
    }

    fn report_too_many(&mut self, depth: usize, asked_at: Option<&Place>) {
        let message = if depth >= MAXIMUM_DEPTH {
            format!("files include each other more than {MAXIMUM_DEPTH} deep")
        } else {
            format!("more than {MAXIMUM_FILES} files are included")
        };
        self.report(Diagnostic::error("file::too_many_includes", message), asked_at);
    }
}
