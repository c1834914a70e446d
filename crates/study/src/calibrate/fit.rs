//! A least-squares fit within bounds: the mathematics, without a model.
//!
//! The optimiser is the Levenberg–Marquardt algorithm of MINPACK (crate `levenberg-marquardt`). It knows no
//! bounds, so a parameter `p` between `low` and `high` is `low + (high − low) (1 + sin u) / 2` of an
//! unbounded `u`, the transformation of MINUIT (James and Roos, "Minuit: a system for function minimization
//! and analysis of the parameter errors and correlations", Computer Physics Communications 10, 1975). The
//! model has kinks where one resource takes over from another as the limit, so the fit begins from several
//! places, the best is kept, and its last steps are taken without slopes (`compass.rs`).

use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, Owned};
use rayon::prelude::*;

use super::compass::polish;

/// Half the step of a difference quotient, as a share of the range: above the noise of an iterated fixed
/// point, below the distance between kinks.
const STEP: f64 = 2e-4;
/// The maximum number of optimiser steps per parameter.
const PATIENCE: usize = 60;
/// The number of additional starting points: points of the Halton sequence, which are spread evenly over the
/// ranges.
pub(crate) const MORE_STARTS: usize = 3;
/// A parameter within this distance of a bound, as a share of its range, counts as at the bound.
const AT_BOUND: f64 = 1e-3;

/// The range of a parameter and its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) start: f64,
}

impl Range {
    pub(crate) fn width(self) -> f64 {
        self.high - self.low
    }

    /// The bound that a value is at, if any.
    pub(crate) fn at_bound(self, value: f64) -> Option<AtBound> {
        if value - self.low <= AT_BOUND * self.width() {
            Some(AtBound::Low)
        } else if self.high - value <= AT_BOUND * self.width() {
            Some(AtBound::High)
        } else {
            None
        }
    }

    fn value(self, u: f64) -> f64 {
        (self.low + self.width() * 0.5 * (1.0 + libm::sin(u))).clamp(self.low, self.high)
    }

    fn unbounded(self, value: f64) -> f64 {
        // At a bound the transformation is flat, and the fit could not move away from it.
        let share = ((value - self.low) / self.width()).clamp(0.01, 0.99);
        (2.0 * share - 1.0).asin()
    }

    fn slope(self, u: f64) -> f64 {
        self.width() * 0.5 * libm::cos(u)
    }
}

/// Which bound of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtBound {
    /// The lower bound.
    Low,
    /// The upper bound.
    High,
}

/// The residuals as a function of the parameters; `None` if the model has no answer.
pub(crate) type Residuals<'m> = dyn Fn(&[f64]) -> Option<Vec<f64>> + Sync + 'm;

/// The best values found.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub(crate) values: Vec<f64>,
    pub(crate) residuals: Vec<f64>,
    /// The change of the residuals over the whole range of each parameter: one row per residual.
    pub(crate) jacobian: DMatrix<f64>,
}

/// Fits the parameters. `None` if the model has no answer at any start.
pub(crate) fn fit(ranges: &[Range], residuals: &Residuals<'_>) -> Option<Best> {
    let mut best: Option<(f64, Vec<f64>, Vec<f64>)> = None;
    for number in 0..=MORE_STARTS {
        let start: Vec<f64> = match number {
            0 => ranges.iter().map(|range| range.start).collect(),
            _ => ranges
                .iter()
                .enumerate()
                .map(|(index, range)| range.low + range.width() * halton(number, index))
                .collect(),
        };
        let Some(problem) = Problem::new(ranges, residuals, &start) else {
            continue;
        };
        let (problem, _) = LevenbergMarquardt::new()
            .with_ftol(1e-8)
            .with_xtol(1e-6)
            .with_gtol(1e-8)
            .with_patience(PATIENCE)
            .minimize(problem);
        let sum: f64 = problem.at.iter().map(|residual| residual * residual).sum();
        if best.as_ref().is_none_or(|(least, _, _)| sum < *least) {
            best = Some((sum, problem.values(), problem.at.clone()));
        }
    }
    let (_, values, at) = best?;
    let (mut values, mut at) = polish(ranges, residuals, values, at);
    let mut found = jacobian(ranges, residuals, &values, at.len())?;
    // A parameter without influence on the residuals keeps its start.
    let idle: Vec<usize> = (0..ranges.len())
        .filter(|&index| found.column(index).amax() == 0.0)
        .collect();
    if !idle.is_empty() {
        for &index in &idle {
            values[index] = ranges[index].start;
        }
        at = residuals(&values)?;
        found = jacobian(ranges, residuals, &values, at.len())?;
    }
    Some(Best {
        values,
        residuals: at,
        jacobian: found,
    })
}

/// Element `index` of the Halton sequence whose base is the prime of the dimension.
fn halton(index: usize, dimension: usize) -> f64 {
    const PRIMES: [usize; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];
    let base = PRIMES[dimension % PRIMES.len()];
    let (mut rest, mut share, mut result) = (index, 1.0, 0.0);
    while rest > 0 {
        share /= base as f64;
        result += share * (rest % base) as f64;
        rest /= base;
    }
    result
}

