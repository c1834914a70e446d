//! Slots behind PCI Express switches, and sizes set by slots.

use bandgraph_hardware::{PcieSlotSpec, catalogue};
use bandgraph_testkit::{Generation, seven_four_ten, swap_into_slot};
use bandgraph_topology::{ElementKind, ElementRef, NodeKind, Seat, SwitchSpec, Topology, TopologySpec};
use bandgraph_units::Bytes;

fn pcie(text: &str) -> PcieSlotSpec {
    text.parse().expect("a generation and lanes")
}

/// The 7410 with slots `s1` and `s2` behind a switch that has four lanes to `mcp55`.
fn switched() -> TopologySpec {
    let mut spec = seven_four_ten(Generation::Barcelona);
    spec.switches.push(SwitchSpec {
        id: "sw0".to_owned(),
        part: catalogue()
            .pcie_switch("pcie-switch-gen2")
            .expect("in the catalogue")
            .clone(),
        bridge: "mcp55".to_owned(),
        pcie: pcie("gen2 x4"),
    });
    for slot in &mut spec.slots[..2] {
        slot.switch = Some("sw0".to_owned());
        slot.bridge.clear();
    }
    spec
}

fn build(spec: TopologySpec) -> Topology {
    Topology::build(spec).expect("a sound topology")
}

/// The bridge is of the first generation, so that the uplink trains down to it; the slots below are
/// unaffected.
#[test]
fn a_switch_has_an_uplink_that_its_slots_share() {
    let topology = build(switched());
    let switch = &topology.switches()[0];
    assert_eq!((switch.bridge, switch.trained), (0, pcie("gen1 x4")));
    for (id, capacity) in [
        ("switch.sw0.in", 1e9),
        ("switch.sw0.out", 1e9),
        ("slot.s1.out", 2e9),
    ] {
        let resource = topology.resource(id).expect("a resource");
        assert_eq!(resource.capacity, capacity, "{id}");
    }
    let slot = topology.resource("slot.s1.out").expect("a resource");
    assert_eq!((slot.from.as_str(), slot.to.as_str()), ("sw0", "nic0"));
    assert_eq!(
        (topology.slots()[0].bridge, topology.slots()[0].switch),
        (0, Some(0))
    );
    assert_eq!(
        (topology.slots()[2].bridge, topology.slots()[2].switch),
        (0, None)
    );
    assert_eq!(topology.cards()[0].socket, 0);
}

#[test]
fn the_graph_has_the_switch_between_bridge_and_slot() {
    let topology = build(switched());
    let graph = topology.graph();
    let node = |name: &str| {
        graph
            .node_indices()
            .find(|&node| graph[node].name == name)
            .expect("a node")
    };
    assert_eq!(graph[node("sw0")].kind, NodeKind::Switch);
    assert!(graph.contains_edge(node("mcp55"), node("sw0")));
    assert!(graph.contains_edge(node("sw0"), node("s1")));
    assert!(!graph.contains_edge(node("mcp55"), node("s1")));
    assert!(topology.to_dot().contains("\"sw0\" -- \"s2\""));
}

#[test]
fn a_card_can_move_behind_a_switch() {
    let mut spec = switched();
    swap_into_slot(&mut spec, "nic1", "s2");
    let topology = build(spec);
    let card = &topology.cards()[topology.card_index("nic1").expect("a card")];
    assert_eq!(card.seated.map(|seated| seated.slot), Some(1));
    assert_eq!(topology.bridges()[card.bridge].id, "mcp55");
}

/// A switch without a bridge is one error, without errors for its slots and cards.
#[test]
fn what_hangs_on_a_lost_switch_is_not_reported_again() {
    let mut spec = switched();
    "nowhere".clone_into(&mut spec.switches[0].bridge);
    let errors = Topology::build(spec).expect_err("there is no such bridge");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].id(), "topology::unknown_bridge");
    assert_eq!(
        errors[0].element(),
        ElementRef {
            kind: ElementKind::Switch,
            index: 0,
            field: "bridge"
        }
    );
}

#[test]
fn sizes_and_widths_are_checked() {
    let mut spec = switched();
    spec.switches[0].pcie.lanes = 0;
    spec.slots[0].maximum_payload = Some(Bytes::new(64.0));
    spec.slots[1].maximum_read_request = Some(Bytes::new(f64::NAN));
    spec.cards[0].seat = Seat::Slot("s1".to_owned());
    let errors = Topology::build(spec).expect_err("three mistakes");
    let mut places: Vec<_> = errors
        .iter()
        .map(|error| (error.id(), error.element().field))
        .collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            ("topology::invalid_field", "maximum_payload"),
            ("topology::invalid_field", "maximum_read_request"),
            ("topology::invalid_lanes", "pcie"),
        ]
    );
}
