//! The files in `topologies/` and `scenarios/`: they load without diagnostics, agree with the publications,
//! and satisfy their expectations.

#![expect(clippy::disallowed_methods, reason = "tests read the files of the project")]

#[path = "shipped/binder.rs"]
mod binder;
#[path = "shipped/eight_sockets.rs"]
mod eight_sockets;
#[path = "shipped/overrides.rs"]
mod overrides;
#[path = "shipped/published.rs"]
mod published;
#[path = "shipped/sweeps.rs"]
mod sweeps;
#[path = "shipped/systems.rs"]
mod systems;
#[path = "shipped/upgrades.rs"]
mod upgrades;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Sources, render};
use bandgraph_scenario::{
    Loaded, Measured, Metric, check, load, load_folder, load_topology, scenario_folders,
};
use bandgraph_solve::{bind, predict};
use bandgraph_topology::{Topology, TopologySpec};
use bandgraph_units::Bandwidth;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every TOML file of a folder of the project.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    files.sort();
    files
}

/// Every scenario file, folder by folder; those of `common` are fragments.
fn scenario_files() -> Vec<PathBuf> {
    let folders = scenario_folders(&root().join("scenarios"));
    let of_folder = |folder: &PathBuf| files(&folder.display().to_string());
    folders.iter().flat_map(of_folder).collect()
}

/// Every scenario of the project, including each case of files with cases.
fn shipped() -> Vec<Loaded> {
    load_folder(&root().join("scenarios"), &[], &mut Sources::new()).expect("they load without an error")
}

fn scenario(name: &str, sets: &[&str]) -> Loaded {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let mut sources = Sources::new();
    let path = root().join("scenarios").join(format!("{name}.toml"));
    match load(&path, &sets, &mut sources) {
        Ok(loaded) => loaded,
        Err(problems) => unreachable!("{}", render::full(&problems, &sources, false)),
    }
}

fn topology(name: &str) -> Topology {
    let mut sources = Sources::new();
    let path = root().join("topologies").join(format!("{name}.toml"));
    match load_topology(&path, &[], &mut sources) {
        Ok(loaded) => loaded.topology,
        Err(problems) => unreachable!("{}", render::full(&problems, &sources, false)),
    }
}

/// Bytes at the network ports in the steady state, in GiB/s.
fn network_gib(loaded: &Loaded) -> f64 {
    let bound = &loaded.bound;
    let outcome = predict(bound).expect("the steady state is found");
    outcome.throughput.network.get() / 1_073_741_824.0
}

/// One representative of equal clients: the same steady state, and all resources are counted.
#[test]
fn merged_clients_are_predicted_as_all_of_them_are() {
    let (mut merged_any, mut folders) = (0, shipped());
    folders.extend([
        scenario("7410-istanbul/oss-8k", &["workload.*.threads_per_client=3"]),
        scenario(
            "7410-istanbul/disk-write",
            &["clients.*.count=7", "clients.*.nics.count=3"],
        ),
        scenario("7410-barcelona/launch", &["workload.*.rate=900 ops/s"]),
    ]);
    // Threads bound to cores of ports: a few kinds of clients, for any number of clients.
    for (name, clients) in [
        ("x2270/memcached-opensolaris", 500),
        ("x2270/memcached-linux", 333),
    ] {
        let loaded = scenario(name, &[&format!("clients.*.count={clients}")]);
        let all = bind(&loaded.scenario).expect("it can be bound");
        let (groups, of_all) = (loaded.bound.threads.len(), all.threads.len());
        assert!(
            groups * 5 < of_all,
            "{name}: {groups} groups of threads of {of_all}"
        );
        assert!(loaded.bound.resources.len() < all.resources.len(), "{name}");
        folders.push(loaded);
    }
    for loaded in folders {
        let name = &loaded.name;
        let merged = &loaded.bound;
        let all = bind(&loaded.scenario).expect("it can be bound");
        merged_any += usize::from(merged.threads.len() < all.threads.len());
        assert_eq!(merged.threads(), all.threads(), "{name}");
        let whole = predict(&all).expect("a steady state");
        let found = predict(merged).expect("a steady state");
        let same = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(b.abs()) + 1e-9;
        let (a, b) = (whole.totals(), found.totals());
        assert!(
            same(a.throughput.operations.get(), b.throughput.operations.get()),
            "{name}: {a:?} {b:?}"
        );
        assert!(
            same(a.mean_latency.get(), b.mean_latency.get()),
            "{name}: {a:?} {b:?}"
        );
        let uses = whole.resources.iter().map(|of| (&of.id, of.utilisation()));
        let uses: BTreeMap<&String, f64> = uses.collect();
        let mut counted = 0;
        for resource in &found.resources {
            counted += resource.count as usize;
            let (one, other) = (resource.utilisation(), uses[&resource.id]);
            assert!(
                (one - other).abs() < 1e-6,
                "{name}: {} {one} {other}",
                resource.id
            );
        }
        assert_eq!(counted, uses.len(), "{name}");
    }
    assert!(merged_any > 30, "{merged_any}");
}

