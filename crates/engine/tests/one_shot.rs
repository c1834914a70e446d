//! The one-shot systems of the benchmark page, with the sums and minima on which `SimGrid` and an independent
//! program agree.

#[path = "../../../examples/closed_loop/random_system.rs"]
mod random_system;

use bandgraph_engine::fair::solve;
use random_system::random_system;

#[track_caller]
fn check(resources: usize, classes: usize, per_class: usize, sum: f64, least: f64) {
    let (capacities, classes) = random_system(resources, classes, per_class);
    let allocation = solve(&capacities, &classes).expect("the system is valid");
    let got: f64 = allocation.rates.iter().sum();
    assert!((got / sum - 1.0).abs() < 1e-10, "sum {got} instead of {sum}");
    let got = allocation.rates.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(
        (got / least - 1.0).abs() < 1e-10,
        "minimum {got} instead of {least}"
    );
}

#[test]
fn twenty_resources() {
    check(20, 20, 4, 14.994_072_967_8, 0.283_743_921_667);
}

#[test]
fn a_hundred_resources() {
    check(100, 1_000, 4, 113.964_645_97, 0.021_604_171_616_3);
}

#[test]
fn a_thousand_resources() {
    check(1_000, 10_000, 6, 736.812_293_75, 0.014_939_312_148_2);
}

#[test]
fn ten_thousand_resources() {
    check(10_000, 100_000, 6, 7_386.588_059_14, 0.012_783_553_427_7);
}
