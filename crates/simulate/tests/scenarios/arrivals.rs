//! Open loops, limits of calls per client, and scheduled workloads, against closed forms.

use bandgraph_model::{Scenario, Stack};
use bandgraph_solve::{LimitKind, Outcome};
use bandgraph_testkit::oracle::mmc_wait;
use bandgraph_units::{OperationRate, Time};
use bandgraph_workload::{Arrivals, Schedule, Spacing};

use crate::common::{assert_close, both, explained, no_stack, one_socket, operations, reads, scenario};

/// An operation is 1e6 instructions at CPI 2: 2 ms of a core of 1 GHz.
const SERVICE: f64 = 2e-3;

/// Operations of 2 ms at a given arrival rate, on a server limited only by its cores.
fn open(cores: u64, rate: f64, spacing: Spacing) -> Scenario {
    let (clients, mut workload) = reads(1.0, 1);
    workload.arrivals = Arrivals::Open {
        rate: OperationRate::new(rate),
        spacing,
    };
    let mut scenario = scenario(one_socket(cores, 1e9, 1e12), stack(), clients, workload);
    scenario.run.duration = Time::new(100.0);
    scenario.run.warm_up = Time::new(1.0);
    scenario
}

fn stack() -> Stack {
    Stack {
        instructions_per_operation: 1e6,
        ..no_stack()
    }
}

fn limit(scenario: &Scenario, outcome: &Outcome) -> (LimitKind, f64) {
    let explained = explained(scenario, outcome);
    let reached = explained
        .relief
        .map_or(0.0, |relief| relief.throughput.operations.get());
    (explained.bottleneck.kind, reached)
}

/// A core in processor sharing is a symmetric queue: times depend only on the mean service (Kelly,
/// "Reversibility and Stochastic Networks", 1979), so that constant operations take as long as exponential
/// ones.
#[test]
fn one_core_is_the_queue_with_one_server() {
    for load in [0.3, 0.7, 0.85] {
        let (predicted, simulated) = both(&open(1, load / SERVICE, Spacing::Poisson));
        assert_close(operations(&simulated), load / SERVICE, 0.02);
        assert_close(simulated.latency.mean.get(), SERVICE / (1.0 - load), 0.05);
        assert_close(predicted.latency.mean.get(), SERVICE / (1.0 - load), 1e-3);
    }
}

/// With more cores than operations, each operation has its own core; with fewer, they share all: the M/M/c
/// queue.
#[test]
fn several_cores_are_the_queue_with_several_servers() {
    for (cores, load) in [(2_u32, 0.7), (4, 0.8), (8, 0.85)] {
        let rate = load * f64::from(cores) / SERVICE;
        let (predicted, simulated) = both(&open(u64::from(cores), rate, Spacing::Poisson));
        let expected = SERVICE + mmc_wait(rate, 1.0 / SERVICE, cores);
        assert_close(simulated.latency.mean.get(), expected, 0.05);
        assert_close(predicted.latency.mean.get(), expected, 0.03);
    }
}

/// Evenly spaced operations that find the core free all take exactly their service time.
#[test]
fn even_arrivals_never_meet() {
    let (predicted, simulated) = both(&open(1, 0.9 / SERVICE, Spacing::Deterministic));
    assert_close(predicted.latency.mean.get(), SERVICE, 1e-6);
    let percentiles = simulated.latency.percentiles.expect("a simulation has them");
    assert_close(simulated.latency.mean.get(), SERVICE, 1e-3);
    assert_close(percentiles.max.get(), SERVICE, 1e-3);
    assert_close(operations(&simulated), 0.9 / SERVICE, 1e-3);
}

#[test]
fn below_saturation_what_comes_is_served() {
    let scenario = open(4, 1000.0, Spacing::Poisson);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), 1000.0, 1e-6);
    assert_close(operations(&simulated), 1000.0, 0.01);
    let expected = SERVICE + mmc_wait(1000.0, 1.0 / SERVICE, 4);
    assert_close(predicted.latency.mean.get(), expected, 0.03);
    for outcome in [&predicted, &simulated] {
        let offered = outcome.workloads[0].offered.expect("an open loop");
        assert!(!offered.saturated, "{offered:?}");
        assert_close(offered.rate.get(), 1000.0, 0.01);
        assert_close(outcome.sockets[0].busy, 0.5, 0.02);
        let (kind, reached) = limit(&scenario, outcome);
        assert_eq!(kind, LimitKind::Offered);
        // The maximum rate of the cores.
        assert_close(reached, 2.0 * operations(outcome), 1e-6);
    }
}