#[test]
fn all_of_them_are_without_errors_and_warnings() {
    let all = [files("topologies"), files("topologies/modern"), scenario_files()].concat();
    assert!(all.len() >= 5, "{all:?}");
    for path in all {
        let mut sources = Sources::new();
        let mut problems = check(&path, &mut sources);
        // Of some machines of held-out tests there is no profile of their years, one scenario asks what the
        // software of 2009 would do on a server of 2023, and two are about records of ZFS.
        let unfit = [
            "modern",
            "old-local",
            "server-2023",
            "mail-store.toml",
            "disk-random-8k.toml",
        ];
        let unfit = path.iter().any(|part| unfit.iter().any(|unfit| part == *unfit));
        problems.retain(|problem| !unfit || problem.id != "scenario::unfit_profile");
        assert!(
            problems.is_empty(),
            "{}",
            render::full(&problems, &sources, false)
        );
    }
}

#[test]
fn barcelona_is_as_published() {
    let topology = topology("sun-7410-barcelona");
    let capacity = |id: &str| topology.resource(id).map(|resource| resource.capacity);
    for link in ["cpu0-cpu1", "cpu1-cpu0", "cpu0-cpu2", "cpu1-cpu3", "cpu2-cpu3"] {
        assert_eq!(capacity(&format!("link.{link}")), Some(4e9), "{link}");
    }
    assert_eq!(capacity("link.cpu2-cpu3.b"), None);
    assert_eq!(capacity("bridge.mcp55.out"), Some(4e9));
    assert_eq!(capacity("slot.s1.out"), Some(2e9));
    assert_eq!(capacity("port.nic0.0.out"), Some(1.25e9));
    // Row 10gbe-line: 1.164 GiB/s.
    assert!((1.25e9_f64 / 1_073_741_824.0 - 1.164).abs() < 5e-4);
    let memory: f64 = topology
        .spec()
        .sockets
        .iter()
        .map(|socket| socket.memory.size.get())
        .sum();
    assert_eq!(memory, 128.0 * 1_073_741_824.0);
    assert_eq!(topology.jbods().len(), 8);
    // The routes of the diagonals with the best fit to the counters: over cpu2, cpu1, cpu3, cpu0.
    for (from, to, via) in [(0, 3, 2), (3, 0, 1), (1, 2, 3), (2, 1, 0)] {
        assert_eq!(topology.path(from, to), [from, via, to]);
    }
}

