//! The number of concurrent operations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The maximum number of concurrent operations to count; the result is limited to it.
pub const MOST_CONCURRENT: usize = 1 << 20;

/// The end times of operations in flight.
#[derive(Default)]
pub(super) struct Concurrency {
    ends: BinaryHeap<Reverse<u64>>,
    most: usize,
}

impl Concurrency {
    /// Adds an operation, given its start (not before that of the previous one) and its latency.
    pub(super) fn add(&mut self, start_ns: u64, latency_ns: u64) {
        while self.ends.peek().is_some_and(|Reverse(end)| *end <= start_ns) {
            self.ends.pop();
        }
        if self.ends.len() < MOST_CONCURRENT {
            self.ends.push(Reverse(start_ns.saturating_add(latency_ns)));
        }
        self.most = self.most.max(self.ends.len());
    }

    /// The maximum number of operations in flight.
    pub(super) fn most(&self) -> usize {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_before_another_starts_is_not_under_way_with_it() {
        let mut concurrency = Concurrency::default();
        for (start, latency) in [(0, 10), (5, 10), (10, 1), (12, 2), (20, 1)] {
            concurrency.add(start, latency);
        }
        assert_eq!(concurrency.most(), 2);
    }
}
