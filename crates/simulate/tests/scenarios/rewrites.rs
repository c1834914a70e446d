//! Blocks that are written again before they go to the disks.

use bandgraph_model::Scenario;
use bandgraph_model::storage::WriteMethod;
use bandgraph_solve::Outcome;
use bandgraph_units::{Bytes, OperationRate};
use bandgraph_workload::{AccessPattern, Arrivals, Spacing};

use crate::common::{assert_close, both, operations};
use crate::disks::one_disk;
use crate::raid::with_cards;

const BLOCK: f64 = 8192.0;

/// Random writes of 8 KiB to this many blocks, by 100 threads or at a rate.
fn writes(method: WriteMethod, blocks: f64, rate: Option<f64>) -> Scenario {
    let mut scenario = one_disk(method, true, BLOCK, 100);
    scenario.workloads[0].working_set = Bytes::new(blocks * BLOCK);
    if let Some(rate) = rate {
        scenario.workloads[0].arrivals = Arrivals::Open {
            rate: OperationRate::new(rate),
            spacing: Spacing::Deterministic,
        };
    }
    scenario
}

/// Commands of the drives for a write.
fn commands(outcome: &Outcome) -> f64 {
    let drives = outcome.resources.iter();
    let drives = drives.filter_map(|drive| Some(drive.device?.commands * f64::from(drive.count)));
    drives.sum::<f64>() / operations(outcome)
}

/// By hand: 100 writes a second to 500 blocks write each once in 5 s, so that 5/6 of the writes go to the
/// disk; with data that stays for 20 s, each fourth. Of a million blocks hardly one is rewritten.
#[test]
fn a_block_that_is_written_again_goes_to_the_disk_once() {
    let share = |method, blocks, seconds| {
        let of = |blocks| {
            let mut scenario = writes(method, blocks, Some(100.0));
            scenario.stack.storage.dirty_seconds = seconds;
            let (predicted, simulated) = both(&scenario);
            assert_close(commands(&simulated), commands(&predicted), 0.2);
            commands(&predicted)
        };
        of(blocks) / of(1e8)
    };
    for (method, blocks, seconds, expected) in [
        (WriteMethod::Groups, 500.0, 0.0, 5.0 / 6.0),
        (WriteMethod::WriteBack, 500.0, 20.0, 0.25),
        (WriteMethod::WriteBack, 1e6, 20.0, 1.0),
        (WriteMethod::InPlace, 500.0, 20.0, 1.0),
    ] {
        assert_close(share(method, blocks, seconds), expected, 1e-3);
    }
}

/// What a card keeps is not in the memory of the server: direct writes to a card with a cache of its own all
/// go to the disk.
#[test]
fn what_a_card_keeps_is_not_written_again_in_memory() {
    let share = |blocks| {
        let mut scenario = writes(WriteMethod::InPlace, blocks, Some(100.0));
        scenario.stack.storage.dirty_seconds = 20.0;
        let scenario = with_cards(scenario, |hba| hba.write_cache = Bytes::new(1e9));
        commands(&both(&scenario).0)
    };
    assert_close(share(500.0), share(1e8), 1e-3);
}

/// Blocks that all fit into the memory that may wait for the disk: a disk that would be full takes them as it
/// can, and does not hold up the writers. It does if they do not fit.
#[test]
fn a_disk_does_not_hold_up_writes_that_fit_into_memory() {
    let rate = |blocks: f64, share: f64| {
        let mut scenario = writes(WriteMethod::WriteBack, blocks, None);
        let sockets = scenario.topology.sockets().iter();
        let dram: f64 = sockets.map(|socket| socket.memory.size.get()).sum();
        scenario.stack.storage.group_memory = share * blocks * BLOCK / dram;
        scenario.stack.storage.dirty_seconds = 5.0;
        let (predicted, simulated) = both(&scenario);
        (operations(&predicted), operations(&simulated))
    };
    let (fits, simulated) = rate(1e6, 1.0);
    assert_close(simulated, fits, 0.1);
    // By hand: with room for half of the blocks, 0.793 of the writes go to the disk; with room for all but a
    // hundredth, 58.33 writes of each block come together.
    let [half, nearly] = [0.5, 0.99].map(|share| rate(1e6, share).0);
    assert_close(nearly / half, 0.793 * 58.33, 0.02);
    assert!(fits > 10.0 * nearly, "{fits} and {nearly}");
    // The same as of a few blocks.
    assert_close(fits, rate(1e3, 1.0).0, 0.01);
}

