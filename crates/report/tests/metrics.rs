//! What an outcome says about every metric.

mod sample;

use bandgraph_report::metric_value;
use bandgraph_scenario::Metric;
use bandgraph_units::Time;

#[test]
fn every_metric_has_its_figure() {
    let outcome = sample::simulated().outcome;
    // Two sockets: 9.2e9 cycles/s busy for 90 % at 11.7 cycles an instruction, 4.6e9 for 50 % at 8.
    let (first, second) = (9.2e9 * 0.9, 4.6e9 * 0.5);
    for (metric, expected) in [
        (Metric::NetworkBytesPerSecond, 2.2e9),
        (Metric::PayloadBytesPerSecond, 2.1e9),
        (Metric::DiskBytesPerSecond, 0.0),
        (Metric::OperationsPerSecond, 2_100.0),
        (Metric::LatencyMean, 0.095),
        (Metric::LatencyP50, 0.09),
        (Metric::LatencyP95, 0.14),
        (Metric::LatencyP99, 0.155),
        (Metric::LatencyMax, 0.21),
        (Metric::CpuBusy, (first + second) / 13.8e9),
        (Metric::CpuStalled, (9.2e9 * 0.625 + 4.6e9 * 0.25) / 13.8e9),
        (
            Metric::CyclesPerInstruction,
            (first + second) / (first / 11.7 + second / 8.0),
        ),
    ] {
        let value = metric_value(metric, &outcome).expect("a simulation knows every metric");
        assert!(
            (value - expected).abs() <= 1e-12 * expected.abs(),
            "{metric}: {value} is not {expected}"
        );
    }
}

#[test]
fn every_metric_is_known_to_a_simulation() {
    let mut outcome = sample::simulated().outcome;
    // Only jobs have an end.
    assert_eq!(metric_value(Metric::Elapsed, &outcome), None);
    outcome.elapsed = Some(Time::new(120.0));
    assert_eq!(metric_value(Metric::Elapsed, &outcome), Some(120.0));
    for metric in Metric::ALL.iter().filter(|metric| !metric.is_of_resource()) {
        assert!(metric_value(*metric, &outcome).is_some(), "{metric}");
    }
}

#[test]
fn a_prediction_has_no_percentiles() {
    let outcome = sample::predicted().outcome;
    assert_eq!(metric_value(Metric::LatencyMean, &outcome), Some(0.095));
    for metric in [
        Metric::LatencyP50,
        Metric::LatencyP95,
        Metric::LatencyP99,
        Metric::LatencyMax,
    ] {
        assert_eq!(metric_value(metric, &outcome), None, "{metric}");
    }
}

#[test]
fn an_idle_machine_has_no_cycles_per_instruction() {
    let mut outcome = sample::simulated().outcome;
    for socket in &mut outcome.sockets {
        socket.busy = 0.0;
    }
    assert_eq!(metric_value(Metric::CyclesPerInstruction, &outcome), None);
    assert_eq!(metric_value(Metric::CpuBusy, &outcome), Some(0.0));
}
