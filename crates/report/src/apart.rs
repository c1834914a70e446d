//! How far a simulation is from the prediction of the same scenario: by more than chance and the
//! approximations of predicted queues explain.

use bandgraph_scenario::Metric;
use bandgraph_solve::{DISAGREEMENT, Outcome, SimulatedRun};
use bandgraph_units::Time;

use crate::run_report::relative;
use crate::text::{count_rate, signed_percent};

/// The relative difference in mean latency between a simulation and the prediction above which they disagree,
/// since a prediction approximates queues.
pub(crate) const LATENCY_DISAGREEMENT: f64 = 0.15;
/// What to think of figures that differ too much.
const BOTH: &str = ", and neither figure is more exact than that; an interval, where there is one, holds \
                    both";
/// Three standard deviations, in halves of a 90 % interval.
const THREE_DEVIATIONS: f64 = 3.0 / 1.645;

/// In which figures a simulation and the prediction differ by more than the bound of the warning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    pub(crate) throughput: bool,
    pub(crate) latency: bool,
}

impl Apart {
    /// Whether they differ in this metric. Rates and times follow from each other.
    pub(crate) fn of(self, metric: Metric) -> bool {
        self.throughput || (self.latency && metric == Metric::LatencyMean)
    }
}

/// What differs too much between a simulation and the prediction of a load that is there all the time.
/// Latencies of an overload depend on the length of the run and are not compared.
pub(crate) fn differences(
    outcome: &Outcome,
    prediction: &Outcome,
    run: &SimulatedRun,
) -> (Vec<String>, Apart) {
    let [found, predicted] = [outcome, prediction].map(|of| of.throughput.operations.get());
    let rates = disagreement(found, predicted, run);
    let is_steady = ![outcome, prediction].into_iter().any(Outcome::is_overloaded);
    let times = in_latency(outcome, prediction, run).filter(|_| is_steady && rates.is_none());
    let apart = Apart {
        throughput: rates.is_some(),
        latency: times.is_some(),
    };
    let of_part = of_a_part(outcome, prediction).filter(|_| is_steady);
    (rates.into_iter().chain(times).chain(of_part).collect(), apart)
}

/// A simulation whose operations per second differ from the predicted ones by more than chance: by more than
/// three standard deviations of what it found.
fn disagreement(found: f64, predicted: f64, run: &SimulatedRun) -> Option<String> {
    let difference = relative(found, predicted)?;
    let chance = run.precision.map_or_else(
        // Of operations that come at random.
        || 3.0 / (predicted * run.measured.get()).sqrt(),
        |found| THREE_DEVIATIONS * found.throughput,
    );
    (difference.abs() > DISAGREEMENT.max(chance)).then(|| {
        format!(
            "the simulation delivers {}, and the steady-state prediction is {}: they differ by {}{}",
            count_rate(found),
            count_rate(predicted),
            signed_percent(difference),
            match run.short {
                Some(_) => "",
                None => BOTH,
            }
        )
    })
}

/// A simulation whose mean latency differs from the predicted one by more than chance and more than the
/// approximations of predicted queues explain.
fn in_latency(outcome: &Outcome, prediction: &Outcome, run: &SimulatedRun) -> Option<String> {
    let [found, predicted] = [outcome, prediction].map(|of| of.latency.mean);
    let difference = relative(found.get(), predicted.get())?;
    let chance = THREE_DEVIATIONS * run.precision?.latency?;
    (outcome.elapsed.is_none() && difference.abs() > LATENCY_DISAGREEMENT.max(chance)).then(|| {
        format!(
            "the mean latency of the simulation is {found}, and that of the steady-state prediction is \
             {predicted}: they differ by {}{BOTH}",
            signed_percent(difference),
        )
    })
}

