//! Properties of fair rates on random systems.

mod support;

use bandgraph_engine::fair::{FairClass, FairSolver, solve};
use proptest::prelude::*;
use support::{check_fair, cost};

/// Random numbers over some orders of magnitude, or few distinct ones, for frequent ties.
fn magnitude(decades: f64) -> impl Strategy<Value = f64> {
    prop_oneof![
        2 => (-decades / 2.0..decades / 2.0).prop_map(|exponent| libm::pow(10.0, exponent)),
        1 => prop::sample::select(vec![0.5, 1.0, 2.0]),
    ]
}

fn random_class(resources: usize, costs: BoxedStrategy<f64>) -> impl Strategy<Value = FairClass> {
    let costs = prop::collection::vec((0..resources, costs), 1..=resources);
    let cap = prop::option::weighted(0.3, magnitude(3.0));
    let weight = prop_oneof![2 => Just(1.0), 1 => magnitude(1.0)];
    let flows = prop_oneof![1 => Just(0.0), 6 => (1..50_u32).prop_map(f64::from), 3 => 0.01..5.0];
    (costs, weight, cap, flows).prop_map(|(costs, weight, cap, flows)| FairClass {
        costs,
        weight,
        cap,
        flows,
    })
}

/// Up to 12 resources and 20 classes; `equal` makes every cost 1 (and each resource be named once).
fn system(most_resources: usize, equal: bool) -> impl Strategy<Value = (Vec<f64>, Vec<FairClass>)> {
    (1..=most_resources).prop_flat_map(move |resources| {
        let costs = if equal {
            Just(1.0).boxed()
        } else {
            magnitude(3.0).boxed()
        };
        let classes =
            prop::collection::vec(random_class(resources, costs), 1..=20).prop_map(move |mut classes| {
                for class in classes.iter_mut().filter(|_| equal) {
                    class.costs.sort_by_key(|(resource, _)| *resource);
                    class.costs.dedup_by_key(|(resource, _)| *resource);
                }
                classes
            });
        (prop::collection::vec(magnitude(3.0), resources), classes)
    })
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-8 * a.abs()
}

/// Costs with those on the same resource summed.
fn summed(costs: &[(usize, f64)]) -> Vec<(usize, f64)> {
    let mut sums: Vec<(usize, f64)> = Vec::new();
    for &(resource, cost) in costs {
        match sums.iter_mut().find(|(known, _)| *known == resource) {
            Some((_, sum)) => *sum += cost,
            None => sums.push((resource, cost)),
        }
    }
    sums
}

