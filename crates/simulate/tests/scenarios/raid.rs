//! RAID with chunks: parts of rows, whole rows and streams.

use bandgraph_hardware::{CardPart, HbaPart, catalogue};
use bandgraph_model::Scenario;
use bandgraph_model::storage::{Pool, PoolKind, WriteMethod};
use bandgraph_solve::{Outcome, bind};
use bandgraph_topology::Topology;
use bandgraph_units::{Bandwidth, Bytes, Fraction, OperationRate, Time};
use bandgraph_workload::{AccessPattern, Arrivals, Spacing};

use crate::common::{assert_close, both, explained, operations};
use crate::disks::one_disk;

/// By hand, for chunks of 64 KiB on 6 disks: the commands of a random write of one chunk, of three and of a
/// whole row, with one parity (5 chunks a row) and with two (4): old data and parity are read and written,
/// or, for most of a row, the rest of it is read. Reads of three chunks have three commands, with either.
#[test]
fn a_part_of_a_row_of_chunks_costs_what_it_has_to_read() {
    const CHUNK: f64 = 65_536.0;
    let commands = |kind, write, chunks: f64| {
        let mut scenario = one_disk(WriteMethod::InPlace, write, chunks * CHUNK, 100);
        let pool = &mut scenario.storage.pools[0];
        (pool.kind, pool.width, pool.disks_per_jbod) = (kind, Some(6), Some(6));
        pool.record_size = Bytes::new(CHUNK);
        scenario.workloads[0].hit_rate = Some(Fraction::new(0.0));
        let (predicted, simulated) = both(&scenario);
        let drives = |outcome: &Outcome| {
            let all = outcome.resources.iter();
            let all = all.filter_map(|drive| Some(drive.device?.commands * f64::from(drive.count)));
            all.sum::<f64>() / operations(outcome)
        };
        assert_close(operations(&simulated), operations(&predicted), 0.1);
        assert_close(drives(&simulated), drives(&predicted), 0.1);
        drives(&predicted)
    };
    for (kind, chunks, expected) in [
        (PoolKind::Raid5, 1.0, 4.0),
        (PoolKind::Raid5, 3.0, 2.0 + 4.0),
        (PoolKind::Raid5, 5.0, 6.0),
        (PoolKind::Raid6, 1.0, 3.0 + 3.0),
        (PoolKind::Raid6, 3.0, 1.0 + 5.0),
        (PoolKind::Raid6, 4.0, 6.0),
    ] {
        assert_close(commands(kind, true, chunks), expected, 1e-6);
        assert_close(commands(kind, false, 3.0), 3.0, 1e-6);
    }
}

/// Chunks of one operation are on different disks: a lone thread waits for the slowest of five in a row of
/// six disks, not for one after the other. Thirteen are at most three on a disk.
#[test]
fn chunks_of_one_read_are_on_different_disks() {
    for (chunks, most) in [(5.0, 1.0), (13.0, 3.0)] {
        let seconds = |kind, chunks: f64| {
            let mut scenario = one_disk(WriteMethod::InPlace, false, chunks * 65_536.0, 1);
            let pool = &mut scenario.storage.pools[0];
            (pool.kind, pool.width, pool.disks_per_jbod) = (kind, Some(6), Some(6));
            pool.record_size = Bytes::new(65_536.0);
            scenario.workloads[0].hit_rate = Some(Fraction::new(0.0));
            let (predicted, simulated) = both(&scenario);
            assert_close(operations(&predicted), operations(&simulated), 0.1);
            1.0 / operations(&simulated)
        };
        let one = seconds(PoolKind::Raid5, 1.0);
        for kind in [PoolKind::Raid5, PoolKind::Raid6] {
            let several = seconds(kind, chunks);
            assert!(
                several > one && several < 2.0 * most * one,
                "{chunks}: {several} and {one}"
            );
        }
    }
}

