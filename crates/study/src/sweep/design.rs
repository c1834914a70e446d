//! The points of a sweep: from a number to the values of its axes.

use bandgraph_scenario::{AxisValue, Comparison, Sampling, SamplingMethod, SweepFile};

use super::permutation::{Permutation, mix, share};

/// The points of a sweep, by number.
#[derive(Clone, Debug)]
pub struct Design<'s> {
    sweep: &'s SweepFile,
    /// The number of values of each group of axes; `None` for a continuous range.
    sizes: Vec<Option<u64>>,
}

/// A point of a sweep.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its number, from 0, among all points before filters.
    pub number: u64,
    /// One value for every axis, in their order.
    pub values: Vec<AxisValue>,
    /// The position of each value along its axis, from 0 to below 1.
    pub positions: Vec<f64>,
}

/// A position on a group of axes.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A step and the number of steps.
    Step(u64, u64),
    /// A share of the range.
    Share(f64),
}

impl<'s> Design<'s> {
    /// The points of `sweep`.
    pub fn new(sweep: &'s SweepFile) -> Self {
        Self {
            sweep,
            sizes: (0..sweep.groups()).map(|group| sweep.group_size(group)).collect(),
        }
    }

    /// The sweep.
    pub fn sweep(&self) -> &'s SweepFile {
        self.sweep
    }

    /// The number of candidates: the points before filters.
    pub fn candidates(&self) -> u64 {
        self.sweep.candidates()
    }

    /// The point with a number below [`candidates`](Self::candidates); `None` if a filter excludes it.
    pub fn point(&self, number: u64) -> Option<Point> {
        let places = self.places(number);
        let values = self.values(&places);
        if !self
            .sweep
            .filters
            .iter()
            .all(|filter: &Comparison| filter.holds(&values))
        {
            return None;
        }
        let positions = self
            .sweep
            .axes
            .iter()
            .map(|axis| places[axis.group].position())
            .collect();
        Some(Point {
            number,
            values,
            positions,
        })
    }

    /// The filter that excludes all points, in words, for a sweep without points.
    pub fn why_empty(&self) -> String {
        let values = || (0..self.candidates()).map(|number| self.values(&self.places(number)));
        let holds_nowhere = |filter: &&Comparison| !values().any(|values| filter.holds(&values));
        let candidates = self.candidates();
        match self.sweep.filters.iter().find(holds_nowhere) {
            Some(filter) => {
                format!(
                    "no point is left: `filter` `{}` holds for none of {candidates}",
                    filter.text
                )
            }
            None => format!("no point is left: none of {candidates} matches every `filter`"),
        }
    }

    /// The position of a candidate on each group of axes.
    fn places(&self, number: u64) -> Vec<Place> {
        match self.sweep.sampling {
            Some(sampling) => self.sampled(number, sampling),
            None => self.of_grid(number),
        }
    }

    /// The value of each axis at these positions.
    fn values(&self, places: &[Place]) -> Vec<AxisValue> {
        let axes = self.sweep.axes.iter();
        axes.map(|axis| match places[axis.group] {
            Place::Step(step, _) => axis.value(step),
            Place::Share(share) => axis.at(share),
        })
        .collect()
    }

    /// All points, in the order of their numbers.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        (0..self.candidates()).filter_map(|number| self.point(number))
    }

    /// Row-major order: the last group varies fastest.
    fn of_grid(&self, number: u64) -> Vec<Place> {
        let mut places = vec![Place::Share(0.0); self.sizes.len()];
        let mut rest = number;
        for (place, size) in places.iter_mut().zip(&self.sizes).rev() {
            // The reader of the file ensures that every axis has steps if there is no sampling.
            let size = size.unwrap_or(1);
            *place = Place::Step(rest % size, size);
            rest /= size;
        }
        places
    }

    fn sampled(&self, number: u64, sampling: Sampling) -> Vec<Place> {
        let groups = self.sizes.iter().zip(0_u64..);
        groups
            .map(|(size, group)| {
                let chance = share(sampling.seed, group, number);
                let share = match sampling.method {
                    SamplingMethod::Random => chance,
                    SamplingMethod::LatinHypercube => {
                        let order = Permutation::new(sampling.count, mix(sampling.seed) ^ mix(group));
                        (order.at(number) as f64 + chance) / sampling.count as f64
                    }
                };
                match size {
                    Some(size) => Place::Step(((share * *size as f64) as u64).min(size - 1), *size),
                    None => Place::Share(share),
                }
            })
            .collect()
    }
}

impl Place {
    /// The position along the axis. Steps are shifted slightly upward, so that rounding cannot move them to
    /// the previous one.
    fn position(self) -> f64 {
        match self {
            Self::Step(step, size) => (step as f64 + 1e-3) / size as f64,
            Self::Share(share) => share,
        }
    }
}
