//! Data in GPU memory: transfers by other cards bypass main memory and cores.

use bandgraph_hardware::{CardPart, GpuPart, NicPart, PcieGeneration, PcieSlotSpec, catalogue};
use bandgraph_model::Scenario;
use bandgraph_model::storage::{Pool, PoolKind};
use bandgraph_solve::{SteadyState, bind};
use bandgraph_topology::{CardSpec, LinkSpec, Seat, SlotSpec, SwitchSpec, Topology, TopologySpec};
use bandgraph_units::{Bandwidth, Bytes, Time};
use bandgraph_workload::{Mix, OperationKind, ProtocolKind, Workload};

use crate::common::{MIB, assert_close, both, no_stack, one_socket, operations, reads, scenario};
use crate::jobs::host;

/// The location of the card and the GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Board {
    OneBridge,
    OneSwitch,
    TwoSockets,
}

/// A fast RDMA port and a GPU, both with 16 lanes of gen4 and packets of 256 bytes.
fn server(board: Board) -> TopologySpec {
    let mut spec = one_socket(4, 1e11, 1e11);
    let pcie = PcieSlotSpec {
        generation: PcieGeneration::Gen4,
        lanes: 16,
    };
    let root = catalogue()
        .bridge("root-complex-genoa")
        .expect("in the catalogue");
    spec.bridges[0].part.clone_from(root);
    let slot = |id: &str| SlotSpec {
        id: id.to_owned(),
        bridge: "io".to_owned(),
        pcie,
        ..SlotSpec::default()
    };
    spec.slots = vec![slot("s1"), slot("s2")];
    let nic = NicPart {
        ports: 1,
        port_rate: Bandwidth::new(1e11),
        rdma: true,
        pcie_generation: PcieGeneration::Gen4,
        pcie_lanes: 16,
        maximum_payload: Bytes::new(256.0),
        maximum_read_request: Bytes::new(512.0),
        descriptor_bytes: Bytes::ZERO,
        outstanding_reads: 65_536,
        interrupt_interval: Time::ZERO,
        ..catalogue()
            .nic("connectx7-400gbe")
            .expect("in the catalogue")
            .clone()
    };
    let card = |id: &str, part: CardPart, slot: &str| CardSpec {
        id: id.to_owned(),
        part,
        seat: Seat::Slot(slot.to_owned()),
    };
    spec.cards = vec![
        card("net", nic.into(), "s1"),
        card("gpu", GpuPart::default().into(), "s2"),
    ];
    match board {
        Board::OneBridge => {}
        Board::OneSwitch => {
            let part = catalogue().pcie_switch("broadcom-pex88096");
            spec.switches.push(SwitchSpec {
                id: "switch".to_owned(),
                part: part.expect("in the catalogue").clone(),
                bridge: "io".to_owned(),
                pcie,
            });
            for slot in &mut spec.slots {
                slot.switch = Some("switch".to_owned());
            }
        }
        Board::TwoSockets => {
            let mut socket = spec.sockets[0].clone();
            "cpu1".clone_into(&mut socket.id);
            spec.sockets.push(socket);
            let mut bridge = spec.bridges[0].clone();
            (bridge.id, bridge.uplink_to) = ("io1".to_owned(), "cpu1".to_owned());
            spec.links.push(LinkSpec {
                ends: ["cpu0".to_owned(), "cpu1".to_owned()],
                part: bridge.uplink.clone().expect("a bridge with a link"),
                weight: 1.0,
            });
            spec.bridges.push(bridge);
            "io1".clone_into(&mut spec.slots[1].bridge);
        }
    }
    spec
}

fn moving(board: Board, operation: OperationKind, gpus: &[&str]) -> Scenario {
    let (clients, workload) = reads(MIB, 64);
    let workload = Workload {
        protocol: ProtocolKind::Nfs3Rdma,
        mix: Mix::single(operation),
        gpus: gpus.iter().map(|&gpu| gpu.to_owned()).collect(),
        ..workload
    };
    scenario(server(board), no_stack(), clients, workload)
}

