//! Disks with queues, logs with batches, and throttled writers.

use bandgraph_hardware::{Card, DrivePart, SsdPart, catalogue};
use bandgraph_model::Scenario;
use bandgraph_model::storage::{Pool, PoolKind, WriteMethod};
use bandgraph_solve::Outcome;
use bandgraph_testkit::oracle::{ClosedFcfs, ClosedNetwork, Service};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_topology::TopologySpec;
use bandgraph_units::{Bandwidth, Bytes, Fraction, OperationRate, Time};
use bandgraph_workload::{AccessPattern, Arrivals, Mix, OperationKind, ProtocolKind, Spacing};

use crate::common::{GIB, assert_close, both, fast_lanes, no_stack, operations, streaming};
use crate::logs::synchronous;

/// Uncached random reads of 8 KiB on 192 disks; only disks take time.
fn random_reads(spec: TopologySpec, threads: u32) -> Scenario {
    let mut scenario = streaming(spec, 8192.0, threads);
    scenario.stack = no_stack();
    scenario.clients[0].nics.rate = Bandwidth::new(1e12);
    scenario.run.network_latency = Time::ZERO;
    let workload = &mut scenario.workloads[0];
    workload.pattern = AccessPattern::Random;
    workload.working_set = Bytes::new(4e6 * GIB);
    scenario.storage.pools = vec![Pool {
        record_size: Bytes::new(8192.0),
        ..Pool::new("data")
    }];
    scenario.run.warm_up = Time::new(0.5);
    scenario.run.duration = Time::new(4.0);
    scenario
}

/// A 7410 whose drives take 14.3 ms for every command.
fn fixed_service() -> TopologySpec {
    let mut spec = seven_four_ten(Generation::Istanbul);
    let part = SsdPart {
        read_time: Time::new(14.3e-3),
        read_rate: Bandwidth::new(1e12),
        ..catalogue().ssd("x25-e-32gb").expect("in the catalogue").clone()
    };
    for jbod in &mut spec.jbods {
        jbod.disk = DrivePart::from(part.clone());
    }
    spec
}

/// The audit's S2, without the cache: random disks, and the shorter queue of each mirror, against an
/// independent simulation.
#[test]
fn reads_wait_for_the_disk_that_they_need() {
    for (threads, kind) in [
        (5, PoolKind::Stripe),
        (10, PoolKind::Stripe),
        (20, PoolKind::Stripe),
        (5, PoolKind::Mirror),
        (10, PoolKind::Mirror),
        (20, PoolKind::Mirror),
    ] {
        let mut scenario = random_reads(fixed_service(), threads);
        scenario.storage.pools[0].kind = kind;
        let closed = ClosedFcfs {
            customers: 20 * threads as usize,
            devices: 192,
            copies: if kind == PoolKind::Mirror { 2 } else { 1 },
            service: Service::Fixed,
        };
        let expected = closed.throughput(1, 400_000) / 14.3e-3;
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), expected, 0.03);
        assert_close(operations(&predicted), expected, 0.05);
    }
}

/// The eight records of one read go to disks drawn at random, where some of them meet. Drawn 400,000 times by
/// another program: the fullest of eight disks has 2.597 of them; of four pairs that share theirs, 2.073.
#[test]
fn records_of_a_read_meet_on_the_same_disk() {
    for (kind, rounds) in [(PoolKind::Stripe, 2.597), (PoolKind::Mirror, 2.073)] {
        let mut scenario = random_reads(fixed_service(), 1);
        scenario.clients[0].count = 1;
        scenario.workloads[0].io_size = Bytes::new(65_536.0);
        scenario.storage.pools[0].kind = kind;
        scenario.storage.pools[0].disks_per_jbod = Some(1);
        scenario.run.duration = Time::new(40.0);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), 1.0 / (rounds * 14.3e-3), 0.03);
        assert_close(operations(&predicted), 1.0 / (rounds * 14.3e-3), 0.07);
    }
}

