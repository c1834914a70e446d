//! Costs of kinds of operations: cores, metadata in the cache and on disks, and the log data of a COMMIT. By
//! hand.

use bandgraph_hardware::catalogue;
use bandgraph_model::storage::{CacheStart, HitRateMethod, Pool, Ssd, SsdSeat};
use bandgraph_model::{Scenario, Stack};
use bandgraph_simulate::{ReplaySettings, Timing, replay};
use bandgraph_solve::{OperationOutcome, Outcome, bind, predict};
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_units::{Bytes, Fraction, OperationRate, Time};
use bandgraph_workload::Record;
use bandgraph_workload::{AccessPattern, Arrivals, Metadata, Mix, OperationKind, Spacing};

use crate::common::{
    GIB, MIB, assert_close, both, no_stack, one_socket, operations, reads, scenario, streaming,
};

/// Four cores of 2 GHz and two cycles per instruction: a READ of zero bytes is 20,000 instructions without
/// misses.
fn cores_alone(operation: OperationKind) -> Scenario {
    let (clients, workload) = reads(1.0, 64);
    let stack = Stack {
        instructions_per_operation: 20_000.0,
        procedures: Stack::fishworks_2009().procedures,
        ..no_stack()
    };
    let mut scenario = scenario(one_socket(4, 2e9, 1e12), stack, clients, workload);
    scenario.workloads[0].mix = Mix::single(operation);
    scenario.workloads[0].metadata.directory_entries = 100;
    scenario.run.duration = Time::new(0.2);
    scenario
}

/// Cores times cycles/s, over the cycles of one operation.
#[test]
fn cached_operations_are_bound_by_the_cycles_of_their_kind() {
    for (operation, work) in [
        (OperationKind::Read, 1.0),
        (OperationKind::Getattr, 0.6),
        (OperationKind::Lookup, 0.85),
        (OperationKind::Readdir, 0.7 + 100.0 * 0.01),
        (OperationKind::Readdirplus, 0.7 + 100.0 * 0.06),
    ] {
        let (predicted, simulated) = both(&cores_alone(operation));
        let cycles = 20_000.0 * work * 2.0;
        assert_close(operations(&predicted), 4.0 * 2e9 / cycles, 1e-6);
        assert_close(operations(&simulated), 4.0 * 2e9 / cycles, 0.01);
        let found = of(&predicted, operation);
        assert_close(found.instructions, 20_000.0 * work, 1e-9);
        assert_close(found.cycles, cycles, 1e-6);
    }
}

/// The steps of a COMPOUND are an additional cost, equal for all kinds.
#[test]
fn compounds_cost_their_kind_and_their_steps() {
    let mut version_4 = cores_alone(OperationKind::Lookup);
    version_4.workloads[0].protocol = bandgraph_workload::ProtocolKind::Nfs4Tcp;
    version_4.stack.instructions_per_compound_step = 2000.0;
    // PUTFH, LOOKUP, GETFH, GETATTR.
    let found = of(&predicted(&version_4), OperationKind::Lookup).instructions;
    assert_close(found, 20_000.0 * 0.85 + 3.0 * 2000.0, 1e-9);
}

fn predicted(scenario: &Scenario) -> Outcome {
    let bound = bind(scenario).expect("a sound scenario");
    predict(&bound).expect("a steady state")
}

fn of(outcome: &Outcome, operation: OperationKind) -> OperationOutcome {
    let mut found = outcome.workloads[0].operations.iter();
    *found
        .find(|found| found.operation == operation)
        .unwrap_or_else(|| panic!("no {operation}"))
}

/// Clients of the second 7410 with uncached operations on its 192 disks, mirrored in pairs.
fn from_disks(operation: OperationKind, metadata: Metadata) -> Scenario {
    let mut scenario = streaming(seven_four_ten(Generation::Istanbul), 8192.0, 48);
    let workload = &mut scenario.workloads[0];
    workload.mix = Mix::single(operation);
    workload.pattern = AccessPattern::Random;
    workload.metadata = metadata;
    scenario.storage.pools = vec![Pool::new("data")];
    scenario.stack.storage.group_seconds = 0.1;
    scenario.run.duration = Time::new(0.5);
    scenario
}

