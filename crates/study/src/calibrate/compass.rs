//! The last steps of a fit, where slopes say nothing: a model with kinks, or one that goes up and down in
//! small steps because it counts whole things, such as a batch that is played job by job.
//!
//! Compass search (Kolda, Lewis and Torczon, "Optimization by direct search", 2003): try a step to both sides
//! of every parameter; take the best if it is better, else halve the step. It never ends worse than it began.

use rayon::prelude::*;

use super::fit::{Range, Residuals};

/// The first step, as a share of the range: far enough to leave a small dent.
const FIRST: f64 = 0.05;
/// Steps below this share of the range end the search.
const LAST: f64 = 1e-4;
/// The most rounds of trying all parameters.
const ROUNDS: usize = 200;

/// Values at least as good as those that it is given, with their residuals.
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
        // The first of equals, whatever the order in which they were tried.
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

    /// Stairs that go down toward 3.7, whose slope is zero nearly everywhere.
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

    /// A valley along a diagonal, and a place without an answer: it ends no worse than it began, within the
    /// ranges.
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
