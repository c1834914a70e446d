//! The measured window.

use bandgraph_model::Bound;
use bandgraph_solve::{ShortWindow, SteadyState};
use bandgraph_units::Time;

use super::divisions;

/// Minimum number of operations per thread before and during the window.
const CYCLES_BEFORE: f64 = 2.0;
const CYCLES_MEASURED: f64 = 3.0;
/// Minimum number of transaction groups before and during the window.
const GROUPS_BEFORE: f64 = 3.0;
const GROUPS_MEASURED: f64 = 3.0;
/// Minimum number of divisions of the writers of a log during the window.
const DIVISIONS_MEASURED: f64 = 3.0;
/// Maximum wait of a window for the end of a group, in intervals of transaction groups.
pub(super) const GROUP_WAIT: f64 = 3.0;
/// Operations in a window that say enough: of all workloads together, and of each.
const ENOUGH: f64 = 2e6;
const ENOUGH_OF_EACH: f64 = 1e5;
/// The warm-up of a window with that number, relative to it.
const WARM_UP: f64 = 0.25;
/// Maximum duration of an operation, or of divisions, that extends a run, seconds.
const LONGEST_CYCLE: f64 = 3600.0;

/// Times of a run, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// From the start of the run to the start of the window.
    pub(super) warm_up: f64,
    /// Length of the window.
    pub(super) duration: f64,
    /// The required length, if the scenario fixes a shorter one.
    pub(super) short: Option<ShortWindow>,
}

impl Window {
    /// The window requested by the scenario, or a shorter one with enough operations. It is extended to
    /// contain a minimum number of operations and transaction groups, because the cut operations at its ends
    /// would otherwise bias the result, unless the scenario fixes it. An open loop has no threads.
    pub(super) fn new(bound: &Bound, steady: &SteadyState) -> Self {
        let run = &bound.run;
        let closed = bound.threads.iter().filter(|group| group.offered().is_none());
        let cycles = closed.map(|group| steady.cycle_seconds(group));
        let cycle = cycles.fold(0.0, f64::max).min(LONGEST_CYCLE);
        let groups = !bound.background.is_empty();
        let group = if groups { bound.groups.seconds } else { 0.0 };
        let warm_up = (CYCLES_BEFORE * cycle).max(GROUPS_BEFORE * group);
        let duration = (CYCLES_MEASURED * cycle).max(GROUPS_MEASURED * group);
        let (asked_warm_up, asked_duration) = (run.warm_up.get(), run.duration.get());
        let enough = enough(bound, steady);
        let divisions = (DIVISIONS_MEASURED * divisions::interval(bound, steady)).min(LONGEST_CYCLE);
        let mut window = Self {
            warm_up: asked_warm_up.min(WARM_UP * enough).max(warm_up),
            duration: asked_duration.min(enough).max(duration).max(divisions),
            short: None,
        };
        if groups {
            // Whole transaction groups, after their size has settled.
            window.duration = (window.duration / group).ceil() * group;
        }
        if run.keep_warm_up {
            window.warm_up = asked_warm_up;
        }
        if run.keep_duration {
            window.duration = asked_duration;
        }
        let is_short = window.warm_up < warm_up || window.duration < duration;
        window.short = is_short.then_some(ShortWindow {
            warm_up: Time::new(warm_up),
            measured: Time::new(duration),
            operation: Time::new(cycle),
            group: groups.then_some(Time::new(group)),
        });
        window
    }

    /// Total simulated time, seconds.
    pub(super) fn total(self) -> f64 {
        self.warm_up + self.duration
    }

    /// Total time with the longest waits for transaction groups, at those ends that the scenario does not
    /// fix.
    pub(super) fn longest(self, bound: &Bound) -> f64 {
        let run = &bound.run;
        let is_fixed = [run.keep_warm_up, run.keep_duration];
        let waits = is_fixed.iter().filter(|is_fixed| !**is_fixed).count() as f64;
        if bound.background.is_empty() {
            return self.total();
        }
        self.total() + waits * GROUP_WAIT * bound.groups.seconds
    }
}

/// Seconds in which all workloads do enough operations; infinite if loads are not the same all the time.
fn enough(bound: &Bound, steady: &SteadyState) -> f64 {
    if !steady.lasts(bound) {
        return f64::INFINITY;
    }
    let all = ENOUGH / steady.operations();
    let rates = steady.workload_rates(bound).into_iter();
    rates.map(|rate| ENOUGH_OF_EACH / rate).fold(all, f64::max)
}
