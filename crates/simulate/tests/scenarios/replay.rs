//! Traces through whole scenarios, against results computed by hand.

use bandgraph_model::{Scenario, Stack};
use bandgraph_simulate::{ReplayError, ReplaySettings, Replayed, Timing, replay, simulate};
use bandgraph_solve::{SteadyState, bind};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_units::{Bandwidth, OperationRate, Time};
use bandgraph_workload::Record;
use bandgraph_workload::{Arrivals, Mix, OperationKind, Spacing};

use crate::common::{assert_close, no_stack, one_socket, operations, reads, scenario};

/// A server limited by its cores; an operation is 2 ms of a core of 1 GHz.
fn server(cores: u64) -> Scenario {
    let (clients, workload) = reads(1.0, 1);
    let stack = Stack {
        instructions_per_operation: 1e6,
        ..no_stack()
    };
    scenario(one_socket(cores, 1e9, 1e12), stack, clients, workload)
}

/// A GETATTR of a client with its start and latency, ms.
fn getattr(client: u32, start_ms: u64, latency_ms: u64) -> Record {
    Record {
        start_ns: start_ms * 1_000_000,
        latency_ns: Some(latency_ms * 1_000_000),
        client,
        file: 1,
        operation: OperationKind::Getattr,
        offset: 0,
        bytes: 0,
        stable: false,
    }
}

fn replayed(scenario: &Scenario, timing: Timing, speed: f64, records: Vec<Record>) -> Replayed {
    let settings = ReplaySettings {
        workload: 0,
        timing,
        speed,
    };
    replay(scenario, &settings, &mut records.into_iter()).expect("a sound replay")
}

/// One operation of 2 ms every 4 ms: all on time, without overlap.
#[test]
fn operations_come_when_they_were_recorded() {
    let records = |count: u64| (0..count).map(|at| getattr(0, 4 * at, 3)).collect::<Vec<_>>();
    for (speed, busy) in [(1.0, 0.5), (1.6, 0.8)] {
        let found = replayed(&server(1), Timing::AsRecorded, speed, records(1000));
        assert_eq!(found.summary.operations, 1000);
        assert_close(found.summary.recorded_span.get(), 3.996, 1e-9);
        assert_close(found.summary.replayed_span.get(), 3.996 / speed + 2e-3, 1e-6);
        assert_close(found.outcome.latency.mean.get(), 2e-3, 1e-6);
        assert_close(found.outcome.sockets[0].busy, busy, 2e-3);
        let (recorded, count) = found
            .summary
            .recorded_latency
            .expect("all say how long they took");
        assert_eq!(count, 1000);
        assert_close(recorded.mean.get(), 3e-3, 1e-3);
        // The steady state of all observed operations.
        assert_close(operations(&found.prediction), 250.0 * speed, 2e-3);
        assert!(
            !found.outcome.workloads[0]
                .offered
                .expect("it has a rate")
                .saturated
        );
    }
}

/// Arrivals at twice the capacity of one core for 4 s: half of them are in flight at the last arrival, and
/// complete 4 s later.
#[test]
fn what_the_server_does_not_keep_up_with_is_told() {
    let records = (0..4000).map(|at| getattr(at as u32 % 7, at, 1)).collect();
    let found = replayed(&server(1), Timing::AsRecorded, 1.0, records);
    let offered = found.outcome.workloads[0].offered.expect("it has a rate");
    assert!(offered.saturated);
    assert_close(found.summary.replayed_span.get(), 8.0, 1e-2);
    assert_close(operations(&found.outcome), 500.0, 1e-2);
    assert_close(operations(&found.prediction), 500.0, 1e-6);
    // Rates are those of the arrival interval: work done afterwards is no indication of load.
    let run = found.outcome.simulated.expect("it was simulated");
    assert_close(run.measured.get(), 3.999, 1e-6);
    assert_close(offered.rate.get(), 4000.0 / 3.999, 1e-6);
    // Arrivals are completed or in flight. More are in flight than the arrivals above the capacity, because
    // all in flight share the core.
    assert_close(run.operations as f64 + offered.backlog, 4000.0, 1e-9);
    assert!(offered.backlog > 2000.0, "{}", offered.backlog);
    assert_eq!(found.summary.held, 0);
    assert!(
        found.prediction.workloads[0]
            .offered
            .expect("it has a rate")
            .saturated
    );
}

