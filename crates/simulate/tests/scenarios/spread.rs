//! Random work: latencies have distributions, and means and rates are unchanged.

use bandgraph_hardware::{DrivePart, Flash, SsdPart};
use bandgraph_model::Scenario;
use bandgraph_model::storage::{Pool, PoolKind, WriteMethod};
use bandgraph_simulate::simulate;
use bandgraph_solve::{Outcome, SteadyState, bind};
use bandgraph_testkit::oracle::mmc_wait;
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_units::{Bandwidth, Bytes, Fraction, OperationRate, Time};
use bandgraph_workload::{AccessPattern, Arrivals, Mix, OperationKind, Spacing};

use crate::common::{
    GIB, MIB, assert_close, both, fast_lanes, no_stack, one_socket, operations, reads, scenario, streaming,
};
use crate::connections::transmit;
use crate::logs::synchronous;

/// An operation is 1e6 instructions at CPI 2: 2 ms of a core of 1 GHz.
const SERVICE: f64 = 2e-3;

/// Operations of 2 ms on average.
pub(crate) fn on_cores(cores: u64, threads: u32, variation: f64) -> Scenario {
    let (clients, workload) = reads(1.0, threads);
    let mut stack = no_stack();
    stack.instructions_per_operation = 1e6;
    stack.work_variation = variation;
    let mut scenario = scenario(one_socket(cores, 1e9, 1e12), stack, clients, workload);
    scenario.run.duration = Time::new(100.0);
    scenario
}

fn at_rate(mut scenario: Scenario, rate: f64) -> Scenario {
    scenario.workloads[0].arrivals = Arrivals::Open {
        rate: OperationRate::new(rate),
        spacing: Spacing::Poisson,
    };
    scenario
}

/// The median, the 99th percentile and the maximum.
fn points(outcome: &Outcome) -> [f64; 3] {
    let points = outcome.latency.percentiles.expect("something is drawn");
    [points.p50, points.p99, points.max].map(Time::get)
}

/// A constant part plus an exponential one: its median is ln 2 of its mean, its 99th percentile ln 100.
#[test]
fn lone_operations_take_what_their_work_takes() {
    let (predicted, simulated) = both(&on_cores(1, 1, 0.4));
    let [p50, p99, max] = points(&simulated);
    assert_close(p50, SERVICE * (0.6 + 0.4 * libm::log(2.0)), 0.01);
    assert_close(p99, SERVICE * (0.6 + 0.4 * libm::log(100.0)), 0.02);
    assert!(max > p99);
    assert_close(simulated.latency.mean.get(), SERVICE, 1e-3);
    assert_close(operations(&simulated), operations(&predicted), 1e-3);
}

/// Cores in processor sharing are symmetric queues: times depend only on the mean work.
#[test]
fn work_that_varies_leaves_means_alone() {
    for (cores, load) in [(1_u32, 0.7), (4, 0.8)] {
        let rate = load * f64::from(cores) / SERVICE;
        let (predicted, simulated) = both(&at_rate(on_cores(u64::from(cores), 1, 1.0), rate));
        let expected = SERVICE + mmc_wait(rate, 1.0 / SERVICE, cores);
        assert_close(simulated.latency.mean.get(), expected, 0.05);
        assert_close(operations(&simulated), rate, 0.02);
        let (even, _) = both(&at_rate(on_cores(u64::from(cores), 1, 0.0), rate));
        assert_eq!(even.latency.mean, predicted.latency.mean);
    }
    // Threads that keep a core busy get its full rate.
    let (predicted, simulated) = both(&on_cores(1, 8, 1.0));
    assert_close(operations(&simulated), operations(&predicted), 1e-3);
    let [p50, p99, max] = points(&simulated);
    assert!(p50 < p99 && p99 < max);
}

/// Local commands of 8 KiB on one solid-state drive, which takes 50 us for a read and 500 us for a write, and
/// serves any number of reads in its flash.
pub(crate) fn on_flash(threads: u32, mix: Mix, latency: f64) -> Scenario {
    on_drive(flash(latency), threads, mix)
}

