//! The path to the disks, against the published figures of the 7410 and computed by hand.
//!
//! One stack and one profile of storage costs serve both machines: costs were fitted to Barcelona, Istanbul
//! is predicted.

use bandgraph_hardware::catalogue;
use bandgraph_model::storage::{CacheStart, HitRateMethod, Pool, PoolKind, Ssd, SsdSeat, WriteMethod};
use bandgraph_model::{BindError, EXPLANATIONS, Scenario};
use bandgraph_solve::{LimitKind, Outcome, SteadyState, bind, explain, predict};
use bandgraph_testkit::{Generation, seven_four_ten, swap_into_slot};
use bandgraph_topology::{ResourceKind, TopologySpec};
use bandgraph_units::{Bytes, Fraction, Time};
use bandgraph_workload::{AccessPattern, Mix, OperationKind};

use crate::common::{GIB, MIB, assert_close, both, operations, streaming};

/// 20 clients with 2 threads each, 1 MiB reads over a set too large for any cache; mirrored pairs.
fn from_disks(spec: TopologySpec) -> Scenario {
    let mut scenario = streaming(spec, MIB, 2);
    scenario.workloads[0].working_set = Bytes::new(1024.0 * GIB);
    scenario.storage.pools = vec![Pool::new("data")];
    scenario
}

/// 10 clients with 2 threads each.
pub(crate) fn to_disks(spec: TopologySpec) -> Scenario {
    let mut scenario = from_disks(spec);
    scenario.clients[0].count = 10;
    scenario.workloads[0].mix = Mix::single(OperationKind::Write);
    scenario
}

fn predicted(scenario: &Scenario) -> Outcome {
    let bound = bind(scenario).expect("a sound scenario");
    predict(&bound).expect("a steady state")
}

fn limit(scenario: &Scenario) -> (LimitKind, Vec<String>) {
    let bound = bind(scenario).expect("a sound scenario");
    let steady = SteadyState::solve(&bound).expect("a steady state");
    let outcome = steady.prediction(&bound).expect("a prediction");
    let explained = explain(&bound, &steady, &outcome).expect("a steady state");
    (explained.bottleneck.kind, explained.bottleneck.ids())
}

fn network_gib(outcome: &Outcome) -> f64 {
    outcome.throughput.network.get() / GIB
}

fn disk_gib(outcome: &Outcome) -> f64 {
    outcome.throughput.disk.get() / GIB
}

fn rate(outcome: &Outcome, id: &str) -> f64 {
    let found = outcome.resources.iter().find(|resource| resource.id == id);
    found.unwrap_or_else(|| panic!("no {id}")).rate
}

const HYPERTRANSPORT: LimitKind = LimitKind::Resource(ResourceKind::SocketLink);

/// ht1-disk-read: 1.0 GiB/s; ht3-disk-read: 2.03 at the disks, ht3-disk-read-net: 2.07 on the wire.
#[test]
fn streams_from_disk_are_held_by_the_links_of_both_machines() {
    let barcelona = from_disks(seven_four_ten(Generation::Barcelona));
    assert_close(network_gib(&predicted(&barcelona)), 1.0, 0.12);
    let istanbul = from_disks(seven_four_ten(Generation::Istanbul));
    assert_close(disk_gib(&predicted(&istanbul)), 2.03, 0.12);
    assert_close(network_gib(&predicted(&istanbul)), 2.07, 0.12);
    for scenario in [&barcelona, &istanbul] {
        let (kind, resources) = limit(scenario);
        assert_eq!(kind, HYPERTRANSPORT, "{resources:?}");
    }
}

