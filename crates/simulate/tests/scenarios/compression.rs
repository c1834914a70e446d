//! Compressed pools, worked by hand: two disks of 100 MB/s, eight cores of 1 GHz with two cycles for each
//! instruction.

use bandgraph_model::Scenario;
use bandgraph_model::storage::{Pool, PoolKind, WriteMethod};
use bandgraph_solve::{Outcome, bind};
use bandgraph_units::Bytes;
use bandgraph_workload::{AccessPattern, Mix, OperationKind, ProtocolKind};

use crate::common::{GIB, MIB, assert_close, both, no_stack, reads, scenario};
use crate::jobs::host;

/// Eight streams of 1 MiB of a process on the server, to or from a pool with this ratio. A byte takes four
/// instructions in either direction: at most 1 GB/s on all cores.
fn streams(operation: OperationKind, compress_ratio: f64) -> Scenario {
    let (clients, mut workload) = reads(MIB, 8);
    workload.protocol = ProtocolKind::Host;
    workload.mix = Mix::single(operation);
    workload.working_set = Bytes::new(90.0 * GIB);
    let mut stack = no_stack();
    stack.instructions_per_operation = 1.0;
    stack.storage.compress_instructions_per_byte = 4.0;
    stack.storage.decompress_instructions_per_byte = 4.0;
    let mut scenario = scenario(host(), stack, clients, workload);
    scenario.storage.pools = vec![Pool {
        kind: PoolKind::Stripe,
        run: Some(Bytes::new(1e9)),
        compress_ratio,
        ..Pool::new("scratch")
    }];
    scenario
}

fn payload(outcome: &Outcome) -> f64 {
    outcome.throughput.payload.get()
}

#[test]
fn disks_carry_what_is_stored_and_cores_what_it_takes() {
    for operation in [OperationKind::Read, OperationKind::Write] {
        for (ratio, expected) in [(1.0, 200e6), (2.0, 400e6), (4.0, 800e6), (10.0, 1e9)] {
            let mut scenario = streams(operation, ratio);
            scenario.stack.storage.group_seconds = 0.5;
            let (predicted, simulated) = both(&scenario);
            assert_close(payload(&predicted), expected, 1e-3);
            assert_close(payload(&simulated), expected, 0.03);
            assert_close(predicted.throughput.disk.get(), expected / ratio, 1e-3);
        }
    }
}

/// A set of 90 GiB in 64 GiB of DRAM: with a ratio of two it fits a cache that holds data as it is stored,
/// and every hit is decompressed; another cache holds 64 of 90.
#[test]
fn a_compressed_cache_holds_more_and_decompresses_each_hit() {
    let mut scenario = streams(OperationKind::Read, 2.0);
    scenario.workloads[0].pattern = AccessPattern::Random;
    scenario.stack.storage.cache_compressed = true;
    let (predicted, simulated) = both(&scenario);
    for outcome in [&predicted, &simulated] {
        assert_close(payload(outcome), 1e9, 0.01);
        assert_eq!(outcome.throughput.disk.get(), 0.0);
    }
    let data = |scenario: &Scenario| bind(scenario).expect("sound").caches[0].data;
    assert_close(data(&scenario).capacity.get(), 128.0 * GIB, 1e-12);
    scenario.stack.storage.cache_compressed = false;
    assert_close(data(&scenario).hit_rate.get(), 64.0 / 90.0, 1e-12);
}

/// A record of 128 KiB is read and decompressed whole, whatever part of it is asked for.
#[test]
fn a_part_of_a_record_costs_all_of_it() {
    let mut scenario = streams(OperationKind::Read, 2.0);
    scenario.workloads[0].pattern = AccessPattern::Random;
    scenario.workloads[0].working_set = Bytes::new(GIB);
    scenario.workloads[0].io_size = Bytes::new(8192.0);
    scenario.stack.storage.cache_compressed = true;
    let (predicted, _) = both(&scenario);
    assert_close(payload(&predicted), 1e9 / 16.0, 1e-5);
}

#[test]
fn only_free_space_takes_compressed_records() {
    for method in [WriteMethod::InPlace, WriteMethod::WriteBack] {
        let mut scenario = streams(OperationKind::Read, 1.5);
        scenario.stack.storage.writes = method;
        let error = bind(&scenario).expect_err("a ratio without transaction groups");
        assert!(error.to_string().contains("compresses its data"), "{error}");
        scenario.storage.pools[0].writes = Some(WriteMethod::Groups);
        bind(&scenario).expect("a pool that writes in groups");
    }
}
