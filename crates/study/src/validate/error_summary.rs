//! Summary of the errors of several points.

use super::ValidatedPoint;

/// The absolute errors of several points. Bounds that are kept do not count: they have no error, and would
/// only improve the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorSummary {
    /// The number of points.
    pub points: usize,
    /// The median: for an even number of points, the mean of the middle two.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The maximum.
    pub max: f64,
}

impl ErrorSummary {
    /// The errors of `points`; points without a prediction do not count.
    pub fn of<'p>(points: impl IntoIterator<Item = &'p ValidatedPoint>) -> Self {
        let counted = points.into_iter().filter(|point| !point.is_kept_bound());
        Self::of_errors(counted.filter_map(ValidatedPoint::deviation))
    }

    /// The summary of given errors.
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
