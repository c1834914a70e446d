//! How the writers of a log are divided into batches.
//!
//! Those that come during a batch write the next one together, so that a division lasts, and with it the
//! rate: 38 threads without a log device have 5 % more with one division than with another. On a real server
//! something delays each writer from time to time. Here each pauses once after a transaction group, for a
//! random part of its cycle (an assumption), so that a run has many divisions and its interval contains what
//! they bring.

use bandgraph_engine::Time as Instant;
use bandgraph_engine::streams::{Stream, Streams};
use bandgraph_model::storage::Wait;
use bandgraph_model::{Bound, ThreadGroup};
use bandgraph_solve::SteadyState;

/// Minimum time between two divisions, in cycles: pauses of half a cycle then take 0.5 % of the rate.
const CYCLES: f64 = 100.0;

/// The divisions of the writers of all logs.
pub(super) struct Divisions {
    /// By group of threads: seconds of a cycle; 0 unless its operations wait for a log.
    cycles: Vec<f64>,
    /// Minimum time between two divisions.
    interval: Instant,
    begun: Instant,
    count: u32,
    /// By thread: the last division for which it has paused.
    last: Vec<u32>,
    pauses: Stream,
}

impl Divisions {
    pub(super) fn new(bound: &Bound, steady: &SteadyState, streams: Streams) -> Self {
        Self {
            cycles: bound
                .threads
                .iter()
                .map(|group| log_cycle(bound, steady, group))
                .collect(),
            interval: Instant::from_seconds(interval(bound, steady)),
            begun: Instant::ZERO,
            count: 0,
            last: Vec::new(),
            pauses: streams.stream("divisions"),
        }
    }

    /// A transaction group is on disk: begins a new division, unless the last one has not lasted long enough.
    /// Returns whether it does; always if no writer waits for a log.
    pub(super) fn begin(&mut self, now: Instant) -> bool {
        let begins = now - self.begun >= self.interval;
        if begins {
            self.begun = now;
            self.count += 1;
        }
        begins
    }

    /// The pause of a thread before its next operation, seconds.
    pub(super) fn pause(&mut self, number: u32, group: usize) -> f64 {
        let (number, cycle) = (number as usize, self.cycles[group]);
        if cycle == 0.0 {
            return 0.0;
        }
        if number >= self.last.len() {
            self.last.resize(number + 1, 0);
        }
        if std::mem::replace(&mut self.last[number], self.count) == self.count {
            return 0.0;
        }
        cycle * self.pauses.uniform()
    }
}

/// Minimum time between two divisions, seconds; 0 if no closed loop waits for a log.
pub(super) fn interval(bound: &Bound, steady: &SteadyState) -> f64 {
    let groups = bound.threads.iter();
    CYCLES
        * groups
            .map(|group| log_cycle(bound, steady, group))
            .fold(0.0, f64::max)
}

/// Seconds of a cycle of a closed loop whose operations wait for a log; otherwise 0.
fn log_cycle(bound: &Bound, steady: &SteadyState, group: &ThreadGroup) -> f64 {
    let mut waits = group
        .visits
        .iter()
        .flat_map(|&(class, _)| bound.classes[class].device_waits.iter());
    if group.offered().is_none() && waits.any(|wait| matches!(wait, Wait::Log { .. })) {
        steady.cycle_seconds(group)
    } else {
        0.0
    }
}