/// The demand of one operation on a resource.
fn used(scenario: &Scenario, resource: &str) -> f64 {
    let bound = bind(scenario).expect("a sound scenario");
    let index = bound.resources.iter().position(|of| of.id == resource);
    let index = index.unwrap_or_else(|| panic!("{resource} is there"));
    let demand = bound.classes[0].demand.iter();
    demand
        .filter(|&&(at, _)| at == index)
        .map(|&(_, units)| units)
        .sum()
}

const BOARDS: [Board; 3] = [Board::OneBridge, Board::OneSwitch, Board::TwoSockets];

/// By hand: 1 MiB in packets of 4 KiB, each as 16 writes of 256 bytes with 24 bytes of overhead, is 1,146,880
/// bytes up the link of one card and down that of the other. Memory carries only calls and replies.
#[test]
fn what_is_written_goes_down_the_link_of_the_gpu() {
    for board in BOARDS {
        let past = moving(board, OperationKind::Write, &["gpu"]);
        assert_close(used(&past, "slot.s2.out"), 4096.0 * (256.0 + 24.0), 1e-3);
        let calls = used(&past, "slot.s1.in") - used(&past, "slot.s2.out");
        assert!((0.0..1024.0).contains(&calls), "{board:?}: {calls}");
        assert!(used(&past, "memory.cpu0") < 2048.0, "{board:?}");
        let through = reading(board, &[]);
        assert!(used(&through, "memory.cpu0") >= 0.5 * MIB, "{board:?}");
        assert_eq!(used(&through, "slot.s2.out"), 0.0);
    }
}

/// Data read goes up the link of the GPU, and the requests go down.
#[test]
fn what_is_read_comes_up_the_link_of_the_gpu() {
    for board in BOARDS {
        let read = reading(board, &["gpu"]);
        let (up, down) = (used(&read, "slot.s2.in"), used(&read, "slot.s2.out"));
        assert!(up > MIB && up < 1.4 * MIB, "{board:?}: {up}");
        assert!(down > 0.0 && down < 0.1 * MIB, "{board:?}: {down}");
        assert!(used(&read, "memory.cpu0") < 2048.0, "{board:?}");
    }
}

fn reading(board: Board, gpus: &[&str]) -> Scenario {
    moving(board, OperationKind::Read, gpus)
}

/// A switch forwards packets from slot to slot; its uplink carries calls and replies.
#[test]
fn a_switch_keeps_what_is_between_its_slots() {
    for (operation, direction) in [(OperationKind::Write, "in"), (OperationKind::Read, "out")] {
        let beside = moving(Board::OneSwitch, operation, &["gpu"]);
        let link = format!("switch.switch.{direction}");
        assert!(used(&beside, &link) < 2048.0, "{operation}");
    }
    let through = reading(Board::OneSwitch, &[]);
    assert!(used(&through, "switch.switch.out") > MIB);
}

/// By hand: between the sockets every 64 bytes are a write, 8 bytes of command and the data, without probes.
#[test]
fn between_sockets_there_is_data_and_nothing_else() {
    let past = moving(Board::TwoSockets, OperationKind::Write, &["gpu"]);
    let bound = bind(&past).expect("a sound scenario");
    let link = &past.topology.links()[0].part;
    let sizes = link.sizes(past.topology.sockets()[0].part.line_size);
    let expected = MIB / 64.0 * link.packet_bytes(sizes.write());
    assert_close(used(&past, "link.cpu0-cpu1"), expected, 2e-3);
    let steady = SteadyState::solve(&bound).expect("a steady state");
    assert!(steady.prediction(&bound).is_ok());
}

