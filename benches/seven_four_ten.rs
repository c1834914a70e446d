//! A Sun Storage 7410 as a whole: binding, predicting, simulating, explaining.
//!
//! ```sh
//! cargo bench --bench seven_four_ten
//! ```

use bandgraph_model::{RunSettings, Scenario, Stack};
use bandgraph_simulate::simulate;
use bandgraph_solve::{SteadyState, bind, explain, predict};
use bandgraph_testkit::{Generation, seven_four_ten_topology};
use bandgraph_units::{Bytes, Time};
use bandgraph_workload::{ClientGroup, ClientNics, Cluster, Mix, NetworkSettings, OperationKind, Workload};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// 20 clients with two 1GbE NICs each read from the cache.
fn cached_read(generation: Generation, io_size: f64, threads_per_client: u32, duration: f64) -> Scenario {
    let clients = ClientGroup {
        count: 20,
        nics: ClientNics {
            count: 2,
            ..ClientNics::default()
        },
        ..ClientGroup::new("c")
    };
    let workload = Workload {
        io_size: Bytes::new(io_size),
        working_set: Bytes::new(100.0 * 1_073_741_824.0),
        threads_per_client,
        ..Workload::new("w", "c", Mix::single(OperationKind::Read))
    };
    Scenario {
        name: "bench".to_owned(),
        topology: seven_four_ten_topology(generation),
        stack: Stack::fishworks_2009(),
        networks: Vec::new(),
        cluster: Cluster::default(),
        storage: bandgraph_model::Storage::default(),
        clients: vec![clients],
        workloads: vec![workload],
        run: RunSettings {
            warm_up: Time::new(0.1),
            duration: Time::new(duration),
            network: NetworkSettings {
                mtu: Bytes::new(9000.0),
                ..NetworkSettings::default()
            },
            network_latency: Time::new(20e-6),
            ..RunSettings::default()
        },
    }
}

fn steady_state(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("7410");
    for (name, generation) in [
        ("barcelona", Generation::Barcelona),
        ("istanbul", Generation::Istanbul),
    ] {
        let scenario = cached_read(generation, 1_048_576.0, 10, 1.0);
        let bound = bind(&scenario).expect("a sound scenario");
        group.bench_function(format!("bind/{name}"), |bencher| {
            bencher.iter(|| bind(&scenario));
        });
        group.bench_function(format!("predict/{name}"), |bencher| {
            bencher.iter(|| predict(&bound));
        });
        let steady = SteadyState::solve(&bound).expect("a steady state");
        let outcome = steady.prediction(&bound).expect("a prediction");
        group.bench_function(format!("explain/{name}"), |bencher| {
            bencher.iter(|| explain(&bound, &steady, &outcome));
        });
    }
    group.finish();
}

fn simulated(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("7410/simulate");
    group.sample_size(10);
    for (name, io_size, threads, duration) in [
        ("1-MiB-reads-5-s", 1_048_576.0, 10, 5.0),
        ("1-byte-reads-100-ms", 1.0, 100, 0.1),
    ] {
        let bound = bind(&cached_read(Generation::Istanbul, io_size, threads, duration));
        let bound = bound.expect("a sound scenario");
        let steady = SteadyState::solve(&bound).expect("a steady state");
        let events = simulate(&bound, &steady)
            .expect("a sound run")
            .simulated
            .map_or(0, |run| run.events);
        group.throughput(Throughput::Elements(events));
        group.bench_function(name, |bencher| bencher.iter(|| simulate(&bound, &steady)));
    }
    group.finish();
}

criterion_group!(benches, steady_state, simulated);
criterion_main!(benches);
