//! Reading a file with everything that it includes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Place, SourceId, Sources, did_you_mean};

use crate::decode::unknown_version;
use crate::descriptor::{CALIBRATION, Kind, SCENARIO, SWEEP, TOPOLOGY};
use crate::document::{Node, Table, Value, merge, parse_document, refuse_duplicates, shortened};
use crate::files::{Files, MAXIMUM_FILE_SIZE, ReadError, normal};
use crate::problems::Problems;

/// How deep files may include each other.
const MAXIMUM_DEPTH: usize = 16;

/// How many files one scenario may be made of, and how many bytes they may have together.
const MAXIMUM_FILES: usize = 100;
const MAXIMUM_TOTAL_SIZE: usize = 2 * MAXIMUM_FILE_SIZE;

/// What a file turned out to describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A server.
    Topology,
    /// A question.
    Scenario,
    /// A question, and what is varied in it.
    Sweep,
    /// What may be fitted to what.
    Calibration,
}

impl FileKind {
    /// Tells by the keys that stand in a file; `None` if they would fit both or neither.
    fn of(documents: &[Table]) -> Option<Self> {
        let has = |kind: &Kind, other: &Kind| {
            let only_here = |key: &String| kind.field(key).is_some() && other.field(key).is_none();
            documents.iter().any(|document| document.keys().any(only_here))
        };
        if documents
            .iter()
            .any(|document| document.contains_key("axis") || document.contains_key("scenario"))
        {
            return Some(Self::Sweep);
        }
        if documents
            .iter()
            .any(|document| document.contains_key("parameter") || document.contains_key("data"))
        {
            return Some(Self::Calibration);
        }
        // A scenario may have a stray `[[card]]`, which gets a message of its own; a topology has no `[[workload]]`.
        if has(&SCENARIO, &TOPOLOGY) {
            Some(Self::Scenario)
        } else {
            has(&TOPOLOGY, &SCENARIO).then_some(Self::Topology)
        }
    }

    pub(crate) fn kind(self) -> &'static Kind {
        match self {
            Self::Topology => &TOPOLOGY,
            Self::Scenario => &SCENARIO,
            Self::Sweep => &SWEEP,
            Self::Calibration => &CALIBRATION,
        }
    }
}

/// A file with all its includes laid under it.
#[derive(Debug)]
pub(crate) struct Document {
    /// What it says.
    pub(crate) table: Table,
    /// What it is.
    pub(crate) kind: FileKind,
    /// Where to point for what is missing from it.
    pub(crate) place: Place,
}

/// Reads files.
pub(crate) struct Loader<'l> {
    files: &'l dyn Files,
    pub(crate) sources: &'l mut Sources,
    pub(crate) problems: Problems,
    /// Where each file is, for paths that are relative to it.
    paths: BTreeMap<SourceId, PathBuf>,
    total_size: usize,
}

/// What [`Loader::gather`] keeps while it descends.
#[derive(Default)]
struct Descent {
    /// Tables in the order in which they are laid over each other.
    documents: Vec<Table>,
    /// The files above the one that is read, from the first.
    chain: Vec<(PathBuf, String)>,
    /// Files that were read or are being read. A file counts once, where it is first included.
    seen: BTreeSet<PathBuf>,
}

impl<'l> Loader<'l> {
    pub(crate) fn new(files: &'l dyn Files, sources: &'l mut Sources) -> Self {
        Self {
            files,
            sources,
            problems: Problems::new(),
            paths: BTreeMap::new(),
            total_size: 0,
        }
    }

    /// Reads a file and what it includes. `asked_at` is where another file names it; `expected` is what it must be,
    /// if that is known. `None` if there is nothing to go on with; why is among the problems.
    pub(crate) fn document(
        &mut self,
        path: &Path,
        asked_at: Option<&Place>,
        expected: Option<FileKind>,
    ) -> Option<Document> {
        let mut descent = Descent::default();
        let source = self.gather(path, asked_at, &mut descent)?;
        let place = self.beginning(source);
        let syntax_errors = self.problems.has_errors();
        let is_empty = descent.documents.iter().all(Table::is_empty);
        let kind = FileKind::of(&descent.documents).or(expected.filter(|_| !is_empty));
        let Some(kind) = kind else {
            self.report_neither(&descent.documents, &place, syntax_errors);
            return None;
        };
        if let Some(expected) = expected
            && expected != kind
        {
            self.report_other_kind(kind, &place, asked_at);
            return None;
        }
        let mut table = Table::new();
        for mut document in descent.documents {
            // A version is a matter of each file, and would be hidden by that of a file on top.
            self.problems.extend(
                document
                    .get("schema")
                    .and_then(|entry| unknown_version(&entry.node)),
            );
            normalise_topology(&mut document);
            refuse_duplicates(kind.kind(), &mut document, &mut self.problems);
            merge(kind.kind(), &mut table, document);
        }
        table.remove("include");
        Some(Document { table, kind, place })
    }

