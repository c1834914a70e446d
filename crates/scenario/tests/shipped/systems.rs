//! Systems other than the 7410, predicted against published figures. Errors are relative; `docs/systems.md`
//! lists them all, and the fitted figures.

use bandgraph_scenario::{Loaded, Metric};
use bandgraph_simulate::simulate;
use bandgraph_solve::{Explained, LimitKind, Outcome, ResourceUse, SteadyState, bind, explain, predict};
use bandgraph_topology::ResourceKind;
use bandgraph_units::Bandwidth;

use crate::scenario;

fn predicted(loaded: &Loaded) -> Outcome {
    predict(&loaded.bound).expect("the steady state is found")
}

fn explained(loaded: &Loaded) -> (Outcome, Explained) {
    let steady = SteadyState::solve(&loaded.bound).expect("the steady state is found");
    let outcome = steady.prediction(&loaded.bound).expect("a prediction");
    let explained = explain(&loaded.bound, &steady, &outcome).expect("a limit is found");
    (outcome, explained)
}

/// The value of a metric measured on these systems.
fn value(metric: Metric, outcome: &Outcome) -> f64 {
    let power = outcome.power.as_ref();
    let watts = match metric {
        Metric::OperationsPerSecond => Some(outcome.throughput.operations.get()),
        Metric::PayloadBytesPerSecond => Some(outcome.throughput.payload.get()),
        Metric::NetworkBytesPerSecond => Some(outcome.throughput.network.get()),
        Metric::Watts => power.map(|power| power.drawn.get()),
        Metric::Elapsed => outcome.elapsed.map(bandgraph_units::Time::get),
        Metric::IdleWatts => power.map(|power| power.idle.get()),
        _ => None,
    };
    watts.expect("these systems were measured by other metrics")
}

/// The error of a row in per cent, as the page on these systems has it.
#[track_caller]
fn documented_error(id: &str) -> f64 {
    let page = include_str!("../../../../docs/systems.md");
    let row = page.lines().find(|line| line.starts_with(&format!("| `{id}` |")));
    let row = row.unwrap_or_else(|| panic!("docs/systems.md has no row `{id}`"));
    let error = row
        .split('|')
        .nth(4)
        .and_then(|cell| cell.trim().strip_suffix(" %"));
    error
        .and_then(|error| error.parse().ok())
        .expect("an error in per cent")
}

/// Every measured row of the scenario is within its tolerance of the prediction.
#[track_caller]
fn assert_within(name: &str, tolerances: &[(&str, f64)]) {
    let loaded = scenario(name, &[]);
    let outcome = predicted(&loaded);
    assert_eq!(loaded.measured.len(), tolerances.len(), "{name}");
    for measured in &loaded.measured {
        let (_, tolerance) = tolerances
            .iter()
            .find(|(id, _)| *id == measured.id)
            .expect("every row has its tolerance");
        let found = value(measured.metric, &outcome);
        let error = found / measured.value - 1.0;
        let documented = documented_error(&measured.id);
        assert!(
            (documented - error * 100.0).abs() < 0.06,
            "{}: docs/systems.md says {documented} %: {:+.1} %",
            measured.id,
            error * 100.0
        );
        assert!(
            error.abs() <= *tolerance,
            "{}: {found} is not {}: {:+.1} %",
            measured.id,
            measured.text,
            error * 100.0
        );
    }
}

#[test]
fn the_small_netra_is_as_fitted_and_the_typical_one_as_predicted() {
    assert_within(
        "netra-x4250/tiny",
        &[
            ("netra-tiny-ops", 0.005),
            ("netra-tiny-peak", 0.005),
            ("netra-tiny-idle", 0.005),
        ],
    );
    assert_within(
        "netra-x4250/typical",
        &[
            ("netra-typ-ops", 0.03),
            ("netra-typ-peak", 0.04),
            ("netra-typ-idle", 0.03),
        ],
    );
}

