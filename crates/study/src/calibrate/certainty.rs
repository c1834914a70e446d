//! How well a fit determines its parameters: confidence intervals, correlations, undetermined combinations.
//!
//! They follow from the Jacobian at the best fit, with each parameter scaled by its range. Its singular
//! values say how far the parameters can move in each direction before the residuals change noticeably.
//! Linear statistics as in Bates and Watts, "Nonlinear regression analysis and its applications", 1988.

use nalgebra::{DMatrix, SVD};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The confidence level of intervals.
const CONFIDENCE: f64 = 0.95;
/// A direction is undetermined if one standard deviation along it is at least this share of the ranges.
const UNKNOWN: f64 = 0.5;
/// Components of a direction that are smaller than this are not reported.
const TOLD: f64 = 0.3;
/// Parameters whose estimates have a larger correlation than this are reported.
const CORRELATED: f64 = 0.95;
/// Singular values below this share of the largest are taken for zero.
const ZERO: f64 = 1e-9;

/// A combination of parameters that the data do not determine.
#[derive(Clone, Debug, PartialEq)]
pub struct Undetermined {
    /// The number of each parameter and its component in the direction, in units of its range; the largest
    /// first.
    pub parts: Vec<(usize, f64)>,
    /// The standard deviation along this direction, as a share of the ranges; infinite if the residuals do
    /// not change along it.
    pub deviation: f64,
}

/// Two parameters whose estimates are correlated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlated {
    /// The number of the first parameter.
    pub first: usize,
    /// The number of the second.
    pub second: usize,
    /// From −1 to 1.
    pub correlation: f64,
}

/// How well a fit determines its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Certainty {
    /// Half the width of each parameter's 95 % interval, as a share of its range; `None` for a parameter at
    /// its bound, and for all parameters if there are no more residuals than parameters.
    pub half_widths: Vec<Option<f64>>,
    /// The correlation of the estimates of each parameter with those of all before it; 0 for parameters at a
    /// bound.
    pub correlations: Vec<Vec<f64>>,
    /// Pairs of parameters whose estimates are strongly correlated.
    pub correlated: Vec<Correlated>,
    /// Directions that the data do not determine.
    pub undetermined: Vec<Undetermined>,
    /// The condition number of the Jacobian: largest over smallest singular value; infinite if a combination
    /// of parameters has no influence.
    pub condition: f64,
    /// Standard deviation of the residuals after the fit; `None` if there are no more residuals than
    /// parameters.
    pub deviation: Option<f64>,
}

