//! Fair rates of small systems, solved on paper.

use bandgraph_engine::fair::{FairClass, FairSolver, Limit, solve};
use bandgraph_engine::{BuildError, SolveError};

fn class(costs: &[(usize, f64)], flows: f64) -> FairClass {
    FairClass {
        costs: costs.to_vec(),
        weight: 1.0,
        cap: None,
        flows,
    }
}

fn weighted(costs: &[(usize, f64)], weight: f64) -> FairClass {
    FairClass {
        weight,
        ..class(costs, 1.0)
    }
}

fn capped(costs: &[(usize, f64)], cap: f64) -> FairClass {
    FairClass {
        cap: Some(cap),
        ..class(costs, 1.0)
    }
}

#[track_caller]
fn check(capacities: &[f64], classes: &[FairClass], expected: &[f64]) {
    let allocation = solve(capacities, classes).expect("the system is valid");
    assert_eq!(allocation.rates.len(), expected.len());
    for (rate, expected) in allocation.rates.iter().zip(expected) {
        assert!(
            (rate - expected).abs() <= 1e-12 * expected,
            "{:?} instead of {expected}",
            allocation.rates
        );
    }
}

#[test]
fn one_link_is_shared_equally_by_weight_and_by_cap() {
    check(&[12.0], &[class(&[(0, 1.0)], 3.0)], &[4.0]);
    check(
        &[12.0],
        &[weighted(&[(0, 1.0)], 1.0), weighted(&[(0, 1.0)], 3.0)],
        &[3.0, 9.0],
    );
    // 1 and 3 are below the fair share of the remainder; 8 remain.
    check(
        &[12.0],
        &[
            capped(&[(0, 1.0)], 1.0),
            class(&[(0, 1.0)], 1.0),
            capped(&[(0, 1.0)], 3.0),
        ],
        &[1.0, 8.0, 3.0],
    );
    // Equal shares of the resource are unequal rates if costs differ: 6 units each.
    check(
        &[12.0],
        &[class(&[(0, 2.0)], 1.0), class(&[(0, 3.0)], 1.0)],
        &[3.0, 2.0],
    );
}

#[test]
fn parking_lot() {
    // One flow over all five links, one on each.
    let mut classes = vec![class(&[(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0), (4, 1.0)], 1.0)];
    classes.extend((0..5).map(|link| class(&[(link, 1.0)], 1.0)));
    check(&[1.0; 5], &classes, &[0.5; 6]);
    classes[0].weight = 2.0;
    let third = 1.0 / 3.0;
    check(
        &[1.0; 5],
        &classes,
        &[2.0 * third, third, third, third, third, third],
    );
    // A narrow first link limits the long flow; the others use the rest.
    check(
        &[0.4, 1.0, 1.0, 1.0, 1.0],
        &classes,
        &[0.8 / 3.0, 0.4 / 3.0, 2.2 / 3.0, 2.2 / 3.0, 2.2 / 3.0, 2.2 / 3.0],
    );
}

#[test]
fn three_flows_on_two_links() {
    let across = class(&[(0, 1.0), (1, 1.0)], 1.0);
    let classes = [across, class(&[(0, 1.0)], 1.0), class(&[(1, 1.0)], 1.0)];
    check(&[10.0, 4.0], &classes, &[2.0, 8.0, 2.0]);
    check(&[10.0, 10.0], &classes, &[5.0, 5.0, 5.0]);
}

#[test]
fn fractional_populations_share_by_their_number() {
    check(
        &[1.0],
        &[class(&[(0, 1.0)], 0.25), class(&[(0, 1.0)], 2.25)],
        &[0.4, 0.4],
    );
}

#[test]
fn two_resources_with_unequal_costs() {
    // The system of Ghodsi and others, *Dominant Resource Fairness*, 2011: 9 processors and 18 GB; a task of
    // A takes 1 and 4, one of B 3 and 1. Under bottleneck max fairness both resources are full, memory limits
    // A and processors limit B: a + 3b = 9, 4a + b = 18.
    let classes = [
        class(&[(0, 1.0), (1, 4.0)], 1.0),
        class(&[(0, 3.0), (1, 1.0)], 1.0),
    ];
    check(&[9.0, 18.0], &classes, &[45.0 / 11.0, 18.0 / 11.0]);
    let allocation = solve(&[9.0, 18.0], &classes).expect("the system is valid");
    assert_eq!(allocation.limits, [Limit::Resource(1), Limit::Resource(0)]);
    // With enough memory only processors limit, in equal shares: 4.5 each.
    check(&[9.0, 100.0], &classes, &[4.5, 1.5]);
    // A cap on A leaves 8 processors for B.
    let mut classes = classes;
    classes[0].cap = Some(1.0);
    check(&[9.0, 18.0], &classes, &[1.0, 8.0 / 3.0]);
}

