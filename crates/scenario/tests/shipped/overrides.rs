//! What-if questions by one `--set`, on the shipped files, and their required effects.

use bandgraph_hardware::hypertransport::Cause;
use bandgraph_solve::{LimitKind, Outcome, SteadyState, explain, predict};
use bandgraph_topology::ResourceKind;

use crate::scenario;

fn outcome(file: &str, sets: &[&str]) -> Outcome {
    let loaded = scenario(file, sets);
    predict(&loaded.bound).expect("the steady state is found")
}

fn network(outcome: &Outcome) -> f64 {
    outcome.throughput.network.get()
}

fn bottleneck(file: &str, sets: &[&str]) -> LimitKind {
    let bound = &scenario(file, sets).bound;
    let steady = SteadyState::solve(bound).expect("the steady state is found");
    let outcome = steady.prediction(bound).expect("a prediction");
    explain(bound, &steady, &outcome)
        .expect("explained")
        .bottleneck
        .kind
}

fn capacity(outcome: &Outcome, id: &str) -> f64 {
    let found = outcome.resources.iter().find(|resource| *resource.id == *id);
    found.unwrap_or_else(|| unreachable!("{id} is there")).capacity
}

fn cycles_per_instruction(outcome: &Outcome) -> f64 {
    outcome.sockets[0].cycles_per_instruction
}

const BARCELONA: &str = "7410-barcelona/cached-read";
const ISTANBUL: &str = "7410-istanbul/cached-read";

/// The improvements of the first model, one after the other: each increases throughput and reduces cycles per
/// instruction.
#[test]
fn zero_copy_and_thread_binding_are_switches() {
    let before = outcome("7410-barcelona/disk-read-before", &[]);
    let zero_copy = outcome("7410-barcelona/disk-read-before", &["stack.zero_copy=true"]);
    let both = outcome(
        "7410-barcelona/disk-read-before",
        &["stack.zero_copy=true", "stack.thread_binding=true"],
    );
    assert!(network(&zero_copy) > 1.05 * network(&before));
    assert!(network(&both) > 1.01 * network(&zero_copy));
    assert!(cycles_per_instruction(&zero_copy) < cycles_per_instruction(&before));
    assert!(cycles_per_instruction(&both) < cycles_per_instruction(&zero_copy));
    // The switches have the inverse effect on the file with cards on both bridges.
    for set in ["stack.zero_copy=false", "stack.thread_binding=false"] {
        assert!(
            network(&outcome(BARCELONA, &[set])) < 0.95 * network(&outcome(BARCELONA, &[])),
            "{set}"
        );
    }
}

/// Faster links move the limit of the first model from its links to its slots, as on the second.
#[test]
fn links_of_another_part_move_the_limit() {
    let sets = ["link.*.part=ht3-x16"];
    assert_eq!(
        bottleneck(BARCELONA, &[]),
        LimitKind::Resource(ResourceKind::SocketLink)
    );
    assert_eq!(
        bottleneck(BARCELONA, &sets),
        LimitKind::Resource(ResourceKind::Pcie)
    );
    let (slow, fast) = (outcome(BARCELONA, &[]), outcome(BARCELONA, &sets));
    for link in ["link.cpu0-cpu1", "link.cpu3-cpu2"] {
        assert_eq!((capacity(&slow, link), capacity(&fast, link)), (4e9, 9.6e9));
    }
    // Only these links: the bridges are unchanged.
    assert_eq!(capacity(&fast, "bridge.mcp55.out"), 4e9);
    assert!(network(&fast) > 1.25 * network(&slow));
}

/// Published: faster processors behind the same links do not increase throughput.
#[test]
fn processors_of_another_part_bring_nothing_behind_the_same_links() {
    let faster = outcome(BARCELONA, &["socket.*.part=opteron-8435"]);
    assert_eq!(capacity(&faster, "cpu.cpu3"), 6.0 * 2.6e9);
    let ratio = network(&faster) / network(&outcome(BARCELONA, &[]));
    assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
    let upgraded = outcome("7410-istanbul/on-ht1-cached-read", &[]);
    assert_eq!(network(&faster), network(&upgraded));
}

