//! The search against brute force, on the 7410 and on random small servers.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_hardware::GpuPart;
use bandgraph_model::storage::Pool;
use bandgraph_model::{RunSettings, Scenario, Stack, Storage};
use bandgraph_solve::Outcome;
use bandgraph_testkit::{Generation, seven_four_ten};
use bandgraph_topology::{CardPart, Seat, Topology, TopologySpec};
use bandgraph_units::{Bytes, Time};
use bandgraph_workload::{
    ClientGroup, ClientNics, Cluster, Mix, NetworkSettings, OperationKind, ProtocolKind, Workload,
};
use proptest::prelude::*;

use super::model::{Model, Scratch};
use super::search::search;
use super::{CardInSlot, Objective, PlaceError, PlaceOptions, SlotRules, WeightedQuestion, place};
use crate::Question;

/// Reads of 128 KiB from disks, or from DRAM, by clients with two 1GbE ports each.
fn scenario(spec: TopologySpec, clients: u32, threads: u32, disks: bool) -> Scenario {
    let mut group = ClientGroup::new("c");
    group.count = clients;
    group.nics = ClientNics {
        count: 2,
        ..ClientNics::default()
    };
    let mut reads = Workload::new("read", "c", Mix::single(OperationKind::Read));
    reads.io_size = Bytes::new(131_072.0);
    reads.working_set = Bytes::new(if disks { 1e14 } else { 1e9 });
    reads.threads_per_client = threads;
    let pools = if disks { vec![Pool::new("p")] } else { Vec::new() };
    Scenario {
        name: "reads".to_owned(),
        topology: Topology::build(spec).expect("a sound server"),
        stack: Stack::fishworks_2009(),
        networks: Vec::new(),
        cluster: Cluster::default(),
        storage: Storage {
            pools,
            ..Storage::default()
        },
        clients: vec![group],
        workloads: vec![reads],
        run: RunSettings {
            warm_up: Time::new(0.01),
            duration: Time::new(0.02),
            network: NetworkSettings {
                mtu: Bytes::new(9000.0),
                ..NetworkSettings::default()
            },
            network_latency: Time::new(20e-6),
            ..RunSettings::default()
        },
    }
}

fn asked(name: &str, scenario: Scenario, weight: f64) -> WeightedQuestion {
    WeightedQuestion {
        question: Question {
            name: name.to_owned(),
            sets: Vec::new(),
            file: None,
            input_hash: String::new(),
            scenario,
        },
        weight,
    }
}

fn one(scenario: Scenario) -> Vec<WeightedQuestion> {
    vec![asked("reads", scenario, 1.0)]
}

fn told_all() -> PlaceOptions {
    PlaceOptions {
        top: usize::MAX,
        confirm: 0,
        ..PlaceOptions::default()
    }
}

/// Every way to put the cards that are in slots into slots that are wide enough, as slots by card.
fn every_way(spec: &TopologySpec) -> Vec<Vec<usize>> {
    let cards: Vec<u32> = spec
        .cards
        .iter()
        .filter_map(|card| card.part.endpoint().map(|endpoint| endpoint.connector.lanes))
        .collect();
    let mut ways: Vec<Vec<usize>> = vec![Vec::new()];
    for lanes in cards {
        ways = ways
            .into_iter()
            .flat_map(|way| {
                let free = (0..spec.slots.len()).filter({
                    let way = way.clone();
                    move |slot| !way.contains(slot)
                });
                free.filter(|&slot| {
                    spec.slots[slot]
                        .connector_lanes
                        .unwrap_or(spec.slots[slot].pcie.lanes)
                        >= lanes
                })
                .map(|slot| [way.as_slice(), &[slot]].concat())
                .collect::<Vec<_>>()
            })
            .collect();
    }
    ways
}