/// The same system with resources and classes in reverse order.
fn reversed(capacities: &[f64], classes: &[FairClass]) -> (Vec<f64>, Vec<FairClass>) {
    let last = capacities.len() - 1;
    let mut classes: Vec<_> = classes.iter().rev().cloned().collect();
    for class in &mut classes {
        class
            .costs
            .iter_mut()
            .for_each(|(resource, _)| *resource = last - *resource);
        class.costs.reverse();
    }
    (capacities.iter().rev().copied().collect(), classes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_flow_has_a_bottleneck_or_its_cap((capacities, classes) in system(12, false)) {
        let allocation = solve(&capacities, &classes).expect("the system is valid");
        prop_assert_eq!(check_fair(&capacities, &classes, &allocation.rates, 1e-8), Ok(()));
    }

    #[test]
    fn with_equal_costs_too((capacities, classes) in system(12, true)) {
        let allocation = solve(&capacities, &classes).expect("the system is valid");
        prop_assert_eq!(check_fair(&capacities, &classes, &allocation.rates, 1e-8), Ok(()));
    }

    #[test]
    fn order_does_not_matter_when_costs_are_equal((capacities, classes) in system(12, true)) {
        let allocation = solve(&capacities, &classes).expect("the system is valid");
        let (capacities, classes) = reversed(&capacities, &classes);
        let other = solve(&capacities, &classes).expect("the system is valid");
        for (class, (a, b)) in allocation.rates.iter().zip(other.rates.iter().rev()).enumerate() {
            prop_assert!(close(*a, *b), "class {class}: {a} and {b}");
        }
    }

    // With three or more resources, unequal costs can have several fair allocations; with two there is one.
    #[test]
    fn order_does_not_matter_on_two_resources((capacities, classes) in system(2, false)) {
        let allocation = solve(&capacities, &classes).expect("the system is valid");
        let (capacities, backward) = reversed(&capacities, &classes);
        let other = solve(&capacities, &backward).expect("the system is valid");
        for (class, (a, b)) in allocation.rates.iter().zip(other.rates.iter().rev()).enumerate() {
            prop_assert!(classes[class].flows == 0.0 || close(*a, *b), "class {class}: {a} and {b}");
        }
    }

    #[test]
    fn capacities_and_caps_scale_the_rates((capacities, classes) in system(12, false), scale in magnitude(6.0)) {
        let allocation = solve(&capacities, &classes).expect("the system is valid");
        let capacities: Vec<f64> = capacities.iter().map(|capacity| capacity * scale).collect();
        let mut scaled = classes.clone();
        for class in &mut scaled {
            class.cap = class.cap.map(|cap| cap * scale);
        }
        let rates: Vec<f64> = allocation.rates.iter().map(|rate| rate * scale).collect();
        // The scaled rates are fair in the scaled system (which may have others), and so is its own solution.
        prop_assert_eq!(check_fair(&capacities, &scaled, &rates, 1e-8), Ok(()));
        let other = solve(&capacities, &scaled).expect("the system is valid");
        prop_assert_eq!(check_fair(&capacities, &scaled, &other.rates, 1e-8), Ok(()));
    }

    #[test]
    fn a_class_of_many_flows_is_many_classes_of_one((capacities, classes) in system(8, true)) {
        let allocation = solve(&capacities, &classes).expect("the system is valid");
        let halves: Vec<FairClass> = classes
            .iter()
            .flat_map(|class| {
                let half = FairClass { flows: class.flows / 2.0, ..class.clone() };
                [half.clone(), half]
            })
            .collect();
        let split = solve(&capacities, &halves).expect("the system is valid");
        for (class, rate) in allocation.rates.iter().enumerate() {
            for half in [2 * class, 2 * class + 1] {
                prop_assert!(close(*rate, split.rates[half]), "class {class}: {rate} and {}", split.rates[half]);
            }
        }
    }

    #[test]
    fn a_system_changed_in_place_is_fair_again(
        (capacities, mut classes) in system(12, false),
        factors in prop::collection::vec((0.5..2.0_f64, 0.5..2.0_f64), 20),
    ) {
        let mut solver = FairSolver::new();
        solver.solve(&capacities, &classes).expect("the system is valid");
        for ((index, class), (by_cost, by_flows)) in classes.iter_mut().enumerate().zip(factors) {
            class.costs = summed(&class.costs);
            for (_, cost) in &mut class.costs {
                *cost *= by_cost;
            }
            class.flows = (class.flows * by_flows).max(0.01);
            class.cap = class.cap.map(|cap| cap / by_cost);
            solver.change(index, class.flows, class.cap, &class.costs).expect("a sound change");
        }
        let again = solver.solve_again().expect("the system is valid").clone();
        prop_assert_eq!(check_fair(&capacities, &classes, &again.rates, 1e-8), Ok(()));
    }

    #[test]
    fn changed_in_place_or_loaded_anew_is_one_when_costs_are_equal(
        (capacities, mut classes) in system(12, true),
        flows in prop::collection::vec(0.0..20.0_f64, 20),
    ) {
        let mut solver = FairSolver::new();
        solver.solve(&capacities, &classes).expect("the system is valid");
        for ((index, class), flows) in classes.iter_mut().enumerate().zip(flows) {
            class.flows = flows;
            solver.change(index, flows, class.cap, &[]).expect("a sound change");
        }
        let again = solver.solve_again().expect("the system is valid").clone();
        let anew = solve(&capacities, &classes).expect("the system is valid");
        for (a, b) in again.rates.iter().zip(&anew.rates) {
            prop_assert!(close(*a, *b), "{} and {}", a, b);
        }
    }

    #[test]
    fn uses_are_those_of_the_rates((capacities, classes) in system(12, false)) {
        let allocation = solve(&capacities, &classes).expect("the system is valid");
        for resource in 0..capacities.len() {
            let expected: f64 = classes
                .iter()
                .zip(&allocation.rates)
                .filter(|(class, _)| class.flows > 0.0)
                .map(|(class, rate)| class.flows * rate * cost(class, resource))
                .sum();
            prop_assert!(close(expected, allocation.usages[resource]) || expected < 1e-12);
        }
    }
}