/// A process of the server copies between its memory and a GPU, which moves the data itself. By hand: 1 MiB
/// toward memory is 8192 writes of 128 bytes with 24 of overhead; toward the GPU, as many requests of 24
/// bytes go up and completions with 20 of overhead down. Memory carries each byte once, and two GPUs have
/// half each.
#[test]
fn a_copy_crosses_the_slot_of_the_gpu_and_memory_once() {
    let copying = |operation, gpus: &[&str]| {
        let mut scenario = moving(Board::OneBridge, operation, gpus);
        scenario.workloads[0].protocol = ProtocolKind::Host;
        scenario
    };
    let back = copying(OperationKind::Write, &["gpu"]);
    assert_close(used(&back, "slot.s2.in"), 8192.0 * (128.0 + 24.0), 1e-3);
    let there = copying(OperationKind::Read, &["gpu"]);
    // Acknowledgements and credits come on top.
    let [down, up] = ["slot.s2.out", "slot.s2.in"].map(|way| used(&there, way) / 8192.0);
    assert!(
        (148.0..162.0).contains(&down) && (24.0..34.0).contains(&up),
        "{down} {up}"
    );
    assert_close(used(&there, "memory.cpu0"), MIB, 0.01);
    for copy in [&back, &there] {
        // What is written counts as much as memory carries less of it.
        let weight = used(copy, "memory.cpu0") / MIB;
        assert!((0.99..1.5).contains(&weight), "{weight}");
        assert_eq!(used(copy, "slot.s1.in"), 0.0);
        let (predicted, simulated) = both(copy);
        assert_close(operations(&simulated), operations(&predicted), 0.02);
        assert!(operations(&predicted) * MIB < 32e9);
    }
    let mut two = copying(OperationKind::Write, &["gpu", "gpu2"]);
    let mut spec = two.topology.spec().clone();
    let mut slot = spec.slots[1].clone();
    "s3".clone_into(&mut slot.id);
    spec.slots.push(slot);
    let mut card = spec.cards[1].clone();
    "gpu2".clone_into(&mut card.id);
    card.seat = Seat::Slot("s3".to_owned());
    spec.cards.push(card);
    two.topology = Topology::build(spec).expect("a sound topology");
    for slot in ["slot.s2.in", "slot.s3.in"] {
        assert_close(used(&two, slot), 4096.0 * (128.0 + 24.0), 1e-3);
    }
}

/// Writes to a pool leave the GPU once, when drives take them, and not as copies to main memory before.
#[test]
fn what_drives_take_from_a_gpu_crosses_its_slot_once() {
    let mut spec = server(Board::OneBridge);
    let drives = host();
    spec.cards
        .extend(drives.cards.into_iter().filter(|card| card.id == "sata"));
    spec.jbods = drives.jbods;
    let (clients, workload) = reads(MIB, 4);
    let workload = Workload {
        protocol: ProtocolKind::Host,
        mix: Mix::single(OperationKind::Write),
        gpus: vec!["gpu".to_owned()],
        ..workload
    };
    let mut scenario = scenario(spec, no_stack(), clients, workload);
    scenario.stack.instructions_per_operation = 1000.0;
    scenario.storage.pools = vec![Pool {
        kind: PoolKind::Stripe,
        ..Pool::new("scratch")
    }];
    let bound = bind(&scenario).expect("a sound scenario");
    let steady = SteadyState::solve(&bound).expect("a steady state");
    let slot = bound.resources.iter().position(|of| of.id == "slot.s2.in");
    let bytes = steady.resource_rates[slot.expect("it is there")] / steady.operations();
    assert!(bytes > MIB && bytes < 1.4 * MIB, "{bytes}");
}

/// Cores do no work for data that bypasses them.
#[test]
fn cores_work_on_calls_alone() {
    let cycles = |gpus: &[&str]| {
        let mut scenario = reading(Board::OneBridge, gpus);
        scenario.stack.copy_instructions_per_byte = 1.0;
        scenario.stack.zero_copy = false;
        scenario.stack.instructions_per_operation = 1000.0;
        let bound = bind(&scenario).expect("a sound scenario");
        bound.classes[0].work[0].instructions
    };
    assert_close(cycles(&["gpu"]), 1000.0, 1e-9);
    assert!(cycles(&[]) > MIB);
}

