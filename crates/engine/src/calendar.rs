//! The two heaps of the event calendar.
//!
//! The completion times of flows change with the rates: they are in a heap that tracks the position of each
//! entry. Timers and services never change once scheduled: they are in a plain heap, ordered by time, then by
//! order of scheduling.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::time::Instant;

/// The position of an item that is not in its heap.
pub(crate) const ABSENT: u32 = u32::MAX;

/// A 4-ary min-heap of numbered items with changeable keys; of equal keys the lowest number is first.
///
/// The caller stores the position of each item, in a list indexed by its number and initialised to
/// [`ABSENT`]. Several heaps can share one list if each item is in at most one of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap<Key> {
    entries: Vec<(Key, u32)>,
}

impl<Key: Copy + PartialOrd> Heap<Key> {
    pub(crate) fn first(&self) -> Option<(Key, u32)> {
        self.entries.first().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// All entries, in no particular order. Keys may be changed if their order stays the same.
    pub(crate) fn entries_mut(&mut self) -> impl Iterator<Item = &mut (Key, u32)> {
        self.entries.iter_mut()
    }

    /// Sets the key of an item; `None` removes it.
    pub(crate) fn set(&mut self, places: &mut [u32], thing: u32, key: Option<Key>) {
        let place = places[thing as usize];
        match (key, place == ABSENT) {
            (None, true) => {}
            (None, false) => self.remove(places, place as usize),
            (Some(key), true) => {
                self.entries.push((key, thing));
                self.rise(places, self.entries.len() - 1, (key, thing));
            }
            (Some(key), false) => self.replace(places, place as usize, (key, thing)),
        }
    }

    fn remove(&mut self, places: &mut [u32], place: usize) {
        let (_, thing) = self.entries[place];
        places[thing as usize] = ABSENT;
        if let Some(last) = self.entries.pop()
            && place < self.entries.len()
        {
            self.replace(places, place, last);
        }
    }

    fn replace(&mut self, places: &mut [u32], place: usize, entry: (Key, u32)) {
        if place > 0 && entry < self.entries[(place - 1) / 4] {
            self.rise(places, place, entry);
        } else {
            self.sink(places, place, entry);
        }
    }

    fn rise(&mut self, places: &mut [u32], mut place: usize, entry: (Key, u32)) {
        while place > 0 {
            let parent = (place - 1) / 4;
            if entry >= self.entries[parent] {
                break;
            }
            self.put(places, place, self.entries[parent]);
            place = parent;
        }
        self.put(places, place, entry);
    }

    fn sink(&mut self, places: &mut [u32], mut place: usize, entry: (Key, u32)) {
        loop {
            let children = 4 * place + 1..(4 * place + 5).min(self.entries.len());
            let Some(least) = children.reduce(|a, b| if self.entries[b] < self.entries[a] { b } else { a })
            else {
                break;
            };
            if self.entries[least] >= entry {
                break;
            }
            self.put(places, place, self.entries[least]);
            place = least;
        }
        self.put(places, place, entry);
    }

    fn put(&mut self, places: &mut [u32], place: usize, entry: (Key, u32)) {
        self.entries[place] = entry;
        places[entry.1 as usize] = place as u32;
    }
}

/// A scheduled event.
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

/// An appointment with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: Instant,
    order: u64,
    what: Appointment,
}

impl Ord for Entry {
    /// Reversed, because the standard heap returns its greatest entry first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Timers and services in progress, earliest first; of equal times the one scheduled first.
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

    /// All appointments, in no particular order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Appointment> {
        self.heap.iter().map(|entry| entry.what)
    }
}

#[cfg(test)]
mod tests {
    use super::{ABSENT, Appointment, Appointments, Heap};
    use crate::time::{Instant, Time};

    fn at(picoseconds: u64) -> Instant {
        Instant::from(Time::from_picoseconds(picoseconds))
    }

    #[test]
    fn a_heap_agrees_with_a_plain_list_under_many_changes() {
        let things = 37;
        let mut heap = Heap::default();
        let mut places = vec![ABSENT; things];
        let mut list: Vec<Option<Instant>> = vec![None; things];
        let mut x: u64 = 1;
        for _ in 0..20_000 {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let thing = (x >> 33) as usize % things;
            let key = (!(x >> 20).is_multiple_of(5)).then(|| at((x >> 40) % 100));
            heap.set(&mut places, thing as u32, key);
            list[thing] = key;
            let expected = list
                .iter()
                .enumerate()
                .filter_map(|(thing, key)| key.map(|key| (key, thing as u32)))
                .min();
            assert_eq!(heap.first(), expected);
            assert_eq!(heap.len(), list.iter().flatten().count());
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
