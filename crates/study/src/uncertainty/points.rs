//! Draws of measured metrics.

use std::cmp::Ordering;

use bandgraph_model::{Correlations, LimitGroup, Scenario};
use bandgraph_scenario::{Measured, Metric};

use super::drawing::{Drawing, MeasuredDraws};
use super::interval::Interval;
use super::model_error::{GROUPS, ModelErrors, factors};
use super::room::Held;

/// The predictions of a measured metric in every draw of the figures.
#[derive(Clone, Debug)]
pub(crate) struct PointDraws {
    /// The group of its limit.
    pub(crate) limit: LimitGroup,
    /// The standard deviation of `logarithms` if figures were drawn from the program's full ranges.
    pub(crate) spread: f64,
    /// The number of draws.
    draws: u32,
    /// The number of each draw, the logarithm of its prediction over the nominal one, and its limits.
    logarithms: Vec<(u32, f64, Held)>,
}

impl PointDraws {
    pub(super) fn new(limit: LimitGroup, base: f64, values: &[Option<(f64, Held)>]) -> Option<Self> {
        let logarithms: Vec<(u32, f64, Held)> = (0..)
            .zip(values)
            .filter_map(|(draw, value)| {
                let (value, held) = (*value)?;
                let logarithm = libm::log(value / base);
                logarithm.is_finite().then_some((draw, logarithm, held))
            })
            .collect();
        if logarithms.len() * 2 < values.len() {
            return None;
        }
        let count = logarithms.len() as f64;
        let mean = logarithms.iter().map(|(_, value, _)| value).sum::<f64>() / count;
        let squares = logarithms
            .iter()
            .map(|(_, value, _)| (value - mean) * (value - mean));
        Some(Self {
            limit,
            spread: libm::sqrt(squares.sum::<f64>() / count) / ModelErrors::KNOWN.ranges,
            draws: values.len() as u32,
            logarithms,
        })
    }

    /// The interval around a prediction, with the model error, and the share of the draws below a measured
    /// value; draws that equal it count half.
    pub(crate) fn interval(
        &self,
        predicted: f64,
        errors: &ModelErrors,
        measured: f64,
    ) -> Option<(Interval, f64)> {
        let ranges = errors.ranges / ModelErrors::KNOWN.ranges;
        let factors = factors(errors.by_group(), &Correlations::default(), self.draws);
        let values: Vec<f64> = self.values(predicted, ranges, factors).collect();
        let below = values.iter().map(|value| match value.total_cmp(&measured) {
            Ordering::Less => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 0.0,
        });
        let place = below.sum::<f64>() / values.len() as f64;
        Some((Interval::of(values)?, place))
    }

    /// The interval around a prediction, for a factor on the deviations of figures, and the factors of the
    /// model error in each draw, by group of limits.
    pub(super) fn interval_with(
        &self,
        predicted: f64,
        ranges: f64,
        errors: impl Fn(u32) -> [f64; GROUPS],
    ) -> Option<Interval> {
        Interval::of(self.values(predicted, ranges, errors).collect())
    }

    fn values(
        &self,
        predicted: f64,
        ranges: f64,
        errors: impl Fn(u32) -> [f64; GROUPS],
    ) -> impl Iterator<Item = f64> {
        let all = self.logarithms.iter();
        all.map(move |(draw, value, held)| {
            let scaled = predicted * libm::exp(ranges * value) * held.factor(&errors(*draw));
            held.within(scaled, predicted * libm::exp(*value))
        })
    }
}

/// The interval of the time that all jobs of a scenario take together; `None` if there are no jobs, or fewer
/// than half of the draws have an answer.
pub fn elapsed_interval(scenario: &Scenario, draws: u32) -> Option<Interval> {
    let drawing = Drawing::new(scenario).ok()?;
    let limit = drawing.base.group_of(Metric::Elapsed);
    let found = drawing.elapsed(draws)?;
    let (base, _) = found.base?;
    let errors = drawing.factors(draws);
    PointDraws::new(limit, base, &found.draws)?.interval_with(base, 1.0, errors)
}

