//! Cases with closed forms, each with a single limit.

use crate::common::{GIB, assert_close, both, explained, no_stack, one_socket, operations, reads, scenario};
use bandgraph_solve::{LimitKind, Outcome, bind, predict};
use bandgraph_testkit::oracle::shared_server;
use bandgraph_topology::ResourceKind;
use bandgraph_units::{Bandwidth, Bytes, Time};
use bandgraph_workload::{Mix, OperationKind, ProtocolKind};

#[test]
fn a_port_carries_its_line_rate_and_no_more() {
    // An 8 KiB reply: 8192 B of data, 104 of NFS, 24 of RPC, 4 of record mark, 40 of TCP and IP are one
    // packet of 8364 B, and Ethernet adds 38 on the wire.
    let (clients, workload) = reads(8192.0, 64);
    let scenario = scenario(one_socket(8, 1e9, 125e6), no_stack(), clients, workload);
    let (predicted, simulated) = both(&scenario);
    let expected = 125e6 / (8364.0 + 38.0);
    assert_close(operations(&predicted), expected, 1e-9);
    assert_close(operations(&simulated), expected, 2e-3);
    let port = predicted
        .resources
        .iter()
        .find(|resource| resource.id == "port.net.0.out")
        .expect("it is there");
    assert_close(port.utilisation(), 1.0, 1e-9);
    // The port's counter counts 18 of the 38 B, and the call as well: 40 + 4 + 24 + 56 + 8 + 48 B and 18
    // more.
    assert_close(
        predicted.throughput.network.get(),
        expected * (8364.0 + 18.0 + 180.0 + 18.0),
        1e-9,
    );
    assert_close(predicted.throughput.payload.get(), expected * 8192.0, 1e-9);
}

#[test]
fn busy_cores_do_their_cycles() {
    // 1e6 instructions at CPI 2 on 4 cores of 1 GHz: 2000 operations/s.
    let (clients, workload) = reads(1.0, 64);
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 1e6,
        ..no_stack()
    };
    let scenario = scenario(one_socket(4, 1e9, 1e12), stack, clients, workload);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), 2000.0, 1e-9);
    assert_close(operations(&simulated), 2000.0, 5e-3);
    for outcome in [&predicted, &simulated] {
        assert_close(outcome.sockets[0].busy, 1.0, 5e-3);
        assert_close(outcome.sockets[0].cycles_per_instruction, 2.0, 2e-2);
        assert!(outcome.sockets[0].stalled < 0.01);
    }
    // By Little's law 64 operations in flight at 2000/s take 32 ms.
    assert_close(predicted.latency.mean.get(), 0.032, 1e-6);
    assert_close(simulated.latency.mean.get(), 0.032, 1e-2);
    // These operations have no random properties: their distribution is unknown.
    assert_eq!(simulated.latency.percentiles, None);
}

/// Two dies of cores that each read 10 GB/s and write 4 GB/s: cached data of 1 MB an operation, of which
/// every line is missed and a share written back.
#[test]
fn dies_of_cores_carry_what_their_links_do() {
    for (written, expected, full) in [(0.0, 2e4, "dies.cpu0.in"), (0.8, 1e4, "dies.cpu0.out")] {
        let (clients, mut workload) = reads(1e6, 64);
        workload.protocol = ProtocolKind::Host;
        let stack = bandgraph_model::Stack {
            misses_per_byte: 1.0 / 64.0,
            written_share: written,
            overlap_per_byte: 64.0,
            ..no_stack()
        };
        let mut server = one_socket(64, 4e9, 1e12);
        let part = &mut server.sockets[0].part;
        part.l3_slices = 4;
        part.l3_slices_per_die = 2;
        part.misses_in_flight = 1000.0;
        [part.die_read_rate, part.die_write_rate] = [10e9, 4e9].map(Bandwidth::new);
        let scenario = scenario(server, stack, clients, workload);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), expected, 1e-6);
        assert_close(operations(&simulated), expected, 5e-3);
        let limit = explained(&scenario, &predicted).bottleneck;
        assert_eq!(limit.resources[0].id, full);
    }
}

