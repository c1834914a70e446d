//! The results of loading a file.

use std::path::PathBuf;

use bandgraph_diagnostics::Diagnostic;
use bandgraph_model::{Bound, Scenario};
use bandgraph_simulate::ReplaySettings;
use bandgraph_topology::Topology;

use crate::{Expect, Measured, MeasuredLink, NamedBottleneck};

/// A loaded scenario.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What to run.
    pub scenario: Scenario,
    /// The scenario, bound for predictions: one of several equal clients represents all, so that a simulation
    /// binds it again.
    pub bound: Bound,
    /// The scenario's name in reports.
    pub name: String,
    /// The server's name in tables of measurements.
    pub system: String,
    /// The description; empty if the file has none.
    pub description: String,
    /// The file, as named by the caller.
    pub path: PathBuf,
    /// The overrides, in order.
    pub overrides: Vec<String>,
    /// Measurements of the real machine, in file order.
    pub measured: Vec<Measured>,
    /// Counter values of links, in file order.
    pub measured_links: Vec<MeasuredLink>,
    /// The bottleneck of the real machine, if its source names one.
    pub bottleneck: Option<NamedBottleneck>,
    /// Bounds on results, in file order.
    pub expect: Vec<Expect>,
    /// The trace for one of the workloads, if any.
    pub trace: Option<TraceFile>,
    /// Cards of an imported server that are in no slot: a search for better slots does not move them.
    pub fixed_cards: Vec<String>,
    /// The names and texts of its files, in the order in which they were read.
    pub files: Vec<(String, String)>,
    /// BLAKE3, in hexadecimal, of the contents of all files and overrides, independent of file names,
    /// locations and notation.
    pub input_hash: String,
    /// Problems that do not prevent a run.
    pub warnings: Vec<Diagnostic>,
}

/// A trace that replaces a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFile {
    /// Its path.
    pub path: PathBuf,
    /// The settings of its replay.
    pub settings: ReplaySettings,
}

/// A loaded and checked topology.
#[derive(Clone, Debug)]
pub struct LoadedTopology {
    /// The server.
    pub topology: Topology,
    /// Its name in reports.
    pub name: String,
    /// The description; empty if the file has none.
    pub description: String,
    /// The file, as named by the caller.
    pub path: PathBuf,
    /// As [`Loaded::input_hash`].
    pub input_hash: String,
    /// Problems that do not prevent its use.
    pub warnings: Vec<Diagnostic>,
}
