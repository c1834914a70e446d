//! How sure a prediction is.
//!
//! Every figure of the parts and of the stack has a range. All of them are drawn together, many times, and
//! each draw is predicted. Between which values most predictions lie is the interval of the answer; with
//! which figures they move says what the answer depends on.

mod draws;
mod figures;
mod model_error;

use std::collections::BTreeMap;

use bandgraph_config::FieldValue;
use bandgraph_model::Scenario;
use bandgraph_solve::{SteadyState, Totals, bind};
use bandgraph_topology::{ResourceKind, Topology};
use rayon::prelude::*;

use draws::{Column, RANGE_END, value_at};
use model_error::model_error;

pub use figures::{UncertainFigure, uncertain_figures};
pub use model_error::{MODEL_ERRORS, ModelError, OTHER};

/// Saturation from which the fullest resource counts as the limit.
const FULL: f64 = 0.97;
/// Relative deviations below this are rounding.
const NOTHING: f64 = 1e-6;
/// The column of what the model misses.
const MODEL: &str = "model";

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

/// The answer to one draw.
struct Drawn {
    totals: Totals,
    limit: Option<ResourceKind>,
    /// What the model misses, in standard deviations.
    missed: f64,
}

impl Drawn {
    /// What to multiply rates with for what the model misses.
    fn factor(&self) -> f64 {
        libm::exp(self.missed * model_error(self.limit))
    }
}

/// How sure the prediction of a scenario is, from `draws` draws of its figures; at least two. `None` if the
/// scenario has no steady state, or fewer than half of the draws have one.
///
/// Each figure alone is moved to the ends of its range first. Those that move no answer are not drawn; the
/// others have the share of the variance that they cause so, which is exact as far as the answer is linear in
/// the figures.
pub fn uncertainty(scenario: &Scenario, draws: u32) -> Option<Uncertainty> {
    let base = answer(scenario, 0.0)?;
    let felt: Vec<(UncertainFigure, f64)> = uncertain_figures(scenario)
        .into_par_iter()
        .map(|figure| {
            let spread = spread_alone(scenario, &figure, &base);
            (figure, spread)
        })
        .filter(|(_, spread)| *spread > NOTHING)
        .collect();
    let (figures, spreads): (Vec<UncertainFigure>, Vec<f64>) = felt.into_iter().unzip();
    let columns: Vec<Column> = figures
        .iter()
        .map(|figure| Column::new(&figure.id(), draws))
        .collect();
    let model = Column::new(MODEL, draws);
    let answers: Vec<Drawn> = (0..draws)
        .into_par_iter()
        .filter_map(|draw| {
            let normals: Vec<f64> = columns.iter().map(|column| column.normal(draw)).collect();
            answer(&with_figures(scenario, &figures, &normals)?, model.normal(draw))
        })
        .collect();
    if answers.len() * 2 < draws as usize {
        return None;
    }
    let interval = |value: &dyn Fn(&Drawn) -> f64| Interval::of(answers.iter().map(value).collect());
    let missed = model_error(base.limit);
    let variance = missed * missed + spreads.iter().map(|spread| spread * spread).sum::<f64>();
    let mut weights: Vec<Weight> = figures
        .into_iter()
        .map(Some)
        .zip(spreads)
        .chain([(None, missed)])
        .map(|(figure, spread)| Weight {
            figure,
            share: spread * spread / variance,
        })
        .collect();
    weights.sort_by(|a, b| b.share.total_cmp(&a.share));
    Some(Uncertainty {
        draws: answers.len() as u32,
        operations: interval(&|one| one.totals.throughput.operations.get() * one.factor())?,
        payload: interval(&|one| one.totals.throughput.payload.get() * one.factor())?,
        network: interval(&|one| one.totals.throughput.network.get() * one.factor())?,
        latency: interval(&|one| one.totals.mean_latency.get() / one.factor())?,
        limits: frequencies(answers.iter().map(|one| one.limit)),
        weights,
    })
}

/// The standard deviation of the logarithm of the throughput that a figure alone causes: half of what lies
/// between the ends of its range, which are 1.645 deviations from the middle. Where only latency moves, that
/// of the latency.
fn spread_alone(scenario: &Scenario, figure: &UncertainFigure, base: &Drawn) -> f64 {
    let at = |normal: f64| {
        let moved = with_figures(scenario, std::slice::from_ref(figure), &[normal]);
        moved
            .and_then(|moved| answer(&moved, 0.0))
            .map(|found| found.totals)
    };
    let [low, high] = [-RANGE_END, RANGE_END].map(|normal| at(normal).unwrap_or(base.totals));
    let between = |value: fn(&Totals) -> f64| {
        let spread = libm::log(value(&high) / value(&low)).abs() / (2.0 * RANGE_END);
        if spread.is_finite() { spread } else { 0.0 }
    };
    let rates = between(|totals| totals.throughput.operations.get());
    if rates > NOTHING {
        rates
    } else {
        between(|totals| totals.mean_latency.get())
    }
}

