//! A sum that preserves small terms: Neumaier's variant of Kahan's compensated summation.

/// A running sum whose error does not grow with the number of terms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, term: f64) {
        let total = self.total + term;
        self.lost += if self.total.abs() >= term.abs() {
            (self.total - total) + term
        } else {
            (term - total) + self.total
        };
        self.total = total;
    }

    pub(crate) fn value(self) -> f64 {
        self.total + self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;

    #[test]
    fn small_terms_beside_a_large_one_are_kept() {
        let mut sum = Sum::default();
        sum.add(1e16);
        for _ in 0..1_000 {
            sum.add(0.1);
        }
        sum.add(-1e16);
        assert!((sum.value() - 100.0).abs() < 1e-9, "{}", sum.value());
    }
}
