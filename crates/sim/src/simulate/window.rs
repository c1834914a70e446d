//! When a run measures.

use crate::bind::Bound;
use crate::predict::SteadyState;

/// Operations that every thread gets through before measuring starts, and while it lasts, at the least.
const CYCLES_BEFORE: f64 = 2.0;
const CYCLES_MEASURED: f64 = 3.0;
/// The longest operation that a run is made longer for, in seconds.
const LONGEST_CYCLE: f64 = 3600.0;

/// When a run measures, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// From the start of the run to that of the window.
    pub(super) warm_up: f64,
    /// How long the window lasts.
    pub(super) duration: f64,
}

impl Window {
    /// The window that the scenario asks for, or a longer one where operations take so long that every thread would not
    /// get through a few of them: what is cut off at its ends would colour the result. An open loop has no threads.
    pub(super) fn new(bound: &Bound, steady: &SteadyState) -> Self {
        let closed = bound.threads.iter().filter(|group| group.offered().is_none());
        let cycles = closed.map(|group| steady.cycle_seconds(group));
        let cycle = cycles.fold(0.0, f64::max).min(LONGEST_CYCLE);
        Self {
            warm_up: bound.run.warm_up.get().max(CYCLES_BEFORE * cycle),
            duration: bound.run.duration.get().max(CYCLES_MEASURED * cycle),
        }
    }

    /// All simulated time, in seconds.
    pub(super) fn total(self) -> f64 {
        self.warm_up + self.duration
    }
}