/// By hand: a stream written through the page cache takes the disks one chunk in six more for one parity of
/// five, and one in three for two of four.
#[test]
fn a_stream_on_raid_pays_for_parity_alone() {
    let rate = |kind| {
        let mut scenario = one_disk(WriteMethod::WriteBack, true, 1_048_576.0, 4);
        let pool = &mut scenario.storage.pools[0];
        let width = if kind == PoolKind::Stripe { 1 } else { 6 };
        (pool.kind, pool.width, pool.disks_per_jbod) = (kind, Some(width), Some(6));
        scenario.workloads[0].pattern = AccessPattern::Sequential;
        operations(&both(&scenario).0)
    };
    let plain = rate(PoolKind::Stripe);
    assert_close(rate(PoolKind::Raid5) / plain, 5.0 / 6.0, 0.02);
    assert_close(rate(PoolKind::Raid6) / plain, 4.0 / 6.0, 0.02);
}

/// Groups of 18 and of 6 disks in a bay of 24 are a pool each, whose disks are others: all are as busy as
/// those of one pool. A seventh disk is not there, nor are the disks of a pool that has all.
#[test]
fn pools_share_an_enclosure() {
    let divided = |parts: &[Option<u32>]| {
        let mut scenario = one_disk(WriteMethod::InPlace, false, 8192.0, 240);
        scenario.run.duration = Time::new(4.0);
        let whole = scenario.storage.pools.remove(0);
        scenario.storage.pools = parts
            .iter()
            .enumerate()
            .map(|(index, &disks)| Pool {
                id: format!("part{index}"),
                disks_per_jbod: disks,
                ..whole.clone()
            })
            .collect();
        scenario
    };
    let (predicted, simulated) = both(&divided(&[Some(24)]));
    let (apart, simulated_apart) = both(&divided(&[Some(18), Some(6)]));
    assert_close(operations(&apart), operations(&predicted), 0.01);
    assert_close(operations(&simulated_apart), operations(&simulated), 0.02);
    let problem = |parts: &[Option<u32>]| bind(&divided(parts)).expect_err("too many").to_string();
    let found = problem(&[Some(18), Some(7)]);
    assert!(
        found.contains("`part1` has 7 disks of `j0`, which has 6"),
        "{found}"
    );
    let found = problem(&[Some(18), None]);
    assert!(found.contains("in pool `part0` already"), "{found}");
}

/// By hand: one thread of each array handles four pages of 4 KiB for every 4 KiB that are written in place on
/// RAID 5, six on RAID 6, and 6/5 and 6/4 for those of a stream. Two threads do twice as much; a card that
/// makes parity needs none of them, and neither does a stripe.
#[test]
fn one_thread_of_an_array_makes_its_parity() {
    const INSTRUCTIONS: f64 = 1e6;
    let pages = |kind, pattern, threads: f64, by_card| {
        let mut scenario = one_disk(WriteMethod::InPlace, true, 65_536.0, 64);
        let pool = &mut scenario.storage.pools[0];
        let width = if kind == PoolKind::Stripe { 1 } else { 6 };
        (pool.kind, pool.width, pool.disks_per_jbod) = (kind, Some(width), Some(6));
        pool.record_size = Bytes::new(65_536.0);
        scenario.workloads[0].pattern = pattern;
        let costs = &mut scenario.stack.storage;
        (costs.array_instructions_per_page, costs.array_threads) = (INSTRUCTIONS, threads);
        let scenario = with_cards(scenario, |hba| hba.raid = by_card);
        let (predicted, simulated) = both(&scenario);
        let part = &scenario.topology.sockets()[0].part;
        let page = INSTRUCTIONS * part.base_cpi / part.clock_of(1.0).get();
        // Pages of the thread for each of the 16 pages of an operation.
        [predicted, simulated].map(|outcome| 1.0 / operations(&outcome) / page / 16.0)
    };
    let random = AccessPattern::Random;
    for (kind, pattern, threads, expected) in [
        (PoolKind::Raid5, random, 1.0, 4.0),
        (PoolKind::Raid6, random, 1.0, 6.0),
        (PoolKind::Raid5, random, 2.0, 2.0),
        (PoolKind::Raid5, AccessPattern::Sequential, 1.0, 6.0 / 5.0),
        (PoolKind::Raid6, AccessPattern::Sequential, 1.0, 6.0 / 4.0),
    ] {
        let [predicted, simulated] = pages(kind, pattern, threads, false);
        assert_close(predicted, expected, 1e-3);
        assert_close(simulated, expected, 0.03);
        let [by_card, _] = pages(kind, pattern, threads, true);
        assert!(by_card < 0.7 * expected, "{kind}: {by_card}");
    }
    let [stripe, _] = pages(PoolKind::Stripe, random, 1.0, false);
    assert!(stripe < 1.0, "{stripe}");
}

