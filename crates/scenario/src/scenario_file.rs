//! Conversion of a decoded scenario into checked values.

use bandgraph_config::{Decoded, MAXIMUM_CANDIDATES, Origin, Problems, normal};
use bandgraph_model::{Network, RunSettings, Scenario, Stack, usual_profile};
use bandgraph_simulate::{ReplaySettings, Timing};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bandgraph_diagnostics::{Diagnostic, Sources, did_you_mean, there_are};
use bandgraph_hardware::{AnyPart, NetworkSwitchPart};
use bandgraph_topology::Topology;
use bandgraph_units::OperationRate;
use bandgraph_workload::{
    Arrivals, ClientGroup, Cluster, InvalidField, Job, Medium, Problem, ProtocolKind, Workload,
};

use crate::TraceFile;
use crate::{storage_file, unused_settings};

/// The scenario that a table describes, on a topology that is built already. `None` if anything is wrong with
/// either.
pub(crate) fn build(
    decoded: &Decoded,
    topology: Option<Topology>,
    problems: &mut Problems,
) -> Option<Scenario> {
    let clients: Vec<ClientGroup> = decoded.entries("clients").iter().map(client_group).collect();
    let workloads = decoded.entries("workload").iter();
    let named = decoded
        .table("stack")
        .and_then(|table| table.made_as::<Stack>())
        .filter(|stack| !stack.is_default);
    let protocol = usual_protocol(named);
    let workloads: Vec<Workload> = workloads
        .map(|entry| workload(entry, &clients, protocol))
        .collect();
    let run = run_settings(decoded.table("run"), &workloads);

    let groups: BTreeMap<&str, &ClientGroup> =
        clients.iter().map(|group| (group.id.as_str(), group)).collect();
    // A group whose id could not be read may be the one that is meant.
    let names_are_known = decoded.fields.contains_key("clients")
        && decoded
            .entries("clients")
            .iter()
            .all(|entry| entry.text("id").is_some());
    for (entry, group) in decoded.entries("clients").iter().zip(&clients) {
        report(entry, &group.validate(), problems);
    }
    for (entry, workload) in decoded.entries("workload").iter().zip(&workloads) {
        report(entry, &workload.validate(), problems);
        match groups.get(workload.clients.as_str()) {
            Some(group) => report(entry, &workload.validate_with(group), problems),
            None if entry.text("clients").is_some() && names_are_known => {
                unknown_clients(entry, workload, &clients, problems);
            }
            None => {}
        }
    }
    if let Some(entry) = decoded.table("run") {
        report(entry, &run.network.validate(), problems);
    }
    if let Some(topology) = &topology {
        ports(decoded, topology, problems);
    }
    traces(decoded, problems);
    check_not_empty(decoded, problems);
    // A group that is unused because a workload misspells it has been spoken of already.
    if workloads
        .iter()
        .all(|workload| groups.contains_key(workload.clients.as_str()))
    {
        unused_settings::unused_clients(decoded, &workloads, problems);
        unused_settings::fields_of_hosts(decoded, &workloads, problems);
        unused_settings::fields_of_files(decoded, &workloads, problems);
        unused_settings::pools_without_files(decoded, &workloads, problems);
        unused_settings::hits_without_pools(decoded, &workloads, problems);
        unused_settings::costs_of_encryption(decoded, &workloads, problems);
    }
    let cluster = decoded
        .table("cluster")
        .map(Cluster::from_table)
        .unwrap_or_default();
    if let Some(entry) = decoded.table("cluster") {
        report(entry, &cluster.validate(), problems);
    }
    let mut storage = storage_file::storage(decoded, problems);
    let topology = topology?;
    storage_file::add_cards(&mut storage, &topology);
    Some(Scenario {
        name: decoded.text_or_empty("name"),
        stack: stack(decoded.table("stack"), &topology, &workloads),
        topology,
        cluster,
        networks: decoded.entries("network").iter().map(network).collect(),
        storage,
        clients,
        workloads,
        run,
    })
}

/// The stack of a scenario; where it names none, the usual one of its server and its first workload, with the
/// figures that it gives.
fn stack(table: Option<&Decoded>, topology: &Topology, workloads: &[Workload]) -> Stack {
    let given = table.and_then(|table| table.made_as::<Stack>());
    let given = given.cloned().unwrap_or_else(|| Stack {
        is_default: true,
        ..Stack::fishworks_2009()
    });
    let years = topology.sockets().iter().map(|socket| socket.part.year);
    let protocol = workloads
        .first()
        .map_or(ProtocolKind::Nfs3Tcp, |workload| workload.protocol);
    let usual = given
        .is_default
        .then(|| usual_profile(years.max().unwrap_or(0), protocol));
    let Some(usual) = usual.flatten().filter(|usual| usual.name != given.name) else {
        return given;
    };
    let mut stack = Stack {
        is_default: true,
        ..usual.clone()
    };
    if let Some(table) = table {
        for field in table.described.keys() {
            if let Some(value) = given.get(field) {
                // It was valid for the other profile, and the range of a field is the same for all.
                let _ = stack.set(field, value);
            }
        }
        let mut origin = Origin::of(table, Some(&usual.origin));
        origin.are_certain(&table.figures);
        stack.origin = Arc::new(origin);
    }
    stack
}

