//! Completions in the measured window.

use bandgraph_engine::Time as Instant;
use bandgraph_model::Bound;
use bandgraph_solve::{
    Bucket, ClassTotals, Latency, Mode, Outcome, Percentiles, SimulatedRun, Tally, Throughput,
};
use bandgraph_units::Time;
use hdrhistogram::Histogram;

/// Significant digits of recorded latencies.
const LATENCY_DIGITS: u8 = 3;
/// Upper end of the first bucket of an outcome's histogram, ns, and the ratio of the ends of adjacent ones:
/// the 24th root of 2. The ends are the same in every outcome, so that their histograms can be added.
const FIRST_BUCKET: u64 = 1_000;
const BUCKET: f64 = 1.029_302_236_643_492;

/// Completions of one class in the measured window.
#[derive(Clone, Copy, Debug, Default)]
struct Completed {
    operations: u64,
    latency_seconds: f64,
}

/// The completed operations and their latencies.
#[derive(Clone)]
pub(super) struct CompletionStats {
    completed: Vec<Completed>,
    /// Latencies in nanoseconds, one histogram per workload.
    latencies: Vec<Histogram<u64>>,
    /// The slowest operation of every workload, ns.
    slowest: Vec<u64>,
    /// Operation-seconds in flight in the window, by workload.
    presence: Vec<f64>,
    /// The start of the window.
    begin: Instant,
}

impl CompletionStats {
    /// Empty counts for a window that starts at `begin`.
    pub(super) fn new(bound: &Bound, begin: Instant) -> Self {
        Self {
            presence: vec![0.0; bound.workloads.len()],
            begin,
            completed: vec![Completed::default(); bound.classes.len()],
            latencies: bound.workloads.iter().map(|_| empty_histogram()).collect(),
            slowest: vec![0; bound.workloads.len()],
        }
    }

    /// Records the completion at `now` of an operation issued at `issued`.
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

    /// Records that an operation issued at `issued` is in flight until `until`.
    pub(super) fn still_out(&mut self, workload: usize, issued: Instant, until: Instant) {
        self.presence[workload] += (until - issued.max(self.begin)).as_seconds();
    }

    /// Operation-seconds in flight, by workload.
    pub(super) fn presence(&self) -> &[f64] {
        &self.presence
    }

    /// Replaces the operation-seconds by those of a part of the window.
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

    /// Completed operations and their total latency (seconds), by class.
    pub(super) fn by_class(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        let completed = self.completed.iter();
        completed.map(|completed| (completed.operations, completed.latency_seconds))
    }

    /// Completions of a workload per second, in a window of `seconds`. With a growing backlog this is less
    /// than the work done, part of which went into operations that are not completed.
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

    /// The outcome of a window: the use of every resource, and the operations of every class; those in flight
    /// count by the fraction done in the window.
    pub(super) fn outcome(&self, bound: &Bound, usage: &[f64], work: &[f64], run: SimulatedRun) -> Outcome {
        let seconds = run.measured.get();
        let resource_rates: Vec<f64> = usage.iter().map(|units| units / seconds).collect();
        let totals = self
            .completed
            .iter()
            .zip(work)
            .map(|(completed, work)| ClassTotals {
                // By work, not completions: the window cuts operations at both ends.
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
        // The mean over the operations of the percentiles: all that completed, once each.
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

/// Latency distribution from a histogram (ns), its mean and its maximum (ns).
pub(crate) fn distribution(mean: Time, histogram: &Histogram<u64>, slowest: u64) -> Latency {
    // Histogram cells have a width: clamp their edges to the slowest operation.
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

/// The non-empty buckets of a histogram with wider cells.
fn buckets(histogram: &Histogram<u64>) -> Vec<Bucket> {
    if histogram.is_empty() {
        return Vec::new();
    }
    let cells = histogram.iter_log(FIRST_BUCKET, BUCKET);
    let filled = cells.filter(|cell| cell.count_since_last_iteration() > 0);
    filled
        .map(|cell| Bucket {
            to: Time::new(cell.value_iterated_to().min(histogram.max()) as f64 * 1e-9),
            count: cell.count_since_last_iteration(),
        })
        .collect()
}
