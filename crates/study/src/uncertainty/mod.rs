//! How sure a prediction is.
//!
//! Every figure of the parts and of the stack has a range. All of them are drawn together, many times, and
//! each draw is predicted. Between which values most predictions lie is the interval of the answer; with
//! which figures they move says what the answer depends on.

mod drawing;
mod draws;
mod figures;
mod model_error;

use std::collections::BTreeMap;

use bandgraph_model::Scenario;
use bandgraph_topology::ResourceKind;

use drawing::{Drawing, Drawn};
use model_error::model_error;

pub use figures::{UncertainFigure, uncertain_figures};
pub use model_error::{MODEL_ERRORS, ModelError, OTHER};

/// Relative deviations below this are rounding.
const NOTHING: f64 = 1e-6;

/// Between which values an answer lies with 90 % belief: the 5 % and the 95 % point of the draws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The 5 % point.
    pub low: f64,
    /// The 95 % point.
    pub high: f64,
}

impl Interval {
    /// The points of some values, each between the two that are nearest in order. `None` of no values.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let point = |share: f64| {
            let place = share * last as f64;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Some(Self {
            low: point(0.05),
            high: point(0.95),
        })
    }

    /// The same of values that are all `factor` times as large.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            low: self.low * factor,
            high: self.high * factor,
        }
    }
}

/// How much of the spread of the answers moves with one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// The figure; `None` for what the model itself misses.
    pub figure: Option<UncertainFigure>,
    /// The share of the variance of the throughput that it causes alone, 0 to 1; all shares add up to 1.
    pub share: f64,
}

/// How sure a prediction is.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertainty {
    /// How many draws there were an answer for.
    pub draws: u32,
    /// Operations per second.
    pub operations: Interval,
    /// Bytes of payload per second.
    pub payload: Interval,
    /// Bytes at the network ports per second.
    pub network: Interval,
    /// Mean latency, in seconds.
    pub latency: Interval,
    /// In which share of the draws each kind of resource is the fullest and full, the most frequent first;
    /// `None` where no resource is full.
    pub limits: Vec<(Option<ResourceKind>, f64)>,
    /// What the spread comes from, the most first: the uncertain figures that the answer depends on, and what
    /// the model misses.
    pub weights: Vec<Weight>,
}

/// How sure the prediction of a scenario is, from `draws` draws of its figures; at least two. `None` if the
/// scenario has no steady state, or fewer than half of the draws have one.
///
/// All figures are drawn together. Each alone is also moved to the ends of its range: those that move no
/// answer have no weight; the others have the share of the variance that they cause so, which is exact as far
/// as the answer is linear in the figures.
pub fn uncertainty(scenario: &Scenario, draws: u32) -> Option<Uncertainty> {
    let drawing = Drawing::new(scenario)?;
    let spreads = drawing.spreads_alone();
    let answers: Vec<Drawn> = drawing.answers(draws).into_iter().flatten().collect();
    if answers.len() * 2 < draws as usize {
        return None;
    }
    let interval = |value: &dyn Fn(&Drawn) -> f64| Interval::of(answers.iter().map(value).collect());
    let missed = model_error(drawing.base.limit);
    let variance = missed * missed + spreads.iter().map(|spread| spread * spread).sum::<f64>();
    let felt = drawing.figures.into_iter().zip(spreads);
    let felt = felt.filter(|(_, spread)| *spread > NOTHING);
    let mut weights: Vec<Weight> = felt
        .map(|(figure, spread)| (Some(figure), spread))
        .chain([(None, missed)])
        .map(|(figure, spread)| Weight {
            figure,
            share: spread * spread / variance,
        })
        .collect();
    weights.sort_by(|a, b| b.share.total_cmp(&a.share));
    Some(Uncertainty {
        draws: answers.len() as u32,
        operations: interval(&|one| one.totals.throughput.operations.get() * one.factor)?,
        payload: interval(&|one| one.totals.throughput.payload.get() * one.factor)?,
        network: interval(&|one| one.totals.throughput.network.get() * one.factor)?,
        latency: interval(&|one| one.totals.mean_latency.get() / one.factor)?,
        limits: frequencies(answers.iter().map(|one| one.limit)),
        weights,
    })
}

/// The shares of equal values, the most frequent first.
fn frequencies(limits: impl Iterator<Item = Option<ResourceKind>>) -> Vec<(Option<ResourceKind>, f64)> {
    let mut counts: BTreeMap<Option<ResourceKind>, u32> = BTreeMap::new();
    let mut all = 0;
    for limit in limits {
        *counts.entry(limit).or_default() += 1;
        all += 1;
    }
    let mut shares: Vec<_> = counts
        .into_iter()
        .map(|(limit, count)| (limit, f64::from(count) / f64::from(all)))
        .collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uncertainty::drawing::tests::barcelona_reads;

    #[test]
    fn the_interval_of_known_values() {
        let values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(Interval::of(values), Some(Interval { low: 5.0, high: 95.0 }));
        assert_eq!(Interval::of(vec![2.0]), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(Interval::of(Vec::new()), None);
    }

    #[test]
    fn the_interval_contains_the_prediction_and_threads_do_not_matter() {
        let scenario = barcelona_reads();
        let found = uncertainty(&scenario, 100).expect("there is an answer");
        let predicted = Drawing::new(&scenario).expect("it has an answer").base.totals;
        let network = predicted.throughput.network.get();
        assert!(
            found.network.low < network && network < found.network.high,
            "{found:?}"
        );
        // A draw can be a server that cannot be solved.
        assert!(found.draws >= 95, "{}", found.draws);
        let shares: f64 = found.limits.iter().map(|(_, share)| share).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        assert_eq!(found.limits[0].0, Some(ResourceKind::SocketLink));
        assert!(
            found
                .weights
                .windows(2)
                .all(|pair| pair[0].share >= pair[1].share)
        );
        let weights: f64 = found.weights.iter().map(|weight| weight.share).sum();
        assert!((weights - 1.0).abs() < 1e-12, "{weights}");
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .expect("a pool");
        let alone = pool
            .install(|| uncertainty(&scenario, 100))
            .expect("there is an answer");
        assert_eq!(alone, found);
    }

    #[test]
    fn a_figure_that_the_user_gives_is_certain() {
        let mut scenario = barcelona_reads();
        let has = |scenario: &Scenario| {
            let all = uncertain_figures(scenario);
            all.iter()
                .any(|figure| figure.id().ends_with("fishworks-2009 misses_per_byte"))
        };
        assert!(has(&scenario));
        scenario.stack.misses_per_byte *= 1.5;
        assert!(!has(&scenario));
    }
}
