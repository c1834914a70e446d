//! The entry points: load a scenario, load a topology, check a file.

use bandgraph_config::{
    Decoded, Decoder, Definitions, DiskFiles, Entry, Files, Node, Problems, Reader, Set, Table, Value,
    input_hash, merge,
};
use bandgraph_model::{BindError, Bound, Scenario};
use bandgraph_solve::bind_merged;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bandgraph_diagnostics::{Diagnostic, Place, Sources, did_you_mean, there_are};
use bandgraph_hardware::{OwnParts, Part};
use bandgraph_topology::Topology;

use crate::calibration_file::check_calibration;
use crate::cases::{self, NO_CASE_NAMED};
use crate::descriptor::{SCENARIO, TOPOLOGY};
use crate::folder::FIGURES;
use crate::load::{Document, FileKind, IS_A_SCENARIO, document, normalise_topology};
use crate::sweep_file::check_sweep;
use crate::{
    Loaded, LoadedTopology, job_workloads, measured_file, part_entries, scenario_file, software,
    storage_file, topology_file, unused_settings,
};

/// Loads a scenario with everything that it includes, its topology, and the overrides given as `PATH=VALUE`.
///
/// # Errors
///
/// Every problem of all files and overrides, in the order of their places in `sources`; at least one is an
/// error.
pub fn load(path: &Path, sets: &[String], sources: &mut Sources) -> Result<Loaded, Vec<Diagnostic>> {
    load_with(&DiskFiles, path, sets, sources)
}

/// [`load`] with another source of files.
///
/// # Errors
///
/// As [`load`].
pub fn load_with(
    files: &dyn Files,
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
) -> Result<Loaded, Vec<Diagnostic>> {
    let first = sources.count();
    let opened = open(files, path, sets, sources, Some(FileKind::Scenario));
    let (problems, Some(Checked::Scenario(checked))) = opened else {
        return Err(opened.0.into_sorted());
    };
    if problems.has_errors() {
        return Err(problems.into_sorted());
    }
    let CheckedScenario {
        scenario,
        bound,
        decoded,
        expect,
        input_hash,
    } = *checked;
    Ok(Loaded {
        name: scenario.name.clone(),
        system: decoded
            .text("system")
            .map_or_else(|| scenario.topology.name().to_owned(), str::to_owned),
        scenario,
        bound,
        description: decoded.text_or_empty("description"),
        path: path.to_owned(),
        overrides: sets.to_vec(),
        measured: measured_file::measured(&decoded, sources),
        measured_links: measured_file::measured_links(&decoded),
        bottleneck: measured_file::named_bottleneck(&decoded),
        expect,
        trace: scenario_file::trace(&decoded, sources),
        fixed_cards: Vec::new(),
        files: sources.files_from(first),
        input_hash,
        warnings: problems.into_sorted(),
    })
}

/// Loads a topology with everything that it includes, and the overrides given as `PATH=VALUE`.
///
/// # Errors
///
/// As [`load`].
pub fn load_topology(
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
) -> Result<LoadedTopology, Vec<Diagnostic>> {
    load_topology_with(&DiskFiles, path, sets, sources)
}

/// The topology of a topology file, or that of the scenario that a file turns out to be.
///
/// # Errors
///
/// As [`load_topology`].
pub fn load_server_with(
    files: &dyn Files,
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
) -> Result<LoadedTopology, Vec<Diagnostic>> {
    match load_topology_with(files, path, sets, sources) {
        Err(problems) if problems.iter().any(|one| one.id == IS_A_SCENARIO) => {
            let loaded = load_with(files, path, sets, sources)?;
            Ok(LoadedTopology {
                name: loaded.scenario.topology.name().to_owned(),
                description: String::new(),
                path: loaded.path,
                input_hash: loaded.input_hash,
                warnings: loaded.warnings,
                topology: loaded.scenario.topology,
            })
        }
        loaded => loaded,
    }
}