pub(crate) fn flash(latency: f64) -> SsdPart {
    SsdPart {
        name: "flash".to_owned(),
        capacity: Bytes::new(1e12),
        read_rate: Bandwidth::new(400e6),
        write_rate: Bandwidth::new(100e6),
        read_time: Time::new(50e-6 - 8192.0 / 400e6),
        write_time: Time::new(500e-6 - 8192.0 / 100e6),
        read_latency: Time::new(latency),
        write_latency: Time::new(latency),
        ..SsdPart::default()
    }
}

/// The same on any drive.
pub(crate) fn on_drive(part: SsdPart, threads: u32, mix: Mix) -> Scenario {
    let mut spec = seven_four_ten(Generation::Istanbul);
    spec.jbods.truncate(1);
    spec.jbods[0].disk = DrivePart::from(part);
    fast_lanes(&mut spec);
    let mut scenario = streaming(spec, 8192.0, threads);
    scenario.stack = no_stack();
    scenario.stack.storage.writes = WriteMethod::InPlace;
    scenario.clients[0].count = 1;
    scenario.clients[0].nics.rate = Bandwidth::new(1e12);
    scenario.run.network_latency = Time::ZERO;
    let workload = &mut scenario.workloads[0];
    workload.mix = mix;
    workload.pattern = AccessPattern::Random;
    workload.working_set = Bytes::new(100.0 * GIB);
    workload.hit_rate = Some(Fraction::new(0.0));
    scenario.storage.pools = vec![Pool {
        kind: PoolKind::Stripe,
        width: Some(1),
        record_size: Bytes::new(8192.0),
        disks_per_jbod: Some(1),
        ..Pool::new("data")
    }];
    scenario.run.warm_up = Time::new(0.5);
    scenario.run.duration = Time::new(4.0);
    scenario
}

pub(crate) fn only(kind: OperationKind) -> Mix {
    Mix::single(kind)
}

/// A single read waits for its die; a tenth of that is random. On a saturated drive, reads complete in the
/// order of their dies: the rate and, by Little's law, the mean are independent of the order.
#[test]
fn reads_of_flash_are_a_distribution() {
    let (service, latency) = (50e-6, 5e-3);
    let (predicted, simulated) = both(&on_flash(1, only(OperationKind::Read), latency));
    let [p50, p99, max] = points(&simulated);
    assert_close(p50, service + latency * (0.9 + 0.1 * libm::log(2.0)), 0.01);
    assert_close(p99, service + latency * (0.9 + 0.1 * libm::log(100.0)), 0.02);
    assert!(max > p99);
    assert_close(operations(&simulated), operations(&predicted), 0.01);
    let threads = 400;
    let part = SsdPart {
        flash: Flash {
            read_units: 128,
            ..Flash::default()
        },
        ..flash(latency)
    };
    let (predicted, simulated) = both(&on_drive(part, threads, only(OperationKind::Read)));
    assert_close(operations(&simulated), 1.0 / service, 0.005);
    assert_close(operations(&predicted), 1.0 / service, 0.01);
    assert_close(simulated.latency.mean.get(), f64::from(threads) * service, 0.01);
    let [p50, p99, max] = points(&simulated);
    assert!(
        p99 > 1.3 * p50 && p99 < 4.0 * p50 && max > p99,
        "{p50} {p99} {max}"
    );
}

/// By hand: of ten commands seven take 50 us and three 500 us, 185 us on average. Reads and writes share only
/// the time of the drive.
#[test]
fn reads_and_writes_share_the_time_of_their_drive() {
    let mix = Mix::new(&[(OperationKind::Read, 7.0), (OperationKind::Write, 3.0)]).expect("a mix");
    let (predicted, simulated) = both(&on_flash(64, mix, 100e-6));
    let expected = 1.0 / (0.7 * 50e-6 + 0.3 * 500e-6);
    assert_close(operations(&predicted), expected, 0.01);
    assert_close(operations(&simulated), expected, 0.02);
    let of_kinds = [(OperationKind::Read, 0.7), (OperationKind::Write, 0.3)];
    for (operation, share) in of_kinds {
        let of_kind = simulated.workloads[0]
            .operations
            .iter()
            .find(|of| of.operation == operation);
        let found = of_kind.expect("both are there").rate.get();
        assert_close(found, share * expected, 0.05);
    }
}