/// The latency of a command beyond the occupancy of its drive: a single thread takes both times, and the rate
/// follows exact mean value analysis with the latency as time outside all queues. The same holds for blocks
/// of a log.
#[test]
fn a_command_waits_for_the_latency_of_its_drive_as_well() {
    let (service, latency) = (1.43e-3, 14.3e-3);
    let slow = |spec: &mut SsdPart| {
        (spec.read_time, spec.write_time) = (Time::new(service), Time::new(service));
        (spec.read_latency, spec.write_latency) = (Time::new(latency), Time::new(latency));
        (spec.read_rate, spec.write_rate) = (Bandwidth::new(1e12), Bandwidth::new(1e12));
        spec.flash.read_units = 0;
    };
    let mut part = catalogue().ssd("x25-e-32gb").expect("in the catalogue").clone();
    slow(&mut part);
    let mut spec = seven_four_ten(Generation::Istanbul);
    for jbod in &mut spec.jbods {
        jbod.disk = DrivePart::from(part.clone());
    }
    for threads in [1, 5, 20] {
        let network = ClosedNetwork {
            demands: vec![service / 192.0; 192],
            think: latency,
        };
        let expected = network.throughput(20 * threads);
        let (predicted, simulated) = both(&random_reads(spec.clone(), threads));
        assert_close(operations(&simulated), expected, 0.02);
        assert_close(operations(&predicted), expected, 0.02);
    }
    let mut scenario = synchronous(1, 1);
    scenario.clients[0].count = 1;
    slow(&mut scenario.storage.ssds[0].part);
    let (predicted, simulated) = both(&scenario);
    assert_close(predicted.latency.mean.get(), service + latency, 0.05);
    assert_close(simulated.latency.mean.get(), service + latency, 0.05);
}

fn open(rate: f64, spacing: Spacing, shelves: usize) -> (Outcome, Outcome) {
    let mut spec = seven_four_ten(Generation::Istanbul);
    spec.jbods.truncate(shelves);
    let mut scenario = random_reads(spec, 1);
    scenario.workloads[0].arrivals = Arrivals::Open {
        rate: OperationRate::new(rate),
        spacing,
    };
    both(&scenario)
}

/// Evenly spaced reads that go to many disks at random arrive at each nearly at random.
#[test]
fn even_arrivals_meet_at_disks_drawn_at_random() {
    for rate in [5600.0, 10_000.0, 12_000.0] {
        let (predicted, simulated) = open(rate, Spacing::Deterministic, 4);
        assert_close(predicted.latency.mean.get(), simulated.latency.mean.get(), 0.15);
    }
}

/// The audit's S1: with twice the disks, the use of each halves, and waits are shorter. Both solvers show
/// this, and the latency grows with the load.
#[test]
fn less_use_of_disks_is_less_latency() {
    let mean = |outcome: &Outcome| outcome.latency.mean.get();
    let mut last = 0.0;
    for rate in [700.0, 3500.0, 5600.0] {
        let (predicted, simulated) = open(rate, Spacing::Poisson, 4);
        assert_close(mean(&predicted), mean(&simulated), 0.15);
        let (fewer_used, fewer_used_simulated) = open(rate, Spacing::Poisson, 8);
        assert!(mean(&fewer_used) < mean(&predicted), "{rate}");
        assert!(mean(&fewer_used_simulated) < mean(&simulated), "{rate}");
        assert!(mean(&predicted) > last);
        last = mean(&predicted);
        let percentiles = simulated.latency.percentiles.expect("a simulation has them");
        assert!(percentiles.p99.get() > 1.4 * percentiles.p50.get());
    }
}

/// One disk with this number of commands in flight chooses from the waiting ones: its rate is one over the
/// mean time of a command with them.
#[test]
fn a_disk_is_faster_the_more_it_has_to_choose_from() {
    let disk = catalogue().disk("sata-1tb-7200").expect("in the catalogue");
    for queue in [1, 2, 4, 16, 32] {
        let mut spec = seven_four_ten(Generation::Istanbul);
        spec.jbods.truncate(1);
        let mut scenario = random_reads(spec, queue);
        scenario.clients[0].count = 1;
        scenario.storage.pools[0].kind = PoolKind::Stripe;
        scenario.storage.pools[0].disks_per_jbod = Some(1);
        scenario.run.duration = Time::new(60.0);
        let access = disk.positioning(1.0, f64::from(queue) - 1.0, 0.0).get() + 8192.0 / 80e6;
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), 1.0 / access, 0.05);
        assert_close(operations(&predicted), 1.0 / access, 0.03);
    }
}

