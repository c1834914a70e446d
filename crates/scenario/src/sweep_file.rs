//! Sweep files: a scenario and its varied fields.
//!
//! A sweep file becomes a [`SweepFile`]: its axes, which yield their values one by one so that a sweep of
//! millions of points is never in memory, and the scenario with all its files, read and merged once.
//! [`SweepFile::prepare`] applies the values of one point.

mod axis;
mod axis_values;
mod base;
mod comparison;
mod read;
mod workbench;

use bandgraph_config::{settings, words};
use std::path::PathBuf;

use bandgraph_diagnostics::Diagnostic;
use bandgraph_model::Scenario;

pub use axis::{Axis, AxisKind, AxisValue, column_kind};
pub use base::Prepared;
pub use comparison::Comparison;
pub use read::{
    GAIN_COLUMNS, INTERVAL_COLUMNS, LIKELIHOOD_COLUMNS, SATURATION_COLUMNS, load_sweep, load_sweep_with,
};
pub use workbench::Workbench;

pub(crate) use base::Base;
pub(crate) use read::check_sweep;

use crate::{Expect, Metric};

/// Default number of draws of a sweep that needs them.
pub(crate) const DEFAULT_DRAWS: u32 = 100;

/// Maximum number of points of a sweep, before its filters.
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

settings! {
    /// Which of all combinations are taken. The same seed gives the same sample.
    pub struct Sampling as "sample" {
        /// Each axis at random (`random`), or at random with each axis covered evenly (`latin-hypercube`).
        method: SamplingMethod;
        /// How many points.
        count: u64, at_least(1), at_most(MAXIMUM_POINTS);
        /// Seeds the choice.
        seed: u64 = 1, at_most(i64::MAX);
    }
}

impl Copy for Sampling {}

/// A bound on the results of a sweep.
#[derive(Clone, Debug)]
pub struct SweepExpect {
    /// Its name in reports.
    pub id: String,
    /// The metric and its bounds.
    pub bound: Expect,
    /// The value that is compared with the bounds.
    pub over: Over,
    /// Conditions that select points; all must hold.
    pub when: Vec<Comparison>,
}

/// A measurement for points of a sweep.
#[derive(Clone, Debug)]
pub struct SweepMeasured {
    /// Its name.
    pub id: String,
    /// The metric.
    pub metric: Metric,
    /// In base units.
    pub value: f64,
    /// Conditions that select points; all must hold.
    pub when: Vec<Comparison>,
    /// The publication.
    pub source: String,
}

/// A loaded sweep.
#[derive(Debug)]
pub struct SweepFile {
    /// Its name in reports.
    pub name: String,
    /// The description; empty if the file has none.
    pub description: String,
    /// The file, as named by the caller.
    pub path: PathBuf,
    /// The overrides of the command line, in order.
    pub overrides: Vec<String>,
    /// The mode of its points.
    pub mode: SweepMode,
    /// Whether the bottleneck of every point is found.
    pub explain: bool,
    /// Number of draws of the uncertain figures per point; `None` for no intervals.
    pub draws: Option<u32>,
    /// The reference step of each group of axes that has one.
    pub(crate) reference: Vec<(usize, u64)>,
    /// The axes, in file order. At least one.
    pub axes: Vec<Axis>,
    /// The sample, if not all combinations are used.
    pub sampling: Option<Sampling>,
    /// Points must satisfy all of these.
    pub filters: Vec<Comparison>,
    /// Bounds on results, in file order.
    pub expect: Vec<SweepExpect>,
    /// Measurements, in file order.
    pub measured: Vec<SweepMeasured>,
    /// Representatives of the points, by software profile and years of processors: that of the first point
    /// first.
    pub servers: Vec<Scenario>,
    /// Maximum number of points with errors; unlimited if `None`.
    pub max_errors: Option<u64>,
    /// BLAKE3, in hexadecimal, of the contents of this sweep and all its files: results of sweeps with the
    /// same hash are compatible.
    pub sweep_hash: String,
    /// Problems that do not prevent a run.
    pub warnings: Vec<Diagnostic>,
    /// The names and texts of its files, in the order in which they were read.
    pub files: Vec<(String, String)>,
    /// The base scenarios of points: all combinations of the varied files.
    pub(crate) bases: Vec<Base>,
}

impl SweepFile {
    /// Number of groups of axes: the axes of a group vary together.
    pub fn groups(&self) -> usize {
        self.axes.iter().map(|axis| axis.group + 1).max().unwrap_or(0)
    }

    /// The seed of the first point, which is that of all points unless an axis varies it.
    pub fn seed(&self) -> u64 {
        self.servers.first().map_or(0, |first| first.run.seed)
    }

    /// The expectations that ask for a probability.
    pub fn likely(&self) -> impl Iterator<Item = &SweepExpect> {
        let all = self.expect.iter();
        all.filter(|expect| expect.bound.probability.is_some())
    }

    /// Number of values of a group of axes; `None` for a continuous range.
    pub fn group_size(&self, group: usize) -> Option<u64> {
        self.axes
            .iter()
            .find(|axis| axis.group == group)
            .and_then(Axis::size)
    }

    /// Sets the number of draws of the uncertain figures per point, instead of that in the file. It changes
    /// the hash of the sweep.
    pub fn set_draws(&mut self, draws: u32) {
        if self.draws != Some(draws) {
            self.draws = Some(draws);
            let hashed = format!("{} draws {draws}\n", self.sweep_hash);
            self.sweep_hash = blake3::hash(hashed.as_bytes()).to_hex().to_string();
        }
    }

    /// The measured value of a metric at the point with these values, in base units.
    pub fn measured_at(&self, metric: Metric, values: &[AxisValue]) -> Option<f64> {
        let of_metric = self.measured.iter().filter(|measured| measured.metric == metric);
        let mut here = of_metric.filter(|measured| measured.when.iter().all(|when| when.holds(values)));
        here.next().map(|measured| measured.value)
    }

    /// Whether points are compared with a reference.
    pub fn has_reference(&self) -> bool {
        !self.reference.is_empty()
    }

    /// The values of the reference point for a point with these values; `None` for a sweep without a
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

    /// Number of points before filters: at least one, at most [`MAXIMUM_POINTS`].
    pub fn candidates(&self) -> u64 {
        match self.sampling {
            Some(sampling) => sampling.count,
            None => (0..self.groups())
                .map(|group| self.group_size(group).unwrap_or(1))
                .product(),
        }
    }
}
