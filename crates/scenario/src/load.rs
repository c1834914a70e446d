//! The kind of a file, and reading of files of an expected kind.

use std::path::Path;

use bandgraph_config::{Entry, Kind, Node, Reader, Table, Value, merge, refuse_duplicates, unknown_version};
use bandgraph_diagnostics::{Diagnostic, Place};

use crate::cases;
use crate::descriptor::{CALIBRATION, SCENARIO, SWEEP, TOPOLOGY};

/// The id of the error for a scenario in the place of another kind of file.
pub(crate) const IS_A_SCENARIO: &str = "file::scenario_for_topology";

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A server.
    Topology,
    /// A scenario.
    Scenario,
    /// A scenario and its varied fields.
    Sweep,
    /// Parameters and measurements for a fit.
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
        // A scenario may have a stray `[[card]]`, which gets a message of its own; a topology has no
        // `[[workload]]`.
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

/// A file merged with all its includes.
#[derive(Debug)]
pub(crate) struct Document {
    /// Its contents.
    pub(crate) table: Table,
    /// Its kind.
    pub(crate) kind: FileKind,
    /// The place for errors about missing fields.
    pub(crate) place: Place,
}

/// Reads a file and what it includes. `asked_at` is where another file names it; `expected` is what it must
/// be, if that is known. `None` if there is nothing to go on with; why is among the problems.
pub(crate) fn document(
    loader: &mut Reader<'_>,
    path: &Path,
    asked_at: Option<&Place>,
    expected: Option<FileKind>,
) -> Option<Document> {
    let (file, case) = cases::split(path);
    if file.extension().is_some_and(|extension| extension == "fio") {
        let place = asked_at.cloned().unwrap_or_else(|| {
            let source = loader.sources.add(file.display().to_string(), String::new());
            Place::new(source, 0..0)
        });
        let message = format!("{} is a job file of fio", file.display());
        loader
            .problems
            .push(Diagnostic::error("file::neither", message).at(place).help(
                "name it in `job_file` of a `[[workload]]`: `bandgraph init` writes a server and a scenario",
            ));
        return None;
    }
    let mut gathered = loader.gather(&file, asked_at)?;
    let syntax_errors = loader.problems.has_errors();
    let is_empty = gathered.documents.iter().all(Table::is_empty);
    let kind = FileKind::of(&gathered.documents).or(expected.filter(|_| !is_empty));
    let Some(kind) = kind else {
        report_neither(loader, &gathered.documents, &gathered.place, syntax_errors);
        return None;
    };
    if let Some(expected) = expected
        && expected != kind
    {
        report_other_kind(loader, kind, expected, &gathered.place, asked_at);
        return None;
    }
    if kind == FileKind::Scenario && !cases::choose(loader, &mut gathered.documents, case, &gathered.place) {
        return None;
    }
    let mut table = Table::new();
    for mut document in gathered.documents {
        // A version is a matter of each file, and would be hidden by that of a file on top.
        loader.problems.extend(
            document
                .get("schema")
                .and_then(|entry| unknown_version(&entry.node)),
        );
        normalise_topology(&mut document);
        refuse_duplicates(kind.kind(), &mut document, &mut loader.problems);
        merge(kind.kind(), &mut table, document);
    }
    table.remove("include");
    Some(Document {
        table,
        kind,
        place: gathered.place,
    })
}

/// Reports a file whose kind is unknown.
fn report_neither(loader: &mut Reader<'_>, documents: &[Table], place: &Place, syntax_errors: bool) {
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
    loader
        .problems
        .push(Diagnostic::error(id, message).at(place.clone()).help(
            "a topology has `[[socket]]`, `[[link]]`, `[[card]]`; a scenario has `topology`, `[[clients]]`, \
         `[[workload]]`; a sweep has `scenario`, `[[axis]]`",
        ));
}

/// A file of another kind than the one that is wanted.
fn report_other_kind(
    loader: &mut Reader<'_>,
    found: FileKind,
    wanted: FileKind,
    place: &Place,
    asked_at: Option<&Place>,
) {
    let name = |kind: FileKind| match kind {
        FileKind::Topology => "topology",
        FileKind::Scenario => "scenario",
        FileKind::Sweep => "sweep",
        FileKind::Calibration => "calibration",
    };
    let id = match found {
        FileKind::Topology => "file::topology_for_scenario",
        FileKind::Scenario => IS_A_SCENARIO,
        FileKind::Sweep => "file::sweep_for_another",
        FileKind::Calibration => "file::calibration_for_another",
    };
    let message = format!("this is a {}, and a {} belongs here", name(found), name(wanted));
    let help = match (found, wanted) {
        (FileKind::Topology, FileKind::Scenario) => {
            "a scenario names its topology, `topology = \"this-file.toml\"`, its `[[clients]]` and its \
             `[[workload]]`; `bandgraph topology show` lists a server without one"
        }
        (FileKind::Sweep, FileKind::Scenario) => {
            "`bandgraph sweep` runs it; its `scenario` is the file that it varies"
        }
        (FileKind::Calibration, FileKind::Scenario) => {
            "`bandgraph calibrate` runs it; its `[[data]]` entries name scenarios"
        }
        (_, FileKind::Scenario) => "name the file that has the `[[workload]]` entries",
        (_, FileKind::Topology) => "name the file that has the `[[socket]]` entries",
        (_, FileKind::Sweep) => {
            "name the file that has the `[[axis]]` entries; its `scenario` is the file that it varies"
        }
        (FileKind::Scenario, FileKind::Calibration) => {
            "`--own` fits to the `[[measured]]` entries of a scenario and to `--measured FILE`"
        }
        (_, FileKind::Calibration) => "name the file that has the `[[parameter]]` and `[[data]]` entries",
    };
    let diagnostic = Diagnostic::error(id, message).help(help);
    loader.problems.push(match asked_at {
        Some(asked_at) => diagnostic
            .at(asked_at.clone())
            .also(place.clone().label("the file begins here")),
        None => diagnostic.at(place.clone()),
    });
}

/// Writes `topology = "path"` as the equivalent table, so that files can be merged.
pub(crate) fn normalise_topology(document: &mut Table) {
    let Some(entry) = document.get_mut("topology") else {
        return;
    };
    if matches!(entry.node.value, Value::Text(_)) {
        let path = Node::new(entry.node.value.clone(), entry.node.place.clone());
        let file = Entry {
            key_place: entry.key_place.clone(),
            node: path,
        };
        entry.node.value = Value::Table(Table::from([("file".to_owned(), file)]));
    }
}
