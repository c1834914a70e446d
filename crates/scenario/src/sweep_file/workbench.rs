//! The per-thread cache of a sweep between points.
//!
//! Most of a scenario is the same at all points. For every base scenario, a workbench caches the decoded
//! fields that no axis varies, and their part of the hash; and it caches topologies, because building one
//! takes longer than the rest of a point.

use bandgraph_config::{
    Decoded, Decoder, Entry, Field, InputHasher, Node, Problems, Set, Table, entry_bytes,
};
use bandgraph_model::Scenario;
use std::collections::BTreeMap;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_topology::Topology;

use super::base::{Base, built_topology, laid_topology};
use crate::descriptor::SCENARIO;
use crate::scenario_file;

/// Maximum number of cached topologies.
const KEPT: usize = 64;

/// The per-thread cache of a sweep. It never affects results.
#[derive(Debug, Default)]
pub struct Workbench {
    /// By base.
    bases: BTreeMap<usize, BaseBench>,
    /// The most recently used is the last.
    topologies: Vec<KeptTopology>,
    hasher: InputHasher,
}

/// A base scenario with the values of the last point.
#[derive(Debug)]
pub(super) struct BaseBench {
    /// Without its topology.
    table: Table,
    /// The fields of the scenario that axes vary.
    varied: Vec<&'static Field>,
    /// The decoded fields; `None` if a field that no axis varies is invalid, so that all of it is decoded at
    /// every point, for its problems.
    decoded: Option<Decoded>,
    /// The hashed bytes of each of its entries.
    hashed: BTreeMap<String, Vec<u8>>,
}

#[derive(Debug)]
pub(super) struct KeptTopology {
    base: usize,
    /// The values applied to the topology.
    values: Vec<(usize, String)>,
    /// Its hashed bytes; `None` for a scenario without one.
    hashed: Option<Vec<u8>>,
    /// `None` while a scenario owns it, and if only its hash was requested.
    topology: Result<Option<Topology>, Vec<Diagnostic>>,
}

impl Workbench {
    /// An empty workbench.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes back the scenario of the last point, whose topology the next one may need.
    pub fn take_back(&mut self, scenario: Scenario) {
        if let Some(KeptTopology {
            topology: Ok(slot), ..
        }) = self.topologies.last_mut()
        {
            slot.get_or_insert(scenario.topology);
        }
    }

