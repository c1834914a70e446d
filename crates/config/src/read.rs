//! Reading a file with everything that it includes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Place, SourceId, Sources, did_you_mean};

use crate::document::{Table, Value, parse_document, shortened};
use crate::files::{Files, MAXIMUM_FILE_SIZE, ReadError, normal};
use crate::problems::Problems;

/// How deep files may include each other.
const MAXIMUM_DEPTH: usize = 16;

/// How many files one input may be made of, and how many bytes they may have together.
const MAXIMUM_FILES: usize = 100;
const MAXIMUM_TOTAL_SIZE: usize = 2 * MAXIMUM_FILE_SIZE;

/// Reads files.
#[expect(missing_debug_implementations, reason = "holds a trait object")]
pub struct Reader<'l> {
    files: &'l dyn Files,
    /// The texts of the files.
    pub sources: &'l mut Sources,
    /// What was found wrong so far.
    pub problems: Problems,
    /// Where each file is, for paths that are relative to it.
    paths: BTreeMap<SourceId, PathBuf>,
    /// The folder of the first file that the user named: what it names lies there or in the current folder.
    home: Option<PathBuf>,
    total_size: usize,
}

/// A file with everything that it includes, before they are merged.
#[derive(Debug)]
pub struct Gathered {
    /// The tables of all files, in the order in which they are laid over each other.
    pub documents: Vec<Table>,
    /// The first line of the file, to point at for what is missing.
    pub place: Place,
}

/// What [`Reader::gather`] keeps while it descends.
#[derive(Default)]
struct Descent {
    /// Tables in the order in which they are laid over each other.
    documents: Vec<Table>,
    /// The files above the one that is read, from the first.
    chain: Vec<(PathBuf, String)>,
    /// Files that were read or are being read. A file counts once, where it is first included.
    seen: BTreeSet<PathBuf>,
}

impl<'l> Reader<'l> {
    /// A reader of files from a place, which puts their texts into `sources`.
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

    /// Reads a file and what it includes. `asked_at` is where another file names it. `None` if it cannot be
    /// read; why is among the problems.
    pub fn gather(&mut self, path: &Path, asked_at: Option<&Place>) -> Option<Gathered> {
        let mut descent = Descent::default();
        let source = self.descend(path, asked_at, &mut descent)?;
        Some(Gathered {
            documents: descent.documents,
            place: self.beginning(source),
        })
    }

    /// The tables of all files that a part of a file includes, in the order in which they are laid over each
    /// other.
    pub fn gather_included(&mut self, table: &Table) -> Vec<Table> {
        let mut descent = Descent::default();
        for (include, place) in self.includes(table) {
            let path = self.beside(&place, &include);
            self.descend(&path, Some(&place), &mut descent);
        }
        descent.documents
    }

    /// The path that a text in a file stands for.
    pub fn beside(&self, place: &Place, path: &str) -> PathBuf {
        let folder = self.paths.get(&place.source).and_then(|path| path.parent());
        normal(&folder.unwrap_or(Path::new("")).join(path))
    }

    /// Reads a file and, before it, the files that it includes.
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

    /// The paths that a file says it includes.
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

    /// Reads a file that is not TOML. `None` if it cannot be read; why is among the problems.
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
                // Up to the first bad byte this is the text of the file, so the place is right.
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let source = self.add(path, name, text, asked_at);
                self.problems.push(
                    Diagnostic::error("file::not_utf8", format!("`{name}` is not text in UTF-8"))
                        .at(Place::new(source, at..at + '\u{fffd}'.len_utf8()).label("the first bad byte"))
                        .help("TOML files are in UTF-8; is this another kind of file?"),
                );
                None
            }
        }
    }

    /// Adds the text of a file. Lines of a file elsewhere that a file names are not for those who see errors.
    fn add(&mut self, path: &Path, name: &str, text: String, asked_at: Option<&Place>) -> SourceId {
        let source = self.sources.add(name, text);
        if self.is_outside(path, asked_at) {
            self.sources.withhold(source);
        }
        source
    }

    /// Whether a file names the file at `path`, and that lies, links followed, neither in the folder of the
    /// first file, nor in the project of that folder, nor in the current folder.
    fn is_outside(&self, path: &Path, asked_at: Option<&Place>) -> bool {
        // What the user names on the command line, in an override too, may lie anywhere.
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

    /// The closest folder above that holds a folder of topologies or a repository.
    fn project<'h>(&self, home: &'h Path) -> Option<&'h Path> {
        let is_project = |folder: &&Path| {
            let names = self.files.names(folder);
            [".git", "topologies"]
                .iter()
                .any(|mark| names.iter().any(|name| name == mark))
        };
        home.ancestors().find(is_project)
    }

    /// The first thing in a file, to point at when something is missing from it.
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
                .help_if(self.similar_files(path)),
            ReadError::Folder => {
                let toml = |name: &String| Path::new(name).extension().is_some_and(|end| end == "toml");
                let inside: Vec<String> = self.files.names(path).into_iter().filter(toml).collect();
                let inside = inside.iter().map(String::as_str);
                Diagnostic::error("file::folder", format!("`{name}` is a folder, not a file")).help(format!(
                    "in it there is {}",
                    bandgraph_diagnostics::one_of(inside)
                ))
            }
            ReadError::TooLarge => Diagnostic::error("file::too_large", format!("`{name}` is too large"))
                .help(format!("at most {} MiB are read", MAXIMUM_FILE_SIZE >> 20)),
            ReadError::Unreadable(reason) => {
                Diagnostic::error("file::unreadable", format!("`{name}` cannot be read: {reason}"))
            }
        };
        self.report(diagnostic, asked_at);
    }

    /// Nothing of the file is shown, not even whether it exists.
    fn report_outside(&mut self, name: &str, asked_at: Option<&Place>) {
        let message = format!(
            "`{}` lies outside the project of this file and outside the current folder",
            shortened(name)
        );
        let help =
            "run from a folder that holds both, or allow it with `--allow-outside` if you trust this file";
        self.report(Diagnostic::error("file::outside", message).help(help), asked_at);
    }

    /// Files beside a missing one that have almost its name, or the same name without its ending.
    fn similar_files(&self, path: &Path) -> Option<String> {
        let wanted = path.file_name()?.to_str()?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let names = self.files.names(folder);
        did_you_mean(wanted, names.iter().map(String::as_str))
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
