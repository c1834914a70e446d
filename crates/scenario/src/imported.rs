//! Predefined workloads for imported servers.

use std::path::{Path, PathBuf};

use bandgraph_config::MemoryFiles;
use bandgraph_diagnostics::{Diagnostic, Sources, did_you_mean};

use bandgraph_import::{Assumption, Machine, TopologyText, topology};
use bandgraph_model::Scenario;
use bandgraph_topology::Port;

use crate::Loaded;
use crate::open::{check_with, load_with};

/// The named workloads: each is a scenario with the topology `server.toml`, and the usual software of its
/// protocol.
const WORKLOADS: &[(&str, &str)] = &[
    ("read-1m", include_str!("../workloads/read-1m.toml")),
    ("read-8k", include_str!("../workloads/read-8k.toml")),
    ("metadata", include_str!("../workloads/metadata.toml")),
    ("smb-1m", include_str!("../workloads/smb-1m.toml")),
    ("http-1m", include_str!("../workloads/http-1m.toml")),
    ("memcached-4k", include_str!("../workloads/memcached-4k.toml")),
    ("stream", include_str!("../workloads/stream.toml")),
];

/// The name of the topology in the workloads, and in messages: the user has no such file.
const SERVER: &str = "imported server";

/// The names of the predefined workloads.
pub fn workload_names() -> impl Iterator<Item = &'static str> {
    WORKLOADS.iter().map(|(name, _)| *name)
}

/// The command that writes the topology, to be read and corrected.
const WRITES_IT: &str = "`bandgraph import FILE... -o server.toml` writes the imported server";

/// Assumptions that a warning lists.
const LISTED: usize = 10;

/// The path of the ports of a named workload.
const PORTS: &str = "clients.clients.ports=";

/// Problems in the words of those who have outputs of a machine, and no file of settings. What follows from
/// assumptions is not said: these are listed, and the user has no other part to choose for one.
fn of_machine(mut diagnostics: Vec<Diagnostic>, sources: &Sources) -> Vec<Diagnostic> {
    diagnostics.retain(|found| found.is_error() || !is_of_assumption(found, sources));
    for found in &mut diagnostics {
        let place = found.primary.as_ref();
        if found.id == "sim::no_ports" {
            found.primary = None;
            "no file of the machine names a network card".clone_into(&mut found.message);
            found.help = vec!["add the output of `lspci -Dvvvnn` to `--from`".to_owned()];
        } else if place.is_some_and(|place| sources.name(place.source) == SERVER) {
            found.help.push(WRITES_IT.to_owned());
        }
    }
    diagnostics
}

/// The fastest ports of a server, which the clients of a named workload use. Empty if those are all, or if
/// the user says which.
fn fastest_ports(scenario: &Scenario, sets: &[String]) -> Vec<String> {
    let ports = scenario.topology.ports();
    let rate = |port: &Port| port.kind.rate.get();
    let fastest = ports.iter().map(rate).fold(0.0, f64::max);
    let used = ports.iter().filter(|port| rate(port) >= fastest);
    let used: Vec<String> = used.map(|port| format!("\"{}\"", port.id)).collect();
    let is_given = sets.iter().any(|set| set.replace(' ', "").starts_with(PORTS));
    if is_given || used.len() == ports.len() {
        Vec::new()
    } else {
        used
    }
}

/// Whether a warning is about a line that the import wrote without a file that says it.
fn is_of_assumption(warning: &Diagnostic, sources: &Sources) -> bool {
    warning.primary.as_ref().is_some_and(|place| {
        let text = sources.text(place.source);
        let begin = text[..place.range.start].rfind('\n').map_or(0, |end| end + 1);
        let line = text[begin..].lines().next().unwrap_or_default();
        sources.name(place.source) == SERVER && line.contains("# assumed: ")
    })
}

