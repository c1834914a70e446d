//! The tree of PCI functions.

use std::collections::BTreeMap;

use crate::facts::{Device, Facts};
use crate::origin::Known;
use crate::pci::PciAddress;

/// Where functions are in [`Facts::devices`], by their addresses and by the buses below them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    by_address: BTreeMap<PciAddress, usize>,
    /// The bridge above each bus of a domain.
    above_bus: BTreeMap<(u32, u8), usize>,
}

impl Tree {
    pub(crate) fn of(facts: &Facts) -> Self {
        let mut tree = Self::default();
        for (index, device) in facts.devices.iter().enumerate() {
            let Some(address) = device.address.known() else {
                continue;
            };
            tree.by_address.entry(address).or_insert(index);
            if let Some(bus) = device.secondary_bus.as_ref().filter(|bus| bus.value > 0) {
                tree.above_bus.entry((address.domain, bus.value)).or_insert(index);
            }
        }
        tree
    }

    /// The port above a function, where the files say which it is.
    pub(crate) fn port_above<'a>(&self, facts: &'a Facts, address: PciAddress) -> Option<&'a Device> {
        let device = |index: Option<&usize>| facts.devices.get(*index?);
        let own = device(self.by_address.get(&address));
        match own.and_then(|device| device.parent.as_ref()) {
            Some(parent) => device(self.by_address.get(&parent.value)),
            None => device(self.above_bus.get(&(address.domain, address.bus))),
        }
    }
}
