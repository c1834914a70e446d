//! What completed in the measured window.

use bandgraph_engine::Time as Instant;
use bandgraph_model::Bound;
use bandgraph_solve::{
    Bucket, ClassTotals, Latency, Mode, Outcome, Percentiles, SimulatedRun, Tally, Throughput,
};
use bandgraph_units::Time;
use hdrhistogram::Histogram;

/// Significant digits of recorded latencies.
const LATENCY_DIGITS: u8 = 3;
/// How much longer the operations of one bucket of an outcome's histogram take than those of the one before:
/// the fourth root of 2.
const BUCKET: f64 = 1.189_207_115_002_721;

/// What completed in the measured window, by class.
#[derive(Clone, Copy, Debug, Default)]
struct Completed {
    operations: u64,
    latency_seconds: f64,
}

/// The operations that completed and how long they took.
#[derive(Clone)]
pub(super) struct Books {
    completed: Vec<Completed>,
    /// Latencies in nanoseconds, one histogram per workload.
    latencies: Vec<Histogram<u64>>,
    /// The slowest operation of every workload, in nanoseconds.
    slowest: Vec<u64>,
    /// Operation-seconds out in the window, by workload.
    presence: Vec<f64>,
    /// The beginning of the window.
    begin: Instant,
}

impl Books {
    /// Books for a window that begins at a time.
    pub(super) fn new(bound: &Bound, begin: Instant) -> Self {
        Self {
            presence: vec![0.0; bound.workloads.len()],
            begin,
            completed: vec![Completed::default(); bound.classes.len()],
            latencies: bound.workloads.iter().map(|_| empty_histogram()).collect(),
            slowest: vec![0; bound.workloads.len()],
        }
    }

    /// An operation of a workload and class that was issued at a time completed at another.
    pub(super) fn record(&mut self, workload: usize, class: usize, issued: Instant, now: Instant) {
        let latency = (now - issued).as_seconds();
        let completed = &mut self.completed[class];
        completed.operations += 1;
        completed.latency_seconds += latency;
        let nanoseconds = (latency * 1e9).round() as u64;
        self.slowest[workload] = self.slowest[workload].max(nanoseconds);
        self.latencies[workload]
            .record(nanoseconds)
            .expect("a histogram that may grow takes any value");
        self.still_out(workload, issued, now);
    }

    /// An operation of a workload that was issued at a time is or was out until another.
    pub(super) fn still_out(&mut self, workload: usize, issued: Instant, until: Instant) {
        self.presence[workload] += (until - issued.max(self.begin)).as_seconds();
    }

    /// Operation-seconds out, by workload.
    pub(super) fn presence(&self) -> &[f64] {
        &self.presence
    }

    /// Has operation-seconds be those of a part of the window.
    pub(super) fn set_presence(&mut self, presence: Vec<f64>) {
        self.presence = presence;
    }

    /// Operations completed, by class.
    pub(super) fn operations(&self) -> Vec<u64> {
        self.completed
            .iter()
            .map(|completed| completed.operations)
            .collect()
    }

    /// Operations completed, and the seconds that they took, by class.
    pub(super) fn by_class(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        let completed = self.completed.iter();
        completed.map(|completed| (completed.operations, completed.latency_seconds))
    }

    /// What of a workload was completed a second, in a window of so many seconds. Under a backlog that grows
    /// it is less than the work done: that went into more operations than were completed.
    pub(super) fn completed(&self, bound: &Bound, workload: usize, seconds: f64) -> Throughput {
        let mut throughput = Throughput::default();
        for (class, completed) in bound.classes.iter().zip(&self.completed) {
            if class.workload == workload {
                throughput.add(class, completed.operations as f64 / seconds);
            }
        }
        throughput
    }

    fn mean_latency(&self, bound: &Bound, counts: impl Fn(usize) -> bool) -> Time {
        let (mut operations, mut seconds) = (0, 0.0);
        for (class, completed) in bound.classes.iter().zip(&self.completed) {
            if counts(class.workload) {
                operations += completed.operations;
                seconds += completed.latency_seconds;
            }
        }
        Time::new(if operations == 0 {
            0.0
        } else {
            seconds / operations as f64
        })
    }

    /// The outcome of a window: use of every resource, and operations of every class, those in flight by the
    /// part of them that was done in it.
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
        // Of the operations that the percentiles are of: all that completed, each once.
        outcome.latency.mean = self.mean_latency(bound, |_| true);
        for (index, workload) in outcome.workloads.iter_mut().enumerate() {
            workload.latency.mean = self.mean_latency(bound, |of| of == index);
        }
        let mut all = empty_histogram();
        let recorded = self.latencies.iter().zip(&self.slowest);
        for (workload, presence) in outcome.workloads.iter_mut().zip(&self.presence) {
            workload.outstanding = presence / seconds;
        }
        for (workload, (histogram, &slowest)) in outcome.workloads.iter_mut().zip(recorded) {
            workload.latency = distribution(workload.latency.mean, histogram, slowest);
            all.add(histogram)
                .expect("histograms of equal precision grow as they need");
        }
        let slowest = self.slowest.iter().copied().max().unwrap_or(0);
        outcome.latency = distribution(outcome.latency.mean, &all, slowest);
        outcome.simulated = Some(run);
        outcome
    }
}

fn empty_histogram() -> Histogram<u64> {
    Histogram::new(LATENCY_DIGITS).expect("three significant digits are allowed")
}

/// Latencies in nanoseconds, their mean and the slowest of them as an outcome has them.
pub(crate) fn distribution(mean: Time, histogram: &Histogram<u64>, slowest: u64) -> Latency {
    // Cells of the histogram have a width: none of their edges is slower than the slowest operation.
    let slowest = slowest as f64 * 1e-9;
    let at = |quantile| Time::new((histogram.value_at_quantile(quantile) as f64 * 1e-9).min(slowest));
    Latency {
        mean,
        percentiles: Some(Percentiles {
            p50: at(0.50),
            p95: at(0.95),
            p99: at(0.99),
            max: Time::new(slowest),
            samples: histogram.len(),
        }),
        histogram: buckets(histogram),
    }
}

/// The histogram in fewer buckets, of which none is empty.
fn buckets(histogram: &Histogram<u64>) -> Vec<Bucket> {
    if histogram.is_empty() {
        return Vec::new();
    }
    let cells = histogram.iter_log(histogram.min().max(1), BUCKET);
    let filled = cells.filter(|cell| cell.count_since_last_iteration() > 0);
    filled
        .map(|cell| Bucket {
            to: Time::new(cell.value_iterated_to().min(histogram.max()) as f64 * 1e-9),
            count: cell.count_since_last_iteration(),
        })
        .collect()
}