/// ht1-disk-write: 0.5 GiB/s; ht3-disk-write-net: 932 MiB/s, and more than twice that at the disks.
#[test]
fn streams_to_disk_are_held_by_the_links_of_both_machines() {
    let barcelona = to_disks(seven_four_ten(Generation::Barcelona));
    assert_close(network_gib(&predicted(&barcelona)), 0.5, 0.12);
    let istanbul = to_disks(seven_four_ten(Generation::Istanbul));
    let outcome = predicted(&istanbul);
    assert_close(network_gib(&outcome), 932.0 / 1024.0, 0.12);
    assert!(disk_gib(&outcome) > 2.0 * network_gib(&outcome));
    assert_eq!(limit(&barcelona).0, HYPERTRANSPORT);
    assert_eq!(limit(&istanbul).0, HYPERTRANSPORT);
}

/// facts.md, HyperTransport and CPU: 3.07 bytes on the hottest link per wire byte, 2.8 instructions per byte
/// of payload.
#[test]
fn a_byte_from_disk_costs_what_the_counters_showed() {
    let outcome = predicted(&from_disks(seven_four_ten(Generation::Barcelona)));
    let hottest = rate(&outcome, "link.cpu0-cpu1") / outcome.throughput.network.get();
    assert_close(hottest, 3.07, 0.05);
    let cycles: f64 = (0..4)
        .map(|socket| rate(&outcome, &format!("cpu.cpu{socket}")))
        .sum();
    let per_instruction = outcome.sockets[0].cycles_per_instruction;
    let instructions = cycles / per_instruction / outcome.throughput.payload.get();
    assert_close(instructions, 2.8, 0.03);
}

/// The configuration before the rearrangement, with all network cards on one bridge and all adapters on the
/// other: every byte from disk crossed the link between the two.
fn grouped(generation: Generation) -> TopologySpec {
    let mut spec = seven_four_ten(generation);
    for (card, slot) in [("nic0", "s1"), ("nic1", "s2"), ("hba0", "s4")] {
        swap_into_slot(&mut spec, card, slot);
    }
    spec
}

#[test]
fn cards_in_groups_are_worse_through_the_first_link() {
    for generation in Generation::ALL {
        let bound = bind(&from_disks(grouped(generation))).expect("sound");
        let slots: Vec<&str> = bound
            .resources()
            .iter()
            .map(|resource| resource.id.as_str())
            .collect();
        assert!(slots.contains(&"slot.s1.out") && slots.contains(&"slot.s6.in"));
        for scenario in [from_disks, to_disks] {
            let spread = predicted(&scenario(seven_four_ten(generation)));
            let grouped = scenario(grouped(generation));
            let found = predicted(&grouped);
            assert!(
                network_gib(&found) < 0.97 * network_gib(&spread),
                "{} of {}",
                network_gib(&found),
                network_gib(&spread)
            );
            let (kind, resources) = limit(&grouped);
            assert_eq!(kind, HYPERTRANSPORT);
            assert!(
                generation == Generation::Istanbul
                    || resources
                        .iter()
                        .all(|id| id == "link.cpu0-cpu1" || id == "link.cpu1-cpu0"),
                "{resources:?}"
            );
        }
    }
}

#[test]
fn few_enclosures_are_held_by_their_disks_and_many_by_the_links() {
    let of = |generation, shelves: usize| {
        let mut spec = seven_four_ten(generation);
        spec.jbods.truncate(shelves);
        let scenario = from_disks(spec);
        (disk_gib(&predicted(&scenario)), limit(&scenario).0)
    };
    let disks = LimitKind::Resource(ResourceKind::Disk);
    for generation in Generation::ALL {
        let (two, at_two) = of(generation, 2);
        let (six, at_six) = of(generation, 6);
        let (eight, _) = of(generation, 8);
        // Within 1 %: the choice of adapters for the enclosures has a small effect, too.
        assert!(two < 1.01 * six && six < 1.01 * eight, "{two} {six} {eight}");
        assert_eq!(at_six, HYPERTRANSPORT);
        if generation == Generation::Istanbul {
            assert_eq!(at_two, disks);
        }
    }
    // If the disks limit, half the disks deliver half the rate.
    let (two, _) = of(Generation::Istanbul, 2);
    let (one, _) = of(Generation::Istanbul, 1);
    assert_close(two, 2.0 * one, 0.15);
}

