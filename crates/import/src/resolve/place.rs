//! Which socket a bus hangs on.

use std::collections::BTreeMap;

use crate::facts::{Facts, PortKind};
use crate::origin::{Fact, Origin};
use crate::pci::PciAddress;

/// Buses and their sockets.
pub(super) struct Places {
    sockets: usize,
    /// First bus of each socket that has buses, with its socket and what says so.
    ranges: Vec<(u8, u32, Origin)>,
    /// Socket of each node.
    nodes: BTreeMap<u32, u32>,
}

impl Places {
    /// What the tree of functions tells.
    pub(super) fn of(facts: &Facts, sockets: usize) -> Self {
        let nodes = facts
            .nodes
            .iter()
            .filter_map(|node| Some((node.number.as_ref()?.value, node.socket.as_ref()?.value)))
            .collect();
        Self {
            sockets,
            ranges: ranges(facts, sockets),
            nodes,
        }
    }

    /// The socket of a function, by its node if a system says one, else by its bus.
    pub(super) fn socket(&self, address: PciAddress, node: &Fact<u32>, at: Origin) -> Fact<u32> {
        if self.sockets == 1 {
            return Some(at.says(0));
        }
        if let Some(node) = node {
            let socket = match self.nodes.get(&node.value) {
                Some(&socket) => Some(socket),
                None if self.nodes.is_empty() && (node.value as usize) < self.sockets => Some(node.value),
                None => None,
            };
            if let Some(socket) = socket {
                return Some(node.at.says(socket));
            }
        }
        let range = self
            .ranges
            .iter()
            .rev()
            .find(|(first, ..)| *first <= address.bus)?;
        Some(range.2.says(range.1))
    }
}

/// Processors of Intel have devices of their own on the last bus of each socket (uncore). EPYC has root complexes
/// that divide evenly. Older machines have hubs, and which socket a hub hangs on no bus number tells.
fn ranges(facts: &Facts, sockets: usize) -> Vec<(u8, u32, Origin)> {
    let mut roots: Vec<(u8, Origin)> = Vec::new();
    let mut uncore: Vec<u8> = Vec::new();
    for device in &facts.devices {
        let Some(address) = device.address.as_ref().filter(|said| said.value.domain == 0) else {
            continue;
        };
        let bus = address.value.bus;
        let kind = device.kind.as_ref().map(|said| said.value);
        if kind == Some(PortKind::RootPort) && !roots.iter().any(|(root, _)| *root == bus) {
            roots.push((bus, address.at));
        }
        let vendor = device.vendor.as_ref().map(|said| said.value);
        if vendor == Some(0x8086) && bus > 0 && bus & 0x3f == 0x3f && !uncore.contains(&bus) {
            uncore.push(bus);
        }
    }
    roots.sort_unstable_by_key(|(bus, _)| *bus);
    uncore.sort_unstable();
    let is_epyc = facts.processors.iter().any(|processor| {
        processor
            .name
            .as_ref()
            .is_some_and(|name| name.value.contains("EPYC"))
    });
    if is_epyc && sockets > 1 && roots.len().is_multiple_of(sockets) {
        let share = roots.len() / sockets;
        return roots
            .chunks(share.max(1))
            .zip(0..)
            .filter_map(|(chunk, socket)| chunk.first().map(|&(bus, at)| (bus, socket, at)))
            .collect();
    }
    if uncore.len() == sockets && sockets > 1 {
        let first = std::iter::once(0).chain(uncore.iter().map(|&bus| bus.saturating_add(1)));
        return first
            .zip(0..sockets as u32)
            .filter_map(|(bus, socket)| {
                let at = roots.iter().find(|(root, _)| *root >= bus)?.1;
                Some((bus, socket, at))
            })
            .collect();
    }
    Vec::new()
}
