//! Reading and checking of sweep files.

use bandgraph_config::{Decoded, Decoder, DiskFiles, Files, Named, Problems, Reader, Set, input_hash};
use bandgraph_model::{BindError, Binder, Scenario};
use bandgraph_solve::bind_with;
use std::path::Path;

use bandgraph_diagnostics::{Diagnostic, Severity, Sources};

use super::axis::{Axis, AxisValue, Steps, Target};
use super::axis_values::{axis, join_groups, too_many};
use super::{
    Base, Comparison, DEFAULT_DRAWS, MAXIMUM_POINTS, Over, Sampling, SweepExpect, SweepFile, SweepMeasured,
    SweepMode, Workbench,
};
use crate::Metric;
use crate::descriptor::{SCENARIO, SWEEP};
use crate::load::{Document, FileKind, document};
use crate::measured_file::bounds;
use crate::open::assemble;

/// Maximum number of listed values of an axis that are tried when a file is read.
const TRIED: u64 = 100;

/// Maximum number of values of an axis that are searched for one that satisfies a comparison.
const LOOKED_AT: u64 = 100_000;

/// Maximum number of files that axes may vary together: each is read and kept in memory.
const MAXIMUM_BASES: usize = 64;

/// Loads a sweep with its scenario and with overrides given as `PATH=VALUE`, which apply to every point and
/// take precedence over the file.
///
/// # Errors
///
/// All problems of the files and overrides, in the order of their places in `sources`; at least one is an
/// error. An invalid value of an axis is a warning, not an error: the sweep records it.
pub fn load_sweep(path: &Path, sets: &[String], sources: &mut Sources) -> Result<SweepFile, Vec<Diagnostic>> {
    load_sweep_with(&DiskFiles, path, sets, sources)
}

/// [`load_sweep`] with another source of files.
///
/// # Errors
///
/// As [`load_sweep`].
pub fn load_sweep_with(
    files: &dyn Files,
    path: &Path,
    sets: &[String],
    sources: &mut Sources,
) -> Result<SweepFile, Vec<Diagnostic>> {
    let mut loader = Reader::new(files, sources);
    let document = document(&mut loader, path, None, Some(FileKind::Sweep));
    let sweep = document.and_then(|document| read(&mut loader, &document, path, sets));
    let problems = loader.problems;
    match sweep {
        Some(mut sweep) if !problems.has_errors() => {
            sweep.warnings = problems.into_sorted();
            Ok(sweep)
        }
        _ => Err(problems.into_sorted()),
    }
}

/// All problems of a sweep file that has been read.
pub(crate) fn check_sweep(loader: &mut Reader<'_>, document: &Document, path: &Path) {
    read(loader, document, path, &[]);
}

fn read(loader: &mut Reader<'_>, document: &Document, path: &Path, sets: &[String]) -> Option<SweepFile> {
    let mut decoder = Decoder::new(loader.sources, &mut loader.problems);
    let decoded = decoder.table(&SWEEP, &document.table, &document.place);
    let sampling = decoded.table("sample").map(Sampling::from_table);
    let sampled = decoded.fields.contains_key("sample") || document.table.contains_key("sample");
    let (axes, complete) = axes(&decoded, sampled, loader);
    let bases = bases(&decoded, &axes, sets, loader);
    let problems = &mut loader.problems;
    if complete && sampling.is_none() {
        let sizes =
            (0..axes.len()).map(|group| axes.iter().find(|axis| axis.group == group).and_then(Axis::size));
        let points = sizes.flatten().try_fold(1_u64, u64::checked_mul);
        if points.is_none_or(|points| points > MAXIMUM_POINTS) {
            problems.push(too_many(decoded.place_of("axis")));
        }
    }
    let filters = conditions(decoded.names("filter"), &axes, &decoded, problems);
    let expect = expectations(&decoded, &axes, problems);
    let measured = measured(&decoded, &axes, problems);
    let reference = reference(&decoded, &axes, problems);
    let needs_draws = !reference.is_empty() || expect.iter().any(|row| row.bound.probability.is_some());
    let draws = decoded.count("draws").and_then(|draws| u32::try_from(draws).ok());
    // From here on, a sweep with errors is only read for further problems.
    let bases = bases?;
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(b"bandgraph sweep 1\n")
        .update(input_hash(&document.table).as_bytes());
    for base in &bases {
        hasher.update(base.input_hash.as_bytes());
    }
    let mut sweep = SweepFile {
        name: decoded.text_or_empty("name"),
        description: decoded.text_or_empty("description"),
        path: path.to_owned(),
        overrides: sets.to_vec(),
        mode: decoded.text("mode").and_then(|word| word.parse().ok())?,
        explain: decoded.flag("explain")?,
        draws: draws.or(needs_draws.then_some(DEFAULT_DRAWS)),
        reference,
        axes,
        sampling,
        filters,
        expect,
        measured,
        max_errors: decoded.count("max_errors"),
        sweep_hash: hasher.finalize().to_hex().to_string(),
        warnings: Vec::new(),
        files: loader.sources.files_from(0),
        bases,
        servers: Vec::new(),
    };
    sweep.servers = try_values(&sweep, loader);
    Some(sweep)
}