/// 48 disks by hand: a run of 512 KiB takes the seek with a full queue, 4.17 ms and 6.55 ms at 80 MB/s.
#[test]
fn disks_stream_as_fast_as_seeks_between_runs_let_them() {
    let mut spec = seven_four_ten(Generation::Istanbul);
    spec.jbods.truncate(1);
    let scenario = from_disks(spec);
    let disk = catalogue().disk("sata-1tb-7200").expect("in the catalogue");
    // 40 streams read 64 runs ahead over 24 disks: more than the disk's queue of 32.
    let run = disk.seek_time(1.0 / 33.0).get() + 60.0 / 7200.0 / 2.0 + 524_288.0 / 80e6;
    // One run in 40 follows another of its own stream, without a seek.
    let run = run - (run - 524_288.0 / 80e6) / 40.0;
    let expected = 24.0 * 524_288.0 / run;
    let outcome = predicted(&scenario);
    assert_close(outcome.throughput.disk.get(), expected, 1e-6);
    assert_close(rate(&outcome, "disk.j0.0"), 105e6, 1e-6);
    assert_close(rate(&outcome, "disk.j0.23"), 105e6, 1e-6);
}

#[test]
fn one_disk_for_all_that_are_alike_gives_the_same_as_every_disk() {
    for (scenario, shelves) in [
        (from_disks as fn(TopologySpec) -> Scenario, 2),
        (from_disks, 8),
        (to_disks, 8),
    ] {
        let mut spec = seven_four_ten(Generation::Istanbul);
        spec.jbods.truncate(shelves);
        let alike = scenario(spec);
        let mut each = alike.clone();
        each.storage.every_disk = true;
        let (alike, each) = (both(&alike), both(&each));
        for (alike, each) in [(&alike.0, &each.0), (&alike.1, &each.1)] {
            assert_close(operations(alike), operations(each), 1e-6);
            assert_close(alike.latency.mean.get(), each.latency.mean.get(), 1e-6);
            for (alike, each) in alike.resources.iter().zip(&each.resources) {
                assert_eq!(alike.id, each.id);
                assert!(
                    (alike.rate - each.rate).abs() <= 1e-6 * each.capacity,
                    "{}: {} and {}",
                    each.id,
                    alike.rate,
                    each.rate
                );
            }
        }
    }
}

#[test]
fn prediction_and_simulation_agree() {
    for scenario in [
        from_disks(seven_four_ten(Generation::Barcelona)),
        to_disks(seven_four_ten(Generation::Istanbul)),
    ] {
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), operations(&predicted), 0.02);
        assert_close(disk_gib(&simulated), disk_gib(&predicted), 0.02);
    }
}

/// Random reads of 8 KiB over 400 GiB on this number of enclosures: a hit is served from DRAM, a miss reads a
/// record of 128 KiB from one disk.
fn random_small(generation: Generation, shelves: usize, threads: u32) -> Scenario {
    let mut spec = seven_four_ten(generation);
    spec.jbods.truncate(shelves);
    let mut scenario = from_disks(spec);
    let workload = &mut scenario.workloads[0];
    workload.pattern = AccessPattern::Random;
    workload.io_size = Bytes::new(8192.0);
    workload.working_set = Bytes::new(400.0 * GIB);
    workload.threads_per_client = threads;
    scenario
}