fn network(entry: &Decoded) -> Network {
    let part = match entry.made_as() {
        Some(AnyPart::NetworkSwitch(part)) => part.clone(),
        _ => NetworkSwitchPart::default(),
    };
    Network {
        id: entry.text_or_empty("id"),
        part,
    }
}

fn client_group(entry: &Decoded) -> ClientGroup {
    ClientGroup {
        figures: entry.given_figures(),
        ..ClientGroup::from_table(entry)
    }
}

/// The protocol of a workload that names none: NFS, unless a named software profile has others alone.
fn usual_protocol(named: Option<&Stack>) -> Option<ProtocolKind> {
    let has = &named?.protocols;
    let first = has.first().copied();
    first.filter(|_| !has.contains(&ProtocolKind::Nfs3Tcp))
}

fn workload(entry: &Decoded, clients: &[ClientGroup], usual: Option<ProtocolKind>) -> Workload {
    let mut given = Workload::from_table(entry);
    if let Some(usual) = usual.filter(|_| !is_given(entry, "protocol")) {
        given.protocol = usual;
    }
    let job: Option<Job> = entry.get("job");
    let cores = job.as_ref().map_or(1, |job| job.cores);
    let mut figures = entry.given_figures();
    if let Some(range) = figures
        .get_mut("threads_per_client")
        .and_then(|figure| figure.range.as_mut())
    {
        *range = range.map(|threads| threads * f64::from(cores));
    }
    Workload {
        arrivals: arrivals(entry, clients),
        threads_per_client: given.threads_per_client.saturating_mul(cores),
        job,
        gpus: storage_file::in_ranges(given.gpus),
        peers: storage_file::in_ranges(given.peers),
        figures,
        ..given
    }
}

/// A closed loop, unless there is a rate.
fn arrivals(entry: &Decoded, clients: &[ClientGroup]) -> Arrivals {
    let of_all = |rate: f64| {
        let group = clients
            .iter()
            .find(|group| Some(group.id.as_str()) == entry.text("clients"));
        rate * group.map_or(1.0, |group| f64::from(group.count))
    };
    let rate = entry.amount("rate");
    rate.or_else(|| entry.amount("rate_per_client").map(of_all))
        .map_or(Arrivals::Closed, |rate| Arrivals::Open {
            rate: OperationRate::new(rate),
            spacing: entry.get("arrivals").unwrap_or_default(),
        })
}

/// The trace of a workload, relative to the file that names it.
pub(crate) fn trace(decoded: &Decoded, sources: &Sources) -> Option<TraceFile> {
    let mut entries = decoded.entries("workload").iter().enumerate();
    let (workload, entry, path) =
        entries.find_map(|(at, entry)| entry.text("trace").map(|path| (at, entry, path)))?;
    let place = entry.place_of("trace");
    let folder = Path::new(sources.name(place.source)).parent();
    Some(TraceFile {
        path: normal(&folder.unwrap_or(Path::new("")).join(path)),
        settings: ReplaySettings {
            workload,
            timing: entry.get("timing").unwrap_or_default(),
            speed: entry.amount("speed").unwrap_or(1.0),
        },
    })
}

/// One workload can be replayed from a trace, at a speed above zero.
fn traces(decoded: &Decoded, problems: &mut Problems) {
    let mut first: Option<&Decoded> = None;
    for entry in decoded.entries("workload") {
        if let Some(speed) = entry.amount("speed")
            && !(speed.is_finite() && speed > 0.0)
        {
            problems.push(
                Diagnostic::error(
                    "scenario::trace_speed",
                    format!("a trace cannot be replayed {speed} times as fast"),
                )
                .at(entry.place_of("speed").label("not above 0"))
                .help("1 is as fast as it was recorded, 2 is twice as fast"),
            );
        }
        if entry.text("trace").is_none() {
            continue;
        }
        trace_schedule(entry, problems);
        match first {
            None => first = Some(entry),
            Some(first) => problems.push(
                Diagnostic::error(
                    "scenario::two_traces",
                    "two workloads are to be replayed from traces",
                )
                .at(entry.place_of("trace").label("the second"))
                .also(first.place_of("trace").label("the first"))
                .help("replay one, and describe the other by its rate or its threads"),
            ),
        }
    }
}

