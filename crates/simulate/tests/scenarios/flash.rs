//! Dies of solid-state drives: reads that meet at a die, reads behind programs, and published mixes.

use bandgraph_hardware::{Flash, SsdPart};
use bandgraph_model::storage::{Pool, WriteMethod};
use bandgraph_solve::Outcome;
use bandgraph_testkit::oracle::{ClosedFcfs, Service};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_topology::{Seat, Topology};
use bandgraph_units::{Bandwidth, Bytes, Fraction, Time};
use bandgraph_workload::{AccessPattern, Mix, OperationKind, ProtocolKind, Workload};

use crate::common::{assert_close, both, operations};
use crate::spread::{on_drive, on_flash, only};

/// Commands of 4 KiB.
const SMALL: f64 = 4096.0;
/// The drives of these tests are slower than real ones by this factor in every time, so that neither the port
/// nor the link of their shelf limits them.
const SLOWER: f64 = 20.0;

/// A drive with the thousands of reads and writes a second, and the microseconds of single ones, of a data
/// sheet.
fn drive(reads: f64, writes: f64, read: f64, write: f64, units: u64) -> SsdPart {
    let [read_time, write_time] = [reads, writes].map(|thousands| SLOWER / (thousands * 1e3));
    SsdPart {
        capacity: Bytes::new(1e12),
        read_rate: Bandwidth::new(1e12),
        write_rate: Bandwidth::new(1e12),
        read_time: Time::new(read_time),
        write_time: Time::new(write_time),
        read_latency: Time::new(SLOWER * read * 1e-6 - read_time),
        write_latency: Time::new((SLOWER * write * 1e-6 - write_time).max(0.0)),
        flash: Flash {
            read_units: units,
            program_time: Time::new(SLOWER * 2e-3),
            ..Flash::default()
        },
        ..SsdPart::default()
    }
}

/// Both outcomes of small commands.
fn commands(part: SsdPart, depth: u32, mix: Mix) -> (Outcome, Outcome) {
    let mut scenario = on_drive(part, depth, mix);
    scenario.workloads[0].io_size = Bytes::new(SMALL);
    scenario.storage.pools[0].record_size = Bytes::new(SMALL);
    both(&scenario)
}

fn seven_to_three() -> Mix {
    Mix::new(&[(OperationKind::Read, 7.0), (OperationKind::Write, 3.0)]).expect("a mix")
}

/// Published by the makers: thousands of reads, writes and mixed commands (70 % reads) a second, microseconds
/// of single ones, and commands in flight. The time of a program is that of the catalogue, with which the
/// first row comes out; the others are unseen. Intel P3700 of 2 TB and P3600; Micron 9550 MAX of 3.2, 6.4,
/// 12.8 and 25.6 TB, with as many dies as they have capacity.
#[test]
fn mixes_follow_from_both_pure_rates() {
    for ([reads, writes, mixed], [read, write], depth, units, tolerance) in [
        ([460.0, 175.0, 265.0], [115.0, 20.0], 128, 128, 0.05),
        ([450.0, 56.0, 160.0], [115.0, 20.0], 128, 128, 0.15),
        ([3000.0, 540.0, 640.0], [60.0, 15.0], 256, 384, 0.15),
        ([3300.0, 640.0, 720.0], [60.0, 15.0], 256, 384, 0.15),
        ([3300.0, 820.0, 1000.0], [60.0, 15.0], 256, 768, 0.15),
        ([3300.0, 1200.0, 1300.0], [60.0, 15.0], 256, 1536, 0.2),
    ] {
        let part = drive(reads, writes, read, write, units);
        let (predicted, simulated) = commands(part, depth, seven_to_three());
        let of = |outcome: &Outcome| operations(outcome) * SLOWER / 1e3;
        assert_close(of(&predicted), mixed, tolerance);
        assert_close(of(&simulated), mixed, tolerance);
    }
}

/// Published by testers of a P3700: 8,900 reads/s one at a time, 77,000 with 8 in flight (AnandTech, 2014),
/// 270,000 with 32 (Myce), and the rated 450,000 with 128 (Tom's Hardware).
#[test]
fn reads_at_a_depth_are_as_many_as_published() {
    for (depth, published) in [(1, 8.9), (8, 77.0), (32, 270.0), (128, 450.0)] {
        let part = drive(450.0, 175.0, 1e3 / 8.9, 20.0, 128);
        let (predicted, simulated) = commands(part, depth, only(OperationKind::Read));
        for outcome in [predicted, simulated] {
            assert_close(operations(&outcome) * SLOWER / 1e3, published, 0.12);
        }
    }
}

