//! Jobs against elapsed times computed by hand: on the server itself and over the network.

use bandgraph_hardware::{DiskPart, HbaPart, JbodPart};
use bandgraph_model::storage::{HitRateMethod, Pool, PoolKind};
use bandgraph_model::{BindError, EXPLANATIONS, Scenario};
use bandgraph_solve::{Outcome, bind};
use bandgraph_topology::{CardPart, CardSpec, JbodSpec, Seat, TopologySpec};
use bandgraph_units::{Bandwidth, Bytes, Fraction, Time};
use bandgraph_workload::{
    ClientProcessors, ComputeTimes, Job, Mix, OperationKind, ProtocolKind, Reuse, ReuseSpread,
};

use crate::common::{GIB, MIB, assert_close, both, no_stack, one_socket, reads, scenario};

/// Eight cores of 1 GHz, 64 GiB, and two disks of 100 MB/s with zero seek time on an onboard adapter.
pub(crate) fn host() -> TopologySpec {
    let mut spec = one_socket(8, 1e9, 1.25e9);
    spec.cards.push(CardSpec {
        id: "sata".to_owned(),
        part: CardPart::Hba(HbaPart {
            integrated: true,
            ..HbaPart::default()
        }),
        seat: Seat::Bridge("io".to_owned()),
    });
    let disk = DiskPart {
        outer_rate: Bandwidth::new(100e6),
        inner_rate: Bandwidth::new(100e6),
        seek: Time::ZERO,
        track_seek: Time::ZERO,
        head_switch: Time::ZERO,
        rpm: 1e6,
        ..DiskPart::default()
    };
    spec.jbods.push(JbodSpec {
        id: "bays".to_owned(),
        part: JbodPart {
            disks: 2,
            ..JbodPart::default()
        },
        disk: disk.into(),
        hba: "sata".to_owned(),
        port: 0,
        second_path: None,
    });
    spec
}

/// A job on the host itself: `cores` processes, 100 s of computing, 20 GB of reads of 1 MiB.
fn local(cores: u32) -> Scenario {
    let (clients, mut workload) = reads(MIB, cores);
    workload.protocol = ProtocolKind::Host;
    workload.job = Some(Job {
        cores,
        ..Job::new(Time::new(100.0), Bytes::new(20e9))
    });
    let mut scenario = scenario(host(), no_stack(), clients, workload);
    scenario.storage.pools = vec![Pool {
        kind: PoolKind::Stripe,
        run: Some(Bytes::new(1e9)),
        ..Pool::new("scratch")
    }];
    scenario
}

fn job(scenario: &mut Scenario) -> &mut Job {
    scenario.workloads[0].job.as_mut().expect("it has a job")
}

fn elapsed(outcome: &Outcome) -> f64 {
    outcome.elapsed.expect("jobs have an end").get()
}

/// Cached reads do not affect the computing, predicted and simulated, on any number of cores.
#[test]
fn a_job_whose_data_is_cached_takes_as_long_as_it_computes() {
    for cores in [1, 4, 8] {
        let (predicted, simulated) = both(&local(cores));
        assert_close(elapsed(&predicted), 100.0, 1e-3);
        assert_close(elapsed(&simulated), 100.0, 1e-2);
        assert_close(predicted.sockets[0].busy, f64::from(cores) / 8.0, 1e-3);
    }
}

/// 20 GB of uncached reads on two disks of 100 MB/s: 100 s if only the disks limit. Eight processes compute
/// for 10 s of that.
#[test]
fn a_job_that_reads_more_than_it_computes_takes_as_long_as_its_disks() {
    let mut scenario = local(8);
    *job(&mut scenario) = Job {
        compute: ComputeTimes::Any(Time::new(10.0)),
        reuse: Reuse {
            reuse_distance: Some(Bytes::new(1000.0 * GIB)),
            reuse_spread: ReuseSpread::Fixed,
            first_reads: Fraction::new(0.0),
        },
        ..job(&mut scenario).clone()
    };
    let (predicted, simulated) = both(&scenario);
    // Half a revolution of 30 us per run of 1 GB.
    assert_close(elapsed(&predicted), 100.0, 1e-3);
    assert_close(elapsed(&simulated), 100.0, 1e-2);
    // One disk has half the rate.
    scenario.storage.pools[0].disks_per_jbod = Some(1);
    assert_close(elapsed(&both(&scenario).0), 200.0, 1e-3);
}

/// Reuse distances uniform from zero to 100 GiB against 64 GiB minus 8 processes of 3 GiB: 40 % hit. With
/// twice as many jobs, each has half of the cache.
#[test]
fn a_job_has_the_cache_that_processes_leave() {
    let mut scenario = local(8);
    *job(&mut scenario) = Job {
        memory: Bytes::new(3.0 * GIB),
        reuse: Reuse {
            reuse_distance: Some(Bytes::new(50.0 * GIB)),
            reuse_spread: ReuseSpread::Uniform,
            first_reads: Fraction::new(0.0),
        },
        ..job(&mut scenario).clone()
    };
    let cache = both(&scenario).0.workloads[0].cache;
    assert_eq!(cache.method, HitRateMethod::Reuse);
    assert_close(cache.capacity.get(), 40.0 * GIB, 1e-9);
    assert_close(cache.hit_rate.get(), 0.4, 1e-9);
    // Two concurrent jobs of four processes each.
    job(&mut scenario).cores = 4;
    job(&mut scenario).count = 2;
    assert_close(both(&scenario).0.workloads[0].cache.hit_rate.get(), 0.2, 1e-9);
}