#[test]
fn istanbul_differs_in_processors_links_and_memory_alone() {
    let (before, after) = (topology("sun-7410-barcelona"), topology("sun-7410-istanbul"));
    let capacity = |id: &str| after.resource(id).map(|resource| resource.capacity);
    for link in ["cpu0-cpu1", "cpu0-cpu2", "cpu1-cpu3", "cpu2-cpu3", "cpu2-cpu3.b"] {
        assert_eq!(capacity(&format!("link.{link}")), Some(8.8e9), "{link}");
    }
    let (before, after) = (before.spec(), after.spec());
    assert_eq!(before.bridges, after.bridges);
    assert_eq!(before.slots, after.slots);
    assert_eq!(before.cards, after.cards);
    assert_eq!(before.jbods, after.jbods);
    // Responses take both links between cpu2 and cpu3.
    let requests = |spec: &TopologySpec| -> Vec<_> {
        let routes = spec.routes.iter();
        routes
            .map(|route| (route.from.clone(), route.to.clone(), route.via.clone()))
            .collect()
    };
    assert_eq!(requests(before), requests(after));
    for socket in &after.sockets {
        assert_eq!(
            (socket.part.cores, socket.part.name.as_str()),
            (6, "opteron-8435")
        );
        assert_eq!(socket.memory.size.get(), 64.0 * 1_073_741_824.0);
        assert_eq!(socket.memory.channels, 2);
    }
}

#[test]
fn both_machines_are_asked_the_same_by_the_same_software() {
    let barcelona = scenario("7410-barcelona/cached-read", &[]);
    let istanbul = scenario(
        "7410-istanbul/cached-read",
        &["workload.read.working_set=100 GiB"],
    );
    assert_eq!(barcelona.scenario.stack, istanbul.scenario.stack);
    assert_eq!(barcelona.scenario.clients, istanbul.scenario.clients);
    assert_eq!(barcelona.scenario.workloads, istanbul.scenario.workloads);
    assert_eq!(barcelona.scenario.run, istanbul.scenario.run);
    let group = &barcelona.scenario.clients[0];
    assert_eq!(
        (group.count, group.nics.count, group.nics.rate),
        (20, 2, Bandwidth::new(125e6))
    );
    let workload = &barcelona.scenario.workloads[0];
    assert_eq!(
        (workload.threads_per_client, workload.io_size.get()),
        (10, 1_048_576.0)
    );
    assert_eq!(barcelona.scenario.run.network.mtu.get(), 9000.0);
}

/// Rows of the published table without a scenario, and the reason.
const WITHOUT_SCENARIO: &[(&str, &str)] = &[(
    "10gbe-line",
    "a property of the standard, which the port's part has; nothing to predict",
)];

/// Rows with another unit in scenarios: the id, and the value there.
const CONVERTED: &[(&str, f64)] = &[
    // The line rate of 10GbE, of which 99 % is payload with jumbo frames.
    ("uperf-4s-barcelona", 9.9e9 / 8.0),
    // 50 GiB in 50 s.
    ("ht1-sum-1port-time", 1_073_741_824.0),
    // 38,348 sessions per hour, half of them on each of two stores, of 100 operations as that scenario
    // assumes.
    ("specmail-sessions", 532.6),
];

/// Published conditions of rows that are separate measurements in scenarios.
const CONDITIONS: &[&str] = &["ib-rdma-read-cpu"];

/// A row of the published table: its id, metric, value, unit, statistic and source.
fn published() -> Vec<[String; 6]> {
    let table = include_str!("data/measured.csv");
    let rows = table.lines().skip(1).map(|line| {
        let mut fields = vec![String::new()];
        let mut quoted = false;
        for letter in line.chars() {
            match letter {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                letter => fields.last_mut().expect("there is one").push(letter),
            }
        }
        let [id, _, _, metric, value, unit, statistic, _, source] = &fields[..] else {
            panic!("nine fields in {line}")
        };
        [id, metric, value, unit, statistic, source].map(Clone::clone)
    });
    rows.collect()
}