#[test]
fn random_reads_hit_as_much_as_is_cached_and_the_disks_do_the_rest() {
    let scenario = random_small(Generation::Barcelona, 2, 100);
    let outcome = predicted(&scenario);
    let cache = &outcome.workloads[0].cache;
    // 128 GiB minus 15 % hold 27.2 % of 400 GiB.
    assert_close(cache.hit_rate.get(), 0.272, 1e-9);
    assert_eq!(cache.method, HitRateMethod::Random);
    assert_eq!(limit(&scenario).0, LimitKind::Resource(ResourceKind::Disk));
    // Every miss takes an access of a disk: 48 disks, 2000 threads, so a full queue of 32, except for the few
    // idle disks.
    let disk = scenario.topology.jbods()[0].disk.clone();
    let access = disk
        .queued_access((false, true), Bytes::new(131_072.0), 1.0, (2000.0 / 48.0, 0.0))
        .get();
    assert_close(operations(&outcome), 48.0 / access / 0.728, 0.03);
    assert_close(
        outcome.throughput.disk.get(),
        operations(&outcome) * 0.728 * 131_072.0,
        1e-9,
    );
    // Twice the memory, twice the hits.
    let more = predicted(&random_small(Generation::Istanbul, 2, 100));
    assert_close(more.workloads[0].cache.hit_rate.get(), 0.544, 1e-9);
    assert!(operations(&more) > 1.5 * operations(&outcome));
}

#[test]
fn a_lone_random_read_waits_for_seek_and_rotation_unless_it_hits() {
    let mut scenario = random_small(Generation::Barcelona, 2, 1);
    scenario.clients[0].count = 1;
    let (predicted, simulated) = both(&scenario);
    let percentiles = simulated.latency.percentiles.expect("a simulation has them");
    // 27 % hit, so the median is a miss that is faster than two thirds of them.
    let disk = scenario.topology.jbods()[0].disk.clone();
    let access = disk.random_access(false, Bytes::new(131_072.0), 1.0, 1.0).get();
    let median = percentiles.p50.get();
    assert!(median > 0.85 * access && median < access, "{median} and {access}");
    // In addition, the cores check and move a whole record.
    let mean = predicted.latency.mean.get();
    assert!(mean > 0.728 * access && mean < 0.8 * access, "{mean} of {access}");
}

/// 16 times the requested bytes come from the disks: with all enclosures, the links saturate before the
/// disks.
#[test]
fn whole_records_for_small_reads_fill_the_links() {
    let scenario = random_small(Generation::Barcelona, 8, 100);
    assert_eq!(limit(&scenario).0, HYPERTRANSPORT);
    let outcome = predicted(&scenario);
    assert!(outcome.throughput.disk.get() > 10.0 * outcome.throughput.payload.get());
}

#[test]
fn cache_devices_take_what_dram_has_no_room_for() {
    let plain = random_small(Generation::Barcelona, 1, 100);
    let mut cached = plain.clone();
    let names: Vec<String> = (0..6).map(|number| format!("r{number}")).collect();
    cached.storage.ssds = names.iter().map(|name| ssd(name, "read-cache-100gb")).collect();
    cached.storage.pools[0].cache = names;
    let outcome = predicted(&cached);
    // 600 GB of them hold all data that are not in DRAM, and the disks are idle.
    assert_close(
        outcome.workloads[0].cache.second_level_hit_rate.get(),
        0.728,
        1e-9,
    );
    assert_eq!(outcome.throughput.disk.get(), 0.0);
    let read = cached.storage.ssds[0].part.read(Bytes::new(131_072.0)).get();
    assert_close(operations(&outcome), 6.0 / read / 0.728, 2e-3);
    assert!(operations(&outcome) > 1.1 * operations(&predicted(&plain)));
    assert!(rate(&outcome, "ssd.r0") > 0.0);
}

/// Random reads over 400 GiB, of which DRAM holds 27.2 %, on 24 disks and a cache SSD of 100 GB, with a
/// window that starts `warm_up` seconds after the start.
fn cold(warm_up: f64, duration: f64) -> Scenario {
    let mut scenario = random_small(Generation::Barcelona, 2, 100);
    scenario.storage.ssds = vec![ssd("r0", "read-cache-100gb")];
    scenario.storage.pools[0].cache = vec!["r0".to_owned()];
    scenario.storage.cache.start = CacheStart::Cold;
    scenario.run.warm_up = Time::new(warm_up);
    scenario.run.duration = Time::new(duration);
    scenario
}

