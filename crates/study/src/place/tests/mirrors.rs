//! Mirror images of placements count once, and nothing else does.

use bandgraph_topology::SlotSpec;

use super::*;

/// A board with two equal sockets, one bridge on each with two equal slots, and cards of a 7410.
fn two_sockets(cards: &[&str]) -> TopologySpec {
    let mut spec = seven_four_ten(Generation::Istanbul);
    spec.sockets.truncate(2);
    spec.links
        .retain(|link| link.ends.iter().all(|end| end == "cpu0" || end == "cpu1"));
    spec.routes.clear();
    let template = spec.slots[0].clone();
    let slot = |number: usize, bridge: &str| SlotSpec {
        id: format!("s{number}"),
        bridge: bridge.to_owned(),
        ..template.clone()
    };
    spec.slots = vec![
        slot(1, "mcp55"),
        slot(2, "mcp55"),
        slot(3, "io55"),
        slot(4, "io55"),
    ];
    spec.cards.retain(|card| cards.contains(&card.id.as_str()));
    spec.jbods.retain(|jbod| cards.contains(&jbod.hba.as_str()));
    for (card, slot) in spec.cards.iter_mut().zip(1..) {
        card.seat = Seat::Slot(format!("s{slot}"));
    }
    spec
}

fn model(scenario: Scenario, rules: &SlotRules) -> Model {
    Model::new(&one(scenario), Objective::Network, rules).expect("a model")
}

fn counted(scenario: Scenario, rules: &SlotRules) -> usize {
    let model = model(scenario, rules);
    model.symmetry.all(&model.seats, 1000).expect("few").len()
}

fn pair(a: &str, b: &str) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

/// Two equal cards on two equal bridges of two slots: together, or apart.
#[test]
fn two_cards_are_together_or_apart() {
    let scenario = scenario(two_sockets(&["nic0", "nic1"]), 10, 4, false);
    let placements = place(&one(scenario.clone()), &told_all()).expect("a ranking");
    assert_eq!(placements.different, Some(2));
    assert_eq!(
        placements.mirrors,
        [[pair("cpu0", "cpu1"), pair("mcp55", "io55")]]
    );
    let bridges: Vec<bool> = placements
        .placements
        .iter()
        .map(|placement| {
            let on_first = placement
                .cards
                .iter()
                .filter(|card| ["s1", "s2"].contains(&card.slot.as_str()));
            on_first.count() == 1
        })
        .collect();
    assert!(bridges.contains(&true) && bridges.contains(&false), "{bridges:?}");
    assert_eq!(counted(scenario, &SlotRules::default()), 2);
}

/// A card that is alone, and two that are alike: the lone one on either bridge is a mirror image, the two others are both
/// with it (which three in two slots do not allow), one with it, or none.
#[test]
fn three_cards_on_two_bridges_have_two_placements() {
    let mut spec = two_sockets(&["nic0", "hba0", "hba1"]);
    spec.jbods.truncate(4);
    for (at, jbod) in spec.jbods.iter_mut().enumerate() {
        jbod.hba = format!("hba{}", at % 2);
        jbod.port = at as u32 / 2;
    }
    assert_eq!(counted(scenario(spec, 10, 4, true), &SlotRules::default()), 2);
}

/// Cards that stay where they are take each other's places too, with the clients at their ports.
#[test]
fn cards_that_are_kept_are_exchanged_with_their_bridges() {
    let mut spec = seven_four_ten(Generation::Istanbul);
    let rules = SlotRules {
        keep: vec!["nic0".to_owned(), "nic1".to_owned()],
        ..SlotRules::default()
    };
    // One network card on each bridge. Of the adapters, two alike and one other: one or two on the first bridge, with or
    // without the other, are four; two pairs of images.
    let found = model(scenario(spec.clone(), 10, 4, true), &rules);
    assert_eq!(found.symmetry.all(&found.seats, 100).expect("few").len(), 2);
    assert!(found.symmetry.mirrors.exchanged[0].contains(&pair("nic0", "nic1")));
    // A client group that uses one of them alone tells the bridges apart.
    let mut named = scenario(spec.clone(), 10, 4, true);
    named.clients[0].ports = vec!["nic0.0".to_owned(), "nic0.1".to_owned(), "nic1.0".to_owned()];
    assert_eq!(counted(named, &rules), 4);
    // So does a card that stays on one bridge and has no counterpart.
    spec.cards.retain(|card| card.id != "nic1");
    let rules = SlotRules {
        keep: vec!["nic0".to_owned()],
        ..SlotRules::default()
    };
    assert!(
        model(scenario(spec, 10, 4, true), &rules)
            .symmetry
            .mirrors
            .images
            .is_empty()
    );
}

/// Ports on the board of one side matter if somebody uses them.
#[test]
fn a_card_that_nobody_uses_tells_nothing_apart() {
    let spec = bandgraph_testkit::seven_four_ten_onboard(Generation::Istanbul);
    // As many client ports on each of the six.
    let used = scenario(spec.clone(), 12, 4, true);
    assert_eq!(counted(used, &SlotRules::default()), 10);
    let mut unused = scenario(spec, 12, 4, true);
    let ports = ["nic0.0", "nic0.1", "nic1.0", "nic1.1"];
    unused.clients[0].ports = ports.map(str::to_owned).to_vec();
    assert_eq!(counted(unused, &SlotRules::default()), 5);
}