/// The benchmark sums operations over ten load levels, and watts over these and idle: 600 and 478 operations
/// per watt were published. Nothing was fitted to them.
#[test]
fn the_overall_figure_of_the_netra_follows_from_ten_load_levels() {
    for (name, published) in [("netra-x4250/tiny", 600.0), ("netra-x4250/typical", 478.0)] {
        let full = predicted(&scenario(name, &[]));
        let peak = full.throughput.operations.get();
        let (mut operations, mut watts) = (
            peak,
            value(Metric::Watts, &full) + value(Metric::IdleWatts, &full),
        );
        for tenths in 1..10 {
            // The benchmark requests a tenth, two tenths and so on of its peak, with random arrivals.
            let set = format!("workload.ssj.rate={} ops/s", peak * f64::from(tenths) / 10.0);
            let level = predicted(&scenario(name, &[&set]));
            let reached = level.throughput.operations.get() / peak * 10.0;
            assert!((reached - f64::from(tenths)).abs() < 1e-3, "{tenths}: {reached}");
            operations += level.throughput.operations.get();
            watts += value(Metric::Watts, &level);
        }
        let overall = operations / watts;
        assert!((overall / published - 1.0).abs() < 0.04, "{name}: {overall}");
    }
}

#[test]
fn memcached_is_as_fitted_under_linux_and_as_predicted_under_opensolaris() {
    assert_within("x2270/memcached-linux", &[("memcached-linux", 0.01)]);
    assert_within("x2270/memcached-opensolaris", &[("memcached-osol", 0.08)]);
}

/// The store keeps up with its users, and more than half of the capacity of its disks is free.
#[test]
fn the_mail_store_keeps_up() {
    assert_within("7110/mail-store", &[("specmail-sessions", 0.01)]);
    let outcome = predicted(&scenario("7110/mail-store", &[]));
    let disks = outcome
        .resources
        .iter()
        .filter(|resource| resource.id.starts_with("disk."));
    let busiest = disks.map(ResourceUse::utilisation).fold(0.0, f64::max);
    assert!((0.1..0.5).contains(&busiest), "{busiest}");
}

/// Two figures of the jobs are fitted to two of these rows; the others are predicted.
#[test]
fn the_batch_of_the_grid_takes_as_long_as_published() {
    for (name, row, tolerance) in [
        ("sas-grid/2-nodes", "sas-grid-2", 0.006),
        ("sas-grid/3-nodes", "sas-grid-3", 0.06),
        ("sas-grid/4-nodes", "sas-grid-4", 0.06),
        ("sas-grid/5-nodes", "sas-grid-5", 0.1),
        ("sas-grid/6-nodes", "sas-grid-6", 0.1),
        ("sas-grid/7-nodes", "sas-grid-7", 0.09),
        ("sas-grid/computing-3-nodes", "sas-grid-cpu-3", 0.005),
        ("sas-grid/computing-7-nodes", "sas-grid-cpu-7", 0.06),
    ] {
        assert_within(name, &[(row, tolerance)]);
    }
    let peak = predicted(&scenario("sas-grid/peak", &[]));
    // Published: "over 900 MB/s".
    assert!(peak.throughput.network.get() > 890e6, "{:?}", peak.throughput);
    // From disk: 763 MB/s were also demonstrated.
    let from_disk = predicted(&scenario("sas-grid/peak", &["workload.io.working_set=1 TiB"]));
    let shown = from_disk.throughput.network.get() / 763e6;
    assert!((shown - 1.0).abs() < 0.05, "{shown}");
}