/// [`load_topology`] with another source of files.
///
/// # Errors
///
/// As [`load`].
pub fn load_topology_with(
    files: &dyn Files,
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
) -> Result<LoadedTopology, Vec<Diagnostic>> {
    let opened = open(files, path, sets, sources, Some(FileKind::Topology));
    let (
        problems,
        Some(Checked::Topology {
            topology,
            description,
            input_hash,
        }),
    ) = opened
    else {
        return Err(opened.0.into_sorted());
    };
    if problems.has_errors() {
        return Err(problems.into_sorted());
    }
    Ok(LoadedTopology {
        name: topology.name().to_owned(),
        topology: *topology,
        description,
        path: path.to_owned(),
        input_hash,
        warnings: problems.into_sorted(),
    })
}

/// All problems of a file of any kind, and of each of its cases. Empty if there are none.
pub fn check(path: &Path, sources: &mut Sources) -> Vec<Diagnostic> {
    check_with(&DiskFiles, path, sources)
}

/// [`check`] with another source of files.
pub fn check_with(files: &dyn Files, path: &Path, sources: &mut Sources) -> Vec<Diagnostic> {
    let problems = checked(files, path, sources);
    if !problems.iter().any(|one| one.id == NO_CASE_NAMED) {
        return problems;
    }
    // A problem of the common part occurs in every case and is reported once.
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for case in cases::names(files, path) {
        let found = checked(files, &cases::path_of(path, &case), sources);
        all.extend(found.into_iter().filter(|one| {
            let place = one.primary.as_ref();
            let place = place.map(|place| (sources.name(place.source).to_owned(), place.range.start));
            seen.insert((one.id, one.message.clone(), place))
        }));
    }
    all
}

/// The problems of a file, with what reports of a scenario would warn of.
fn checked(files: &dyn Files, path: &Path, sources: &mut Sources) -> Vec<Diagnostic> {
    let (mut problems, checked) = open(files, path, &[], sources, None);
    if let Some(Checked::Scenario(found)) = &checked {
        problems.extend(software::unfit_profile(
            &found.decoded,
            &found.scenario,
            &found.bound,
        ));
    }
    problems.into_sorted()
}

/// What a file turned out to be, if nothing kept it from being used.
enum Checked {
    Topology {
        topology: Box<Topology>,
        description: String,
        input_hash: String,
    },
    Scenario(Box<CheckedScenario>),
}

struct CheckedScenario {
    scenario: Scenario,
    bound: Bound,
    decoded: Decoded,
    expect: Vec<crate::Expect>,
    input_hash: String,
}

fn open(
    files: &dyn Files,
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
    expected: Option<FileKind>,
) -> (Problems, Option<Checked>) {
    let mut loader = Reader::new(files, sources);
    let document = document(&mut loader, path, None, expected);
    // Overrides are parsed even without a file, so that their errors are reported together.
    let sets: Vec<Set> = sets
        .iter()
        .filter_map(|set| Set::parse(set, loader.sources, &mut loader.problems))
        .collect();
    let document = match document {
        Some(document) if document.kind == FileKind::Sweep => {
            check_sweep(&mut loader, &document, path);
            None
        }
        Some(document) if document.kind == FileKind::Calibration => {
            check_calibration(&mut loader, files, &document, path);
            None
        }
        document => document,
    };
    let assembled = document.map(|document| assemble(&mut loader, document, sets));
    let mut problems = loader.problems;
    let checked = assembled.and_then(|assembled| match assembled.kind {
        FileKind::Topology => check_topology(&assembled, sources, &mut problems),
        FileKind::Scenario => check_scenario(assembled, files, sources, &mut problems),
        FileKind::Sweep | FileKind::Calibration => None,
    });
    (problems, checked)
}

/// All files and overrides of an input, merged.
pub(crate) struct Assembled {
    kind: FileKind,
    /// The whole; of a scenario with its topology in it, if that could be read.
    pub(crate) table: Table,
    /// The place for errors about missing fields.
    pub(crate) place: Place,
    /// Whether a scenario names a topology that could not be read: what is wrong has been said.
    pub(crate) topology_unreadable: bool,
    /// Whether the command line overrides a field.
    overridden: bool,
    /// By pool, the log and cache devices of a scenario before overrides.
    devices: BTreeMap<String, Vec<String>>,
}

