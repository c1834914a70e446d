//! Cards and the network outside the server: limits computed by hand, and published figures.

use bandgraph_hardware::{NicPart, PcieSlotSpec, catalogue};
use bandgraph_model::storage::Pool;
use bandgraph_model::{BindError, Network, Scenario, Stack};
use bandgraph_solve::{SteadyState, bind, explain, predict};
use bandgraph_topology::{CardPart, LinkSpec, Seat, SlotSpec, SwitchSpec, Topology, TopologySpec};
use bandgraph_units::{Bandwidth, Bytes, Frequency, Time};
use bandgraph_workload::{ClientProcessors, Mix, OperationKind, ProtocolKind};

use crate::common::{assert_close, both, no_stack, one_socket, operations, reads, scenario};
use crate::jobs::host;

fn rate(scenario: &Scenario) -> f64 {
    let bound = bind(scenario).expect("a sound scenario");
    operations(&predict(&bound).expect("a steady state"))
}

/// One socket with a 10GbE port; 1 MiB reads by one client whose NIC never limits.
fn fast() -> Scenario {
    let (clients, workload) = reads(1_048_576.0, 16);
    scenario(one_socket(4, 1e11, 1.25e9), no_stack(), clients, workload)
}

/// The same with the card in a gen1 x8 slot, and further changes by a test.
fn slotted(change: impl Fn(&mut NicPart), hang: impl Fn(&mut TopologySpec)) -> Scenario {
    let mut spec = one_socket(4, 1e11, 1e11);
    let mut card = catalogue()
        .nic("neptune-dual-10gbe")
        .expect("in the catalogue")
        .clone();
    card.port_rate = Bandwidth::new(1e11);
    card.descriptor_bytes = Bytes::ZERO;
    card.interrupt_interval = Time::ZERO;
    change(&mut card);
    spec.slots.push(SlotSpec {
        id: "s1".to_owned(),
        bridge: "io".to_owned(),
        ..SlotSpec::default()
    });
    spec.cards[0].part = CardPart::Nic(card);
    spec.cards[0].seat = Seat::Slot("s1".to_owned());
    hang(&mut spec);
    let (mut clients, workload) = reads(1_048_576.0, 64);
    clients.ports = vec!["net.0".to_owned()];
    scenario(spec, no_stack(), clients, workload)
}

/// Reads fill one direction of the network card of each of four clients, writes the other: neither takes from
/// the other. By hand with many threads: 10 MB/s over 0.8 of 8 KiB and what its packets and replies add.
#[test]
fn reads_and_writes_do_not_share_a_direction() {
    for (share, threads) in [(0.8, 4), (0.8, 16), (0.8, 128), (0.5, 4), (0.5, 16), (0.5, 128)] {
        let (mut clients, mut workload) = reads(8192.0, threads);
        clients.count = 4;
        clients.nics.rate = Bandwidth::new(10e6);
        workload.mix =
            Mix::new(&[(OperationKind::Read, share), (OperationKind::Write, 1.0 - share)]).expect("a mix");
        let mut scenario = scenario(host(), no_stack(), clients, workload);
        scenario.storage.pools = vec![Pool::new("data")];
        scenario.run.duration = Time::new(4.0);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), operations(&simulated), 0.03);
        if threads == 128 {
            assert_close(operations(&predicted), 4.0 * 10e6 / (share * 8192.0), 0.08);
        }
    }
}

/// RDMA writes of both sides fill both directions of a port, without a pool and almost without cores.
/// By hand, as RoCE with packets of 4096 bytes: 44 of headers, 16 once a message, and 38 of Ethernet; an
/// acknowledgement of 48 and 38 takes the other direction.
#[test]
fn rdma_writes_need_no_pool() {
    const MESSAGE: f64 = 65_536.0;
    let wire = MESSAGE + 16.0 * (44.0 + 38.0) + 16.0;
    for (mix, per_message) in [
        (Mix::single(OperationKind::Read), wire),
        (Mix::single(OperationKind::Write), wire),
        (
            Mix::new(&[(OperationKind::Read, 0.5), (OperationKind::Write, 0.5)]).expect("a mix"),
            (wire + 48.0 + 38.0) / 2.0,
        ),
    ] {
        let (clients, mut workload) = reads(MESSAGE, 64);
        workload.protocol = ProtocolKind::RdmaStream;
        workload.mix = mix;
        let mut spec = one_socket(4, 1e9, 1.25e9);
        let CardPart::Nic(card) = &mut spec.cards[0].part else {
            unreachable!("it is a network card")
        };
        card.rdma = true;
        let stack = Stack::named("rdma-verbs-2005").expect("a profile");
        let scenario = scenario(spec, stack, clients, workload);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), 1.25e9 / per_message, 0.01);
        assert_close(operations(&simulated), 1.25e9 / per_message, 0.02);
        assert!(predicted.sockets[0].busy < 0.02, "{}", predicted.sockets[0].busy);
    }
}