/// A placement without names: for each kind of slot, the kinds of cards in it.
fn without_names(spec: &TopologySpec, way: &[usize]) -> BTreeMap<String, Vec<String>> {
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let cards = spec.cards.iter().filter(|card| card.part.endpoint().is_some());
    for (card, &slot) in cards.zip(way) {
        let slot = &spec.slots[slot];
        let enclosures = |port: u32| {
            let on = spec
                .jbods
                .iter()
                .filter(|jbod| jbod.hba == card.id && jbod.port == port);
            on.count()
        };
        let role = if card.part.wide_ports().is_some() {
            format!("hba with {}", enclosures(0) + enclosures(1))
        } else {
            "nic".to_owned()
        };
        kinds
            .entry(format!(
                "{} {} {:?}",
                slot.bridge, slot.pcie, slot.connector_lanes
            ))
            .or_default()
            .push(role);
    }
    for cards in kinds.values_mut() {
        cards.sort_unstable();
    }
    kinds
}

#[test]
fn alike_placements_count_once() {
    let spec = seven_four_ten(Generation::Istanbul);
    let ways = every_way(&spec);
    assert_eq!(ways.len(), 720, "five cards in six slots");
    let different: BTreeSet<_> = ways.iter().map(|way| without_names(&spec, way)).collect();
    let placements = place(&one(scenario(spec, 10, 4, true)), &told_all()).expect("a ranking");
    assert_eq!(different.len(), 10);
    assert_eq!(placements.different, Some(10));
    // Two cards on one bridge and three on the other: every placement has exactly one mirror image.
    assert_eq!(placements.placements.len(), 5);
    for placement in &placements.placements {
        let [image] = &placement.ties[..] else {
            panic!("one mirror image of {:?}", placement.cards);
        };
        let on_first = |cards: &[CardInSlot], kind: &str| {
            let cards = cards.iter().filter(|card| card.card.starts_with(kind));
            cards
                .filter(|card| ["s1", "s2", "s3"].contains(&card.slot.as_str()))
                .count()
        };
        assert_eq!(on_first(&placement.cards, "nic") + on_first(image, "nic"), 2);
        assert_eq!(on_first(&placement.cards, "hba") + on_first(image, "hba"), 3);
        let moved = |cards: &[CardInSlot]| cards.iter().filter(|card| card.moved).count();
        assert!(moved(&placement.cards) <= moved(image));
    }
    assert_eq!(placements.alike, [vec!["nic0", "nic1"], vec!["hba0", "hba1"]]);
    assert!(placements.optimal && placements.gap == 0.0);
}

/// A group of clients that names a port distinguishes its card from the others.
#[test]
fn a_named_port_tells_cards_apart() {
    let spec = seven_four_ten(Generation::Istanbul);
    let mut scenario = scenario(spec, 10, 4, false);
    scenario.clients[0].ports = vec!["nic0.0".to_owned(), "nic1.0".to_owned(), "nic1.1".to_owned()];
    let placements = place(&one(scenario), &told_all()).expect("a ranking");
    assert!(
        !placements
            .alike
            .iter()
            .any(|alike| alike.contains(&"nic0".to_owned())),
        "{:?}",
        placements.alike
    );
}

/// Every score found by brute force is in the ranking, and every score of the ranking by brute force.
#[test]
fn the_ranking_has_the_scores_of_brute_force() {
    let mut spec = seven_four_ten(Generation::Barcelona);
    spec.slots.remove(5);
    spec.cards.retain(|card| card.id != "hba2");
    spec.jbods.retain(|jbod| jbod.hba != "hba2");
    let network = |outcome: &Outcome| outcome.throughput.network.get();
    let reads = scenario(spec.clone(), 7, 6, true);
    has_scores_of_brute_force(reads, &spec, (Objective::Network, &network));
}

/// The way of a copy between GPUs depends on the slots of both.
#[test]
fn gpus_that_copy_are_ranked_together() {
    let mut spec = seven_four_ten(Generation::Barcelona);
    spec.jbods.clear();
    spec.cards
        .retain(|card| ["nic0", "hba0", "hba1"].contains(&card.id.as_str()));
    for card in &mut spec.cards[1..] {
        card.part = GpuPart {
            pcie_lanes: 8,
            ..GpuPart::default()
        }
        .into();
    }
    let mut scenario = scenario(spec.clone(), 7, 6, false);
    let copies = Workload {
        protocol: ProtocolKind::Host,
        gpus: vec![spec.cards[1].id.clone()],
        peers: vec![spec.cards[2].id.clone()],
        clients: "gpus".to_owned(),
        ..scenario.workloads[0].clone()
    };
    scenario.clients.push(ClientGroup::new("gpus"));
    scenario.workloads.push(Workload {
        id: "copy".to_owned(),
        ..copies
    });
    let payload = |outcome: &Outcome| outcome.throughput.payload.get();
    has_scores_of_brute_force(scenario, &spec, (Objective::Payload, &payload));
}