/// Cores that read and write 8 GB/s over their bus, at any share of writes: 1 MB an operation, each line
/// missed, and a share written back.
#[test]
fn a_front_side_bus_carries_both_directions() {
    for written in [0.0, 0.6] {
        let (clients, mut workload) = reads(1e6, 64);
        workload.protocol = ProtocolKind::Host;
        let stack = bandgraph_model::Stack {
            misses_per_byte: 1.0 / 64.0,
            written_share: written,
            overlap_per_byte: 64.0,
            ..no_stack()
        };
        let mut server = one_socket(64, 4e9, 1e12);
        let part = &mut server.sockets[0].part;
        part.misses_in_flight = 1000.0;
        part.front_side_bus = Bandwidth::new(8e9);
        let scenario = scenario(server, stack, clients, workload);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), 8e3 / (1.0 + written), 1e-6);
        assert_close(operations(&simulated), 8e3 / (1.0 + written), 5e-3);
        let limit = explained(&scenario, &predicted).bottleneck;
        assert_eq!(limit.resources[0].id, "bus.cpu0");
        assert!(
            limit.explanation.contains("front-side bus"),
            "{}",
            limit.explanation
        );
    }
}

#[test]
fn one_thread_cannot_use_more_than_one_core() {
    let (clients, workload) = reads(1.0, 1);
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 1e6,
        ..no_stack()
    };
    let scenario = scenario(one_socket(4, 1e9, 1e12), stack, clients, workload);
    let (predicted, simulated) = both(&scenario);
    // Its byte is on the wire for less than a nanosecond.
    assert_close(operations(&predicted), 500.0, 1e-6);
    assert_close(operations(&simulated), 500.0, 5e-3);
    assert_close(predicted.sockets[0].busy, 0.25, 1e-6);
    let explained = explained(&scenario, &simulated);
    assert_eq!(explained.bottleneck.kind, LimitKind::Core);
    let words = &explained.bottleneck.explanation;
    assert!(
        words.contains("An operation keeps a core busy for 2 ms"),
        "{words}"
    );
    assert!(words.contains("all of its work is for calls"), "{words}");
    // Four cores do four times as much for more threads.
    let relief = explained.relief.expect("more threads relieve it");
    assert_eq!(relief.next.kind, LimitKind::Resource(ResourceKind::Cpu));
    assert_close(relief.throughput_gain, 3.0, 1e-3);
}

/// 50,000 instructions of a call and ten of each of 8 KiB, at two cycles and 1 GHz.
#[test]
fn work_is_for_calls_and_bytes() {
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 50e3,
        instructions_per_byte: 10.0,
        ..no_stack()
    };
    let (clients, workload) = reads(8192.0, 1);
    let scenario = scenario(one_socket(4, 1e9, 125e6), stack, clients, workload);
    let parts = bind(&scenario).expect("it can be bound").classes[0].parts;
    assert_close(parts.call, 100e-6, 1e-9);
    assert_close(parts.bytes, 163.84e-6, 1e-9);
    assert_close(parts.total(), 263.84e-6, 1e-9);
}

/// One call at a time: 100 us of core, then its reply on the wire, one after the other. Two threads share
/// neither in turn, as long as both fit.
#[test]
fn a_lone_call_takes_the_sum_of_its_steps() {
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 50e3,
        ..no_stack()
    };
    let wire = (8192.0 + 104.0 + 24.0 + 4.0 + 40.0 + 38.0) / 125e6;
    let (clients, workload) = reads(8192.0, 1);
    let scenario = scenario(one_socket(4, 1e9, 125e6), stack, clients, workload);
    let (predicted, simulated) = both(&scenario);
    let expected = 100e-6 + wire;
    assert_close(predicted.latency.mean.get(), expected, 1e-6);
    assert_close(simulated.latency.mean.get(), expected, 1e-3);
    assert_close(operations(&simulated), 1.0 / expected, 1e-3);
}