#[test]
fn caches_that_start_empty_fill_by_what_is_read() {
    let warm = {
        let mut scenario = cold(0.0, 1.0);
        scenario.storage.cache.start = CacheStart::Warm;
        predicted(&scenario)
    };
    let second = warm.workloads[0].cache.second_level.expect("cache devices");
    assert_close(second.fill_time.get(), 100e9 / (8.0 * MIB), 1e-9);
    assert_eq!(second.held, second.capacity);
    // The first second: the caches are almost empty, and every read goes to a disk.
    let outcome = predicted(&cold(0.0, 1.0));
    let cache = &outcome.workloads[0].cache;
    assert_eq!(cache.method, HitRateMethod::ColdRandom);
    assert_eq!(cache.second_level_hit_rate.get(), 0.0);
    let set = 400.0 * GIB;
    let touched = operations(&outcome) * 131_072.0;
    assert_close(cache.hit_rate.get(), touched / set / 2.0, 0.01);
    // The disks deliver as much as with a warm cache, which serves the rest.
    let plain = predicted(&random_small(Generation::Barcelona, 2, 100));
    assert_close(
        operations(&outcome) * (1.0 - cache.hit_rate.get()),
        operations(&plain) * 0.728,
        1e-3,
    );
    // The simulation agrees.
    let (predicted_later, simulated) = both(&cold(30.0, 1.0));
    assert_close(operations(&simulated), operations(&predicted_later), 0.03);
    // After an hour DRAM is full, and the device has been fed for that time, with the boost until DRAM was
    // full.
    let later = &predicted(&cold(3600.0, 1.0)).workloads[0].cache;
    assert_close(later.hit_rate.get(), 0.272, 1e-9);
    let held = later.second_level.expect("cache devices").held.get();
    let fed = 3601.0 * 8.0 * MIB;
    assert!(held > 1.001 * fed && held < 1.9 * fed, "{held} of {fed}");
    assert_close(later.second_level_hit_rate.get(), held / set, 1e-3);
    // After a day, the steady state.
    let day = predicted(&cold(86_000.0, 1.0));
    assert_close(operations(&day), operations(&warm), 1e-6);
}

#[test]
fn a_stream_from_empty_caches_misses_its_first_pass() {
    let mut scenario = from_disks(seven_four_ten(Generation::Istanbul));
    scenario.workloads[0].working_set = Bytes::new(64.0 * GIB);
    scenario.storage.cache.start = CacheStart::Cold;
    scenario.run.warm_up = Time::ZERO;
    scenario.run.duration = Time::new(10.0);
    let first = predicted(&scenario);
    assert_eq!(
        (
            first.workloads[0].cache.hit_rate.get(),
            first.workloads[0].cache.method
        ),
        (0.0, HitRateMethod::ColdLoop)
    );
    assert_close(disk_gib(&first), 2.03, 0.12);
    // 64 GiB at 2 GiB/s have been read after a minute.
    scenario.run.warm_up = Time::new(60.0);
    assert_close(predicted(&scenario).workloads[0].cache.hit_rate.get(), 1.0, 1e-12);
}

fn ssd(id: &str, part: &str) -> Ssd {
    Ssd {
        id: id.to_owned(),
        part: catalogue().ssd(part).expect("in the catalogue").clone(),
        seat: SsdSeat::Jbod("j0".to_owned()),
    }
}

/// 8 KiB synchronous writes of 20 clients.
fn synchronous(logs: &[&str]) -> Scenario {
    let mut scenario = to_disks(seven_four_ten(Generation::Barcelona));
    scenario.workloads[0].io_size = Bytes::new(8192.0);
    scenario.workloads[0].synchronous = true;
    scenario.storage.ssds = logs.iter().map(|log| ssd(log, "zeusiops-18gb")).collect();
    scenario.storage.pools[0].log = logs.iter().map(|&log| log.to_owned()).collect();
    scenario
}