fn bottleneck(scenario: &Scenario) -> String {
    let bound = bind(scenario).expect("a sound scenario");
    let steady = SteadyState::solve(&bound).expect("a steady state");
    let outcome = steady.prediction(&bound).expect("a prediction");
    let explained = explain(&bound, &steady, &outcome).expect("an explanation");
    explained.bottleneck.id().to_owned()
}

/// Two sockets with a bridge and a slot each, and one card in either or in both.
fn two_hosts(seat: &Seat) -> Scenario {
    slotted(
        |_| {},
        |spec| {
            let mut socket = spec.sockets[0].clone();
            "cpu1".clone_into(&mut socket.id);
            spec.sockets.push(socket);
            let mut bridge = spec.bridges[0].clone();
            (bridge.id, bridge.uplink_to) = ("io1".to_owned(), "cpu1".to_owned());
            let part = bridge.uplink.clone().expect("a bridge with a link");
            spec.bridges.push(bridge);
            spec.links.push(LinkSpec {
                ends: ["cpu0".to_owned(), "cpu1".to_owned()],
                part,
                weight: 1.0,
            });
            spec.slots.push(SlotSpec {
                id: "s2".to_owned(),
                bridge: "io1".to_owned(),
                ..SlotSpec::default()
            });
            spec.cards[0].seat = seat.clone();
        },
    )
}

/// Buffers are spread evenly over both sockets, and each byte takes the link of its own socket: half on each.
#[test]
fn a_card_with_two_hosts_uses_both_links() {
    let one = two_hosts(&Seat::Slot("s1".to_owned()));
    let both_slots = two_hosts(&Seat::Slots(["s1".to_owned(), "s2".to_owned()]));
    assert!(bottleneck(&one).starts_with("slot.s1."), "{}", bottleneck(&one));
    let limit = bottleneck(&both_slots);
    assert!(
        limit.starts_with("slot.s1.") || limit.starts_with("slot.s2."),
        "{limit}"
    );
    assert_close(rate(&both_slots), 2.0 * rate(&one), 0.02);
    let (predicted, simulated) = both(&both_slots);
    assert_close(operations(&simulated), operations(&predicted), 0.05);
    let topology = &both_slots.topology;
    assert_eq!(topology.hosts(&topology.cards()[0]), [0, 1]);
}

/// By hand: a client with two cores of 1 GHz at 2 cycles per byte processes 1e9 B/s, 954 reads of 1 MiB per
/// second.
#[test]
fn clients_are_held_by_their_processors() {
    let mut scenario = fast();
    scenario.clients[0].processors = ClientProcessors {
        cores: 2,
        clock: Frequency::new(1e9),
        cycles_per_operation: 0.0,
        cycles_per_byte: 2.0,
        ..ClientProcessors::default()
    };
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), 1e9 / 1_048_576.0, 1e-6);
    assert_close(operations(&simulated), 1e9 / 1_048_576.0, 0.02);
    assert_eq!(bottleneck(&scenario), "client.c.cores");
    // One thread uses one core at a time: half the rate.
    scenario.workloads[0].threads_per_client = 1;
    assert_close(rate(&scenario), 0.5e9 / 1_048_576.0, 1e-3);
}

