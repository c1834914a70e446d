//! The engine alone: one-shot solves, the event loop with and without changes of rates, stations and timers.

#[path = "../examples/closed_loop/random_system.rs"]
mod random_system;
#[path = "../examples/closed_loop/workload.rs"]
mod workload;

use std::hint::black_box;

use bandgraph_engine::fair::{FairClass, FairSolver};
use bandgraph_engine::{ClassSpec, Engine, Event, Streams, Time};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use random_system::random_system;
use workload::{Case, ClosedLoop};

/// Solves afresh, with equal costs (progressive filling) and with unequal ones (bottleneck max fairness).
fn solver(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solver");
    for (resources, classes, per_class) in [(20, 20, 4), (100, 1_000, 4), (1_000, 10_000, 6)] {
        let (capacities, system) = random_system(resources, classes, per_class);
        let mut solver = FairSolver::new();
        solver.load(&capacities, &system).expect("the system is valid");
        group.throughput(Throughput::Elements(classes as u64));
        group.bench_function(
            format!("equal costs {resources}/{classes}/{per_class}"),
            |bencher| {
                bencher.iter(|| black_box(solver.solve_loaded().is_ok()));
            },
        );
    }
    for (resources, classes, per_class) in [(20, 20, 4), (100, 1_000, 4)] {
        let (capacities, system) = random_system(resources, classes, per_class);
        let mut solver = FairSolver::new();
        solver
            .load(&capacities, &with_unequal_costs(system))
            .expect("the system is valid");
        group.throughput(Throughput::Elements(classes as u64));
        group.bench_function(
            format!("unequal costs {resources}/{classes}/{per_class}"),
            |bencher| {
                bencher.iter(|| black_box(solver.solve_loaded().is_ok()));
            },
        );
    }
    group.finish();
}

fn with_unequal_costs(mut classes: Vec<FairClass>) -> Vec<FairClass> {
    let mut random = Streams::new(1).stream("costs");
    for (_, cost) in classes.iter_mut().flat_map(|class| &mut class.costs) {
        *cost = random.uniform_between(0.5, 2.0);
    }
    classes
}

/// The closed loop: in `a` counts change and rates do not, with `same socket` nothing changes, in `hard` all
/// rates do.
fn event_loop(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("closed loop");
    group.sample_size(20);
    for (name, same_socket, completions) in [
        ("a", false, 20_000),
        ("a", true, 20_000),
        ("b", false, 20_000),
        ("d", false, 20_000),
        ("hard", false, 2_000),
    ] {
        let case = Case {
            completions,
            same_socket,
            ..Case::named(name).expect("the case exists")
        };
        let label = if same_socket {
            format!("{name}, same socket")
        } else {
            name.to_owned()
        };
        let mut once = ClosedLoop::new(case).expect("the graph is valid");
        once.run().expect("the run goes well");
        let exactness = once.exactness();
        assert!(
            exactness.lost <= 1e-9 && exactness.fullest <= 1.0 + 1e-9,
            "{name}: {exactness:?}"
        );
        group.throughput(Throughput::Elements(completions));
        group.bench_function(label, |bencher| {
            bencher.iter_batched_ref(
                || ClosedLoop::new(case).expect("the graph is valid"),
                |closed_loop| black_box(closed_loop.run().expect("the run goes well")),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// Clients that think between reads over one shared link: its level changes at every event.
fn thinking_clients(criterion: &mut Criterion) {
    const EVENTS: u64 = 20_000;
    let mut group = criterion.benchmark_group("thinking clients");
    group.sample_size(20);
    group.throughput(Throughput::Elements(EVENTS));
    for clients in [20_u64, 200] {
        group.bench_function(format!("{clients} classes on one full link"), |bencher| {
            bencher.iter_batched_ref(
                || {
                    let mut engine = Engine::new();
                    let link = engine.add_resource(1e9).expect("the capacity is good");
                    let mut class = || {
                        let down = engine.add_resource(1e9).expect("the capacity is good");
                        let costs = vec![(link, 1.0), (down, 1.0)];
                        let spec = ClassSpec {
                            costs,
                            weight: 1.0,
                            rate_cap: None,
                        };
                        engine.add_class(spec).expect("the class is good")
                    };
                    let classes: Vec<_> = (0..clients).map(|_| class()).collect();
                    (0..10 * clients).for_each(|thread| engine.start_timer(Time::ZERO, thread));
                    (engine, classes, Streams::new(1).stream("think times"))
                },
                |(engine, classes, random)| {
                    for _ in 0..EVENTS {
                        match engine.next().expect("the run goes well") {
                            Some(Event::Timer { tag }) => {
                                engine.start_flow(classes[(tag % clients) as usize], 1e6, tag);
                            }
                            Some(Event::FlowDone { tag, .. }) => {
                                engine.start_timer(Time::from_seconds(random.exponential(2e-3)), tag);
                            }
                            _ => {}
                        }
                    }
                    black_box(engine.now())
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// Customers who think, queue for one of eight servers, and think again: no flows at all.
fn stations_and_timers(criterion: &mut Criterion) {
    const EVENTS: u64 = 50_000;
    let mut group = criterion.benchmark_group("stations and timers");
    group.sample_size(20);
    group.throughput(Throughput::Elements(EVENTS));
    group.bench_function("200 customers, 8 servers", |bencher| {
        bencher.iter_batched_ref(
            || {
                let mut engine = Engine::new();
                let station = engine.add_station(8).expect("there are servers");
                (0..200).for_each(|customer| engine.start_timer(Time::from_picoseconds(customer), customer));
                (engine, station, Streams::new(1).stream("times"))
            },
            |(engine, station, random)| {
                for _ in 0..EVENTS {
                    let delay = Time::from_seconds(random.exponential(1e-3));
                    match engine.next().expect("the run goes well") {
                        Some(Event::Timer { tag }) => engine.enter_station(*station, delay, tag),
                        Some(Event::Served { tag, .. }) => engine.start_timer(delay + delay, tag),
                        _ => {}
                    }
                }
                black_box(engine.now())
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

criterion_group!(benches, solver, event_loop, thinking_clients, stations_and_timers);
criterion_main!(benches);