/// By hand: half a MiB at 400 MB/s and half at 100 MB/s, for any write method.
#[test]
fn streams_of_both_kinds_share_the_time_of_their_drive() {
    let mix = Mix::new(&[(OperationKind::Read, 1.0), (OperationKind::Write, 1.0)]).expect("a mix");
    for method in [WriteMethod::Groups, WriteMethod::InPlace, WriteMethod::WriteBack] {
        let mut scenario = on_flash(32, mix.clone(), 0.0);
        scenario.stack.storage.writes = method;
        scenario.workloads[0].pattern = AccessPattern::Sequential;
        scenario.workloads[0].io_size = Bytes::new(MIB);
        scenario.storage.pools[0].record_size = Bytes::new(MIB / 8.0);
        let DrivePart::Ssd(part) = scenario.topology.spec().jbods[0].disk.clone() else {
            unreachable!("it is flash");
        };
        // Runs of a stream, and commands in place, have at least a record.
        let commands = |run: f64, time: Time| MIB / run * time.get();
        let [fewest, most] = [MIB, MIB / 8.0].map(|run| {
            let read = MIB / 400e6 + commands(run, part.read_time);
            let write = MIB / 100e6 + commands(run, part.write_time);
            2.0 / (read + write)
        });
        let (predicted, simulated) = both(&scenario);
        for outcome in [predicted, simulated] {
            let found = operations(&outcome);
            assert!(
                found < 1.03 * fewest && found > 0.97 * most,
                "{method:?}: {found} of {most} to {fewest}"
            );
        }
    }
}

/// A capacity, a scenario at a rate, and the expected latency.
type Case<'c> = (
    f64,
    Box<dyn Fn(f64) -> Scenario + 'c>,
    Box<dyn Fn(f64) -> f64 + 'c>,
);

/// The review's S6. The mean is that of processor sharing on a core, four cores and a link (Erlang), and that
/// of a drive with constant service (Pollaczek and Khinchine).
#[test]
fn the_latency_of_an_open_loop_rises_with_its_rate() {
    let link = |rate: f64| {
        let (clients, workload) = reads(MIB, 1);
        let mut scenario = scenario(one_socket(4, 1e9, 125e6), no_stack(), clients, workload);
        scenario.run.duration = Time::new(400.0);
        at_rate(scenario, rate)
    };
    let flash = |rate: f64| {
        let mut scenario = at_rate(on_flash(1, only(OperationKind::Read), 0.0), rate);
        scenario.run.duration = Time::new(20.0);
        scenario
    };
    let fastest = |scenario: &dyn Fn(f64) -> Scenario| both(&scenario(1e-3)).0.latency.mean.get();
    let (of_link, of_flash) = (fastest(&link), 50e-6);
    let beside = fastest(&flash) - of_flash;
    let erlang = |service: f64, servers: u32, rate: f64| service + mmc_wait(rate, 1.0 / service, servers);
    let even = |service: f64, rate: f64| service * (1.0 + service * rate / (2.0 - 2.0 * service * rate));
    let cases: [Case<'_>; 4] = [
        (
            1.0 / SERVICE,
            Box::new(|rate| at_rate(on_cores(1, 1, 0.3), rate)),
            Box::new(|rate| erlang(SERVICE, 1, rate)),
        ),
        (
            4.0 / SERVICE,
            Box::new(|rate| at_rate(on_cores(4, 1, 0.3), rate)),
            Box::new(|rate| erlang(SERVICE, 4, rate)),
        ),
        (
            1.0 / of_link,
            Box::new(link),
            Box::new(|rate| erlang(of_link, 1, rate)),
        ),
        (
            1.0 / of_flash,
            Box::new(flash),
            Box::new(|rate| even(of_flash, rate) + beside),
        ),
    ];
    for (number, (full, scenario, expected)) in cases.iter().enumerate() {
        let mut last = 0.0;
        for load in [0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99] {
            let scenario = scenario(load * full);
            let bound = bind(&scenario).expect("a sound scenario");
            let steady = SteadyState::solve(&bound).expect("a steady state");
            let found = steady
                .prediction(&bound)
                .expect("a prediction")
                .latency
                .mean
                .get();
            assert!(found > last, "{number}, {load}: {found} after {last}");
            last = found;
            assert_close(found, expected(load * full), 0.03);
            if load == 0.6 || load == 0.9 {
                let simulated = simulate(&bound, &steady).expect("a sound run");
                assert_close(found, simulated.latency.mean.get(), 0.11);
            }
        }
    }
}

