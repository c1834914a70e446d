//! Properties of every topology.

use bandgraph_testkit::oracle::routes_by_listing;
use bandgraph_testkit::random::{broken_specs, servers, socket_graphs};
use bandgraph_testkit::{SocketGraph, spec_of};
use bandgraph_topology::{ResourceId, Seat, Topology, TopologySpec};
use proptest::prelude::*;

fn build(spec: TopologySpec) -> Topology {
    Topology::build(spec).expect("the specification is made to be valid")
}

/// The sum of the shares on the links of one hop.
fn share_of_hop(topology: &Topology, shares: &[(ResourceId, f64)], from: usize, to: usize) -> f64 {
    let (from, to) = (&topology.sockets()[from].id, &topology.sockets()[to].id);
    let on_hop = |resource: &ResourceId| topology[*resource].from == *from && topology[*resource].to == *to;
    shares
        .iter()
        .filter(|(resource, _)| on_hop(resource))
        .map(|(_, share)| share)
        .sum()
}

/// The specification with every id changed.
fn renamed(spec: &TopologySpec, rename: impl Fn(&str) -> String) -> TopologySpec {
    let mut spec = spec.clone();
    let change = |id: &mut String| *id = rename(id);
    spec.sockets.iter_mut().for_each(|socket| change(&mut socket.id));
    spec.links
        .iter_mut()
        .flat_map(|link| &mut link.ends)
        .for_each(change);
    spec.bridges.iter_mut().for_each(|bridge| {
        [&mut bridge.id, &mut bridge.uplink_to]
            .into_iter()
            .for_each(change);
    });
    spec.slots
        .iter_mut()
        .for_each(|slot| [&mut slot.id, &mut slot.bridge].into_iter().for_each(change));
    for card in &mut spec.cards {
        change(&mut card.id);
        match &mut card.seat {
            Seat::Slot(id) | Seat::Bridge(id) => change(id),
            Seat::Slots(ids) => ids.iter_mut().for_each(change),
        }
    }
    spec.jbods
        .iter_mut()
        .for_each(|jbod| [&mut jbod.id, &mut jbod.hba].into_iter().for_each(change));
    spec
}

proptest! {
    #[test]
    fn routes_are_shortest_paths_over_links(graph in socket_graphs(16)) {
        let topology = build(spec_of(&graph));
        let distances = graph.distances();
        for from in 0..graph.sockets {
            for to in 0..graph.sockets {
                let path = topology.path(from, to);
                prop_assert_eq!((path[0], path[path.len() - 1]), (from, to));
                prop_assert_eq!(Some(topology.hops(from, to)), distances[from * graph.sockets + to]);
                let route = topology.route(from, to);
                for hop in path.windows(2) {
                    prop_assert!((share_of_hop(&topology, route, hop[0], hop[1]) - 1.0).abs() < 1e-9);
                }
                let total: f64 = route.iter().map(|(_, share)| share).sum();
                prop_assert!((total - topology.hops(from, to) as f64).abs() < 1e-9, "nothing off the path");
            }
        }
    }

    #[test]
    fn ties_are_broken_as_documented(graph in socket_graphs(8)) {
        let topology = build(spec_of(&graph));
        for (pair, path) in routes_by_listing(&graph).iter().enumerate() {
            prop_assert_eq!(topology.path(pair / graph.sockets, pair % graph.sockets), path);
        }
    }

    #[test]
    fn broadcasts_enter_every_socket_once(graph in socket_graphs(16)) {
        let topology = build(spec_of(&graph));
        for from in 0..graph.sockets {
            let hops = topology.broadcast_hops(from);
            let mut has_it = vec![false; graph.sockets];
            has_it[from] = true;
            for &[source, target] in hops {
                prop_assert!(has_it[source] && !has_it[target]);
                has_it[target] = true;
                prop_assert!((share_of_hop(&topology, topology.broadcast_tree(from), source, target) - 1.0).abs() < 1e-9);
                // The hop into it is that of the route.
                let path = topology.path(from, target);
                prop_assert_eq!(path[path.len() - 2], source);
            }
            prop_assert!(has_it.iter().all(|reached| *reached));
        }
    }

    #[test]
    fn names_change_nothing_but_names(spec in servers(8), turned in any::<bool>()) {
        // Ids with the same alphabetical order as before, or the opposite.
        let rename = |id: &str| if turned {
            id.bytes().flat_map(|byte| [15 - byte / 16, 15 - byte % 16]).map(|digit| char::from(b'a' + digit)).collect()
        } else {
            format!("x_{id}")
        };
        let (before, after) = (build(spec.clone()), build(renamed(&spec, rename)));
        prop_assert_eq!(before.resources().len(), after.resources().len());
        for (old, new) in before.resources().iter().zip(after.resources().iter()) {
            prop_assert_eq!((old.kind, old.capacity, old.ceiling), (new.kind, new.capacity, new.ceiling));
        }
        for from in 0..before.sockets().len() {
            prop_assert_eq!(before.broadcast_tree(from), after.broadcast_tree(from));
            for to in 0..before.sockets().len() {
                prop_assert_eq!(before.path(from, to), after.path(from, to));
                prop_assert_eq!(before.route(from, to), after.route(from, to));
            }
        }
        for (old, new) in before.cards().iter().zip(after.cards()) {
            prop_assert_eq!((old.bridge, old.socket, old.seated), (new.bridge, new.socket, new.seated));
        }
    }

    #[test]
    fn resources_are_sound_and_found_by_id(spec in servers(8)) {
        let topology = build(spec);
        for (index, resource) in topology.resources().iter().enumerate() {
            prop_assert!(resource.capacity.is_finite() && resource.capacity > 0.0, "{}", resource.id);
            prop_assert!(resource.ceiling > 0.0 && resource.ceiling <= 1.0, "{}", resource.id);
            prop_assert_eq!(topology.resource_id(&resource.id).map(ResourceId::index), Some(index));
        }
    }

    #[test]
    fn mistakes_are_errors_and_never_panics(spec in broken_specs(4)) {
        match Topology::build(spec.clone()) {
            Ok(topology) => {
                for resource in topology.resources().iter() {
                    prop_assert!(resource.capacity.is_finite() && resource.capacity > 0.0);
                }
                prop_assert!(!topology.to_dot().is_empty());
            }
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in &errors {
                    prop_assert!(!error.to_string().is_empty());
                    prop_assert!(!error.id().is_empty());
                    let _ = (error.help(), error.candidates(), error.related());
                }
                // Compared as text, because NaN equals nothing.
                let again = Topology::build(spec).expect_err("the same specification has the same errors");
                prop_assert_eq!(format!("{errors:?}"), format!("{again:?}"));
            }
        }
    }
}

#[test]
fn large_servers_are_routed() {
    let graph = SocketGraph::full(64);
    let topology = build(spec_of(&graph));
    assert_eq!(topology.hops(5, 60), 1);
    let ladder = build(spec_of(&SocketGraph::ladder(64)));
    assert_eq!(ladder.hops(0, 63), 32);
}
