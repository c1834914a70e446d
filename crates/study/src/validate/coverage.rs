//! The share of measurements within the intervals of their predictions.

use std::collections::BTreeMap;

use bandgraph_scenario::Loaded;

use super::{ValidatedPoint, ValidationSet};
use crate::uncertainty::{Missed, ModelErrors, PointDraws, point_draws};
use crate::{Interval, LimitGroup};
use rayon::prelude::*;

/// The interval of the prediction of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointInterval {
    /// The 90 % interval, in the unit of the point. The model error is estimated from the points of other
    /// systems.
    pub interval: Interval,
    /// The group of its limit.
    pub limit: LimitGroup,
    /// The standard deviation of the logarithm of the prediction that the ranges of figures cause.
    pub spread: f64,
}

/// The coverage of intervals over some points. Bounds that are kept do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coverage {
    /// The number of points that count.
    pub points: usize,
    /// The number of points within their intervals.
    pub inside: usize,
    /// The mean half-width of the intervals, as a share of the predictions.
    pub half_width: f64,
    /// The smallest constant half-width, as a share of predictions, with the same coverage.
    pub constant: f64,
}

impl Coverage {
    /// The coverage over some points; points without an interval do not count.
    pub fn of<'p>(points: impl IntoIterator<Item = &'p ValidatedPoint>) -> Self {
        let counted = points.into_iter().filter(|point| !point.is_kept_bound());
        let counted: Vec<(Interval, f64, f64)> = counted
            .filter_map(|point| Some((point.interval?.interval, point.predicted?, point.measured.value)))
            .collect();
        let inside = counted
            .iter()
            .filter(|(interval, _, measured)| interval.contains(*measured));
        let inside = inside.count();
        let halves = counted
            .iter()
            .map(|(interval, predicted, _)| (interval.high - interval.low) / (2.0 * predicted));
        let mut off: Vec<f64> = counted
            .iter()
            .map(|(_, predicted, measured)| (measured / predicted - 1.0).abs())
            .collect();
        off.sort_by(f64::total_cmp);
        Self {
            points: counted.len(),
            inside,
            half_width: halves.sum::<f64>() / counted.len().max(1) as f64,
            constant: inside.checked_sub(1).map_or(0.0, |last| off[last]),
        }
    }

    /// The share of the points within their intervals; NaN without points.
    pub fn share(&self) -> f64 {
        self.inside as f64 / self.points as f64
    }
}

impl ValidationSet {
    /// The draws of each point.
    fn drawn(&self, draws: u32) -> Vec<Option<PointDraws>> {
        let bases: BTreeMap<_, _> = self
            .bases
            .iter()
            .map(|loaded| (loaded.path.as_path(), &loaded.scenario))
            .collect();
        let of_scenario = |loaded: &Loaded| {
            let base = |row: &bandgraph_scenario::Measured| bases.get(row.relative_to.as_deref()?).copied();
            point_draws(&loaded.scenario, &loaded.measured, base, draws)
        };
        let drawn: Vec<Vec<Option<PointDraws>>> = self.scenarios.par_iter().map(of_scenario).collect();
        drawn.into_iter().flatten().collect()
    }
}

/// Computes the intervals of the points of validations of these sets, from `draws` draws of the figures of
/// each scenario. Returns the model errors, estimated from all unseen points. The interval of a point uses
/// those estimated without its own system.
pub fn add_intervals(sets: &mut [(&ValidationSet, &mut [ValidatedPoint])], draws: u32) -> ModelErrors {
    let drawn: Vec<Option<PointDraws>> = sets.iter().flat_map(|(set, _)| set.drawn(draws)).collect();
    let seen: Vec<ValidatedPoint> = sets.iter().flat_map(|(_, points)| points.to_vec()).collect();
    let missed: Vec<Missed<'_>> = seen
        .iter()
        .zip(&drawn)
        .filter(|(point, _)| point.is_unseen() && !point.is_kept_bound())
        .filter_map(|(point, drawn)| {
            let drawn = drawn.as_ref()?;
            let error = libm::log(point.predicted? / point.measured.value);
            error.is_finite().then_some(Missed {
                system: &point.system,
                limit: drawn.limit,
                error,
                spread: drawn.spread,
            })
        })
        .collect();
    let mut without: BTreeMap<&str, ModelErrors> = BTreeMap::new();
    for point in &seen {
        without.entry(&point.system).or_insert_with(|| {
            let others = missed.iter().filter(|other| other.system != point.system);
            ModelErrors::estimate(&others.copied().collect::<Vec<_>>())
        });
    }
    let points = sets.iter_mut().flat_map(|(_, points)| points.iter_mut());
    for (point, drawn) in points.zip(&drawn) {
        point.interval = drawn
            .as_ref()
            .zip(point.predicted)
            .and_then(|(drawn, predicted)| {
                Some(PointInterval {
                    interval: drawn.interval(predicted, &without[point.system.as_str()])?,
                    limit: drawn.limit,
                    spread: drawn.spread,
                })
            });
    }
    ModelErrors::estimate(&missed)
}