/// The mean of the other seeds is within the confidence interval of a run, in nine of ten cases. Twelve
/// connections on five cores: with constant operations, the order from the start of the run persists; one run
/// then has no information on the others, which differ by 9 %.
#[test]
fn the_interval_of_a_run_has_the_mean_of_other_seeds_in_it() {
    let thinking = || {
        let mut scenario = on_cores(4, 12, 0.3);
        scenario.workloads[0].think_time = Time::new(4.0 * SERVICE);
        scenario.workloads[0].think_variation = 0.3;
        scenario
    };
    let connections = || transmit(12, 24, 200e-6);
    // How writers are divided into batches of a log on disks.
    let divided = || synchronous(4, 0);
    let cases: [(&dyn Fn() -> Scenario, f64); 3] = [(&thinking, 2.0), (&connections, 2.0), (&divided, 100.0)];
    for (number, (case, seconds)) in cases.iter().enumerate() {
        let runs: Vec<(f64, f64)> = (1..=32)
            .map(|seed| {
                let mut scenario = case();
                scenario.run.seed = seed;
                scenario.run.duration = Time::new(*seconds);
                let bound = bind(&scenario).expect("a sound scenario");
                let steady = SteadyState::solve(&bound).expect("a steady state");
                let outcome = simulate(&bound, &steady).expect("a sound run");
                let precision = outcome.simulated.and_then(|run| run.precision);
                (operations(&outcome), precision.expect("many batches").throughput)
            })
            .collect();
        let sum: f64 = runs.iter().map(|(rate, _)| rate).sum();
        let has_others = |&&(rate, half): &&(f64, f64)| {
            let others = (sum - rate) / (runs.len() as f64 - 1.0);
            (rate - others).abs() <= half * rate
        };
        let covered = runs.iter().filter(has_others).count();
        assert!(5 * covered >= 4 * runs.len(), "{number}: {covered} of {runs:?}");
        assert!(runs.iter().all(|&(_, half)| half < 0.02), "{number}: {runs:?}");
    }
}

/// Each percentile lies in the bucket in which its share of the operations is reached, whose ends are at most
/// 3 % apart; the ends are the same in every histogram.
#[test]
fn percentiles_are_in_their_buckets() {
    for (threads, variation) in [(1, 0.4), (9, 1.0)] {
        let (_, simulated) = both(&on_cores(2, threads, variation));
        let (latency, all) = (&simulated.latency, simulated.latency.percentiles.expect("drawn"));
        let counted: u64 = latency.histogram.iter().map(|bucket| bucket.count).sum();
        assert_eq!(counted, all.samples);
        for (quantile, point) in [(0.5, all.p50), (0.95, all.p95), (0.99, all.p99), (1.0, all.max)] {
            let wanted = (quantile * counted as f64).ceil() as u64;
            let mut sum = 0;
            let bucket = latency.histogram.iter().find(|bucket| {
                sum += bucket.count;
                sum >= wanted
            });
            let to = bucket.expect("all operations are in buckets").to.get();
            let point = point.get();
            assert!(
                point <= to * 1.001 && to < point * 1.031,
                "{quantile}: {point} in a bucket to {to}"
            );
        }
        let whole = latency.histogram.split_last().map_or(&[][..], |(_, whole)| whole);
        for bucket in whole {
            let steps = 24.0 * libm::log2(bucket.to.get() * 1e6);
            assert!((steps - steps.round()).abs() < 0.05, "{steps}");
        }
    }
}