/// A scenario whose uncertain figures are these numbers of standard deviations from their values. `None` where such a
/// server cannot be built.
fn with_figures(scenario: &Scenario, figures: &[UncertainFigure], normals: &[f64]) -> Option<Scenario> {
    let mut drawn = scenario.clone();
    let mut spec = scenario.topology.spec().clone();
    let mut parts = spec.parts_mut();
    for (figure, normal) in figures.iter().zip(normals) {
        let number = value_at(figure, *normal);
        let value = if figure.quantity {
            FieldValue::Quantity(number)
        } else {
            FieldValue::Number(number)
        };
        for &user in &figure.users {
            parts[user].set(figure.field, value.clone()).ok()?;
        }
        if figure.users.is_empty() {
            drawn.stack.set(figure.field, value).ok()?;
        }
    }
    drawn.topology = Topology::build(spec).ok()?;
    Some(drawn)
}

fn answer(scenario: &Scenario, missed: f64) -> Option<Drawn> {
    let bound = bind(scenario).ok()?;
    let steady = SteadyState::solve(&bound).ok()?;
    let saturations = bound
        .resources
        .iter()
        .zip(&steady.resource_rates)
        .map(|(resource, rate)| (resource.kind, rate / resource.usable()));
    let fullest = saturations.max_by(|a, b| a.1.total_cmp(&b.1));
    Some(Drawn {
        totals: steady.totals(&bound),
        limit: fullest
            .filter(|(_, saturation)| *saturation >= FULL)
            .map(|(kind, _)| kind),
        missed,
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
    use std::path::Path;

    use bandgraph_diagnostics::Sources;
    use bandgraph_scenario::load;

    use super::*;

    fn barcelona_reads() -> Scenario {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/7410-barcelona-cached-read.toml");
        load(&path, &[], &mut Sources::new())
            .expect("it is sound")
            .scenario
    }

    #[test]
    fn the_interval_of_known_values() {
        let values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(Interval::of(values), Some(Interval { low: 5.0, high: 95.0 }));
        assert_eq!(Interval::of(vec![2.0]), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(Interval::of(Vec::new()), None);
    }

    /// The streams are held back by links, whose capacity is proportional to `ceiling`: alone, its range is
    /// that of the answer.
    #[test]
    fn a_figure_alone_moves_the_answer_by_its_range() {
        let scenario = barcelona_reads();
        let base = answer(&scenario, 0.0).expect("it has an answer");
        let figures = uncertain_figures(&scenario);
        let ceiling = figures
            .iter()
            .find(|figure| figure.id().contains("ht1-x16 ceiling"));
        let ceiling = ceiling.expect("links have a ceiling");
        let expected = libm::log(ceiling.range[1] / ceiling.range[0]) / (2.0 * RANGE_END);
        let spread = spread_alone(&scenario, ceiling, &base);
        assert!((spread / expected - 1.0).abs() < 0.02, "{spread} {expected}");
        // A SYMLINK is no READ.
        let other = figures.iter().find(|figure| figure.field == "symlink_work");
        assert_eq!(spread_alone(&scenario, other.expect("it has a cost"), &base), 0.0);
    }

    #[test]
    fn figures_at_their_values_are_the_prediction_itself() {
        let scenario = barcelona_reads();
        let figures = uncertain_figures(&scenario);
        assert!(figures.len() > 20, "{}", figures.len());
        let drawn = with_figures(&scenario, &figures, &vec![0.0; figures.len()]).expect("it can be built");
        let totals = |scenario: &Scenario| answer(scenario, 0.0).expect("it has an answer").totals;
        assert_eq!(totals(&drawn), totals(&scenario));
    }

    #[test]
    fn the_interval_contains_the_prediction_and_threads_do_not_matter() {
        let scenario = barcelona_reads();
        let found = uncertainty(&scenario, 100).expect("there is an answer");
        let predicted = answer(&scenario, 0.0).expect("it has an answer").totals;
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
        assert_eq!((alone.network, alone.latency), (found.network, found.latency));
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