/// By hand: a read holds the lock of its array for 20 ms, so that one array has 50 reads a second, three
/// pairs have 150, and a stripe as many as its disks.
#[test]
fn reads_of_an_array_take_turns_at_its_lock() {
    let rate = |kind, width| {
        let mut scenario = one_disk(WriteMethod::InPlace, false, 4096.0, 64);
        let pool = &mut scenario.storage.pools[0];
        (pool.kind, pool.width, pool.disks_per_jbod) = (kind, Some(width), Some(6));
        scenario.workloads[0].hit_rate = Some(Fraction::new(0.0));
        scenario.stack.storage.array_read_seconds = 0.02;
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), operations(&predicted), 0.1);
        operations(&predicted)
    };
    assert_close(rate(PoolKind::Raid5, 6), 50.0, 1e-3);
    assert_close(rate(PoolKind::Raid6, 3), 100.0, 1e-3);
    assert_close(rate(PoolKind::Mirror, 2), 150.0, 1e-3);
    assert!(rate(PoolKind::Stripe, 1) > 500.0);
}

/// The same with other adapters.
pub(crate) fn with_cards(mut scenario: Scenario, change: impl Fn(&mut HbaPart)) -> Scenario {
    let mut spec = scenario.topology.spec().clone();
    for card in &mut spec.cards {
        if let CardPart::Hba(hba) = &mut card.part {
            change(hba);
        }
    }
    scenario.topology = Topology::build(spec).expect("a sound topology");
    scenario
}

/// By hand: writes with two bytes of parity for each four of data go to the disks at the rate of the engine
/// that makes it, and reads, or a stripe, do not meet it.
#[test]
fn a_card_makes_parity_at_its_rate() {
    let rate = |kind, write, parity: f64| {
        let mut scenario = one_disk(WriteMethod::WriteBack, write, 1_048_576.0, 8);
        let pool = &mut scenario.storage.pools[0];
        (pool.kind, pool.width, pool.disks_per_jbod) = (kind, Some(6), Some(6));
        scenario.workloads[0].pattern = AccessPattern::Sequential;
        scenario.workloads[0].hit_rate = Some(Fraction::new(if write { 1.0 } else { 0.0 }));
        let scenario = with_cards(scenario, |hba| hba.parity_rate = Bandwidth::new(parity));
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), operations(&predicted), 0.03);
        operations(&predicted) * 1_048_576.0
    };
    assert_close(rate(PoolKind::Raid6, true, 120e6), 120e6 * 4.0 / 6.0, 0.01);
    assert_close(rate(PoolKind::Raid5, true, 120e6), 120e6 * 5.0 / 6.0, 0.01);
    for (kind, write) in [(PoolKind::Raid6, false), (PoolKind::Stripe, true)] {
        assert_eq!(rate(kind, write, 120e6), rate(kind, write, 0.0), "{kind}");
    }
}

