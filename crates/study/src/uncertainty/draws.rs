//! Values of uncertain figures, drawn together: a Latin hypercube.
//!
//! McKay, Beckman, Conover, *A Comparison of Three Methods for Selecting Values of Input Variables*,
//! Technometrics 21(2), 1979: with n draws, each of n equally likely parts of a figure's distribution is
//! drawn once. A mean over such draws needs far fewer of them than over independent ones.

use statrs::distribution::{ContinuousCDF, Normal};

use super::figures::UncertainFigure;
use super::model_error::ModelErrors;
use crate::sweep::{Permutation, mix};

/// The 95 % point of the standard normal distribution: a range of 90 % belief ends there.
pub(super) const RANGE_END: f64 = 1.644_853_626_951_472_2;

/// Draws of one quantity: standard normal, the n parts of the distribution in an order of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    order: Permutation,
    draws: u32,
}

impl Column {
    /// The draws that belong to a name. Equal names have equal draws, in whatever scenario: differences
    /// between variants are then those of the variants.
    pub(super) fn new(name: &str, draws: u32) -> Self {
        let seed = name.bytes().fold(0, |seed, byte| mix(seed ^ u64::from(byte)));
        Self {
            order: Permutation::new(u64::from(draws), seed),
            draws,
        }
    }

    /// Draw number `draw`, below the number of draws.
    pub(super) fn normal(self, draw: u32) -> f64 {
        let part = self.order.at(u64::from(draw)) as f64;
        Normal::standard().inverse_cdf((part + 0.5) / f64::from(self.draws))
    }
}

/// How many standard deviations of a figure its range goes to each side.
pub(super) fn range_end(figure: &UncertainFigure) -> f64 {
    if figure.is_own {
        RANGE_END
    } else {
        RANGE_END / ModelErrors::KNOWN.ranges
    }
}

/// The value of a figure `normal` standard deviations from its own. Each side of the range has its own width.
/// No value is outside twice the range, nor outside what the field takes.
pub(super) fn value_at(figure: &UncertainFigure, normal: f64) -> f64 {
    let [low, high] = figure.range;
    let width = if normal < 0.0 {
        figure.value - low
    } else {
        high - figure.value
    };
    let value = figure.value + width * (normal / range_end(figure)).clamp(-2.0, 2.0);
    value.clamp(figure.takes.minimum, figure.takes.maximum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_the_distribution_is_drawn_once() {
        let column = Column::new("socket opteron-8356 base_cpi", 200);
        let mut draws: Vec<f64> = (0..200).map(|draw| column.normal(draw)).collect();
        assert!(
            draws.windows(2).any(|pair| pair[0] > pair[1]),
            "in an order of its own"
        );
        draws.sort_by(f64::total_cmp);
        assert!(draws.windows(2).all(|pair| pair[0] < pair[1]));
        let mean = draws.iter().sum::<f64>() / 200.0;
        let variance = draws.iter().map(|draw| draw * draw).sum::<f64>() / 200.0;
        assert!(mean.abs() < 1e-12, "{mean}");
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
        // A tenth of the draws is outside the range.
        assert_eq!(draws.iter().filter(|draw| draw.abs() > RANGE_END).count(), 20);
    }

    #[test]
    fn figures_have_draws_of_their_own() {
        let draws = |name: &str| {
            (0..50)
                .map(|draw| Column::new(name, 50).normal(draw))
                .collect::<Vec<_>>()
        };
        assert_eq!(draws("a"), draws("a"));
        let (a, b) = (draws("a"), draws("b"));
        let together: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / 50.0;
        assert!(together.abs() < 0.4, "{together}");
    }
}