/// The same with 1 MiB in pieces of 64 KiB. Half of the 8 ms of core are for bytes: the wire starts after the
/// other half and the first piece, and the last piece is on it after all work.
#[test]
fn pieces_of_a_lone_call_overlap() {
    let (clients, workload) = reads(1_048_576.0, 1);
    let packets = 1_048_712.0_f64 / 8960.0;
    let wire = (1_048_576.0 + 132.0 + packets.ceil() * 78.0) / 125e6;
    for (fixed, bytes, expected) in [
        (2e6, 2e6, 4e-3 + 4e-3 / 16.0 + wire),
        (1e6, 9e6, 20e-3 + wire / 16.0),
    ] {
        let stack = bandgraph_model::Stack {
            instructions_per_operation: fixed,
            instructions_per_byte: bytes / 1_048_576.0,
            ..no_stack()
        };
        let scenario = scenario(
            one_socket(4, 1e9, 125e6),
            stack,
            clients.clone(),
            workload.clone(),
        );
        let (predicted, simulated) = both(&scenario);
        assert_close(predicted.latency.mean.get(), expected, 2e-4);
        assert_close(simulated.latency.mean.get(), expected, 2e-3);
    }
}

#[test]
fn delays_and_think_time_limit_few_threads() {
    // 3 threads, each with 2 ms of core, 0.6 ms of network in both directions, 0.4 ms at its client and
    // 7 ms of think time: 10 ms per operation.
    let (clients, mut workload) = reads(1.0, 3);
    workload.think_time = Time::new(7e-3);
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 1e6,
        client_seconds: 0.4e-3,
        ..no_stack()
    };
    let mut scenario = scenario(one_socket(4, 1e9, 1e12), stack, clients, workload);
    scenario.run.network_latency = Time::new(0.3e-3);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), 300.0, 1e-6);
    assert_close(operations(&simulated), 300.0, 1e-2);
    assert_close(predicted.latency.mean.get(), 3e-3, 1e-6);
    assert_close(simulated.latency.mean.get(), 3e-3, 1e-2);
}

/// A thread that sends 100 kB of a stream works on them for 1 ms. A round trip takes 1 ms, in which a window
/// is acknowledged: with 25 kB there are four, and with 400 kB a quarter of one, so that the work decides.
/// Without a window each part waits for a round trip after its work.
#[test]
fn a_stream_waits_for_its_windows() {
    let (clients, mut workload) = reads(100_000.0, 1);
    workload.protocol = ProtocolKind::TcpStream;
    for (window, expected) in [(25e3, 4e-3), (400e3, 1e-3), (0.0, 2e-3)] {
        let mut stack = bandgraph_model::Stack {
            instructions_per_operation: 0.5e6,
            ..no_stack()
        };
        stack.packets.stream_window = window;
        let mut scenario = scenario(one_socket(4, 1e9, 1e12), stack, clients.clone(), workload.clone());
        scenario.run.network_latency = Time::new(0.5e-3);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), 1.0 / expected, 1e-6);
        assert_close(operations(&simulated), 1.0 / expected, 1e-2);
    }
}

/// Eight threads that think for 1 ms and wait at a barrier: their replies cross the port one after another in
/// every step, however idle the port is otherwise. Without the barrier they spread.
#[test]
fn threads_that_wait_for_each_other_come_in_bursts() {
    let (clients, mut steps) = reads(32_768.0, 8);
    steps.think_time = Time::new(1e-3);
    let service = (32_768.0 + 132.0 + 4.0 * 78.0) / 125e6;
    for barrier in [true, false] {
        steps.barrier = barrier;
        let scenario = scenario(
            one_socket(8, 1e9, 125e6),
            no_stack(),
            clients.clone(),
            steps.clone(),
        );
        let (predicted, simulated) = both(&scenario);
        if barrier {
            let expected = 8.0 / (1e-3 + 8.0 * service);
            assert_close(operations(&predicted), expected, 1e-9);
            assert_close(operations(&simulated), expected, 2e-3);
            assert_close(predicted.latency.mean.get(), 8.0 * service, 1e-6);
            assert_close(simulated.latency.mean.get(), 8.0 * service, 2e-3);
        } else {
            let exact = shared_server(&[(8, service, 1e-3)])[0];
            assert_close(operations(&predicted), exact, 0.03);
            assert_close(operations(&simulated), exact, 0.03);
        }
    }
}

