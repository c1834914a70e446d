//! Exact fractions.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

/// A fraction of two 128-bit integers in lowest terms, with a positive denominator. Arithmetic panics on
/// overflow, so that a test fails instead of comparing with a wrong figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rational {
    above: i128,
    below: i128,
}

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self { above: 0, below: 1 };

    /// `above / below`. Panics if `below` is zero.
    pub fn new(above: i128, below: i128) -> Self {
        assert!(below != 0, "a fraction is not over zero");
        let divisor =
            fit(i128::try_from(gcd(above.unsigned_abs(), below.unsigned_abs())).ok()) * below.signum();
        Self {
            above: above / divisor,
            below: below / divisor,
        }
    }

    /// The nearest float.
    pub fn to_f64(self) -> f64 {
        self.above as f64 / self.below as f64
    }

    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.above == 0
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}

fn fit(result: Option<i128>) -> i128 {
    result.expect("the figures of a test are small enough for 128 bits")
}

impl From<i64> for Rational {
    fn from(whole: i64) -> Self {
        Self::new(i128::from(whole), 1)
    }
}

impl Add for Rational {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (first, second) = (
            self.above.checked_mul(other.below),
            other.above.checked_mul(self.below),
        );
        Self::new(
            fit(fit(first).checked_add(fit(second))),
            fit(self.below.checked_mul(other.below)),
        )
    }
}

impl Sub for Rational {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self {
            above: -other.above,
            below: other.below,
        }
    }
}

impl Mul for Rational {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        // Reduced crosswise first, so that products stay small.
        let (a, b) = (
            Self::new(self.above, other.below),
            Self::new(other.above, self.below),
        );
        Self::new(
            fit(a.above.checked_mul(b.above)),
            fit(a.below.checked_mul(b.below)),
        )
    }
}

impl Div for Rational {
    type Output = Self;

    /// Panics if `other` is zero.
    fn div(self, other: Self) -> Self {
        let inverse = Self::new(other.below, other.above);
        self.mul(inverse)
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (*self - *other).above.cmp(&0)
    }
}

#[cfg(test)]
mod tests {
    use super::Rational;

    #[test]
    fn fractions_by_hand() {
        let (third, sixth) = (Rational::new(1, 3), Rational::new(-2, -12));
        assert_eq!(third + sixth, Rational::new(1, 2));
        assert_eq!(third - sixth, sixth);
        assert_eq!(third * sixth, Rational::new(1, 18));
        assert_eq!(third / sixth, Rational::from(2));
        assert!(sixth < third && Rational::new(1, -3) < Rational::ZERO);
        assert_eq!(Rational::new(0, -5), Rational::ZERO);
        assert_eq!(Rational::new(-3, 4).to_f64(), -0.75);
    }

    #[test]
    #[should_panic(expected = "128 bits")]
    fn what_does_not_fit_is_not_rounded() {
        let large = Rational::new(i128::MAX, 1);
        let _ = large + large;
    }
}
