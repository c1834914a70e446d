//! How many measurements are within the intervals of their predictions.

use std::collections::BTreeMap;

use bandgraph_scenario::Loaded;

use super::{ValidatedPoint, ValidationSet};
use crate::uncertainty::{Missed, ModelErrors, PointDraws, point_draws};
use crate::{Interval, LimitGroup};
use rayon::prelude::*;

/// How sure the prediction of a point is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointInterval {
    /// Between which values it is with 90 % belief, in the unit of the point. What the model misses is taken
    /// from the points of other systems.
    pub interval: Interval,
    /// What limits.
    pub limit: LimitGroup,
    /// The standard deviation of the logarithm of the prediction that the ranges of figures cause.
    pub spread: f64,
}

/// How many of some points are within their intervals. Bounds that are kept do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coverage {
    /// How many points count.
    pub points: usize,
    /// How many of them are within their interval.
    pub inside: usize,
    /// The mean of half the widths of the intervals, as shares of the predictions.
    pub half_width: f64,
    /// The least share of a prediction that, given to each of them, has as many points inside.
    pub constant: f64,
}

impl Coverage {
    /// That of some points; those without an interval do not count.
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

    /// The share of the points that are within their interval; not a number of none.
    pub fn share(&self) -> f64 {
        self.inside as f64 / self.points as f64
    }
}

impl ValidationSet {
    /// Gives the points of a validation of this set their intervals, from `draws` draws of the figures of
    /// each scenario. Returns what the model misses, as estimated from all unseen points. The interval of a
    /// point takes that from the points of other systems: its own system is left out.
    pub fn add_intervals(&self, points: &mut [ValidatedPoint], draws: u32) -> ModelErrors {
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
        let drawn: Vec<Option<PointDraws>> = drawn.into_iter().flatten().collect();
        let seen = points.to_vec();
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
        for (point, drawn) in points.iter_mut().zip(&drawn) {
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
}