/// A thread with short pauses shares a port with seven with long ones, like a job that reads with jobs that
/// compute. Their overlap is random. A simulation agrees with mean value analysis. A prediction treats all
/// threads at the port as equal, and is within 17 %: from averages alone, without queueing below saturation,
/// it would be 23 % too high.
#[test]
fn few_threads_of_two_kinds_meet_by_chance() {
    let (clients, mut reading) = reads(32_768.0, 1);
    reading.think_time = Time::new(100e-6);
    let mut computing = reading.clone();
    computing.id = "computing".to_owned();
    computing.threads_per_client = 7;
    computing.think_time = Time::new(7.03e-3);
    let mut scenario = scenario(one_socket(8, 1e9, 125e6), no_stack(), clients, reading);
    scenario.workloads.push(computing);
    scenario.run.duration = Time::new(20.0);
    let (predicted, simulated) = both(&scenario);
    // The reply has 32,768 B of data and 132 B of headers, in four packets with 40 B of TCP and IP and 38 B
    // of Ethernet each.
    let service = (32_768.0 + 132.0 + 4.0 * 78.0) / 125e6;
    let exact = shared_server(&[(1, service, 100e-6), (7, service, 7.03e-3)]);
    let rate = |outcome: &Outcome, workload: usize| outcome.workloads[workload].throughput.operations.get();
    for (workload, exact) in exact.iter().enumerate() {
        assert_close(rate(&simulated, workload), *exact, 0.01);
        assert_close(rate(&predicted, workload), *exact, 0.17);
    }
}

/// Reads fill the port outward. Writes use it inward, 43 % of it: a queue with one server and processor
/// sharing, with the same throughput as in an open network, as all others in a network with a full station.
#[test]
fn operations_beside_a_full_resource_meet_at_the_others() {
    let (clients, mut workload) = reads(65_536.0, 64);
    let mix = [(OperationKind::Read, 7.0), (OperationKind::Write, 3.0)];
    workload.mix = Mix::new(&mix).expect("a mix");
    workload.protocol = ProtocolKind::Memcached;
    let mut scenario = scenario(one_socket(8, 1e9, 125e6), no_stack(), clients, workload);
    scenario.run.duration = Time::new(20.0);
    let (predicted, simulated) = both(&scenario);
    // A write has 65,536 B of data and some 60 B of its command, in eight packets with 78 B each; calls for
    // reads have some 120 B on the wire.
    let service = (65_536.0 + 60.0 + 8.0 * 78.0) / 125e6;
    let of = |outcome: &Outcome, kind| {
        let operations = outcome.workloads[0].operations.iter();
        *operations
            .clone()
            .find(|found| found.operation == kind)
            .expect("it is there")
    };
    let [read, write] = mix.map(|(kind, _)| of(&predicted, kind));
    // Of 64 threads; of infinitely many, it would be exact.
    let used = write.rate.get() * service + read.rate.get() * 120.0 / 125e6;
    assert_close(write.latency.get(), service / (1.0 - used), 0.03);
    // Little's law: 64 threads.
    let in_flight = write.rate.get() * write.latency.get() + read.rate.get() * read.latency.get();
    assert_close(in_flight, 64.0, 1e-6);
    for (kind, tolerance) in [(OperationKind::Read, 0.01), (OperationKind::Write, 0.05)] {
        let (predicted, simulated) = (of(&predicted, kind), of(&simulated, kind));
        assert_close(simulated.latency.get(), predicted.latency.get(), tolerance);
    }
}

#[test]
fn concurrency_is_named_when_nothing_is_full() {
    // 3 threads that think for a second leave 4 cores of 1 GHz idle; with enough threads, 2e5 cycles per
    // operation permit 20,000/s.
    let (clients, mut workload) = reads(1.0, 3);
    workload.think_time = Time::new(1.0);
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 1e5,
        ..no_stack()
    };
    let scenario = scenario(one_socket(4, 1e9, 1e12), stack, clients, workload);
    let bound = bind(&scenario).expect("a sound scenario");
    let outcome = predict(&bound).expect("a steady state");
    let explained = explained(&scenario, &outcome);
    assert_eq!(explained.bottleneck.kind, LimitKind::Concurrency);
    assert_eq!(explained.bottleneck.id(), "concurrency");
    let relief = explained.relief.expect("more threads can be had");
    assert_eq!(relief.next.ids(), ["cpu.cpu0"]);
    assert_close(relief.throughput.operations.get(), 20_000.0, 1e-6);
}