/// All valid axes, in their groups, and whether all axes are valid.
fn axes(decoded: &Decoded, sampled: bool, loader: &mut Reader<'_>) -> (Vec<Axis>, bool) {
    let entries = decoded.entries("axis");
    let mut axes = Vec::new();
    for (group, entry) in entries.iter().enumerate() {
        axes.extend(axis(entry, group, sampled, loader.sources, &mut loader.problems));
    }
    if axes.len() < entries.len() || entries.is_empty() {
        if decoded.fields.contains_key("axis") && entries.is_empty() {
            let place = decoded.place_of("axis");
            loader
                .problems
                .push(Diagnostic::error("sweep::no_values", "a sweep varies something").at(place));
        }
        for (group, axis) in axes.iter_mut().enumerate() {
            axis.group = group;
        }
        return (axes, false);
    }
    let mut complete = true;
    for (index, (axis, entry)) in axes.iter().zip(entries).enumerate() {
        if let Some(first) = axes[..index]
            .iter()
            .find(|other| other.target.meets(&axis.target))
        {
            let message = format!("`{}` varies this already", first.id);
            loader
                .problems
                .push(Diagnostic::error("sweep::varied_twice", message).at(entry.place_of("path")));
            complete = false;
        }
    }
    columns(&axes, entries, &mut loader.problems);
    complete &= join_groups(&mut axes, entries, &mut loader.problems);
    (axes, complete)
}

/// Columns of results in addition to those of axes and metrics.
const OWN_COLUMNS: [&str; 10] = [
    "point",
    "bottleneck",
    "bottleneck_kind",
    "bottleneck_utilisation",
    "next_bottleneck",
    "next_bottleneck_throughput_gain",
    "error_id",
    "error",
    "input_hash",
    "software_profile",
];

/// Suffixes of the columns with the ends of the interval of a metric.
pub const INTERVAL_COLUMNS: [&str; 2] = ["_low", "_high"];

/// Suffixes of the columns with the interval of a metric relative to the reference, minus one.
pub const GAIN_COLUMNS: [&str; 2] = ["_gain_low", "_gain_high"];

/// Prefix of the columns with the saturation of resources of a kind.
pub const SATURATION_COLUMNS: &str = "saturation_";

/// The start of the columns of results that say in which share of the draws an expectation holds.
pub const LIKELIHOOD_COLUMNS: &str = "likelihood_";

/// Checks that every axis has its own column.
fn columns(axes: &[Axis], entries: &[Decoded], problems: &mut Problems) {
    for (index, (axis, entry)) in axes.iter().zip(entries).enumerate() {
        let column = axis.column();
        let taken = Metric::from_name(&column).is_some()
            || OWN_COLUMNS.contains(&column.as_str())
            || column.starts_with(SATURATION_COLUMNS)
            || column.starts_with(LIKELIHOOD_COLUMNS)
            || [INTERVAL_COLUMNS, GAIN_COLUMNS].iter().flatten().any(|end| {
                let stem = column.strip_suffix(end);
                stem.and_then(Metric::from_name).is_some()
            })
            || axes[..index].iter().any(|other| other.column() == column);
        if taken {
            let message = format!("results have a column `{column}` already");
            problems.push(
                Diagnostic::error("sweep::column_taken", message)
                    .at(entry.place_of("id"))
                    .help("give the axis another name"),
            );
        }
    }
}

