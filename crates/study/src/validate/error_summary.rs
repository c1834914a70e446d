//! Errors of several points in a few figures.

use super::ValidatedPoint;

/// The errors of several points, without their signs. Bounds that are kept do not count: they have no error,
/// and would only make the others look better.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorSummary {
    /// How many points count.
    pub points: usize,
    /// Half of the errors are no larger; the mean of the middle two of an even number.
    pub median: f64,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub max: f64,
}

impl ErrorSummary {
    /// The errors of `points`; of those without a prediction nothing can be told.
    pub fn of<'p>(points: impl IntoIterator<Item = &'p ValidatedPoint>) -> Self {
        let counted = points.into_iter().filter(|point| !point.is_kept_bound());
        Self::of_errors(counted.filter_map(ValidatedPoint::deviation))
    }

    /// The same of bare errors.
    pub fn of_errors(errors: impl IntoIterator<Item = f64>) -> Self {
        let mut errors: Vec<f64> = errors.into_iter().map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        let Some(max) = errors.last().copied() else {
            return Self::default();
        };
        let (lower, upper) = (errors[(errors.len() - 1) / 2], errors[errors.len() / 2]);
        Self {
            points: errors.len(),
            median: f64::midpoint(lower, upper),
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
            max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_worked_by_hand() {
        let found = ErrorSummary::of_errors([0.04, -0.02, 0.10, -0.01]);
        assert_eq!(found.points, 4);
        assert!((found.median - 0.03).abs() < 1e-15);
        assert!((found.mean - 0.0425).abs() < 1e-15);
        assert!((found.max - 0.10).abs() < 1e-15);
        assert!((ErrorSummary::of_errors([0.3, -0.5, 0.1]).median - 0.3).abs() < 1e-15);
        assert_eq!(ErrorSummary::of_errors([]), ErrorSummary::default());
    }
}
