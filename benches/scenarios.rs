//! Whole scenarios, as a user runs them: simulations of a minute, a check, a run from its start to its end,
//! and points of a sweep.
//!
//! ```sh
//! cargo bench --bench scenarios
//! ```

use std::path::{Path, PathBuf};
use std::process::Command;

use bandgraph_diagnostics::Sources;
use bandgraph_model::Bound;
use bandgraph_scenario::load_sweep;
use bandgraph_simulate::simulate;
use bandgraph_solve::{RunError, SteadyState};
use bandgraph_study::{Design, Record, Shard, run_sweep};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn bound(file: &str, sets: &[&str]) -> Bound {
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    let loaded = bandgraph_scenario::load(&path(file), &sets, &mut Sources::new());
    loaded.expect("a sound scenario").bound
}

fn simulations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simulate");
    group.sample_size(10);
    let one_byte = [
        "run.duration=10s",
        "workload.read.io_size=\"1 B\"",
        "workload.read.threads_per_client=100",
    ];
    let minute: &[&str] = &["run.duration=60s"];
    for (name, file, sets) in [
        (
            "cached-reads-60-s",
            "scenarios/7410-istanbul/cached-read.toml",
            minute,
        ),
        ("192-disks-60-s", "scenarios/7410-istanbul/disk-read.toml", minute),
        (
            "1-byte-reads-10-s",
            "scenarios/7410-istanbul/cached-read.toml",
            &one_byte,
        ),
    ] {
        let bound = bound(file, sets);
        let steady = SteadyState::solve(&bound).expect("a steady state");
        group.bench_function(name, |bencher| bencher.iter(|| simulate(&bound, &steady)));
    }
    group.finish();
}

fn start_to_end(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("program");
    let scenario = path("scenarios/7410-barcelona/cached-read.toml");
    group.bench_function("check-in-process", |bencher| {
        bencher.iter(|| bandgraph_scenario::check(&scenario, &mut Sources::new()));
    });
    for command in ["check", "run"] {
        #[expect(
            clippy::disallowed_methods,
            reason = "a bench measures the program and no harness around it"
        )]
        group.bench_function(command, |bencher| {
            bencher.iter(|| {
                let mut program = Command::new(env!("CARGO_BIN_EXE_bandgraph"));
                program.arg(command).arg(&scenario).output().expect("it runs")
            });
        });
    }
    group.finish();
}

fn sweeps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sweep");
    group.sample_size(10);
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one_thread = one_thread.expect("a thread");
    // Of many variants, every 61st or so.
    for (file, shards) in [
        ("scenarios/sweeps/7410-io-size.toml", 1),
        ("scenarios/sweeps/7410-sample.toml", 1),
        ("benches/variants.toml", 61),
    ] {
        let mut sources = Sources::new();
        let sweep = load_sweep(&path(file), &[], &mut sources).expect("a sound sweep");
        let design = Design::new(&sweep);
        let shard = Shard::new(1, shards).expect("the first of some");
        let members = shard.members(design.candidates());
        let points = design.points().filter(|point| members(point.number));
        group.throughput(Throughput::Elements(points.count() as u64));
        group.bench_function(sweep.name.clone(), |bencher| {
            bencher.iter(|| {
                let keep = |_: Record| Ok::<(), RunError>(());
                let none = |_| false;
                one_thread.install(|| run_sweep(&design, &sources, shard, &none, &keep, &|_| {}))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, simulations, start_to_end, sweeps);
criterion_main!(benches);
