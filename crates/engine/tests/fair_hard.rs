//! Systems from simulations and predictions in which policy iteration does not converge.
//!
//! `hard/*.txt`: capacities on the first line; then one class per line: flows, weight, cap (`inf`: none), and
//! its costs as `resource:cost`.

mod support;

use bandgraph_engine::fair::{FairClass, FairSolver};
use support::check_fair;

fn number(word: &str) -> f64 {
    word.parse().expect("a number")
}

fn class(line: &str) -> FairClass {
    let mut words = line.split_whitespace();
    let mut next = || number(words.next().expect("flows, weight and cap"));
    let (flows, weight, cap) = (next(), next(), next());
    let costs = words.map(|word| {
        let (resource, cost) = word.split_once(':').expect("resource:cost");
        (resource.parse().expect("a position"), number(cost))
    });
    FairClass {
        costs: costs.collect(),
        weight,
        cap: cap.is_finite().then_some(cap),
        flows,
    }
}

#[track_caller]
fn check(text: &str) {
    let mut lines = text.lines();
    let capacities: Vec<f64> = lines
        .next()
        .expect("capacities")
        .split_whitespace()
        .map(number)
        .collect();
    let classes: Vec<FairClass> = lines.map(class).collect();
    let mut solver = FairSolver::new();
    let found = solver
        .solve(&capacities, &classes)
        .expect("the system is valid")
        .clone();
    assert_eq!(
        solver.fallbacks(),
        1,
        "policy iteration settles: not a hard system"
    );
    assert_eq!(check_fair(&capacities, &classes, &found.rates, 1e-9), Ok(()));
    let again = solver.solve(&capacities, &classes).expect("the system is valid");
    assert_eq!(again, &found);
}

#[test]
fn three_closed_loops_of_ten_clients() {
    check(include_str!("hard/three-loops.txt"));
    check(include_str!("hard/three-loops-part.txt"));
}

#[test]
fn loops_of_reads_from_disk_beside_a_mix() {
    check(include_str!("hard/mixed-loops-part.txt"));
}

// The prediction of a trace with zero duration has 10¹⁷ operations in flight in some classes and one in
// others.
#[test]
fn operations_at_one_instant() {
    check(include_str!("hard/four-operations.txt"));
    check(include_str!("hard/burst-of-20.txt"));
    check(include_str!("hard/burst-of-20-wide.txt"));
}