/// Lays overrides over a file, and the topology that it names under it.
pub(crate) fn assemble(loader: &mut Reader<'_>, document: Document, sets: Vec<Set>) -> Assembled {
    let mut assembled = Assembled {
        kind: document.kind,
        table: document.table,
        place: document.place,
        topology_unreadable: false,
        overridden: !sets.is_empty(),
        devices: BTreeMap::new(),
    };
    if assembled.kind == FileKind::Scenario {
        for set in sets.iter().filter(|set| set.names_mounted_file(&SCENARIO)) {
            set.apply_mounted_file(&SCENARIO, &mut assembled.table);
        }
        assembled.devices = storage_file::devices_of(&assembled.table);
        normalise_topology(&mut assembled.table);
        assembled.topology_unreadable = !resolve_topology(loader, &mut assembled.table);
    }
    // What names a workload that only a job file has.
    let mut of_jobs = Vec::new();
    for set in sets {
        let in_scenario = assembled.kind == FileKind::Scenario;
        let done = in_scenario && set.names_mounted_file(&SCENARIO);
        let nowhere = in_scenario && assembled.topology_unreadable && set.is_in_mounted(&SCENARIO);
        if in_scenario && job_workloads::may_bring(&assembled.table, &set) {
            of_jobs.push(set);
        } else if !done && !nowhere {
            set.apply(assembled.kind.kind(), &mut assembled.table, &mut loader.problems);
        }
    }
    // After the overrides, so that these can name another file, and other numbers of clients.
    if assembled.kind == FileKind::Scenario {
        job_workloads::expand(loader, &mut assembled.table);
    }
    for set in of_jobs {
        set.apply(assembled.kind.kind(), &mut assembled.table, &mut loader.problems);
    }
    assembled
}

/// Puts the topology that a scenario names into it, under what the scenario says of it itself. Whether that
/// worked.
fn resolve_topology(loader: &mut Reader<'_>, scenario: &mut Table) -> bool {
    let Some(Entry {
        node: Node {
            value: Value::Table(over),
            place,
        },
        ..
    }) = scenario.get_mut("topology")
    else {
        return true;
    };
    let Some(file) = over.remove("file") else {
        // A topology inside a scenario is of the scenario's version.
        let place = place.clone();
        over.entry("schema".to_owned()).or_insert_with(|| Entry {
            key_place: place.clone(),
            node: Node::new(Value::Integer(1), place),
        });
        return true;
    };
    let Some(path) = file.node.text() else {
        loader.problems.push(
            Diagnostic::error(
                "value::wrong_type",
                format!(
                    "`file` is the path of a topology, not {}",
                    file.node.value.description()
                ),
            )
            .at(file.node.place.clone()),
        );
        return false;
    };
    let path = loader.beside(&file.node.place, path);
    match document(loader, &path, Some(&file.node.place), Some(FileKind::Topology)) {
        Some(document) => {
            let over = std::mem::replace(over, document.table);
            *place = document.place;
            if let Some(Entry {
                node:
                    Node {
                        value: Value::Table(base),
                        ..
                    },
                ..
            }) = scenario.get_mut("topology")
            {
                merge(&TOPOLOGY, base, over);
            }
            true
        }
        None => false,
    }
}

fn check_topology(assembled: &Assembled, sources: &Sources, problems: &mut Problems) -> Option<Checked> {
    let (decoded, parts) = decode_topology(&assembled.table, &assembled.place, sources, problems);
    let topology = build_topology(&decoded, &parts, sources, problems)?;
    part_entries::without_use(&decoded, &topology, &[], problems);
    Some(Checked::Topology {
        topology: Box::new(topology),
        description: decoded.text_or_empty("description"),
        input_hash: input_hash(&assembled.table),
    })
}