    /// The path that a text in a file stands for.
    pub(crate) fn beside(&self, place: &Place, path: &str) -> PathBuf {
        let folder = self.paths.get(&place.source).and_then(|path| path.parent());
        normal(&folder.unwrap_or(Path::new("")).join(path))
    }

    /// Reads a file and, before it, the files that it includes.
    fn gather(&mut self, path: &Path, asked_at: Option<&Place>, descent: &mut Descent) -> Option<SourceId> {
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
        let source = self.sources.add(name.as_str(), text);
        self.paths.insert(source, path.to_owned());
        let table = parse_document(source, self.sources, &mut self.problems);
        descent.seen.insert(identity.clone());
        descent.chain.push((identity, name));
        for (include, place) in self.includes(&table) {
            let path = self.beside(&place, &include);
            self.gather(&path, Some(&place), descent);
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
    pub(crate) fn source(&mut self, path: &Path, asked_at: Option<&Place>) -> Option<SourceId> {
        if self.paths.len() >= MAXIMUM_FILES {
            self.report_too_many(0, asked_at);
            return None;
        }
        let name = path.display().to_string();
        let text = self.text(path, &name, asked_at)?;
        let source = self.sources.add(name.as_str(), text);
        self.paths.insert(source, path.to_owned());
        Some(source)
    }

    /// The text of a file, or a problem.
    fn text(&mut self, path: &Path, name: &str, asked_at: Option<&Place>) -> Option<String> {
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
                let source = self.sources.add(name, text);
                self.problems.push(
                    Diagnostic::error("file::not_utf8", format!("`{name}` is not text in UTF-8"))
                        .at(Place::new(source, at..at + '\u{fffd}'.len_utf8()).label("the first bad byte"))
                        .help("TOML files are in UTF-8; is this another kind of file?"),
                );
                None
            }
        }
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

    /// A file that has nothing to tell what it is by.
    fn report_neither(&mut self, documents: &[Table], place: &Place, syntax_errors: bool) {
        // Where nothing could be read because of syntax errors, these say it all.
        if syntax_errors {
            return;
        }
        let empty = documents.iter().all(Table::is_empty);
        let (id, message) = if empty {
            ("file::empty", "there is nothing in this file")
        } else {
            (
                "file::neither",
                "this is neither a topology nor a scenario nor a sweep",
            )
        };
        self.problems
            .push(Diagnostic::error(id, message).at(place.clone()).help(
            "a topology has `[[socket]]`, `[[link]]`, `[[card]]`; a scenario has `topology`, `[[clients]]`, \
             `[[workload]]`; a sweep has `scenario`, `[[axis]]`",
        ));
    }

    /// A file of the other kind.
    fn report_other_kind(&mut self, found: FileKind, place: &Place, asked_at: Option<&Place>) {
        let (id, message, help) = match found {
            FileKind::Topology => (
                "file::topology_for_scenario",
                "this is a topology, and a scenario belongs here",
                "a scenario names its topology: `topology = \"this-file.toml\"`",
            ),
            FileKind::Scenario => (
                "file::scenario_for_topology",
                "this is a scenario, and a topology belongs here",
                "name the file that has the `[[socket]]` entries",
            ),
            FileKind::Sweep => (
                "file::sweep_for_another",
                "this is a sweep, and another kind of file belongs here",
                "`bandgraph sweep` runs it; its `scenario` is the file that it varies",
            ),
            FileKind::Calibration => (
                "file::calibration_for_another",
                "this is a calibration, and another kind of file belongs here",
                "`bandgraph calibrate` does it; its `[[data]]` entries name scenarios",
            ),
        };
        let diagnostic = Diagnostic::error(id, message).help(help);
        self.problems.push(match asked_at {
            Some(asked_at) => diagnostic
                .at(asked_at.clone())
                .also(place.clone().label("the file begins here")),
            None => diagnostic.at(place.clone()),
        });
    }
}

/// Writes `topology = "path"` as the table that it stands for, so that files can be laid over each other.
pub(crate) fn normalise_topology(document: &mut Table) {
    let Some(entry) = document.get_mut("topology") else {
        return;
    };
    if matches!(entry.node.value, Value::Text(_)) {
        let path = Node {
            value: entry.node.value.clone(),
            place: entry.node.place.clone(),
        };
        let file = crate::document::Entry {
            key_place: entry.key_place.clone(),
            node: path,
        };
        entry.node.value = Value::Table(Table::from([("file".to_owned(), file)]));
    }
}
