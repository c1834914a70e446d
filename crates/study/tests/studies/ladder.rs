//! Ladders compared with limits worked out by hand, and on the 7410.

use crate::support::{chain, limits_by_hand, seven_four_ten};
use bandgraph_model::Scenario;
use bandgraph_solve::LimitKind;
use bandgraph_study::{Climb, Ladder, LadderEnd, Step, climb};
use bandgraph_testkit::Generation;
use bandgraph_topology::{ResourceKind, Seat, SlotSpec, Topology};
use bandgraph_units::Bandwidth;

const TOLERANCE: f64 = 1e-6;

fn close(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < TOLERANCE
}

fn ladder(scenario: &Scenario, how: Climb) -> Ladder {
    climb(scenario, how, 0, &|_| ()).expect("a steady state on every rung")
}

fn kinds(ladder: &Ladder) -> Vec<&'static str> {
    ladder.rungs.iter().map(|rung| rung.limit.kind.as_str()).collect()
}

/// A slot of 250 MB/s, a port of 500 MB/s, and a client of 800 MB/s: they limit in this order, each at the
/// rate at which it alone is full, and the ladder ends at the client.
#[test]
fn relieving_one_limit_gives_exactly_the_next() {
    let scenario = chain("gen1 x1", Bandwidth::new(500e6), Bandwidth::new(800e6));
    let by_hand = limits_by_hand(&scenario);
    let ladder = ladder(&scenario, Climb::Unlimited);
    assert_eq!(kinds(&ladder), ["pcie", "ethernet", "client"]);
    assert_eq!(ladder.end, LadderEnd::Clients);
    for (rung, (id, operations)) in ladder.rungs.iter().zip(&by_hand) {
        assert_eq!(rung.limit.id(), id);
        assert!(
            close(rung.throughput.operations.get(), *operations),
            "{id}: {} and not {operations}",
            rung.throughput.operations.get()
        );
    }
    let gain = by_hand[1].1 / by_hand[0].1 - 1.0;
    assert!(close(ladder.rungs[1].gain, gain));
    assert!(close(
        ladder.rungs[2].total_gain,
        by_hand[2].1 / by_hand[0].1 - 1.0
    ));
}

/// The need of a resource for the next rung is the capacity at which it and the next limit are full together.
#[test]
fn what_is_needed_is_what_the_next_limit_allows() {
    let scenario = chain("gen1 x1", Bandwidth::new(500e6), Bandwidth::new(800e6));
    let by_hand = limits_by_hand(&scenario);
    let ladder = ladder(&scenario, Climb::Unlimited);
    let Some(Step::Unlimited(needs)) = &ladder.rungs[0].step else {
        panic!("the first limit is relieved: {:?}", ladder.rungs[0].step);
    };
    assert_eq!(needs.len(), 1);
    assert_eq!(needs[0].id, "slot.s1.out");
    assert!(close(
        needs[0].needed / needs[0].capacity,
        by_hand[1].1 / by_hand[0].1
    ));
}

#[test]
fn a_ladder_that_clients_limit_has_one_rung() {
    for how in [Climb::Unlimited, Climb::Catalogue] {
        let ladder = ladder(
            &chain("gen1 x8", Bandwidth::new(1.25e9), Bandwidth::new(125e6)),
            how,
        );
        assert_eq!(kinds(&ladder), ["client"]);
        assert_eq!(ladder.end, LadderEnd::Clients);
        assert_eq!((ladder.rungs[0].gain, &ladder.rungs[0].step), (0.0, &None));
    }
}

/// A slot with one wired lane that supports eight becomes one of eight; then port and clients follow.
#[test]
fn a_slot_is_rewired_as_far_as_its_connector_and_its_card_go() {
    let scenario = chain("gen1 x1", Bandwidth::new(500e6), Bandwidth::new(800e6));
    let by_hand = limits_by_hand(&scenario);
    let ladder = ladder(&scenario, Climb::Catalogue);
    let Some(Step::Upgrade { change, sets, .. }) = &ladder.rungs[0].step else {
        panic!("the slot can be rewired: {:?}", ladder.rungs[0].step);
    };
    assert_eq!(change, "slot s1 becomes gen1 x8");
    assert_eq!(sets, &["slot.s1.pcie=gen1 x8"]);
    assert!(close(ladder.rungs[1].throughput.operations.get(), by_hand[1].1));
}

/// The bridge is gen1, so that a slot of a later generation gains nothing: it is ruled out.
#[test]
fn what_trains_down_is_ruled_out() {
    let scenario = chain("gen1 x8", Bandwidth::new(4e9), Bandwidth::new(10e9));
    let ladder = ladder(&scenario, Climb::Catalogue);
    assert_eq!(kinds(&ladder), ["pcie"]);
    let LadderEnd::NothingToBuy(reasons) = &ladder.end else {
        panic!("nothing can be bought: {:?}", ladder.end);
    };
    assert!(
        reasons
            .iter()
            .any(|reason| reason.contains("bridge supports gen1")),
        "{reasons:?}"
    );
    assert!(
        reasons.iter().any(|reason| reason.contains("no free slot")),
        "{reasons:?}"
    );
}

