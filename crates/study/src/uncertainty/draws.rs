//! Joint draws of uncertain figures: a Latin hypercube.
//!
//! McKay, Beckman, Conover, *A Comparison of Three Methods for Selecting Values of Input Variables*,
//! Technometrics 21(2), 1979: with n draws, each of n equally likely strata of a figure's distribution is
//! drawn once. A mean needs far fewer such draws than independent ones.

use statrs::distribution::{ContinuousCDF, Normal};

use super::figures::UncertainFigure;
use super::interval::RANGE_END;
use super::model_error::ModelErrors;
use crate::sweep::{Permutation, mix};

/// The draws of one quantity: one standard normal value from each of n strata, in an order of its own.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// The stratum of each draw.
    strata: Vec<u32>,
}

impl Column {
    /// The draws for a name. Equal names have equal draws in all scenarios, so that differences between
    /// variants come only from the variants.
    pub(super) fn new(name: &str, draws: u32) -> Self {
        let seed = name.bytes().fold(0, |seed, byte| mix(seed ^ u64::from(byte)));
        Self {
            strata: Permutation::new(u64::from(draws), seed).images(),
        }
    }

    /// Draw number `draw`, below the number of draws.
    pub(super) fn normal(&self, draw: u32) -> f64 {
        middle(self.stratum(draw), self.strata.len() as u32)
    }

    /// The stratum of draw number `draw`.
    pub(super) fn stratum(&self, draw: u32) -> usize {
        self.strata[draw as usize] as usize
    }
}

/// The standard normal values of the middles of `draws` strata, for many columns.
pub(super) fn middles(draws: u32) -> Vec<f64> {
    (0..draws as usize)
        .map(|stratum| middle(stratum, draws))
        .collect()
}

fn middle(stratum: usize, draws: u32) -> f64 {
    Normal::standard().inverse_cdf((stratum as f64 + 0.5) / f64::from(draws))
}

/// The number of standard deviations from a figure's value to each end of its range.
pub(super) fn range_end(figure: &UncertainFigure) -> f64 {
    if figure.is_own {
        RANGE_END
    } else {
        RANGE_END / ModelErrors::KNOWN.ranges
    }
}

/// The value of a figure at `normal` standard deviations. Each side of the range has its own width, and one
/// on which the value would reach zero is logarithmic. The value is limited to twice the range, and is the
/// nearest that the field permits.
pub(super) fn value_at(figure: &UncertainFigure, normal: f64) -> f64 {
    let [low, high] = figure.range;
    let value = figure.value;
    let along = (normal / range_end(figure)).clamp(-2.0, 2.0);
    let drawn = if along >= 0.0 {
        value + (high - value) * along
    } else if figure.is_own && low > 0.0 && 2.0 * low < value {
        value * libm::pow(low / value, -along)
    } else {
        value + (value - low) * along
    };
    figure.takes.nearest(drawn)
}

#[cfg(test)]
mod tests {
    use super::super::drawing::tests::shipped_with;
    use super::super::figures::uncertain_figures;
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
        // A tenth of the draws are outside the range.
        assert_eq!(draws.iter().filter(|draw| draw.abs() > RANGE_END).count(), 20);
    }

    /// A port of 1 to 100 Gbit/s: no draw is at rest, where operations would take for ever.
    #[test]
    fn a_wide_range_is_logarithmic() {
        let set = "card.nic0.port_rate={ value = \"10 Gbit/s\", range = [\"1 Gbit/s\", \"20 Gbit/s\"] }";
        let scenario = shipped_with("7410-barcelona/cached-read.toml", &[set.to_owned()]);
        let figures = uncertain_figures(&scenario);
        let rate = figures
            .iter()
            .find(|figure| figure.field == "port_rate" && figure.is_own);
        let rate = rate.expect("it is uncertain");
        for (ranges, gbits) in [(-2.0, 0.1), (-1.0, 1.0), (0.0, 10.0), (1.0, 20.0), (2.0, 30.0)] {
            let value = value_at(rate, ranges * RANGE_END) * 8.0 / 1e9;
            assert!((value / gbits - 1.0_f64).abs() < 1e-9, "{value} {gbits}");
        }
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