/// What the cores can do does not depend on how little they have to do: 2,000 operations/s.
#[test]
fn the_next_limit_of_a_low_load_is_that_of_a_high_one() {
    for rate in [1e-4, 0.19, 0.21, 1.0, 1000.0] {
        let scenario = open(4, rate, Spacing::Poisson);
        let bound = bandgraph_solve::bind(&scenario).expect("a sound scenario");
        let predicted = bandgraph_solve::predict(&bound).expect("a steady state");
        let (kind, reached) = limit(&scenario, &predicted);
        assert_eq!(kind, LimitKind::Offered);
        assert_close(reached, 2000.0, 1e-6);
    }
}

/// Arrivals at 1.5 times the capacity, with at most eight calls in flight: a third of the arrivals waits in
/// the client, the backlog grows, and no steady state is reported.
#[test]
fn above_saturation_the_backlog_grows() {
    let mut scenario = open(4, 3000.0, Spacing::Poisson);
    scenario.workloads[0].outstanding_per_client = Some(8);
    scenario.run.duration = Time::new(10.0);
    scenario.run.warm_up = Time::ZERO;
    let (predicted, simulated) = both(&scenario);
    for outcome in [&predicted, &simulated] {
        let offered = outcome.workloads[0].offered.expect("an open loop");
        assert!(offered.saturated);
        assert_close(operations(outcome), 2000.0, 0.01);
        assert_close(offered.rate.get(), 3000.0, 0.02);
        assert_close(offered.growth, 1000.0, 0.05);
        assert_close(offered.backlog, 10_000.0, 0.05);
        // The first operation does not wait, the last 10/3 s: half of that on average.
        assert_close(outcome.latency.mean.get(), 10.0 / 6.0, 0.05);
    }
}

/// More arrivals never bring less: a server works on as many operations as fill it, and the rest waits in
/// order of arrival, so that of `n` times the capacity, the share 1 − 1/n of the time that it lasts is waited
/// for.
#[test]
fn an_overload_is_served_at_capacity() {
    for times in [1.5, 3.0, 30.0] {
        let mut scenario = open(4, times * 2000.0, Spacing::Poisson);
        scenario.run.duration = Time::new(10.0);
        scenario.run.warm_up = Time::ZERO;
        for outcome in <[Outcome; 2]>::from(both(&scenario)) {
            assert_close(operations(&outcome), 2000.0, 0.01);
            assert_close(outcome.sockets[0].busy, 1.0, 5e-3);
            assert_close(outcome.latency.mean.get(), 5.0 * (1.0 - 1.0 / times), 0.1);
        }
    }
}

/// Near the capacity and above it the wait is what builds up in the time of the run: it grows with the rate,
/// without a jump where the load exceeds the capacity, and is that of simulations.
#[test]
fn the_latency_does_not_jump_at_the_capacity() {
    for cores in [1_u32, 4] {
        let capacity = f64::from(cores) / SERVICE;
        let at = |times: f64| {
            let mut scenario = open(u64::from(cores), times * capacity, Spacing::Poisson);
            scenario.run.duration = Time::new(10.0);
            scenario.run.warm_up = Time::new(2.0);
            scenario
        };
        let predicted = |times: f64| both(&at(times)).0;
        let mut last = 0.0;
        for times in [
            0.9, 0.98, 0.995, 0.9999, 1.0, 1.00005, 1.0002, 1.001, 1.01, 1.02, 1.05, 1.1,
        ] {
            let outcome = predicted(times);
            let found = outcome.latency.mean.get();
            assert!(found >= last, "{cores} cores, {times}: {found} after {last}");
            assert!(
                !(0.999..=1.0011).contains(&times) || found < 1.5 * last,
                "{times}: {found} after {last}"
            );
            last = found;
            let saturated = outcome.workloads[0]
                .offered
                .is_some_and(|offered| offered.saturated);
            assert!(saturated == (times > 1.0), "{times}: {saturated}");
        }
        for (times, tolerance) in [(1.0005, 0.35), (1.02, 0.3), (1.1, 0.1)] {
            let simulated = (1..=40).map(|seed| {
                let mut scenario = at(times);
                scenario.run.seed = seed;
                both(&scenario).1.latency.mean.get()
            });
            let simulated = simulated.sum::<f64>() / 40.0;
            assert_close(predicted(times).latency.mean.get(), simulated, tolerance);
        }
    }
}