/// One log device takes 3,300 writes of 8 KiB per second in sequence, and 110 MB/s; waiting writes are
/// combined in blocks of up to 128 KiB.
#[test]
fn synchronous_writes_wait_for_the_log() {
    let log = catalogue().ssd("zeusiops-18gb").expect("in the catalogue");
    let one = operations(&predicted(&synchronous(&["l0"])));
    let alone = 1.0 / log.write(Bytes::new(12_288.0)).get();
    // 20 threads: half of them are in a batch while the others wait for it.
    let batch = log.write(Bytes::new(10.0 * 8384.0)).get();
    assert_close(one, 10.0 / batch, 0.1);
    assert!(one > 2.0 * alone && one < 110e6 / 8384.0);
    // A second device has blocks of its own, half as large: both pay the time of a command for each.
    let two = operations(&predicted(&synchronous(&["l0", "l1"])));
    assert_close(two, 10.0 / log.write(Bytes::new(5.0 * 8384.0)).get(), 0.1);
    // With more threads the blocks of both are full.
    let many = |logs: &[&str]| {
        let mut scenario = synchronous(logs);
        scenario.workloads[0].threads_per_client = 8;
        operations(&predicted(&scenario))
    };
    assert_close(many(&["l0", "l1"]), 2.0 * many(&["l0"]), 0.05);
    assert_eq!(
        limit(&synchronous(&["l0"])),
        (LimitKind::Resource(ResourceKind::Disk), vec!["ssd.l0".to_owned()])
    );
    // Without a log device every write waits for disks: with 20 threads, nothing is saturated, and each waits
    // for an access.
    let without = synchronous(&[]);
    let outcome = predicted(&without);
    assert_eq!(limit(&without).0, LimitKind::Concurrency);
    // A block at the end of the log: to the next track, half a revolution, its mirror; and on average the
    // rest of the previous one.
    assert!(outcome.latency.mean.get() > 6e-3 && outcome.latency.mean.get() < 16e-3);
    assert!(operations(&outcome) < 0.6 * one);
    // A single thread waits for the device only.
    let mut lone = synchronous(&["l0"]);
    lone.clients[0].count = 1;
    lone.workloads[0].threads_per_client = 1;
    let latency = predicted(&lone).latency.mean.get();
    assert!(latency > 0.303e-3 && latency < 0.8e-3, "{latency}");
}

#[test]
fn parity_and_copies_are_written_besides_the_data() {
    let written_of = |kind, width, record: f64, sector| {
        let mut scenario = to_disks(seven_four_ten(Generation::Istanbul));
        scenario.storage.pools[0] = Pool {
            kind,
            width,
            record_size: Bytes::new(record),
            sector,
            ..scenario.storage.pools[0].clone()
        };
        let outcome = predicted(&scenario);
        outcome.throughput.disk.get() / outcome.throughput.payload.get()
    };
    let written = |kind, width| written_of(kind, width, 131_072.0, None);
    // The disks of a 7410 have sectors of 512 bytes; of 4 KiB, a record of 8 KiB has two, a parity of each
    // for both (in one row), and as many of padding as make a multiple of one more than the parity.
    for (kind, width, copies) in [
        (PoolKind::Raidz1, Some(4), 2.0),
        (PoolKind::Raidz2, Some(6), 3.0),
        (PoolKind::Raidz3, Some(12), 4.0),
        (PoolKind::Mirror, None, 2.0),
    ] {
        let found = written_of(kind, width, 8192.0, Some(Bytes::new(4096.0)));
        assert_close(found, 1.02 * copies, 1e-9);
    }
    // Data and 2 % of metadata, times the copies.
    for (kind, width, copies) in [
        (PoolKind::Stripe, None, 1.0),
        (PoolKind::Mirror, None, 2.0),
        (PoolKind::Mirror, Some(3), 3.0),
        // 256 sectors: 86 rows of 3, 64 of 4 with two parities, 29 of 9 with three and one of padding.
        (PoolKind::Raidz1, Some(4), (256.0 + 86.0) / 256.0),
        (PoolKind::Raidz2, Some(6), 1.5),
        (PoolKind::Raidz3, Some(12), (256.0 + 3.0 * 29.0 + 1.0) / 256.0),
    ] {
        assert_close(written(kind, width), 1.02 * copies, 1e-9);
    }
}