impl Target {
    fn is_scenario(&self) -> bool {
        matches!(self, Self::Scenario)
    }

    fn is_topology(&self) -> bool {
        matches!(self, Self::Topology)
    }

    /// Whether both vary the same.
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Field(one), Self::Field(other)) => one.meets(other),
            (Self::Scenario, Self::Scenario) | (Self::Topology, Self::Topology) => true,
            _ => false,
        }
    }

    /// Whether an override has no effect, since every point has a value of this target.
    fn replaces(&self, set: &Set) -> bool {
        match self {
            Self::Field(field) => field.meets(set),
            Self::Scenario => false,
            Self::Topology => set.names_mounted_file(&SCENARIO),
        }
    }
}

/// The base scenarios of points: for every file of an axis over `scenario`, every file of one over
/// `topology`.
fn bases(decoded: &Decoded, axes: &[Axis], sets: &[String], loader: &mut Reader<'_>) -> Option<Vec<Base>> {
    let own = Named {
        text: decoded.text("scenario")?.to_owned(),
        place: decoded.place_of("scenario"),
    };
    let files = |wanted: fn(&Target) -> bool| -> Option<&[AxisValue]> {
        match axes
            .iter()
            .find(|axis| wanted(&axis.target))
            .map(|axis| &axis.steps)?
        {
            Steps::Listed(values) => Some(values),
            _ => None,
        }
    };
    let scenarios: Vec<Named> = match files(Target::is_scenario) {
        Some(values) => values
            .iter()
            .map(|value| Named {
                text: value.text.clone(),
                place: value.node.place.clone(),
            })
            .collect(),
        None => vec![own],
    };
    let topologies: Vec<Option<&AxisValue>> = match files(Target::is_topology) {
        Some(values) => values.iter().map(Some).collect(),
        None => vec![None],
    };
    let shared = shared_sets(decoded, sets, loader);
    for set in &shared {
        let Some(axis) = axes.iter().find(|axis| axis.target.replaces(set)) else {
            continue;
        };
        let message = format!("the axis `{}` gives every point a value of this", axis.id);
        loader.problems.push(
            Diagnostic::error("sweep::varied_twice", message)
                .at(set.place())
                .help(format!(
                    "its values are {}; `filter` selects points",
                    axis.extent()
                )),
        );
    }
    if scenarios.len() * topologies.len() > MAXIMUM_BASES {
        let message = format!("at most {MAXIMUM_BASES} files can be varied");
        loader
            .problems
            .push(Diagnostic::error("sweep::too_many_points", message).at(decoded.place_of("axis")));
        return None;
    }
    let mut bases = Vec::new();
    for scenario in &scenarios {
        for topology in &topologies {
            let mut sets = shared.clone();
            if let Some(value) = topology {
                let place = value.node.place.clone();
                sets.extend(Set::of(
                    "topology",
                    &place,
                    value.node.clone(),
                    &mut loader.problems,
                ));
            }
            let path = loader.beside(&scenario.place, &scenario.text);
            let document = document(loader, &path, Some(&scenario.place), Some(FileKind::Scenario))?;
            let assembled = assemble(loader, document, sets);
            if assembled.topology_unreadable {
                return None;
            }
            bases.push(Base::new(assembled));
        }
    }
    Some(bases)
}

/// The overrides of the file for all points, followed by those of the command line.
fn shared_sets(decoded: &Decoded, sets: &[String], loader: &mut Reader<'_>) -> Vec<Set> {
    let mut shared = Vec::new();
    for written in decoded.names("set") {
        shared.extend(Set::parse_at(&written.text, &written.place, &mut loader.problems));
    }
    for set in sets {
        shared.extend(Set::parse(set, loader.sources, &mut loader.problems));
    }
    shared
}