/// Writers that keep nearly all cores busy, and whose data needs the cores on its way to the disk: they are
/// throttled by all that waits in memory, before its writing has to share the cores with all of them.
#[test]
fn busy_writers_do_not_hold_up_the_writing_of_their_data() {
    let mut scenario = writes(WriteMethod::WriteBack, 1e9, None);
    scenario.workloads[0].threads_per_client = 32;
    let stack = &mut scenario.stack;
    (stack.storage.dirty_seconds, stack.storage.group_memory) = (5.0, 1e-5);
    (
        stack.instructions_per_operation,
        stack.storage.disk_instructions_per_byte,
    ) = (80_000.0, 2.0);
    let (of_disk, _) = both(&scenario);
    let busiest = of_disk
        .sockets
        .iter()
        .map(|socket| socket.busy)
        .fold(0.0, f64::max);
    let stack = &mut scenario.stack;
    stack.instructions_per_operation *= 0.9 / busiest;
    stack.storage.disk_instructions_per_byte *= 0.9 / busiest;
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), operations(&of_disk), 0.01);
    assert_close(operations(&simulated), operations(&predicted), 0.02);
}

/// The same for blocks that all fit into memory, of which a block that is written again takes no more: no
/// writer is throttled.
#[test]
fn busy_writers_of_blocks_that_fit_do_not_wait() {
    let mut scenario = writes(WriteMethod::WriteBack, 5e3, None);
    let stack = &mut scenario.stack;
    (stack.storage.dirty_seconds, stack.storage.group_memory) = (5.0, 1e-3);
    (
        stack.instructions_per_operation,
        stack.storage.disk_instructions_per_byte,
    ) = (8e5, 1e3);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&simulated), operations(&predicted), 0.01);
}

/// A stream is new data, however small its working set.
#[test]
fn a_stream_is_not_rewritten() {
    let of = |blocks| {
        let mut scenario = writes(WriteMethod::Groups, blocks, Some(100.0));
        scenario.workloads[0].pattern = AccessPattern::Sequential;
        commands(&both(&scenario).0)
    };
    assert_eq!(of(500.0), of(1e6));
}

/// By hand: a write to one of many blocks changes an indirect block of 40,960 bytes, of which two copies go
/// to the disk beside 8,192 bytes of data. Of 1,000 blocks with 100 pointers, 500 writes in 5 s change each
/// of the ten indirect ones: ten for 500 writes.
#[test]
fn a_random_write_changes_an_indirect_block() {
    let bytes = |blocks, pattern| {
        let mut scenario = writes(WriteMethod::Groups, blocks, Some(100.0));
        scenario.workloads[0].pattern = pattern;
        let costs = &mut scenario.stack.storage;
        (
            costs.indirect_bytes,
            costs.indirect_pointers,
            costs.metadata_share,
        ) = (40_960.0, 100.0, 0.0);
        let (predicted, simulated) = both(&scenario);
        let each = |outcome: &Outcome| outcome.throughput.disk.get() / operations(outcome);
        assert_close(each(&simulated), each(&predicted), 0.1);
        each(&predicted)
    };
    let random = AccessPattern::Random;
    assert_close(bytes(1e9, random), BLOCK + 2.0 * 40_960.0, 1e-3);
    assert_close(
        bytes(1000.0, random),
        BLOCK * (1.0 - 0.25 / 6.0) + 2.0 * 40_960.0 / 50.0,
        1e-3,
    );
    assert_close(bytes(1e9, AccessPattern::Sequential), BLOCK, 1e-3);
}
