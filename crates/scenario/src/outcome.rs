//! What loading a file gives.

use std::path::PathBuf;

use bandgraph_diagnostics::Diagnostic;
use bandgraph_model::{Bound, Scenario};
use bandgraph_simulate::ReplaySettings;
use bandgraph_topology::Topology;

use crate::{Expect, Measured, MeasuredLink, NamedBottleneck};

/// A scenario, ready to run.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What to run.
    pub scenario: Scenario,
    /// The same in resources and demands.
    pub bound: Bound,
    /// The scenario's name, as reports call it.
    pub name: String,
    /// What tables of measurements call the server.
    pub system: String,
    /// What it is about; empty if the file does not say.
    pub description: String,
    /// The file it came from, as it was asked for.
    pub path: PathBuf,
    /// The overrides that it was loaded with, in order.
    pub overrides: Vec<String>,
    /// Measurements of the real machine, in file order.
    pub measured: Vec<Measured>,
    /// What counters showed on links, in file order.
    pub measured_links: Vec<MeasuredLink>,
    /// What held the real machine back, if its source says so.
    pub bottleneck: Option<NamedBottleneck>,
    /// Bounds that results must keep, in file order.
    pub expect: Vec<Expect>,
    /// The trace that one of the workloads is to be replayed from, if any.
    pub trace: Option<TraceFile>,
    /// Cards of an imported server that are in no slot: a search for better slots leaves them where they are.
    pub fixed_cards: Vec<String>,
    /// BLAKE3, in hexadecimal, of everything that the files and overrides say, whatever they are called,
    /// wherever they are, and however they are written down.
    pub input_hash: String,
    /// What is probably not meant, but can be run.
    pub warnings: Vec<Diagnostic>,
}

/// A trace that stands for a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFile {
    /// Where it is.
    pub path: PathBuf,
    /// How it is replayed.
    pub settings: ReplaySettings,
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
