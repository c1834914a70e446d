//! A scenario that has been read once, and is answered with different values laid over it.

use bandgraph_diagnostics::{Diagnostic, Place, Sources};
use bandgraph_sim::Scenario;
use bandgraph_topology::Topology;

use super::SweepFile;
use super::axis::{Axis, AxisValue, Target};
use super::workbench::Workbench;
use crate::descriptor::SCENARIO;
use crate::document::{Entry, Node, Table, Value};
use crate::hash::input_hash;
use crate::open::{Assembled, build_topology, decode_topology};
use crate::problems::Problems;
use crate::set::Set;

/// A scenario with all its files and overrides, in one tree.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// Without its topology.
    pub(super) scenario: Table,
    topology: Option<Entry>,
    pub(super) place: Place,
    pub(crate) input_hash: String,
}

/// A point, ready to be answered.
#[derive(Debug)]
pub struct Prepared {
    /// BLAKE3, in hexadecimal, of everything that the point says: what `bandgraph run` gives for the same input.
    pub input_hash: String,
    /// What to run, or what is wrong with it: at least one error.
    pub scenario: Result<Scenario, Vec<Diagnostic>>,
}

impl Base {
    pub(crate) fn new(assembled: Assembled) -> Self {
        let input_hash = input_hash(&assembled.table);
        let mut scenario = assembled.table;
        let topology = scenario.remove("topology");
        Self {
            scenario,
            topology,
            place: assembled.place,
            input_hash,
        }
    }
}

impl SweepFile {
    /// Lays the values of a point over its scenario. There is one value for every axis, in their order.
    pub fn prepare(&self, values: &[AxisValue], sources: &Sources, bench: &mut Workbench) -> Prepared {
        let base_index = self.base_index(values);
        let base = &self.bases[base_index];
        let fields = || {
            self.axes
                .iter()
                .zip(values)
                .filter_map(|(axis, value)| match &axis.target {
                    Target::Field(set) => Some((set, &value.node)),
                    Target::Scenario | Target::Topology => None,
                })
        };
        let mut problems = Problems::new();
        let over: Vec<(usize, String)> = self
            .axes
            .iter()
            .zip(values)
            .filter(|(axis, _)| is_in_topology(axis))
            .map(|(_, value)| (value.ordinal, value.text.clone()))
            .collect();
        let in_scenario = fields().filter(|(set, _)| !set.is_in_topology());
        let in_topology = fields().filter(|(set, _)| set.is_in_topology());
        bench.lay(base_index, base, in_scenario, sources, &mut problems);
        bench.find_topology(base_index, base, over, in_topology, sources);
        Prepared {
            input_hash: bench.input_hash(base_index),
            scenario: bench.scenario(base_index, base, sources, problems),
        }
    }

    /// Which of the scenarios a point starts from.
    fn base_index(&self, values: &[AxisValue]) -> usize {
        let ordinal = |wanted: fn(&Target) -> bool| {
            let found = self
                .axes
                .iter()
                .zip(values)
                .find(|(axis, _)| wanted(&axis.target));
            found.map_or((0, 1), |(axis, value)| {
                (value.ordinal, axis.size().unwrap_or(1) as usize)
            })
        };
        let (scenario, _) = ordinal(|target| matches!(target, Target::Scenario));
        let (topology, topologies) = ordinal(|target| matches!(target, Target::Topology));
        scenario * topologies + topology
    }
}

impl Axis {
    /// The override that the axis is, where it is one of a field.
    pub(crate) fn set(&self) -> Option<&Set> {
        match &self.target {
            Target::Field(set) => Some(set),
            Target::Scenario | Target::Topology => None,
        }
    }
}

fn is_in_topology(axis: &Axis) -> bool {
    axis.set().is_some_and(Set::is_in_topology)
}

/// Builds a topology with values laid over it.
pub(super) fn kept_topology<'v>(
    base: &Base,
    values: impl Iterator<Item = (&'v Set, &'v Node)>,
    sources: &Sources,
) -> (Option<Entry>, Result<Topology, Vec<Diagnostic>>) {
    let mut problems = Problems::new();
    let mut whole = Table::new();
    if let Some(entry) = &base.topology {
        whole.insert("topology".to_owned(), entry.clone());
    }
    for (set, value) in values {
        set.apply_value(value, &SCENARIO, &mut whole, &mut problems);
    }
    let entry = whole.remove("topology");
    let Some(Node {
        value: Value::Table(table),
        place,
    }) = entry.as_ref().map(|entry| &entry.node)
    else {
        let missing = Diagnostic::error("entry::missing_field", "the scenario has no topology");
        return (entry, Err(vec![missing.at(base.place.clone())]));
    };
    let (decoded, parts) = decode_topology(table, place, sources, &mut problems);
    let topology = build_topology(&decoded, &parts, sources, &mut problems);
    let topology = match topology {
        Some(topology) if !problems.has_errors() => Ok(topology),
        _ => Err(problems.into_sorted()),
    };
    (entry, topology)
}