/// RAID-Z reads a column of the record from every data disk, and waits for the last of them.
#[test]
fn a_record_of_raid_z_is_there_when_its_last_column_is() {
    let mut scenario = random_reads(seven_four_ten(Generation::Istanbul), 1);
    scenario.storage.pools[0].kind = PoolKind::Raidz1;
    let (predicted, simulated) = both(&scenario);
    let disk = catalogue().disk("sata-1tb-7200").expect("in the catalogue");
    let one = disk.random_access(Bytes::new(8192.0 / 3.0), 1.0, 1.0).get();
    assert!(simulated.latency.mean.get() > 1.1 * one);
    assert_close(predicted.latency.mean.get(), simulated.latency.mean.get(), 0.15);
}

/// Sequential 1 MiB writes by processes of the server to the 24 disks of one enclosure.
fn writers(threads: u32, kind: PoolKind) -> Scenario {
    let mut scenario = streaming(seven_four_ten(Generation::Istanbul), 1_048_576.0, threads);
    scenario.clients[0].count = 1;
    scenario.storage.pools = vec![Pool::new("data")];
    scenario.storage.pools[0].kind = kind;
    scenario.storage.pools[0].jbods = vec!["j0".to_owned()];
    let workload = &mut scenario.workloads[0];
    workload.protocol = ProtocolKind::Host;
    workload.mix = Mix::single(OperationKind::Write);
    workload.working_set = Bytes::new(10240.0 * GIB);
    scenario
}

/// What many threads wrote goes to disk as one transaction group, in the order in which it is allocated: more
/// writers never bring less.
#[test]
fn more_writers_never_bring_less() {
    for kind in [
        PoolKind::Stripe,
        PoolKind::Mirror,
        PoolKind::Raidz1,
        PoolKind::Raidz2,
    ] {
        let rates = [1, 2, 4, 8, 16, 64].map(|threads| {
            let bound = bandgraph_solve::bind(&writers(threads, kind)).expect("sound");
            operations(&bandgraph_solve::predict(&bound).expect("a steady state"))
        });
        for pair in rates.windows(2) {
            assert!(pair[1] > 0.9999 * pair[0], "{kind:?}: {rates:?}");
        }
    }
    let (predicted, simulated) = both(&writers(16, PoolKind::Raidz1));
    assert_close(operations(&simulated), operations(&predicted), 0.1);
}

/// Writers wait for full disks one after the other, whatever they write; reads go before them.
#[test]
fn small_writes_wait_as_long_as_large_ones() {
    for (kind, pattern) in [
        (OperationKind::Write, AccessPattern::Sequential),
        (OperationKind::Read, AccessPattern::Random),
    ] {
        let mut scenario = writers(16, PoolKind::Stripe);
        scenario.run.duration = Time::new(20.0);
        let mut small = scenario.workloads[0].clone();
        small.id = "small".to_owned();
        small.io_size = Bytes::new(8192.0);
        small.threads_per_client = 8;
        small.mix = Mix::single(kind);
        small.pattern = pattern;
        scenario.workloads.push(small);
        let (predicted, simulated) = both(&scenario);
        let rates = |outcome: &Outcome| {
            let rates = outcome.workloads.iter();
            rates.map(|of| of.throughput.operations.get()).collect::<Vec<_>>()
        };
        let (predicted, simulated) = (rates(&predicted), rates(&simulated));
        for (predicted, simulated) in predicted.iter().zip(&simulated) {
            assert_close(*predicted, *simulated, 0.08);
        }
    }
}

