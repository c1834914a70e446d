//! The model error with correct figures, and the necessary width of the ranges of figures.
//!
//! The model errors are estimated from unseen measurements, by kind of limit: the part of the deviation that
//! the spread of the figures does not explain. Most deviations are small, and a few rows lack a mechanism of
//! the model, so that deviations have heavy tails: log(predicted / measured) has Student's t distribution
//! with [`TAILS`] degrees of freedom and the sum of the two squares (Lange, Little, Taylor, "Robust
//! statistical modeling using the t distribution", 1989). The estimate is that of maximum likelihood: one row
//! that is far off, which would set a standard deviation alone, hardly moves it. If few measurements have a
//! kind of limit, its error is shrunk toward the overall error, which counts as [`PRIOR`] additional
//! measurements.
//!
//! A mechanism that the model lacks makes a real machine slower as a rule, so that more rates are below their
//! prediction, and further off, than above it. Both sides have a deviation of their own (Fernández, Steel,
//! "On Bayesian modeling of fat tails and skewness", 1998).
//!
//! Few systems are behind each kind of limit, so that the error of a new one is less certain than its
//! estimate says: also for that its distribution is Student's t (Gelman et al., *Bayesian Data Analysis*,
//! 2013, section 3.2). The errors are widened so that 1.645 of them are the 95 % point of both.
//!
//! The program's own ranges are careful guesses as a rule; together they permit larger deviations than there
//! are. The same likelihood gives the factor.

use std::collections::BTreeMap;

use bandgraph_model::{Correlations, LimitGroup, ModelError, Stack};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::draws::JointDraws;
use super::interval::RANGE_END;

/// Degrees of freedom of the deviations: few, for heavy tails.
pub(super) const TAILS: f64 = 4.0;
/// The weight of the overall error, in measurements, relative to those of one kind of limit.
const PRIOR: f64 = 1.0;
/// The tried factors on ranges. A factor of zero would make a machine unlike all measured ones as certain as
/// those.
const SHARES: [f64; 16] = grid(0.25, 0.05);
/// The tried correlations of points of one system.
const CORRELATIONS: [f64; 20] = grid(0.0, 0.05);
/// By how much the deviation of rates below their prediction is larger, and that above it smaller, than the
/// model error: as many unseen measurements are below their intervals as above. Of deviations from the one
/// limit of a prediction, 1.5 is most likely; but all limits apply to a draw, and the lowest lets it end
/// further below.
const SKEW: f64 = 1.2;
/// The smallest model error: no published figure is more accurate.
const LEAST: f64 = 0.01;
/// The number of tried model errors, up to 1, and the ratio of successive ones.
const ERRORS: usize = 233;
const STEP: f64 = 1.02;

/// The number of groups of limits.
pub(super) const GROUPS: usize = LimitGroup::ALL.len();

/// The deviation of an unseen prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missed<'a> {
    /// The system that was measured.
    pub system: &'a str,
    /// The group of its limit.
    pub limit: LimitGroup,
    /// The logarithm of the predicted over the measured rate; of times, of measured over predicted.
    pub error: f64,
    /// The standard deviation of the logarithm of the prediction that the full ranges of figures cause.
    pub spread: f64,
}

/// Evenly spaced values.
const fn grid<const N: usize>(first: f64, step: f64) -> [f64; N] {
    let mut values = [first; N];
    let mut at = 0;
    while at < N {
        values[at] += step * at as f64;
        at += 1;
    }
    values
}

/// The distribution of the logarithm of the model error's factor on rates: on either side of its mode half of
/// a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LogFactor {
    mode: f64,
    /// The standard deviations of the two normal distributions.
    below: f64,
    above: f64,
}

impl LogFactor {
    /// A normal distribution.
    pub(super) const fn normal(mean: f64, deviation: f64) -> Self {
        Self {
            mode: mean,
            below: deviation,
            above: deviation,
        }
    }

