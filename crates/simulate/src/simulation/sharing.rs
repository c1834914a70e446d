//! Equivalent classes of operations.
//!
//! Classes of identical clients differ only in the NIC and cores that they use. While these do not limit (see
//! `clients`), such classes are one class of the engine: with many clients the system is ten or more times
//! smaller, and the result is the same.

use std::collections::BTreeMap;

use bandgraph_model::{Bound, Class};
use bandgraph_solve::kept;

/// The mapping from classes of a scenario to classes of the engine.
pub(super) struct Sharing {
    /// By resource: whether the engine always has it. Resources that can never limit a class and resources of
    /// single clients are left out.
    in_engine: Vec<bool>,
    /// By resource: whether it belongs to a single client and may limit its operations.
    own: Vec<bool>,
    /// By class: operations/s that the resources of a client permit for a single operation; infinite without
    /// any.
    pub(super) alone_rates: Vec<f64>,
    /// By class: seconds of the transfer of the data of a lone operation between client and port.
    pub(super) transfer_seconds: Vec<f64>,
    /// By class: its class number in the engine while its client is not held.
    pub(super) engine_class: Vec<usize>,
    /// By class of the engine: the first of its equivalent classes.
    pub(super) stands: Vec<usize>,
}

impl Sharing {
    /// Finds equivalent classes.
    pub(super) fn new(bound: &Bound, capacities: &[f64]) -> Self {
        let keep = kept(bound, capacities);
        let is_client: Vec<bool> = (0..keep.len())
            .map(|resource| bound.is_client(resource))
            .collect();
        let both = |of_client: bool| {
            let pairs = keep.iter().zip(&is_client);
            pairs
                .map(move |(keep, client)| *keep && *client == of_client)
                .collect()
        };
        let (in_engine, own): (Vec<bool>, Vec<bool>) = (both(false), both(true));
        let alone_rate = |class: &Class| {
            let own = class.demand.iter().filter(|&&(resource, _)| is_client[resource]);
            own.map(|&(resource, units)| capacities[resource] / units)
                .fold(1.0 / class.client_seconds, f64::min)
        };
        let alone_rates: Vec<f64> = bound.classes.iter().map(alone_rate).collect();
        let transfer_seconds = transfer_seconds(bound, capacities);
        // Equivalent classes must also have the same demand on the resources that misses wait for.
        let waited_for = bound.fabric.resources();
        let is_told = |resource: usize| in_engine[resource] || waited_for.binary_search(&resource).is_ok();
        let mut stands: Vec<usize> = Vec::new();
        let mut known: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let mut key = Vec::new();
        let mut engine_class = Vec::with_capacity(bound.classes.len());
        for (index, class) in bound.classes.iter().enumerate() {
            key.clear();
            key.extend([
                alone_rates[index].to_bits(),
                transfer_seconds[index].to_bits(),
                class.serial.first_work.to_bits(),
                class.serial.last_piece.to_bits(),
                class.serial.waits.to_bits(),
                class.serial.beside.to_bits(),
                class.serial.read_ahead.to_bits(),
                class.port_core.map_or(u64::MAX, |core| core as u64),
            ]);
            for work in class.waited_work().iter().chain(class.bound_work.iter()) {
                key.extend([work.instructions.to_bits(), work.serial_misses.to_bits()]);
            }
            for (resource, units) in class.moving_demand().filter(|&(resource, _)| is_told(resource)) {
                key.extend([resource as u64, units.to_bits()]);
            }
            let number = known.get(&key).copied().unwrap_or_else(|| {
                known.insert(key.clone(), stands.len());
                stands.push(index);
                stands.len() - 1
            });
            engine_class.push(number);
        }
        Self {
            in_engine,
            own,
            alone_rates,
            transfer_seconds,
            engine_class,
            stands,
        }
    }

    /// A sharing without equivalent classes that keeps all resources.
    #[cfg(test)]
    pub(super) fn none(bound: &Bound) -> Self {
        Self {
            in_engine: vec![true; bound.resources.len()],
            own: vec![false; bound.resources.len()],
            alone_rates: bound
                .classes
                .iter()
                .map(|class| 1.0 / class.client_seconds)
                .collect(),
            transfer_seconds: transfer_seconds(bound, &bound.usable_capacities()),
            engine_class: (0..bound.classes.len()).collect(),
            stands: (0..bound.classes.len()).collect(),
        }
    }

    /// Whether the engine always has a resource.
    pub(super) fn is_in_engine(&self, resource: usize) -> bool {
        self.in_engine[resource]
    }

    /// Whether a resource belongs to a single client and may limit its operations.
    pub(super) fn is_own(&self, resource: usize) -> bool {
        self.own[resource]
    }
}

fn transfer_seconds(bound: &Bound, capacities: &[f64]) -> Vec<f64> {
    let classes = bound.classes.iter();
    classes
        .map(|class| bound.transfer_seconds(class, capacities))
        .collect()
}