/// A write waits for memory and not for the disks, as long as these keep up: at 90 % of their rate it takes
/// hardly longer than at 30 %, for processes of the server and over the network.
#[test]
fn deferred_writes_do_not_wait_for_the_disks() {
    for kind in [PoolKind::Stripe, PoolKind::Mirror, PoolKind::Raidz1] {
        for protocol in [ProtocolKind::Host, ProtocolKind::Nfs3Tcp] {
            let mut scenario = writers(16, kind);
            scenario.workloads[0].protocol = protocol;
            let bound = bandgraph_solve::bind(&scenario).expect("sound");
            let full = operations(&bandgraph_solve::predict(&bound).expect("a steady state"));
            let mut first = None;
            for load in [0.3, 0.6, 0.9] {
                scenario.workloads[0].arrivals = Arrivals::Open {
                    rate: OperationRate::new(load * full),
                    spacing: Spacing::Poisson,
                };
                scenario.run.duration = Time::new(30.0);
                let (predicted, simulated) = both(&scenario);
                assert_close(operations(&simulated), load * full, 0.02);
                let [predicted, simulated] = [predicted, simulated].map(|of| of.latency.mean.get());
                assert_close(predicted, simulated, 0.15);
                if protocol == ProtocolKind::Host {
                    assert!(simulated < 1.2 * *first.get_or_insert(simulated));
                }
            }
        }
    }
}

/// A few operations, each with work of its own that is drawn: deferred work is by operation, and all that was
/// carried is still accounted for.
#[test]
fn few_writers_are_accounted_for() {
    for seed in 1..=20 {
        let mut scenario = writers(1, PoolKind::Mirror);
        scenario.workloads[0].protocol = ProtocolKind::Nfs3Tcp;
        scenario.workloads[0].io_size = Bytes::new(16384.0);
        scenario.workloads[0].pattern = AccessPattern::Random;
        scenario.workloads[0].synchronous = true;
        scenario.workloads[0].think_time = Time::new(7.0);
        scenario.run.seed = seed;
        let (_, outcome) = both(&scenario);
        let operations = outcome.simulated.expect("it is simulated").operations;
        assert!((1..10_000).contains(&operations), "{operations}");
    }
}

/// The audit's S9: if disks throttle writers, all calls take longer, not a few of them.
#[test]
fn few_calls_no_longer_carry_most_of_the_mean() {
    let mut spec = seven_four_ten(Generation::Istanbul);
    spec.jbods.truncate(1);
    let mut scenario = streaming(spec, 1_048_576.0, 2);
    scenario.storage.pools = vec![Pool::new("data")];
    scenario.workloads[0].working_set = Bytes::new(1024.0 * GIB);
    scenario.workloads[0].mix = Mix::single(OperationKind::Write);
    scenario.storage.pools[0].spread = Some(Fraction::new(1.0));
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&simulated), operations(&predicted), 0.03);
    // One in a hundred takes little longer than the median.
    let points = simulated.latency.percentiles.expect("their work is drawn");
    assert!(points.p99.get() < 1.1 * points.p50.get(), "{points:?}");
    assert!(simulated.latency.mean.get() < 1.0);
}

/// One disk of a 7410, with the given write method.
pub(crate) fn one_disk(method: WriteMethod, write: bool, size: f64, threads: u32) -> Scenario {
    let mut scenario = random_reads(seven_four_ten(Generation::Istanbul), threads);
    scenario.clients[0].count = 1;
    scenario.stack.storage.writes = method;
    let workload = &mut scenario.workloads[0];
    workload.io_size = Bytes::new(size);
    if write {
        workload.mix = Mix::single(OperationKind::Write);
        workload.hit_rate = Some(Fraction::new(1.0));
    }
    scenario.storage.pools = vec![Pool {
        kind: PoolKind::Stripe,
        width: Some(1),
        record_size: Bytes::new(8192.0),
        jbods: vec!["j0".to_owned()],
        disks_per_jbod: Some(1),
        ..Pool::new("data")
    }];
    scenario.run.duration = Time::new(20.0);
    scenario
}

