//! Rates over time in a fixed number of bins: when time exceeds the last bin, adjacent bins are merged and
//! the width doubles.

/// The maximum number of bins.
pub const RATE_BINS: usize = 64;

/// The operations that start in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateBin {
    /// Operations.
    pub operations: u64,
    /// File data that they moved, in bytes.
    pub bytes: u64,
}

/// Bins of equal width.
pub(super) struct Rates {
    bins: [RateBin; RATE_BINS],
    width_ns: u64,
    last: usize,
    any: bool,
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            bins: [RateBin::default(); RATE_BINS],
            // One millisecond: fine enough for short traces.
            width_ns: 1_000_000,
            last: 0,
            any: false,
        }
    }
}

impl Rates {
    /// Adds an operation with this start time.
    pub(super) fn add(&mut self, start_ns: u64, bytes: u64) {
        let mut bin = start_ns / self.width_ns;
        while bin >= RATE_BINS as u64 {
            self.halve();
            bin = start_ns / self.width_ns;
        }
        let bin = bin as usize;
        self.bins[bin].operations += 1;
        self.bins[bin].bytes = self.bins[bin].bytes.saturating_add(bytes);
        self.last = self.last.max(bin);
        self.any = true;
    }

    fn halve(&mut self) {
        for bin in 0..RATE_BINS {
            self.bins[bin] = if bin < RATE_BINS / 2 {
                let (one, other) = (self.bins[2 * bin], self.bins[2 * bin + 1]);
                RateBin {
                    operations: one.operations + other.operations,
                    bytes: one.bytes.saturating_add(other.bytes),
                }
            } else {
                RateBin::default()
            };
        }
        self.last /= 2;
        // 64 bins reach 2^64 nanoseconds before the width overflows.
        self.width_ns = self.width_ns.saturating_mul(2);
    }

    /// The bins up to the last non-empty one.
    pub(super) fn bins(&self) -> Vec<RateBin> {
        if !self.any {
            return Vec::new();
        }
        self.bins[..=self.last].to_vec()
    }

    /// The width of a bin, in nanoseconds.
    pub(super) fn width(&self) -> u64 {
        self.width_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_bins_are_joined() {
        let mut rates = Rates::default();
        for second in 0..1000 {
            rates.add(second * 1_000_000_000, 512);
        }
        let bins = rates.bins();
        assert!(bins.len() <= RATE_BINS && bins.len() > RATE_BINS / 4);
        assert_eq!(bins.iter().map(|bin| bin.operations).sum::<u64>(), 1000);
        assert_eq!(bins.iter().map(|bin| bin.bytes).sum::<u64>(), 512_000);
        let each = rates.width() / 1_000_000_000;
        assert!(
            bins[..bins.len() - 1]
                .iter()
                .all(|bin| bin.operations.abs_diff(each) <= 1)
        );
        rates.add(u64::MAX, u64::MAX);
        assert_eq!(rates.bins().iter().map(|bin| bin.operations).sum::<u64>(), 1001);
    }
}
