//! The Sun Storage 7410: its resources, routes and picture, compared with published figures and counts by
//! hand.

use bandgraph_hardware::{Card, DrivePart};
use bandgraph_testkit::{Generation, seven_four_ten, seven_four_ten_onboard, seven_four_ten_topology};
use bandgraph_topology::{CardPart, NodeKind, ResourceKind, SecondPath, Topology, TopologySpec, Unit};

/// The ids of the resources that a route or tree uses.
fn ids(topology: &Topology, shares: &[(bandgraph_topology::ResourceId, f64)]) -> Vec<String> {
    shares
        .iter()
        .map(|(resource, _)| topology[*resource].id.clone())
        .collect()
}

#[test]
fn resources_come_in_the_documented_order() {
    let topology = seven_four_ten_topology(Generation::Barcelona);
    let ids: Vec<&str> = topology
        .resources()
        .iter()
        .map(|resource| resource.id.as_str())
        .collect();
    let expected = [
        "link.cpu0-cpu1",
        "link.cpu1-cpu0",
        "link.cpu0-cpu2",
        "link.cpu2-cpu0",
        "link.cpu1-cpu3",
        "link.cpu3-cpu1",
        "link.cpu2-cpu3",
        "link.cpu3-cpu2",
        "memory.cpu0",
        "memory.cpu1",
        "memory.cpu2",
        "memory.cpu3",
        "cpu.cpu0",
        "cpu.cpu1",
        "cpu.cpu2",
        "cpu.cpu3",
        "bridge.mcp55.in",
        "bridge.mcp55.out",
        "bridge.io55.in",
        "bridge.io55.out",
        "slot.s1.in",
        "slot.s1.out",
        "slot.s2.in",
        "slot.s2.out",
        "slot.s4.in",
        "slot.s4.out",
        "slot.s5.in",
        "slot.s5.out",
        "slot.s6.in",
        "slot.s6.out",
        "port.nic0.0.in",
        "port.nic0.0.out",
        "port.nic0.1.in",
        "port.nic0.1.out",
        "port.nic1.0.in",
        "port.nic1.0.out",
        "port.nic1.1.in",
        "port.nic1.1.out",
        "sas.hba0.0.in",
        "sas.hba0.0.out",
        "sas.hba0.1.in",
        "sas.hba0.1.out",
        "sas.hba1.0.in",
        "sas.hba1.0.out",
        "sas.hba1.1.in",
        "sas.hba1.1.out",
        "sas.hba2.0.in",
        "sas.hba2.0.out",
        "sas.hba2.1.in",
        "sas.hba2.1.out",
    ];
    assert_eq!(ids[..expected.len()], expected);
    let disks = &ids[expected.len()..];
    assert_eq!(disks.len(), 192);
    assert_eq!(
        (disks[0], disks[24], disks[191]),
        ("disk.j0.0", "disk.j1.0", "disk.j7.23")
    );
    let mut kinds: Vec<_> = topology
        .resources()
        .iter()
        .map(|resource| resource.kind)
        .collect();
    kinds.dedup();
    assert_eq!(kinds, ResourceKind::ALL[..8]);
}

