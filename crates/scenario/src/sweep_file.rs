//! Sweep files: a scenario, and what is varied in it.
//!
//! A sweep file becomes a [`SweepFile`]: its axes, which give their values one by one so that a sweep of
//! millions of points is never in memory, and the scenario with all its files, read and merged once.
//! [`SweepFile::prepare`] lays the values of one point over it.

mod axis;
mod axis_values;
mod base;
mod comparison;
mod read;
mod workbench;

use bandgraph_config::words;
use std::path::PathBuf;

use bandgraph_diagnostics::Diagnostic;

pub use axis::{Axis, AxisKind, AxisValue, column_kind};
pub use base::Prepared;
pub use comparison::Comparison;
pub use read::{GAIN_COLUMNS, INTERVAL_COLUMNS, SATURATION_COLUMNS, load_sweep, load_sweep_with};
pub use workbench::Workbench;

pub(crate) use base::Base;
pub(crate) use read::check_sweep;

use crate::{Expect, Metric};

/// Draws of a sweep that needs some and does not say how many.
pub(crate) const DEFAULT_DRAWS: u32 = 100;

/// The most points that a sweep may have, before its filters.
pub const MAXIMUM_POINTS: u64 = 10_000_000;

words! {
    /// How the points of a sweep are answered.
    pub enum SweepMode: "a mode of sweeps" {
        /// By their steady state.
        Predict = "predict",
        /// Event by event.
        Simulate = "simulate",
    }
}

words! {
    /// How a sample is drawn.
    pub enum SamplingMethod: "a method of sampling" {
        /// Every axis of every point by chance.
        Random = "random",
        /// Every axis is cut into as many parts as there are points, and every part is taken once.
        LatinHypercube = "latin-hypercube",
    }
}

words! {
    /// What an expectation is held against.
    pub enum Over: "what an expectation is held against" {
        /// The figure of each point.
        Each = "each",
        /// The least of all points.
        Minimum = "minimum",
        /// The greatest of all points.
        Maximum = "maximum",
        /// The mean of all points.
        Mean = "mean",
    }
}

/// A sample in place of all combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// How it is drawn.
    pub method: SamplingMethod,
    /// How many points, before filters.
    pub count: u64,
    /// Seeds the choice.
    pub seed: u64,
}

/// A bound that the results of a sweep must keep.
#[derive(Clone, Debug)]
pub struct SweepExpect {
    /// Its name in reports.
    pub id: String,
    /// The figure and its bounds.
    pub bound: Expect,
    /// What is held against the bounds.
    pub over: Over,
    /// Only points for which all of these hold count.
    pub when: Vec<Comparison>,
}

/// What was measured at points of a sweep.
#[derive(Clone, Debug)]
pub struct SweepMeasured {
    /// Its name.
    pub id: String,
    /// The figure.
    pub metric: Metric,
    /// In base units.
    pub value: f64,
    /// The points for which all of these hold.
    pub when: Vec<Comparison>,
    /// Where it was published.
    pub source: String,
}

/// A sweep, ready to run.
#[derive(Debug)]
pub struct SweepFile {
    /// What reports call it.
    pub name: String,
    /// What it is about; empty if the file does not say.
    pub description: String,
    /// The file it came from, as it was asked for.
    pub path: PathBuf,
    /// How points are answered.
    pub mode: SweepMode,
    /// Whether the bottleneck of every point is found.
    pub explain: bool,
    /// How many draws of the uncertain figures are predicted for each point; `None` for no intervals.
    pub draws: Option<u32>,
    /// The step of each group of axes that a reference is given for.
    pub(crate) reference: Vec<(usize, u64)>,
    /// What is varied, in file order. At least one.
    pub axes: Vec<Axis>,
    /// The sample, if not all combinations are taken.
    pub sampling: Option<Sampling>,
    /// Points for which one of these does not hold are left out.
    pub filters: Vec<Comparison>,
    /// Bounds that results must keep, in file order.
    pub expect: Vec<SweepExpect>,
    /// What was measured, in file order.
    pub measured: Vec<SweepMeasured>,
    /// Points that may end in an error before the gate fails; any number if `None`.
    pub max_errors: Option<u64>,
    /// BLAKE3, in hexadecimal, of everything that this sweep says and all files that it is about: results of
    /// sweeps with the same hash belong together.
    pub sweep_hash: String,
    /// What is probably not meant, but can be run.
    pub warnings: Vec<Diagnostic>,
    /// The scenarios that points start from: all combinations of the files that are varied.
    pub(crate) bases: Vec<Base>,
}

impl SweepFile {
    /// How many groups of axes there are: the axes of a group go in step.
    pub fn groups(&self) -> usize {
        self.axes.iter().map(|axis| axis.group + 1).max().unwrap_or(0)
    }

    /// How many values a group of axes has; `None` where any value between two ends may be taken.
    pub fn group_size(&self, group: usize) -> Option<u64> {
        self.axes
            .iter()
            .find(|axis| axis.group == group)
            .and_then(Axis::size)
    }

    /// Predicts each point in `draws` draws of the uncertain figures, whatever the file says. Results with
    /// other draws are those of another sweep.
    pub fn set_draws(&mut self, draws: u32) {
        if self.draws != Some(draws) {
            self.draws = Some(draws);
            let hashed = format!("{} draws {draws}\n", self.sweep_hash);
            self.sweep_hash = blake3::hash(hashed.as_bytes()).to_hex().to_string();
        }
    }

    /// What was measured of a metric at the point with these values, in base units.
    pub fn measured_at(&self, metric: Metric, values: &[AxisValue]) -> Option<f64> {
        let of_metric = self.measured.iter().filter(|measured| measured.metric == metric);
        let mut here = of_metric.filter(|measured| measured.when.iter().all(|when| when.holds(values)));
        here.next().map(|measured| measured.value)
    }

    /// Whether points are compared with a reference.
    pub fn has_reference(&self) -> bool {
        !self.reference.is_empty()
    }

    /// The values of the point that one with these values is compared with; `None` of a sweep without a
    /// reference.
    pub fn reference_of(&self, values: &[AxisValue]) -> Option<Vec<AxisValue>> {
        let of_axis = |(axis, value): (&Axis, &AxisValue)| {
            let mut steps = self.reference.iter();
            let step = steps.find(|(group, _)| *group == axis.group);
            step.map_or_else(|| value.clone(), |(_, step)| axis.value(*step))
        };
        let axes = self.axes.iter().zip(values);
        self.has_reference().then(|| axes.map(of_axis).collect())
    }

    /// How many points there are before filters: at least one, at most [`MAXIMUM_POINTS`].
    pub fn candidates(&self) -> u64 {
        match self.sampling {
            Some(sampling) => sampling.count,
            None => (0..self.groups())
                .map(|group| self.group_size(group).unwrap_or(1))
                .product(),
        }
    }
}