/// Threads of a closed loop share a server with the operations that it takes of an overloaded open loop at a
/// time, however large the overload, and whichever of the two comes first in the file.
#[test]
fn a_closed_loop_beside_an_overload_has_its_share() {
    for times in [1.02, 2.0, 20.0] {
        let mut scenario = open(4, times * 2000.0, Spacing::Poisson);
        scenario.run.duration = Time::new(2.0);
        let mut closed = scenario.workloads[0].clone();
        closed.id = "closed".to_owned();
        closed.arrivals = Arrivals::Closed;
        closed.threads_per_client = 4;
        scenario.workloads.push(closed);
        let rates = |outcome: &Outcome| -> [f64; 2] {
            [0, 1].map(|index: usize| outcome.workloads[index].throughput.operations.get())
        };
        let (predicted, simulated) = both(&scenario);
        // Four of twenty in service.
        assert_close(rates(&predicted)[1], 400.0, 0.01);
        assert_close(rates(&simulated)[1], 400.0, 0.05);
        assert_close(rates(&predicted)[0], 1600.0, 0.01);
        assert_close(rates(&simulated)[0], 1600.0, 0.05);
        scenario.workloads.reverse();
        let [closed, open] = rates(&both(&scenario).0);
        assert_close(open, rates(&predicted)[0], 1e-9);
        assert_close(closed, rates(&predicted)[1], 1e-9);
    }
}

/// By hand: of 500 operations/s of a full core, an open loop takes its 300, and the threads of a closed loop
/// have the rest, however long they think: all that do not think are at the server.
#[test]
fn an_open_loop_beside_threads_that_think_takes_its_rate() {
    for (think, threads) in [(0.0, 20), (5e-3, 20), (50e-3, 64), (200e-3, 256)] {
        let mut scenario = open(1, 300.0, Spacing::Poisson);
        let mut closed = scenario.workloads[0].clone();
        closed.id = "closed".to_owned();
        closed.arrivals = Arrivals::Closed;
        closed.threads_per_client = threads;
        closed.think_time = Time::new(think);
        scenario.workloads.push(closed);
        let (predicted, simulated) = both(&scenario);
        for outcome in [&predicted, &simulated] {
            let [open, closed] = [0, 1].map(|index| &outcome.workloads[index]);
            assert!(!open.offered.expect("an open loop").saturated, "{think} s");
            assert_close(open.throughput.operations.get(), 300.0, 0.02);
            assert_close(closed.throughput.operations.get(), 200.0, 0.02);
        }
    }
}

/// Little's law for every workload: the counted mean number in flight is the rate times the mean latency.
#[test]
fn littles_law_holds_for_every_workload() {
    let mut scenario = open(4, 800.0, Spacing::Poisson);
    let mut closed = scenario.workloads[0].clone();
    closed.id = "closed".to_owned();
    closed.arrivals = Arrivals::Closed;
    closed.threads_per_client = 3;
    closed.think_time = Time::new(5e-3);
    scenario.workloads.push(closed);
    let (_, simulated) = both(&scenario);
    for workload in &simulated.workloads {
        let expected = workload.throughput.operations.get() * workload.latency.mean.get();
        assert_close(workload.outstanding, expected, 2e-3);
    }
    let both: f64 = simulated
        .workloads
        .iter()
        .map(|workload| workload.throughput.operations.get())
        .sum();
    assert_close(operations(&simulated), both, 1e-9);
    // Three threads are in flight or think all the time.
    let closed = &simulated.workloads[1];
    let thinking = closed.throughput.operations.get() * 5e-3;
    assert_close(closed.outstanding + thinking, 3.0, 2e-3);
}

/// Four calls in flight of 10 ms each (2 ms of work, 4 ms in each direction) yield 400/s; of 64 threads,
/// sixty wait, and by Little's law an operation takes 160 ms.
#[test]
fn a_client_sends_no_more_calls_than_it_may() {
    let (clients, mut workload) = reads(1.0, 64);
    workload.outstanding_per_client = Some(4);
    let mut scenario = scenario(one_socket(8, 1e9, 1e12), stack(), clients, workload);
    scenario.run.network_latency = Time::new(4e-3);
    scenario.run.duration = Time::new(5.0);
    let (predicted, simulated) = both(&scenario);
    for (outcome, tolerance) in [(&predicted, 1e-6), (&simulated, 5e-3)] {
        assert_close(operations(outcome), 400.0, tolerance);
        assert_close(outcome.latency.mean.get(), 0.16, tolerance);
    }
    // A limit that is not reached has no effect.
    scenario.workloads[0].threads_per_client = 3;
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), 300.0, 1e-6);
    assert_close(operations(&simulated), 300.0, 5e-3);
}