/// Of any number of commands in flight, up to 90 % of saturation.
#[test]
fn latencies_at_a_depth_are_simulated_as_they_are_predicted() {
    for mix in [only(OperationKind::Read), seven_to_three()] {
        for depth in [1, 4, 16, 32, 64, 128, 256] {
            let part = drive(1000.0, 200.0, 80.0, 13.0, 256);
            let (predicted, simulated) = commands(part.clone(), depth, mix.clone());
            let full = commands(part, 2048, mix.clone()).0;
            if operations(&simulated) < 0.9 * operations(&full) {
                assert_close(predicted.latency.mean.get(), simulated.latency.mean.get(), 0.15);
            }
            assert_close(operations(&predicted), operations(&simulated), 0.15);
        }
    }
}

/// A drive that only its dies limit, against an independent simulation of queues.
#[test]
fn reads_meet_at_dies() {
    for (depth, units) in [(8_u32, 16_u64), (16, 16), (64, 64), (64, 128)] {
        let mut part = drive(1e6, 1e6, 100.0, 20.0, units);
        part.flash.read_variation = 0.0;
        let closed = ClosedFcfs {
            customers: depth as usize,
            devices: units as usize,
            copies: 1,
            service: Service::Fixed,
        };
        let expected = closed.throughput(5, 200_000) / (SLOWER * 100e-6);
        let (predicted, simulated) = commands(part, depth, only(OperationKind::Read));
        assert_close(operations(&simulated), expected, 0.02);
        assert_close(operations(&predicted), expected, 0.06);
    }
}

/// With a tenth of spare flash, a random write all over the drive costs 1/(1 − 0.824) of itself, since −ln
/// 0.824 = 1.1 × (1 − 0.824). A file on 1 % of it leaves all other flash spare, and costs itself. The time
/// of a command, 1 us as for reads, is not that of copies.
#[test]
fn flash_outside_of_the_working_set_is_spare() {
    let mut part = drive(1e3, 70.0, 80.0, 20.0, 256);
    part.flash.spare = 0.1;
    let rates = |share: f64, spread: Option<f64>| {
        let mut scenario = on_drive(part.clone(), 64, only(OperationKind::Write));
        scenario.workloads[0].io_size = Bytes::new(SMALL);
        scenario.workloads[0].working_set = Bytes::new(share * 1e12);
        let pool = &mut scenario.storage.pools[0];
        (pool.record_size, pool.spread) = (Bytes::new(SMALL), spread.map(Fraction::new));
        let (predicted, simulated) = both(&scenario);
        [predicted, simulated].map(|outcome| operations(&outcome) * SLOWER / 1e3)
    };
    let spare = 1.0 / (1e-3 + (1.0 / 70.0 - 1e-3) * (1.0 - 0.824));
    for (share, spread, expected) in [
        (1.0, None, 70.0),
        (0.01, None, spare),
        (0.01, Some(1.0), 70.0),
        (1.0, Some(0.01), spare),
    ] {
        for rate in rates(share, spread) {
            assert_close(rate, expected, 0.02);
        }
    }
}

/// A drive that reads 1.2 GB/s, and takes no other time.
fn long_reads() -> SsdPart {
    SsdPart {
        capacity: Bytes::new(1e12),
        read_rate: Bandwidth::new(1.2e9),
        read_time: Time::ZERO,
        ..SsdPart::default()
    }
}

/// What a drive reads crosses its slot while it reads: one thread with 1 MiB at a time, of a drive that moves
/// 1.2 GB/s over a slot that carries about 1.5 GB/s, waits for the slower of both, and not for one after the
/// other. With eight threads the slower one is full.
#[test]
fn data_cross_the_slot_while_the_drive_serves() {
    let mut scenario = on_drive(long_reads(), 1, only(OperationKind::Read));
    scenario.storage.pools[0].record_size = Bytes::new(1_048_576.0);
    scenario.workloads[0].io_size = Bytes::new(1_048_576.0);
    scenario.workloads[0].protocol = ProtocolKind::Host;
    let drive = 1.2e9 / 1_048_576.0;
    for threads in [1, 8] {
        scenario.workloads[0].threads_per_client = threads;
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), drive, 0.02);
        assert_close(operations(&simulated), drive, 0.02);
    }
}