fn hit_rate(rate: f64) -> Metadata {
    Metadata {
        metadata_hit_rate: Some(Fraction::new(rate)),
        ..Metadata::default()
    }
}

/// 960 threads on 192 disks: at most the rate of the first of six that is reached, and 4 KiB, and not much
/// less.
#[test]
fn metadata_that_is_not_cached_is_bound_by_the_disks() {
    let disk = catalogue()
        .disk("sata-1tb-7200")
        .expect("in the catalogue")
        .clone();
    let spread = 1.0;
    let chosen = disk.positioning(spread, 6.0, 0.0);
    let most = 192.0 / (chosen.get() + 4096.0 / disk.average_rate(spread).get());
    for (operation, rate, blocks) in [
        (OperationKind::Getattr, 0.0, 1.0),
        (OperationKind::Lookup, 0.0, 2.0),
        (OperationKind::Getattr, 0.75, 0.25),
    ] {
        let (predicted, simulated) = both(&from_disks(operation, hit_rate(rate)));
        let share = operations(&predicted) * blocks / most;
        assert!(share > 0.75 && share < 1.0, "{share}");
        assert_close(operations(&simulated), operations(&predicted), 0.06);
        assert_close(of(&predicted, operation).disk_bytes, blocks * 4096.0, 1e-9);
        assert_eq!(predicted.workloads[0].metadata.method, HitRateMethod::Given);
    }
    // Metadata that is cached or not specified causes no disk access.
    for metadata in [hit_rate(1.0), Metadata::default()] {
        let cached = predicted(&from_disks(OperationKind::Getattr, metadata));
        assert_eq!(cached.throughput.disk.get(), 0.0);
    }
}

/// Files of 640 bytes each, twice the capacity of DRAM: every other one is cached. With cache devices for
/// half of the others, one in four is read from a disk.
#[test]
fn the_size_of_metadata_decides_what_is_cached() {
    let mut scenario = from_disks(OperationKind::Getattr, Metadata::default());
    let capacity = 20.0 * GIB;
    scenario.storage.cache.size = Some(Bytes::new(capacity));
    scenario.workloads[0].metadata.files = Some((2.0 * capacity / 640.0) as u64);
    let metadata = predicted(&scenario).workloads[0].metadata;
    assert_close(metadata.hit_rate.get(), 0.5, 1e-6);
    assert_eq!(metadata.method, HitRateMethod::Random);
    let part = catalogue()
        .ssd("read-cache-100gb")
        .expect("in the catalogue")
        .clone();
    scenario.storage.ssds = vec![Ssd {
        id: "cache0".to_owned(),
        part: bandgraph_hardware::SsdPart {
            capacity: Bytes::new(capacity / 2.0),
            ..part
        },
        seat: SsdSeat::Bridge("mcp55".to_owned()),
    }];
    scenario.storage.pools[0].cache = vec!["cache0".to_owned()];
    let outcome = predicted(&scenario);
    assert_close(
        outcome.workloads[0].metadata.second_level_hit_rate.get(),
        0.25,
        1e-6,
    );
    assert_close(
        of(&outcome, OperationKind::Getattr).disk_bytes,
        0.25 * 4096.0,
        1e-6,
    );
    // An explicit size takes precedence, and a small one fits.
    scenario.workloads[0].metadata.metadata_working_set = Some(Bytes::new(capacity));
    let metadata = predicted(&scenario).workloads[0].metadata;
    assert_eq!(
        (metadata.hit_rate.get(), metadata.method),
        (1.0, HitRateMethod::Fits)
    );
}

