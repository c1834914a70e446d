//! The shares of figures in the spread of an answer.
//!
//! Independent figures cause the squares of the spreads that each causes alone. If figures are correlated, no
//! share belongs to one of them alone. It is then the relative weight of Johnson (*A heuristic method for
//! estimating the relative weight of predictor variables in multiple regression*, Multivariate Behavioral
//! Research 35, 2000): the spread is divided among the independent quantities that are nearest to the
//! figures, and the part of each of these among the figures by the squares of their correlations with it.
//! These weights are not negative and add up to the spread, and are the squares without correlations.

use std::sync::Arc;

use bandgraph_model::{Correlations, Scenario};
use bandgraph_scenario::Metric;
use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::drawing::Drawing;
use super::figures::UncertainFigure;
use super::room::{NOTHING, exponent};

/// The share of one figure in the spread of the answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// The figure; `None` for the model error.
    pub figure: Option<UncertainFigure>,
    /// The share of the variance of throughput that it causes, 0 to 1; all shares add up to 1. Figures that
    /// the profile correlates divide what they cause together.
    pub share: f64,
}

/// The sources of the spread of a prediction, the largest first; empty if the scenario has no steady state or
/// is a batch that is scheduled job by job.
pub fn weights(scenario: &Scenario) -> Vec<Weight> {
    let drawing = Drawing::new(scenario).ok();
    drawing
        .filter(|drawing| !drawing.is_batch)
        .map_or_else(Vec::new, weights_of)
}

pub(super) fn weights_of(drawing: Drawing) -> Vec<Weight> {
    let spreads = drawing.spreads_alone();
    // Of the latency where the rate is given: only that varies.
    let varies = if drawing.base.room.arrives {
        Metric::LatencyMean
    } else {
        Metric::OperationsPerSecond
    };
    let limit = drawing.base.group_of(varies);
    let missed = drawing.errors()[limit as usize].deviation();
    let correlations = Arc::clone(&drawing.server.scenario.stack.correlations);
    let felt = drawing.figures.into_iter().zip(spreads);
    let felt = felt.filter(|(_, spread)| spread.abs() > NOTHING);
    let sources: Vec<(Option<UncertainFigure>, f64)> = felt
        .map(|(figure, spread)| (Some(figure), spread))
        .chain([(None, exponent(varies) * missed)])
        .collect();
    let path = |figure: &Option<UncertainFigure>| match figure {
        Some(figure) => figure.path(),
        None => limit.figure(),
    };
    let named: Vec<(String, f64)> = sources
        .iter()
        .map(|(figure, spread)| (path(figure), *spread))
        .collect();
    let caused = caused(&named, &correlations);
    let variance = caused.iter().sum::<f64>();
    let sources = sources.into_iter().zip(caused);
    let mut weights: Vec<Weight> = sources
        .map(|((figure, _), caused)| Weight {
            figure,
            share: caused / variance,
        })
        .collect();
    weights.sort_by(|a, b| b.share.total_cmp(&a.share));
    weights
}

/// The part of the variance that each quantity causes, from its path and the spread that it causes alone,
/// with the sign of its effect.
fn caused(spreads: &[(String, f64)], correlations: &Correlations) -> Vec<f64> {
    let place = |path: &String| correlations.rows().iter().position(|row| row.figure == *path);
    let places: Vec<Option<usize>> = spreads.iter().map(|(path, _)| place(path)).collect();
    if places.iter().flatten().count() < 2 {
        return spreads.iter().map(|(_, spread)| spread * spread).collect();
    }
    let matrix = DMatrix::from_fn(spreads.len(), spreads.len(), |row, column| {
        if row == column {
            return 1.0;
        }
        let both = places[row].zip(places[column]);
        both.map_or(0.0, |(one, other)| correlations.between(one, other))
    });
    let SymmetricEigen {
        eigenvectors,
        eigenvalues,
    } = SymmetricEigen::new(matrix);
    let roots = DMatrix::from_diagonal(&eigenvalues.map(|value| libm::sqrt(value.max(0.0))));
    let root = &eigenvectors * roots * eigenvectors.transpose();
    let effects = DVector::from_iterator(spreads.len(), spreads.iter().map(|(_, spread)| *spread));
    let of_nearest = (&root * effects).map(|effect| effect * effect);
    (root.component_mul(&root) * of_nearest).as_slice().to_vec()
}

#[cfg(test)]
mod tests {
    use bandgraph_model::{Coefficients, Correlation};
    use proptest::prelude::*;

    use super::*;

    fn pair(correlation: f64) -> Correlations {
        let mut found = Correlations::default();
        for (figure, with) in [("a", vec![]), ("b", vec![correlation])] {
            let figure = figure.to_owned();
            let with = Coefficients(with);
            found
                .push(Correlation { figure, with })
                .expect("it is a correlation");
        }
        found
    }

    fn shares(correlation: f64, spreads: [f64; 3]) -> Vec<f64> {
        let named = ["a", "b", "c"].map(str::to_owned).into_iter().zip(spreads);
        caused(&named.collect::<Vec<_>>(), &pair(correlation))
    }

    /// By hand: two figures with equal effects share their variance 2 (1 + r) equally, and a third one has
    /// its own.
    #[test]
    fn figures_that_cancel_cause_little() {
        for correlation in [-0.9, 0.0, 0.5] {
            let [a, b, c] = shares(correlation, [1.0, 1.0, 0.5])[..] else {
                panic!("three shares")
            };
            assert!(
                (a - (1.0 + correlation)).abs() < 1e-9 && (a - b).abs() < 1e-9,
                "{a} {b}"
            );
            assert!((c - 0.25).abs() < 1e-9, "{c}");
        }
        // One that makes the rate smaller cancels the other if both are larger together.
        assert!((shares(0.9, [1.0, -1.0, 0.0])[0] - 0.1).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn shares_add_up_to_the_variance(
            correlation in -1.0..1.0_f64, a in -1.0..1.0_f64, b in -1.0..1.0_f64, c in -1.0..1.0_f64
        ) {
            let found = shares(correlation, [a, b, c]);
            prop_assert!(found.iter().all(|share| *share >= 0.0));
            let variance = a * a + b * b + c * c + 2.0 * correlation * a * b;
            prop_assert!((found.iter().sum::<f64>() - variance).abs() < 1e-9);
        }
    }
}