/// 30 jobs of 100 s on 3 clients with 2 slots each: five rounds. Reads of 1 MiB over unlimited links.
#[test]
fn a_batch_over_the_network_runs_as_many_jobs_as_there_is_room_for() {
    let (mut clients, mut workload) = reads(MIB, 2);
    clients.count = 3;
    let mut batch = Job::new(Time::new(100.0), Bytes::new(10.0 * MIB));
    batch.count = 30;
    workload.job = Some(batch);
    let spec = one_socket(8, 1e9, 1e12);
    let mut scenario = scenario(spec, no_stack(), clients, workload);
    let (predicted, simulated) = both(&scenario);
    assert_close(elapsed(&predicted), 500.0, 1e-3);
    assert_close(elapsed(&simulated), 500.0, 1e-2);
    // On a client with one core, each of its two processes computes half of the time.
    scenario.clients[0].processors = ClientProcessors {
        cores: 1,
        ..ClientProcessors::default()
    };
    assert_close(elapsed(&both(&scenario).0), 1000.0, 1e-3);
    // Four jobs are one on each of two clients and two on the third, in a single round.
    scenario.clients[0].processors.cores = 2;
    job(&mut scenario).count = 4;
    let outcome = both(&scenario).0;
    assert_close(elapsed(&outcome), 100.0, 1e-3);
}

/// A batch of 100 GB at 1 GB/s of reads through a port of 10 Gbit/s takes about 80 s, for any number of
/// clients.
#[test]
fn a_batch_is_held_up_by_the_servers_port() {
    let (mut clients, mut workload) = reads(MIB, 4);
    clients.count = 8;
    let mut batch = Job::new(Time::new(1.0), Bytes::new(1e9));
    batch.count = 100;
    workload.job = Some(batch);
    let scenario = scenario(one_socket(8, 1e9, 1.25e9), no_stack(), clients, workload);
    let (predicted, simulated) = both(&scenario);
    let wire = predicted.throughput.payload.get();
    assert!((1.2e9..1.25e9).contains(&wire), "{wire}");
    assert_close(elapsed(&predicted), 100e9 / wire, 1e-9);
    assert_close(elapsed(&simulated), elapsed(&predicted), 1e-2);
}

#[test]
fn workloads_without_jobs_have_no_end() {
    let (clients, workload) = reads(MIB, 2);
    let outcome = both(&scenario(one_socket(8, 1e9, 1e9), no_stack(), clients, workload)).0;
    assert_eq!((outcome.elapsed, outcome.workloads[0].elapsed), (None, None));
}

#[test]
fn jobs_that_cannot_be_are_refused() {
    type Change = fn(&mut Scenario);
    let cases: [(&str, &str, Change); 3] = [
        (
            "sim::free_operation",
            "uses no resource and takes no time",
            |scenario| {
                scenario.workloads[0].job = None;
                scenario.workloads[0].hit_rate = Some(Fraction::new(1.0));
            },
        ),
        (
            "sim::no_compute_time",
            "no time for a job on 8 cores",
            |scenario| {
                job(scenario).compute = ComputeTimes::ByCores(vec![(1, Time::new(1.0))]);
            },
        ),
        ("sim::job_memory", "take 72 GiB of memory", |scenario| {
            job(scenario).memory = Bytes::new(9.0 * GIB);
        }),
    ];
    for (id, message, change) in cases {
        let mut scenario = local(8);
        change(&mut scenario);
        let error: BindError = bind(&scenario).expect_err(id);
        assert_eq!(error.id(), id);
        assert!(error.to_string().contains(message), "{error}");
        assert!(EXPLANATIONS.contains(id), "{id}");
    }
}

/// Writes of a job require a pool.
#[test]
fn a_job_that_writes_needs_a_pool() {
    let mut scenario = local(1);
    scenario.workloads[0].mix = Mix::single(OperationKind::Write);
    scenario.storage.pools.clear();
    let error = bind(&scenario).expect_err("no pool");
    assert_eq!(error.id(), "sim::needs_disks");
}

/// Writes go to the disks with their transaction group, asynchronously: 5 GB take 25 s of two disks of
/// 100 MB/s, in parallel with 100 s of computing. 40 GB take 200 s, and then the disks limit; the times do
/// not add up. The simulation writes groups as events and throttles writers when the disks are too slow, with
/// the same result on average.
#[test]
fn writers_wait_for_the_disks_only_when_these_fall_behind() {
    for (bytes, seconds) in [(5e9, 100.0), (40e9, 200.0), (80e9, 400.0)] {
        let mut scenario = local(1);
        scenario.workloads[0].mix = Mix::single(OperationKind::Write);
        job(&mut scenario).data = Bytes::new(bytes);
        let (predicted, simulated) = both(&scenario);
        assert_close(elapsed(&predicted), seconds, 1e-3);
        assert_close(elapsed(&simulated), seconds, 0.02);
        assert_close(
            simulated.throughput.disk.get(),
            predicted.throughput.disk.get(),
            0.02,
        );
    }
}

/// A group may fill a share of the memory: with space for 100 MiB, writers are throttled sooner, and the
/// disks have the same rate. No operation waits for a group.
#[test]
fn small_groups_slow_writers_sooner_and_disks_are_as_fast() {
    let mut scenario = local(4);
    scenario.workloads[0].mix = Mix::single(OperationKind::Write);
    job(&mut scenario).data = Bytes::new(80e9);
    let (predicted, large) = both(&scenario);
    scenario.stack.storage.group_memory = 100.0 * MIB / (64.0 * GIB);
    let (_, small) = both(&scenario);
    for outcome in [&predicted, &large, &small] {
        assert_close(elapsed(outcome), 400.0, 0.03);
    }
    for outcome in [&large, &small] {
        // Without percentiles, all take about the same time.
        let points = outcome.latency.percentiles;
        let slowest = points.map_or(outcome.latency.mean, |points| points.max).get();
        assert!(slowest < 0.5, "{slowest}");
    }
}
