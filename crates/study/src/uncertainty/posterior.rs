//! The most probable unknowns given linear measurements, whose errors are of unknown size.
//!
//! The unknowns have standard normal priors, with the correlations `C` that an earlier calibration found.
//! Each measurement has an error of its own, with a standard deviation that all measurements of a machine
//! and kind of limit share. Deviations of the model have the tails of Student's t distribution with
//! [`TAILS`] degrees of freedom, which is a normal distribution whose variance is random, inverse
//! chi-squared (Gelman et al., *Bayesian Data Analysis*, 2013, section 12.1). That variance belongs to the
//! machine, so that measurements which agree with each other reduce it, and those which do not increase it.
//! The maximum is found by expectation and maximisation (Dempster, Laird, Rubin, 1977):
//!
//! ```text
//! minimise  zᵀ C⁻¹ z + Σ r² / (s² + m²),  covariance = (C⁻¹ + Jᵀ J / (s² + m²))⁻¹
//! s² = (ν s₀² + Σ E[e²]) / (ν + n),       e the part of r that is no error m of the measurement itself
//! ```
//!
//! After an earlier calibration from n₀ measurements, ν counts these too, and s₀ is what it found.

use bandgraph_model::{Coefficients, Correlation, Correlations, LimitGroup, ModelError};
use nalgebra::{DMatrix, DVector};

use super::draws::JointDraws;
use super::model_error::{GROUPS, TAILS};

/// The uncertainty of a measurement itself, as a standard deviation of its logarithm.
pub(super) const MEASURED: f64 = 0.02;
/// The maximum number of steps of expectation and maximisation, and the change that ends them.
const STEPS: u32 = 500;
const SETTLED: f64 = 1e-6;

/// The standard deviations of errors that differ from load to load, by kind of limit.
pub(super) type OfLoads = [f64; GROUPS];

/// Measurements, linear in the unknowns near a point.
#[derive(Clone, Copy)]
pub(super) struct Linear<'m> {
    /// The Jacobian.
    pub(super) slopes: &'m DMatrix<f64>,
    /// Measured less predicted, at the point.
    pub(super) off: &'m DVector<f64>,
    /// The kind of limit of each measurement.
    pub(super) limits: &'m [LimitGroup],
}

/// The distribution of the unknowns before measurements.
#[derive(Clone, Debug)]
pub(super) struct Prior {
    /// Each unknown has a variance of 1.
    covariance: DMatrix<f64>,
    precision: DMatrix<f64>,
    /// The errors of loads, and their weights in measurements.
    of_loads: OfLoads,
    weights: [f64; GROUPS],
}

impl Prior {
    /// Unknowns with these correlations on a machine with these errors; `None` if no unknowns have them.
    pub(super) fn new(covariance: DMatrix<f64>, errors: &[ModelError; GROUPS]) -> Option<Self> {
        Some(Self {
            precision: covariance.clone().cholesky()?.inverse(),
            covariance,
            of_loads: errors.each_ref().map(|error| error.parts()[1]),
            weights: errors
                .each_ref()
                .map(|error| TAILS + f64::from(error.measurements)),
        })
    }
}

/// The distribution of the unknowns given measurements.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    pub(super) mean: Vec<f64>,
    covariance: DMatrix<f64>,
    pub(super) of_loads: OfLoads,
    prior: Prior,
}

impl Posterior {
    /// No measurement.
    pub(super) fn before(prior: &Prior) -> Self {
        Self {
            mean: vec![0.0; prior.covariance.nrows()],
            covariance: prior.covariance.clone(),
            of_loads: prior.of_loads,
            prior: prior.clone(),
        }
    }

