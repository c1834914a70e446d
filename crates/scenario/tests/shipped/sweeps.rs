//! Points of sweeps: the cache of a workbench never affects results.

use std::path::Path;

use bandgraph_diagnostics::Sources;
use bandgraph_scenario::{AxisValue, MemoryFiles, SweepFile, Workbench, load_sweep, load_sweep_with};
use bandgraph_testkit::TWO_SOCKET_SERVER;

use crate::files;

/// Some values of every axis, in an order in which all of them change, also backwards.
fn points(sweep: &SweepFile) -> Vec<Vec<AxisValue>> {
    let point = |number: u64| {
        let axes = sweep.axes.iter().zip(1..);
        axes.map(|(axis, stride): (_, u64)| axis.value(number * stride % axis.size().unwrap_or(1)))
            .collect()
    };
    (0..24).chain(0..5).map(point).collect()
}

fn never_shows(sweep: &SweepFile, sources: &Sources) {
    let mut kept = Workbench::new();
    for values in points(sweep) {
        let alone = sweep.prepare(&values, sources, &mut Workbench::new());
        let prepared = sweep.prepare(&values, sources, &mut kept);
        assert_eq!(prepared.input_hash, alone.input_hash);
        assert_eq!(
            format!("{:?}", prepared.scenario),
            format!("{:?}", alone.scenario)
        );
        if let Ok(scenario) = prepared.scenario {
            kept.take_back(scenario);
        }
    }
}

#[test]
fn points_of_shipped_sweeps_are_the_same_whatever_came_before() {
    for path in files("scenarios/sweeps") {
        let mut sources = Sources::new();
        let sweep = load_sweep(&path, &[], &mut sources).expect("a sound sweep");
        never_shows(&sweep, &sources);
    }
}

/// Invalid values, missing fields, and a scenario that is invalid without its axes.
#[test]
fn points_with_errors_are_the_same_whatever_came_before() {
    let scenario = "schema = 1\nname = \"x\"\ntopology = \"server.toml\"\n[[clients]]\nid = \"c\"\n\
                    [[workload]]\nid = \"w\"\nclients = \"c\"\nmix = \"read\"\n";
    let sweep = "schema = 1\nname = \"s\"\nscenario = \"run.toml\"\n\
                 [[axis]]\nid = \"threads\"\npath = \"workload.w.threads_per_client\"\nvalues = [1, 0, 3]\n\
                 [[axis]]\nid = \"mtu\"\npath = \"run.mtu\"\nvalues = [1500, 9000, \"many\"]\n\
                 [[axis]]\nid = \"size\"\npath = \"cache.size\"\nvalues = [\"1 GiB\", \"2 GiB\"]\n\
                 [[axis]]\nid = \"slot\"\npath = \"card.nic0.slot\"\nvalues = [\"s1\", \"s3\", \"none\"]\n";
    for scenario in [
        scenario.to_owned(),
        scenario.replace("mix = \"read\"", "mix = \"read\"\nthreads_per_client = 0"),
        format!("{scenario}[[measured]]\nmetric = \"cpu_busy\"\nvalue = \"200 GiB\"\nsource = \"none\"\n"),
    ] {
        let files = MemoryFiles::new()
            .with("server.toml", TWO_SOCKET_SERVER)
            .with("run.toml", scenario)
            .with("sweep.toml", sweep);
        let mut sources = Sources::new();
        match load_sweep_with(&files, Path::new("sweep.toml"), &[], &mut sources) {
            Ok(sweep) => never_shows(&sweep, &sources),
            Err(found) => assert!(
                found.iter().any(|found| found.id.starts_with("value::")),
                "{found:?}"
            ),
        }
    }
}