/// Every row of the published table is a measurement of a scenario, with the published value and source, or
/// has a reason; and every measurement is a row of the table.
#[test]
fn measurements_are_as_published() {
    let published = published();
    assert_eq!(published.len(), 226);
    let mut all: Vec<Measured> = Vec::new();
    for loaded in shipped() {
        // Present-day servers have their own table.
        if loaded
            .path
            .parent()
            .is_some_and(|folder| !folder.ends_with("modern"))
        {
            all.extend(loaded.measured);
        }
    }
    for [id, metric, value, unit, statistic, source] in &published {
        let found: Vec<&Measured> = all.iter().filter(|measured| measured.id == *id).collect();
        let without = WITHOUT_SCENARIO.iter().any(|(row, _)| row == id);
        assert_eq!(
            found.is_empty(),
            without,
            "{id}: a row is in a scenario, or it is said why not"
        );
        let converted = CONVERTED
            .iter()
            .find(|(row, _)| row == id)
            .map(|(_, value)| *value);
        for measured in found {
            assert_eq!(measured.source, *source, "{id}");
            let kind = measured.metric.kind().filter(|_| measured.relative_to.is_none());
            let expected = converted.unwrap_or_else(|| match (kind, unit.as_str()) {
                (None, _) => value.parse().expect("a number"),
                (Some(kind), "percent") => kind.parse(&format!("{value} %")).expect("a share"),
                (Some(kind), "ssj_ops") => kind.parse(&format!("{value} ops/s")).expect("a rate"),
                (Some(kind), unit) => kind.parse(&format!("{value} {unit}")).expect("a quantity"),
            });
            assert!(
                (measured.value / expected - 1.0).abs() < 1e-12,
                "{id}: {metric} of {value} {unit}, and the scenario says {}",
                measured.text
            );
            let bound = matches!(statistic.as_str(), "lower bound" | "upper bound");
            assert_eq!(measured.is_bound(), bound, "{id}");
        }
    }
    // The Nastran suite has its own table.
    for measured in all.iter().filter(|measured| !measured.id.starts_with("nastran-")) {
        let known =
            published.iter().any(|[id, ..]| *id == measured.id) || CONDITIONS.contains(&measured.id.as_str());
        assert!(known, "{} is a row of the published table", measured.id);
    }
}

/// The Nastran suite: every published time is a measurement of one scenario, and predictions are within the
/// tolerances of the scenarios.
#[test]
fn jobs_on_local_disks_are_as_published() {
    let table = include_str!("nastran.csv");
    let columns = ["hdd2-48gb", "hdd2-24gb", "hdd1-24gb", "ssd2-48gb", "ssd2-24gb"];
    let mut found = BTreeSet::new();
    let suite = root().join("scenarios/x2270/nastran.toml");
    let cases = load_folder(&suite, &[], &mut Sources::new()).expect("it loads without an error");
    for loaded in cases {
        let [measured] = &loaded.measured[..] else {
            panic!("one measurement in {}", loaded.name)
        };
        let [_, test, cores, disks, memory] = measured.id.split('-').collect::<Vec<_>>()[..] else {
            panic!("{} has five words", measured.id)
        };
        let row = table
            .lines()
            .find(|line| line.starts_with(&format!("{test},{cores},")));
        let column = columns
            .iter()
            .position(|column| *column == format!("{disks}-{memory}"));
        let published = row.expect("a row").split(',').nth(2 + column.expect("a column"));
        let seconds: f64 = published.expect("a time").parse().expect("a number");
        assert_eq!(measured.value, seconds, "{}", measured.id);
        let bound = &loaded.bound;
        let outcome = predict(bound).expect("the steady state is found");
        let predicted = outcome.elapsed.expect("jobs have an end").get();
        let off = (predicted / seconds - 1.0).abs();
        assert!(off <= measured.tolerance, "{}: {predicted} s", measured.id);
        // Calibrated measurements are reproduced: five parameters for up to eight times.
        assert!(
            !measured.calibrated || off < 0.15,
            "{}: {predicted} s",
            measured.id
        );
        assert!(
            found.insert(measured.id.clone()),
            "{} is there twice",
            measured.id
        );
    }
    // Without comments and column names, there are 16 tests.
    let rows = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .count();
    assert_eq!((found.len(), rows), (rows * columns.len(), 16));
}

