//! The estimated cost of a sweep.

use std::path::Path;
use std::sync::Mutex;

use bandgraph_diagnostics::Sources;
use bandgraph_scenario::{Metric, SweepMode, load_sweep};
use bandgraph_solve::RunError;
use bandgraph_study::{Design, Shard, estimated_operations, run_sweep};

/// With given windows, the simulated operations are the predicted operations per second times the duration.
#[test]
fn operations_of_a_sweep_are_the_predicted_rates_times_the_windows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/sweeps/7410-generations.toml");
    let sets = ["run.warm_up=\"1 s\"", "run.duration=\"3 s\""].map(str::to_owned);
    let mut sources = Sources::new();
    let mut sweep = load_sweep(&path, &sets, &mut sources).expect("a shipped sweep");
    let whole = Shard::WHOLE;
    let design = Design::new(&sweep);
    assert_eq!(estimated_operations(&design, &sources, whole), 0.0, "it predicts");
    let rates = Mutex::new(Vec::new());
    let keep = |record: bandgraph_study::Record| -> Result<(), RunError> {
        let figures = record.result.expect("every point has an answer");
        let place = Metric::ALL
            .iter()
            .position(|&metric| metric == Metric::OperationsPerSecond);
        let rate = place.and_then(|place| figures.metrics[place]);
        rates
            .lock()
            .expect("no thread panics")
            .push(rate.expect("a rate"));
        Ok(())
    };
    run_sweep(&design, &sources, whole, &|_| false, &keep, &|_| {}).expect("it runs");
    let rates = rates.into_inner().expect("no thread panics");
    assert!(
        (2..=64).contains(&rates.len()),
        "all points are estimated: {}",
        rates.len()
    );
    let expected = 4.0 * rates.iter().sum::<f64>();
    sweep.mode = SweepMode::Simulate;
    let design = Design::new(&sweep);
    let found = estimated_operations(&design, &sources, whole);
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} of {expected}");
    let half = estimated_operations(&design, &sources, "1/2".parse().expect("a shard"));
    let share = whole.size(design.candidates()).div_ceil(2) as f64 / rates.len() as f64;
    assert!((half / found - share).abs() < 1e-9, "{half} of {found}");
}
