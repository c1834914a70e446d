//! Paces: the clocks that drive the classes.
//!
//! All classes that one resource holds back share its level, so their clocks move in step. A resource's
//! *pace* is the integral of its level over time; each of its classes moves on by factor × pace. Which of
//! them completes a flow next does not depend on the level at all: the classes wait in a heap by the reading
//! at which they are due, and a new level changes one number, however many classes there are. A class at its
//! own cap has a pace of its own.
//!
//! As with the clocks of classes, a pace is *set* to the reading at which a flow was due when it completes,
//! and is moved back by exact steps before it grows large beside the differences that count.

use crate::calendar::{ABSENT, Heap};
use crate::flows::{Flows, last_digit};
use crate::time::Instant;

/// Completions in a pace, beside a multiple of its classes, after which its reading is moved back.
const COMPLETIONS_BETWEEN_MOVES: usize = 64;

/// One pace and the classes that it drives.
#[derive(Clone, Debug, Default)]
struct Pace {
    reading: f64,
    at: Instant,
    /// Growth of the reading, per second.
    level: f64,
    /// Classes with flows, by the reading at which the next is done.
    due: Heap<f64>,
    completions: usize,
    /// Whether the calendar has to be told.
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

/// What drives a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    /// The level of a resource.
    Resource(u32),
    /// The class's own cap.
    Cap,
}

/// All paces, who is driven by which, and when each has its next completion.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paces {
    /// Of resource r at 2r, of class c alone at 2c + 1.
    all: Vec<Pace>,
    /// The pace of each class, and its place in the heap there.
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

    /// A resource has another level; infinite when it drives nobody any more.
    pub(crate) fn set_level(&mut self, resource: u32, now: Instant, level: f64) {
        self.set_pace_level(2 * resource, now, level);
    }

    fn set_pace_level(&mut self, pace: u32, now: Instant, level: f64) {
        let this = &mut self.all[pace as usize];
        this.advance(now);
        this.level = if level < f64::INFINITY { level } else { 0.0 };
        self.mark_stale(pace);
    }

    /// A class is driven by something else, by another factor, or at another cap, from `now` on. Its next
    /// completion has to be told with [`Paces::set_due`].
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

    /// States the reading at which a class completes its next flow; `None` when it has none.
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

    /// Brings the calendar up to date, `now`. All classes with flows must have told when they are due.
    pub(crate) fn update_calendar(&mut self, now: Instant, flows: &mut [Flows]) {
        while let Some(pace) = self.stale.pop() {
            let this = &mut self.all[pace as usize];
            this.stale = false;
            if this.completions > COMPLETIONS_BETWEEN_MOVES + 8 * this.due.len() {
                this.move_back(flows);
            }
            // A flow that is due this very moment may be due a rounding earlier when the reading is turned
            // back into time.
            let next = this.next().map(|next| next.max(now));
            self.calendar.set(&mut self.calendar_places, pace, next);
        }
    }

    /// The next completion: when, and of which class.
    pub(crate) fn first(&self) -> Option<(Instant, u32)> {
        let (at, pace) = self.calendar.first()?;
        let (_, class) = self.all[pace as usize].due.first()?;
        Some((at, class))
    }

    /// Sets the pace of a class whose completion is due, `now`, and returns its reading.
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
    /// Takes the same amount off the reading and off all that refers to it.
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