fn has_scores_of_brute_force(
    scenario: Scenario,
    spec: &TopologySpec,
    (objective, value): (Objective, &dyn Fn(&Outcome) -> f64),
) {
    let questions = one(scenario);
    let options = PlaceOptions {
        objective: Some(objective),
        ..told_all()
    };
    let placements = place(&questions, &options).expect("a ranking");
    let model = Model::new(&questions, Some(objective), &SlotRules::default()).expect("a model");
    let ranked: Vec<f64> = placements
        .placements
        .iter()
        .map(|placement| placement.score)
        .collect();
    let mut found = vec![false; ranked.len()];
    for way in every_way(spec) {
        let scenario = model.scenarios(&way).expect("a sound placement").remove(0);
        let bound = bandgraph_solve::bind(&scenario).expect("sound");
        let outcome = bandgraph_solve::predict(&bound).expect("a steady state");
        let today = placements.placements.iter().find(|placement| placement.today);
        let today = &today.expect("today's is among the ranked").scenarios[0]
            .answer
            .outcome;
        let score = value(&outcome) / value(today);
        let mut near = ranked
            .iter()
            .enumerate()
            .filter(|(_, ranked)| (score - **ranked).abs() < 1e-6);
        let first = near.next();
        assert!(first.is_some(), "{way:?} scores {score}: {ranked:?}");
        for (at, _) in first.into_iter().chain(near) {
            found[at] = true;
        }
    }
    assert!(found.iter().all(|found| *found));
    assert!(ranked.windows(2).all(|pair| pair[0] >= pair[1] - 1e-8));
}

/// All network cards on one bridge and all adapters on the other: every byte from the disks crosses the link
/// between the two sockets on its way to the network, or to memory.
#[test]
fn the_grouped_placement_ranks_below_the_split_one() {
    let spec = seven_four_ten(Generation::Barcelona);
    let placements = place(&one(scenario(spec, 20, 10, true)), &told_all()).expect("a ranking");
    let rank = |grouped: bool| {
        let ranks = placements.placements.iter().filter(|placement| {
            let on_first = |prefix: &str| {
                let cards = placement
                    .cards
                    .iter()
                    .filter(|card| card.card.starts_with(prefix));
                cards
                    .filter(|card| ["s1", "s2", "s3"].contains(&card.slot.as_str()))
                    .count()
            };
            let (nics, hbas) = (on_first("nic"), on_first("hba"));
            (nics == 2 && hbas == 0 || nics == 0 && hbas == 3) == grouped
        });
        ranks.filter_map(|placement| placement.rank).min()
    };
    assert!(rank(true) > rank(false), "{:?} {:?}", rank(true), rank(false));
    let worst = placements.placements.last().expect("some");
    assert!(worst.worst && worst.score < placements.placements[0].score);
}