/// Central differences over the whole range of each parameter, one-sided at its bounds.
fn jacobian(
    ranges: &[Range],
    residuals: &Residuals<'_>,
    values: &[f64],
    rows: usize,
) -> Option<DMatrix<f64>> {
    let columns: Vec<Option<Vec<f64>>> = (0..ranges.len())
        .into_par_iter()
        .map(|index| {
            let range = ranges[index];
            let at = |offset: f64| {
                let mut moved = values.to_vec();
                moved[index] = (values[index] + offset * range.width()).clamp(range.low, range.high);
                Some((moved[index], residuals(&moved)?))
            };
            let ((from, below), (to, above)) = (at(-STEP)?, at(STEP)?);
            let share = (to - from) / range.width();
            Some(
                below
                    .iter()
                    .zip(&above)
                    .map(|(below, above)| (above - below) / share)
                    .collect(),
            )
        })
        .collect();
    let columns = columns.into_iter().collect::<Option<Vec<Vec<f64>>>>()?;
    Some(DMatrix::from_fn(rows, ranges.len(), |row, column| {
        columns[column][row]
    }))
}

/// The problem in the form that the optimiser needs.
struct Problem<'p> {
    ranges: &'p [Range],
    residuals: &'p Residuals<'p>,
    u: DVector<f64>,
    at: Vec<f64>,
    answered: bool,
}

impl<'p> Problem<'p> {
    fn new(ranges: &'p [Range], residuals: &'p Residuals<'p>, start: &[f64]) -> Option<Self> {
        let u = ranges
            .iter()
            .zip(start)
            .map(|(range, value)| range.unbounded(*value));
        let u = DVector::from_iterator(ranges.len(), u);
        let mut problem = Self {
            ranges,
            residuals,
            u,
            at: Vec::new(),
            answered: true,
        };
        problem.at = residuals(&problem.values())?;
        Some(problem)
    }

    fn values(&self) -> Vec<f64> {
        self.ranges
            .iter()
            .zip(self.u.iter())
            .map(|(range, u)| range.value(*u))
            .collect()
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_> {
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;

    fn set_params(&mut self, u: &DVector<f64>) {
        self.u.copy_from(u);
        match (self.residuals)(&self.values()) {
            Some(at) => {
                self.at = at;
                self.answered = true;
            }
            None => self.answered = false,
        }
    }

    fn params(&self) -> DVector<f64> {
        self.u.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        self.answered.then(|| DVector::from_vec(self.at.clone()))
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let mut jacobian = jacobian(self.ranges, self.residuals, &self.values(), self.at.len())?;
        for (index, range) in self.ranges.iter().enumerate() {
            let slope = range.slope(self.u[index]) / range.width();
            jacobian.column_mut(index).scale_mut(slope);
        }
        Some(jacobian)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: f64, high: f64, start: f64) -> Range {
        Range { low, high, start }
    }

    #[test]
    fn a_curve_is_fitted_to_the_values_that_made_it() {
        // y = a exp(−b t), without noise: the fit recovers a and b.
        let times: Vec<f64> = (0..8).map(f64::from).collect();
        let model = |values: &[f64]| -> Vec<f64> {
            times
                .iter()
                .map(|t| values[0] * libm::exp(-values[1] * t))
                .collect()
        };
        let made = model(&[3.0, 0.4]);
        let residuals = |values: &[f64]| {
            Some(
                model(values)
                    .iter()
                    .zip(&made)
                    .map(|(y, made)| y - made)
                    .collect(),
            )
        };
        let best =
            fit(&[range(0.0, 10.0, 1.0), range(0.0, 2.0, 1.5)], &residuals).expect("there is an answer");
        assert!((best.values[0] - 3.0).abs() < 1e-5, "{:?}", best.values);
        assert!((best.values[1] - 0.4).abs() < 1e-5, "{:?}", best.values);
        // The Jacobian is over the whole range: dy/da at t = 0 is 1, times a range of 10.
        assert!((best.jacobian[(0, 0)] - 10.0).abs() < 1e-6);
    }

    #[test]
    fn a_fit_stays_within_its_bounds() {
        // The best of (x − 5)² within 0 and 2 is 2.
        let residuals = |values: &[f64]| {
            assert!((0.0..=2.0).contains(&values[0]), "{values:?}");
            Some(vec![values[0] - 5.0])
        };
        let range = range(0.0, 2.0, 1.0);
        let best = fit(&[range], &residuals).expect("there is an answer");
        assert!((best.values[0] - 2.0).abs() < 1e-3, "{:?}", best.values);
        assert_eq!(range.at_bound(best.values[0]), Some(AtBound::High));
    }

    #[test]
    fn the_second_valley_is_found() {
        // Two valleys: a shallow one at 1, the deep one at 8. The start is in the shallow one.
        let residuals = |values: &[f64]| {
            let x = values[0];
            Some(vec![if x < 4.0 { 1.0 + (x - 1.0).abs() } else { x - 8.0 }])
        };
        let best = fit(&[range(0.0, 10.0, 1.2)], &residuals).expect("there is an answer");
        assert!((best.values[0] - 8.0).abs() < 1e-4, "{:?}", best.values);
    }

    #[test]
    fn what_has_no_influence_stays_where_it_was() {
        let residuals = |values: &[f64]| Some(vec![values[0] - 5.0, 2.0 * values[0] - 11.0]);
        let best =
            fit(&[range(0.0, 10.0, 1.0), range(0.0, 1.0, 0.7)], &residuals).expect("there is an answer");
        // Of (x − 5)² + (2x − 11)² the best is (5 + 22)/5.
        assert!((best.values[0] - 5.4).abs() < 1e-6, "{:?}", best.values);
        assert_eq!(best.values[1], 0.7);
    }

    #[test]
    fn halton_numbers_are_those_of_the_sequence() {
        let base_two: Vec<f64> = (1..5).map(|index| halton(index, 0)).collect();
        assert_eq!(base_two, [0.5, 0.25, 0.75, 0.125]);
        assert!((halton(2, 1) - 2.0 / 3.0).abs() < 1e-15);
    }
}