#[test]
fn less_redundancy_is_more_throughput() {
    let of = |kind| {
        let mut scenario = to_disks(seven_four_ten(Generation::Barcelona));
        scenario.storage.pools[0].kind = kind;
        operations(&predicted(&scenario))
    };
    assert!(of(PoolKind::Stripe) > 1.1 * of(PoolKind::Mirror));
    assert!(of(PoolKind::Raidz1) > of(PoolKind::Raidz2));
    assert!(of(PoolKind::Raidz2) > of(PoolKind::Mirror));
}

#[test]
fn a_part_of_a_record_is_read_before_it_is_written() {
    let mut scenario = to_disks(seven_four_ten(Generation::Barcelona));
    let workload = &mut scenario.workloads[0];
    workload.io_size = Bytes::new(8192.0);
    workload.pattern = AccessPattern::Random;
    workload.working_set = Bytes::new(400.0 * GIB);
    let outcome = predicted(&scenario);
    // 72.8 % are not cached and read the record; all write both copies of it.
    let per_write = outcome.throughput.disk.get() / operations(&outcome);
    // A few records are written again within 5 s.
    assert_close(per_write, 131_072.0 * (0.728 + 2.0 * 1.02), 1e-4);
    // Streams of the same size fill their records first.
    scenario.workloads[0].pattern = AccessPattern::Sequential;
    let outcome = predicted(&scenario);
    let per_write = outcome.throughput.disk.get() / operations(&outcome);
    assert_close(per_write, 8192.0 * 2.0 * 1.02, 1e-9);
}

#[test]
fn operations_on_names_are_logged() {
    let mut scenario = synchronous(&["l0"]);
    scenario.workloads[0].synchronous = false;
    scenario.workloads[0].mix = Mix::single(OperationKind::Create);
    let outcome = predicted(&scenario);
    let log = catalogue().ssd("zeusiops-18gb").expect("in the catalogue");
    assert!(operations(&outcome) > 2.0 / log.write(Bytes::new(4096.0)).get());
    assert!(operations(&outcome) < 110e6 / (512.0 + 192.0));
}

#[test]
fn a_set_that_fits_needs_no_disk() {
    let mut scenario = from_disks(seven_four_ten(Generation::Barcelona));
    scenario.workloads[0].working_set = Bytes::new(100.0 * GIB);
    let with = predicted(&scenario);
    scenario.storage.pools.clear();
    let without = predicted(&scenario);
    assert_eq!(operations(&with), operations(&without));
    assert_eq!(with.throughput.disk.get(), 0.0);
    assert_eq!(with.workloads[0].cache.method, HitRateMethod::Fits);
}