/// No operation is omitted because the clock ends before its start, unless the workload stops earlier.
#[test]
fn a_trace_that_outlasts_the_clock_is_refused() {
    let settings = ReplaySettings {
        workload: 0,
        timing: Timing::AsRecorded,
        speed: 1e-9,
    };
    let records: Vec<Record> = (0..100).map(|at| getattr(0, at, 1)).collect();
    let slow = replay(&server(1), &settings, &mut records.clone().into_iter());
    assert_eq!(slow, Err(ReplayError::TooLong { speed: 1e-9 }));
    let mut stops = server(1);
    stops.workloads[0].schedule.stop = Some(Time::new(1e7));
    let found = replay(&stops, &settings, &mut records.into_iter()).expect("it ends in time");
    assert!(found.summary.operations < 100, "{}", found.summary.operations);
}

/// Even if almost nothing is done before the last arrival, the mean is that of all operations: it is at least
/// half of the median (Markov) and at most the maximum.
#[test]
fn the_mean_is_of_all_operations_whenever_they_are_done() {
    for speed in [1.0, 20.0, 1e6] {
        let records = (0..4000)
            .map(|at| getattr(at as u32 % 7, at, 1))
            .collect::<Vec<_>>();
        let found = replayed(&server(1), Timing::AsRecorded, speed, records);
        for latency in [&found.outcome.latency, &found.outcome.workloads[0].latency] {
            let percentiles = latency.percentiles.expect("it was simulated");
            assert!(latency.mean.get() >= 0.5 * percentiles.p50.get(), "{latency:?}");
            assert!(latency.mean.get() <= percentiles.max.get(), "{latency:?}");
        }
    }
}

/// Too many operations arrive within a fifth of a second: the rest waits in the trace, and none is lost or
/// loses its arrival time. Four cores process 2000/s.
#[test]
fn what_waits_in_the_trace_waits_since_it_was_recorded() {
    let count = 100_000_u64;
    let records = (0..count).map(|at| Record {
        start_ns: at * 2000,
        ..getattr(at as u32 % 7, 0, 1)
    });
    let found = replayed(&server(4), Timing::AsRecorded, 1.0, records.collect());
    assert_eq!(found.summary.operations, count);
    assert!(
        (count - 66_500..=count - 65_536).contains(&found.summary.held),
        "{}",
        found.summary.held
    );
    assert_close(operations(&found.outcome), 2000.0, 1e-2);
    assert_close(operations(&found.prediction), 2000.0, 1e-6);
    assert_close(found.summary.replayed_span.get(), 50.0, 1e-3);
    // The last operation completes 50 s after the first arrival.
    let slowest = found
        .outcome
        .latency
        .percentiles
        .expect("it was simulated")
        .max
        .get();
    assert_close(slowest, 50.0, 1e-2);
    // Equal shares: operations admitted together complete together; the others wait for them first.
    let first = 65_536.0 / 2000.0;
    let mean = (65_536.0 * first + (count as f64 - 65_536.0) * 50.0) / count as f64;
    assert_close(found.outcome.latency.mean.get(), mean, 0.02);
}

/// Four clients with one operation in flight, then with two, on eight cores: 4 and 8 operations per 2 ms.
#[test]
fn as_fast_as_possible_keeps_the_recorded_concurrency() {
    for (together, rate) in [(1_u64, 2000.0), (2, 4000.0)] {
        // Each client starts an operation of 10 or 20 ms every 10 ms.
        let records = (0..500_u64)
            .flat_map(|at| (0..4).map(move |client| getattr(client, 10 * at, 10 * together)))
            .collect();
        let found = replayed(&server(8), Timing::AsFastAsPossible, 1.0, records);
        assert_eq!(found.summary.operations, 2000);
        assert_close(operations(&found.outcome), rate, 1e-2);
        assert_close(found.outcome.latency.mean.get(), 2e-3, 1e-3);
        assert_close(operations(&found.prediction), rate, 1e-2);
    }
}

/// Without recorded latencies, each client has as many operations in flight as the workload has threads.
#[test]
fn without_latencies_the_threads_of_the_workload_decide() {
    let mut scenario = server(8);
    scenario.workloads[0].threads_per_client = 3;
    let records = (0..600).map(|at| Record {
        latency_ns: None,
        ..getattr(0, at, 0)
    });
    let found = replayed(&scenario, Timing::AsFastAsPossible, 1.0, records.collect());
    assert_close(operations(&found.outcome), 1500.0, 1e-2);
    assert_eq!(found.summary.recorded_latency, None);
}