pub(crate) fn decode_topology(
    table: &Table,
    place: &Place,
    sources: &Sources,
    problems: &mut Problems,
) -> (Decoded, Definitions) {
    let mut decoder = Decoder::new(sources, problems);
    let decoded = decoder.table(&TOPOLOGY, table, place);
    (decoded, decoder.definitions)
}

pub(crate) fn build_topology(
    decoded: &Decoded,
    definitions: &Definitions,
    sources: &Sources,
    problems: &mut Problems,
) -> Option<Topology> {
    let topology = topology_file::build(decoded, OwnParts(definitions), sources, problems)?;
    unused_settings::unused_routes(decoded, &topology, problems);
    unused_settings::fast_slots(decoded, &topology, problems);
    unused_settings::fast_drives(decoded, &topology, problems);
    unused_settings::parts_beyond_sockets(decoded, &topology, problems);
    unused_settings::clocks_below_turbo(decoded, &topology, problems);
    unused_settings::links_beyond_sockets(decoded, &topology, problems);
    unused_settings::lanes_beyond_sockets(decoded, &topology, problems);
    part_entries::without_base(decoded, problems);
    Some(topology)
}

fn check_scenario(
    mut assembled: Assembled,
    files: &dyn Files,
    sources: &Sources,
    problems: &mut Problems,
) -> Option<Checked> {
    let hash = input_hash(&assembled.table);
    let place = assembled.place;
    // `resolve_topology` has given it a version.
    let changes_parts = |topology: &Entry| {
        let table = topology.node.table();
        table.is_some_and(|table| table.keys().all(|key| ["part", "schema"].contains(&key.as_str())))
    };
    let topology = assembled.table.get("topology");
    let has_topology = topology.is_some_and(|topology| !changes_parts(topology));
    if !assembled.table.contains_key("schema") && !has_topology && !assembled.topology_unreadable {
        let is_figures =
            |key: &String| ["stack", "measured", "measured_link", "topology"].contains(&key.as_str());
        let (id, message) = if assembled.table.keys().all(is_figures) {
            (FIGURES, "these are figures for scenarios to include")
        } else {
            let message = "this is a part of a scenario: it has neither `schema` nor `topology`";
            ("file::fragment", message)
        };
        problems.push(
            Diagnostic::error(id, message)
                .at(place)
                .help("check or run a scenario that includes it; a scenario of its own says both"),
        );
        return None;
    }
    let topology = assembled.table.remove("topology");
    let missing = topology.is_none() && !assembled.topology_unreadable;
    let usable = topology.filter(|_| !assembled.topology_unreadable);
    let mut decoder = Decoder::new(sources, problems);
    let decoded = decoder.table(&SCENARIO, &assembled.table, &place);
    if missing && let Some(field) = SCENARIO.field("topology") {
        decoder.missing(field.name, field.doc, &SCENARIO, &Table::new(), &place);
    }
    let mut server = None;
    let topology = match usable.as_ref().map(|entry| &entry.node) {
        Some(Node {
            value: Value::Table(table),
            place,
        }) => {
            let (decoded, parts) = decode_topology(table, place, sources, problems);
            let built = build_topology(&decoded, &parts, sources, problems);
            server = Some(decoded);
            built
        }
        Some(node) => {
            decoder.wrong_type("topology", "the path of a topology, or a table", node);
            None
        }
        None => None,
    };
    let expect = measured_file::expect(&decoded, problems);
    measured_file::check(&decoded, files, sources, problems);
    let scenario = scenario_file::build(&decoded, topology, problems);
    if let Some((server, scenario)) = server.zip(scenario.as_ref()) {
        let ssds = scenario.storage.ssds.iter().map(|ssd| &ssd.part as &dyn Part);
        let switches = scenario.networks.iter().map(|network| &network.part as &dyn Part);
        let others: Vec<&dyn Part> = ssds.chain(switches).collect();
        part_entries::without_use(&server, &scenario.topology, &others, problems);
        let errors = storage_file::errors(&decoded, scenario)
            .into_iter()
            .map(BindError::Storage);
        problems.extend(errors.map(|error| unanswerable(&decoded, scenario, &error)));
    }
    let mut scenario = scenario.filter(|_| decoded.sound && !problems.has_errors())?;
    storage_file::keep_free(&mut scenario, &assembled.devices);
    storage_file::unlike_drives(&decoded, &scenario, problems);
    unused_settings::sets_beyond_disks(&decoded, &scenario, problems);
    unused_settings::direct_without_pools(&decoded, &scenario, problems);
    unused_settings::unused_ports(&decoded, &scenario, problems);
    let bound = match bind_merged(&scenario) {
        Ok(bound) => bound,
        Err(first) => {
            let errors = bind_errors(&scenario, first);
            problems.extend(
                errors
                    .iter()
                    .map(|error| unanswerable(&decoded, &scenario, error)),
            );
            return None;
        }
    };
    // An override may have moved the card that the resource was of; what was measured is then of another
    // machine.
    if !assembled.overridden {
        measured_file::check_resources(&decoded, &bound, problems);
    }
    Some(Checked::Scenario(Box::new(CheckedScenario {
        scenario,
        bound,
        decoded,
        expect,
        input_hash: hash,
    })))
}