#[test]
fn capacities_are_the_published_ones() {
    let capacity = |topology: &Topology, id: &str| topology.resource(id).expect("the 7410 has it").capacity;
    let barcelona = seven_four_ten_topology(Generation::Barcelona);
    let istanbul = seven_four_ten_topology(Generation::Istanbul);
    for (topology, id, published) in [
        (&barcelona, "link.cpu0-cpu1", 4.0e9),
        (&istanbul, "link.cpu0-cpu1", 8.8e9),
        (&barcelona, "bridge.mcp55.out", 4.0e9),
        (&istanbul, "bridge.io55.in", 4.0e9),
        (&barcelona, "slot.s1.out", 2.0e9),
        (&barcelona, "port.nic0.1.in", 1.25e9),
        (&barcelona, "sas.hba0.0.in", 1.2e9),
        (&barcelona, "cpu.cpu0", 4.0 * 2.3e9),
        (&istanbul, "cpu.cpu3", 6.0 * 2.6e9),
        (&barcelona, "memory.cpu0", 2.0 * 16.0e9 / 3.0),
        (&istanbul, "memory.cpu0", 2.0 * 6.4e9),
        (&istanbul, "disk.j7.23", 105e6),
    ] {
        let found = capacity(topology, id);
        assert!((found / published - 1.0).abs() < 1e-3, "{id}: {found}");
    }
    let link = barcelona.resource("link.cpu1-cpu0").expect("the 7410 has it");
    assert_eq!((link.from.as_str(), link.to.as_str()), ("cpu1", "cpu0"));
    assert_eq!(link.unit, Unit::BytesPerSecond);
    assert!((link.ceiling - 0.87).abs() < 1e-12 && (link.usable() - 3.48e9).abs() < 1.0);
    let slot = barcelona.resource("slot.s1.in").expect("the 7410 has it");
    assert_eq!((slot.from.as_str(), slot.to.as_str()), ("nic0", "mcp55"));
    assert_eq!(
        barcelona.resource("cpu.cpu0").map(|cpu| cpu.unit),
        Some(Unit::CyclesPerSecond)
    );
    assert_eq!(
        barcelona.resource("slot.s3.out"),
        None,
        "an empty slot has no resources"
    );
    // Four 10GbE ports: 4.64 GiB/s, as published at the launch.
    let ports: f64 = barcelona
        .ports()
        .iter()
        .map(|port| barcelona[port.outbound].capacity)
        .sum();
    assert!((ports / 1_073_741_824.0 - 4.64).abs() < 0.02);
}

#[test]
fn routes_are_those_of_the_counters() {
    let topology = seven_four_ten_topology(Generation::Barcelona);
    assert_eq!(topology.path(0, 3), [0, 2, 3]);
    assert_eq!(topology.path(3, 0), [3, 1, 0]);
    assert_eq!(
        ids(&topology, topology.route(1, 2)),
        ["link.cpu1-cpu3", "link.cpu3-cpu2"]
    );
    assert_eq!(
        ids(&topology, topology.route(2, 1)),
        ["link.cpu2-cpu0", "link.cpu0-cpu1"]
    );
    assert_eq!(ids(&topology, topology.route(0, 1)), ["link.cpu0-cpu1"]);
    assert!(topology.route(2, 2).is_empty());
    assert_eq!(
        (topology.hops(0, 0), topology.hops(0, 1), topology.hops(0, 3)),
        (0, 1, 2)
    );
    assert_eq!(
        ids(&topology, topology.broadcast_tree(0)),
        ["link.cpu0-cpu1", "link.cpu0-cpu2", "link.cpu2-cpu3"]
    );
    assert_eq!(topology.broadcast_hops(1), [[1, 0], [1, 3], [3, 2]]);
    // The eight routes of two hops are evenly spread: every directed link is on one direct route and two long
    // ones.
    let mut used = vec![0; topology.resources().len()];
    for from in 0..4 {
        for to in 0..4 {
            for (resource, _) in topology.route(from, to) {
                used[resource.index()] += 1;
            }
        }
    }
    assert_eq!(used[..8], [2; 8]);
}

