//! A summary of all points of a sweep, built one record at a time.

use std::collections::BTreeMap;

use bandgraph_scenario::{AxisKind, AxisValue, Metric, SweepFile};
use bandgraph_units::{QuantityKind, significant};

use super::{Point, Record};
use crate::{Weight, weights};

/// The number of best points, and of worst points, that are kept.
const EXTREMES: usize = 5;
/// The maximum number of groups per axis. If an axis has no more values than that, each is a group.
const GROUPS: usize = 12;

/// The summary of all points by one metric.
#[derive(Clone, Debug)]
pub struct SweepSummary {
    /// The metric that points are compared by.
    pub metric: Metric,
    /// Points seen.
    pub points: u64,
    /// Points with an error.
    pub errors: u64,
    /// Points whose error is a defect of the program.
    pub internal_errors: u64,
    /// The number of points whose load exceeds the capacity.
    pub overloaded: u64,
    /// Points with the greatest values, the greatest first; of equals, the one with the lower number.
    pub greatest: Vec<Extreme>,
    /// Points with the least values, the least first.
    pub least: Vec<Extreme>,
    /// One entry for every axis, in file order.
    pub axes: Vec<AxisSummary>,
    /// The number of points with each kind of bottleneck, by its name.
    pub bottlenecks: BTreeMap<String, u64>,
    /// The sources of the spread of the first point, the largest first; empty without draws.
    pub weights: Vec<Weight>,
}

/// A point with an extreme value.
#[derive(Clone, Debug, PartialEq)]
pub struct Extreme {
    /// Its number.
    pub number: u64,
    /// The values of its axes, in words.
    pub values: Vec<String>,
    /// Its value of the metric.
    pub value: f64,
}

/// The metric along one axis, over all values of the others.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisSummary {
    /// The axis's name.
    pub axis: String,
    /// Its values, or ranges of them, in the order of the axis; in ascending order if the axis is sampled.
    pub groups: Vec<Group>,
}

/// The points with one value of an axis, or with values in one range.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The value, or the first and the last of the range, in words.
    pub label: String,
    /// The number of points with a value of the metric.
    pub points: u64,
    /// The sum of their values.
    sum: f64,
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
}

impl Group {
    /// The mean value of the metric; `None` without points.
    pub fn mean(&self) -> Option<f64> {
        (self.points > 0).then(|| self.sum / self.points as f64)
    }

    fn add(&mut self, value: f64) {
        if self.points == 0 {
            (self.least, self.greatest) = (value, value);
        }
        self.points += 1;
        self.sum += value;
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
    }
}

impl SweepSummary {
    /// An empty summary.
    pub fn new(sweep: &SweepFile, metric: Metric) -> Self {
        let axes = sweep.axes.iter().map(|axis| {
            let label = |group: usize| match axis.size() {
                Some(size) if size <= GROUPS as u64 => axis.value(group as u64).text,
                Some(size) => {
                    let first = (group as u64 * size).div_ceil(GROUPS as u64);
                    let last = ((group as u64 + 1) * size).div_ceil(GROUPS as u64) - 1;
                    if first == last {
                        axis.value(first).text
                    } else {
                        format!("{} to {}", axis.value(first).text, axis.value(last).text)
                    }
                }
                None => {
                    let at = |group: usize| axis.at(group as f64 / GROUPS as f64 * (1.0 - f64::EPSILON));
                    between(axis.kind, &at(group), &at(group + 1))
                }
            };
            let groups = axis.size().unwrap_or(GROUPS as u64).min(GROUPS as u64) as usize;
            let empty = |group| Group {
                label: label(group),
                points: 0,
                sum: 0.0,
                least: 0.0,
                greatest: 0.0,
            };
            AxisSummary {
                axis: axis.id.clone(),
                groups: (0..groups).map(empty).collect(),
            }
        });
        let first = sweep.servers.first().filter(|_| sweep.draws.is_some());
        Self {
            metric,
            points: 0,
            errors: 0,
            internal_errors: 0,
            overloaded: 0,
            greatest: Vec::new(),
            least: Vec::new(),
            axes: axes.collect(),
            bottlenecks: BTreeMap::new(),
            weights: first.map_or_else(Vec::new, weights),
        }
    }

    /// Adds a record. Records come in the order of their numbers.
    pub fn add(&mut self, point: &Point, record: &Record) {
        self.points += 1;
        let figures = match &record.result {
            Ok(figures) => figures,
            Err(error) => {
                self.errors += 1;
                self.internal_errors += u64::from(error.is_internal());
                return;
            }
        };
        self.overloaded += u64::from(figures.is_overloaded());
        if let Some(found) = &figures.bottleneck {
            *self.bottlenecks.entry(found.kind.clone()).or_insert(0) += 1;
        }
        let Some(value) = figures.metric(self.metric) else {
            return;
        };
        for (axis, position) in self.axes.iter_mut().zip(&point.positions) {
            let groups = axis.groups.len();
            axis.groups[((position * groups as f64) as usize).min(groups - 1)].add(value);
        }
        let extreme = || Extreme {
            number: point.number,
            values: point.values.iter().map(|value| value.text.clone()).collect(),
            value,
        };
        keep(&mut self.greatest, |old| value > old, extreme);
        keep(&mut self.least, |old| value < old, extreme);
    }
}

/// The range of a group of values, in as many digits as tell its ends apart.
fn between(kind: AxisKind, low: &AxisValue, high: &AxisValue) -> String {
    /// Digits of the ends.
    const DIGITS: usize = 4;
    if low.text == high.text {
        return low.text.clone();
    }
    let words = |end: &AxisValue| match (kind, end.number) {
        (AxisKind::Quantity(QuantityKind::Bytes), Some(size)) => QuantityKind::Bytes.format_binary(size),
        (AxisKind::Quantity(kind), Some(number)) => kind.format_digits(number, DIGITS),
        (_, Some(number)) => significant(number, DIGITS),
        (_, None) => end.text.clone(),
    };
    let mut ends = [words(low), words(high)];
    if ends[0] == ends[1] {
        ends = [low, high].map(|end| end.text.clone());
    }
    ends.join(" to ")
}

/// Inserts a point into a sorted list of the best, if it is one of them.
fn keep(list: &mut Vec<Extreme>, better: impl Fn(f64) -> bool, extreme: impl Fn() -> Extreme) {
    let place = list
        .iter()
        .position(|old| better(old.value))
        .unwrap_or(list.len());
    if place < EXTREMES {
        list.insert(place, extreme());
        list.truncate(EXTREMES);
    }
}