/// Parses comparisons. Those with an invalid axis are skipped.
fn comparisons(
    written: &[Named],
    axes: &[Axis],
    decoded: &Decoded,
    problems: &mut Problems,
) -> Vec<Comparison> {
    let declared: Vec<&str> = decoded
        .entries("axis")
        .iter()
        .filter_map(|entry| entry.text("id"))
        .collect();
    let read = |written: &Named| Comparison::read(written, axes, &declared, problems);
    written.iter().filter_map(read).collect()
}

/// Comparisons that select points, with a warning for each that selects none.
fn conditions(
    written: &[Named],
    axes: &[Axis],
    decoded: &Decoded,
    problems: &mut Problems,
) -> Vec<Comparison> {
    let mut all = Vec::new();
    for written in written {
        let Some(comparison) = comparisons(std::slice::from_ref(written), axes, decoded, problems).pop()
        else {
            continue;
        };
        let axis = &axes[comparison.axis()];
        let is_tried = axis.size().is_some_and(|size| size <= LOOKED_AT) && !comparison.is_of_two_axes();
        if is_tried && comparison.first_step(axis).is_none() {
            let message = format!("this holds for no value of `{}`", axis.id);
            problems.push(
                Diagnostic::warning("sweep::no_point", message)
                    .at(written.place.clone())
                    .help(format!("its values are {}", axis.extent())),
            );
        }
        all.push(comparison);
    }
    all
}

/// The reference step of each group of axes that has one.
fn reference(decoded: &Decoded, axes: &[Axis], problems: &mut Problems) -> Vec<(usize, u64)> {
    let mut found: Vec<(usize, u64)> = Vec::new();
    for written in decoded.names("reference") {
        let read = comparisons(std::slice::from_ref(written), axes, decoded, problems).pop();
        let Some(comparison) = read else { continue };
        let axis = &axes[comparison.axis()];
        let step = comparison
            .is_assignment()
            .then(|| comparison.first_step(axis))
            .flatten();
        let is_first = !found.iter().any(|(group, _)| *group == axis.group);
        match step {
            Some(step) if is_first => found.push((axis.group, step)),
            _ => {
                let message = format!("this is not one value of `{}`", axis.id);
                problems.push(
                    Diagnostic::error("sweep::comparison", message)
                        .at(written.place.clone())
                        .help("a reference is an axis, `==`, and one of its values, once for each axis"),
                );
            }
        }
    }
    found
}

fn expectations(decoded: &Decoded, axes: &[Axis], problems: &mut Problems) -> Vec<SweepExpect> {
    let mut all = Vec::new();
    for entry in decoded.entries("expect").iter().filter(|entry| entry.sound) {
        let Some(bound) = bounds(entry, problems) else {
            continue;
        };
        let over = entry.text("over").and_then(|word| word.parse().ok());
        let over = over.unwrap_or(Over::Each);
        if bound.probability.is_some() && over != Over::Each {
            let message = format!("the {} of all points has no probability", over.as_str());
            problems.push(
                Diagnostic::error("scenario::no_interval", message)
                    .at(entry.place_of("probability"))
                    .help("ask it of each point: `over = \"each\"`"),
            );
        }
        if bound.metric.is_of_simulations() && decoded.text("mode") == Some(SweepMode::Predict.as_str()) {
            let message = format!("predictions have no {}", bound.metric);
            problems.push(
                Diagnostic::error("sweep::only_simulated", message)
                    .at(entry.place_of("metric"))
                    .help("simulate the points: `mode = \"simulate\"`"),
            );
        }
        all.push(SweepExpect {
            id: entry.text_or_empty("id"),
            bound,
            over,
            when: conditions(entry.names("when"), axes, decoded, problems),
        });
    }
    all
}

fn measured(decoded: &Decoded, axes: &[Axis], problems: &mut Problems) -> Vec<SweepMeasured> {
    let entries = decoded.entries("measured").iter().filter(|entry| entry.sound);
    let read = |entry: &Decoded| {
        Some(SweepMeasured {
            id: entry.text_or_empty("id"),
            metric: *entry.custom("metric")?,
            value: *entry.custom("value")?,
            when: conditions(entry.names("when"), axes, decoded, problems),
            source: entry.text_or_empty("source"),
        })
    };
    entries.filter_map(read).collect()
}