    /// The posterior given measurements that are linear near the mean of this one.
    pub(super) fn given(&self, measured: &Linear<'_>) -> Option<Self> {
        let at = DVector::from_column_slice(&self.mean);
        let Linear { slopes, off, limits } = *measured;
        let from_origin = off + slopes * &at;
        let mut found = self.clone();
        for _ in 0..STEPS {
            let weights = weights(&found.of_loads, limits);
            let weighted = DMatrix::from_diagonal(&weights) * slopes;
            let precision = &self.prior.precision + weighted.transpose() * &weighted;
            found.covariance = precision.try_inverse()?;
            let mean = &found.covariance * weighted.transpose() * from_origin.component_mul(&weights);
            let residual = &from_origin - slopes * &mean;
            let uncertain = slopes * &found.covariance * slopes.transpose();
            found.mean = mean.as_slice().to_vec();
            let next = updated(&self.prior, &found.of_loads, limits, |row| {
                (residual[row], uncertain[(row, row)])
            });
            let moved = next
                .iter()
                .zip(&found.of_loads)
                .map(|(next, now)| (next / now - 1.0).abs());
            let moved = moved.fold(0.0, f64::max);
            found.of_loads = next;
            if moved < SETTLED {
                break;
            }
        }
        Some(found)
    }

    /// The standard deviation of an unknown.
    pub(super) fn deviation(&self, place: usize) -> f64 {
        libm::sqrt(self.covariance[(place, place)].clamp(0.0, 1.0))
    }

    /// The correlations of quantities, each by its name, an unknown that it depends on, and the share of its
    /// standard deviation that this unknown causes; `None` if the covariance has no factor.
    pub(super) fn correlations(
        &self,
        quantities: impl IntoIterator<Item = (String, usize, f64)>,
    ) -> Option<Correlations> {
        let mut found = Correlations::default();
        let mut above: Vec<(usize, f64)> = Vec::new();
        for (figure, place, share) in quantities {
            let with = above.iter().map(|&(other, share_of_other)| {
                let covariance = self.covariance[(place, other)];
                share * share_of_other * covariance / (self.deviation(place) * self.deviation(other))
            });
            let with = Coefficients(with.collect());
            above.push((place, share));
            found.push(Correlation { figure, with }).ok()?;
        }
        Some(found)
    }

    /// All unknowns in every draw, with their correlations; `names` are those of their draws.
    pub(super) fn draws(&self, names: &[String], draws: u32) -> Option<Vec<Vec<f64>>> {
        let named = || names.iter().enumerate();
        let correlations = self.correlations(named().map(|(place, name)| (name.clone(), place, 1.0)))?;
        let joint = JointDraws::of_all(&correlations, draws);
        let all = (0..draws).map(|draw| {
            let normals = joint.normals(draw).into_iter().zip(&self.mean).enumerate();
            normals
                .map(|(place, (normal, mean))| mean + self.deviation(place) * normal)
                .collect()
        });
        Some(all.collect())
    }

    /// How improbable unknowns are: minus twice the logarithm of their density, except for a constant.
    pub(super) fn cost(&self, at: &[f64], off: &DVector<f64>, limits: &[LimitGroup]) -> f64 {
        let scaled = off.component_mul(&weights(&self.of_loads, limits));
        let at = DVector::from_column_slice(at);
        scaled.norm_squared() + at.dot(&(&self.prior.precision * &at))
    }
}

fn weights(of_loads: &OfLoads, limits: &[LimitGroup]) -> DVector<f64> {
    let each = limits
        .iter()
        .map(|limit| 1.0 / libm::hypot(of_loads[*limit as usize], MEASURED));
    DVector::from_iterator(limits.len(), each)
}

/// The errors of loads, given the residual of each measurement and the variance of what was predicted.
fn updated(
    prior: &Prior,
    now: &OfLoads,
    limits: &[LimitGroup],
    residual: impl Fn(usize) -> (f64, f64),
) -> OfLoads {
    std::array::from_fn(|group| {
        let variance = now[group] * now[group];
        let share = variance / (variance + MEASURED * MEASURED);
        let (mut count, before) = (prior.weights[group], prior.of_loads[group]);
        let mut squares = count * before * before;
        for row in (0..limits.len()).filter(|&row| limits[row] as usize == group) {
            let (residual, uncertain) = residual(row);
            squares += share * MEASURED * MEASURED + share * share * (residual * residual + uncertain);
            count += 1.0;
        }
        libm::sqrt(squares / count)
    })
}

#[cfg(test)]
mod tests {
    use bandgraph_model::Stack;

    use super::*;
    use crate::uncertainty::ModelErrors;