/// The workload, or the operation of a mix, whose rate or mean latency differs most from the predicted one:
/// by more than the same bounds, and by more than the totals do, which can hide it.
fn of_a_part(outcome: &Outcome, prediction: &Outcome) -> Option<String> {
    let both = outcome.workloads.iter().zip(&prediction.workloads);
    let mut parts = Vec::new();
    for (found, predicted) in both.filter(|(found, _)| found.elapsed.is_none()) {
        let Some(precision) = found.precision else {
            continue;
        };
        let name = format!("workload `{}`", found.id);
        let rates = [found, predicted].map(|of| of.throughput.operations.get());
        let least = DISAGREEMENT.max(THREE_DEVIATIONS * precision.throughput);
        parts.extend(Part::new(&name, "rate", rates, least));
        let Some(chance) = precision.latency.map(|half| THREE_DEVIATIONS * half) else {
            continue;
        };
        let means = [found, predicted].map(|of| of.latency.mean.get());
        parts.extend(Part::new(&name, LATENCY, means, LATENCY_DISAGREEMENT.max(chance)));
        for (of, predicted) in found.operations.iter().zip(&predicted.operations) {
            let name = format!("{} of {name}", of.operation);
            let means = [of, predicted].map(|of| of.latency.get());
            // Fewer operations are known less well.
            let least = LATENCY_DISAGREEMENT.max(chance * (rates[0] / of.rate.get()).sqrt());
            parts.extend(Part::new(&name, LATENCY, means, least));
        }
    }
    let rates = [outcome, prediction].map(|of| of.throughput.operations.get());
    let means = [outcome, prediction].map(|of| of.latency.mean.get());
    let of_totals = ratio(rates).max(ratio(means));
    let worst = parts
        .into_iter()
        .max_by(|one, other| one.ratio.total_cmp(&other.ratio))?;
    (worst.ratio > of_totals + DISAGREEMENT).then_some(worst.text)
}

/// The figure of a part that is a time.
const LATENCY: &str = "mean latency";

/// A figure of a part of the load that a simulation and the prediction do not agree on.
struct Part {
    ratio: f64,
    text: String,
}

/// How many times as large the larger of two figures is.
fn ratio([one, other]: [f64; 2]) -> f64 {
    (one / other).max(other / one)
}

