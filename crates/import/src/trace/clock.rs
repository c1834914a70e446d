//! The clock of a trace: maps written times to monotonic time.
//!
//! The clock of a machine may be set during a capture. The monitor of one of the Harvard traces went back by
//! five minutes about once a week and forward again moments later (`format.txt` of nfsdump); single lines of
//! other traces have a time decades off (`ellardnfs2ds` of `DataSeries` lists them). Small steps back are
//! packets written out of order.

use super::{Reason, Skipped};

/// The maximum step back of a line that counts as out of order, not as a change of the clock: one second.
pub const CLOCK_JITTER_NS: u64 = 1_000_000_000;

/// The longest plausible time without a line: a day. A longer gap counts as a change of the clock.
pub const LONGEST_GAP_NS: u64 = 86_400_000_000_000;

/// The state of the clock.
#[derive(Default)]
pub(super) struct Clock {
    started: bool,
    /// The latest written time.
    written: u64,
    /// Monotonic time: nanoseconds since the first line.
    now: u64,
    /// The written and the monotonic time when the clock was set back.
    left: Option<(u64, u64)>,
}

impl Clock {
    /// The monotonic time of a line at `written`: nanoseconds since the first line, never less than for an
    /// earlier line.
    #[inline]
    pub(super) fn at(&mut self, written: u64, skipped: &mut Skipped) -> u64 {
        let gap = written.wrapping_sub(self.written);
        if written < self.written || gap > CLOCK_JITTER_NS {
            return self.unusual(written, skipped);
        }
        if !self.started {
            return self.unusual(written, skipped);
        }
        self.written = written;
        self.now = self.now.saturating_add(gap);
        self.now
    }

    #[cold]
    fn unusual(&mut self, written: u64, skipped: &mut Skipped) -> u64 {
        if !self.started {
            self.started = true;
            self.written = written;
            return self.now;
        }
        if written < self.written {
            if self.written - written <= CLOCK_JITTER_NS {
                skipped.add(Reason::OutOfOrder);
                return self.now;
            }
            skipped.add(Reason::ClockWentBack);
            // After two steps back the clock may return from both: the earlier position is the one to return
            // to.
            self.left = self.left.or(Some((self.written, self.now)));
            self.written = written;
            return self.now;
        }
        // After the clock passes the position at which it was set back, it no longer returns.
        self.left = self.left.filter(|(left, _)| self.written < *left);
        if let Some((left, meant)) = self.left
            && written >= left
            && written - left <= LONGEST_GAP_NS
        {
            // The clock returned: time continues as if it had not been set back.
            self.left = None;
            self.now = self.now.max(meant.saturating_add(written - left));
        } else if written - self.written > LONGEST_GAP_NS {
            skipped.add(Reason::ClockJumped);
        } else {
            self.now = self.now.saturating_add(written - self.written);
        }
        self.written = written;
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Monotonic times for written times, both in seconds, and the remarks.
    fn meant(written: &[u64]) -> (Vec<u64>, Skipped) {
        let (mut clock, mut skipped) = (Clock::default(), Skipped::default());
        let meant = written
            .iter()
            .map(|seconds| clock.at(seconds * SECOND, &mut skipped) / SECOND)
            .collect();
        (meant, skipped)
    }

    #[test]
    fn times_are_those_that_the_clock_meant() {
        const DAY: u64 = 86_400;
        // Written and meant times, how often the clock went back, and how often it jumped.
        let cases: [(&[u64], &[u64], u64, u64); 7] = [
            (&[1_000_000, 1_000_001, 1_000_060], &[0, 1, 60], 0, 0),
            (&[0, 0, 3], &[0, 0, 3], 0, 0),
            // The monitor of the Harvard traces: five minutes back for two seconds, then forward again.
            (&[1000, 1001, 702, 703, 1004, 1005], &[0, 1, 1, 2, 4, 5], 1, 0),
            // Time continues on a clock that stays back.
            (&[1000, 1001, 702, 703, 704], &[0, 1, 1, 2, 3], 1, 0),
            (
                &[10, 14, 11, 12, 13, 14, 15, 20],
                &[0, 4, 4, 5, 6, 7, 8, 13],
                1,
                0,
            ),
            // Lines of another age cost no time.
            (
                &[1_006_231_504, 0, 1_006_231_506, 9_006_231_504, 1_006_231_508],
                &[0, 0, 2, 2, 2],
                2,
                1,
            ),
            // A night is plausible, a year is not.
            (&[0, DAY, DAY + 40_000_000], &[0, DAY, DAY], 0, 1),
        ];
        for (written, expected, back, jumps) in cases {
            let (times, skipped) = meant(written);
            assert_eq!(times, expected, "{written:?}");
            assert_eq!(skipped.count(Reason::ClockWentBack), back, "{written:?}");
            assert_eq!(skipped.count(Reason::ClockJumped), jumps, "{written:?}");
        }
    }

    #[test]
    fn small_steps_back_are_order_and_not_clocks() {
        let (mut clock, mut skipped) = (Clock::default(), Skipped::default());
        assert_eq!(clock.at(5 * SECOND, &mut skipped), 0);
        assert_eq!(clock.at(5 * SECOND + 100, &mut skipped), 100);
        assert_eq!(clock.at(5 * SECOND + 50, &mut skipped), 100);
        assert_eq!(clock.at(5 * SECOND + 120, &mut skipped), 120);
        assert_eq!(skipped.count(Reason::OutOfOrder), 1);
        assert_eq!(clock.at(u64::MAX, &mut skipped), 120);
        assert_eq!(clock.at(0, &mut skipped), 120);
    }
}
