//! Calls that wait for their replies, in the order of the calls.
//!
//! Records are returned in order of their start, so that a call without a reply delays all later ones. It
//! stops waiting after [`MOST_WAITING`] further calls, or after [`LONGEST_WAIT_NS`].

use bandgraph_workload::Record;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use rustc_hash::FxBuildHasher;

use super::{Reason, Skipped};

/// The maximum number of waiting calls: 65,536, more than a server has in flight.
pub const MOST_WAITING: usize = 65_536;

/// The maximum wait of a call for its reply: 60 seconds, after which NFS clients over TCP retransmit.
pub const LONGEST_WAIT_NS: u64 = 60_000_000_000;

/// A call, and whether it waits for its reply.
struct Call {
    record: Record,
    key: u64,
    waits: bool,
}

/// Calls in order, with an index of the waiting ones.
#[derive(Default)]
pub(super) struct Window {
    calls: VecDeque<Call>,
    /// The number of the first call in `calls`, counted from the start of the trace.
    first: u64,
    waiting: HashMap<u64, u64, FxBuildHasher>,
    now: u64,
    finished: bool,
}

impl Window {
    /// Adds a call that waits for the reply with the same key, unless one with that key already waits.
    /// Returns whether it was added.
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

    /// Adds a call that waits for the reply with the same key. An earlier one with that key stops waiting.
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

    /// The call that waits for the reply with this key; it stops waiting.
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

    /// The first call, if it no longer waits.
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

    /// Ends the input: no call waits any longer.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }
}
