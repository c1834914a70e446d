//! Marginal gains in cases with known results.

use crate::support::{chain, seven_four_ten};
use bandgraph_solve::{bind, predict};
use bandgraph_study::marginal_gains;
use bandgraph_testkit::Generation;
use bandgraph_topology::ResourceKind;
use bandgraph_units::Bandwidth;

/// In a chain, throughput is proportional to the capacity of the bottleneck, and independent of all others.
#[test]
fn of_a_chain_only_the_bottleneck_is_worth_anything() {
    let scenario = chain("gen1 x1", Bandwidth::new(500e6), Bandwidth::new(800e6));
    let bound = bind(&scenario).expect("a scenario that can be bound");
    let gains = marginal_gains(&bound).expect("a steady state");
    assert_eq!(gains.resources.len(), bound.resources().len());
    for gain in &gains.resources {
        let expected = if gain.id == "slot.s1.out" { 1.0 } else { 0.0 };
        assert!(
            (gain.elasticity - expected).abs() < 1e-3,
            "{}: {}",
            gain.id,
            gain.elasticity
        );
    }
    assert_eq!(gains.groups[0].kind, ResourceKind::Pcie);
    assert!((gains.groups[0].elasticity - 1.0).abs() < 1e-3);
}

/// For links that are full together, the gain of the group is the sum of the single gains: 1.
#[test]
fn resources_that_are_full_together_are_bought_together() {
    let bound = bind(&seven_four_ten(Generation::Barcelona)).expect("a scenario that can be bound");
    let gains = marginal_gains(&bound).expect("a steady state");
    let of_links: f64 = gains
        .resources
        .iter()
        .filter(|gain| gain.kind == ResourceKind::SocketLink)
        .map(|gain| gain.elasticity)
        .sum();
    let group = &gains.groups[0];
    assert_eq!(group.kind, ResourceKind::SocketLink);
    assert_eq!(group.ids.len(), 8);
    assert!((group.elasticity - 1.0).abs() < 0.02, "{}", group.elasticity);
    assert!((group.elasticity - of_links).abs() < 0.02, "{of_links}");
}

/// If the network cards of all clients are full, the gain of each is its share of the gain of all, for any
/// number of clients. The steady state treats them as one.
#[test]
fn equal_clients_share_what_more_of_all_of_them_brings() {
    let distinct = |count: u32| {
        let mut scenario = seven_four_ten(Generation::Barcelona);
        scenario.clients[0].nics.rate = Bandwidth::new(1e6);
        scenario.clients[0].count = count;
        let bound = bind(&scenario).expect("a scenario that can be bound");
        let gains = marginal_gains(&bound).expect("a steady state");
        let of_clients = gains.resources.iter();
        let of_clients = of_clients.filter(|gain| gain.kind == ResourceKind::Client && gain.elasticity > 0.0);
        let worth: Vec<f64> = of_clients.map(|gain| gain.elasticity).collect();
        let group = &gains.groups[0];
        assert_eq!(group.kind, ResourceKind::Client);
        assert!((group.elasticity - 1.0).abs() < 1e-3, "{}", group.elasticity);
        assert!((worth.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{worth:?}");
        assert!(
            worth.iter().all(|gain| (gain - worth[0]).abs() < 1e-4),
            "{worth:?}"
        );
        let representatives = bound.representatives();
        let own = representatives.iter().enumerate();
        own.filter(|&(resource, &first)| resource == first).count()
    };
    assert_eq!(distinct(16), distinct(64));
}

/// Invalid factors are rejected; factors of 1 change nothing.
#[test]
fn capacities_can_be_scaled_within_reason() {
    let scenario = chain("gen1 x1", Bandwidth::new(500e6), Bandwidth::new(800e6));
    let bound = bind(&scenario).expect("a scenario that can be bound");
    let before = predict(&bound).expect("a steady state");
    let same = bound.scaled(&[(0, 1.0), (1, 1.0)]).expect("factors in range");
    assert_eq!(predict(&same).expect("a steady state"), before);
    let last = bound.resources().len();
    for (resource, factor) in [
        (0, 0.0),
        (0, -1.0),
        (0, f64::NAN),
        (0, f64::INFINITY),
        (last, 2.0),
    ] {
        assert!(
            bound.scaled(&[(resource, factor)]).is_err(),
            "{resource}: {factor}"
        );
    }
}

/// If everything is twice as fast, throughput doubles.
#[test]
fn twice_the_capacity_of_all_is_twice_the_throughput() {
    let scenario = chain("gen1 x1", Bandwidth::new(500e6), Bandwidth::new(800e6));
    let bound = bind(&scenario).expect("a scenario that can be bound");
    let twice: Vec<(usize, f64)> = (0..bound.resources().len())
        .map(|resource| (resource, 2.0))
        .collect();
    let before = predict(&bound).expect("a steady state").throughput.operations;
    let after = predict(&bound.scaled(&twice).expect("factors in range")).expect("a steady state");
    let ratio = after.throughput.operations / before;
    assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
}
