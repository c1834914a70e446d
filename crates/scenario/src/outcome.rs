//! What loading a file gives.

use std::path::PathBuf;

use bandgraph_diagnostics::{Diagnostic, Place};
use bandgraph_sim::Scenario;
use bandgraph_topology::Topology;

use crate::Metric;

/// A scenario, ready to run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What to run.
    pub scenario: Scenario,
    /// The scenario's name, as reports call it.
    pub name: String,
    /// What it is about; empty if the file does not say.
    pub description: String,
    /// The file it came from, as it was asked for.
    pub path: PathBuf,
    /// Measurements of the real machine, in file order.
    pub measured: Vec<Measured>,
    /// Bounds that results must keep, in file order.
    pub expect: Vec<Expect>,
    /// BLAKE3, in hexadecimal, of everything that the files and overrides say, whatever they are called, wherever they
    /// are, and however they are written down.
    pub input_hash: String,
    /// What is probably not meant, but can be run.
    pub warnings: Vec<Diagnostic>,
}

/// A topology, checked.
#[derive(Clone, Debug)]
pub struct LoadedTopology {
    /// The server.
    pub topology: Topology,
    /// Its name, as reports call it.
    pub name: String,
    /// What it is; empty if the file does not say.
    pub description: String,
    /// The file it came from, as it was asked for.
    pub path: PathBuf,
    /// As [`Loaded::input_hash`].
    pub input_hash: String,
    /// What is probably not meant, but can be used.
    pub warnings: Vec<Diagnostic>,
}

/// A measurement of the real machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The name of its row in the table of measurements.
    pub id: String,
    /// The figure.
    pub metric: Metric,
    /// What was measured, in the base unit of the metric's kind.
    pub value: f64,
    /// The same as the file writes it: `"2.87 GiB/s"`.
    pub text: String,
    /// What kind of figure it is, such as an average or a peak.
    pub statistic: Option<String>,
    /// Where it was published.
    pub source: String,
    /// Where it stands.
    pub place: Place,
}

/// A bound that a result must keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// The figure.
    pub metric: Metric,
    /// The least that it may be, in the base unit of the metric's kind.
    pub min: Option<f64>,
    /// The most that it may be, in the base unit of the metric's kind.
    pub max: Option<f64>,
    /// Where it stands.
    pub place: Place,
}

impl Expect {
    /// Whether a value keeps the bound. A value that is not a number does not.
    pub fn holds(&self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max) && !value.is_nan()
    }
}