#[test]
fn rules_are_kept() {
    let mut spec = seven_four_ten(Generation::Istanbul);
    for slot in &mut spec.slots {
        slot.connector_lanes = Some(8);
    }
    spec.slots[2].connector_lanes = Some(4);
    spec.slots[2].pcie.lanes = 4;
    spec.slots[4].pcie.lanes = 4;
    let CardPart::Nic(nic) = &mut spec.cards[0].part else {
        panic!("the first card is a network card");
    };
    nic.height = bandgraph_hardware::CardHeight::Full;
    let options = |full_speed| PlaceOptions {
        rules: SlotRules {
            keep: vec!["nic1".to_owned()],
            low_profile: vec!["s2".to_owned(), "s6".to_owned()],
            full_speed,
        },
        ..told_all()
    };
    let questions = one(scenario(spec.clone(), 8, 4, false));
    let placements = place(&questions, &options(false)).expect("a ranking");
    let slots_of = |placements: &super::Placements, name: &str| -> BTreeSet<String> {
        let cards = placements
            .placements
            .iter()
            .filter(|placement| placement.rank.is_some())
            .flat_map(|placement| &placement.cards);
        cards
            .filter(|card| card.card.starts_with(name))
            .map(|card| card.slot.clone())
            .collect()
    };
    assert!(
        slots_of(&placements, "nic1").is_empty(),
        "kept cards are not placed"
    );
    for slot in ["s2", "s3", "s6"] {
        assert!(
            !slots_of(&placements, "nic0").contains(slot),
            "{slot} does not take nic0"
        );
    }
    assert!(
        !slots_of(&placements, "hba").contains("s3"),
        "a connector of four lanes"
    );
    // At full speed, s5 is out too: three slots are left for four cards.
    let refused = place(&questions, &options(true)).expect_err("three slots for four cards");
    assert_eq!(refused, PlaceError::NoPlacement);
    // With one more slot there is a placement; today's, which has an adapter in s5, is listed without a rank.
    spec.slots[2] = spec.slots[0].clone();
    spec.slots[2].id = "s3".to_owned();
    let placements = place(&one(scenario(spec, 8, 4, false)), &options(true)).expect("a ranking");
    assert!(!slots_of(&placements, "hba").contains("s5"));
    let today = placements.placements.iter().find(|placement| placement.today);
    assert!(today.is_some_and(|today| today.rank.is_none()));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let spec = seven_four_ten(Generation::Istanbul);
    let questions = one(scenario(spec.clone(), 4, 2, false));
    let with = |rules: SlotRules| PlaceOptions { rules, ..told_all() };
    let keep = |cards: &[&str]| {
        with(SlotRules {
            keep: cards.iter().map(|card| (*card).to_owned()).collect(),
            ..SlotRules::default()
        })
    };
    let refused = |questions: &[WeightedQuestion], options: &PlaceOptions| {
        place(questions, options).expect_err("refused").to_string()
    };
    assert!(refused(&questions, &keep(&["nic7"])).contains("nic7"));
    assert!(refused(&questions, &keep(&["nic0", "nic1", "hba0", "hba1", "hba2"])).contains("no card"));
    let low = SlotRules {
        low_profile: vec!["s9".to_owned()],
        ..SlotRules::default()
    };
    assert!(refused(&questions, &with(low)).contains("s9"));
    assert!(refused(&[], &told_all()).contains("no scenario"));
    let mut zero = questions.clone();
    zero[0].weight = 0.0;
    assert!(refused(&zero, &told_all()).contains("weight"));
    let mut other = spec;
    other.slots[0].pcie.lanes = 4;
    other.slots[0].connector_lanes = Some(8);
    let two = [questions, vec![asked("other", scenario(other, 4, 2, false), 1.0)]].concat();
    assert!(refused(&two, &told_all()).contains("another server"));
}

