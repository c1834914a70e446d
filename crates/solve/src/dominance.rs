//! Resources that are never the first to saturate, because another always saturates with them or before.
//!
//! A resource is *dominated* by another if every class loads the other at least as much, relative to its
//! capacity. Then the other is saturated whenever the dominated one is, for the same classes, so that the
//! latter cannot change any shares. On a Sun Storage 7410 this leaves about one resource in four for the
//! solver.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_model::Bound;

/// Number of comparisons above which the search for dominated resources costs more than it saves.
const COMPARISONS_MAX: usize = 4_000_000;

/// The resources that may limit a class, in ascending order, of all in the demands. Demands are lists of
/// (resource, units per operation), in ascending order of resource.
pub(crate) fn essential(demands: &[&[(usize, f64)]], capacities: &[f64]) -> Vec<usize> {
    let named = || demands.iter().copied().flatten().map(|&(resource, _)| resource);
    let ends = || {
        demands
            .iter()
            .filter_map(|demand| Some((demand.first()?.0, demand.last()?.0)))
    };
    let (Some(first), Some(last)) = (
        ends().map(|(first, _)| first).min(),
        ends().map(|(_, last)| last).max(),
    ) else {
        return Vec::new();
    };
    // By resource, from the first one used: its position among those used.
    let mut rows = vec![usize::MAX; last - first + 1];
    for resource in named() {
        rows[resource - first] = 0;
    }
    let mut used = Vec::with_capacity(rows.len());
    for (offset, row) in rows.iter_mut().enumerate().filter(|(_, row)| **row == 0) {
        *row = used.len();
        used.push(first + offset);
    }
    let classes = demands.len();
    if used.len().saturating_mul(used.len()).saturating_mul(classes) > COMPARISONS_MAX {
        return used;
    }
    // Relative loads, one row per resource.
    let mut loads = vec![0.0; used.len() * classes];
    for (class, demand) in demands.iter().enumerate() {
        for &(resource, units) in *demand {
            loads[rows[resource - first] * classes + class] += units / capacities[resource];
        }
    }
    let row = |index: usize| &loads[index * classes..(index + 1) * classes];
    // Rounding keeps the order of sums, so that most comparisons end with these.
    let sums: Vec<f64> = (0..used.len()).map(|index| row(index).iter().sum()).collect();
    let at_least = |other: usize, own: usize| {
        sums[other] >= sums[own] && row(other).iter().zip(row(own)).all(|(other, own)| other >= own)
    };
    // Dominance is transitive: it is sufficient to compare with resources not dominated so far. The most
    // loaded ones come first: these dominate most others.
    let mut order: Vec<usize> = (0..used.len()).collect();
    order.sort_by(|&one, &other| sums[other].total_cmp(&sums[one]));
    let mut kept: Vec<usize> = Vec::with_capacity(used.len());
    for index in order {
        // Of equal ones, the first is kept.
        if kept.iter().any(|&other| at_least(other, index)) {
            continue;
        }
        kept.retain(|&other| !at_least(index, other));
        kept.push(index);
    }
    kept.sort_unstable();
    kept.into_iter().map(|index| used[index]).collect()
}

/// Whether each resource of a bound scenario may limit a class, including cores: for engines that distinguish
/// every client.
pub fn kept(bound: &Bound, capacities: &[f64]) -> Vec<bool> {
    let mut keep = vec![false; bound.resources.len()];
    for socket in bound.sockets.iter() {
        keep[socket.cpu] = true;
    }
    for cores in bound.port_cores() {
        keep[cores] = true;
    }
    let part = |class: usize, of_client: bool| -> Vec<(usize, f64)> {
        let demand = bound.classes[class].moving_demand();
        demand
            .filter(|&(resource, _)| bound.is_client(resource) == of_client)
            .collect()
    };
    // Shared resources of clients: one group of threads of each kind represents all.
    let mut kinds: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut shared: Vec<Vec<(usize, f64)>> = Vec::new();
    // Private resources of clients, by NIC: all classes of all thread groups on it use them together.
    let mut own: BTreeMap<usize, Vec<Vec<(usize, f64)>>> = BTreeMap::new();
    for group in bound.threads.iter() {
        let classes = group.visits.iter().map(|&(class, _)| class);
        if kinds.insert((group.workload, group.kind)) {
            shared.extend(classes.clone().map(|class| part(class, false)));
        }
        let of_client = classes.map(|class| part(class, true));
        own.entry(group.client_nic).or_default().extend(of_client);
    }
    shared.extend(
        bound
            .background
            .iter()
            .map(|background| background.demand.clone()),
    );
    // Single commands never exceed the capacity of their devices.
    for bank in bound.banks.iter() {
        for &resource in &bank.resources {
            let is_shared = shared.iter().flatten().any(|&(other, _)| other == resource);
            if is_shared {
                shared.push(vec![(resource, bank.units())]);
            }
        }
    }
    for demands in own.values().chain([&shared]) {
        let demands: Vec<&[(usize, f64)]> = demands.iter().map(Vec::as_slice).collect();
        for resource in essential(&demands, capacities) {
            keep[resource] = true;
        }
    }
    keep
}

#[cfg(test)]
mod tests {
    use bandgraph_engine::fair::{FairClass, solve};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_fills_later_for_everyone_is_left_out() {
        // Resource 1 has twice the capacity of 0 for the same use; 2 is used by only one class, more than 0
        // is.
        let demands: [&[(usize, f64)]; 2] = [&[(0, 1.0), (1, 1.0), (2, 3.0)], &[(0, 1.0), (1, 1.0)]];
        assert_eq!(essential(&demands, &[10.0, 20.0, 10.0]), [0, 2]);
        assert_eq!(essential(&demands, &[10.0, 5.0, 10.0]), [1, 2]);
    }

    #[test]
    fn of_equals_one_stays() {
        let demands: [&[(usize, f64)]; 1] = [&[(3, 1.0), (5, 2.0)]];
        assert_eq!(essential(&demands, &[1.0, 1.0, 1.0, 4.0, 1.0, 8.0]), [3]);
    }

    proptest! {
        #[test]
        fn shares_are_the_same_without_dominated_resources(
            system in proptest::collection::vec(
                (proptest::collection::vec(0.0..2.0_f64, 6), 1_u32..20),
                1..5,
            ),
            capacities in proptest::collection::vec(1.0..20.0_f64, 6),
        ) {
            let demands: Vec<Vec<(usize, f64)>> = system
                .iter()
                .map(|(units, _)| {
                    // Proportional uses make dominance likely; the floor keeps every class on every resource.
                    units.iter().map(|units| 0.1 + units.floor()).enumerate().collect()
                })
                .collect();
            let lists: Vec<&[(usize, f64)]> = demands.iter().map(Vec::as_slice).collect();
            let kept = essential(&lists, &capacities);
            let class = |keep: &dyn Fn(usize) -> bool| -> Vec<FairClass> {
                demands
                    .iter()
                    .zip(&system)
                    .map(|(demand, (_, flows))| FairClass {
                        costs: demand.iter().copied().filter(|&(resource, _)| keep(resource)).collect(),
                        weight: 1.0,
                        cap: None,
                        flows: f64::from(*flows),
                    })
                    .collect()
            };
            let all = solve(&capacities, &class(&|_| true)).expect("a sound system");
            let fewer = solve(&capacities, &class(&|resource| kept.contains(&resource))).expect("a sound system");
            for (a, b) in all.rates.iter().zip(&fewer.rates) {
                prop_assert!((a - b).abs() <= 1e-6 * a, "{a} and {b}: kept {kept:?}");
            }
        }
    }
}