/// Computes the certainty from the residuals and their Jacobian over whole ranges. `free` says which
/// parameters are not at a bound.
pub(crate) fn certainty(residuals: &[f64], jacobian: &DMatrix<f64>, free: &[bool]) -> Certainty {
    let numbers: Vec<usize> = (0..free.len()).filter(|&number| free[number]).collect();
    let mut found = Certainty {
        half_widths: vec![None; free.len()],
        correlations: (0..free.len()).map(|number| vec![0.0; number]).collect(),
        correlated: Vec::new(),
        undetermined: Vec::new(),
        condition: 1.0,
        deviation: None,
    };
    if numbers.is_empty() || residuals.is_empty() {
        return found;
    }
    let reduced = jacobian.select_columns(&numbers);
    let count = numbers.len();
    // Rows of zeros change nothing and ensure one singular value per parameter.
    let rows = reduced.nrows().max(count);
    let padded = reduced.resize(rows, count, 0.0);
    let SVD {
        v_t: Some(v_t),
        singular_values,
        ..
    } = SVD::new(padded, false, true)
    else {
        return found;
    };
    let largest = singular_values.iter().copied().fold(0.0, f64::max);
    let is_zero = |value: f64| value <= ZERO * largest || value == 0.0;
    let smallest = singular_values.iter().copied().fold(f64::INFINITY, f64::min);
    found.condition = if is_zero(smallest) {
        f64::INFINITY
    } else {
        largest / smallest
    };
    let degrees = residuals.len().saturating_sub(count);
    let variance = residuals.iter().map(|residual| residual * residual).sum::<f64>() / degrees.max(1) as f64;
    found.deviation = (degrees > 0).then(|| variance.sqrt());
    // Without degrees of freedom, the noise of a residual is its stated uncertainty.
    let noise = found.deviation.unwrap_or(1.0);
    for (index, &value) in singular_values.iter().enumerate() {
        let deviation = if is_zero(value) {
            f64::INFINITY
        } else {
            noise / value
        };
        if deviation > UNKNOWN {
            let mut parts: Vec<(usize, f64)> = numbers
                .iter()
                .enumerate()
                .map(|(column, &number)| (number, v_t[(index, column)]))
                .collect();
            parts.retain(|(_, part)| part.abs() >= TOLD);
            parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
            // A direction has no sign; the largest component is reported as positive.
            if parts.first().is_some_and(|(_, part)| *part < 0.0) {
                for (_, part) in &mut parts {
                    *part = -*part;
                }
            }
            found.undetermined.push(Undetermined { parts, deviation });
        }
    }
    let covariance = |first: usize, second: usize| -> f64 {
        (0..count)
            .filter(|&index| !is_zero(singular_values[index]))
            .map(|index| {
                v_t[(index, first)] * v_t[(index, second)] / (singular_values[index] * singular_values[index])
            })
            .sum()
    };
    let without_influence = |column: usize| {
        (0..count).any(|index| is_zero(singular_values[index]) && v_t[(index, column)].abs() > 1e-3)
    };
    if degrees > 0 {
        let quantile = StudentsT::new(0.0, 1.0, degrees as f64)
            .map_or(f64::INFINITY, |t| t.inverse_cdf(f64::midpoint(1.0, CONFIDENCE)));
        for (column, &number) in numbers.iter().enumerate() {
            let half = quantile * noise * covariance(column, column).max(0.0).sqrt();
            found.half_widths[number] = Some(if without_influence(column) {
                f64::INFINITY
            } else {
                half
            });
        }
    }
    for first in 0..count {
        for second in first + 1..count {
            let scale = (covariance(first, first) * covariance(second, second)).sqrt();
            let correlation = covariance(first, second) / scale;
            if !correlation.is_finite() {
                continue;
            }
            let correlation = correlation.clamp(-1.0, 1.0);
            found.correlations[numbers[second]][numbers[first]] = correlation;
            if correlation.abs() > CORRELATED {
                found.correlated.push(Correlated {
                    first: numbers[first],
                    second: numbers[second],
                    correlation,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_a_straight_line_are_those_of_the_textbook() {
        // y = a + b x at x = −1, 0, 1, with residuals 1, −2, 1: s² = 6, one degree of freedom, t = 12.706.
        // Var a = s²/3 = 2, Var b = s²/2 = 3; a and b are not correlated.
        let jacobian = DMatrix::from_row_slice(3, 2, &[1.0, -1.0, 1.0, 0.0, 1.0, 1.0]);
        let found = certainty(&[1.0, -2.0, 1.0], &jacobian, &[true, true]);
        let half = |index: usize| found.half_widths[index].expect("there is a degree of freedom");
        assert!((half(0) - 12.706_2 * 2f64.sqrt()).abs() < 1e-3, "{}", half(0));
        assert!((half(1) - 12.706_2 * 3f64.sqrt()).abs() < 1e-3, "{}", half(1));
        assert!(found.correlated.is_empty() && found.correlations[1][0].abs() < 1e-12);
        assert!((found.deviation.expect("there is one") - 6f64.sqrt()).abs() < 1e-12);
        assert!((found.condition - 1.5f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_sum_cannot_be_told_apart() {
        // Only the sum a + b is determined.
        let jacobian = DMatrix::from_row_slice(3, 2, &[10.0, 10.0, 20.0, 20.0, 5.0, 5.0]);
        let found = certainty(&[0.1, -0.1, 0.1], &jacobian, &[true, true]);
        assert_eq!(found.condition, f64::INFINITY);
        let [direction] = &found.undetermined[..] else {
            panic!("one direction: {found:?}")
        };
        assert_eq!(direction.deviation, f64::INFINITY);
        let parts: Vec<f64> = direction.parts.iter().map(|(_, part)| part.abs()).collect();
        assert!(
            parts.iter().all(|part| (part - 0.5f64.sqrt()).abs() < 1e-9),
            "{parts:?}"
        );
        assert!(
            direction.parts[0].1 * direction.parts[1].1 < 0.0,
            "one up, the other down"
        );
        assert_eq!(found.half_widths, [Some(f64::INFINITY), Some(f64::INFINITY)]);
    }

    #[test]
    fn what_is_at_a_bound_has_no_interval() {
        let jacobian = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
        let found = certainty(&[1.0, 0.0, -1.0], &jacobian, &[true, false]);
        assert!(found.half_widths[0].is_some());
        assert_eq!(found.half_widths[1], None);
    }

    #[test]
    fn as_many_parameters_as_points_leave_no_interval() {
        let jacobian = DMatrix::from_row_slice(2, 2, &[10.0, 0.0, 0.0, 10.0]);
        let found = certainty(&[0.0, 0.0], &jacobian, &[true, true]);
        assert_eq!(found.half_widths, [None, None]);
        assert_eq!(found.deviation, None);
    }
}
