//! Journals of object stores: one for each process, on its drive.

use bandgraph_hardware::{DrivePart, SsdPart, catalogue};
use bandgraph_model::Scenario;
use bandgraph_model::storage::{PoolKind, Ssd, SsdSeat, WriteMethod};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_workload::OperationKind;

use crate::common::{assert_close, both, operations};
use crate::disks::one_disk;
use crate::spread::{flash, on_flash, only};

/// Seconds of a write of 8 KiB to the drive of `on_flash`, and of 4 KiB of a journal.
const DATA: f64 = 500e-6;
const COMMIT: f64 = 500e-6 - 4096.0 / 100e6;

fn objects(threads: u32, drives: u32) -> Scenario {
    let mut scenario = on_flash(threads, only(OperationKind::Write), 0.0);
    scenario.storage.pools[0].disks_per_jbod = Some(drives);
    let costs = &mut scenario.stack.storage;
    (costs.writes, costs.journal_bytes) = (WriteMethod::WholeObjects, 1500.0);
    scenario
}

/// Small writes on disks, which the journals have with their data.
fn deferred(threads: u32) -> Scenario {
    let mut scenario = one_disk(WriteMethod::WholeObjects, true, 4096.0, threads);
    let costs = &mut scenario.stack.storage;
    (costs.journal_bytes, costs.journal_data_bytes) = (1500.0, 32_768.0);
    scenario
}

/// By hand: a lone write takes 500 us for its data and 459 us for each write of the commit, and at most
/// 40 us elsewhere.
#[test]
fn a_lone_write_waits_for_its_data_and_the_commit() {
    for (writes, expected) in [(1.0, DATA + COMMIT), (2.0, DATA + 2.0 * COMMIT)] {
        let mut scenario = objects(1, 4);
        scenario.stack.storage.journal_writes = writes;
        let (predicted, simulated) = both(&scenario);
        for seconds in [&predicted, &simulated].map(|outcome| 1.0 / operations(outcome)) {
            let others = seconds - expected;
            assert!((0.0..40e-6).contains(&others), "{writes}: {others}");
        }
    }
}

/// Eight drives have eight journals: of few writes each has a commit of its own, so that 8 drives complete at
/// most 8 / (500 us + 459 us) a second. Of many, a commit is for several writes; never more than 8 / 500 us.
#[test]
fn every_drive_commits_its_own_journal() {
    let alone = 8.0 / (DATA + COMMIT);
    for (threads, least, most) in [(4, 0.3, 0.5), (16, 0.7, 1.2), (128, 1.3, 1.9)] {
        let (predicted, simulated) = both(&objects(threads, 8));
        assert_close(operations(&predicted), operations(&simulated), 0.12);
        let found = operations(&simulated) / alone;
        assert!((least..most).contains(&found), "{threads}: {found}");
    }
}

/// By hand: a small write to disks is in the journal with its data, next to the last one: a seek to the next
/// track and half a revolution; of three copies, three quarters. Without a journal for data, it first goes to
/// its place.
#[test]
fn small_writes_to_disks_are_in_the_journal() {
    let DrivePart::Disk(disk) = seven_four_ten(Generation::Istanbul).jbods[0].disk.clone() else {
        unreachable!("they are disks")
    };
    let turn = 2.0 * disk.rotational_latency().get();
    let mut scenario = deferred(1);
    // On all 192 disks, deferred writes hardly ever delay a commit.
    let pool = &mut scenario.storage.pools[0];
    (pool.jbods, pool.disks_per_jbod) = (Vec::new(), None);
    let seconds = |scenario: &Scenario| {
        let (predicted, simulated) = both(scenario);
        [&predicted, &simulated].map(|outcome| 1.0 / operations(outcome))
    };
    for found in seconds(&scenario) {
        assert_close(found, disk.track_seek.get() + turn / 2.0, 0.05);
    }
    let pool = &mut scenario.storage.pools[0];
    (pool.kind, pool.width) = (PoolKind::Mirror, Some(3));
    for found in seconds(&scenario) {
        assert_close(found, disk.track_seek.get() + turn * 0.75, 0.08);
    }
    scenario.stack.storage.journal_data_bytes = 0.0;
    for found in seconds(&scenario) {
        assert!(found > 2.0 * turn, "{found}");
    }
}

/// Of many small writes, those that are deferred fill the disks, which both solvers agree on.
#[test]
fn deferred_writes_fill_the_disks() {
    let mut scenario = deferred(64);
    scenario.storage.pools[0].disks_per_jbod = Some(6);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), operations(&simulated), 0.15);
}

fn log_device(part: SsdPart) -> Ssd {
    Ssd {
        id: "l0".to_owned(),
        part,
        seat: SsdSeat::Jbod("j0".to_owned()),
    }
}

/// Journals on a log device leave the disks to deferred writes: a lone write takes as long as that device.
#[test]
fn journals_on_a_log_device_do_not_wait_for_disks() {
    let mut scenario = deferred(1);
    scenario.storage.pools[0].disks_per_jbod = Some(12);
    let part = catalogue().ssd("zeusiops-18gb").expect("in the catalogue");
    scenario.storage.ssds = vec![log_device(part.clone())];
    scenario.storage.pools[0].log = vec!["l0".to_owned()];
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), operations(&simulated), 0.12);
    assert!(operations(&predicted) > 2_000.0, "{}", operations(&predicted));
}

/// The journals of eight drives take turns at their log device. By hand: while each write has a commit of its
/// own, there are no more than 1 / 459 us; with many writes a commit is for several. Twice as many as the
/// device can do were predicted.
#[test]
fn journals_take_turns_at_a_log_device() {
    for (threads, least, most) in [(1, 0.4, 0.5), (8, 0.8, 1.2), (32, 1.5, 2.5), (128, 2.5, 8.0)] {
        let mut scenario = objects(threads, 8);
        scenario.storage.ssds = vec![log_device(flash(0.0))];
        scenario.storage.pools[0].log = vec!["l0".to_owned()];
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), operations(&simulated), 0.1);
        let found = operations(&simulated) * COMMIT;
        assert!((least..most).contains(&found), "{threads}: {found}");
    }
}
