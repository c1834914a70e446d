//! The number of distinct values, in constant memory.
//!
//! The k smallest hashes (Bar-Yossef et al.: Counting distinct elements in a data stream, RANDOM 2002): exact
//! up to k, then (k − 1) divided by the share of all hashes that the k-th smallest leaves below it, with a
//! relative error of about 1/√k.

use std::collections::BTreeSet;

use crate::trace::fields::mix;

/// The number of hashes to keep: an error of 1.6 %.
const KEPT: usize = 4096;

/// A counter of distinct values.
#[derive(Default)]
pub(super) struct Distinct {
    smallest: BTreeSet<u64>,
    last: Option<u64>,
}

impl Distinct {
    /// Adds a value, which may be a repetition.
    pub(super) fn add(&mut self, value: u64) {
        if self.last.replace(value) == Some(value) {
            return;
        }
        let hash = mix(value);
        if self.smallest.len() == KEPT {
            if self.smallest.last().is_some_and(|largest| hash >= *largest) {
                return;
            }
            if self.smallest.insert(hash) {
                self.smallest.pop_last();
            }
            return;
        }
        self.smallest.insert(hash);
    }

    /// The number of distinct values.
    pub(super) fn count(&self) -> f64 {
        match self.smallest.last() {
            Some(largest) if self.smallest.len() == KEPT => {
                (KEPT - 1) as f64 / (*largest as f64 / 2_f64.powi(64))
            }
            _ => self.smallest.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_counted_and_many_estimated() {
        for (count, tolerance) in [(0, 0.0), (1, 0.0), (4000, 0.0), (1_000_000, 0.05)] {
            let mut distinct = Distinct::default();
            for value in (0..count).chain(0..count) {
                distinct.add(value);
            }
            let found = distinct.count();
            assert!(
                (found - count as f64).abs() <= tolerance * count as f64,
                "{found} for {count}"
            );
        }
    }
}