/// All bytes of a trace are replayed for any sizes; exactly for sizes at the beginning of the trace.
#[test]
fn every_byte_is_accounted_for() {
    let sizes = [1_u64, 512, 8192, 12_345, 65_536, 1_048_576];
    let mut start = 0;
    let records: Vec<Record> = (0..600)
        .map(|at| {
            start += 3;
            Record {
                operation: OperationKind::Read,
                offset: 4096 * at as u64,
                bytes: sizes[at % sizes.len()],
                ..getattr(at as u32, start, 1)
            }
        })
        .collect();
    let bytes: u64 = records.iter().map(|record| record.bytes).sum();
    let found = replayed(&server(4), Timing::AsRecorded, 1.0, records);
    let moved = found.outcome.throughput.payload.get() * found.summary.replayed_span.get();
    assert_close(moved, bytes as f64, 1e-9);
    assert_close(found.summary.payload, bytes as f64, 1e-12);
    assert_eq!(found.summary.of_other_sizes, 0);
}

/// Another workload runs in parallel, and has its own results.
#[test]
fn other_workloads_run_beside_a_trace() {
    let mut scenario = server(8);
    let mut other = scenario.workloads[0].clone();
    other.id = "threads".to_owned();
    other.threads_per_client = 3;
    scenario.workloads.push(other);
    let records = (0..1000).map(|at| getattr(0, 4 * at, 3)).collect();
    let found = replayed(&scenario, Timing::AsRecorded, 1.0, records);
    let rates: Vec<f64> = found
        .outcome
        .workloads
        .iter()
        .map(|workload| workload.throughput.operations.get())
        .collect();
    assert_close(rates[0], 250.0, 5e-3);
    assert_close(rates[1], 1500.0, 5e-3);
}

#[test]
fn the_same_trace_gives_the_same_result() {
    let records: Vec<Record> = (0..2000).map(|at| getattr(at % 9, u64::from(at), 2)).collect();
    for timing in [Timing::AsRecorded, Timing::AsFastAsPossible] {
        let run = || replayed(&server(2), timing, 3.0, records.clone());
        assert_eq!(run(), run());
    }
}

#[test]
fn an_empty_trace_and_one_of_a_single_moment_are_no_trouble() {
    let settings = ReplaySettings {
        workload: 0,
        timing: Timing::AsRecorded,
        speed: 1.0,
    };
    let none = replay(&server(1), &settings, &mut std::iter::empty());
    assert_eq!(none, Err(ReplayError::Empty));
    let at_once = replayed(&server(4), Timing::AsRecorded, 1.0, vec![getattr(0, 0, 0); 8]);
    // Eight operations of 2 ms on four cores.
    assert_close(at_once.summary.replayed_span.get(), 4e-3, 1e-3);
    assert_eq!(at_once.summary.recorded_span, Time::ZERO);
}

/// Writes arrive many times faster than the capacity: data not on disk at the last arrival have not used any
/// resource yet.
#[test]
fn nothing_is_used_beyond_what_it_can_do() {
    let scenario = crate::storage::to_disks(seven_four_ten(Generation::Barcelona));
    let records = (0..20_000_u64).map(|at| Record {
        start_ns: at * 10_000,
        operation: OperationKind::Write,
        offset: at << 20,
        bytes: 1 << 20,
        ..getattr(at as u32 % 20, 0, 1)
    });
    let found = replayed(&scenario, Timing::AsRecorded, 1.0, records.collect());
    let offered = found.outcome.workloads[0].offered.expect("it has a rate");
    assert!(offered.saturated);
    for used in &found.outcome.resources {
        assert!(
            used.utilisation() < 1.0 + 1e-6,
            "{}: {}",
            used.id,
            used.utilisation()
        );
    }
}