    /// Independent unknowns of a machine without measurements.
    fn unmeasured(unknowns: usize) -> Posterior {
        let errors = ModelErrors::KNOWN.on_machine(&Stack::default());
        let prior = Prior::new(DMatrix::identity(unknowns, unknowns), &errors);
        Posterior::before(&prior.expect("they are independent"))
    }

    /// Two unknowns of which only the sum is measured: it is known, and each of them hardly. Draws have the
    /// correlation.
    #[test]
    fn draws_of_a_known_sum_keep_the_sum() {
        let slopes = DMatrix::from_row_slice(1, 2, &[1.0, 1.0]);
        let off = DVector::from_element(1, 1.0);
        let limits = [LimitGroup::Cards];
        let found = Linear {
            slopes: &slopes,
            off: &off,
            limits: &limits,
        };
        let posterior = unmeasured(2).given(&found).expect("it converges");
        let names = ["a".to_owned(), "b".to_owned()];
        let draws = posterior.draws(&names, 1000).expect("it is positive definite");
        let spread = |value: &dyn Fn(&Vec<f64>) -> f64| {
            let mean = draws.iter().map(value).sum::<f64>() / 1000.0;
            let squares = draws
                .iter()
                .map(|draw| (value(draw) - mean) * (value(draw) - mean));
            (mean, libm::sqrt(squares.sum::<f64>() / 1000.0))
        };
        // By hand, with v = s² + m²: the sum has the variance 2 v / (2 + v), each unknown (1 + v) / (2 + v).
        let error = libm::hypot(posterior.of_loads[LimitGroup::Cards as usize], MEASURED);
        let v = error * error;
        let (mean, sum) = spread(&|draw| draw[0] + draw[1]);
        assert!((mean - 2.0 / (2.0 + v)).abs() < 1e-3, "{mean}");
        assert!((sum / libm::sqrt(2.0 * v / (2.0 + v)) - 1.0).abs() < 0.1, "{sum}");
        let (_, first) = spread(&|draw| draw[0]);
        assert!(
            (first / libm::sqrt((1.0 + v) / (2.0 + v)) - 1.0).abs() < 0.05,
            "{first}"
        );
    }

    /// The error of loads is the most probable one: the density of all measurements, with the unknowns
    /// integrated out, on a grid.
    #[test]
    fn the_error_of_loads_is_the_most_probable() {
        let group = LimitGroup::Cores as usize;
        let before = ModelErrors::KNOWN.on_machine(&Stack::default())[group].parts()[1];
        for off in [[0.01, -0.02, 0.0, 0.015, 0.01], [0.6, -0.5, 0.4, -0.7, 0.1]] {
            let count = off.len() as f64;
            let slopes = DMatrix::from_element(off.len(), 1, 0.1);
            let limits = [LimitGroup::Cores; 5];
            let measured = DVector::from_column_slice(&off);
            let found = Linear {
                slopes: &slopes,
                off: &measured,
                limits: &limits,
            };
            let posterior = unmeasured(1).given(&found).expect("it converges");
            // Of a matrix of equal covariances, one eigenvalue belongs to the mean.
            let density = |error: f64| {
                let noise = error * error + MEASURED * MEASURED;
                let mean = off.iter().sum::<f64>() / count;
                let within: f64 = off.iter().map(|one| (one - mean) * (one - mean)).sum();
                let between = noise + count * 0.01;
                let of_rows = libm::log(between) + (count - 1.0) * libm::log(noise);
                let of_rows = of_rows + count * mean * mean / between + within / noise;
                let ratio = before * before / (error * error);
                -0.5 * (of_rows + TAILS * (ratio + 2.0 * libm::log(error)))
            };
            let tried = (0..4000).map(|step| before * libm::exp((f64::from(step) - 2000.0) / 1000.0));
            let best = tried
                .max_by(|a, b| density(*a).total_cmp(&density(*b)))
                .expect("some");
            let found = posterior.of_loads[group];
            assert!((found / best - 1.0).abs() < 0.003, "{found} {best}");
            assert_eq!(found < before, off[0] < 0.1, "{found} {before}");
        }
    }
}