    /// The value that is exceeded as often as `normal` by a standard normal variable.
    pub(super) fn at(&self, normal: f64) -> f64 {
        let Self { mode, below, above } = *self;
        if below == above {
            return mode + below * normal;
        }
        let standard = Normal::standard();
        // The share of each side is proportional to its deviation.
        let (both, place) = (below + above, standard.cdf(normal));
        mode + if place < below / both {
            below * standard.inverse_cdf(place * both / (2.0 * below))
        } else {
            -above * standard.inverse_cdf(standard.sf(normal) * both / (2.0 * above))
        }
    }

    /// Its standard deviation.
    pub(super) fn deviation(&self) -> f64 {
        let apart = self.above - self.below;
        libm::sqrt((1.0 - std::f64::consts::FRAC_2_PI) * apart * apart + self.below * self.above)
    }
}

/// Errors of predictions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelErrors {
    /// The model error by group of limits, in the order of [`LimitGroup::ALL`]: the geometric mean of the
    /// deviations below and above the prediction, in logarithms, on a system that is not measured.
    pub missed: [f64; GROUPS],
    /// The actual deviation of figures, as a share of the program's own ranges.
    pub ranges: f64,
    /// The correlation of the deviations of two points of one system with limits of one group: the part of a
    /// deviation that belongs to the machine, not to the load.
    pub common: f64,
}

impl ModelErrors {
    /// The errors of all unseen measurements of the shipped scenarios (`bandgraph validate`) and of held-out
    /// tests, rounded. A test compares them with the result of [`estimate`](Self::estimate).
    pub const KNOWN: Self = Self {
        missed: [0.143, 0.081, 0.202, 0.293, 0.596, 0.259, 0.188, 0.271],
        ranges: 0.65,
        common: 0.30,
    };

    /// The model error of a group of limits.
    pub fn of(&self, limit: LimitGroup) -> f64 {
        self.missed[limit as usize]
    }

    /// The logarithm of the model error's factor on rates, by group of limits.
    pub(super) fn by_group(&self) -> [LogFactor; GROUPS] {
        self.missed.map(|missed| LogFactor {
            mode: 0.0,
            below: missed * SKEW,
            above: missed / SKEW,
        })
    }

    /// The same on a machine whose own errors its software profile may have.
    pub(super) fn by_group_on(&self, stack: &Stack) -> [LogFactor; GROUPS] {
        let mut factors = self.by_group();
        for own in &stack.model_errors {
            factors[own.limit as usize] = LogFactor::normal(libm::log(own.factor), own.deviation);
        }
        factors
    }

    /// The errors on a machine whose own errors its software profile may have, by group of limits, as of
    /// normal distributions.
    pub(super) fn on_machine(&self, stack: &Stack) -> [ModelError; GROUPS] {
        let known = self.by_group();
        std::array::from_fn(|group| {
            let limit = LimitGroup::ALL[group];
            let own = stack.model_errors.iter().find(|own| own.limit == limit);
            own.cloned().unwrap_or(ModelError {
                limit,
                factor: 1.0,
                deviation: known[group].deviation(),
                common: self.common,
                measurements: 0,
            })
        })
    }