/// The times of a trace leave no room for a ramp, nor the pace of the server for an end.
fn trace_schedule(entry: &Decoded, problems: &mut Problems) {
    let fast = entry.text("timing") == Some(Timing::AsFastAsPossible.as_str());
    for (field, given, because) in [
        (
            "ramp",
            entry.amount("ramp").is_some_and(|ramp| ramp > 0.0),
            "has times of its own",
        ),
        (
            "stop",
            fast && entry.amount("stop").is_some(),
            "is replayed to its end, as fast as possible",
        ),
    ] {
        if given {
            problems.push(
                Diagnostic::error("scenario::trace_schedule", format!("a trace with a `{field}`"))
                    .at(entry.place_of(field).label(format!("the trace {because}")))
                    .also(entry.place_of("trace").label("the trace"))
                    .help(format!("leave out `{field}`")),
            );
        }
    }
}

/// The settings of a run; windows that the file gives are kept as they are.
fn run_settings(table: Option<&Decoded>, workloads: &[Workload]) -> RunSettings {
    let is_given = |field: &str| table.is_some_and(|entry| is_given(entry, field));
    let mut run = RunSettings {
        keep_warm_up: is_given("warm_up"),
        keep_duration: is_given("duration"),
        latency_is_default: !is_given("network_latency"),
        ..table.map(RunSettings::from_table).unwrap_or_default()
    };
    run.network.mtu_is_given = is_given("mtu");
    let mut media = workloads.iter().map(|workload| workload.protocol.medium());
    run.network.timestamps_are_given =
        is_given("tcp_timestamps") || media.all(|medium| matches!(medium, Medium::Rdma | Medium::None));
    run
}

/// Whether the file gives a field: a default is where its table is.
fn is_given(entry: &Decoded, field: &str) -> bool {
    let found = entry.fields.get(field);
    found.is_some_and(|found| found.place != entry.place)
}

/// Reports the errors of the workload crate, at the fields that it names. What could not be read has been
/// said, and its placeholder is nobody's mistake.
fn report(entry: &Decoded, invalid: &[InvalidField], problems: &mut Problems) {
    let was_read = |field: &str| entry.fields.contains_key(field);
    let is_of_file = |invalid: &&InvalidField| {
        entry.sound
            || match invalid.problem {
                Problem::Empty | Problem::Repeated { .. } => was_read(&invalid.field),
                Problem::NoSuchOperation { .. } => was_read("mix") && was_read("protocol"),
                Problem::LargerThanWorkingSet { .. } => was_read("io_size") && was_read("working_set"),
                _ => false,
            }
    };
    for field in invalid.iter().filter(is_of_file) {
        problems
            .push(Diagnostic::error(field.problem.id(), field.to_string()).at(entry.place_of(&field.field)));
    }
}

fn unknown_clients(entry: &Decoded, workload: &Workload, clients: &[ClientGroup], problems: &mut Problems) {
    if problems.is_full() {
        return;
    }
    let known = || {
        clients
            .iter()
            .take(MAXIMUM_CANDIDATES)
            .map(|group| group.id.as_str())
    };
    let help = did_you_mean(&workload.clients, known()).unwrap_or_else(|| there_are(known()));
    problems.push(
        Diagnostic::error(
            "reference::unknown_clients",
            format!(
                "workload `{}` is for clients `{}`, which are not there",
                workload.id, workload.clients
            ),
        )
        .at(entry.place_of("clients").label("not known"))
        .help(help),
    );
}

/// Checks that every port named by clients exists.
fn ports(decoded: &Decoded, topology: &Topology, problems: &mut Problems) {
    let known: BTreeSet<&str> = topology.ports().iter().map(|port| port.id.as_str()).collect();
    for entry in decoded.entries("clients").iter().chain(decoded.table("cluster")) {
        for port in entry
            .names("ports")
            .iter()
            .filter(|port| !known.contains(port.text.as_str()))
        {
            if problems.is_full() {
                return;
            }
            let help = did_you_mean(&port.text, known.iter().copied())
                .unwrap_or_else(|| there_are(known.iter().copied()));
            problems.push(
                Diagnostic::error(
                    "reference::unknown_port",
                    format!("no network card of the topology has a port `{}`", port.text),
                )
                .at(port.place.clone().label("not known"))
                .help(help),
            );
        }
    }
}

/// Reports lists of entries that are present and empty.
fn check_not_empty(decoded: &Decoded, problems: &mut Problems) {
    for (field, id, message) in [
        ("clients", "scenario::no_clients", "there are no clients"),
        ("workload", "scenario::no_workload", "there is no workload"),
    ] {
        let given = decoded.fields.contains_key(field);
        if given && decoded.entries(field).is_empty() {
            problems.push(Diagnostic::error(id, message).at(decoded.place_of(field)));
        }
    }
}