#[test]
fn parallel_links_share() {
    let topology = seven_four_ten_topology(Generation::Istanbul);
    assert_eq!(topology.links()[4].id, "cpu2-cpu3.b");
    let both = topology.hop_links(2, 3);
    assert_eq!(ids(&topology, both), ["link.cpu2-cpu3", "link.cpu2-cpu3.b"]);
    assert_eq!(
        both.iter().map(|(_, share)| *share).collect::<Vec<_>>(),
        [0.5, 0.5]
    );
    assert_eq!(
        ids(&topology, topology.route(0, 3)),
        ["link.cpu0-cpu2", "link.cpu2-cpu3", "link.cpu2-cpu3.b"]
    );
    assert!(topology.hop_links(0, 3).is_empty());
    // A second link of half the width carries a third of the traffic.
    let mut spec = seven_four_ten(Generation::Istanbul);
    spec.links[4].part.width_bits = 8;
    let uneven = Topology::build(spec).expect("links need not be alike");
    let shares: Vec<f64> = uneven.hop_links(3, 2).iter().map(|(_, share)| *share).collect();
    assert!((shares[0] - 2.0 / 3.0).abs() < 1e-12 && (shares[1] - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn elements_know_what_they_hang_on() {
    let topology =
        Topology::build(seven_four_ten_onboard(Generation::Istanbul)).expect("the fixture is valid");
    let nic1 = &topology.cards()[topology.card_index("nic1").expect("a card")];
    assert_eq!((nic1.bridge, nic1.socket), (1, 1));
    let seated = nic1.seated.expect("it is in a slot");
    assert_eq!(topology.slots()[seated.slot].id, "s4");
    assert_eq!(topology.slots()[seated.slot].card, topology.card_index("nic1"));
    assert_eq!(seated.trained.to_string(), "gen1 x8");
    assert_eq!(topology[seated.outbound].id, "slot.s4.out");
    let names: Vec<_> = topology.ports()[nic1.ports.clone()]
        .iter()
        .map(|port| port.id.as_str())
        .collect();
    assert_eq!(names, ["nic1.0", "nic1.1"]);
    let onboard = &topology.cards()[topology.card_index("onboard1").expect("a card")];
    assert_eq!((onboard.seated, onboard.socket), (None, 0));
    assert_eq!(topology.port_index("onboard1.0"), Some(5));
    assert_eq!(
        topology.resource("port.onboard0.0.out").map(|port| port.capacity),
        Some(125e6)
    );
    // Eight enclosures on six ports: the seventh is chained after the first.
    assert_eq!(topology.sas_ports().len(), 6);
    assert_eq!(topology.sas_ports()[0].jbods, [0, 6]);
    assert!(topology.jbods()[6].sas_ports().eq([0]));
    assert_eq!(topology.jbods()[6].disks.len(), 24);
    assert_eq!(topology.bridge_index("io55"), Some(1));
    assert_eq!(topology.slot_index("s9"), None);
}

#[test]
fn an_enclosure_with_two_paths_is_on_both_ports() {
    let mut spec = seven_four_ten(Generation::Barcelona);
    spec.jbods.truncate(2);
    spec.jbods[0].second_path = Some(SecondPath {
        hba: Some("hba2".to_owned()),
        port: 1,
    });
    let topology = Topology::build(spec.clone()).expect("a j4400 takes two paths");
    let ids = |jbod: usize| -> Vec<&str> {
        let ports = topology.jbods()[jbod].sas_ports();
        ports.map(|port| &*topology.sas_ports()[port].id).collect()
    };
    assert_eq!((ids(0), ids(1)), (vec!["hba0.0", "hba2.1"], vec!["hba1.0"]));
    let [first, other, second] = topology.sas_ports() else {
        panic!("three ports in use");
    };
    assert_eq!(
        [&first.jbods[..], &other.jbods, &second.jbods],
        [&[0][..], &[1], &[0]]
    );
    // The order of the paths is that of the file, independent of that of the adapters.
    spec.jbods[0].hba = "hba2".to_owned();
    spec.jbods[0].second_path = Some(SecondPath {
        hba: Some("hba0".to_owned()),
        port: 0,
    });
    let topology = Topology::build(spec).expect("a j4400 takes two paths");
    assert!(topology.jbods()[0].sas_ports().eq([2, 0]));
}

/// By hand: a lane of 3 Gbit/s carries 300 MB/s, 8192 of 8208 bytes of them data; and the drive has one lane
/// by each path, although each port has four.
#[test]
fn a_drive_moves_no_more_than_its_lanes() {
    let mut spec = seven_four_ten(Generation::Barcelona);
    spec.jbods.truncate(1);
    let ssd = bandgraph_hardware::catalogue().ssd("samsung-pm1643a-3tb84");
    spec.jbods[0].disk = ssd.expect("in the catalogue").clone().into();
    let rates = |spec: &TopologySpec| {
        let topology = Topology::build(spec.clone()).expect("a drive fits a bay");
        let jbod = &topology.jbods()[0];
        [jbod.disk.fastest_rate().get(), topology[jbod.disks[0]].capacity]
    };
    let lane = 300e6 * 8192.0 / 8208.0;
    assert_eq!(rates(&spec), [lane; 2]);
    spec.jbods[0].second_path = Some(SecondPath {
        hba: Some("hba2".to_owned()),
        port: 1,
    });
    assert_eq!(rates(&spec), [2.0 * lane; 2]);
    // A port of NVMe has all its lanes for one drive.
    spec.jbods[0].second_path = None;
    for card in &mut spec.cards {
        if let CardPart::Hba(adapter) = &mut card.part {
            "NVMe".clone_into(&mut adapter.technology);
        }
    }
    let nvme = bandgraph_hardware::catalogue().nvme("nvme-gen4");
    let nvme = nvme.and_then(Card::drive).expect("in the catalogue");
    if let DrivePart::Ssd(ssd) = &mut spec.jbods[0].disk {
        ssd.interface = nvme.interface();
    }
    assert_eq!(rates(&spec), [1.2e9; 2]);
    // A disk is slower.
    let disk = seven_four_ten(Generation::Barcelona).jbods.remove(0).disk;
    spec.jbods[0].disk = disk.clone();
    assert_eq!(rates(&spec), [disk.fastest_rate().get(); 2]);
}

#[test]
fn links_train_down_to_the_least() {
    let mut spec = seven_four_ten(Generation::Barcelona);
    spec.slots[0].pcie.lanes = 4;
    spec.slots[0].connector_lanes = Some(8);
    let topology = Topology::build(spec.clone()).expect("a x8 card fits a x8 connector with x4 behind it");
    assert_eq!(
        topology.resource("slot.s1.out").map(|slot| slot.capacity),
        Some(1e9)
    );
    // A faster slot gains nothing from a gen1 bridge and card.
    let fast = "gen3 x16".parse().expect("a link");
    spec.slots[0].pcie = fast;
    spec.slots[0].connector_lanes = None;
    let topology = Topology::build(spec).expect("a x8 card fits a x16 slot");
    assert_eq!(
        topology.resource("slot.s1.out").map(|slot| slot.capacity),
        Some(2e9)
    );
}

#[test]
fn dot_shows_every_element_and_capacity() {
    let topology =
        Topology::build(seven_four_ten_onboard(Generation::Istanbul)).expect("the fixture is valid");
    let dot = topology.to_dot();
    assert_eq!(dot, topology.clone().to_dot());
    assert!(dot.starts_with("graph topology {\n  label=\"Sun Storage 7410 (Istanbul)\";\n"));
    assert!(dot.ends_with("}\n"));
    let count = |text: &str| dot.lines().filter(|line| line.contains(text)).count();
    assert_eq!(
        count("\"cpu2\" -- \"cpu3\" [label=\"8.8 GB/s\"]"),
        2,
        "parallel links are edges of their own"
    );
    assert_eq!(count("\"cpu0\" -- \"mcp55\" [label=\"4 GB/s\"]"), 1);
    assert_eq!(count("\"mcp55\" -- \"s1\" [label=\"2 GB/s\"]"), 1);
    assert_eq!(
        count("\"mcp55\" -- \"s3\" [style=dotted]"),
        1,
        "nothing is in the slot"
    );
    assert_eq!(count("\"hba0\" -- \"j0\" [label=\"1.2 GB/s\"]"), 1);
    assert_eq!(count("\"j0\" -- \"j6\" [label=\"1.2 GB/s\"]"), 1);
    assert_eq!(count("\"cpu0\" -- \"memory.cpu0\" [label=\"12.8 GB/s\"]"), 1);
    assert_eq!(count("[shape="), topology.graph().node_count());
    assert_eq!(count(" -- "), topology.graph().edge_count());
    let sockets = topology
        .graph()
        .node_weights()
        .filter(|node| node.kind == NodeKind::Socket)
        .count();
    assert_eq!(sockets, 4);
}

#[test]
fn the_parts_are_kept() {
    let topology = seven_four_ten_topology(Generation::Istanbul);
    assert_eq!(topology.name(), "Sun Storage 7410 (Istanbul)");
    assert_eq!(topology.spec(), &seven_four_ten(Generation::Istanbul));
    assert_eq!(topology.sockets()[0].memory.size.binary(), "64 GiB");
    assert!(matches!(&topology.cards()[2].part, CardPart::Hba(hba) if hba.ports == 2));
}