impl Part {
    /// A figure in operations per second or seconds, found and predicted, if it differs by more than `least`.
    fn new(name: &str, figure: &str, both: [f64; 2], least: f64) -> Option<Self> {
        let difference = relative(both[0], both[1]).filter(|difference| difference.abs() > least)?;
        let [found, predicted] = both.map(|value| match figure {
            LATENCY => Time::new(value).to_string(),
            _ => count_rate(value),
        });
        Some(Self {
            ratio: ratio(both),
            text: format!(
                "{name}: the {figure} is {found} in the simulation, and {predicted} in the steady-state \
                 prediction: they differ by {}, more than those of all operations, and neither figure is \
                 more exact than that",
                signed_percent(difference),
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use bandgraph_model::CacheUse;
    use bandgraph_model::storage::HitRateMethod;
    use bandgraph_solve::{Latency, Mode, Offered, OperationOutcome, Precision, Throughput, WorkloadOutcome};
    use bandgraph_units::{Bytes, Fraction, OperationRate};
    use bandgraph_workload::OperationKind;

    use super::*;

    #[test]
    fn only_what_chance_does_not_explain_is_a_disagreement() {
        let run = |seconds: f64, half: Option<f64>| SimulatedRun {
            warm_up: Time::ZERO,
            measured: Time::new(seconds),
            operations: 0,
            events: 0,
            short: None,
            precision: half.map(|throughput| Precision {
                batches: 20,
                throughput,
                latency: None,
            }),
        };
        assert_eq!(disagreement(1049.0, 1000.0, &run(10.0, None)), None);
        assert_eq!(disagreement(880.0, 1000.0, &run(0.1, None)), None);
        assert_eq!(disagreement(880.0, 0.0, &run(10.0, None)), None);
        assert_eq!(disagreement(880.0, 1000.0, &run(10.0, Some(0.08))), None);
        let text =
            disagreement(880.0, 1000.0, &run(10.0, Some(0.06))).expect("12 % and three deviations of 11 %");
        for figure in ["880 ops/s", "1,000 ops/s", "-12.0 %"] {
            assert!(text.contains(figure), "{text}");
        }
    }

    /// An overload that only the prediction has is a difference of rates; its latencies are not compared.
    #[test]
    fn an_overload_that_is_only_predicted_is_a_disagreement() {
        let run = SimulatedRun {
            warm_up: Time::ZERO,
            measured: Time::new(10.0),
            operations: 0,
            events: 0,
            short: None,
            precision: None,
        };
        let found = outcome(vec![workload("open", 1000.0, 0.01)]);
        let mut predicted = outcome(vec![workload("open", 200.0, 1.0)]);
        predicted.workloads[0].offered = Some(Offered {
            rate: OperationRate::new(1000.0),
            backlog: 8000.0,
            growth: 800.0,
            saturated: true,
        });
        assert_eq!(
            differences(&found, &predicted, &run),
            (Vec::new(), Apart::default())
        );
        predicted.throughput.operations = OperationRate::new(400.0);
        let (texts, apart) = differences(&found, &predicted, &run);
        assert!(apart.throughput && !apart.latency, "{apart:?}");
        assert!(texts.len() == 1 && texts[0].contains("+400.0 %"), "{texts:?}");
    }

    fn workload(id: &str, rate: f64, mean: f64) -> WorkloadOutcome {
        let throughput = Throughput {
            operations: OperationRate::new(rate),
            ..Throughput::default()
        };
        let operation = |operation, mean| OperationOutcome {
            operation,
            rate: OperationRate::new(rate / 2.0),
            latency: Time::new(mean),
            instructions: 0.0,
            cycles: 0.0,
            disk_bytes: 0.0,
        };
        WorkloadOutcome {
            id: id.to_owned(),
            throughput,
            latency: latency(mean),
            precision: Some(Precision {
                batches: 20,
                throughput: 0.01,
                latency: Some(0.01),
            }),
            outstanding: 1.0,
            offered: None,
            cache: no_cache(),
            metadata: no_cache(),
            elapsed: None,
            operations: vec![
                operation(OperationKind::Read, mean * 1.9),
                operation(OperationKind::Write, mean * 0.1),
            ],
        }
    }

    fn no_cache() -> CacheUse {
        CacheUse {
            working_set: Bytes::ZERO,
            capacity: Bytes::ZERO,
            hit_rate: Fraction::new(1.0),
            second_level_hit_rate: Fraction::new(1.0),
            second_level: None,
            method: HitRateMethod::Random,
        }
    }

    fn latency(mean: f64) -> Latency {
        Latency {
            mean: Time::new(mean),
            ..Latency::default()
        }
    }

    fn outcome(workloads: Vec<WorkloadOutcome>) -> Outcome {
        Outcome {
            mode: Mode::Simulate,
            throughput: Throughput {
                operations: OperationRate::new(2000.0),
                ..Throughput::default()
            },
            latency: latency(0.01),
            resources: Vec::new(),
            sockets: Vec::new(),
            link_traffic: Vec::new(),
            workloads,
            power: None,
            elapsed: None,
            simulated: None,
            unsettled: 0.0,
        }
    }

    /// The totals are equal; of what differs, the worst is named, and only that.
    #[test]
    fn a_part_that_differs_more_than_the_totals_is_named() {
        let predicted = outcome(vec![workload("few", 100.0, 0.01), workload("many", 1900.0, 0.01)]);
        assert_eq!(of_a_part(&predicted, &predicted), None);
        let near = outcome(vec![
            workload("few", 104.0, 0.01),
            workload("many", 1896.0, 0.011),
        ]);
        assert_eq!(of_a_part(&near, &predicted), None);
        let starving = outcome(vec![workload("few", 200.0, 0.01), workload("many", 1800.0, 0.01)]);
        let text = of_a_part(&starving, &predicted).expect("twice as much");
        for words in ["`few`: the rate is 200 ops/s", "100 ops/s", "+100.0 %"] {
            assert!(text.contains(words), "{text}");
        }
        let mut slow = predicted.clone();
        slow.workloads[0].operations[1].latency = Time::new(0.004);
        let text = of_a_part(&slow, &predicted).expect("four times as long");
        for words in ["of workload `few`: the mean latency is 4 ms", "1 ms", "+300.0 %"] {
            assert!(text.contains(words), "{text}");
        }
    }
}
