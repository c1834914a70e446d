//! A base scenario, read once and evaluated with different values.

use bandgraph_config::{Entry, Node, Problems, Set, Table, Value, input_hash};
use bandgraph_diagnostics::{Diagnostic, Place, Sources};
use bandgraph_model::Scenario;
use bandgraph_topology::Topology;

use super::SweepFile;
use super::axis::{Axis, AxisValue, Target};
use super::workbench::Workbench;
use crate::descriptor::SCENARIO;
use crate::open::{Assembled, build_topology, decode_topology};

/// A scenario with all its files and overrides, in one tree.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// Without its topology.
    pub(super) scenario: Table,
    topology: Option<Entry>,
    pub(super) place: Place,
    pub(crate) input_hash: String,
}

/// A prepared point.
#[derive(Debug)]
pub struct Prepared {
    /// BLAKE3, in hexadecimal, of the contents of the point: equal to that of `bandgraph run` for the same
    /// input.
    pub input_hash: String,
    /// The scenario, or its problems: at least one error.
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
    /// Applies the values of a point to its scenario. There is one value for every axis, in their order.
    pub fn prepare(&self, values: &[AxisValue], sources: &Sources, bench: &mut Workbench) -> Prepared {
        let mut problems = Problems::new();
        let base_index = self.lay(values, sources, bench, &mut problems);
        let base = &self.bases[base_index];
        bench.find_topology(
            base_index,
            base,
            topology_values(&self.axes, values),
            fields(&self.axes, values).filter(|(set, _)| set.is_in_mounted(&SCENARIO)),
            sources,
        );
        Prepared {
            input_hash: bench.input_hash(base_index),
            scenario: bench.scenario(base_index, base, sources, problems),
        }
    }

    /// The hash of [`Prepared`] only: no topology is built and no scenario read.
    pub fn input_hash(&self, values: &[AxisValue], sources: &Sources, bench: &mut Workbench) -> String {
        let base_index = self.lay(values, sources, bench, &mut Problems::new());
        bench.hash_topology(
            base_index,
            &self.bases[base_index],
            topology_values(&self.axes, values),
            fields(&self.axes, values).filter(|(set, _)| set.is_in_mounted(&SCENARIO)),
        );
        bench.input_hash(base_index)
    }

    /// Applies the values of a point to the fields of its scenario, and returns the index of its base.
    fn lay(
        &self,
        values: &[AxisValue],
        sources: &Sources,
        bench: &mut Workbench,
        problems: &mut Problems,
    ) -> usize {
        let base_index = self.base_index(values);
        let in_scenario = fields(&self.axes, values).filter(|(set, _)| !set.is_in_mounted(&SCENARIO));
        bench.lay(
            base_index,
            &self.bases[base_index],
            in_scenario,
            sources,
            problems,
        );
        base_index
    }

    /// The index of the base scenario of a point.
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
    /// The override of an axis, if it varies a field.
    pub(crate) fn set(&self) -> Option<&Set> {
        match &self.target {
            Target::Field(set) => Some(set),
            Target::Scenario | Target::Topology => None,
        }
    }
}

/// The values of the axes that vary fields.
fn fields<'v>(
    axes: &'v [Axis],
    values: &'v [AxisValue],
) -> impl Iterator<Item = (&'v Set, &'v Node)> + Clone {
    axes.iter()
        .zip(values)
        .filter_map(|(axis, value)| Some((axis.set()?, &value.node)))
}

/// The values that identify the topology of a point among those of its base.
fn topology_values(axes: &[Axis], values: &[AxisValue]) -> Vec<(usize, String)> {
    let of_topology = axes.iter().zip(values).filter(|(axis, _)| is_in_topology(axis));
    of_topology
        .map(|(_, value)| (value.ordinal, value.text.clone()))
        .collect()
}

fn is_in_topology(axis: &Axis) -> bool {
    axis.set().is_some_and(|set| set.is_in_mounted(&SCENARIO))
}

/// The topology of a base with values applied, as an entry of its document.
pub(super) fn laid_topology<'v>(
    base: &Base,
    values: impl Iterator<Item = (&'v Set, &'v Node)>,
    problems: &mut Problems,
) -> Option<Entry> {
    let mut whole = Table::new();
    if let Some(entry) = &base.topology {
        whole.insert("topology".to_owned(), entry.clone());
    }
    for (set, value) in values {
        set.apply_value(value, &SCENARIO, &mut whole, problems);
    }
    whole.remove("topology")
}

/// Builds a topology with values applied.
pub(super) fn built_topology(
    base: &Base,
    entry: Option<&Entry>,
    sources: &Sources,
    mut problems: Problems,
) -> Result<Topology, Vec<Diagnostic>> {
    let Some(Node {
        value: Value::Table(table),
        place,
    }) = entry.map(|entry| &entry.node)
    else {
        let missing = Diagnostic::error("entry::missing_field", "the scenario has no topology");
        return Err(vec![missing.at(base.place.clone())]);
    };
    let (decoded, parts) = decode_topology(table, place, sources, &mut problems);
    match build_topology(&decoded, &parts, sources, &mut problems) {
        Some(topology) if !problems.has_errors() => Ok(topology),
        _ => Err(problems.into_sorted()),
    }
}
