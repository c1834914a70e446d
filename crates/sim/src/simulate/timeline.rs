//! How much of each resource a simulation used from one moment to the next.

use bandgraph_engine::Time as Instant;
use bandgraph_units::Time;

use super::server::Server;

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
    pub(super) fn pass(&mut self, server: &Server<'_>) {
        if server.now() >= Instant::from_seconds(self.next) {
            self.read(server, server.now().as_seconds());
        }
    }

    /// The whole, up to now.
    pub(super) fn finish(mut self, server: &Server<'_>) -> Timeline {
        let now = server.now().as_seconds();
        if self.last.0 < now {
            self.read(server, now);
        }
        self.timeline
    }

    fn read(&mut self, server: &Server<'_>, now: f64) {
        let usage = server.usage();
        let (before, used) = &self.last;
        let seconds = now - before;
        let resources = server.bound.resources();
        let utilisation = usage.iter().zip(used).zip(resources);
        self.timeline.stretches.push(Stretch {
            start: Time::new(*before),
            end: Time::new(now),
            utilisation: utilisation
                .map(|((now, before), resource)| (now - before) / seconds / resource.capacity)
                .collect(),
        });
        self.last = (now, usage);
        // A long time without events is one stretch.
        self.next = ((now / self.interval).floor() + 1.0) * self.interval;
    }
}
