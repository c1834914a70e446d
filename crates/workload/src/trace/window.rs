//! Calls that wait for their replies, in the order of the calls.
//!
//! Records come out in order of their start, so a call without a reply holds up all that came after it. It
//! gives up waiting when [`MOST_WAITING`] calls are behind it, or when [`LONGEST_WAIT_NS`] have gone by.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use rustc_hash::FxBuildHasher;

use super::{Reason, Record, Skipped};

/// The most calls that wait at once: 65,536, more than a server has under way.
pub const MOST_WAITING: usize = 65_536;

/// The longest time that a call waits for its reply: 60 seconds, after which NFS clients over TCP ask again.
pub const LONGEST_WAIT_NS: u64 = 60_000_000_000;

/// A call, and whether it still waits for its reply.
struct Call {
    record: Record,
    key: u64,
    waits: bool,
}

/// Calls in order, and where to find those that wait.
#[derive(Default)]
pub(super) struct Window {
    calls: VecDeque<Call>,
    /// The number of the first call in `calls`, counted from the first of the trace.
    first: u64,
    waiting: HashMap<u64, u64, FxBuildHasher>,
    now: u64,
    finished: bool,
}

impl Window {
    /// A call that waits for the reply that has the same key, unless one with that key waits already. Whether
    /// it is taken.
    #[inline]
    pub(super) fn call_once(&mut self, key: u64, record: Record) -> bool {
        let number = self.first + self.calls.len() as u64;
        match self.waiting.entry(key) {
            Entry::Occupied(_) => return false,
            Entry::Vacant(place) => place.insert(number),
        };
        self.now = record.start_ns;
        self.calls.push_back(Call {
            record,
            key,
            waits: true,
        });
        true
    }

    /// A call that waits for the reply that has the same key. One with the same key that waits already waits
    /// no longer.
    #[inline]
    pub(super) fn call(&mut self, key: u64, record: Record) {
        self.now = record.start_ns;
        let number = self.first + self.calls.len() as u64;
        if let Some(before) = self.waiting.insert(key, number) {
            self.settle(before);
        }
        self.calls.push_back(Call {
            record,
            key,
            waits: true,
        });
    }

    /// The call that waits for the reply with this key, and waits no longer.
    #[inline]
    pub(super) fn answer(&mut self, key: u64) -> Option<&mut Record> {
        let number = self.waiting.remove(&key)?;
        self.settle(number)
    }

    #[inline]
    fn settle(&mut self, number: u64) -> Option<&mut Record> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let call = self.calls.get_mut(index)?;
        call.waits = false;
        Some(&mut call.record)
    }

    /// The first call, once it waits no longer.
    #[inline]
    pub(super) fn pop(&mut self, skipped: &mut Skipped) -> Option<Record> {
        let call = self.calls.front()?;
        if call.waits {
            let patient = self.calls.len() < MOST_WAITING
                && self.now - call.record.start_ns < LONGEST_WAIT_NS
                && !self.finished;
            if patient {
                return None;
            }
            self.waiting.remove(&call.key);
            skipped.add(Reason::CallWithoutReply);
        }
        self.first += 1;
        self.calls.pop_front().map(|call| call.record)
    }

    /// Nothing follows: nothing waits any longer.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }
}