#[test]
fn a_miss_stalls_the_core_for_its_latency() {
    // One socket, so no hops and no probes: a miss takes the idle latency of Istanbul's memory, 54 ns, and
    // with two in flight stalls for half of it: 1000 misses cost 1000 × 27 ns × 1 GHz = 27,000 cycles.
    let (clients, workload) = reads(1.0, 64);
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 100_000.0,
        misses_per_operation: 1000.0,
        overlap_per_operation: 2.0,
        ..no_stack()
    };
    let scenario = scenario(one_socket(4, 1e9, 1e12), stack, clients, workload);
    let (predicted, simulated) = both(&scenario);
    let cycles = 200_000.0 + 27_000.0;
    assert_close(operations(&predicted), 4e9 / cycles, 1e-4);
    assert_close(operations(&simulated), 4e9 / cycles, 5e-3);
    assert_close(predicted.sockets[0].cycles_per_instruction, 2.27, 1e-4);
    assert_close(predicted.sockets[0].stalled, 27.0 / 227.0, 1e-3);
    assert_close(predicted.sockets[0].miss_latency.get(), 54e-9, 1e-3);
}

#[test]
fn a_measured_curve_replaces_the_queue_of_the_memory() {
    // As above, but every read takes 200 ns: 1000 misses with two in flight cost 100,000 cycles.
    let (clients, workload) = reads(1.0, 64);
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 100_000.0,
        misses_per_operation: 1000.0,
        overlap_per_operation: 2.0,
        ..no_stack()
    };
    let mut spec = one_socket(4, 1e9, 1e12);
    spec.sockets[0].memory.part.loaded_latency = "0:200 1:200".parse().expect("a curve");
    let scenario = scenario(spec, stack, clients, workload);
    let (predicted, _) = both(&scenario);
    assert_close(operations(&predicted), 4e9 / 300_000.0, 1e-9);
}

#[test]
fn a_client_cannot_receive_more_than_its_nic() {
    let (mut clients, workload) = reads(8192.0, 64);
    clients.nics.rate = Bandwidth::new(12.5e6);
    let scenario = scenario(one_socket(8, 1e9, 125e6), no_stack(), clients, workload);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), 12.5e6 / 8402.0, 1e-9);
    assert_close(operations(&simulated), 12.5e6 / 8402.0, 1e-2);
    let explained = explained(&scenario, &simulated);
    assert_eq!(
        explained.bottleneck.kind,
        LimitKind::Resource(ResourceKind::Client)
    );
    assert_eq!(explained.bottleneck.ids(), ["client.c.in"]);
    // The port limits at ten times the rate of the NIC: that is the gain of the relief.
    let relief = explained.relief.expect("a NIC can be relieved");
    assert_eq!(relief.next.ids(), ["port.net.0.out"]);
    assert_close(relief.throughput_gain, 9.0, 1e-6);
}

#[test]
fn a_run_is_long_enough_for_slow_operations() {
    // 4 threads of 1e10 cycles at CPI 2 and 1 GHz: 20 s per operation, in a run of 1 s.
    let (clients, workload) = reads(1.0, 4);
    let stack = bandgraph_model::Stack {
        instructions_per_operation: 1e10,
        ..no_stack()
    };
    let scenario = scenario(one_socket(4, 1e9, 1e12), stack, clients, workload);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), 0.2, 1e-6);
    assert_close(operations(&simulated), 0.2, 1e-2);
    assert_close(simulated.latency.mean.get(), 20.0, 1e-2);
    let run = simulated.simulated.expect("a simulation says how it went");
    assert!(run.measured.get() >= 60.0 && run.warm_up.get() >= 40.0, "{run:?}");
}

#[test]
fn a_set_larger_than_the_cache_is_refused_with_both_sizes() {
    let (clients, mut workload) = reads(8192.0, 1);
    workload.working_set = Bytes::new(65.0 * GIB);
    let scenario = scenario(one_socket(8, 1e9, 125e6), no_stack(), clients, workload);
    let error = bind(&scenario).expect_err("64 GiB of memory do not hold 65");
    assert_eq!(error.id(), "sim::exceeds_cache");
    let text = error.to_string();
    assert!(text.contains("65 GiB") && text.contains("64 GiB"), "{text}");
}
