//! The share of measurements within the intervals of their predictions.

use std::collections::{BTreeMap, BTreeSet};

use bandgraph_model::LimitGroup;
use bandgraph_scenario::Loaded;

use super::{ValidatedPoint, ValidationSet};
use crate::Interval;
use crate::uncertainty::{Missed, ModelErrors, PointDraws, exponent, point_draws};
use rayon::prelude::*;

/// The interval of the prediction of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointInterval {
    /// The 90 % interval, in the unit of the point. The model error is estimated from the points of other
    /// systems.
    pub interval: Interval,
    /// The share of the draws below the measurement, 0 to 1.
    pub place: f64,
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

/// The deviations of the unseen points of the shipped scenarios, as [`deviations`] lists them.
const SHIPPED: &str = include_str!("shipped.txt");
/// Deviations of held-out tests, as predicted before the measurements were looked at.
const HELD_OUT: &str = include_str!("held-out.txt");

/// Computes the intervals of the points of validations of these sets, from `draws` draws of the figures of
/// each scenario. Returns the model errors, estimated from all unseen points: those of the sets, and those of
/// the shipped scenarios. The interval of a point uses those estimated without its own system.
pub fn add_intervals(sets: &mut [(&ValidationSet, &mut [ValidatedPoint])], draws: u32) -> ModelErrors {
    let drawn: Vec<Option<PointDraws>> = sets.iter().flat_map(|(set, _)| set.drawn(draws)).collect();
    let seen: Vec<ValidatedPoint> = sets.iter().flat_map(|(_, points)| points.to_vec()).collect();
    let of_sets = seen.iter().zip(&drawn).filter_map(|(point, drawn)| {
        let drawn = drawn.as_ref()?;
        deviation(point, drawn.limit, drawn.spread)
    });
    let missed = with_shipped(of_sets.collect());
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
                let errors = &without[point.system.as_str()];
                let (interval, place) = drawn.interval(predicted, errors, point.measured.value)?;
                Some(PointInterval {
                    interval,
                    place,
                    limit: drawn.limit,
                    spread: drawn.spread,
                })
            });
    }
    ModelErrors::estimate(&missed)
}

/// The deviation of an unseen point; `None` for other points, and bounds that are kept.
fn deviation(point: &ValidatedPoint, limit: LimitGroup, spread: f64) -> Option<Missed<'_>> {
    // Of a time, that of the rate.
    let sign = if exponent(point.measured.metric) < 0.0 {
        -1.0
    } else {
        1.0
    };
    let error = sign * libm::log(point.predicted? / point.measured.value);
    let counts = point.is_unseen() && !point.is_kept_bound() && error.is_finite();
    counts.then_some(Missed {
        system: &point.system,
        limit,
        error,
        spread,
    })
}

/// These deviations, with those of shipped systems of which fewer are among them, or none; for systems of
/// held-out tests, their deviations then.
fn with_shipped(mut found: Vec<Missed<'_>>) -> Vec<Missed<'_>> {
    let shipped: Vec<Missed<'_>> = SHIPPED.lines().filter_map(listed).collect();
    let count = |all: &[Missed<'_>], system| all.iter().filter(|one| one.system == system).count();
    let systems: BTreeSet<&str> = shipped.iter().map(|one| one.system).collect();
    for system in systems {
        if count(&found, system) < count(&shipped, system) {
            found.retain(|one| one.system != system);
            found.extend(shipped.iter().filter(|one| one.system == system));
        }
    }
    // Mechanisms are added with the measurements of a test in view: those make no unknown machine better
    // known.
    let held_out: Vec<Missed<'_>> = HELD_OUT.lines().filter_map(listed).collect();
    found.retain(|one| held_out.iter().all(|other| other.system != one.system));
    found.extend(held_out);
    found
}

/// The deviation in a line of a list.
fn listed(line: &str) -> Option<Missed<'_>> {
    let mut cells = line.split(" | ");
    Some(Missed {
        system: cells.next()?,
        limit: {
            let word = cells.next()?;
            LimitGroup::ALL
                .iter()
                .copied()
                .find(|limit| limit.as_str() == word)?
        },
        error: cells.next()?.parse().ok()?,
        spread: cells.next()?.parse().ok()?,
    })
}

/// The deviations of unseen points with an interval, one a line: system, kind of limit, the logarithm of
/// predicted over measured (of times, of measured over predicted), and its standard deviation if figures have
/// their full ranges.
pub fn deviations<'p>(points: impl IntoIterator<Item = &'p ValidatedPoint>) -> String {
    let of_points = points.into_iter().filter_map(|point| {
        let interval = point.interval?;
        deviation(point, interval.limit, interval.spread)
    });
    let lines = of_points.map(|one| {
        let (system, limit) = (one.system, one.limit.as_str());
        format!("{system} | {limit} | {:.4} | {:.4}\n", one.error, one.spread)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_of_deviations_give_the_known_errors() {
        let shipped = with_shipped(Vec::new());
        let held_out: Vec<&str> = HELD_OUT.lines().filter(|line| !line.starts_with('#')).collect();
        let system = |line: &'static str| line.split(" | ").next();
        let others = SHIPPED
            .lines()
            .filter(|line| held_out.iter().all(|other| system(other) != system(line)));
        assert_eq!(shipped.len(), held_out.len() + others.count());
        let (found, known) = (ModelErrors::estimate(&shipped), ModelErrors::KNOWN);
        let of_ranges = (found.ranges - known.ranges).abs();
        let of_common = (found.common - known.common).abs();
        assert!(of_ranges < 1e-9 && of_common < 1e-9, "{found:?}");
        for (missed, known) in found.missed.iter().zip(known.missed) {
            assert!((missed - known).abs() < 1e-3, "{found:?}");
        }
    }

    /// Of a system that is shipped, the longer list counts; others are added.
    #[test]
    fn no_measurement_counts_twice() {
        let shipped = with_shipped(Vec::new());
        let of = |system: &'static str| shipped.iter().filter(move |one| one.system == system).copied();
        let (whole, part) = ("sun-x2270-nastran", "sun-netra-x4250");
        let found: Vec<Missed<'_>> = of(whole)
            .map(|one| Missed { error: 0.5, ..one })
            .chain(of(part).take(1).map(|one| Missed { error: 0.5, ..one }))
            .chain([Missed {
                system: "mine",
                limit: LimitGroup::Cores,
                error: 0.5,
                spread: 0.0,
            }])
            .collect();
        let all = with_shipped(found);
        assert_eq!(all.len(), shipped.len() + 1);
        let with_own_error = all.iter().filter(|one| one.error == 0.5);
        assert_eq!(
            with_own_error.clone().filter(|one| one.system == "mine").count(),
            1
        );
        assert_eq!(with_own_error.count(), of(whole).count() + 1);
    }
}