/// A write in place, and one that has to be on stable storage, waits for the memory of the card and not for
/// the disk, which has the rate of sorted writes all the same.
#[test]
fn a_card_that_keeps_writes_answers_for_its_disks() {
    let outcomes = |method, synchronous, cache: f64, rate: Option<f64>| {
        let mut scenario = one_disk(method, true, 8192.0, 1);
        scenario.workloads[0].synchronous = synchronous;
        scenario.stack.storage.journal_bytes = 4096.0;
        if let Some(rate) = rate {
            scenario.workloads[0].arrivals = Arrivals::Open {
                rate: OperationRate::new(rate),
                spacing: Spacing::Deterministic,
            };
        }
        both(&with_cards(scenario, |hba| hba.write_cache = Bytes::new(cache)))
    };
    for (method, synchronous) in [
        (WriteMethod::InPlace, false),
        (WriteMethod::InPlace, true),
        (WriteMethod::WriteBack, true),
        (WriteMethod::Groups, true),
    ] {
        let (waited, _) = outcomes(method, synchronous, 0.0, Some(20.0));
        let (predicted, simulated) = outcomes(method, synchronous, 1e9, Some(20.0));
        assert!(
            waited.latency.mean.get() > 4e-3,
            "{method}: a part of a revolution"
        );
        for outcome in [&predicted, &simulated] {
            assert!(
                outcome.latency.mean.get() < 1e-3,
                "{method}: {:?}",
                outcome.latency.mean
            );
        }
    }
    // The disk is the limit as before. The card has 1 GB of commands of 8 KiB, and sends them one at a time
    // by place: a short seek and half a revolution for each.
    let (predicted, simulated) = outcomes(WriteMethod::InPlace, false, 1e9, None);
    let disk = catalogue().disk("sata-1tb-7200").expect("in the catalogue");
    let swept = disk.mean_seek(1.0, 1e9 / 8192.0) + disk.rotational_latency();
    let expected = 1.0 / (swept.get() + 8192.0 / 80e6);
    assert_close(operations(&predicted), expected, 0.01);
    assert_close(operations(&simulated), operations(&predicted), 0.05);
}

/// By hand: a slot of one lane carries both copies of what software mirrors, and one where the card makes the
/// other. With ZFS, software makes both. For groups of six disks with a parity, it carries six or five parts.
#[test]
fn copies_of_a_card_cross_its_slot_once() {
    let rate = |kind, width, method, raid| {
        let mut scenario = one_disk(method, true, 1_048_576.0, 8);
        let pool = &mut scenario.storage.pools[0];
        (pool.kind, pool.width, pool.disks_per_jbod) = (kind, Some(width), Some(24));
        scenario.workloads[0].pattern = AccessPattern::Sequential;
        let scenario = with_cards(scenario, |hba| {
            hba.raid = raid;
            hba.pcie_lanes = 1;
            hba.command_bytes = Bytes::ZERO;
        });
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), operations(&predicted), 0.03);
        operations(&predicted)
    };
    let ratio = |kind, width, method| rate(kind, width, method, true) / rate(kind, width, method, false);
    assert_close(ratio(PoolKind::Mirror, 2, WriteMethod::WriteBack), 2.0, 0.02);
    assert_close(ratio(PoolKind::Mirror, 2, WriteMethod::Groups), 1.0, 1e-9);
    assert_close(ratio(PoolKind::Raid5, 6, WriteMethod::WriteBack), 6.0 / 5.0, 0.02);
}

/// Three threads on 24 disks fill none, and still their reads take the time of disks: by hand 8.5 ms for the
/// seek, 4.17 for half a revolution, and the transfer, less where two meet in a queue.
#[test]
fn the_time_of_disks_is_named_if_few_operations_are_in_flight() {
    let mut scenario = one_disk(WriteMethod::InPlace, false, 8192.0, 3);
    scenario.storage.pools[0].disks_per_jbod = Some(24);
    let (predicted, _) = both(&scenario);
    let text = explained(&scenario, &predicted).bottleneck.explanation;
    assert!(text.contains("Disks are busy for 12."), "{text}");
}
