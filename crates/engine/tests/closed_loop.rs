//! The closed-loop workload compared with values on which `SimGrid` and an independent program agree.

#[path = "../../../examples/closed_loop/workload.rs"]
mod workload;

use workload::{Case, ClosedLoop, Outcome};

fn run(case: Case) -> Outcome {
    let mut closed_loop = ClosedLoop::new(case).expect("the graph is valid");
    let outcome = closed_loop.run().expect("the run ends well");
    closed_loop.engine.audit().expect("the books balance");
    assert_eq!(outcome.completions, case.completions);
    outcome
}

/// Compares with published values of 10 significant digits.
fn check(case: Case, t_k: f64, bytes: f64, mean_duration: f64) {
    let outcome = run(case);
    for (got, expected, what) in [
        (outcome.t_k, t_k, "t_K"),
        (outcome.bytes, bytes, "bytes"),
        (outcome.mean_duration, mean_duration, "mean"),
    ] {
        assert_eq!(
            format!("{got:.9e}"),
            format!("{expected:.9e}"),
            "{what} of {case:?}: {got}"
        );
    }
}

fn case(name: &str, completions: u64) -> Case {
    Case {
        completions,
        ..Case::named(name).expect("the case exists")
    }
}

#[test]
fn a_short() {
    check(
        case("a", 2_000),
        0.875_568_893_438,
        2_097_264_581.0,
        0.083_890_583_25,
    );
}

#[test]
fn a() {
    check(
        case("a", 100_000),
        41.974_889_584_9,
        1.048_307_766e11,
        0.083_864_621_31,
    );
}

#[test]
fn b() {
    check(
        case("b", 200_000),
        0.329_338_027_344,
        819_190_168.5,
        0.003_276_760_674,
    );
}

#[test]
fn c() {
    check(
        case("c", 200_000),
        73.031_188_486,
        2.097_040_164e11,
        1.446_234_596,
    );
}

#[test]
fn d() {
    check(
        case("d", 200_000),
        74.101_505_451_9,
        2.096_970_283e11,
        3.615_466_006,
    );
}

/// `benches/long-run.sh` runs 10^8 completions; the same properties hold in a run of a few hundred thousand.
#[test]
fn books_stay_exact_and_no_clock_drifts() {
    for name in ["a", "b", "c"] {
        let mut closed_loop = ClosedLoop::new(case(name, 200_000)).expect("the case is valid");
        closed_loop.run().expect("the run is sound");
        let exactness = closed_loop.exactness();
        assert!(exactness.lost <= 1e-12, "{name}: {exactness:?}");
        assert!((exactness.fullest - 1.0).abs() <= 1e-11, "{name}: {exactness:?}");
    }
}

#[test]
fn hard() {
    check(
        case("hard", 2_000),
        1.366_994_727_56,
        2_096_182_343.0,
        0.124_931_951_2,
    );
    check(
        case("hard", 5_000),
        3.330_800_665_07,
        5_240_520_001.0,
        0.128_240_434_2,
    );
}

#[test]
fn hard_with_400_clients() {
    let outcome = run(case("hard-400", 50_000));
    assert_eq!(
        format!("{:.9e}", outcome.t_k),
        format!("{:.9e}", 33.950_617_169_7)
    );
    assert_eq!(
        format!("{:.9e}", outcome.bytes),
        format!("{:.9e}", 5.241_560_486e10)
    );
}
