//! How the time that a miss takes follows the load, while the simulation runs.
//!
//! Now and then the use of links and memory is read, the time that a miss takes is found from it, and with it
//! the cycles that operations cost.

use bandgraph_engine::Time as Instant;
use bandgraph_model::{Bound, Class, Times};
use bandgraph_solve::SteadyState;

/// How often miss latencies follow the load, in seconds: long against a miss, short against a run.
const INTERVAL: f64 = 1e-3;
/// How often they do so in a run at the most: a long run is not spent on it.
const TIMES_MAX: f64 = 200_000.0;
/// Share of the newest reading in the smoothed use of resources.
const SMOOTHING: f64 = 0.25;
/// Readings after which the smoothed use stands still, where nothing begins or ends: the share of the first
/// is then 1e-16.
pub(super) const SETTLED_AFTER: u32 = 128;
/// Relative change of a miss latency that is worth telling the engine about.
const LATENCY_STEP: f64 = 1e-3;

/// Classes that put the same on links and memory.
struct Representative {
    /// What one of their operations puts there, by resource.
    demand: Vec<(usize, f64)>,
    /// Operations that they have done since the start, at the last reading.
    done: f64,
    /// The same, at the reading that is being taken.
    done_now: f64,
}

/// The load on links and memory as the feedback sees it, and the miss latencies that follow from it.
pub(super) struct Feedback {
    interval: f64,
    miss_latencies: Vec<f64>,
    /// What lines wait for, and the smoothed use of every resource: only that of these is kept up.
    waited_for: Vec<usize>,
    smoothed_rates: Vec<f64>,
    representatives: Vec<Representative>,
    /// By class, then by what is done behind operations: which of `alike` it belongs to.
    representative_of: Vec<usize>,
    times: Times,
    latencies: Vec<f64>,
}

impl Feedback {
    /// Starts from the steady state, for a run of so many seconds.
    pub(super) fn new(bound: &Bound, steady: &SteadyState, run_seconds: f64) -> Self {
        let waited_for = bound.fabric.resources();
        let mut representatives: Vec<Representative> = Vec::new();
        let of_classes = bound.classes.iter().map(Class::waited_demand);
        let of_behind = bound.behind.iter().map(|behind| behind.demand.as_slice());
        let representative_of = of_classes.chain(of_behind).map(|demand| {
            let demand = demand.iter().copied();
            let demand: Vec<(usize, f64)> = demand
                .filter(|(resource, _)| waited_for.binary_search(resource).is_ok())
                .collect();
            let known = representatives.iter().position(|known| known.demand == demand);
            known.unwrap_or_else(|| {
                representatives.push(Representative {
                    demand,
                    done: 0.0,
                    done_now: 0.0,
                });
                representatives.len() - 1
            })
        });
        Self {
            interval: INTERVAL.max(run_seconds / TIMES_MAX),
            miss_latencies: steady.miss_latencies.clone(),
            representative_of: representative_of.collect(),
            waited_for,
            smoothed_rates: steady.resource_rates.clone(),
            representatives,
            times: Times::default(),
            latencies: Vec::new(),
        }
    }

    /// The time between two readings.
    pub(super) fn interval(&self) -> Instant {
        Instant::from_seconds(self.interval)
    }

    /// Seconds that a miss takes on each socket, as last told to the engine.
    pub(super) fn miss_latencies(&self) -> &[f64] {
        &self.miss_latencies
    }

    /// Takes a reading, so many intervals after the last one: operations done since the start, by class or by
    /// one that stands for several. Whether miss latencies moved.
    pub(super) fn read(
        &mut self,
        bound: &Bound,
        intervals: f64,
        done: impl Iterator<Item = (usize, f64)>,
    ) -> bool {
        let kept = libm::pow(1.0 - SMOOTHING, intervals);
        for (class, done) in done {
            self.representatives[self.representative_of[class]].done_now += done;
        }
        for &resource in &self.waited_for {
            self.smoothed_rates[resource] *= kept;
        }
        for representative in &mut self.representatives {
            let now = std::mem::take(&mut representative.done_now);
            // In a trace few of very many classes are at work at a time.
            if now.to_bits() == representative.done.to_bits() {
                continue;
            }
            let rate = (now - representative.done) / (intervals * self.interval);
            for &(resource, units) in &representative.demand {
                self.smoothed_rates[resource] += (1.0 - kept) * units * rate;
            }
            representative.done = now;
        }
        let latencies = &mut self.latencies;
        bound
            .fabric
            .loaded_latencies(&self.smoothed_rates, &mut self.times, latencies);
        let moved = |(old, new): (&f64, &f64)| (new - old).abs() > LATENCY_STEP * old;
        let moved = self.miss_latencies.iter().zip(&*latencies).any(moved);
        if moved {
            self.miss_latencies.clone_from(latencies);
        }
        moved
    }
}