/// Assumptions, each reason once with the first of its values, and how many more reasons there are.
fn listed(assumptions: &[Assumption]) -> String {
    let mut reasons: Vec<(&Assumption, usize)> = Vec::new();
    for one in assumptions {
        let is_same = |known: &&Assumption| known.field == one.field && known.why == one.why;
        match reasons.iter_mut().find(|(known, _)| is_same(known)) {
            Some((_, count)) => *count += 1,
            None => reasons.push((one, 1)),
        }
    }
    let more = reasons.len().saturating_sub(LISTED);
    let lines = reasons.into_iter().take(LISTED).map(|(one, count)| {
        // A figure with its range has its value alone.
        let figure = one.value.strip_prefix("{ value = ");
        let value = figure
            .and_then(|rest| rest.split_once(", range"))
            .map_or(&*one.value, |(value, _)| value);
        let times = if count > 1 {
            format!(" ({count} times)")
        } else {
            String::new()
        };
        format!("\n{} = {value}{times}: {}", one.field, one.why)
    });
    let rest = (more > 0).then(|| format!("\nand {more} more"));
    std::iter::once("they are".to_owned())
        .chain(lines)
        .chain(rest)
        .collect()
}

/// The topology of an imported machine, checked by `check`.
///
/// # Errors
///
/// Facts that no file contains and a topology needs, and the problems found by `check`: too many elements,
/// and contradictory links.
pub fn imported_topology(machine: &Machine, sources: &mut Sources) -> Result<TopologyText, Vec<Diagnostic>> {
    let written = topology(machine, sources).map_err(|error| vec![*error])?;
    let memory = MemoryFiles::new().with(SERVER, written.text.clone());
    let mut problems = check_with(&memory, Path::new(SERVER), sources);
    problems.retain(Diagnostic::is_error);
    if problems.is_empty() {
        return Ok(written);
    }
    let message = "the files describe a server that cannot be";
    problems.push(
        Diagnostic::error("import::impossible", message)
            .help("each line of the topology names its source (file and line): is one of them damaged?"),
    );
    Err(problems)
}

/// The scenario of a named workload on a server described by the outputs of programs.
///
/// # Errors
///
/// Unreadable files, missing facts that a topology needs, and all problems of the overrides.
pub fn load_imported(
    paths: &[PathBuf],
    workload: &str,
    sets: &[String],
    sources: &mut Sources,
) -> Result<Loaded, Vec<Diagnostic>> {
    let Some((_, scenario)) = WORKLOADS.iter().find(|(name, _)| *name == workload) else {
        return Err(vec![
            Diagnostic::error(
                "import::unknown_workload",
                format!("there is no workload `{workload}`"),
            )
            .help_if(did_you_mean(workload, workload_names()))
            .help(format!(
                "there are {}",
                workload_names().collect::<Vec<_>>().join(", ")
            )),
        ]);
    };
    let (machine, gathered) = bandgraph_import::import(paths, sources);
    if gathered.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(gathered.diagnostics);
    }
    let server = imported_topology(&machine, sources)?;
    let file = format!("workload {workload}");
    let memory = MemoryFiles::new()
        .with(SERVER, server.text)
        .with(&*file, *scenario);
    let mut load = |sets: &[String]| {
        let loaded = load_with(&memory, Path::new(&file), sets, sources);
        loaded.map_err(|problems| of_machine(problems, sources))
    };
    let mut loaded = load(sets)?;
    let ports = fastest_ports(&loaded.scenario, sets).join(", ");
    if !ports.is_empty() {
        let own = format!("{PORTS}[{ports}]");
        loaded = load(&[&[own], sets].concat())?;
        loaded.warnings.push(
            Diagnostic::warning(
                "import::assumption",
                "the clients use the fastest ports of the server only",
            )
            .help(format!("they are {ports}; `--set '{PORTS}[...]'` names others")),
        );
    }
    loaded.warnings = of_machine(loaded.warnings, sources);
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    loaded.path = format!("{} with the workload {workload}", names.join(", ")).into();
    loaded.fixed_cards = server.fixed_cards;
    loaded.warnings.extend(gathered.diagnostics);
    if !server.assumptions.is_empty() {
        let count = server.assumptions.len();
        loaded.warnings.push(
            Diagnostic::warning(
                "import::assumption",
                format!("no file says {count} values of the server: assumed ones take their place"),
            )
            .help(listed(&server.assumptions))
            .help(format!("{WRITES_IT}, with all of them in lines with `# assumed`"))
            .help("outputs of the script that `bandgraph import --collector` prints leave less to assume"),
        );
    }
    Ok(loaded)
}
