//! How much of each resource a simulation used from one moment to the next.

use bandgraph_engine::Time as Instant;
use bandgraph_solve::RunError;
use bandgraph_units::Time;

use super::checks::within_capacity;
use super::differences;
use super::server::Server;

/// Share of a stretch that its end may come early by: rounding.
const ROUNDED: f64 = 1e-9;

/// The use of all resources over the time of a run, warm-up included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Stretches of about equal length, in the order of time.
    pub stretches: Vec<Stretch>,
}

/// A stretch of simulated time.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Where it begins.
    pub start: Time,
    /// Where it ends: where the next one begins.
    pub end: Time,
    /// Rate over raw capacity, 0 to 1, of every resource in the order of the outcome.
    pub utilisation: Vec<f64>,
}

/// Reads the books of the server now and then. It only reads: a run is the same with it and without.
pub(super) struct Sampler {
    interval: f64,
    next: f64,
    last: (f64, Vec<f64>),
    timeline: Timeline,
}

impl Sampler {
    /// Reads `count` times in a run of `seconds`.
    pub(super) fn new(server: &Server<'_>, seconds: f64, count: u32) -> Self {
        let interval = seconds / f64::from(count.max(1));
        Self {
            interval,
            next: interval,
            last: (0.0, server.usage()),
            timeline: Timeline::default(),
        }
    }

    /// Ends a stretch if one is over. Stretches end with events: between two of them nothing changes.
    pub(super) fn pass(&mut self, server: &Server<'_>) -> Result<(), RunError> {
        if server.now() >= Instant::from_seconds(self.next) {
            self.end_stretch(server)?;
        }
        Ok(())
    }

    /// The whole, up to the end of the last stretch.
    pub(super) fn finish(self) -> Timeline {
        self.timeline
    }

    /// Ends a stretch now.
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
        // A long time without events is one stretch.
        self.next = ((now / self.interval + ROUNDED).floor() + 1.0) * self.interval;
        Ok(())
    }
}