    /// The errors of an unmeasured system, from the deviations of predictions of others.
    pub fn estimate(missed: &[Missed<'_>]) -> Self {
        let best = highest(SHARES.len(), |at| Self::with_ranges(missed, SHARES[at]).1);
        let (best, _) = Self::with_ranges(missed, SHARES[best]);
        let common = best.common_to_systems(missed);
        let tails = beyond_normal(TAILS);
        Self {
            missed: std::array::from_fn(|index| {
                best.missed[index] * tails * widening(missed, LimitGroup::ALL[index], common)
            }),
            common,
            ..best
        }
    }

    /// The correlation of maximum likelihood between points of one system and one group of limits, if
    /// deviations were normal with the variance of figures and model together: that of a random effect
    /// (Searle, Casella, McCulloch, *Variance Components*, 1992, chapter 3).
    fn common_to_systems(&self, missed: &[Missed<'_>]) -> f64 {
        let mut blocks: BTreeMap<(&str, LimitGroup), Vec<f64>> = BTreeMap::new();
        for point in missed {
            let [below, above] = point.scales(self.ranges, self.of(point.limit));
            let scale = if point.error > 0.0 { below } else { above };
            let deviation = point.error / (beyond_normal(TAILS) * scale);
            blocks
                .entry((point.system, point.limit))
                .or_default()
                .push(deviation);
        }
        // The eigenvalues of a matrix of ones and equal correlations are 1 + (n - 1) r, once, and 1 - r.
        let likelihood = |correlation: f64| -> f64 {
            let of_block = blocks.values().map(|block| {
                let count = block.len() as f64;
                let mean = block.iter().sum::<f64>() / count;
                let squares = block.iter().map(|one| one * one).sum::<f64>();
                let (between, within) = (1.0 + (count - 1.0) * correlation, 1.0 - correlation);
                let of_mean = count * mean * mean;
                let logarithms = libm::log(between) + (count - 1.0) * libm::log(within);
                -0.5 * (logarithms + of_mean / between + (squares - of_mean) / within)
            });
            of_block.sum()
        };
        CORRELATIONS[highest(CORRELATIONS.len(), |at| likelihood(CORRELATIONS[at]))]
    }

    /// The estimate for a given factor on ranges, and the logarithm of the likelihood of all deviations.
    fn with_ranges(missed: &[Missed<'_>], ranges: f64) -> (Self, f64) {
        let (of_all, _) = most_likely(|error| likelihood(missed.iter(), ranges, error));
        let mut all = 0.0;
        let missed = std::array::from_fn(|index| {
            let limit = LimitGroup::ALL[index];
            let points = || missed.iter().filter(|point| point.limit == limit);
            // The prior acts like one more point of this group with the overall error.
            let prior = |error: f64| {
                let ratio = of_all / error;
                PRIOR * (-libm::log(error) - ratio * ratio / 2.0)
            };
            let (error, found) = most_likely(|error| likelihood(points(), ranges, error) + prior(error));
            all += found;
            error
        });
        let found = Self {
            missed,
            ranges,
            common: 0.0,
        };
        (found, all)
    }
}

impl Missed<'_> {
    /// The scales of deviations of rates below the prediction and above it, for a factor on ranges and a
    /// model error.
    fn scales(&self, ranges: f64, error: f64) -> [f64; 2] {
        let spread = ranges * self.spread;
        [error * SKEW, error / SKEW].map(|side| libm::sqrt(spread * spread + side * side))
    }
}

/// By draw, the factors on rates for the model error, by group of limits.
pub(super) fn factors(
    errors: [LogFactor; GROUPS],
    correlations: &Correlations,
    draws: u32,
) -> impl Fn(u32) -> [f64; GROUPS] + Sync + use<> {
    factors_named("model", errors, correlations, draws)
}

fn factors_named(
    name: &str,
    errors: [LogFactor; GROUPS],
    correlations: &Correlations,
    draws: u32,
) -> impl Fn(u32) -> [f64; GROUPS] + Sync + use<> {
    let limits = LimitGroup::ALL.iter();
    let names: Vec<(String, String)> = limits
        .map(|limit| (limit.figure(), format!("{name} {limit}")))
        .collect();
    let named = names.iter().map(|(path, name)| (path.clone(), name.as_str()));
    let joint = JointDraws::new(named, correlations, draws);
    move |draw| {
        let normals = joint.normals(draw);
        std::array::from_fn(|group| libm::exp(errors[group].at(normals[group])))
    }
}

/// By draw, the exponents of ratios for the model error of a difference, by group of limits.
///
/// Two variants of a load have more of the model error in common than two loads of one machine, and all of it
/// if they do not differ. The error of a difference is therefore proportional to its logarithm, and from a
/// factor of two on that of two loads of one machine ([`ModelErrors::common`]). It does not turn a gain into
/// a loss: below one, exponents are those of a factor.
pub(super) fn exponents(errors: [LogFactor; GROUPS], draws: u32) -> impl Fn(u32) -> [f64; GROUPS] + Sync {
    let own = libm::sqrt(2.0 * (1.0 - ModelErrors::KNOWN.common)) / std::f64::consts::LN_2;
    let factors = factors_named(
        "difference",
        errors.map(|error| LogFactor::normal(0.0, own * error.deviation())),
        &Correlations::default(),
        draws,
    );
    move |draw| {
        factors(draw).map(|factor| {
            if factor > 1.0 {
                1.0 + libm::log(factor)
            } else {
                factor
            }
        })
    }
}

/// The 95 % point of the error of a new system, over that of a normal distribution with the estimated error.
/// With a correlation of `common`, n measurements of one system count as n / (1 + (n − 1) r) independent ones
/// (Kish, *Survey Sampling*, 1965, section 5.4).
fn widening(missed: &[Missed<'_>], limit: LimitGroup, common: f64) -> f64 {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for point in missed.iter().filter(|point| point.limit == limit) {
        *counts.entry(point.system).or_default() += 1.0;
    }
    let independent = counts
        .values()
        .map(|count| count / (1.0 + (count - 1.0) * common));
    beyond_normal(PRIOR + independent.sum::<f64>())
}

/// The 95 % point of Student's t with this number of degrees of freedom, over that of a normal distribution.
fn beyond_normal(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |student| student.inverse_cdf(0.95) / RANGE_END)
}

/// The logarithm of the likelihood of a model error, except for a constant.
fn likelihood<'m>(missed: impl Iterator<Item = &'m Missed<'m>>, ranges: f64, error: f64) -> f64 {
    let each = missed.map(|point| {
        let [below, above] = point.scales(ranges, error);
        let off = point.error / if point.error > 0.0 { below } else { above };
        -libm::log(below + above) - 0.5 * (TAILS + 1.0) * libm::log(1.0 + off * off / TAILS)
    });
    each.sum()
}

