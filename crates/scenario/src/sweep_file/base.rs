//! A scenario that has been read once, and is answered with different values laid over it.

use bandgraph_diagnostics::{Diagnostic, Place, Sources};
use bandgraph_sim::Scenario;
use bandgraph_topology::Topology;

use super::SweepFile;
use super::axis::{Axis, AxisValue, Target};
use crate::decode::{Decoder, OwnParts};
use crate::descriptor::SCENARIO;
use crate::document::{Entry, Node, Table, Value};
use crate::hash::input_hash;
use crate::open::{Assembled, build_topology, decode_topology};
use crate::problems::Problems;
use crate::scenario_file;
use crate::set::Set;

/// Topologies that a [`Workbench`] keeps: building one takes longer than all else about a point.
const KEPT: usize = 64;

/// A scenario with all its files and overrides, in one tree.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// Without its topology.
    scenario: Table,
    topology: Option<Entry>,
    place: Place,
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

/// What one thread keeps from point to point, to be faster. It never shows in a result.
#[derive(Debug, Default)]
pub struct Workbench {
    /// The last of them is the one used last.
    kept: Vec<KeptTopology>,
}

#[derive(Debug)]
struct KeptTopology {
    base: usize,
    /// The values that are laid over the topology.
    values: Vec<(usize, String)>,
    /// What the topology says, for the hash.
    entry: Option<Entry>,
    /// `None` while a scenario has it.
    topology: Result<Option<Topology>, Vec<Diagnostic>>,
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
        let mut table = base.scenario.clone();
        for (set, value) in fields().filter(|(set, _)| !set.is_in_topology()) {
            set.apply_value(value, &SCENARIO, &mut table, &mut problems);
        }
        let over: Vec<(usize, String)> = self
            .axes
            .iter()
            .zip(values)
            .filter(|(axis, _)| is_in_topology(axis))
            .map(|(_, value)| (value.ordinal, value.text.clone()))
            .collect();
        let in_topology = fields().filter(|(set, _)| set.is_in_topology());
        let kept = bench.topology(base_index, over, || kept_topology(base, in_topology, sources));
        if let Some(entry) = kept.entry.take() {
            table.insert("topology".to_owned(), entry);
        }
        let input_hash = input_hash(&table);
        kept.entry = table.remove("topology");
        let scenario = match &mut kept.topology {
            Ok(topology) => answerable(&table, &base.place, topology, sources, problems),
            Err(diagnostics) => {
                let mut all = problems.into_sorted();
                all.extend(diagnostics.iter().cloned());
                Err(all)
            }
        };
        Prepared { input_hash, scenario }
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

impl Workbench {
    /// A workbench with nothing on it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes back the scenario of the point prepared last, whose topology the next one may need.
    pub fn take_back(&mut self, scenario: Scenario) {
        if let Some(KeptTopology {
            topology: Ok(slot), ..
        }) = self.kept.last_mut()
        {
            slot.get_or_insert(scenario.topology);
        }
    }

    /// The topology of a base with values over it, which is made if it is not there.
    fn topology(
        &mut self,
        base: usize,
        values: Vec<(usize, String)>,
        make: impl FnOnce() -> (Option<Entry>, Result<Topology, Vec<Diagnostic>>),
    ) -> &mut KeptTopology {
        let known = self.kept.iter().rposition(|kept| {
            kept.base == base && kept.values == values && !matches!(kept.topology, Ok(None))
        });
        let kept = if let Some(index) = known {
            self.kept.remove(index)
        } else {
            let (entry, topology) = make();
            if self.kept.len() >= KEPT {
                self.kept.remove(0);
            }
            KeptTopology {
                base,
                values,
                entry,
                topology: topology.map(Some),
            }
        };
        self.kept.push(kept);
        self.kept.last_mut().expect("one was just put there")
    }
}

/// Builds a topology with values laid over it.
fn kept_topology<'v>(
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

fn answerable(
    table: &Table,
    place: &Place,
    topology: &mut Option<Topology>,
    sources: &Sources,
    mut problems: Problems,
) -> Result<Scenario, Vec<Diagnostic>> {
    let mut decoder = Decoder {
        sources,
        problems: &mut problems,
        parts: OwnParts::default(),
    };
    let decoded = decoder.table(&SCENARIO, table, place);
    let scenario = scenario_file::build(&decoded, topology.take(), &mut problems);
    match scenario {
        Some(scenario) if decoded.sound && !problems.has_errors() => Ok(scenario),
        _ => Err(problems.into_sorted()),
    }
}
