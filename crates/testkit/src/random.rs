//! Strategies for property tests.

use bandgraph_hardware::{PcieGeneration, PcieSlotSpec};
use bandgraph_topology::{CardPart, RouteSpec, Seat, SecondPath, TopologySpec};
use bandgraph_units::{Bandwidth, Bytes, Fraction, Frequency};
use proptest::prelude::*;
use proptest::sample::select;

use crate::{Generation, SocketGraph, seven_four_ten_onboard, spec_of};

/// Connected socket graphs of 2 to `most` sockets: ladders, twisted ladders, full graphs, and random ones
/// with up to as many extra links as sockets, some of them parallel. Links have random order and direction.
pub fn socket_graphs(most: usize) -> impl Strategy<Value = SocketGraph> {
    let shaped = (2..=most).prop_flat_map(|sockets| {
        let even = sockets / 2 * 2;
        select(vec![
            SocketGraph::ladder(even),
            SocketGraph::twisted_ladder(even),
            SocketGraph::full(sockets),
        ])
    });
    let grown = (2..=most).prop_flat_map(|sockets| {
        let parents: Vec<_> = (1..sockets)
            .map(|socket| (0..socket).prop_map(move |parent| [parent, socket]))
            .collect();
        let extra = prop::collection::vec((0..sockets, 1..sockets), 0..=sockets).prop_map(move |pairs| {
            pairs
                .into_iter()
                .map(|(a, step)| [a, (a + step) % sockets])
                .collect::<Vec<_>>()
        });
        (parents, extra).prop_map(move |(tree, extra)| SocketGraph {
            sockets,
            links: tree.into_iter().chain(extra).collect(),
        })
    });
    prop_oneof![1 => shaped, 2 => grown].prop_flat_map(|graph| {
        let sockets = graph.sockets;
        let count = graph.links.len();
        (
            Just(graph.links).prop_shuffle(),
            prop::collection::vec(any::<bool>(), count),
        )
            .prop_map(move |(mut links, turned)| {
                for (link, turned) in links.iter_mut().zip(turned) {
                    if turned {
                        link.reverse();
                    }
                }
                SocketGraph { sockets, links }
            })
    })
}

/// Valid servers: a random socket graph of 2 to `most` sockets with the bridges and cards of a 7410 on two of
/// them.
pub fn servers(most: usize) -> impl Strategy<Value = TopologySpec> {
    (
        socket_graphs(most),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
    )
        .prop_map(|(graph, first, second)| {
            let fixture = seven_four_ten_onboard(Generation::Istanbul);
            let mut spec = TopologySpec {
                routes: Vec::new(),
                ..fixture
            };
            let bare = spec_of(&graph);
            spec.sockets = bare.sockets;
            spec.links = bare.links;
            spec.bridges[0].uplink_to = format!("cpu{}", first.index(graph.sockets));
            spec.bridges[1].uplink_to = format!("cpu{}", second.index(graph.sockets));
            spec
        })
}

/// Specifications with up to `most` mistakes: wrong names, impossible figures, missing or duplicate items.
pub fn broken_specs(most: usize) -> impl Strategy<Value = TopologySpec> {
    (
        servers(6),
        prop::collection::vec(
            (0_u8..18, any::<prop::sample::Index>(), odd_names(), odd_numbers()),
            0..=most,
        ),
    )
        .prop_map(|(mut spec, mistakes)| {
            for (what, place, name, number) in mistakes {
                make_mistake(&mut spec, what, place, &name, number);
            }
            spec
        })
}

fn odd_names() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec![
            "",
            "cpu0",
            "cpu1",
            "cpu-1",
            "mcp55",
            "s1",
            "s2",
            "nic0",
            "hba0",
            "j0",
            "a.b",
            "\u{1f980}",
            "cpu0 "
        ])
        .prop_map(str::to_owned),
        ".{0,80}",
    ]
}

fn odd_numbers() -> impl Strategy<Value = f64> {
    prop_oneof![
        select(vec![
            0.0,
            -0.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e308,
            5e-324,
            1.0,
            64.0
        ]),
        any::<f64>(),
    ]
}

/// An element of a list, which may be empty.
fn at<T>(list: &mut [T], place: prop::sample::Index) -> Option<&mut T> {
    if list.is_empty() {
        None
    } else {
        Some(&mut list[place.index(list.len())])
    }
}

fn make_mistake(spec: &mut TopologySpec, what: u8, place: prop::sample::Index, name: &str, number: f64) {
    // Casts of out-of-range numbers saturate, which gives unusual counts.
    let (count, name) = (number as u32, name.to_owned());
    match what {
        0 => at(&mut spec.sockets, place)
            .into_iter()
            .for_each(|socket| socket.id.clone_from(&name)),
        1 => at(&mut spec.sockets, place)
            .into_iter()
            .for_each(|socket| socket.part.clock = Frequency::new(number)),
        2 => at(&mut spec.sockets, place)
            .into_iter()
            .for_each(|socket| socket.memory.channels = count),
        3 => at(&mut spec.sockets, place)
            .into_iter()
            .for_each(|socket| socket.memory.size = Bytes::new(number)),
        4 => at(&mut spec.links, place)
            .into_iter()
            .for_each(|link| link.ends[count as usize % 2].clone_from(&name)),
        5 => at(&mut spec.links, place)
            .into_iter()
            .for_each(|link| link.part.ceiling = Fraction::new(number)),
        6 => at(&mut spec.bridges, place)
            .into_iter()
            .for_each(|bridge| bridge.uplink_to.clone_from(&name)),
        7 => at(&mut spec.slots, place)
            .into_iter()
            .for_each(|slot| slot.bridge.clone_from(&name)),
        8 => at(&mut spec.slots, place).into_iter().for_each(|slot| {
            slot.pcie = PcieSlotSpec {
                generation: PcieGeneration::Gen6,
                lanes: count,
            };
        }),
        9 => at(&mut spec.slots, place)
            .into_iter()
            .for_each(|slot| slot.connector_lanes = Some(count)),
        10 => at(&mut spec.cards, place)
            .into_iter()
            .for_each(|card| card.seat = Seat::Slot(name.clone())),
        11 => at(&mut spec.cards, place)
            .into_iter()
            .for_each(|card| card.seat = Seat::Bridge(name.clone())),
        12 => at(&mut spec.cards, place)
            .into_iter()
            .for_each(|card| match &mut card.part {
                CardPart::Nic(nic) => (nic.ports, nic.port_rate) = (number as u64, Bandwidth::new(number)),
                CardPart::Hba(hba) => (hba.ports, hba.pcie_lanes) = (number as u64, number as u64),
                CardPart::Nvme(_) | CardPart::Gpu(_) => {}
            }),
        13 => at(&mut spec.jbods, place)
            .into_iter()
            .for_each(|jbod| jbod.hba.clone_from(&name)),
        14 => at(&mut spec.jbods, place).into_iter().for_each(|jbod| {
            (jbod.port, jbod.part.disks) = (count, number as u64);
            if count % 2 == 1 {
                jbod.second_path = Some(SecondPath {
                    hba: None,
                    port: count / 2,
                });
            }
        }),
        15 => spec.routes.push(RouteSpec {
            from: "cpu0".to_owned(),
            to: name.clone(),
            via: vec![name],
            responses_via: None,
        }),
        16 => {
            if let Some(link) = at(&mut spec.links, place).cloned() {
                spec.links.push(link);
            }
        }
        _ => {
            if !spec.links.is_empty() {
                spec.links.remove(place.index(spec.links.len()));
            }
        }
    }
}