/// Bridge, slot and card train to the slowest of them: gen2 slots alone have no effect; with a bridge and
/// cards of that generation the raw rate doubles, so that another resource limits.
#[test]
fn slots_of_another_generation_help_cards_of_that_generation() {
    let slots = "slot.*.pcie=\"gen2 x8\"";
    let all = [
        slots,
        "bridge.*.generation=gen2",
        "card.nic0.pcie_generation=gen2",
        "card.nic1.pcie_generation=gen2",
    ];
    let (before, alone) = (outcome(ISTANBUL, &[]), outcome(ISTANBUL, &[slots]));
    assert_eq!(capacity(&alone, "slot.s1.out"), 2e9);
    assert_eq!(network(&alone), network(&before));
    let faster = outcome(ISTANBUL, &all);
    assert_eq!(capacity(&faster, "slot.s1.out"), 4e9);
    assert!(network(&faster) > 1.2 * network(&before));
    assert_ne!(
        bottleneck(ISTANBUL, &all),
        LimitKind::Resource(ResourceKind::Pcie)
    );
}

/// By hand, for a saturated port: with timestamps a frame carries 8948 of 9038 bytes on the wire, or 1448 of
/// 1538.
#[test]
fn small_frames_carry_less_over_a_full_port() {
    let file = "7410-barcelona/sum-1-port";
    let payload = |mtu: &str| {
        // With 1 MiB at a time, other protocol bytes are negligible; and cores do not limit.
        let sets = [
            format!("run.mtu={mtu}"),
            "workload.read.io_size=\"1 MiB\"".to_owned(),
            "stack.misses_per_byte=0".to_owned(),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        outcome(file, &sets).throughput.payload.get()
    };
    let expected = (1448.0 / 1538.0) / (8948.0 / 9038.0);
    let found = payload("1500") / payload("9000");
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} for {expected}");
}

/// Acknowledgements of small segments are additional packets: more work for the same payload.
#[test]
fn small_packets_cost_cores_something() {
    for file in [BARCELONA, ISTANBUL] {
        let cycles = |mtu: &str| {
            let outcome = outcome(file, &[mtu]);
            let busy: f64 = outcome.sockets.iter().map(|socket| socket.busy).sum();
            busy / outcome.throughput.payload.get()
        };
        assert!(cycles("run.mtu=1500") > 1.2 * cycles("run.mtu=9000"), "{file}");
    }
}

/// Every node serves its own ports from its own memory: no line and no card data crosses between sockets.
#[test]
fn silos_take_the_traffic_off_the_links() {
    let spread = outcome(ISTANBUL, &[]);
    let siloed = outcome(ISTANBUL, &["stack.siloed=true"]);
    let data = |outcome: &Outcome| -> f64 {
        let links = outcome.link_traffic.iter();
        let of_data = links.flat_map(|link| &link.by_cause).filter(|(cause, _)| {
            matches!(
                cause,
                Cause::Data | Cause::DmaData | Cause::WriteBack | Cause::Request | Cause::DmaRequest
            )
        });
        of_data.map(|(_, rate)| rate.get()).sum()
    };
    assert!(data(&spread) > 1e9);
    assert!(data(&siloed) < 1e-6 * data(&spread), "{}", data(&siloed));
    // The two nodes with network cards do all the work, with half of the cores.
    assert!(network(&siloed) > 0.5 * network(&spread));
}

/// Ports hold the clients of one card, which a slightly narrow slot would hold next, and a much too narrow
/// slot holds those of the other: the slot is what to widen, although more of the ports reaches more
/// clients.
#[test]
fn the_bottleneck_of_several_is_the_one_whose_relief_brings_most() {
    let sets = [
        "stack.profile=linux-nfsd-tcp-2020",
        "clients.clients.nics.rate=100 Gbit/s",
        "slot.*.connector_lanes=16",
        "slot.s0.pcie=gen4 x8",
        "slot.s1.pcie=gen3 x8",
        "card.nic*.port_rate=50 Gbit/s",
    ];
    let file = "server-2023/cached-read";
    assert_eq!(bottleneck(file, &sets), LimitKind::Resource(ResourceKind::Pcie));
    let with = |set: &str| network(&outcome(file, &[&sets[..], &[set]].concat()));
    let now = network(&outcome(file, &sets));
    let (ports, slot) = (
        with("card.nic0.port_rate=200 Gbit/s") / now,
        with("slot.s1.pcie=gen5 x16") / now,
    );
    assert!(slot > ports && ports > 1.05, "{slot} {ports}");
}