/// One client: two parameters fitted to two of five rows, with the same client in all of them and in the
/// batch.
#[test]
fn a_client_of_the_grid_is_held_by_its_calls_and_its_interrupts() {
    let files = [
        ("sas-grid/one-client", "sas-1g-simplex", 0.05, "client.node.in"),
        (
            "sas-grid/one-client-duplex",
            "sas-1g-duplex",
            0.005,
            "client.node.interrupts",
        ),
        ("sas-grid/one-client-10g", "sas-10g-untuned", 0.005, "concurrency"),
        (
            "sas-grid/one-client-10g-no-blanking",
            "sas-10g-noblank",
            0.12,
            "concurrency",
        ),
        (
            "sas-grid/one-client-10g-two-processes",
            "sas-10g-2proc",
            0.3,
            "client.node.cores",
        ),
    ];
    let batch = scenario("sas-grid/7-nodes", &[]).scenario.clients[0].processors;
    for (name, row, tolerance, limit) in files {
        assert_within(name, &[(row, tolerance)]);
        let loaded = scenario(name, &[]);
        let processors = loaded.scenario.clients[0].processors;
        assert_eq!(
            processors,
            scenario(files[0].0, &[]).scenario.clients[0].processors,
            "{name}"
        );
        assert_eq!(
            processors.interrupt_cycles_per_packet,
            batch.interrupt_cycles_per_packet
        );
        let (_, explained) = explained(&loaded);
        assert_eq!(explained.bottleneck.id(), limit, "{name}");
    }
}

/// Reads saturate the receive direction of a client, writes the transmit direction, and both the interrupt
/// cores and the shared rate of its NIC.
#[test]
fn what_reads_and_writes_of_a_client_share_holds_both_back() {
    let shared: [&[&str]; 3] = [
        &[],
        &["clients.node.nics.duplex_rate=1.2 Gbit/s"],
        &[
            "clients.node.nics.duplex_rate=1.2 Gbit/s",
            "clients.node.processors.interrupt_cycles_per_packet=0",
        ],
    ];
    for set in shared {
        let loaded = scenario("sas-grid/one-client-duplex", set);
        let bound = bind(&loaded.scenario).expect("it can be bound");
        let steady = SteadyState::solve(&bound).expect("the steady state is found");
        let simulated = simulate(&bound, &steady).expect("a sound run");
        let uses = simulated.resources.iter().map(ResourceUse::saturation);
        let fullest = uses.fold(0.0, f64::max);
        assert!((0.9..1.0 + 1e-9).contains(&fullest), "{set:?}: {fullest}");
    }
}

/// On a saturated server, writing groups takes no more from readers than it returns: the simulated throughput
/// equals that of the steady state. With a stream for every writing thread, it was an eighth lower.
#[test]
fn the_peak_of_the_grid_is_as_high_simulated_as_predicted() {
    let loaded = scenario("sas-grid/peak", &[]);
    let bound = &bind(&loaded.scenario).expect("it can be bound");
    let network = |outcome: &Outcome| value(Metric::NetworkBytesPerSecond, outcome);
    let steady = SteadyState::solve(bound).expect("the steady state is found");
    let simulated = network(&simulate(bound, &steady).expect("a sound run"));
    let predicted = network(&predicted(&loaded));
    let difference = simulated / predicted - 1.0;
    assert!(difference.abs() < 0.09, "{simulated} of {predicted}");
}

/// The limits of the batch: gigabit links on two nodes; on seven, as indicated in the source, the server too.
#[test]
fn links_hold_up_few_nodes_of_the_grid_and_the_server_many() {
    let minutes =
        |name: &str, sets: &[&str]| value(Metric::Elapsed, &predicted(&scenario(name, sets))) / 60.0;
    let faster_links = [
        "clients.node.nics.rate=10 Gbit/s",
        "network.switch.port_rate=10 Gbit/s",
    ];
    let faster_server = ["link.*.part=ht3-x16"];
    for (name, gain_of_links, gain_of_server) in [
        ("sas-grid/2-nodes", 0.7..0.85, 0.98..1.0),
        ("sas-grid/7-nodes", 0.9..1.02, 0.7..0.89),
    ] {
        let base = minutes(name, &[]);
        let links = minutes(name, &faster_links) / base;
        assert!(gain_of_links.contains(&links), "{name}: {links}");
        let server = minutes(name, &faster_server) / base;
        assert!(gain_of_server.contains(&server), "{name}: {server}");
    }
    // With jumbo frames, interrupts take less time of a node.
    let small_frames = minutes("sas-grid/2-nodes", &["run.mtu=1500"]);
    assert!(
        small_frames > 1.03 * minutes("sas-grid/2-nodes", &[]),
        "{small_frames}"
    );
}

