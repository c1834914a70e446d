//! How the time that a miss takes follows the load, while the simulation runs.
//!
//! Now and then the use of links and memory is read, the time that a miss takes is found from it, and with it the cycles
//! that operations cost.

use bandgraph_engine::Time as Instant;

use crate::latency::Fabric;
use crate::predict::SteadyState;

/// How often miss latencies follow the load, in seconds: long against a miss, short against a run.
const INTERVAL: f64 = 1e-3;
/// How often they do so in a run at the most: a long run is not spent on it.
const TIMES_MAX: f64 = 200_000.0;
/// Share of the newest reading in the smoothed use of resources.
const SMOOTHING: f64 = 0.25;
/// Relative change of a miss latency that is worth telling the engine about.
const LATENCY_STEP: f64 = 1e-3;

/// The load on links and memory as the feedback sees it, and the miss latencies that follow from it.
pub(super) struct Feedback {
    interval: f64,
    miss_latencies: Vec<f64>,
    smoothed_rates: Vec<f64>,
    last_usage: Vec<f64>,
}

impl Feedback {
    /// Starts from the steady state, for a run of so many seconds.
    pub(super) fn new(steady: &SteadyState, run_seconds: f64) -> Self {
        Self {
            interval: INTERVAL.max(run_seconds / TIMES_MAX),
            miss_latencies: steady.miss_latencies.clone(),
            smoothed_rates: steady.resource_rates.clone(),
            last_usage: vec![0.0; steady.resource_rates.len()],
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

    /// Takes a reading of what was used of every resource since the start; whether miss latencies moved.
    pub(super) fn read(&mut self, fabric: &Fabric, usage: Vec<f64>) -> bool {
        for ((smoothed, now), last) in self.smoothed_rates.iter_mut().zip(&usage).zip(&self.last_usage) {
            *smoothed += SMOOTHING * ((now - last) / self.interval - *smoothed);
        }
        self.last_usage = usage;
        let latencies = fabric.loaded_latencies(&self.smoothed_rates);
        let moved = |(old, new): (&f64, &f64)| (new - old).abs() > LATENCY_STEP * old;
        let moved = self.miss_latencies.iter().zip(&latencies).any(moved);
        if moved {
            self.miss_latencies = latencies;
        }
        moved
    }
}