/// The simulation has the same limit: the link of the GPU at the efficiency of its packets.
#[test]
fn a_gpu_is_as_fast_as_its_link() {
    let scenario = moving(Board::OneSwitch, OperationKind::Write, &["gpu"]);
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&simulated), operations(&predicted), 0.02);
    // 16 GT/s, 16 lanes, 128b/130b; ordered sets take 0.3 %.
    let packets = 16e9 / 8.0 * 16.0 * 128.0 / 130.0 * (256.0 / 280.0);
    assert_close(operations(&predicted) * MIB, packets, 0.01);
}

#[test]
fn cards_without_memory_and_protocols_past_gpus_are_refused() {
    for name in ["net", "gpu1"] {
        let error = bind(&reading(Board::OneBridge, &[name])).expect_err("no GPU");
        assert_eq!(error.id(), "sim::unknown_gpu");
        assert_eq!(
            error
                .wrong_name()
                .map(|(name, known)| (name.to_owned(), known.len())),
            Some((name.to_owned(), 1))
        );
    }
    let mut tcp = reading(Board::OneBridge, &["gpu"]);
    tcp.workloads[0].protocol = ProtocolKind::Nfs3Tcp;
    assert_eq!(bind(&tcp).expect_err("TCP").id(), "sim::past_gpus");
}

/// A process of the server, and a GPU in place of the network card.
fn copying(board: Board, operation: OperationKind) -> Scenario {
    let mut spec = server(board);
    let gpu = GpuPart {
        copy_packet: Bytes::new(128.0),
        ..GpuPart::default()
    };
    for (card, id) in spec.cards.iter_mut().zip(["gpu", "other"]) {
        (card.id, card.part) = (id.to_owned(), gpu.clone().into());
    }
    let (clients, workload) = reads(MIB, 64);
    let workload = Workload {
        protocol: ProtocolKind::Host,
        mix: Mix::single(operation),
        gpus: vec!["gpu".to_owned()],
        peers: vec!["other".to_owned()],
        ..workload
    };
    scenario(spec, no_stack(), clients, workload)
}

/// By hand: in packets of 128 bytes with 24 of overhead, up the link of the one that sends and down that of
/// the other, and past main memory.
#[test]
fn gpus_copy_from_and_to_each_other() {
    let sent = 8192.0 * (128.0 + 24.0);
    for board in BOARDS {
        let to = copying(board, OperationKind::Write);
        assert_close(used(&to, "slot.s1.in"), sent, 1e-3);
        assert_close(used(&to, "slot.s2.out"), sent, 1e-3);
        assert_eq!(used(&to, "memory.cpu0"), 0.0);
        // Acknowledgements.
        assert!(used(&to, "slot.s1.out") < 0.1 * MIB, "{board:?}");
        let from = copying(board, OperationKind::Read);
        for way in ["slot.s2.in", "slot.s1.out"] {
            let used = used(&from, way);
            assert!((MIB..1.25 * MIB).contains(&used), "{board:?}: {used}");
        }
        let (predicted, simulated) = both(&to);
        assert_close(operations(&simulated), operations(&predicted), 0.02);
    }
}

/// What two cards exchange stays in order, on one of the links between their sockets: by hand on
/// HyperTransport 3, 64 bytes with 8 of a write or 4 of a response, and 4 of a checksum. Data in memory are
/// spread over all links.
#[test]
fn data_between_two_cards_keep_to_one_of_parallel_links() {
    for (operation, ends, each) in [
        (OperationKind::Write, "cpu0-cpu1", 64.0 + 8.0 + 4.0),
        (OperationKind::Read, "cpu1-cpu0", 64.0 + 4.0 + 4.0),
    ] {
        let copy = copying(Board::TwoSockets, operation);
        let mut spec = copy.topology.spec().clone();
        let link = spec.links[0].clone();
        spec.links.push(link);
        let topology = Topology::build(spec).expect("a sound topology");
        let two = Scenario { topology, ..copy };
        let mut loads = ["", ".b"].map(|name| used(&two, &format!("link.{ends}{name}")));
        loads.sort_by(f64::total_cmp);
        // Returns of buffers are beside them.
        assert_close(loads[1], MIB / 64.0 * each, 0.02);
        assert!(loads[0] < 0.1 * MIB, "{loads:?}");
        let (predicted, simulated) = both(&two);
        assert_close(operations(&simulated), operations(&predicted), 0.02);
        let in_memory = Scenario {
            workloads: vec![Workload {
                peers: Vec::new(),
                ..two.workloads[0].clone()
            }],
            ..two
        };
        let loads = ["", ".b"].map(|name| used(&in_memory, &format!("link.{ends}{name}")));
        // The first link has the probes as well.
        assert!(loads[1] > 0.25 * MIB && loads[1] > 0.7 * loads[0], "{loads:?}");
    }
}

