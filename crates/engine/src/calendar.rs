//! The event calendar: when each class completes its next flow, and the timers and services under way.
//!
//! Classes have one entry each, whose time changes with their rate: they sit in a heap that knows where each class is. Timers and
//! services never change once scheduled: they sit in a plain heap, ordered by time, then by order of scheduling.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::time::Instant;

/// The next completion of every class, earliest first; of equal times the class added first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Completions {
    /// Heap with four children to a node. Classes without flows are not in it.
    heap: Vec<(Instant, u32)>,
    /// Place of each class in the heap, or [`ABSENT`].
    places: Vec<u32>,
}

/// Place of a class that is not in the heap.
const ABSENT: u32 = u32::MAX;

impl Completions {
    /// Makes room for one class more.
    pub(crate) fn add_class(&mut self) {
        self.places.push(ABSENT);
    }

    pub(crate) fn first(&self) -> Option<(Instant, u32)> {
        self.heap.first().copied()
    }

    /// States when a class completes its next flow; `None` when it has none.
    pub(crate) fn set(&mut self, class: u32, at: Option<Instant>) {
        let place = self.places[class as usize];
        match (at, place == ABSENT) {
            (None, true) => {}
            (None, false) => self.remove(place as usize),
            (Some(at), true) => {
                self.heap.push((at, class));
                self.rise(self.heap.len() - 1, (at, class));
            }
            (Some(at), false) => self.replace(place as usize, (at, class)),
        }
    }

    fn remove(&mut self, place: usize) {
        let (_, class) = self.heap[place];
        self.places[class as usize] = ABSENT;
        if let Some(last) = self.heap.pop()
            && place < self.heap.len()
        {
            self.replace(place, last);
        }
    }

    fn replace(&mut self, place: usize, entry: (Instant, u32)) {
        if place > 0 && entry < self.heap[(place - 1) / 4] {
            self.rise(place, entry);
        } else {
            self.sink(place, entry);
        }
    }

    fn rise(&mut self, mut place: usize, entry: (Instant, u32)) {
        while place > 0 {
            let parent = (place - 1) / 4;
            if entry >= self.heap[parent] {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize, entry: (Instant, u32)) {
        loop {
            let children = 4 * place + 1..(4 * place + 5).min(self.heap.len());
            let Some(least) = children.reduce(|a, b| if self.heap[b] < self.heap[a] { b } else { a }) else {
                break;
            };
            if self.heap[least] >= entry {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: (Instant, u32)) {
        self.heap[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}

/// What was scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appointment {
    /// A timer with its tag.
    Timer { tag: u64 },
    /// The end of a service, with the customer's tag and arrival.
    Service {
        station: u32,
        tag: u64,
        arrived: Instant,
    },
}

/// An appointment in its place in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: Instant,
    order: u64,
    what: Appointment,
}

impl Ord for Entry {
    /// Reversed, because the standard heap gives its greatest entry first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Timers and services under way, earliest first; of equal times the one scheduled first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Appointments {
    heap: BinaryHeap<Entry>,
    scheduled: u64,
}

impl Appointments {
    pub(crate) fn schedule(&mut self, at: Instant, what: Appointment) {
        self.scheduled += 1;
        self.heap.push(Entry {
            at,
            order: self.scheduled,
            what,
        });
    }

    pub(crate) fn first(&self) -> Option<Instant> {
        self.heap.peek().map(|entry| entry.at)
    }

    pub(crate) fn take(&mut self) -> Option<Appointment> {
        self.heap.pop().map(|entry| entry.what)
    }

    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{Appointment, Appointments, Completions};
    use crate::time::{Instant, Time};

    fn at(picoseconds: u64) -> Instant {
        Instant::from(Time::from_picoseconds(picoseconds))
    }

    #[test]
    fn completions_agree_with_a_plain_list_under_many_changes() {
        let classes = 37;
        let mut completions = Completions::default();
        let mut list: Vec<Option<Instant>> = vec![None; classes];
        (0..classes).for_each(|_| completions.add_class());
        let mut x: u64 = 1;
        for _ in 0..20_000 {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let class = (x >> 33) as usize % classes;
            let time = (!(x >> 20).is_multiple_of(5)).then(|| at((x >> 40) % 100));
            completions.set(class as u32, time);
            list[class] = time;
            let expected = list
                .iter()
                .enumerate()
                .filter_map(|(class, at)| at.map(|at| (at, class as u32)))
                .min();
            assert_eq!(completions.first(), expected);
        }
    }

    #[test]
    fn equal_times_come_in_order_of_scheduling() {
        let mut appointments = Appointments::default();
        for (time, tag) in [(5, 0), (3, 1), (5, 2), (3, 3), (5, 4)] {
            appointments.schedule(at(time), Appointment::Timer { tag });
        }
        let mut order = Vec::new();
        while let Some(Appointment::Timer { tag }) = appointments.take() {
            order.push(tag);
        }
        assert_eq!(order, [1, 3, 0, 2, 4]);
    }
}