/// An open loop reads a set at a constant rate from an initially empty cache: the integral of 1 - exp(-x), by
/// hand.
#[test]
fn metadata_fills_an_empty_cache() {
    let mut scenario = from_disks(OperationKind::Getattr, Metadata::default());
    let (rate, files) = (4000.0, 1_000_000.0);
    scenario.workloads[0].metadata.files = Some(files as u64);
    scenario.workloads[0].arrivals = Arrivals::Open {
        rate: OperationRate::new(rate),
        spacing: Spacing::Deterministic,
    };
    scenario.storage.cache.start = CacheStart::Cold;
    scenario.run.warm_up = Time::new(5.0);
    scenario.run.duration = Time::new(10.0);
    // Of 640 MB, 16 KiB per operation.
    let touched = |seconds: f64| rate * seconds * 16_384.0 / (files * 640.0);
    let (begin, end) = (touched(5.0), touched(15.0));
    let mean = 1.0 - (libm::exp(-begin) - libm::exp(-end)) / (end - begin);
    let metadata = predicted(&scenario).workloads[0].metadata;
    assert_close(metadata.hit_rate.get(), mean, 1e-5);
    assert_eq!(metadata.method, HitRateMethod::ColdRandom);
}

/// Nine unstable writes of `bytes` per COMMIT.
fn committing(bytes: f64) -> Scenario {
    let mut scenario = from_disks(OperationKind::Write, Metadata::default());
    let workload = &mut scenario.workloads[0];
    workload.mix =
        Mix::new(&[(OperationKind::Write, 9.0), (OperationKind::Commit, 1.0)]).expect("a sound mix");
    workload.pattern = AccessPattern::Sequential;
    workload.io_size = Bytes::new(bytes);
    // The COMMIT of a thread arrives before its data are on disk.
    workload.threads_per_client = 4;
    scenario.stack.storage.group_seconds = 1.0;
    scenario
}

/// A COMMIT logs the data written since the last one, with a header, twice on a mirror.
#[test]
fn commits_log_what_writes_left() {
    let scenario = committing(8192.0);
    let logged = 9.0 * 8192.0 + 192.0;
    let (predicted, simulated) = both(&scenario);
    for outcome in [&predicted, &simulated] {
        let (write, commit) = (
            of(outcome, OperationKind::Write),
            of(outcome, OperationKind::Commit),
        );
        assert_close(commit.disk_bytes, 2.0 * logged, 1e-6);
        assert_close(write.rate.get() / commit.rate.get(), 9.0, 0.05);
        assert!(commit.latency > write.latency, "{commit:?} {write:?}");
    }
    // Stable writes leave no data to commit.
    let mut synchronous = scenario.clone();
    synchronous.workloads[0].synchronous = true;
    let outcome = both(&synchronous).0;
    assert_eq!(of(&outcome, OperationKind::Commit).disk_bytes, 0.0);
    // An explicit value takes precedence.
    let mut said = scenario;
    said.workloads[0].commit_bytes = Some(Bytes::new(MIB));
    let outcome = both(&said).0;
    let logged = MIB + 192.0;
    assert_close(of(&outcome, OperationKind::Commit).disk_bytes, 2.0 * logged, 1e-9);
}

/// The same with a log device: it carries every byte written, and the COMMIT waits for its share.
#[test]
fn commits_wait_for_the_log_device() {
    let mut scenario = committing(32_768.0);
    let part = catalogue()
        .ssd("zeusiops-18gb")
        .expect("in the catalogue")
        .clone();
    scenario.storage.ssds = vec![Ssd {
        id: "log0".to_owned(),
        part: part.clone(),
        seat: SsdSeat::Bridge("mcp55".to_owned()),
    }];
    scenario.storage.pools[0].log = vec!["log0".to_owned()];
    scenario.workloads[0].threads_per_client = 1;
    scenario.workloads[0].think_time = Time::new(0.05);
    let outcome = predicted(&scenario);
    let commit = of(&outcome, OperationKind::Commit);
    // The data written since the last COMMIT, in the fewest blocks of at most 128 KiB.
    let written: f64 = 9.0 * 32_768.0;
    let commands = (written / 131_072.0).ceil();
    let each = part.write(Bytes::new(written / commands)).get();
    let log = outcome
        .resources
        .iter()
        .find(|resource| resource.id == "ssd.log0")
        .expect("the log");
    assert_close(log.utilisation(), commit.rate.get() * commands * each, 0.05);
    assert!(commit.latency.get() >= 0.99 * commands * each);
    assert_eq!(commit.disk_bytes, 0.0);
}