/// Published rates of the parts: 460.8 GB/s for twelve channels of DDR5-4800, 64 GB/s for an xGMI link, 63
/// GB/s for gen5 x16.
#[test]
fn the_server_of_2023_has_the_rates_of_its_parts() {
    let topology = crate::topology("server-2023");
    for (id, gigabytes) in [
        ("memory.cpu0", 460.8),
        ("link.cpu0-cpu1.d", 64.0),
        ("slot.s0.out", 63.015),
        ("slot.u7.in", 15.754),
        ("port.nic1.1.out", 25.0),
    ] {
        let capacity = topology.resource(id).expect("it is there").capacity;
        assert!(
            (capacity / 1e9 / gigabytes - 1.0).abs() < 1e-3,
            "{id}: {capacity}"
        );
    }
}

/// The kind of the predicted bottleneck of a shipped scenario, and payload bytes per second.
fn limit_of(name: &str, sets: &[&str]) -> (String, f64) {
    let (outcome, explained) = explained(&scenario(name, sets));
    let payload = outcome.throughput.payload.get();
    (explained.bottleneck.kind.as_str().to_owned(), payload)
}

/// Cores excluded, ports of 200 Gbit/s limit with gen5 slots, and slots limit with gen4.
#[test]
fn the_limit_of_the_server_of_2023_depends_on_its_slots() {
    let limit = |sets: &[&str]| limit_of("server-2023/nvme-read", sets);
    let (kind, gen5) = limit(&[]);
    // 4 ports of 25 GB/s, of which headers take less than 2 %.
    assert!(
        kind == "infiniband" && (98e9..100e9).contains(&gen5),
        "{kind} {gen5}"
    );
    let (kind, gen4) = limit(&["slot.s0.pcie=gen4 x16", "slot.s1.pcie=gen4 x16"]);
    assert!(kind == "pcie" && (56e9..60e9).contains(&gen4), "{kind} {gen4}");
}

/// Twelve drives on each of two root complexes without uplinks, from one entry each; the files are short.
#[test]
fn two_sockets_with_24_drives_are_described_in_a_few_lines() {
    let topology = crate::topology("nvme-2-socket");
    let drives = topology.jbods();
    assert_eq!(drives.len(), 24);
    for (number, drive) in drives.iter().enumerate() {
        assert_eq!(drive.id, format!("nvme{number}"));
        let card = &topology.cards()[drive.card().expect("a drive is a card")];
        assert_eq!(card.socket, number / 12);
        assert_eq!(topology[drive.disks[0]].id, format!("disk.nvme{number}"));
    }
    assert!(topology.resource("bridge.rc0.in").is_none());
    assert!(topology.resource("link.cpu0-cpu1.d").is_some());
    assert_eq!(topology.ports().len(), 4);
    for (file, most) in [
        ("topologies/nvme-2-socket.toml", 60),
        ("scenarios/nvme-2-socket/fio.toml", 20),
    ] {
        let text = std::fs::read_to_string(crate::root().join(file)).expect("it is there");
        assert!(text.lines().count() < most, "{file}");
    }
}

/// By hand: a read of 128 KiB occupies a drive of 6.8 GB/s and a million operations/s for 1 us, minus the
/// time of 4 KiB, plus the time of 128 KiB: 24 of them give 160 GB/s, minus the waits of commands. A slot of
/// four lanes carries more, one of gen3 less.
#[test]
fn drives_limit_what_their_slots_carry() {
    let result = |sets: &[&str]| limit_of("nvme-2-socket/fio", sets);
    let (kind, rate) = result(&[]);
    let busy = 1e-6 + (131_072.0 - 4096.0) / 6.8e9;
    assert!(
        kind == "disk" && (0.98..=1.0).contains(&(rate / (24.0 * 131_072.0 / busy))),
        "{kind} {rate}"
    );
    let (kind, gen3) = result(&["slot.bay.pcie=gen3 x4"]);
    assert!(kind == "pcie" && (82e9..90e9).contains(&gen3), "{kind} {gen3}");
    let (kind, slow) = result(&["card.nvme.read_rate=3.4 GB/s"]);
    assert!(kind == "disk" && (78e9..82e9).contains(&slow), "{kind} {slow}");
}

