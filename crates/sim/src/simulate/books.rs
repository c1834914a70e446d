//! What completed in the measured window.

use bandgraph_engine::Time as Instant;
use bandgraph_units::Time;
use hdrhistogram::Histogram;

use crate::bind::Bound;
use crate::outcome::{Mode, Outcome, Percentiles, SimulatedRun};
use crate::tally::{ClassTotals, Tally};

/// Significant digits of recorded latencies.
const LATENCY_DIGITS: u8 = 3;

/// What completed in the measured window, by class.
#[derive(Clone, Copy, Debug, Default)]
struct Completed {
    operations: u64,
    latency_seconds: f64,
}

/// The operations that completed and how long they took.
pub(super) struct Books {
    completed: Vec<Completed>,
    /// Latencies in nanoseconds, one histogram per workload.
    latencies: Vec<Histogram<u64>>,
    /// The slowest operation of every workload, in nanoseconds.
    slowest: Vec<u64>,
}

impl Books {
    pub(super) fn new(bound: &Bound) -> Self {
        Self {
            completed: vec![Completed::default(); bound.classes.len()],
            latencies: bound.workloads.iter().map(|_| empty_histogram()).collect(),
            slowest: vec![0; bound.workloads.len()],
        }
    }

    /// An operation of a class completed after so long.
    pub(super) fn record(&mut self, bound: &Bound, class: usize, latency: Instant) {
        let completed = &mut self.completed[class];
        completed.operations += 1;
        completed.latency_seconds += latency.as_seconds();
        let nanoseconds = (latency.as_seconds() * 1e9).round() as u64;
        let workload = bound.classes[class].workload;
        self.slowest[workload] = self.slowest[workload].max(nanoseconds);
        self.latencies[workload]
            .record(nanoseconds)
            .expect("a histogram that may grow takes any value");
    }

    /// Operations completed, by class.
    pub(super) fn operations(&self) -> Vec<u64> {
        self.completed
            .iter()
            .map(|completed| completed.operations)
            .collect()
    }

    /// The outcome of a window: use of every resource, and operations of every class, those in flight by the part of them
    /// that was done in it.
    pub(super) fn outcome(&self, bound: &Bound, usage: &[f64], work: &[f64], run: SimulatedRun) -> Outcome {
        let seconds = run.measured.get();
        let resource_rates: Vec<f64> = usage.iter().map(|units| units / seconds).collect();
        let totals = self
            .completed
            .iter()
            .zip(work)
            .map(|(completed, work)| ClassTotals {
                // By work done, not by completions: a window cuts through operations at both ends.
                operations_per_second: work / seconds,
                mean_latency: if completed.operations == 0 {
                    0.0
                } else {
                    completed.latency_seconds / completed.operations as f64
                },
            });
        let totals: Vec<ClassTotals> = totals.collect();
        let tally = Tally {
            mode: Mode::Simulate,
            totals: &totals,
            resource_rates: &resource_rates,
        };
        let mut outcome = tally.outcome(bound);
        let mut all = empty_histogram();
        let recorded = self.latencies.iter().zip(&self.slowest);
        for (workload, (histogram, &slowest)) in outcome.workloads.iter_mut().zip(recorded) {
            workload.latency.percentiles = Some(percentiles(histogram, slowest));
            all.add(histogram)
                .expect("histograms of equal precision grow as they need");
        }
        outcome.latency.percentiles =
            Some(percentiles(&all, self.slowest.iter().copied().max().unwrap_or(0)));
        outcome.simulated = Some(run);
        outcome
    }
}

fn empty_histogram() -> Histogram<u64> {
    Histogram::new(LATENCY_DIGITS).expect("three significant digits are allowed")
}

fn percentiles(histogram: &Histogram<u64>, slowest: u64) -> Percentiles {
    // Cells of the histogram have a width: none of their edges is slower than the slowest operation.
    let slowest = slowest as f64 * 1e-9;
    let at = |quantile| Time::new((histogram.value_at_quantile(quantile) as f64 * 1e-9).min(slowest));
    Percentiles {
        p50: at(0.50),
        p95: at(0.95),
        p99: at(0.99),
        max: Time::new(slowest),
    }
}
