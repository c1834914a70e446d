//! Workloads and threads that share a server hinder each other by what they use, not by how many they are.

use bandgraph_model::storage::WriteMethod;
use bandgraph_model::{Scenario, Stack};
use bandgraph_solve::{Outcome, bind, predict};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_units::{Bandwidth, Bytes, Fraction, OperationRate, Time};
use bandgraph_workload::{AccessPattern, Arrivals, Mix, OperationKind, Spacing};

use crate::common::{MIB, assert_close, both, explained, no_stack, one_socket, operations, reads, scenario};
use crate::disks::one_disk;
use crate::storage::to_disks;

fn predicted(scenario: &Scenario) -> Outcome {
    predict(&bind(scenario).expect("a sound scenario")).expect("a steady state")
}

fn rate(outcome: &Outcome, workload: usize) -> f64 {
    outcome.workloads[workload].throughput.operations.get()
}

/// A stream of writes in groups to one disk.
fn stream_of_writes() -> Scenario {
    let mut scenario = one_disk(WriteMethod::Groups, true, 128.0 * 1024.0, 100);
    scenario.workloads[0].pattern = AccessPattern::Sequential;
    scenario.storage.pools[0].record_size = Bytes::new(128.0 * 1024.0);
    scenario
}

/// Streams take turns at a disk as often as they have commands there: readers that find everything in the
/// cache do not slow writes, and readers that are hardly ever there hardly do. A single read in a million
/// operations does not move the arm for all others.
#[test]
fn streams_take_turns_as_often_as_they_come() {
    let alone = stream_of_writes();
    let (writes, simulated) = both(&alone);
    let writes = operations(&writes);
    assert_close(writes, operations(&simulated), 0.03);
    let beside = |hits: f64, think: f64| {
        let mut scenario = alone.clone();
        let mut reader = scenario.workloads[0].clone();
        reader.id = "reader".to_owned();
        reader.mix = Mix::single(OperationKind::Read);
        reader.hit_rate = Some(Fraction::new(hits));
        reader.think_time = Time::new(think);
        scenario.workloads.push(reader);
        scenario
    };
    let (predicted_beside, simulated) = both(&beside(1.0, 1.0));
    assert_close(rate(&predicted_beside, 0), writes, 1e-6);
    assert_close(rate(&simulated, 0), writes, 0.03);
    // A read a second of a run of 512 KiB each moves the arm twice at most, 30 ms.
    let one_a_second = rate(&predicted(&beside(0.0, 100.0)), 0) / writes;
    assert!((0.95..1.0).contains(&one_a_second), "{one_a_second}");
    let mut last = writes;
    for reads in [1e-6, 1e-4, 1e-2, 0.1, 1.0] {
        let mut mixed = alone.clone();
        mixed.workloads[0].hit_rate = Some(Fraction::new(0.0));
        let mix = [(OperationKind::Write, 1.0), (OperationKind::Read, reads)];
        mixed.workloads[0].mix = Mix::new(&mix).expect("a mix");
        let found = operations(&predicted(&mixed));
        assert!(found < last * (1.0 + 1e-3), "{reads}: {found} after {last}");
        if reads == 1e-6 {
            assert_close(found, writes, 1e-3);
        }
        last = found;
    }
    assert!(last < 0.8 * writes, "{last} of {writes}");
}

/// By hand: of 60 random reads in the queue of a disk and four streams, each has a 64th of the disk.
#[test]
fn streams_take_turns_with_all_commands_of_a_queue() {
    let mut random = one_disk(WriteMethod::Groups, false, 65_536.0, 60);
    random.stack = Stack::fishworks_2009();
    random.workloads[0].working_set = Bytes::new(3e11);
    random.workloads[0].hit_rate = Some(Fraction::new(0.0));
    random.storage.pools[0].record_size = Bytes::new(65_536.0);
    let alone = both(&random);
    let mut reader = random.workloads[0].clone();
    reader.id = "stream".to_owned();
    reader.pattern = AccessPattern::Sequential;
    reader.threads_per_client = 4;
    random.workloads.push(reader);
    let beside = both(&random);
    for (alone, beside) in [(&alone.0, &beside.0), (&alone.1, &beside.1)] {
        let share = rate(beside, 0) / rate(alone, 0);
        assert_close(share, 60.0 / 64.0, 0.02);
    }
    assert_close(rate(&beside.1, 1), rate(&beside.0, 1), 0.05);
}

/// One thread at a barrier is as fast as without one. Of two, both wait for the slower.
#[test]
fn a_barrier_is_as_fast_as_the_last_of_its_threads() {
    let throws = |threads: u32, barrier: bool| {
        let (clients, mut workload) = reads(MIB, threads);
        let mix = [(OperationKind::Read, 1.0), (OperationKind::Getattr, 1.0)];
        workload.mix = Mix::new(&mix).expect("a mix");
        workload.barrier = barrier;
        let mut scenario = scenario(one_socket(8, 1e9, 1e9), no_stack(), clients, workload);
        scenario.run.duration = Time::new(20.0);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), operations(&simulated), 0.1);
        operations(&predicted)
    };
    assert_close(throws(1, true), throws(1, false), 1e-9);
    assert!(throws(2, true) < throws(2, false));
}