/// Threads that think find all slots taken now and then, also where there are enough on average: the latency
/// that is predicted is that of the simulation.
#[test]
fn threads_that_think_wait_for_slots() {
    for (threads, slots, think) in [
        (8, 2, 20e-3),
        (8, 2, 50e-3),
        (4, 3, 5e-3),
        (16, 4, 40e-3),
        (40, 12, 30e-3),
    ] {
        let (clients, mut workload) = reads(1.0, threads);
        workload.outstanding_per_client = Some(slots);
        workload.think_time = Time::new(think);
        workload.think_variation = 0.5;
        let mut scenario = scenario(one_socket(64, 1e9, 1e12), stack(), clients, workload);
        scenario.run.network_latency = Time::new(4e-3);
        scenario.run.duration = Time::new(100.0);
        let (predicted, simulated) = both(&scenario);
        let latency = |of: &Outcome| of.latency.mean.get();
        let error = latency(&predicted) / latency(&simulated) - 1.0;
        assert!(error.abs() < 0.03, "{threads} {slots} {think}: {error}");
    }
}

/// Threads that meet at a core: with few slots they do so as often as operations are in flight, although each
/// thinks for long. Slots that are always taken pause no time at all.
#[test]
fn few_slots_meet_as_often_as_they_are_taken() {
    for (threads, slots, think) in [(16, 4, 20e-3), (16, 8, 20e-3), (64, 16, 250e-3), (64, 2, 5e-3)] {
        let (clients, mut workload) = reads(1.0, threads);
        workload.outstanding_per_client = Some(slots);
        workload.think_time = Time::new(think);
        workload.think_variation = 1.0;
        let mut scenario = scenario(one_socket(1, 1e9, 1e12), stack(), clients, workload);
        scenario.run.duration = Time::new(60.0);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), operations(&simulated), 0.03);
        let latency = |of: &Outcome| of.latency.mean.get();
        let error = latency(&predicted) / latency(&simulated) - 1.0;
        assert!(error.abs() < 0.12, "{threads} {slots} {think}: {error}");
    }
}

/// Two clients with a limit each: the limit is per client, not per group.
#[test]
fn every_client_has_its_own_limit() {
    let (mut clients, mut workload) = reads(1.0, 8);
    clients.count = 2;
    clients.nics.count = 2;
    workload.outstanding_per_client = Some(2);
    let mut scenario = scenario(one_socket(16, 1e9, 1e12), stack(), clients, workload);
    scenario.run.network_latency = Time::new(4e-3);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), 400.0, 1e-6);
    assert_close(operations(&simulated), 400.0, 1e-2);
}

/// 1000/s between 2 s and 6 s of a window of 10 s are 4000 operations; with a ramp over the first 2 s, a
/// thousand fewer.
#[test]
fn workloads_come_and_go() {
    let mut scenario = open(8, 1000.0, Spacing::Deterministic);
    scenario.run.warm_up = Time::ZERO;
    scenario.run.duration = Time::new(10.0);
    for (ramp, expected) in [(0.0, 400.0), (2.0, 300.0)] {
        scenario.workloads[0].schedule = Schedule {
            start: Time::new(2.0),
            stop: Some(Time::new(6.0)),
            ramp: Time::new(ramp),
        };
        let (_, simulated) = both(&scenario);
        assert_close(operations(&simulated), expected, 2e-3);
    }
    // Four threads of 2 ms each: 2000/s for 4 s of 10; if they start one after another over 2 s, three
    // quarters of a thread-second per second are missing on average.
    scenario.workloads[0].arrivals = Arrivals::Closed;
    scenario.workloads[0].threads_per_client = 4;
    for (ramp, expected) in [(0.0, 800.0), (2.0, 650.0)] {
        scenario.workloads[0].schedule.ramp = Time::new(ramp);
        let (_, simulated) = both(&scenario);
        assert_close(operations(&simulated), expected, 5e-3);
    }
}

/// A second workload does not change the random numbers of the first.
#[test]
fn arrivals_are_a_matter_of_each_workload() {
    let alone = open(8, 500.0, Spacing::Poisson);
    let mut with_another = alone.clone();
    let mut other = alone.workloads[0].clone();
    other.id = "other".to_owned();
    with_another.workloads.push(other);
    let offered = |scenario: &Scenario| {
        let (_, simulated) = both(scenario);
        simulated.workloads[0].offered.map(|offered| offered.rate)
    };
    assert_eq!(offered(&alone), offered(&with_another));
}