/// The error of maximum likelihood, to 2 %, and the likelihood.
fn most_likely(likelihood: impl Fn(f64) -> f64) -> (f64, f64) {
    let error = |at: usize| LEAST * libm::pow(STEP, at as f64);
    let best = error(highest(ERRORS, |at| likelihood(error(at))));
    (best, likelihood(best))
}

/// Where a function of 0 to `count` − 1 with a single peak is highest.
fn highest(count: usize, of: impl Fn(usize) -> f64) -> usize {
    let mut stride = count.isqrt().next_power_of_two();
    let (mut peak, mut height) = (0, f64::NEG_INFINITY);
    let mut candidates: Vec<usize> = (0..count).step_by(stride).collect();
    loop {
        for at in candidates {
            let here = of(at);
            if here > height {
                (peak, height) = (at, here);
            }
        }
        if stride == 1 {
            return peak;
        }
        stride /= 2;
        let beside = [peak.checked_sub(stride), Some(peak + stride)];
        candidates = beside.into_iter().flatten().filter(|at| *at < count).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertainty::draws::tests::draws_of;

    fn missed(system: &str, error: f64, spread: f64) -> Missed<'_> {
        Missed {
            system,
            limit: LimitGroup::Cores,
            error,
            spread,
        }
    }

    /// Without a spread of figures the estimate of equal deviations is their size, also with one more point
    /// at that value, wider by the tabulated 95 % points of Student's t: with four degrees of freedom for
    /// heavy tails, and with five or one for few systems.
    #[test]
    fn an_estimate_by_hand() {
        let points = [
            missed("a", 0.2, 0.0),
            missed("a", -0.2, 0.0),
            missed("b", 0.2, 0.0),
            missed("b", -0.2, 0.0),
        ];
        let found = ModelErrors::estimate(&points);
        let expected = 0.2 * 2.132 / 1.645;
        let close = |found: f64, point: f64| (found / (expected * point / 1.645) - 1.0).abs() < STEP - 1.0;
        assert!(close(found.of(LimitGroup::Cores), 2.015), "{found:?}");
        // Without measurements of disks, their error is the overall one.
        assert!(close(found.of(LimitGroup::Storage), 6.314), "{found:?}");
        // Deviations that the figures explain leave no model error.
        let (explained, _) = ModelErrors::with_ranges(&[missed("a", 0.1, 0.3)], 1.0);
        assert!((explained.of(LimitGroup::Cores) - LEAST).abs() < 1e-12);
    }

    /// One point beside twenty is ten times as far off as they are: a standard deviation would be 2.4 times
    /// as large. By hand, the scale of maximum likelihood solves 20 × 5 a² / (4 s² + a²) + 5 × 100 a² / (4
    /// s² + 100 a²) = 21: s = 1.135 a.
    #[test]
    fn one_row_far_off_hardly_moves_the_estimate() {
        let mut points = vec![missed("a", 0.1, 0.0); 20];
        points.push(missed("b", 1.0, 0.0));
        let (scale, _) = most_likely(|error| likelihood(points.iter(), 1.0, error));
        assert!((SKEW * scale / 0.1135 - 1.0).abs() < STEP - 1.0, "{scale}");
    }

    /// A draw with the heavy tails of deviations.
    fn heavy(normal: f64) -> f64 {
        let student = StudentsT::new(0.0, 1.0, TAILS).expect("a distribution");
        student.inverse_cdf(Normal::standard().cdf(normal))
    }

    /// Systems whose errors are drawn from a known model: the estimate recovers it.
    #[test]
    fn a_known_error_is_found() {
        let model = draws_of("missed", 400);
        let names: Vec<String> = (0..400).map(|system| system.to_string()).collect();
        let points: Vec<Missed<'_>> = (0..400)
            .map(|system| {
                let error = libm::sqrt(0.1 * 0.1 + 0.2 * 0.2) * heavy(model[system]);
                missed(&names[system], error, 0.1)
            })
            .collect();
        let found = ModelErrors::with_ranges(&points, 1.0).0.of(LimitGroup::Cores);
        assert!((found / 0.2 - 1.0).abs() < 0.1, "{found}");
    }

    /// By hand: three quarters of the draws are on the side that is three times as wide, and the 5 % point is
    /// that of a normal distribution at 0.05 / 0.75 / 2.
    #[test]
    fn a_skewed_error_has_the_quantiles_of_its_halves() {
        let skewed = LogFactor {
            mode: 0.1,
            below: 0.3,
            above: 0.1,
        };
        let standard = Normal::standard();
        let at = |place: f64| skewed.at(standard.inverse_cdf(place)) - 0.1;
        assert!(at(0.75).abs() < 1e-9, "{}", at(0.75));
        for (place, expected) in [
            (0.05, 0.3 * standard.inverse_cdf(0.05 / 1.5)),
            (0.95, 0.1 * standard.inverse_cdf(1.0 - 0.05 / 0.5)),
        ] {
            assert!((at(place) - expected).abs() < 1e-9, "{place}: {}", at(place));
        }
        let draws: Vec<f64> = (0..10_000)
            .map(|draw| at((f64::from(draw) + 0.5) / 1e4))
            .collect();
        let mean = draws.iter().sum::<f64>() / 1e4;
        let squares = draws
            .iter()
            .map(|draw| (draw - mean) * (draw - mean))
            .sum::<f64>();
        assert!((libm::sqrt(squares / 1e4) / skewed.deviation() - 1.0).abs() < 1e-3);
        assert_eq!(LogFactor::normal(0.1, 0.3).at(-2.0), 0.1 - 0.6);
    }

    /// Figures that deviate by a known share of their ranges, which differ from point to point.
    #[test]
    fn ranges_that_are_too_wide_are_found() {
        let model = draws_of("missed", 400);
        for share in [0.4, 0.75, 1.0] {
            let points: Vec<Missed<'_>> = (0..400_u32)
                .map(|point| {
                    let spread = 0.02 + 0.4 * f64::from(point % 20) / 20.0;
                    let scale = libm::sqrt((share * spread) * (share * spread) + 0.05 * 0.05);
                    missed("a", scale * heavy(model[point as usize]), spread)
                })
                .collect();
            let found = ModelErrors::estimate(&points);
            assert!((found.ranges - share).abs() < 0.11, "{share}: {}", found.ranges);
        }
    }
}