/// Two enclosures on one wide port of an adapter with an unused port, without a slot for another adapter: one
/// enclosure moves to the unused port, and the slot is the next limit.
#[test]
fn enclosures_are_spread_over_the_ports_of_their_adapter() {
    let mut spec = bandgraph_testkit::seven_four_ten(Generation::Istanbul);
    spec.cards.retain(|card| card.id != "hba1" && card.id != "hba2");
    spec.slots
        .retain(|slot| ["s1", "s2", "s4"].contains(&slot.id.as_str()));
    spec.jbods.truncate(2);
    for jbod in &mut spec.jbods {
        jbod.hba = "hba0".to_owned();
        jbod.port = 0;
        jbod.second_path = None;
    }
    let mut scenario = seven_four_ten(Generation::Istanbul);
    scenario.topology = Topology::build(spec).expect("sound");
    scenario.storage.pools = vec![bandgraph_model::storage::Pool::new("p")];
    scenario.workloads[0].working_set = bandgraph_units::Bytes::new(1e14);
    let ladder = ladder(&scenario, Climb::Catalogue);
    assert_eq!(kinds(&ladder)[0], "sas");
    let Some(Step::Upgrade { change, sets, .. }) = &ladder.rungs[0].step else {
        panic!("an enclosure can be moved: {:?}", ladder.rungs[0].step);
    };
    assert_eq!(change, "j1 on hba0.1, which is unused");
    assert_eq!(sets, &["jbod.j1.port=1"]);
    // Two ports could carry twice the rate of one, but the adapter's slot of gen1 x8 carries less than that.
    assert_eq!(kinds(&ladder)[1], "pcie");
    assert!(
        (0.3..1.0).contains(&ladder.rungs[1].gain),
        "{}",
        ladder.rungs[1].gain
    );
}

/// One enclosure on an adapter with an unused port, and a free slot: a second cable comes before an adapter.
#[test]
fn a_second_cable_comes_before_another_adapter() {
    let mut spec = bandgraph_testkit::seven_four_ten(Generation::Istanbul);
    spec.cards.retain(|card| card.id != "hba1" && card.id != "hba2");
    spec.jbods.truncate(1);
    let jbod = &mut spec.jbods[0];
    (jbod.hba, jbod.port, jbod.second_path) = ("hba0".to_owned(), 0, None);
    // A shelf of fast drives.
    (jbod.part.ports, jbod.part.port_rate) = (2, Bandwidth::new(0.2e9));
    let mut scenario = seven_four_ten(Generation::Istanbul);
    scenario.topology = Topology::build(spec).expect("sound");
    scenario.storage.pools = vec![bandgraph_model::storage::Pool::new("p")];
    scenario.workloads[0].working_set = bandgraph_units::Bytes::new(1e12);
    let ladder = ladder(&scenario, Climb::Catalogue);
    assert_eq!(kinds(&ladder)[0], "sas");
    let Some(Step::Upgrade { change, sets, .. }) = &ladder.rungs[0].step else {
        panic!("there is an unused port: {:?}", ladder.rungs[0].step);
    };
    assert_eq!(change, "a second cable from j0 to hba0.1, which is unused");
    assert_eq!(sets, &["jbod.j0.second_port=1"]);
    assert!(
        (0.5..=1.01).contains(&ladder.rungs[1].gain),
        "{}",
        ladder.rungs[1].gain
    );
}

/// A second card in a second slot doubles the rate of the slots, until the client is full.
#[test]
fn another_card_goes_into_a_free_slot() {
    let mut scenario = chain("gen1 x8", Bandwidth::new(4e9), Bandwidth::new(10e9));
    scenario.clients[0].count = 2;
    scenario.clients[0].ports = vec!["nic0.0".to_owned()];
    let mut spec = scenario.topology.spec().clone();
    spec.slots.push(SlotSpec {
        id: "s2".to_owned(),
        ..spec.slots[0].clone()
    });
    scenario.topology = Topology::build(spec).expect("a sound topology");
    let ladder = ladder(&scenario, Climb::Catalogue);
    let Some(Step::Upgrade { change, .. }) = &ladder.rungs[0].step else {
        panic!("there is a free slot: {:?}", ladder.rungs[0].step);
    };
    assert!(change.ends_with("(nic1) in slot s2"), "{change}");
    assert!(close(ladder.rungs[1].gain, 1.0), "{}", ladder.rungs[1].gain);
    // The given scenario is unchanged.
    assert!(scenario.topology.cards().iter().all(|card| card.id != "nic1"));
    assert!(
        scenario
            .topology
            .spec()
            .cards
            .iter()
            .all(|card| card.seat != Seat::Slot("s2".to_owned()))
    );
}

/// The story of the 7410: first the HyperTransport 1 links, then the gen1 slots.
#[test]
fn the_7410_climbs_from_its_links_to_its_slots() {
    for how in [Climb::Unlimited, Climb::Catalogue] {
        let ladder = ladder(&seven_four_ten(Generation::Barcelona), how);
        assert_eq!(
            ladder.rungs[0].limit.kind,
            LimitKind::Resource(ResourceKind::SocketLink)
        );
        let slots = kinds(&ladder).iter().position(|kind| *kind == "pcie");
        let cores = kinds(&ladder).iter().position(|kind| *kind == "cpu");
        assert!(
            slots.is_some_and(|slots| cores.is_none_or(|cores| slots < cores)),
            "{:?}",
            kinds(&ladder)
        );
    }
    let istanbul = ladder(&seven_four_ten(Generation::Istanbul), Climb::Unlimited);
    assert_eq!(
        istanbul.rungs[0].limit.kind,
        LimitKind::Resource(ResourceKind::Pcie)
    );
}

#[test]
fn throughput_never_falls_on_the_way_up() {
    for generation in Generation::ALL {
        for how in [Climb::Unlimited, Climb::Catalogue] {
            let ladder = ladder(&seven_four_ten(generation), how);
            assert!(
                ladder.rungs.iter().all(|rung| rung.gain > -1e-9),
                "{generation:?}"
            );
            let product: f64 = ladder.rungs.iter().map(|rung| 1.0 + rung.gain).product();
            let last = ladder.rungs.last().expect("a ladder has a rung");
            assert!(close(product, 1.0 + last.total_gain));
        }
    }
}
