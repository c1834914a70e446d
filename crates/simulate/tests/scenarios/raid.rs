//! RAID with chunks: parts of rows, whole rows and streams.

use bandgraph_model::storage::{PoolKind, WriteMethod};
use bandgraph_solve::Outcome;
use bandgraph_units::{Bytes, Fraction};
use bandgraph_workload::AccessPattern;

use crate::common::{assert_close, both, operations};
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
