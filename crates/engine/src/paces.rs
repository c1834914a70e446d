//! Paces: the clocks that drive the classes.
//!
//! All classes that one resource limits share its level, so that their clocks move in step. A resource's
//! *pace* is the integral of its level over time; each of its classes advances by factor × pace. The order of
//! their completions does not depend on the level: the classes are in a heap by the reading at which they are
//! due, and a new level changes a single number for any number of classes. A class at its own cap has a pace
//! of its own.
//!
//! Like the clock of a class, a pace is *set* to the reading at which a flow was due when it completes, and
//! is moved back by exact steps before its size reduces the precision of differences.

use crate::calendar::{ABSENT, Heap};
use crate::flows::{Flows, last_digit};
use crate::time::Instant;

/// Number of completions in a pace, plus a multiple of its classes, after which its reading is moved back.
const COMPLETIONS_BETWEEN_MOVES: usize = 64;

/// One pace and the classes that it drives.
#[derive(Clone, Debug, Default)]
struct Pace {
    reading: f64,
    at: Instant,
    /// Rate of change of the reading, per second.
    level: f64,
    /// Classes with flows, by the reading of their next completion.
    due: Heap<f64>,
    completions: usize,
    /// Whether its entry in the calendar is outdated.
    stale: bool,
}

impl Pace {
    fn reading(&self, now: Instant) -> f64 {
        if now == self.at {
            return self.reading;
        }
        self.reading + self.level * now.seconds_since(self.at)
    }

    fn advance(&mut self, now: Instant) {
        self.reading = self.reading(now);
        self.at = now;
    }

    fn next(&self) -> Option<Instant> {
        self.due
            .first()
            .map(|(due, _)| self.at.after_seconds((due - self.reading).max(0.0) / self.level))
    }
}

/// The driver of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    /// The level of a resource.
    Resource(u32),
    /// The class's own cap.
    Cap,
}

/// All paces, the driver of each class, and the time of each pace's next completion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paces {
    /// The pace of resource r at 2r, of class c alone at 2c + 1.
    all: Vec<Pace>,
    /// The pace of each class, and its position in that pace's heap.
    driven_by: Vec<u32>,
    places: Vec<u32>,
    calendar: Heap<Instant>,
    calendar_places: Vec<u32>,
    stale: Vec<u32>,
}

impl Paces {
    pub(crate) fn add_resource(&mut self, resource: u32) {
        self.reach(2 * resource);
    }

    pub(crate) fn add_class(&mut self, class: u32) {
        self.reach(2 * class + 1);
        self.driven_by.push(2 * class + 1);
        self.places.push(ABSENT);
    }

    fn reach(&mut self, pace: u32) {
        let count = self.all.len().max(pace as usize + 1);
        self.all.resize_with(count, Pace::default);
        self.calendar_places.resize(count, ABSENT);
    }

    /// The reading of the pace that drives a class.
    pub(crate) fn reading(&self, class: u32, now: Instant) -> f64 {
        self.all[self.driven_by[class as usize] as usize].reading(now)
    }

    /// Sets the level of a resource; infinite if it drives no class any more.
    pub(crate) fn set_level(&mut self, resource: u32, now: Instant, level: f64) {
        self.set_pace_level(2 * resource, now, level);
    }

    fn set_pace_level(&mut self, pace: u32, now: Instant, level: f64) {
        let this = &mut self.all[pace as usize];
        this.advance(now);
        this.level = if level < f64::INFINITY { level } else { 0.0 };
        self.mark_stale(pace);
    }

    /// Sets the driver, factor and cap of a class from `now` on. [`Paces::set_due`] has to follow for its
    /// next completion.
    pub(crate) fn drive(
        &mut self,
        class: u32,
        now: Instant,
        driver: Driver,
        factor: f64,
        cap: f64,
        flows: &mut Flows,
    ) {
        let old = self.reading(class, now);
        self.set_due(class, None);
        let pace = match driver {
            Driver::Resource(resource) => 2 * resource,
            Driver::Cap => {
                self.set_pace_level(2 * class + 1, now, cap);
                2 * class + 1
            }
        };
        self.driven_by[class as usize] = pace;
        flows.retune(old, self.reading(class, now), factor);
    }

    /// Sets the reading at which a class completes its next flow; `None` without flows.
    pub(crate) fn set_due(&mut self, class: u32, due: Option<f64>) {
        let pace = self.driven_by[class as usize];
        self.all[pace as usize].due.set(&mut self.places, class, due);
        self.mark_stale(pace);
    }

    fn mark_stale(&mut self, pace: u32) {
        let this = &mut self.all[pace as usize];
        if !this.stale {
            this.stale = true;
            self.stale.push(pace);
        }
    }

    /// Updates the calendar at `now`. All classes with flows must have set when they are due.
    pub(crate) fn update_calendar(&mut self, now: Instant, flows: &mut [Flows]) {
        while let Some(pace) = self.stale.pop() {
            let this = &mut self.all[pace as usize];
            this.stale = false;
            if this.completions > COMPLETIONS_BETWEEN_MOVES + 8 * this.due.len() {
                this.move_back(flows);
            }
            // The conversion of the reading to time may round a flow that is due now to an earlier time.
            let next = this.next().map(|next| next.max(now));
            self.calendar.set(&mut self.calendar_places, pace, next);
        }
    }

    /// The next completion: its time and its class.
    pub(crate) fn first(&self) -> Option<(Instant, u32)> {
        let (at, pace) = self.calendar.first()?;
        let (_, class) = self.all[pace as usize].due.first()?;
        Some((at, class))
    }

    /// Sets the pace of a class whose completion is due `now`, and returns its reading.
    pub(crate) fn complete(&mut self, class: u32, now: Instant) -> f64 {
        let pace = &mut self.all[self.driven_by[class as usize] as usize];
        if let Some((due, _)) = pace.due.first() {
            pace.reading = due;
            pace.at = now;
            pace.completions += 1;
        }
        pace.reading
    }
}

impl Pace {
    /// Subtracts the same amount from the reading and from everything relative to it.
    #[cold]
    fn move_back(&mut self, flows: &mut [Flows]) {
        self.completions = 0;
        let mut largest = self.reading;
        for (due, _) in self.due.entries_mut() {
            largest = largest.max(*due);
        }
        let digit = last_digit(largest);
        let step = (self.reading / digit).floor() * digit;
        self.reading -= step;
        for (due, class) in self.due.entries_mut() {
            *due -= step;
            flows[*class as usize].follow(step);
        }
    }
}
