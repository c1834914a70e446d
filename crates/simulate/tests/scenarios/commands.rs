//! Commands of different lengths at one device, which serves them in the order of their arrival.

use bandgraph_hardware::{Flash, SsdPart};
use bandgraph_model::Scenario;
use bandgraph_solve::Outcome;
use bandgraph_units::{Bandwidth, Bytes, Time};
use bandgraph_workload::{OperationKind, Workload};

use crate::common::{MIB, assert_close, both, operations};
use crate::spread::{on_cores, on_drive, only};

/// Seconds of a short command and of a long one at the drive, and of both beyond that.
const SHORT: f64 = 100e-6;
const LONG: f64 = 10e-3;
const AWAY: f64 = 200e-6;
const FLUSH: f64 = 16e-3;

/// Threads with short reads, and others with operations of 1 MiB.
fn mixed(short: u32, long: u32, kind: OperationKind) -> Scenario {
    let bytes = 8192.0;
    let rate = (MIB - bytes) / (LONG - SHORT);
    let part = SsdPart {
        capacity: Bytes::new(1e12),
        read_rate: Bandwidth::new(rate),
        write_rate: Bandwidth::new(rate),
        read_time: Time::new(SHORT - bytes / rate),
        write_time: Time::new(SHORT - bytes / rate),
        read_latency: Time::new(AWAY),
        flash: Flash {
            flush_time: Time::new(FLUSH),
            ..Flash::default()
        },
        ..SsdPart::default()
    };
    let mut scenario = on_drive(part, short, only(OperationKind::Read));
    scenario.storage.pools[0].record_size = Bytes::new(MIB);
    scenario.run.duration = Time::new(40.0);
    scenario.workloads.push(Workload {
        id: "long".to_owned(),
        io_size: Bytes::new(MIB),
        threads_per_client: long,
        mix: only(kind),
        ..scenario.workloads[0].clone()
    });
    scenario
}

fn rates(outcome: &Outcome) -> [f64; 2] {
    [0, 1].map(|workload| outcome.workloads[workload].throughput.operations.get())
}

/// By hand: a thread with short reads waits once for each long one, and in the rest of the time completes one
/// in 300 us. It does not wait for half of a long one each time that the drive happens to be busy, which
/// would be three times as long.
#[test]
fn a_thread_waits_once_for_a_long_command() {
    for threads in [1, 2] {
        let mut scenario = mixed(threads, 1, OperationKind::Read);
        scenario.workloads[1].think_time = Time::new(LONG);
        let (predicted, simulated) = both(&scenario);
        let [short, long] = rates(&simulated);
        if threads == 1 {
            assert_close(short, (1.0 - long * LONG) / (SHORT + AWAY), 0.12);
        }
        assert_close(rates(&predicted)[0], short, 0.2);
        assert_close(rates(&predicted)[1], long, 0.05);
    }
}

/// A long command of one thread waits for short ones only, however few of all commands are long.
#[test]
fn a_long_command_does_not_wait_for_itself() {
    for threads in [1, 8, 32] {
        let (predicted, simulated) = both(&mixed(threads, 1, OperationKind::Read));
        let [_, long] = rates(&simulated);
        assert_close(rates(&predicted)[1], long, 0.1);
    }
}

/// A read of another thread that comes back soon meets the beginning of a flush, and waits for nearly all of
/// it. By hand: several threads take turns to flush a drive without a pause, and of a thread that reads it
/// serves one read for each flush.
#[test]
fn reads_wait_for_flushes_of_other_threads() {
    for threads in [1, 4] {
        let mut scenario = mixed(threads, 4, OperationKind::Write);
        scenario.workloads[1].io_size = Bytes::new(8192.0);
        scenario.workloads[1].synchronous = true;
        let (predicted, simulated) = both(&scenario);
        let expected = f64::from(threads) / (FLUSH + SHORT);
        assert_close(rates(&simulated)[0], expected, 0.05);
        assert_close(rates(&predicted)[0], expected, 0.15);
    }
}

/// Sixteen threads at a barrier begin at once, each at one of four drives. Drawn by another program: one of
/// the drives has 6.14 commands, on average, and the step takes as long as these. By hand: a command waits
/// for half of the 15 / 4 others at its drive.
#[test]
fn a_barrier_waits_for_the_drive_with_most_commands() {
    let mut scenario = mixed(16, 1, OperationKind::Read);
    scenario.workloads.truncate(1);
    scenario.workloads[0].barrier = true;
    scenario.storage.pools[0].disks_per_jbod = Some(4);
    let (predicted, simulated) = both(&scenario);
    for outcome in [simulated, predicted] {
        assert_close(operations(&outcome), 16.0 / (6.14 * SHORT + AWAY), 0.06);
        let mean = (1.0 + 15.0 / 4.0 / 2.0) * SHORT + AWAY;
        assert_close(outcome.latency.mean.get(), mean, 0.08);
    }
}

/// Exponential work of 2 ms on cores of their own: the last of eight threads takes 1 + 1/2 + ... + 1/8 times
/// as long as one.
#[test]
fn a_barrier_waits_for_the_longest_work() {
    let mut scenario = on_cores(8, 8, 1.0);
    scenario.workloads[0].barrier = true;
    let (predicted, simulated) = both(&scenario);
    let last: f64 = (1..=8).map(|number| 1.0 / f64::from(number)).sum();
    assert_close(operations(&simulated), 8.0 / (last * 2e-3), 0.02);
    assert_close(operations(&predicted), 8.0 / (last * 2e-3), 0.02);
}
