//! Feedback from the load to the latency of cache misses and to clocks during a simulation.
//!
//! The use of links, memory and cores is read periodically; the miss latency, the clock and the cycles of
//! operations follow from it.

use bandgraph_engine::Time as Instant;
use bandgraph_model::{Bound, Times};
use bandgraph_solve::SteadyState;

/// Interval of the updates, seconds: long against a miss, short against a run.
const INTERVAL: f64 = 1e-3;
/// Maximum number of updates in a run, which bounds their cost.
const TIMES_MAX: f64 = 200_000.0;
/// Weight of the newest reading in the smoothed use of resources.
const SMOOTHING: f64 = 0.25;
/// Number of readings after which the smoothed use of an unchanged system is constant: the weight of the
/// first is then 1e-16.
pub(super) const SETTLED_AFTER: u32 = 128;
/// Relative change of a miss latency that is passed on to the engine.
const LATENCY_STEP: f64 = 1e-3;

/// Classes with the same demand on links, memory and the cores of sockets with turbo.
struct EqualClasses {
    /// Demand of one operation there, by resource.
    demand: Vec<(usize, f64)>,
    /// Operations done since the start, at the last reading.
    done: f64,
    /// The same at the present reading.
    done_now: f64,
}

/// The smoothed load on links, memory and cores, and the resulting miss latencies and clocks.
pub(super) struct Feedback {
    interval: f64,
    miss_latencies: Vec<f64>,
    /// The resources that misses wait for, and the smoothed use of every resource; only these resources are
    /// updated.
    waited_for: Vec<usize>,
    smoothed_rates: Vec<f64>,
    representatives: Vec<EqualClasses>,
    /// By class, then by deferred work: the index into `representatives`.
    representative_of: Vec<usize>,
    times: Times,
    latencies: Vec<f64>,
}

impl Feedback {
    /// The feedback in the steady state, for a run of `run_seconds`.
    pub(super) fn new(bound: &Bound, steady: &SteadyState, run_seconds: f64) -> Self {
        let waited_for = bound.fabric.resources();
        let mut representatives: Vec<EqualClasses> = Vec::new();
        let of_classes = bound.classes.iter();
        let of_classes = of_classes.map(|class| (class.waited_demand(), class.waited_work(), class.homes));
        let of_background = bound.background.iter();
        let of_background = of_background.map(|one| (one.demand.as_slice(), one.work.as_slice(), one.homes));
        let representative_of = of_classes.chain(of_background).map(|(demand, work, homes)| {
            let demand = demand.iter().copied();
            let waits = demand.filter(|(resource, _)| waited_for.binary_search(resource).is_ok());
            let mut demand: Vec<(usize, f64)> = waits.collect();
            // Cycles at the paces of the steady state.
            let paces: Vec<_> = bound.fabric.of(homes, &steady.miss_latencies).collect();
            demand.extend(bound.fabric.turbos().map(|(socket, cpu)| {
                let cycles = bound.sockets[socket].cycles(&work[socket], paces[socket]);
                (cpu, cycles)
            }));
            let known = representatives.iter().position(|known| known.demand == demand);
            known.unwrap_or_else(|| {
                representatives.push(EqualClasses {
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

    /// Seconds per miss on each socket, as last passed to the engine.
    pub(super) fn miss_latencies(&self) -> &[f64] {
        &self.miss_latencies
    }

    /// Processes a reading, `intervals` after the last one: operations done since the start, by class or by
    /// representative. Returns whether miss latencies changed.
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
        let cores = bound.fabric.turbos().map(|(_, cpu)| cpu);
        for resource in self.waited_for.iter().copied().chain(cores) {
            self.smoothed_rates[resource] *= kept;
        }
        for representative in &mut self.representatives {
            let now = std::mem::take(&mut representative.done_now);
            // In a trace, few of very many classes are active at a time.
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