/// Counter values of links are the means of the published samples.
#[test]
fn counters_are_the_means_of_the_published_samples() {
    let table = include_str!("../../model/tests/data/ht_counters.csv");
    let mut expected: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [run, _, _, link, rate] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("five fields in {line}")
        };
        let (from, to) = link.split_once('>').expect("a direction");
        let to = to.strip_suffix(".a").unwrap_or(to);
        let id = if to.starts_with("cpu") {
            format!("link.{from}-{to}")
        } else {
            format!("bridge.{to}.out")
        };
        let samples = expected.entry((run.to_owned(), id)).or_default();
        samples.push(rate.parse::<f64>().expect("a number") * 1_048_576.0);
    }
    // The first machine lacks the second link between cpu2 and cpu3.
    expected.retain(|_, samples| samples.iter().any(|sample| *sample > 0.0));
    let mut found = 0;
    for loaded in shipped() {
        for link in &loaded.measured_links {
            let samples = &expected[&(link.run.clone(), link.link.clone())];
            let mean = samples.iter().sum::<f64>() / samples.len() as f64;
            // Files have two decimals of a MiB/s.
            assert!(
                (link.value - mean).abs() < 0.006 * 1_048_576.0,
                "{} {}",
                link.run,
                link.link
            );
            found += 1;
        }
    }
    assert!(found >= expected.len(), "{found} of {}", expected.len());
}

/// The steady state satisfies the bounds of the files: the published figures and a few per cent.
#[test]
fn predictions_keep_what_the_files_expect() {
    for name in [
        "7410-barcelona/cached-read",
        "7410-istanbul/cached-read",
        "7410-istanbul/cached-read-onboard",
        "7410-barcelona/disk-read",
        "7410-barcelona/disk-write",
        "7410-istanbul/disk-read",
        "7410-istanbul/disk-write",
    ] {
        let loaded = scenario(name, &[]);
        let network = network_gib(&loaded) * 1_073_741_824.0;
        let bounds: Vec<_> = loaded
            .expect
            .iter()
            .filter(|bound| bound.metric == Metric::NetworkBytesPerSecond)
            .collect();
        assert_eq!(bounds.len(), 1, "{name}");
        assert!(bounds[0].holds(network), "{name}: {network:.4e} B/s");
    }
}

/// The conclusions of the sources, reproduced by overrides: faster processors on the old links gain nothing,
/// faster links do, and all network cards on one bridge increase the load of the hot link.
#[test]
fn overrides_tell_the_story() {
    let barcelona = network_gib(&scenario("7410-barcelona/cached-read", &[]));
    let faster_processors = network_gib(&scenario(
        "7410-barcelona/cached-read",
        &["socket.*.part=opteron-8435"],
    ));
    assert!(
        (faster_processors / barcelona - 1.0).abs() < 0.03,
        "{faster_processors} {barcelona}"
    );
    let faster_links = network_gib(&scenario(
        "7410-barcelona/cached-read",
        &["socket.*.part=opteron-8435", "link.*.part=ht3-x16"],
    ));
    assert!(faster_links > 1.25 * barcelona, "{faster_links} {barcelona}");
    let grouped = network_gib(&scenario("7410-barcelona/cached-read", &["card.nic1.slot=s3"]));
    assert!(grouped < barcelona, "{grouped} {barcelona}");
}

/// A topology named by an override is the same input as one named by the file.
#[test]
fn the_topology_itself_can_be_overridden() {
    let path = root().join("topologies/sun-7410-istanbul.toml");
    let set = format!("topology={}", path.display());
    let other = scenario("7410-barcelona/cached-read", &[&set]);
    assert_eq!(other.scenario.topology.name(), "Sun Storage 7410 (Istanbul)");
    assert_eq!(
        other.scenario.topology.spec(),
        topology("sun-7410-istanbul").spec()
    );
}