/// By hand: 10 million cycles of an operation and 10 for each of 131,072 bytes take a core of 1 GHz 11.311
/// ms. A thread does one thing at a time, on any number of cores.
#[test]
fn a_thread_uses_one_core_at_a_time() {
    for cores in [1, 2, 8] {
        let (mut clients, workload) = reads(131_072.0, 1);
        clients.processors = ClientProcessors {
            cores,
            clock: Frequency::new(1e9),
            cycles_per_operation: 1e7,
            cycles_per_byte: 10.0,
            ..ClientProcessors::default()
        };
        let scenario = scenario(one_socket(1, 1e11, 1e12), no_stack(), clients, workload);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), 1.0 / 11.310_72e-3, 1e-4);
        assert_close(operations(&simulated), 1.0 / 11.310_72e-3, 0.01);
    }
}

/// By hand: 1 million cycles before a call and after its reply take a core of 1 GHz 1 ms, beside 1 ms of the
/// wire, on any number of cores. More threads are never slower with more cores.
#[test]
fn more_cores_of_a_client_never_lower_the_rate() {
    let rates = |cores: u32, threads: u32| {
        let (mut clients, workload) = reads(131_072.0, threads);
        clients.processors = ClientProcessors {
            cores,
            clock: Frequency::new(1e9),
            cycles_per_operation: 1e6,
            ..ClientProcessors::default()
        };
        clients.nics.rate = Bandwidth::new(131_072_000.0);
        let scenario = scenario(one_socket(4, 1e11, 1e12), no_stack(), clients, workload);
        let (predicted, simulated) = both(&scenario);
        [operations(&predicted), operations(&simulated)]
    };
    for cores in [1, 2, 3, 64] {
        let [predicted, simulated] = rates(cores, 1);
        // The wire carries 0.9 % more than the payload.
        assert_close(predicted, 1.0 / 2.009e-3, 1e-3);
        assert_close(simulated, predicted, 1e-3);
    }
    for threads in [2, 4, 16] {
        let found = [1, 2, 3, 64].map(|cores| rates(cores, threads));
        for pair in found.windows(2) {
            // The simulated ones vary by chance.
            assert!(
                pair[1][0] >= pair[0][0] * (1.0 - 1e-9),
                "{threads} threads: {found:?}"
            );
            assert!(
                pair[1][1] >= pair[0][1] * (1.0 - 1e-3),
                "{threads} threads: {found:?}"
            );
        }
    }
}

/// By hand: 1 MiB costs a core of 8 at 1 GHz 2.097 ms. A reply that arrives faster waits for that core; a
/// slower one is complete when its last frame, of 118, is processed. If the card raises one interrupt for all
/// frames, the core starts after the last frame.
#[test]
fn clients_work_while_more_of_a_reply_comes() {
    let seconds = |port: f64, delay: f64| {
        let (mut clients, workload) = reads(1_048_576.0, 1);
        clients.processors = ClientProcessors {
            cores: 8,
            clock: Frequency::new(1e9),
            cycles_per_byte: 2.0,
            ..ClientProcessors::default()
        };
        clients.nics.rate = Bandwidth::new(port);
        clients.nics.interrupt_delay = Time::new(delay);
        let scenario = scenario(one_socket(1, 1e11, 1e12), no_stack(), clients, workload);
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&simulated), operations(&predicted), 1e-3);
        1.0 / operations(&predicted)
    };
    let work = 2.097_152e-3;
    assert_close(seconds(1.25e9, 0.0), work, 2e-3);
    // The wire carries 0.9 % more than the payload.
    let wire = 1_048_576.0 * 1.0089 / 0.1e9;
    assert_close(seconds(0.1e9, 0.0), wire + work / 118.0, 1e-3);
    let announced = 1.0 + wire / 0.9;
    assert_close(seconds(0.1e9, 0.9), 0.9 + wire + work / announced, 1e-4);
}