/// The root complexes of a socket take turns at parallel links, in any order of their entries: two GPUs
/// behind two of them use both links for the same card.
#[test]
fn cards_of_two_root_complexes_use_two_links() {
    for far_first in [false, true] {
        let copy = copying(Board::TwoSockets, OperationKind::Write);
        let mut spec = copy.topology.spec().clone();
        for socket in &mut spec.sockets {
            socket.part.link_ports = 8;
        }
        let link = spec.links[0].clone();
        spec.links.push(link);
        let (mut bridge, mut slot, mut card) = (
            spec.bridges[0].clone(),
            spec.slots[0].clone(),
            spec.cards[0].clone(),
        );
        "io2".clone_into(&mut bridge.id);
        (slot.id, slot.bridge) = ("s3".to_owned(), bridge.id.clone());
        (card.id, card.seat) = ("gpu2".to_owned(), Seat::Slot(slot.id.clone()));
        spec.bridges.push(bridge);
        if far_first {
            spec.bridges.reverse();
        }
        spec.slots.push(slot);
        spec.cards.push(card);
        let topology = Topology::build(spec).expect("a sound topology");
        let mut two = Scenario { topology, ..copy };
        two.workloads[0].gpus = vec!["gpu".to_owned(), "gpu2".to_owned()];
        let loads = ["", ".b"].map(|name| used(&two, &format!("link.cpu0-cpu1{name}")));
        assert_close(loads[0], loads[1], 1e-3);
        assert_close(loads[0] + loads[1], MIB / 64.0 * 76.0, 0.02);
    }
}

/// By hand: a root complex that forwards 64 bytes at a time puts 24 bytes around each of them on the link of
/// the card that receives. A switch forwards packets as they come.
#[test]
fn a_root_complex_may_split_what_it_forwards() {
    for (board, packets) in [
        (Board::OneBridge, 16_384.0 * 88.0),
        (Board::OneSwitch, 8192.0 * 152.0),
    ] {
        let copy = copying(board, OperationKind::Write);
        let mut spec = copy.topology.spec().clone();
        spec.bridges[0].part.forwarded_payload = Bytes::new(64.0);
        let topology = Topology::build(spec).expect("a sound topology");
        let copy = Scenario { topology, ..copy };
        assert_close(used(&copy, "slot.s2.out"), packets, 1e-3);
        assert_close(used(&copy, "slot.s1.in"), 8192.0 * 152.0, 1e-3);
    }
}

#[test]
fn peers_need_gpus_alone() {
    let mut without = copying(Board::OneBridge, OperationKind::Write);
    without.workloads[0].gpus.clear();
    let mut itself = copying(Board::OneBridge, OperationKind::Write);
    itself.workloads[0].gpus.push("other".to_owned());
    let mut remote = moving(Board::OneBridge, OperationKind::Write, &["gpu"]);
    remote.workloads[0].peers = vec!["other".to_owned()];
    for scenario in [without, itself, remote] {
        let error = bind(&scenario).expect_err("no copies between GPUs");
        assert_eq!(error.id(), "sim::peers", "{error}");
    }
    let mut unknown = copying(Board::OneBridge, OperationKind::Write);
    unknown.workloads[0].peers = vec!["gpu1".to_owned()];
    assert_eq!(bind(&unknown).expect_err("no GPU").id(), "sim::unknown_gpu");
}
