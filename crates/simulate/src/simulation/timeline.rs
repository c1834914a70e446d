//! The use of each resource over simulated time.

use bandgraph_engine::Time as Instant;
use bandgraph_solve::RunError;
use bandgraph_units::Time;

use super::checks::within_capacity;
use super::differences;
use super::server::Server;

/// Relative rounding tolerance of the end of an interval.
const ROUNDED: f64 = 1e-9;

/// The use of all resources over a run, including the warm-up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Intervals of about equal length, in order of time.
    pub stretches: Vec<Stretch>,
}

/// An interval of simulated time.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Its start.
    pub start: Time,
    /// Its end, the start of the next interval.
    pub end: Time,
    /// Rate over raw capacity of every resource, 0 to 1, in the order of the outcome.
    pub utilisation: Vec<f64>,
}

/// Samples the use of resources periodically. It only reads: the run is identical with and without it.
pub(super) struct Sampler {
    interval: f64,
    next: f64,
    last: (f64, Vec<f64>),
    timeline: Timeline,
}

impl Sampler {
    /// Samples `count` times in a run of `seconds`.
    pub(super) fn new(server: &Server<'_>, seconds: f64, count: u32) -> Self {
        let interval = seconds / f64::from(count.max(1));
        Self {
            interval,
            next: interval,
            last: (0.0, server.usage()),
            timeline: Timeline::default(),
        }
    }

    /// Ends an interval if it is over. Intervals end with events: nothing changes between events.
    pub(super) fn pass(&mut self, server: &Server<'_>) -> Result<(), RunError> {
        if server.now() >= Instant::from_seconds(self.next) {
            self.end_stretch(server)?;
        }
        Ok(())
    }

    /// The timeline up to the end of the last interval.
    pub(super) fn finish(self) -> Timeline {
        self.timeline
    }

    /// Ends an interval now.
    pub(super) fn end_stretch(&mut self, server: &Server<'_>) -> Result<(), RunError> {
        let now = server.now().as_seconds();
        let (before, used) = &self.last;
        let seconds = now - before;
        if seconds <= 0.0 {
            return Ok(());
        }
        let usage = server.usage();
        within_capacity(server.bound, used, &usage, seconds)?;
        let used = server.bound.with_represented(&differences(&usage, used));
        let utilisation = used.iter().zip(server.bound.resources());
        self.timeline.stretches.push(Stretch {
            start: Time::new(*before),
            end: Time::new(now),
            utilisation: utilisation
                .map(|(used, resource)| used / seconds / resource.capacity)
                .collect(),
        });
        self.last = (now, usage);
        // A long time without events is one interval.
        self.next = ((now / self.interval + ROUNDED).floor() + 1.0) * self.interval;
        Ok(())
    }
}