/// By hand: a read of 1 MiB is a reply of 118 frames, their 58 acknowledgements and a call. At 10,000 cycles
/// per frame, one core of 1 GHz handles the interrupts of 1e9 / 1,770,000 reads/s, for any number of other
/// cores, and two cores handle twice that.
#[test]
fn clients_are_held_by_the_cores_that_take_interrupts() {
    let mut scenario = fast();
    scenario.clients[0].processors = ClientProcessors {
        cores: 16,
        clock: Frequency::new(1e9),
        interrupt_cycles_per_packet: 10_000.0,
        ..ClientProcessors::default()
    };
    let expected = 1e9 / (10_000.0 * (118.0 + 58.0 + 1.0));
    let (predicted, simulated) = both(&scenario);
    assert_close(operations(&predicted), expected, 1e-3);
    assert_close(operations(&simulated), expected, 0.02);
    assert_eq!(bottleneck(&scenario), "client.c.interrupts");
    scenario.clients[0].nics.interrupt_cores = 2;
    assert_close(rate(&scenario), 2.0 * expected, 1e-3);
    // The number of interrupt cores is limited by the number of cores.
    scenario.clients[0].processors.cores = 1;
    assert_close(rate(&scenario), expected, 1e-3);
}

/// Bytes on the wire of a read of 1 MiB: 1,048,708 bytes of reply in 117 full frames of 9038 bytes and one of
/// 1,048,708 − 117 · 8960 + 78, a call of one frame, and 58 acknowledgements of 84.
const BOTH_WAYS: f64 = 117.0 * 9038.0 + (1_048_708.0 - 117.0 * 8960.0 + 78.0) + 140.0 + 78.0 + 58.0 * 84.0;

/// Reads fill one direction of the card of a lone client, writes the other: two queues, whichever number of
/// operations fills each.
#[test]
fn few_operations_of_a_lone_client_meet_in_each_direction() {
    for (latency, threads) in [(0.0, 2), (0.0, 8), (3e-3, 4), (3e-3, 16)] {
        let mut scenario = fast();
        scenario.clients[0].nics.rate = Bandwidth::new(1e9);
        scenario.run.network_latency = Time::new(latency);
        scenario.run.duration = Time::new(5.0);
        let workload = &mut scenario.workloads[0];
        workload.protocol = ProtocolKind::TcpStream;
        workload.threads_per_client = threads;
        workload.mix = Mix::new(&[(OperationKind::Read, 0.5), (OperationKind::Write, 0.5)]).expect("a mix");
        let (predicted, simulated) = both(&scenario);
        assert_close(operations(&predicted), operations(&simulated), 0.02);
    }
}

/// A NIC of a client whose directions share 1 GB/s.
#[test]
fn directions_of_a_client_can_share() {
    let mut scenario = fast();
    scenario.clients[0].nics.duplex_rate = Bandwidth::new(1e9);
    assert_close(rate(&scenario), 1e9 / BOTH_WAYS, 1e-6);
    assert_eq!(bottleneck(&scenario), "client.c.both");
}

/// A port whose directions share 1 GB/s.
#[test]
fn directions_of_a_port_can_share() {
    let mut scenario = fast();
    let mut spec = scenario.topology.spec().clone();
    let CardPart::Nic(nic) = &mut spec.cards[0].part else {
        unreachable!("the card is a NIC");
    };
    nic.duplex_rate = Bandwidth::new(1e9);
    scenario.topology = Topology::build(spec).expect("sound");
    assert_close(rate(&scenario), 1e9 / BOTH_WAYS, 1e-6);
    assert_eq!(bottleneck(&scenario), "port.net.0.both");
}

/// A switch with a backplane of 500 MB/s, and one with server ports of 250 MB/s.
#[test]
fn switches_limit_what_passes() {
    let mut scenario = fast();
    let mut part = catalogue()
        .network_switch("switch-24x10gbe")
        .expect("in the catalogue")
        .clone();
    part.port_rate = Bandwidth::new(1e12);
    part.backplane = Bandwidth::new(5e8);
    scenario.networks = vec![Network {
        id: "sw".to_owned(),
        part: part.clone(),
    }];
    let free = rate(&scenario);
    scenario.clients[0].network = Some("sw".to_owned());
    assert_eq!(bottleneck(&scenario), "network.sw.backplane");
    let passed = rate(&scenario);
    assert!(passed < free);
    scenario.networks[0].part.backplane = Bandwidth::new(1e9);
    assert_close(rate(&scenario), 2.0 * passed, 1e-6);
    scenario.networks[0].part.backplane = Bandwidth::ZERO;
    scenario.networks[0].part.uplinks = 1;
    scenario.networks[0].part.uplink_rate = Bandwidth::new(2.5e8);
    assert_eq!(bottleneck(&scenario), "network.sw.net.0.out");
    assert_close(rate(&scenario), free / 5.0, 1e-6);
}