/// Direct I/O of a single thread to flash: by hand, each read waits for its drive, 80 us of a `nvme-gen4`,
/// for any pattern and file size. Through a page cache the same stream is read ahead.
#[test]
fn direct_reads_of_flash_wait_for_their_drives() {
    let read = |direct: bool, pattern: AccessPattern| {
        let mut spec = seven_four_ten(Generation::Istanbul);
        let part = catalogue().nvme("nvme-gen4").expect("in the catalogue");
        let flash = part.drive().expect("it is a drive");
        for jbod in &mut spec.jbods {
            jbod.disk = flash.clone();
        }
        fast_lanes(&mut spec);
        let mut scenario = random_reads(spec, 1);
        scenario.clients[0].count = 1;
        scenario.stack.storage.writes = WriteMethod::WriteBack;
        let workload = &mut scenario.workloads[0];
        workload.direct = direct;
        workload.pattern = pattern;
        workload.working_set = Bytes::new(if direct { GIB } else { 1024.0 * GIB });
        let (predicted, simulated) = both(&scenario);
        let [here, there] = [&predicted, &simulated].map(|outcome| outcome.latency.mean.get());
        assert!((here / there - 1.0).abs() < 0.1, "{here} and {there}");
        here
    };
    let ahead = read(false, AccessPattern::Sequential);
    for pattern in [AccessPattern::Random, AccessPattern::Sequential] {
        let wait = read(true, pattern) - ahead;
        assert!((70e-6..100e-6).contains(&wait), "{pattern:?}: {wait}");
    }
}

/// Reads of 14.3 ms that come evenly spaced to one drive never wait, at any load below 69.9/s.
#[test]
fn even_arrivals_at_one_drive_never_wait() {
    let mut scenario = one_disk(WriteMethod::WriteBack, false, 8192.0, 1);
    scenario.topology = random_reads(fixed_service(), 1).topology;
    for step in 1..=68 {
        scenario.workloads[0].arrivals = Arrivals::Open {
            rate: OperationRate::new(f64::from(step)),
            spacing: Spacing::Deterministic,
        };
        let bound = bandgraph_solve::bind(&scenario).expect("sound");
        let predicted = bandgraph_solve::predict(&bound).expect("a steady state");
        assert_close(predicted.latency.mean.get(), 14.3e-3, 0.01);
    }
}

/// A single thread waits for half a revolution and the next track; others join while a batch is written.
/// Prediction and simulation have the same rate for any number of threads, and the use of the disk never
/// exceeds 100 %.
#[test]
fn synchronous_writes_share_a_lone_disk_with_their_groups() {
    for threads in [1, 2, 3, 4, 8, 16, 32, 64, 128] {
        let mut scenario = one_disk(WriteMethod::Groups, true, 8192.0, threads);
        scenario.workloads[0].synchronous = true;
        let (predicted, simulated) = both(&scenario);
        let (here, there) = (operations(&predicted), operations(&simulated));
        assert!((here / there - 1.0).abs() < 0.12, "{threads}: {here} and {there}");
        for outcome in [&predicted, &simulated] {
            let fullest = outcome.resources.iter().map(|of| of.rate / of.resource.capacity);
            assert!(fullest.fold(0.0, f64::max) <= 1.0 + 1e-3, "{threads}");
        }
        if threads == 1 {
            let part = scenario.topology.spec().jbods[0].disk.clone();
            let DrivePart::Disk(disk) = part else {
                unreachable!("they are disks")
            };
            let lone = 1.0 / (disk.rotational_latency() + disk.track_seek).get();
            assert!(here < lone && here > 0.9 * lone, "{here} of {lone}");
        }
    }
}

/// A pool can override the write method of its software.
#[test]
fn a_pool_has_a_way_of_writing_of_its_own() {
    for method in [WriteMethod::Groups, WriteMethod::InPlace, WriteMethod::WriteBack] {
        let of_stack = one_disk(method, true, 8192.0, 4);
        let mut of_pool = one_disk(WriteMethod::Groups, true, 8192.0, 4);
        of_pool.storage.pools[0].writes = Some(method);
        let [expected, found] = [of_stack, of_pool].map(|scenario| operations(&both(&scenario).0));
        assert_eq!(found.to_bits(), expected.to_bits(), "{method}");
    }
}