/// More cores never lower the rate of threads at a barrier.
#[test]
fn more_cores_never_delay_a_barrier() {
    let mut last = 0.0;
    for cores in [1, 2, 4, 8, 16, 32] {
        let (clients, mut workload) = reads(MIB, 16);
        let mix = [(OperationKind::Read, 1.0), (OperationKind::Getattr, 1.0)];
        workload.mix = Mix::new(&mix).expect("a mix");
        workload.barrier = true;
        let mut stack = no_stack();
        stack.instructions_per_operation = 1e6;
        let found = operations(&predicted(&scenario(
            one_socket(cores, 1e9, 1e9),
            stack,
            clients,
            workload,
        )));
        assert!(found > last * (1.0 - 1e-6), "{cores} cores: {found} after {last}");
        last = found;
    }
}

/// One call at a time takes what it takes, however many threads wait for it in the client.
#[test]
fn calls_that_wait_in_their_client_are_not_at_the_disks() {
    let one_call = |threads: u32| {
        let mut scenario = one_disk(WriteMethod::Groups, false, 8192.0, threads);
        scenario.workloads[0].outstanding_per_client = Some(1);
        scenario
    };
    let (alone, _) = both(&one_call(1));
    for threads in [2, 16, 64] {
        let (predicted, simulated) = both(&one_call(threads));
        assert_close(operations(&predicted), operations(&alone), 1e-6);
        assert_close(operations(&simulated), operations(&alone), 0.03);
    }
}

/// Two halves of a workload are as fast as the whole, where threads meet at their client and at the server.
#[test]
fn halves_of_a_workload_are_the_whole() {
    for clients in [1, 2, 3, 8] {
        let mut whole = scenario(
            one_socket(8, 1e9, 1e10),
            no_stack(),
            reads(65_536.0, 8).0,
            reads(65_536.0, 8).1,
        );
        whole.clients[0].count = clients;
        whole.clients[0].nics.rate = Bandwidth::new(1e9);
        whole.workloads[0].think_time = Time::new(400e-6);
        let mut halves = whole.clone();
        halves.workloads[0].threads_per_client = 4;
        let mut other = halves.workloads[0].clone();
        other.id = "other".to_owned();
        halves.workloads.push(other);
        let [whole, halves] = [whole, halves].map(|scenario| operations(&predicted(&scenario)));
        assert_close(halves, whole, 1e-6);
    }
}

/// Streams of several workloads are as fast as the same streams of one: a disk sorts what is read ahead of
/// all of them. Streams that the cache answers have nothing there.
#[test]
fn streams_of_several_workloads_are_those_of_one() {
    let streams = |threads: &[u32], hits: f64| {
        let mut scenario = one_disk(WriteMethod::Groups, false, 131_072.0, 1);
        scenario.storage.pools[0].disks_per_jbod = Some(24);
        scenario.storage.pools[0].record_size = Bytes::new(131_072.0);
        let mut one = scenario.workloads[0].clone();
        one.pattern = AccessPattern::Sequential;
        let of = threads.iter().enumerate().map(|(number, &threads)| {
            let mut own = one.clone();
            own.id = format!("w{number}");
            own.threads_per_client = threads;
            own.hit_rate = Some(Fraction::new(if number == 0 { 0.0 } else { hits }));
            own.think_time = Time::new(if number == 0 { 0.0 } else { hits });
            own
        });
        scenario.workloads = of.collect();
        predicted(&scenario)
    };
    for threads in [&[1, 1][..], &[3, 1], &[2, 2, 4], &[8, 8]] {
        let whole = operations(&streams(&[threads.iter().sum()], 0.0));
        assert_close(operations(&streams(threads, 0.0)), whole, 1e-6);
    }
    assert_close(
        rate(&streams(&[2, 2], 1.0), 0),
        rate(&streams(&[2], 0.0), 0),
        1e-4,
    );
}

/// More operations outstanding are more threads of closed loops: an open loop beside them keeps its rate.
#[test]
fn only_closed_loops_grow() {
    let (clients, workload) = reads(8192.0, 1);
    let mut scenario = scenario(one_socket(8, 1e9, 1e9), no_stack(), clients, workload);
    scenario.run.network_latency = Time::new(100e-6);
    let mut open = scenario.workloads[0].clone();
    open.id = "open".to_owned();
    open.io_size = Bytes::new(MIB);
    open.arrivals = Arrivals::Open {
        rate: OperationRate::new(10.0),
        spacing: Spacing::Poisson,
    };
    scenario.workloads.push(open);
    let now = predicted(&scenario);
    let relief = explained(&scenario, &now).relief.expect("more threads");
    let next = relief.throughput.operations.get();
    // A reply has 132 B of headers, and packets of 8,960 B have 40 B of TCP and IP and 38 B of Ethernet each.
    let large = MIB + 132.0 + 118.0 * 78.0;
    let full = 10.0 + (1e9 - 10.0 * large) / (8192.0 + 132.0 + 78.0);
    assert!(next > operations(&now));
    assert_close(next, full, 1e-3);
}

/// Writes of a part of a record read the rest of it first, so that two threads rarely meet at the log: 0.8 of
/// the rate was predicted where that time did not count.
#[test]
fn threads_that_read_first_rarely_meet_at_the_log() {
    for threads in [2, 3] {
        let mut scenario = to_disks(seven_four_ten(Generation::Barcelona));
        scenario.clients[0].count = 1;
        let workload = &mut scenario.workloads[0];
        (workload.threads_per_client, workload.synchronous) = (threads, true);
        workload.io_size = Bytes::new(4096.0);
        workload.pattern = AccessPattern::Random;
        workload.working_set = Bytes::new(20e12);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), operations(&simulated), 0.08);
    }
}