#[test]
fn switches_have_so_many_ports() {
    let mut scenario = fast();
    let part = catalogue()
        .network_switch("switch-24x10gbe")
        .expect("in the catalogue");
    scenario.networks = vec![Network {
        id: "sw".to_owned(),
        part: part.clone(),
    }];
    scenario.clients[0].network = Some("sw".to_owned());
    scenario.clients[0].count = 23;
    assert!(bind(&scenario).is_ok());
    // The server occupies one of the 24 ports.
    scenario.clients[0].count = 24;
    let error = bind(&scenario).expect_err("too many");
    assert_eq!(error.id(), "sim::switch_ports");
    scenario.clients[0].network = Some("other".to_owned());
    let error = bind(&scenario).expect_err("not there");
    assert_eq!(error.id(), "sim::unknown_network");
}

#[test]
fn a_protocol_needs_ports_that_speak_its_network() {
    let mut scenario = fast();
    scenario.workloads[0].protocol = ProtocolKind::Nfs3Rdma;
    let error = bind(&scenario).expect_err("an Ethernet port");
    assert!(matches!(error, BindError::WrongMedium { .. }), "{error}");
    assert_eq!(error.id(), "sim::wrong_medium");
}

/// With one outstanding read of 512 bytes, a card reads 512 bytes per round trip: 500 ns through the bridge,
/// the memory of this socket, and 338.5 ns on the link (the case of the tests of `hardware`).
#[test]
fn cards_are_held_by_their_reads_under_way() {
    let scenario = slotted(|card| card.outstanding_reads = 1, |_| ());
    let memory = scenario.topology.sockets()[0].part.local_latency.get();
    // 117 frames of 9014 bytes are 18 requests each; the last, of 1,048,708 − 117 · 8960 + 54 = 442 bytes, is
    // one.
    let requests = 117.0 * 18.0 + 1.0;
    assert_close(rate(&scenario), 1.0 / (requests * (838.5e-9 + memory)), 1e-3);
    assert_eq!(bottleneck(&scenario), "slot.s1.reads");
    let more = slotted(|card| card.outstanding_reads = 2, |_| ());
    assert_close(rate(&more), 2.0 * rate(&scenario), 1e-6);
}

/// Four lanes above a switch carry half the rate of the eight lanes below it.
#[test]
fn slots_behind_a_switch_share_its_uplink() {
    let wide = |card: &mut NicPart| card.outstanding_reads = 256;
    let direct = slotted(wide, |_| ());
    let behind = |lanes: &str| {
        let pcie: PcieSlotSpec = lanes.parse().expect("a link");
        slotted(wide, move |spec| {
            spec.switches.push(SwitchSpec {
                id: "sw0".to_owned(),
                part: catalogue()
                    .pcie_switch("pcie-switch-gen1")
                    .expect("in the catalogue")
                    .clone(),
                bridge: "io".to_owned(),
                pcie,
            });
            spec.slots[0].switch = Some("sw0".to_owned());
        })
    };
    assert_close(rate(&behind("gen1 x8")), rate(&direct), 1e-6);
    assert_close(rate(&behind("gen1 x4")), rate(&direct) / 2.0, 1e-6);
    assert_eq!(bottleneck(&behind("gen1 x4")), "switch.sw0.out");
}

/// A slot whose firmware limits reads to 128 bytes sends four times the requests, and is not faster.
#[test]
fn a_slot_can_set_sizes() {
    let usual = slotted(|_| (), |_| ());
    let small = slotted(
        |_| (),
        |spec| spec.slots[0].maximum_read_request = Some(Bytes::new(128.0)),
    );
    let inbound = |scenario: &Scenario| {
        let bound = bind(scenario).expect("sound");
        let outcome = predict(&bound).expect("a steady state");
        let slot = outcome
            .resources
            .iter()
            .find(|resource| resource.id == "slot.s1.in");
        slot.map_or(0.0, |slot| slot.rate) / operations(&outcome)
    };
    assert!(inbound(&small) > 1.5 * inbound(&usual));
    assert!(rate(&small) <= rate(&usual) * (1.0 + 1e-9));
}
