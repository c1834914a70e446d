//! File systems below a page cache: room for what is read, and the journal.

use bandgraph_model::storage::WriteMethod;
use bandgraph_solve::LimitKind;
use bandgraph_topology::ResourceKind;
use bandgraph_units::{Fraction, Time};
use bandgraph_workload::{Mix, OperationKind};

use crate::common::{assert_close, both, explained, operations};
use crate::spread::{flash, on_drive, on_flash, only};

/// A drive reads 20,000 times 8 KiB a second. Threads of the kernel make room for what it reads, with all
/// cores of four sockets for a quarter of that. Hits need no room, and direct I/O needs none either.
#[test]
fn room_for_what_is_read_costs_cores() {
    let mut scenario = on_flash(64, only(OperationKind::Read), 0.0);
    let sockets = scenario.topology.sockets().iter();
    let rates = sockets.map(|socket| socket.part.cycles_per_second().get() / socket.part.base_cpi);
    let storage = &mut scenario.stack.storage;
    storage.writes = WriteMethod::WriteBack;
    storage.reclaim_instructions_per_byte = rates.sum::<f64>() / (8192.0 * 5000.0);
    for (hits, direct, expected) in [(0.0, false, 5000.0), (0.5, false, 1e4), (0.0, true, 2e4)] {
        scenario.workloads[0].hit_rate = Some(Fraction::new(hits));
        scenario.workloads[0].direct = direct;
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), expected, 0.02);
        assert_close(operations(&simulated), expected, 0.03);
        let limit = explained(&scenario, &predicted).bottleneck;
        let kind = if direct {
            ResourceKind::Disk
        } else {
            ResourceKind::Cpu
        };
        assert_eq!(limit.kind, LimitKind::Resource(kind), "{}", limit.explanation);
    }
}

/// By hand: seven writes of 8 KiB take next to nothing, and the COMMIT after them 418 us and 574 us for
/// 56 KiB, once each, and then 459 us for its journal. Data that is written in place is there already: 500 us
/// for each.
#[test]
fn commits_write_what_would_be_written_later() {
    let mut scenario = on_flash(1, Mix::single(OperationKind::Write), 0.0);
    let mix = [
        (OperationKind::Write, 7.0 / 8.0),
        (OperationKind::Commit, 1.0 / 8.0),
    ];
    scenario.workloads[0].mix = Mix::new(&mix).expect("sound");
    scenario.stack.storage.journal_bytes = 3000.0;
    let flash = |bytes: f64| 500e-6 + (bytes - 8192.0) / 100e6;
    for (writes, expected) in [
        (WriteMethod::WriteBack, flash(7.0 * 8192.0) + flash(4096.0)),
        (WriteMethod::InPlace, 7.0 * flash(8192.0)),
    ] {
        scenario.stack.storage.writes = writes;
        let (predicted, simulated) = both(&scenario);
        // The way through the network and the adapter is less than 40 us for each of eight calls.
        for cycle in [&predicted, &simulated].map(|outcome| 8.0 / operations(outcome)) {
            let others = cycle - expected;
            assert!((0.0..320e-6).contains(&others), "{writes:?}: {others}");
        }
    }
}

/// A drive takes 500 us for 8 KiB of data, and 459 us for 4 KiB of a journal, for which a lone write waits in
/// addition. Of many, one commit writes what all that wait add: there are fewer commits than writes.
#[test]
fn synchronous_writes_wait_for_the_commits_of_a_journal() {
    let with = |threads, journal_bytes| {
        let mut scenario = on_flash(threads, only(OperationKind::Write), 0.0);
        scenario.workloads[0].synchronous = true;
        scenario.stack.storage.writes = WriteMethod::WriteBack;
        scenario.stack.storage.journal_bytes = journal_bytes;
        let (predicted, simulated) = both(&scenario);
        [&predicted, &simulated].map(operations)
    };
    let (lone, committed) = (with(1, 0.0), with(1, 3000.0));
    for (lone, committed) in lone.into_iter().zip(committed) {
        assert_close(1.0 / committed - 1.0 / lone, 500e-6 - 4096.0 / 100e6, 0.01);
    }
    for threads in [8, 32] {
        let [predicted, simulated] = with(threads, 3000.0);
        assert_close(predicted, simulated, 0.12);
        // A commit for several writes, and not for each.
        assert!((1250.0..1999.0).contains(&simulated), "{threads}: {simulated}");
    }
}

/// Descriptor, commit block and inodes are written once for all that wait: with as many bytes for a lone
/// write, 64 writers have a higher rate where a commit has 12 KiB once than where each of them has, and the
/// highest with the few bytes of each alone.
#[test]
fn a_commit_writes_its_own_bytes_once() {
    let with = |threads, each: f64, once: f64| {
        let mut scenario = on_flash(threads, only(OperationKind::Write), 0.0);
        scenario.workloads[0].synchronous = true;
        let costs = &mut scenario.stack.storage;
        costs.writes = WriteMethod::WriteBack;
        (costs.journal_bytes, costs.journal_commit_bytes) = (each, once);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), operations(&simulated), 0.12);
        operations(&simulated)
    };
    assert_close(with(1, 12_800.0, 0.0), with(1, 512.0, 12_288.0), 1e-3);
    let (all, once, few) = (
        with(64, 12_800.0, 0.0),
        with(64, 512.0, 12_288.0),
        with(64, 512.0, 0.0),
    );
    assert!(all < 0.85 * once && once < few, "{all}, {once} and {few}");
}

/// A flush of 2 ms follows each synchronous write of 500 us in place: a lone thread takes both in turn. Of
/// many threads, one flush serves all whose data the drive has, and what comes during it waits for the next
/// one.
#[test]
fn one_flush_serves_all_writes_before_it() {
    let with = |threads: u32, drives, flush| {
        let mut part = flash(0.0);
        part.flash.flush_time = Time::new(flush);
        let mut scenario = on_drive(part, threads, only(OperationKind::Write));
        scenario.workloads[0].synchronous = true;
        scenario.storage.pools[0].disks_per_jbod = Some(drives);
        let (predicted, simulated) = both(&scenario);
        [&predicted, &simulated].map(operations)
    };
    let (without, lone) = (with(1, 1, 0.0), with(1, 1, 2e-3));
    for (without, lone) in without.into_iter().zip(lone) {
        assert_close(1.0 / lone - 1.0 / without, 2e-3, 0.01);
    }
    // By hand: the write of each of two waits for the flush of the other.
    for rate in with(2, 1, 2e-3) {
        assert_close(rate, 400.0, 0.01);
    }
    // By hand: the last of three and more always misses a flush that others asked for while it waited for the
    // one before. An operation takes three flushes, and the writes of all.
    for threads in [3_u32, 4, 8, 16] {
        let by_hand = f64::from(threads) / (3.0 * 20e-3 + f64::from(threads) * 500e-6);
        for rate in with(threads, 1, 20e-3) {
            assert_close(rate, by_hand, 0.05);
        }
    }
    // Pools are flushed on all drives at the same time. Writes share these, and wait for one to three
    // flushes.
    for (threads, drives) in [(5, 1), (10, 1), (40, 1), (8, 4), (40, 4)] {
        let [predicted, simulated] = with(threads, drives, 2e-3);
        assert_close(predicted, simulated, 0.12);
        let writes = 500e-6 * f64::from(threads) / f64::from(drives);
        let [most, least] = [1.0, 3.0].map(|flushes| f64::from(threads) / (flushes * 2e-3 + writes));
        assert!(
            (0.99 * least..most).contains(&simulated),
            "{threads} on {drives}: {simulated}"
        );
    }
}