/// Servers of two bridges, one of them perhaps with a PCIe switch, up to six slots of several kinds, and two
/// to five cards of a 7410.
fn servers() -> impl Strategy<Value = (TopologySpec, u32, u32, bool)> {
    let slots = prop::collection::vec(
        (0_usize..2, prop::sample::select(vec![4_u32, 8]), any::<bool>()),
        5..=6,
    );
    (
        slots,
        1_usize..=2,
        1_usize..=3,
        1_u32..=9,
        1_u32..=12,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(slots, nics, hbas, clients, threads, disks, old)| {
            let generation = if old {
                Generation::Barcelona
            } else {
                Generation::Istanbul
            };
            let mut spec = seven_four_ten(generation);
            spec.cards.retain(|card| {
                let number =
                    |prefix: &str| card.id.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
                number("nic").is_none_or(|n| n < nics) && number("hba").is_none_or(|n| n < hbas)
            });
            let left: Vec<String> = spec.cards.iter().map(|card| card.id.clone()).collect();
            spec.jbods.retain(|jbod| left.contains(&jbod.hba));
            let template = spec.slots[0].clone();
            let bridges: Vec<String> = spec.bridges.iter().map(|bridge| bridge.id.clone()).collect();
            spec.slots = slots
                .iter()
                .enumerate()
                .map(|(at, &(bridge, lanes, wide))| {
                    let mut slot = template.clone();
                    slot.id = format!("t{at}");
                    slot.bridge.clone_from(&bridges[bridge]);
                    slot.pcie.lanes = lanes;
                    // Five slots take any card, the sixth perhaps none.
                    slot.connector_lanes = Some(if wide || at < 5 { 8 } else { lanes });
                    slot
                })
                .collect();
            let mut free = spec
                .slots
                .iter()
                .map(|slot| slot.id.clone())
                .collect::<Vec<_>>()
                .into_iter();
            for card in &mut spec.cards {
                if matches!(card.seat, Seat::Slot(_)) {
                    card.seat = Seat::Slot(free.next().expect("as many slots as cards"));
                }
            }
            (spec, clients, threads, disks)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Branch and bound finds the same best as exhaustive search; no bound of a placement, partial or
    /// complete, is below its prediction.
    #[test]
    fn branch_and_bound_agrees_with_trying_all(
        (spec, clients, threads, disks) in servers(),
        objective in prop::sample::select(vec![
            Objective::Operations, Objective::Payload, Objective::Network, Objective::Latency,
        ]),
    ) {
        let mut second = scenario(spec.clone(), 3, 2, disks);
        if disks {
            second.workloads[0].mix = Mix::single(OperationKind::Write);
        }
        let questions = vec![
            asked("one", scenario(spec, clients, threads, disks), 2.0),
            asked("two", second, 1.0),
        ];
        let model = Model::new(&questions, Some(objective), &SlotRules::default()).expect("a model");
        let all = model.symmetry.all(&model.seats, 10_000).expect("few enough");
        let mut scratch = Scratch::default();
        let mut best = f64::NEG_INFINITY;
        for classes in &all {
            let score = model.predicted(classes, &mut scratch).expect("a steady state");
            let anew = model.predicted_anew(classes).expect("a steady state");
            prop_assert!((score - anew).abs() <= 1e-6 * anew, "{score} without binding anew, {anew} with it");
            best = best.max(score);
            for placed in 0..=classes.len() {
                let bound = model.ceiling(&classes[..placed], &mut scratch);
                prop_assert!(bound >= score * (1.0 - 1e-7), "{bound} < {score} with {placed} cards placed");
            }
        }
        let found = search(&model, &model.today(), 1, 10_000).expect("a search");
        let most = found.scores.values().copied().fold(f64::NEG_INFINITY, f64::max);
        prop_assert!((most - best).abs() <= 2e-6 * best, "{most} for {best}");
        prop_assert_eq!(found.gap, 0.0);
        prop_assert!(found.scores.contains_key(&model.today()));
        prop_assert!(found.scores.keys().all(|classes| all.contains(classes)));
    }
}

/// A search that stops early reports a gap, and the best placement is within that gap.
#[test]
fn a_search_that_is_stopped_states_its_gap() {
    let questions = one(scenario(seven_four_ten(Generation::Barcelona), 20, 10, true));
    let model = Model::new(&questions, Some(Objective::Network), &SlotRules::default()).expect("a model");
    let best = model
        .symmetry
        .all(&model.seats, 1000)
        .expect("few")
        .iter()
        .map(|classes| {
            let score = model.predicted(classes, &mut Scratch::default());
            score.expect("a steady state")
        })
        .fold(f64::NEG_INFINITY, f64::max);
    let stopped = search(&model, &model.today(), 10, 1).expect("a search");
    let found = stopped.scores.values().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(stopped.gap > 0.0 && stopped.gap < 10.0, "{}", stopped.gap);
    assert!(best <= found * (1.0 + stopped.gap) * (1.0 + 1e-6));
}

/// The ranking does not depend on the number of threads.
#[test]
fn threads_do_not_show() {
    let questions = one(scenario(seven_four_ten(Generation::Istanbul), 20, 10, true));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a few threads");
        let options = PlaceOptions {
            confirm: 1,
            ..PlaceOptions::default()
        };
        let model = Model::new(&questions, Some(Objective::Network), &SlotRules::default()).expect("a model");
        pool.install(|| {
            let found = search(&model, &model.today(), 3, 500).expect("a search");
            let placements = place(&questions, &options).expect("a ranking");
            (found.scores, found.bounds, format!("{:?}", placements.placements))
        })
    };
    assert_eq!(with(1), with(3));
}