/// By hand: a command for a byte moves a sector of 512; a write of a part of one reads it first.
#[test]
fn drives_move_whole_sectors() {
    let per_operation = |sets: &[&str]| {
        let rates = predicted(&scenario("nvme-2-socket/fio", sets)).throughput;
        rates.disk.get() / rates.operations.get()
    };
    for (mix, size, moved) in [
        ("read", "1 B", 512.0),
        ("read", "512 B", 512.0),
        ("read", "4 KiB", 4096.0),
        ("write", "1 B", 1024.0),
        ("write", "512 B", 512.0),
    ] {
        let sets = [
            format!("workload.read.mix={mix}"),
            format!("workload.read.io_size={size}"),
        ];
        let found = per_operation(&sets.each_ref().map(String::as_str));
        assert!((found / moved - 1.0).abs() < 1e-9, "{mix} {size}: {found}");
    }
}

/// Two ports of 25 GB/s on a card that carries 25 GB/s: both cards together carry as much as one without a
/// cap.
#[test]
fn a_card_carries_no_more_than_its_cap() {
    let payload = |sets: &[&str]| {
        let outcome = predicted(&scenario("server-2023/nvme-read", sets));
        outcome.throughput.payload.get()
    };
    let free = payload(&[]);
    let capped = payload(&["card.nic0.card_rate=25 GB/s", "card.nic1.card_rate=25 GB/s"]);
    assert!((capped / free - 0.5).abs() < 1e-2, "{capped} {free}");
}

/// A full log device says its own bytes, not the mean of all drives.
#[test]
fn a_full_log_device_says_what_it_moves() {
    let (outcome, explained) = explained(&scenario("7410-istanbul/disk-sync-8k-log", &[]));
    // 8 KiB of payload, and the header of a block: 1 to 4 % more.
    let log = outcome.resources.iter().find(|used| used.id == "ssd.log0");
    let device = log.and_then(|log| log.device);
    let bytes = device.expect("it is a drive").bytes;
    let payload = outcome.throughput.payload.get();
    assert!((1.01..1.04).contains(&(bytes / payload)), "{bytes} {payload}");
    // The drives of pools move the payload on both sides of mirrors, and metadata.
    let drives = outcome.resources.iter().filter(|used| used.id != "ssd.log0");
    let drives = drives.filter_map(|used| used.device);
    let all: f64 = drives.map(|device| device.bytes).sum();
    assert!((2.0..2.15).contains(&(all / payload)), "{all} {payload}");
    let [bytes, all] = [bytes, all].map(|bytes| Bandwidth::new(bytes).decimal());
    let moving = format!("ssd.log0, moving {bytes}; all 192 drives of pools together move {all} ");
    assert!(
        explained.bottleneck.explanation.contains(&moving),
        "{explained:?}"
    );
}

/// Disks that writers wait for, and a log device that COMMITs wait for, are both full with 62 threads a client
/// and more: all of these do as many operations, within 0.02 %, and the next limit is the same. Rounds of the
/// search go round in a circle here; the wait in the line leads out of it.
#[test]
fn full_disks_and_a_full_log_do_the_same_for_any_more_threads() {
    let rate = |threads: u32, think: &str| {
        let sets = [
            "workload.*.mix={ write = 14, commit = 5, getattr = 27 }",
            "workload.*.io_size=8 KiB",
            &format!("workload.*.threads_per_client={threads}"),
            &format!("workload.*.think_time={think}"),
            "workload.*.pattern=random",
            "workload.*.synchronous=false",
            "workload.*.working_set=1000 GiB",
            // As many blocks are written again at any rate.
            "stack.group_start=0.001",
        ];
        let (outcome, explained) = explained(&scenario("7410-istanbul/disk-sync-8k-log", &sets));
        assert_eq!(explained.bottleneck.kind, LimitKind::Resource(ResourceKind::Disk));
        let relief = explained.relief.expect("another limit");
        assert!(
            (0.006..0.009).contains(&relief.throughput_gain),
            "{threads} {think}: {relief:?}"
        );
        let full = outcome
            .resources
            .iter()
            .filter(|used| used.utilisation() > 0.9999);
        let ids: Vec<&str> = full.map(|used| used.id.as_str()).collect();
        assert!(ids.contains(&"ssd.log0") && ids.contains(&"disk.j0.0"), "{ids:?}");
        outcome.throughput.operations.get()
    };
    let most = rate(1000, "10 ms");
    for (threads, think) in [(70, "10 ms"), (70, "11 ms"), (128, "10 ms"), (200, "10 ms")] {
        let found = rate(threads, think);
        assert!(
            (found / most - 1.0).abs() < 2e-4,
            "{threads} {think}: {found} and {most}"
        );
    }
}