/// The draws of the measured metrics of a scenario; `None` for a metric without a prediction. `base` finds
/// the scenario that a relative measurement refers to.
pub(crate) fn point_draws<'s>(
    scenario: &Scenario,
    rows: &[Measured],
    base: impl Fn(&Measured) -> Option<&'s Scenario>,
    draws: u32,
) -> Vec<Option<PointDraws>> {
    let Ok(drawing) = Drawing::new(scenario) else {
        return vec![None; rows.len()];
    };
    let here = drawing.measured(rows, draws);
    let of_row = |(row, here): (&Measured, MeasuredDraws)| {
        let limit = drawing.base.group_of(row.metric);
        if row.relative_to.is_none() {
            return PointDraws::new(limit, here.base?.0, &here.draws);
        }
        // Both scenarios are drawn with the same figures.
        let there = Drawing::new(base(row)?)
            .ok()?
            .measured(std::slice::from_ref(row), draws);
        let there = there.first()?;
        // The error of a ratio is that of its own limit.
        let held = Held::by(limit, row.metric);
        let ratios: Vec<Option<(f64, Held)>> = here
            .draws
            .iter()
            .zip(&there.draws)
            .map(|(here, there)| Some(((*here)?.0 / (*there)?.0, held)))
            .collect();
        PointDraws::new(limit, here.base?.0 / there.base?.0, &ratios)
    };
    let mut found: Vec<Option<PointDraws>> = rows.iter().zip(here).map(of_row).collect();
    found.resize(rows.len(), None);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertainty::draws::tests::draws_of;
    use crate::uncertainty::model_error::LogFactor;
    use statrs::distribution::{ContinuousCDF, Normal};

    /// Wider ranges than those that were drawn lift no rate above its wires, nor a time below what they need.
    #[test]
    fn wider_ranges_stay_within_the_wires() {
        let draws = 200;
        let figure = draws_of("figure", draws);
        for metric in [Metric::NetworkBytesPerSecond, Metric::LatencyMean] {
            let mut held = Held::by(LimitGroup::Cores, metric);
            let is_time = metric == Metric::LatencyMean;
            let value = |draw| libm::exp(0.2 * figure[draw as usize]);
            let values: Vec<Option<(f64, Held)>> = (0..draws)
                .map(|draw| {
                    // Wires carry 1.1 times the nominal rate; a time is at least 1/1.1 of the nominal one.
                    held.most = if is_time {
                        1.1 * value(draw)
                    } else {
                        1.1 / value(draw)
                    };
                    Some((value(draw), held))
                })
                .collect();
            let found = PointDraws::new(LimitGroup::Cores, 1.0, &values).expect("there are draws");
            let errors = factors(
                [LogFactor::normal(0.0, 0.1); GROUPS],
                &Correlations::default(),
                draws,
            );
            let Interval { low, high } = found.interval_with(1.0, 1.5, errors).expect("there are draws");
            if is_time {
                assert!(low >= 1.0 / 1.1 - 1e-9 && high > 1.3, "{low} {high}");
            } else {
                assert!(high <= 1.1 + 1e-9 && low < 0.8, "{low} {high}");
            }
        }
    }

    /// A prediction proportional to one figure: its logarithm and the model error are normal, so that the 5 %
    /// and 95 % points are known in closed form.
    #[test]
    fn the_interval_of_one_figure_is_that_of_the_closed_form() {
        let draws = 2000;
        let figure = draws_of("figure", draws);
        let held = Held::by(LimitGroup::Cores, Metric::PayloadBytesPerSecond);
        let values: Vec<Option<(f64, Held)>> = (0..draws)
            .map(|draw| Some((50.0 * libm::exp(0.12 * figure[draw as usize]), held)))
            .collect();
        let found = PointDraws::new(LimitGroup::Cores, 50.0, &values).expect("there are draws");
        let spread = found.spread * ModelErrors::KNOWN.ranges;
        assert!((spread / 0.12 - 1.0).abs() < 0.01, "{spread}");
        let certain = ModelErrors {
            missed: [0.0; GROUPS],
            ..ModelErrors::KNOWN
        };
        let (_, place) = found
            .interval(80.0, &certain, 80.0 * 1.1)
            .expect("there are draws");
        let expected = Normal::standard().cdf(libm::log(1.1) / 0.12);
        assert!((place - expected).abs() < 0.01, "{place} {expected}");
        for error in [0.0, 0.09] {
            let errors = factors(
                [LogFactor::normal(0.0, error); GROUPS],
                &Correlations::default(),
                draws,
            );
            let interval = found.interval_with(80.0, 1.0, errors).expect("there are draws");
            let half = 1.645 * libm::sqrt(0.12 * 0.12 + error * error);
            for (end, expected) in [(interval.low, -half), (interval.high, half)] {
                assert!((libm::log(end / 80.0) / expected - 1.0).abs() < 0.05, "{end}");
            }
        }
    }
}
