//! When a run measures.

use crate::bind::Bound;
use crate::predict::SteadyState;

/// Operations that every thread gets through before measuring starts, and while it lasts, at the least.
const CYCLES_BEFORE: f64 = 2.0;
const CYCLES_MEASURED: f64 = 3.0;
/// Transaction groups that are written before measuring starts, and while it lasts, at the least.
const GROUPS_BEFORE: f64 = 3.0;
const GROUPS_MEASURED: f64 = 3.0;
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
        let mut window = Self {
            warm_up: bound.run.warm_up.get().max(CYCLES_BEFORE * cycle),
            duration: bound.run.duration.get().max(CYCLES_MEASURED * cycle),
        };
        if !bound.behind.is_empty() {
            // Whole transaction groups, once they have found their size.
            let group = bound.groups.seconds;
            window.warm_up = window.warm_up.max(GROUPS_BEFORE * group);
            window.duration = (window.duration / group).ceil().max(GROUPS_MEASURED) * group;
        }
        window
    }

    /// All simulated time, in seconds.
    pub(super) fn total(self) -> f64 {
        self.warm_up + self.duration
    }
}