/// Workloads that are also bound alone where a scenario cannot be bound.
const BOUND_ALONE: usize = 32;

/// Why a scenario cannot be bound: the first reason, and those of each workload alone.
fn bind_errors(scenario: &Scenario, first: BindError) -> Vec<BindError> {
    let mut errors = vec![first];
    for workload in scenario.workloads.iter().take(BOUND_ALONE) {
        let workloads = vec![workload.clone()];
        let alone = Scenario {
            workloads,
            ..scenario.clone()
        };
        if let Err(error) = bind_merged(&alone)
            && !errors.contains(&error)
        {
            errors.push(error);
        }
    }
    errors
}

/// Where the number of clients stands of which there are most: what there is too much of comes with clients.
fn most_clients(decoded: &Decoded, scenario: &Scenario) -> Option<Place> {
    let most = scenario.clients.iter().map(|group| group.count).max()?;
    let index = scenario.clients.iter().position(|group| group.count == most)?;
    let entry = decoded.entries("clients").get(index)?;
    Some(entry.place_of("count"))
}

/// A question that is well put, but cannot be answered.
fn unanswerable(decoded: &Decoded, scenario: &Scenario, error: &BindError) -> Diagnostic {
    let workload = |id: &str, field: &str| Some(decoded.place_of(&format!("workload.{id}.{field}")));
    let place = match error {
        BindError::ExceedsCache { workload: id, .. } => workload(id, "working_set"),
        BindError::WrongMedium { workload: id, .. } => workload(id, "protocol"),
        BindError::UnknownGpu {
            workload: id, field, ..
        } => workload(id, field),
        BindError::PastGpus { workload: id, .. } => workload(id, "gpus"),
        BindError::Peers { workload: id, .. } => workload(id, "peers"),
        BindError::NeedsDisks { workload: id, .. } | BindError::FreeOperation { workload: id, .. } => {
            workload(id, "mix")
        }
        BindError::Storage(error) => storage_file::place(decoded, error),
        BindError::OutOfRange { field, .. } => Some(decoded.place_of(field)),
        BindError::TooMany { .. } => most_clients(decoded, scenario),
        BindError::NoPorts => Some(decoded.place_of("topology")),
        _ => None,
    };
    let help = error.wrong_name().map(|(name, known)| {
        if known.is_empty() {
            return "there is none".to_owned();
        }
        let known = || known.iter().map(String::as_str);
        did_you_mean(name, known()).unwrap_or_else(|| there_are(known()))
    });
    let help = help.or_else(|| match error {
        BindError::Storage(error) => error.help(),
        error => error.help(),
    });
    let diagnostic = Diagnostic::error(error.id(), error.to_string());
    let diagnostic = diagnostic.at(place.unwrap_or_else(|| decoded.place.clone()));
    diagnostic.help_if(help)
}