/// By hand: a random write in place takes the seek, half a revolution and its transfer; with write-back
/// through a page cache, the disk chooses from its queue; in groups, 64 writes of 8 KiB are one
/// contiguous run.
#[test]
fn random_writes_take_what_their_way_of_writing_takes() {
    let rate = |method, threads| operations(&both(&one_disk(method, true, 8192.0, threads)).0);
    let topology = seven_four_ten(Generation::Istanbul);
    let DrivePart::Disk(disk) = topology.jbods[0].disk.clone() else {
        unreachable!("they are disks")
    };
    let alone = 1.0 / disk.random_access(Bytes::new(8192.0), 1.0, 1.0).get();
    assert_close(rate(WriteMethod::InPlace, 1), alone, 0.02);
    let sorted = rate(WriteMethod::WriteBack, 64);
    let chosen = disk.positioning(1.0, 64.0, 0.0).get() + 8192.0 / 80e6;
    assert_close(sorted, 1.0 / chosen, 0.03);
    assert!(rate(WriteMethod::Groups, 64) > 10.0 * sorted);
}

/// By hand: 1 MiB at random places of one disk, read or written in place, takes one seek, half a revolution
/// and its transfer, although the pool counts in records of 8 KiB. The way over the adapter adds 3 %.
#[test]
fn what_lies_in_place_lies_in_a_row() {
    let size = 1_048_576.0;
    for write in [false, true] {
        let mut scenario = one_disk(WriteMethod::InPlace, write, size, 1);
        scenario.workloads[0].hit_rate = Some(Fraction::new(0.0));
        let DrivePart::Disk(disk) = seven_four_ten(Generation::Istanbul).jbods[0].disk.clone() else {
            unreachable!("they are disks")
        };
        let lone = disk.random_access(Bytes::new(size), 1.0, 1.0).get();
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), 1.0 / lone, 0.05);
        assert_close(operations(&simulated), operations(&predicted), 0.10);
    }
}

/// By hand: of 1 MiB in place on several disks, each has one piece, and the last of them decides. Two pieces
/// on disks drawn at random would be on one of two disks half of the time, and take as long as on one.
#[test]
fn pieces_in_place_are_on_different_disks() {
    let size = 1_048_576.0;
    let disk = match &seven_four_ten(Generation::Istanbul).jbods[0].disk {
        DrivePart::Disk(disk) => disk.clone(),
        DrivePart::Ssd(_) => unreachable!("they are disks"),
    };
    for disks in [2, 4, 8] {
        let mut scenario = one_disk(WriteMethod::InPlace, false, size, 1);
        scenario.storage.pools[0].disks_per_jbod = Some(disks);
        scenario.workloads[0].hit_rate = Some(Fraction::new(0.0));
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), operations(&predicted), 0.05);
        let piece = disk
            .random_access(Bytes::new(size / f64::from(disks)), 1.0, 1.0)
            .get();
        let deviation = disk.access_variance(1.0).sqrt();
        let parts = f64::from(disks);
        // The last of several uniform variates.
        let last = piece + 3.0_f64.sqrt() * deviation * (parts - 1.0) / (parts + 1.0);
        assert_close(predicted.latency.mean.get(), last, 0.07);
    }
}

/// By hand: a write that has to be on the platter, with the journal of its file system elsewhere, takes a
/// seek and half a revolution, also in a stream; one that may stay in the buffer of the disk does not.
#[test]
fn a_stream_of_synchronous_writes_in_place_waits_for_the_platter() {
    let mut scenario = one_disk(WriteMethod::InPlace, true, 8192.0, 1);
    let DrivePart::Disk(disk) = seven_four_ten(Generation::Istanbul).jbods[0].disk.clone() else {
        unreachable!("they are disks")
    };
    scenario.workloads[0].pattern = AccessPattern::Sequential;
    assert!(operations(&both(&scenario).0) > 5_000.0);
    scenario.workloads[0].synchronous = true;
    let (predicted, simulated) = both(&scenario);
    let alone = 1.0 / disk.random_access(Bytes::new(8192.0), 1.0, 1.0).get();
    assert_close(operations(&predicted), alone, 0.02);
    assert_close(operations(&simulated), alone, 0.05);
}