/// Disks at a utilisation of two thirds do not limit: 160 threads wait for sequential reads.
#[test]
fn disks_that_are_not_full_are_no_limit() {
    let few = ["clients.blades.count=10", "workload.stream.threads_per_client=16"];
    let (outcome, explained) = explained(&scenario("7410-istanbul/disk-random-8k", &few));
    let disks = outcome
        .resources
        .iter()
        .filter(|resource| resource.id.starts_with("disk."));
    let busiest = disks.map(ResourceUse::utilisation).fold(0.0, f64::max);
    assert!((0.55..0.75).contains(&busiest), "{busiest}");
    assert_eq!(explained.bottleneck.kind, LimitKind::Concurrency);
}

/// If the cores of a port and its line are saturated within half a per cent of each other, the line is the
/// limit, and the cores are named with it: neither alone has a gain.
#[test]
fn limits_just_behind_each_other_are_named_together() {
    let (_, explained) = explained(&scenario("barcelona-4-socket/tcp-uperf", &[]));
    assert_eq!(explained.bottleneck.id(), "port.nic0.0.out");
    let said = &explained.bottleneck.explanation;
    assert!(
        said.contains("port.nic0.0.core1")
            && said.contains("relieving one kind alone brings less than 0.5 %"),
        "{said}"
    );
    let together = &explained.bottleneck.together;
    assert!(
        together.iter().any(|core| core.id == "port.nic0.0.core1"),
        "{together:?}"
    );
}

/// The audit's S6: latencies were constant up to 99 % of the capacity. Links, cores and disks limit these; at
/// 90 % of their capacity, predicted means are within 15 % of simulated ones, for open loops and for threads
/// that think.
#[test]
fn latencies_are_predicted_up_to_nine_tenths_of_the_capacity() {
    for (name, workload, most) in [
        ("7410-barcelona/cached-read", "read", 2_150.0),
        ("7410-istanbul/1b", "read", 508_000.0),
        ("7410-istanbul/disk-read", "stream", 1_950.0),
        ("7410-istanbul/disk-random-8k", "stream", 45_000.0),
    ] {
        let threads = scenario(name, &[]).bound.threads() as f64;
        let mut last = [0.0; 2];
        for tenths in [5.0, 9.0] {
            let rate = most * tenths / 10.0;
            let loops = [
                format!("workload.{workload}.rate={rate} ops/s"),
                format!("workload.{workload}.think_time={} s", threads / rate),
            ];
            for (set, last) in loops.iter().zip(&mut last) {
                let loaded = scenario(name, &[set, "run.precision=5 %"]);
                let bound = bind(&loaded.scenario).expect("it can be bound");
                let steady = SteadyState::solve(&bound).expect("a steady state");
                let mean = |outcome: &Outcome| outcome.latency.mean.get();
                let predicted = mean(&steady.prediction(&bound).expect("a prediction"));
                let simulated = mean(&simulate(&bound, &steady).expect("a run"));
                let error = predicted / simulated - 1.0;
                assert!(
                    error.abs() < 0.15,
                    "{name} with {set}: {predicted} and {simulated}"
                );
                // Operations of one byte take less time under load, until the cores are saturated.
                let growth = if set.contains("rate") { 1.1 } else { 0.99 };
                assert!(
                    name.contains("1b") || predicted > growth * *last,
                    "{name} with {set}: {predicted} and {last}"
                );
                *last = predicted;
            }
        }
    }
}
