//! Where software places what it stores: on one drive, on the copies of a mirror, or in memory alone.

use bandgraph_hardware::{DiskPart, DrivePart};
use bandgraph_model::storage::{PoolKind, WriteMethod};
use bandgraph_solve::bind;
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_units::{Bytes, Fraction};
use bandgraph_workload::AccessPattern;

use crate::common::{GIB, assert_close, both, operations};
use crate::disks::one_disk;

fn disk() -> DiskPart {
    match seven_four_ten(Generation::Istanbul).jbods[0].disk.clone() {
        DrivePart::Disk(disk) => disk,
        DrivePart::Ssd(_) => unreachable!("they are disks"),
    }
}

/// By hand: an object of 8 MiB on one of eight disks takes a seek, half a revolution and its whole transfer,
/// read or written, and 6 % for the way over adapter and network; a striped one is in eight pieces.
#[test]
fn an_object_is_on_one_drive() {
    let size = 8_388_608.0;
    for write in [false, true] {
        let mut scenario = one_disk(WriteMethod::WholeObjects, write, size, 1);
        scenario.storage.pools[0].disks_per_jbod = Some(8);
        scenario.workloads[0].hit_rate = Some(Fraction::new(0.0));
        let (predicted, simulated) = both(&scenario);
        let alone = 1.0 / disk().random_access(Bytes::new(size), 1.0, 1.0).get();
        assert_close(operations(&predicted), alone, 0.07);
        assert_close(operations(&simulated), operations(&predicted), 0.10);
        scenario.stack.storage.writes = WriteMethod::InPlace;
        assert!(operations(&both(&scenario).0) > 2.0 * alone);
    }
}

/// By hand: if a stream stays on one copy of a mirror of two disks, one stream has the rate of one disk, and
/// two have twice that, less 6 % for the adapter. If the copies take turns, one stream has the rate of both.
#[test]
fn a_stream_stays_on_one_copy() {
    let rate = |stays: bool, streams: u32| {
        let mut scenario = one_disk(WriteMethod::WriteBack, false, 65_536.0, streams);
        scenario.stack.storage.stream_from_one_copy = stays;
        let pool = &mut scenario.storage.pools[0];
        (pool.kind, pool.width, pool.disks_per_jbod) = (PoolKind::Mirror, Some(2), Some(2));
        scenario.workloads[0].pattern = AccessPattern::Sequential;
        scenario.workloads[0].hit_rate = Some(Fraction::new(0.0));
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), operations(&predicted), 0.05);
        operations(&predicted) * 65_536.0
    };
    let one = disk().average_rate(1.0).get();
    assert_close(rate(true, 1), one, 0.03);
    assert_close(rate(true, 2), 2.0 * one, 0.07);
    assert_close(rate(false, 1), 2.0 * one, 0.07);
}

/// Writes to a RAM disk cost what they cost the cores, and nothing waits for a drive. With a pool, whose
/// drives would be idle, that is an error.
#[test]
fn a_ram_disk_has_no_drives() {
    let mut scenario = one_disk(WriteMethod::Memory, true, 65_536.0, 64);
    scenario.workloads[0].hit_rate = None;
    assert_eq!(
        bind(&scenario).expect_err("a pool without data").id(),
        "storage::in_memory"
    );
    scenario.storage.pools.clear();
    scenario.storage.ssds.clear();
    scenario.workloads[0].working_set = Bytes::new(GIB);
    let (free, simulated) = both(&scenario);
    assert_close(operations(&simulated), operations(&free), 0.05);
    // As much work for a byte as all cores do in the time that 50 MB/s take.
    let sockets = scenario.topology.sockets().iter();
    let rates = sockets.map(|socket| socket.part.cycles_per_second().get() / socket.part.base_cpi);
    scenario.stack.storage.write_instructions_per_byte = rates.sum::<f64>() / 50e6;
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted) * 65_536.0, 50e6, 0.05);
    assert_close(operations(&simulated), operations(&predicted), 0.05);
}
