//! Cache devices (L2ARC) of a replay: a ring of blocks evicted from DRAM, written at a limited rate.
//!
//! ZFS scans the blocks that DRAM is about to evict and writes them to the devices sequentially, at a limited
//! rate (`l2arc_feed_thread` in its `arc.c`). Blocks evicted before their turn are lost, and the oldest
//! blocks are overwritten. Here, blocks queue in the order in which they missed, as long as DRAM could still
//! hold them.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

/// All cache devices as one.
pub(super) struct Devices {
    capacity: usize,
    /// Oldest first.
    ring: VecDeque<u64>,
    held: FxHashSet<u64>,
    /// Blocks that wait to be written, at most the capacity of DRAM.
    queue: VecDeque<u64>,
    queue_most: usize,
    /// Blocks/s, and the additional blocks/s until DRAM has been full.
    rate: f64,
    boost: f64,
    dram_was_full: bool,
    /// Blocks that may be written now, accrued until `until` (seconds).
    allowed: f64,
    until: f64,
}

impl Devices {
    /// Empty devices with a `capacity` in blocks and DRAM of `dram` blocks; feed rate and initial additional
    /// rate in blocks/s.
    pub(super) fn new(capacity: usize, dram: usize, [rate, boost]: [f64; 2]) -> Self {
        Self {
            capacity,
            ring: VecDeque::new(),
            held: FxHashSet::default(),
            queue: VecDeque::new(),
            queue_most: dram.max(1),
            rate,
            boost,
            dram_was_full: false,
            allowed: 0.0,
            until: 0.0,
        }
    }

    /// Blocks on the devices.
    pub(super) fn held(&self) -> usize {
        self.ring.len()
    }

    /// Writes the queued blocks that the feed rate permits up to `seconds` after the start. `in_dram` is the
    /// number of blocks in DRAM.
    pub(super) fn feed(&mut self, seconds: f64, in_dram: usize) {
        self.dram_was_full |= in_dram >= self.queue_most;
        let rate = if self.dram_was_full {
            self.rate
        } else {
            self.rate + self.boost
        };
        // ZFS writes once a second: the unused part of a second is lost.
        self.allowed = if rate.is_finite() {
            (self.allowed + (seconds - self.until).max(0.0) * rate).min(rate.max(1.0))
        } else {
            f64::INFINITY
        };
        self.until = self.until.max(seconds);
        while self.allowed >= 1.0
            && let Some(block) = self.queue.pop_front()
        {
            if !self.held.insert(block) {
                continue;
            }
            self.allowed -= 1.0;
            self.ring.push_back(block);
            if self.ring.len() > self.capacity
                && let Some(oldest) = self.ring.pop_front()
            {
                self.held.remove(&oldest);
            }
        }
    }

    /// Whether a block that misses DRAM is on the devices; otherwise it joins the queue.
    pub(super) fn look_up(&mut self, block: u64) -> bool {
        if self.held.contains(&block) {
            return true;
        }
        self.queue.push_back(block);
        if self.queue.len() > self.queue_most {
            self.queue.pop_front();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of six blocks fed at 4 blocks/s, and DRAM of ten blocks.
    fn devices() -> Devices {
        Devices::new(6, 10, [4.0, 0.0])
    }

    #[test]
    fn blocks_come_at_the_rate_they_are_fed() {
        let mut devices = devices();
        for block in 0..10 {
            assert!(!devices.look_up(block));
        }
        devices.feed(0.5, 10);
        assert_eq!(devices.held(), 2);
        devices.feed(1.5, 10);
        assert_eq!(devices.held(), 6);
        // By hand: 0 to 5 are on the devices; two more evict 0 and 1.
        devices.feed(2.0, 10);
        assert_eq!(devices.held(), 6);
        assert!(!devices.look_up(1) && devices.look_up(2) && devices.look_up(7));
    }

    #[test]
    fn what_dram_has_dropped_is_not_fed() {
        let mut devices = devices();
        for block in 0..30 {
            devices.look_up(block);
        }
        devices.feed(1.0, 10);
        assert!(devices.look_up(20) && devices.look_up(23) && !devices.look_up(19));
    }

    #[test]
    fn more_is_fed_until_dram_is_full() {
        let mut devices = Devices::new(100, 10, [4.0, 2.0]);
        for block in 0..10 {
            devices.look_up(block);
        }
        devices.feed(1.0, 5);
        assert_eq!(devices.held(), 6);
        devices.feed(1.25, 10);
        assert_eq!(devices.held(), 7);
    }
}