    /// Applies other values to the varied fields of a base.
    pub(super) fn lay<'v>(
        &mut self,
        index: usize,
        base: &Base,
        values: impl Iterator<Item = (&'v Set, &'v Node)> + Clone,
        sources: &Sources,
        problems: &mut Problems,
    ) {
        let bench = self.bases.entry(index).or_insert_with(|| {
            // Several axes often vary fields of the same table, which is decoded once.
            let mut varied: Vec<&'static Field> = Vec::new();
            for field in values.clone().filter_map(|(set, _)| set.first_field(&SCENARIO)) {
                if !varied.iter().any(|known| known.name == field.name) {
                    varied.push(field);
                }
            }
            BaseBench::new(base, varied, sources)
        });
        bench.lay(base, values, problems);
    }

    /// Finds or builds the topology of a base with values applied, and puts it last.
    pub(super) fn find_topology<'v>(
        &mut self,
        index: usize,
        base: &Base,
        over: Vec<(usize, String)>,
        values: impl Iterator<Item = (&'v Set, &'v Node)>,
        sources: &Sources,
    ) {
        let is_there = |kept: &KeptTopology| !matches!(kept.topology, Ok(None));
        if !self.put_last(index, &over, is_there) {
            let mut problems = Problems::new();
            let entry = laid_topology(base, values, &mut problems);
            let topology = built_topology(base, entry.as_ref(), sources, problems);
            self.keep(index, over, entry.as_ref(), topology.map(Some));
        }
    }

    /// As [`find_topology`](Self::find_topology), for the hash only.
    pub(super) fn hash_topology<'v>(
        &mut self,
        index: usize,
        base: &Base,
        over: Vec<(usize, String)>,
        values: impl Iterator<Item = (&'v Set, &'v Node)>,
    ) {
        if !self.put_last(index, &over, |_| true) {
            let entry = laid_topology(base, values, &mut Problems::new());
            self.keep(index, over, entry.as_ref(), Ok(None));
        }
    }

    /// Puts a cached topology last, if it is usable.
    fn put_last(
        &mut self,
        index: usize,
        over: &[(usize, String)],
        usable: impl Fn(&KeptTopology) -> bool,
    ) -> bool {
        let known = self
            .topologies
            .iter()
            .rposition(|kept| kept.base == index && kept.values == over && usable(kept));
        if let Some(known) = known {
            let kept = self.topologies.remove(known);
            self.topologies.push(kept);
        }
        known.is_some()
    }

    fn keep(
        &mut self,
        index: usize,
        over: Vec<(usize, String)>,
        entry: Option<&Entry>,
        topology: Result<Option<Topology>, Vec<Diagnostic>>,
    ) {
        if self.topologies.len() >= KEPT {
            self.topologies.remove(0);
        }
        self.topologies.push(KeptTopology {
            base: index,
            values: over,
            hashed: entry.map(|entry| entry_bytes("topology", &entry.node)),
            topology,
        });
    }

    /// The hash of the base of this index with its present values, on the last topology.
    pub(super) fn input_hash(&mut self, index: usize) -> String {
        let Some(bench) = self.bases.get(&index) else {
            return String::new();
        };
        let mut entries: Vec<(&str, &[u8])> = bench
            .hashed
            .iter()
            .map(|(key, bytes)| (key.as_str(), bytes.as_slice()))
            .collect();
        let topology = self.topologies.last().and_then(|kept| kept.hashed.as_deref());
        if let Some(topology) = topology {
            let position = entries.partition_point(|(key, _)| *key < "topology");
            entries.insert(position, ("topology", topology));
        }
        self.hasher.hash_of(entries.iter().map(|(_, bytes)| *bytes))
    }

    /// The scenario of the base of this index with its present values, on the last topology.
    pub(super) fn scenario(
        &mut self,
        index: usize,
        base: &Base,
        sources: &Sources,
        problems: Problems,
    ) -> Result<Scenario, Vec<Diagnostic>> {
        let (Some(bench), Some(kept)) = (self.bases.get_mut(&index), self.topologies.last_mut()) else {
            return Err(problems.into_sorted());
        };
        match &mut kept.topology {
            Ok(topology) => bench.scenario(base, topology, sources, problems),
            Err(diagnostics) => {
                let mut all = problems.into_sorted();
                all.extend(diagnostics.iter().cloned());
                Err(all)
            }
        }
    }
}

impl BaseBench {
    fn new(base: &Base, varied: Vec<&'static Field>, sources: &Sources) -> Self {
        let table = base.scenario.clone();
        let mut problems = Problems::new();
        let decoded = decoder(sources, &mut problems).table(&SCENARIO, &table, &base.place);
        let hashed = table.iter();
        Self {
            decoded: (decoded.sound && problems.is_empty()).then_some(decoded),
            hashed: hashed
                .map(|(key, entry)| (key.clone(), entry_bytes(key, &entry.node)))
                .collect(),
            varied,
            table,
        }
    }

    /// Restores the base's own values in the varied fields, and applies others.
    fn lay<'v>(
        &mut self,
        base: &Base,
        values: impl Iterator<Item = (&'v Set, &'v Node)>,
        problems: &mut Problems,
    ) {
        for field in &self.varied {
            match base.scenario.get(field.name) {
                Some(entry) => self.table.insert(field.name.to_owned(), entry.clone()),
                None => self.table.remove(field.name),
            };
        }
        for (set, value) in values {
            set.apply_value(value, &SCENARIO, &mut self.table, problems);
        }
        for field in &self.varied {
            match self.table.get(field.name) {
                Some(entry) => self
                    .hashed
                    .insert(field.name.to_owned(), entry_bytes(field.name, &entry.node)),
                None => self.hashed.remove(field.name),
            };
        }
    }

    fn scenario(
        &mut self,
        base: &Base,
        topology: &mut Option<Topology>,
        sources: &Sources,
        mut problems: Problems,
    ) -> Result<Scenario, Vec<Diagnostic>> {
        let whole;
        let mut decoder = decoder(sources, &mut problems);
        let decoded = if let Some(decoded) = &mut self.decoded {
            decoder.fields_again(&self.varied, &self.table, decoded);
            decoded
        } else {
            whole = decoder.table(&SCENARIO, &self.table, &base.place);
            &whole
        };
        let scenario = scenario_file::build(decoded, topology.take(), &mut problems);
        match scenario {
            Some(scenario) if decoded.sound && !problems.has_errors() => Ok(scenario),
            _ => Err(problems.into_sorted()),
        }
    }
}

fn decoder<'s>(sources: &'s Sources, problems: &'s mut Problems) -> Decoder<'s> {
    Decoder::new(sources, problems)
}