/// Reads of 100 kB limited only by NICs of 10 MB/s: two from one client share its NIC, two clients have their
/// own; and two NICs of one client alternate.
#[test]
fn clients_are_held_to_their_nics() {
    let mut scenario = server(64);
    scenario.stack.instructions_per_operation = 1.0;
    let latency = |scenario: &Scenario, clients: u32| {
        let records = (0..100_u64).flat_map(|pair| {
            (0..2_u32).map(move |number| Record {
                operation: OperationKind::Read,
                offset: 100_000 * pair,
                bytes: 100_000,
                ..getattr(number % clients, 100 * pair, 1)
            })
        });
        let found = replayed(scenario, Timing::AsRecorded, 1.0, records.collect());
        found.outcome.latency.mean.get()
    };
    scenario.clients[0].count = 2;
    scenario.clients[0].nics.rate = Bandwidth::new(1e7);
    let alone = latency(&scenario, 2);
    // 10 ms for the data, and a little more for headers and frames.
    assert!((0.01..0.0112).contains(&alone), "{alone}");
    assert_close(latency(&scenario, 1), 2.0 * alone, 1e-3);
    scenario.clients[0].nics.count = 2;
    assert_close(latency(&scenario, 1), alone, 1e-3);
    // With more clients in the trace than in the scenario, several share one.
    scenario.clients[0].nics.count = 1;
    scenario.clients[0].count = 1;
    assert_close(latency(&scenario, 2), 2.0 * alone, 1e-3);
}

/// A trace of 4 s that begins after 3 s, in parallel with threads from the start, whose earlier work does not
/// count. With a stop after 2 s, half of it is replayed.
#[test]
fn a_trace_begins_and_ends_when_its_workload_does() {
    let mut scenario = server(8);
    let mut other = scenario.workloads[0].clone();
    other.id = "threads".to_owned();
    other.threads_per_client = 3;
    scenario.workloads.push(other);
    let records = || (0..1000).map(|at| getattr(0, 4 * at, 3)).collect::<Vec<_>>();
    scenario.workloads[0].schedule.start = Time::new(3.0);
    for (stop, operations) in [(None, 1000), (Some(Time::new(5.0)), 500)] {
        scenario.workloads[0].schedule.stop = stop;
        let found = replayed(&scenario, Timing::AsRecorded, 1.0, records());
        assert_eq!(found.summary.operations, operations);
        let span = 4e-3 * (operations - 1) as f64;
        assert_close(found.summary.replayed_span.get(), span + 2e-3, 1e-6);
        let threads = &found.outcome.workloads[1];
        assert_close(threads.throughput.operations.get(), 1500.0, 5e-3);
    }
    scenario.workloads[0].schedule.ramp = Time::new(1.0);
    let settings = ReplaySettings {
        workload: 0,
        timing: Timing::AsRecorded,
        speed: 1.0,
    };
    let refused = replay(&scenario, &settings, &mut records().into_iter());
    assert!(matches!(
        refused,
        Err(ReplayError::Schedule { field: "ramp", .. })
    ));
}

/// Calls wait for the interrupt that announces them as long as those of the same kind in an open loop, for
/// any other kinds in the trace.
#[test]
fn operations_wait_as_their_own_kind_does() {
    let mut scenario = crate::storage::to_disks(seven_four_ten(Generation::Istanbul));
    scenario.workloads[0].mix = Mix::single(OperationKind::Getattr);
    let records = (0..2000_u64).map(|at| getattr(at as u32 % 10, 2 * at, 1));
    let found = replayed(&scenario, Timing::AsRecorded, 1.0, records.collect());
    scenario.workloads[0].arrivals = Arrivals::Open {
        rate: OperationRate::new(500.0),
        spacing: Spacing::Deterministic,
    };
    let bound = bind(&scenario).expect("a sound scenario");
    let steady = SteadyState::solve(&bound).expect("a steady state");
    let open = simulate(&bound, &steady).expect("a sound run");
    assert_close(found.outcome.latency.mean.get(), open.latency.mean.get(), 1e-2);
}

/// 1500 operations/s of other threads, and a gap of four months in the trace: 1.5e10 operations.
#[test]
fn a_gap_in_which_others_do_too_much_is_refused() {
    let mut scenario = server(4);
    let mut threads = scenario.workloads[0].clone();
    threads.id = "threads".to_owned();
    threads.threads_per_client = 3;
    scenario.workloads.push(threads);
    let settings = ReplaySettings {
        workload: 0,
        timing: Timing::AsRecorded,
        speed: 1.0,
    };
    let months = |gap: u64| vec![getattr(0, 0, 1), getattr(0, gap, 1)].into_iter();
    let refused = replay(&scenario, &settings, &mut months(10_000_000_000));
    let Err(ReplayError::TooMuchBeside { after, operations }) = refused else {
        panic!("{refused:?}");
    };
    assert_close(after.get(), 1e7, 1e-9);
    assert_close(operations, 1.5e10, 1e-3);
    // Without them, a gap costs nothing.
    scenario.workloads.truncate(1);
    assert!(replay(&scenario, &settings, &mut months(10_000_000_000)).is_ok());
}