/// A small write with one parity takes four commands, two of them reads; a mirror writes two copies.
#[test]
fn parity_and_copies_cost_small_writes_in_place_their_commands() {
    let rate = |kind, disks| {
        let mut scenario = one_disk(WriteMethod::InPlace, true, 8192.0, 200);
        scenario.storage.pools[0].kind = kind;
        scenario.storage.pools[0].width = Some(disks);
        scenario.storage.pools[0].disks_per_jbod = Some(disks);
        operations(&both(&scenario).0) / f64::from(disks)
    };
    let plain = rate(PoolKind::Stripe, 1);
    assert!((plain / rate(PoolKind::Mirror, 2) / 2.0 - 1.0).abs() < 0.15);
    assert!((plain / rate(PoolKind::Raidz1, 4) / 4.0 - 1.0).abs() < 0.25);
}

/// A single stream reads at the rate of the medium. Several streams move the arms between runs, whose length
/// is the read-ahead of each.
#[test]
fn a_lone_stream_moves_no_arms() {
    let read = |threads, streams, run: Option<f64>| {
        let mut scenario = one_disk(WriteMethod::Groups, false, 131_072.0, threads);
        scenario.workloads[0].pattern = AccessPattern::Sequential;
        scenario.workloads[0].streams_per_client = streams;
        scenario.storage.pools[0].run = run.map(Bytes::new);
        both(&scenario)
    };
    let rate = |threads, run| operations(&read(threads, None, run).0) * 131_072.0;
    let topology = seven_four_ten(Generation::Istanbul);
    let DrivePart::Disk(disk) = topology.jbods[0].disk.clone() else {
        unreachable!("they are disks")
    };
    let medium = disk.average_rate(1.0).get();
    assert_close(rate(1, None), medium, 0.02);
    // Many commands of one stream in flight move none either.
    let (predicted, simulated) = read(32, Some(1), None);
    for outcome in [&predicted, &simulated] {
        assert_close(operations(outcome) * 131_072.0, medium, 0.02);
    }
    // 64 ms of arrivals are sorted: a quarter of them from each of four streams, and three in four runs
    // follow one of another stream.
    let quarter = Bytes::new(0.064 * medium / 4.0);
    let depth = disk.queue_depth as f64;
    let moved = disk.random_access(quarter, 1.0, depth).get();
    let run = 0.75 * moved + 0.25 * quarter.get() / medium;
    assert_close(rate(4, None), quarter.get() / run, 0.03);
    let short = rate(40, Some(524_288.0));
    let run = disk.random_access(Bytes::new(524_288.0), 1.0, depth).get();
    assert_close(short, 524_288.0 / run, 0.02);
}

/// Work for the devices of a stream that other threads do ahead takes cores as much, but it takes the thread
/// that reads no time: as if there were none.
#[test]
fn a_stream_read_ahead_by_others_takes_its_thread_no_time() {
    let outcomes = |instructions: f64, by_others: f64| {
        let mut scenario = random_reads(seven_four_ten(Generation::Istanbul), 1);
        scenario.clients[0].count = 1;
        scenario.clients[0].nics.count = 1;
        scenario.workloads[0].pattern = AccessPattern::Sequential;
        scenario.workloads[0].io_size = Bytes::new(131_072.0);
        scenario.storage.pools[0].record_size = Bytes::new(131_072.0);
        scenario.stack.instructions_per_operation = 1e6;
        scenario.stack.storage.disk_instructions_per_command = instructions;
        scenario.stack.storage.read_ahead_by_others = by_others;
        let (predicted, simulated) = both(&scenario);
        [predicted, simulated].map(|outcome| {
            let busy: f64 = outcome.sockets.iter().map(|socket| socket.busy).sum();
            (operations(&outcome), busy / operations(&outcome))
        })
    };
    let (none, own, by_others) = (outcomes(0.0, 0.0), outcomes(1e6, 0.0), outcomes(1e6, 1.0));
    for at in [0, 1] {
        assert!(own[at].0 < 0.8 * none[at].0, "{own:?} {none:?}");
        assert_close(by_others[at].0, none[at].0, 1e-2);
        assert_close(by_others[at].1, own[at].1, 1e-2);
    }
}