#[test]
fn a_cycle_of_three_resources_with_unequal_costs() {
    // Each class is heavy (2) on one resource and light (1) on the next: all rates are equal, so that 2x + x
    // = 1.
    let classes: Vec<_> = (0..3)
        .map(|r| class(&[(r, 2.0), ((r + 1) % 3, 1.0)], 1.0))
        .collect();
    check(&[1.0; 3], &classes, &[1.0 / 3.0; 3]);
}

#[test]
fn limits_levels_and_uses_are_told() {
    let classes = [
        class(&[(0, 1.0), (1, 1.0)], 2.0),
        capped(&[(1, 1.0)], 0.5),
        class(&[(1, 1.0), (2, 1.0)], 0.0),
        class(&[(2, 1.0)], 0.0),
    ];
    let allocation = solve(&[4.0, 10.0, 1.0], &classes).expect("the system is valid");
    assert_eq!(allocation.rates, [2.0, 0.5, f64::INFINITY, f64::INFINITY]);
    assert_eq!(
        allocation.limits,
        [Limit::Resource(0), Limit::Cap, Limit::None, Limit::None]
    );
    assert_eq!(allocation.levels, [2.0, f64::INFINITY, f64::INFINITY]);
    assert_eq!(allocation.usages, [4.0, 4.5, 0.0]);
}

#[test]
fn a_full_resource_that_holds_nobody_back_has_a_level_all_the_same() {
    // Both links become full at the same moment; a further flow on either would have to share.
    let classes = [
        class(&[(0, 1.0), (1, 1.0)], 1.0),
        class(&[(0, 1.0)], 0.0),
        class(&[(1, 1.0)], 0.0),
    ];
    let allocation = solve(&[3.0, 3.0], &classes).expect("the system is valid");
    assert_eq!(allocation.rates, [3.0, 3.0, 3.0]);
}

#[test]
fn a_solver_can_be_used_again_for_another_system() {
    let mut solver = FairSolver::new();
    let large: Vec<_> = (0..30)
        .map(|c| class(&[(c % 7, 1.0), ((c + 3) % 7, 2.0)], 1.0))
        .collect();
    let first = solver
        .solve(&[1.0; 7], &large)
        .expect("the system is valid")
        .clone();
    let small = solver
        .solve(&[5.0], &[class(&[(0, 1.0)], 1.0)])
        .expect("the system is valid");
    assert_eq!(small.rates, [5.0]);
    assert_eq!(
        solver.solve(&[1.0; 7], &large).expect("the system is valid"),
        &first
    );
}

#[test]
fn nothing_gives_nothing() {
    assert_eq!(solve(&[], &[]).expect("an empty system is valid").rates, []);
    assert_eq!(
        solve(&[], &[capped(&[], 3.0)]).expect("a cap is enough").rates,
        [3.0]
    );
}

#[test]
fn bad_input_is_refused_with_its_place() {
    let good = class(&[(0, 1.0)], 1.0);
    for capacity in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = solve(&[1.0, capacity], &[]).expect_err("the capacity is bad");
        assert!(
            matches!(
                error,
                SolveError::Resource {
                    resource: 1,
                    reason: BuildError::Capacity(_)
                }
            ),
            "{capacity}: {error}"
        );
    }
    let reason = |class: FairClass| match solve(&[1.0], &[good.clone(), class]).expect_err("the class is bad")
    {
        SolveError::Class { class: 1, reason } => reason,
        other => panic!("unexpected: {other}"),
    };
    assert!(matches!(
        reason(class(&[(0, f64::NAN)], 1.0)),
        BuildError::Cost(_)
    ));
    assert_eq!(reason(class(&[(0, -1.0)], 1.0)), BuildError::Cost(-1.0));
    assert_eq!(reason(class(&[(1, 1.0)], 1.0)), BuildError::UnknownResource(1));
    assert_eq!(reason(class(&[(0, 0.0)], 1.0)), BuildError::Unbounded);
    assert_eq!(reason(class(&[(0, 1.0)], -1.0)), BuildError::Flows(-1.0));
    assert_eq!(reason(weighted(&[(0, 1.0)], 0.0)), BuildError::Weight(0.0));
    assert_eq!(reason(capped(&[(0, 1.0)], -2.0)), BuildError::RateCap(-2.0));
}