/// A COMMIT per minute finds the data of the last two transaction groups that are not yet on disk: 1.5 groups
/// on average.
#[test]
fn groups_bring_data_to_disk_before_a_rare_commit() {
    let mut scenario = committing(8192.0);
    let workload = &mut scenario.workloads[0];
    workload.threads_per_client = 1;
    workload.think_time = Time::new(6.0);
    scenario.stack.storage.group_seconds = 5.0;
    let commit = of(&predicted(&scenario), OperationKind::Commit);
    let left = 9.0 * 8192.0 * 1.5 * 5.0 / 60.0;
    assert_close(commit.disk_bytes, 2.0 * (left + 192.0), 0.01);
}

/// Mixes of most kinds, near the limit of the disks: prediction and simulation agree, for metadata within
/// 5 %, with the group interval of real servers. Groups of less than half a second reach the disks in bursts
/// that the prediction spreads over time.
#[test]
fn mixes_are_simulated_as_they_are_predicted() {
    for (mix, rate) in [
        ("specsfs2008", 0.5),
        ("metadata-heavy", 1.0),
        ("metadata-heavy", 0.9),
        ("sfs97", 0.5),
    ] {
        let mut scenario = from_disks(OperationKind::Read, hit_rate(rate));
        let workload = &mut scenario.workloads[0];
        workload.mix = Mix::named(mix).expect("a ready mix");
        workload.hit_rate = Some(Fraction::new(0.8));
        workload.threads_per_client = 12;
        scenario.stack.storage.group_seconds = 1.0;
        scenario.run.warm_up = Time::new(0.5);
        scenario.run.duration = Time::new(8.0);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), operations(&predicted), 0.055);
    }
}

fn record(at_ms: u64, file: u64, operation: OperationKind, bytes: u64) -> Record {
    Record {
        start_ns: at_ms * 1_000_000,
        latency_ns: Some(1_000_000),
        client: 0,
        file,
        operation,
        offset: 0,
        bytes,
        stable: false,
    }
}

/// A COMMIT of a trace logs the data written to its file, and uncached metadata of a file is read.
#[test]
fn a_trace_commits_what_it_wrote_and_misses_new_files() {
    let mut scenario = from_disks(OperationKind::Read, Metadata::default());
    scenario.workloads[0].metadata.files = Some(1000);
    scenario.storage.cache.size = Some(Bytes::new(GIB));
    let settings = ReplaySettings {
        workload: 0,
        timing: Timing::AsRecorded,
        speed: 1.0,
    };
    let mut records: Vec<Record> = (0..4)
        .map(|at| record(10 * at, 7, OperationKind::Write, 65_536))
        .collect();
    records.push(record(50, 8, OperationKind::Commit, 0));
    records.push(record(60, 7, OperationKind::Commit, 0));
    records.push(record(70, 7, OperationKind::Commit, 0));
    // File eight was new to a COMMIT, nine is new here, and seven is cached.
    records.extend([9, 9, 7, 8].map(|file| record(80, file, OperationKind::Getattr, 0)));
    scenario.stack.storage.group_seconds = 5.0;
    let found = replay(&scenario, &settings, &mut records.into_iter()).expect("a sound replay");
    let commits = found.summary.kinds.iter();
    let mut commits: Vec<(u64, u64)> = commits
        .filter(|kind| kind.operation == OperationKind::Commit)
        .map(|kind| (kind.bytes, kind.count))
        .collect();
    commits.sort_unstable();
    assert_eq!(commits, [(0, 2), (4 * 65_536, 1)]);
    // Eleven operations on three files.
    assert_close(found.summary.metadata.hit_rate.get(), 8.0 / 11.0, 1e-9);
}
