//! The last steps of a fit, without slopes: for a model with kinks, or one that moves in small steps because
//! it counts whole items, such as a batch that is scheduled job by job.
//!
//! Compass search (Kolda, Lewis and Torczon, "Optimization by direct search", 2003): try a step to both sides
//! of every parameter; take the best if it improves, otherwise halve the step. The result is never worse than
//! the start.

use rayon::prelude::*;

use super::fit::{Range, Residuals};

/// The first step, as a share of the range: large enough to leave a shallow local minimum.
const FIRST: f64 = 0.05;
/// Steps below this share of the range end the search.
const LAST: f64 = 1e-4;
/// The maximum number of rounds, each of which tries all parameters.
const ROUNDS: usize = 200;

/// Improves values. Returns them with their residuals; they are never worse than the given ones.
pub(super) fn polish(
    ranges: &[Range],
    residuals: &Residuals<'_>,
    values: Vec<f64>,
    at: Vec<f64>,
) -> (Vec<f64>, Vec<f64>) {
    let (mut least, mut best) = (sum(&at), (values, at));
    let mut step = FIRST;
    for _ in 0..ROUNDS {
        let tried: Vec<Option<(Vec<f64>, Vec<f64>)>> = (0..2 * ranges.len())
            .into_par_iter()
            .map(|number| {
                let (index, side) = (number / 2, if number % 2 == 0 { -step } else { step });
                let range = ranges[index];
                let mut moved = best.0.clone();
                moved[index] = (moved[index] + side * range.width()).clamp(range.low, range.high);
                let at = residuals(&moved)?;
                Some((moved, at))
            })
            .collect();
        // Of equal residuals the first, so that the order of evaluation has no influence.
        let better = tried
            .into_iter()
            .flatten()
            .map(|(moved, at)| (sum(&at), moved, at))
            .min_by(|(a, ..), (b, ..)| a.total_cmp(b))
            .filter(|&(sum, ..)| sum < least);
        match better {
            Some((sum, moved, at)) => (least, best) = (sum, (moved, at)),
            None if step > LAST => step /= 2.0,
            None => break,
        }
    }
    best
}

fn sum(residuals: &[f64]) -> f64 {
    residuals.iter().map(|residual| residual * residual).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A staircase toward 3.7, whose slope is zero nearly everywhere.
    #[test]
    fn the_bottom_of_stairs_is_found() {
        let range = Range {
            low: 0.0,
            high: 10.0,
            start: 9.0,
        };
        let residuals = |values: &[f64]| Some(vec![(50.0 * (values[0] - 3.7)).round() / 50.0]);
        let at = residuals(&[9.0]).expect("an answer");
        let (values, at) = polish(&[range], &residuals, vec![9.0], at);
        assert!((values[0] - 3.7).abs() <= 0.01, "{values:?}");
        assert_eq!(at, [0.0]);
    }

    /// A diagonal valley, and a region without an answer: the result is no worse than the start and within
    /// the ranges.
    #[test]
    fn it_never_ends_worse() {
        let range = |low, high| Range {
            low,
            high,
            start: low,
        };
        let ranges = [range(-1.0, 1.0), range(-1.0, 1.0)];
        let residuals = |values: &[f64]| {
            let (x, y) = (values[0], values[1]);
            (x + y < 1.5).then(|| vec![10.0 * (x - y), x + y - 3.0])
        };
        let start = vec![-0.5, 0.2];
        let at = residuals(&start).expect("an answer");
        let before = sum(&at);
        let (values, at) = polish(&ranges, &residuals, start, at);
        assert!(sum(&at) < before);
        assert!(
            values.iter().all(|value| (-1.0..=1.0).contains(value)),
            "{values:?}"
        );
    }
}