/// The ways in which a server can be lopsided, one at a time.
const BREAKS: usize = 9;

fn lopsided(scenario: &mut Scenario, how: usize) {
    let mut spec = scenario.topology.spec().clone();
    let sockets = spec.sockets.len();
    let uneven = |first: f64| -> Vec<f64> {
        let others = std::iter::repeat_n(1.0, sockets - 1);
        [first].into_iter().chain(others).collect()
    };
    match how {
        0 => scenario.stack.thread_shares = uneven(2.0),
        1 => scenario.stack.home_shares = uneven(3.0),
        2 => {
            scenario.stack.interrupt_shares = uneven(0.0);
            scenario.stack.interrupt_work = 0.3;
        }
        3 => spec.sockets[1].memory.channels = 1,
        4 => spec.sockets[1].part.clock = spec.sockets[1].part.clock * 0.5,
        5 => spec.bridges[1].part.maximum_read_request = Bytes::new(128.0),
        6 => spec.bridges[1].uplink.clock = spec.bridges[1].uplink.clock * 0.5,
        7 => spec.slots[0].pcie.lanes = 4,
        8 => spec.sockets[1].part.probe_latency = spec.sockets[1].part.probe_latency * 3.0,
        _ => {}
    }
    for slot in &mut spec.slots {
        slot.connector_lanes = Some(8);
    }
    scenario.topology = Topology::build(spec).expect("sound");
}

/// Whatever tells one side from the other keeps images apart.
#[test]
fn nothing_lopsided_is_folded() {
    for how in 0..BREAKS {
        let mut scenario = scenario(two_sockets(&["nic0", "nic1"]), 10, 4, false);
        lopsided(&mut scenario, how);
        let found = model(scenario, &SlotRules::default());
        assert!(found.symmetry.mirrors.images.is_empty(), "{how}");
    }
}

/// Routes count: where both diagonals of the square go by way of the socket of one bridge, images are told apart.
#[test]
fn routes_tell_images_apart() {
    let square = seven_four_ten(Generation::Istanbul);
    let folded = model(scenario(square.clone(), 10, 4, true), &SlotRules::default());
    assert_eq!(folded.symmetry.mirrors.images.len(), 1);
    let mut lopsided = square;
    let pairs = [
        ("cpu0", "cpu3"),
        ("cpu3", "cpu0"),
        ("cpu1", "cpu2"),
        ("cpu2", "cpu1"),
    ];
    let via = |from: &str| {
        if from == "cpu0" || from == "cpu3" {
            "cpu2"
        } else {
            "cpu0"
        }
    };
    lopsided.routes = pairs
        .iter()
        .map(|&(from, to)| bandgraph_topology::RouteSpec {
            from: from.to_owned(),
            to: to.to_owned(),
            via: vec![via(from).to_owned()],
        })
        .collect();
    let found = model(scenario(lopsided, 10, 4, true), &SlotRules::default());
    assert!(found.symmetry.mirrors.images.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Every way to place the cards comes to what is predicted of the placement that stands for it, whatever is folded.
    #[test]
    fn what_is_folded_predicts_the_same(
        (generation, square) in (prop::sample::select(Generation::ALL.to_vec()), any::<bool>()),
        cards in prop::sample::subsequence(vec!["nic0", "nic1", "hba0", "hba1"], 2..=3),
        how in 0..2 * BREAKS,
        (clients, threads) in (1_u32..=9, 1_u32..=12),
        disks in any::<bool>(),
        named in any::<bool>(),
    ) {
        let spec = if square {
            let mut spec = seven_four_ten(generation);
            spec.slots.retain(|slot| !["s3", "s6"].contains(&slot.id.as_str()));
            spec.cards.retain(|card| cards.contains(&card.id.as_str()) || card.id == "nic0");
            spec.jbods.retain(|jbod| cards.contains(&jbod.hba.as_str()));
            spec
        } else {
            let cards: Vec<&str> = cards.iter().copied().chain(["nic0"]).collect();
            two_sockets(&cards)
        };
        let disks = disks && !spec.jbods.is_empty();
        let mut scenario = scenario(spec, clients, threads, disks);
        if named {
            scenario.clients[0].ports = vec!["nic0.0".to_owned()];
        }
        lopsided(&mut scenario, how);
        let ways = every_way(scenario.topology.spec());
        let model = model(scenario, &SlotRules::default());
        let class_of = |slot: usize| {
            let mut classes = model.seats.classes.iter();
            classes.position(|class| class.slots.contains(&slot)).expect("a class of slots")
        };
        let mut scratch = Scratch::default();
        for way in ways {
            let classes: Vec<usize> = way.iter().map(|&slot| class_of(slot)).collect();
            let scenario = model.scenarios(&way).expect("a sound placement").remove(0);
            let bound = bandgraph_solve::bind(&scenario).expect("sound");
            let outcome = bandgraph_solve::predict(&bound).expect("a steady state");
            let score = model.score_of(&outcome.totals());
            let folded = model.predicted(&model.symmetry.canonical(&classes), &mut scratch);
            let folded = folded.expect("a steady state");
            prop_assert!((score - folded).abs() <= 1e-7, "{way:?}: {score} and {folded}");
        }
    }
}