/// The same for a client whose card carries less than the drives of its three pools together, each behind a
/// slot of its own: what moves while drives serve uses the card as well.
#[test]
fn data_that_cross_early_use_the_card_of_their_client() {
    let mut scenario = on_drive(long_reads(), 16, only(OperationKind::Read));
    let mut spec = scenario.topology.spec().clone();
    let others = seven_four_ten(Generation::Istanbul).jbods;
    spec.jbods.extend(others.into_iter().skip(1).take(2));
    for jbod in 1..3 {
        spec.jbods[jbod].disk = spec.jbods[0].disk.clone();
    }
    // Their slots are slower than the card of the client, and together faster.
    let of_adapters = spec.cards.iter().filter(|card| card.id.starts_with("hba"));
    let seats: Vec<Seat> = of_adapters.map(|card| card.seat.clone()).collect();
    for slot in &mut spec.slots {
        if seats.contains(&Seat::Slot(slot.id.clone())) {
            slot.connector_lanes = Some(slot.pcie.lanes);
            slot.pcie.lanes = 4;
        }
    }
    scenario.topology = Topology::build(spec).expect("a sound topology");
    let (workload, pool) = (scenario.workloads.remove(0), scenario.storage.pools.remove(0));
    for jbod in ["j0", "j1", "j2"] {
        scenario.storage.pools.push(Pool {
            id: jbod.to_owned(),
            jbods: vec![jbod.to_owned()],
            record_size: Bytes::new(1_048_576.0),
            ..pool.clone()
        });
        scenario.workloads.push(Workload {
            id: jbod.to_owned(),
            pool: Some(jbod.to_owned()),
            io_size: Bytes::new(1_048_576.0),
            ..workload.clone()
        });
    }
    scenario.clients[0].nics.rate = Bandwidth::new(1e9);
    scenario.clients[0].nics.count = 1;
    scenario.clients[0].ports = vec!["nic0.0".to_owned()];
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&simulated), operations(&predicted), 0.03);
}

/// By hand: a window of 128 KiB takes 1 ms, 29.5 us and its bytes at 400 MB/s, and two of them are in flight
/// for a thread, so that it reads 193 MB/s. A window of the length of a call of 512 KiB, or one of the pool,
/// keeps the drive busy, and so do two threads.
#[test]
fn windows_of_read_ahead_limit_a_stream() {
    const WINDOW: f64 = 131_072.0;
    let rate = |threads, call: f64, of_calls: f64, of_pool: Option<f64>| {
        let mut scenario = on_flash(threads, only(OperationKind::Read), 1e-3);
        let workload = &mut scenario.workloads[0];
        workload.pattern = AccessPattern::Sequential;
        workload.io_size = Bytes::new(call);
        workload.protocol = ProtocolKind::Host;
        let storage = &mut scenario.stack.storage;
        storage.writes = WriteMethod::WriteBack;
        storage.read_ahead_bytes = WINDOW;
        storage.read_ahead_call_bytes = of_calls;
        scenario.storage.pools[0].read_ahead = of_pool.map(Bytes::new);
        let (predicted, simulated) = both(&scenario);
        let rates = [predicted, simulated].map(|outcome| operations(&outcome) * call);
        assert_close(rates[0], rates[1], 0.02);
        rates[0]
    };
    let lone = 2.0 * WINDOW / (1e-3 + 50e-6 - 8192.0 / 400e6 + WINDOW / 400e6);
    assert_close(rate(1, 8192.0, 0.0, None), lone, 0.01);
    assert_close(rate(1, 524_288.0, 0.0, None), lone, 0.01);
    let full = 400e6;
    for of_pool in [Some(524_288.0), None] {
        let seconds = 50e-6 - 8192.0 / full + 524_288.0 / full;
        let drive = 524_288.0 / seconds;
        let of_calls = if of_pool.is_some() { 0.0 } else { 1e6 };
        assert_close(rate(1, 524_288.0, of_calls, of_pool), drive, 0.03);
    }
    assert_close(rate(2, 8192.0, 0.0, None), 2.0 * lone, 0.02);
}

/// A stream takes half of the time of a drive, in runs of 512 KiB of 1.3 ms. A random read beside it waits
/// for no run, as behind an arm, but for a page at most.
#[test]
fn random_reads_pass_a_stream_between_its_pages() {
    let mut scenario = on_flash(1, only(OperationKind::Read), 1e-3);
    scenario.stack.storage.writes = WriteMethod::WriteBack;
    scenario.stack.storage.read_ahead_bytes = 131_072.0;
    let random = &mut scenario.workloads[0];
    random.protocol = ProtocolKind::Host;
    let mut stream = Workload {
        pattern: AccessPattern::Sequential,
        io_size: Bytes::new(131_072.0),
        ..random.clone()
    };
    "stream".clone_into(&mut stream.id);
    scenario.workloads.push(stream);
    let (predicted, simulated) = both(&scenario);
    for outcome in [predicted, simulated] {
        let mean = outcome.workloads[0].latency.mean.get();
        assert!((1.05e-3..1.10e-3).contains(&mean), "{mean}");
    }
}