/// Tries the values of each group of axes, with the first values of all others. A problem of all tried values
/// is an error of the sweep; a problem of some is a warning, because the sweep records it. Returns the
/// scenarios that differ in software profile or years of processors.
fn try_values(sweep: &SweepFile, loader: &mut Reader<'_>) -> Vec<Scenario> {
    let (mut bench, mut binder) = (Workbench::new(), Binder::new());
    let mut tried: Vec<(usize, String, Vec<Diagnostic>)> = Vec::new();
    let mut servers: Vec<Scenario> = Vec::new();
    for group in 0..sweep.groups() {
        for step in 0..sweep.group_size(group).unwrap_or(1).min(TRIED) {
            let values = sweep
                .axes
                .iter()
                .map(|axis| axis.value(if axis.group == group { step } else { 0 }));
            let values: Vec<AxisValue> = values.collect();
            let prepared = sweep.prepare(&values, loader.sources, &mut bench);
            let mut of_group = sweep
                .axes
                .iter()
                .zip(&values)
                .filter(|(axis, _)| axis.group == group);
            let shown = of_group
                .next()
                .map(|(axis, value)| format!("`{}` = {}", axis.id, value.text));
            let problems = match prepared.scenario {
                Ok(scenario) => {
                    if servers.iter().all(|known| decades(known) != decades(&scenario)) {
                        servers.push(scenario.clone());
                    }
                    let error = bind_with(&scenario, &mut binder).err();
                    bench.take_back(scenario);
                    error
                        .map(|error| unanswerable(&error, sweep, group, &values))
                        .into_iter()
                        .collect()
                }
                Err(diagnostics) => diagnostics,
            };
            tried.push((group, shown.unwrap_or_default(), problems));
        }
    }
    for found in tried.iter().flat_map(|(_, _, problems)| problems) {
        let same = |other: &Diagnostic| other.id == found.id && other.message == found.message;
        let has = |problems: &[Diagnostic]| problems.iter().any(same);
        // Axes whose other values do not have the problem.
        let telling = |of: usize| {
            tried
                .iter()
                .any(|(group, _, problems)| *group == of && !has(problems))
        };
        let with = tried
            .iter()
            .filter(|(group, _, problems)| has(problems) && telling(*group));
        let with: Vec<&str> = with.map(|(_, shown, _)| shown.as_str()).collect();
        let mut found = found.clone();
        if !with.is_empty() {
            found = found.help(format!("with {}", listed(&with)));
        }
        if found.is_error() && !tried.iter().all(|(_, _, problems)| has(problems)) {
            found.severity = Severity::Warning;
        }
        loader.problems.push(found);
    }
    servers
}

/// Values of axes in a sentence, the first few of them.
fn listed(values: &[&str]) -> String {
    /// The most that are named.
    const NAMED: usize = 4;
    let named = values.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    match values.len().saturating_sub(NAMED) {
        0 => named,
        others => format!("{named} and {others} more"),
    }
}

/// The software profile of a scenario and the years of its processors.
fn decades(scenario: &Scenario) -> (&str, Vec<u64>) {
    let sockets = scenario.topology.sockets().iter();
    let mut years: Vec<u64> = sockets.map(|socket| socket.part.year).collect();
    years.sort_unstable();
    years.dedup();
    (&scenario.stack.name, years)
}

/// The diagnostic for a bind error, at the value of the axis that was tried.
fn unanswerable(error: &BindError, sweep: &SweepFile, group: usize, values: &[AxisValue]) -> Diagnostic {
    let diagnostic = Diagnostic::error(error.id(), error.to_string());
    match sweep
        .axes
        .iter()
        .zip(values)
        .find(|(axis, _)| axis.group == group)
    {
        Some((_, value)) => diagnostic.at(value.node.place.clone()),
        None => diagnostic,
    }
}