/// Every error of the storage, by its cause.
#[test]
fn what_cannot_be_is_refused_and_named() {
    type Change = fn(&mut Scenario);
    let cases: [(&str, &str, Change); 19] = [
        ("storage::duplicate", "there are two pools `data`", |scenario| {
            let second = scenario.storage.pools[0].clone();
            scenario.storage.pools.push(second);
        }),
        ("storage::unknown_jbod", "over the disks of `j9`", |scenario| {
            scenario.storage.pools[0].jbods = vec!["j9".to_owned()];
        }),
        (
            "storage::jbod_twice",
            "`j0` are in pool `data` already",
            |scenario| {
                let mut second = Pool::new("more");
                second.jbods = vec!["j0".to_owned()];
                scenario.storage.pools.push(second);
            },
        ),
        (
            "storage::not_enough_disks",
            "has 25 disks of `j0`, which has 24 for it",
            |scenario| {
                scenario.storage.pools[0].disks_per_jbod = Some(25);
            },
        ),
        ("storage::no_disks", "pool `data` has no disks", |scenario| {
            scenario.storage.pools[0].spares = 192;
        }),
        ("storage::width", "a raidz2 of groups of 2 disks", |scenario| {
            scenario.storage.pools[0].kind = PoolKind::Raidz2;
            scenario.storage.pools[0].width = Some(2);
        }),
        ("storage::indivisible", "groups of 5: 2 left over", |scenario| {
            scenario.storage.pools[0].kind = PoolKind::Raidz1;
            scenario.storage.pools[0].width = Some(5);
        }),
        ("storage::record_size", "records of 100 kB", |scenario| {
            scenario.storage.pools[0].record_size = Bytes::new(100_000.0);
        }),
        ("storage::sector", "sectors of 3.07 kB; a sector", |scenario| {
            scenario.storage.pools[0].sector = Some(Bytes::new(3072.0));
        }),
        ("storage::run", "lays 65.5 kB together", |scenario| {
            scenario.storage.pools[0].run = Some(Bytes::new(65_536.0));
        }),
        (
            "storage::unknown_pool",
            "`w` has its data in pool `date`",
            |scenario| {
                scenario.workloads[0].pool = Some("date".to_owned());
            },
        ),
        ("storage::spread", "over 0 % of each disk", |scenario| {
            scenario.storage.pools[0].spread = Some(Fraction::new(0.0));
        }),
        ("storage::compression", "but writes it in place", |scenario| {
            scenario.storage.pools[0].compress_ratio = 2.0;
            scenario.storage.pools[0].writes = Some(WriteMethod::InPlace);
        }),
        ("storage::no_code", "pool `data` is a stripe", |scenario| {
            scenario.stack.write_code_passes = 1.0;
            scenario.storage.pools[0].kind = PoolKind::Stripe;
            scenario.workloads[0].mix = Mix::single(OperationKind::Write);
        }),
        ("storage::unknown_ssd", "`l0` as a log device", |scenario| {
            scenario.storage.pools[0].log = vec!["l0".to_owned()];
        }),
        (
            "storage::ssd_twice",
            "`l0` is a log device of pool `data` already",
            |scenario| {
                scenario.storage.ssds = vec![ssd("l0", "zeusiops-18gb")];
                scenario.storage.pools[0].log = vec!["l0".to_owned(), "l0".to_owned()];
            },
        ),
        ("storage::unknown_seat", "`r0` sits on `j9`", |scenario| {
            scenario.storage.ssds = vec![Ssd {
                seat: SsdSeat::Jbod("j9".to_owned()),
                ..ssd("r0", "read-cache-100gb")
            }];
        }),
        (
            "storage::cache_too_large",
            "the cache is to have 200 GiB",
            |scenario| {
                scenario.storage.cache.size = Some(Bytes::new(200.0 * GIB));
            },
        ),
        ("sim::exceeds_cache", "no pool of disks", |scenario| {
            scenario.storage.pools.clear();
        }),
    ];
    for (id, message, change) in cases {
        let mut scenario = from_disks(seven_four_ten(Generation::Barcelona));
        change(&mut scenario);
        let error = bind(&scenario).expect_err(id);
        assert_eq!(error.id(), id);
        assert!(error.to_string().contains(message), "{error}");
        if let BindError::Storage(error) = &error {
            assert!(!error.subject().field.is_empty());
        }
        assert!(EXPLANATIONS.contains(id), "{id}");
    }
}
