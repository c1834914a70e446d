//! Which socket a bus hangs on.

use std::collections::BTreeMap;

use crate::facts::{Facts, PortKind};
use crate::origin::{Fact, Origin, Said};
use crate::pci::PciAddress;

/// Buses and their sockets.
pub(super) struct Places {
    sockets: usize,
    /// First buses of root complexes, each with its socket, where that is known, and what says so.
    ranges: Vec<(u8, Option<u32>, Origin)>,
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
    pub(super) fn socket(&self, address: PciAddress, node: Option<&Said<u32>>, at: Origin) -> Fact<u32> {
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
        Some(range.2.says(range.1?))
    }
}

/// Each root bus with root ports belongs to one hub or root complex. Where there are as many as sockets, each socket
/// has one; those of EPYC divide evenly; Xeons with several root complexes begin the second socket at bus 80. The first
/// chain of an Opteron hangs on the bootstrap processor. One hub that all sockets share belongs to none.
fn ranges(facts: &Facts, sockets: usize) -> Vec<(u8, Option<u32>, Origin)> {
    let below: Vec<u8> = facts
        .devices
        .iter()
        .filter_map(|device| device.secondary_bus.as_ref().map(|bus| bus.value))
        .collect();
    let mut roots: Vec<(u8, Origin)> = Vec::new();
    for device in &facts.devices {
        let Some(address) = device.address.as_ref().filter(|said| said.value.domain == 0) else {
            continue;
        };
        let bus = address.value.bus;
        let is_root = match &device.kind {
            Some(kind) => kind.value == PortKind::RootPort,
            None => device.secondary_bus.is_some() && !below.contains(&bus),
        };
        if is_root && !roots.iter().any(|(root, _)| *root == bus) {
            roots.push((bus, address.at));
        }
    }
    roots.sort_unstable_by_key(|(bus, _)| *bus);
    let is = |word: &str| {
        facts.processors.iter().any(|processor| {
            let name = processor.name.as_ref();
            name.is_some_and(|name| name.value.contains(word))
        })
    };
    let numbered = |roots: &[(u8, Origin)], share: usize| -> Vec<(u8, Option<u32>, Origin)> {
        let firsts = roots.chunks(share).filter_map(|chunk| chunk.first());
        firsts
            .zip(0..)
            .map(|(&(bus, at), socket)| (bus, Some(socket), at))
            .collect()
    };
    if sockets < 2 || roots.is_empty() {
        return Vec::new();
    }
    if roots.len() == sockets || (is("EPYC") && roots.len().is_multiple_of(sockets)) {
        return numbered(&roots, roots.len() / sockets);
    }
    if is("Opteron") {
        let chains = roots.iter().enumerate();
        return chains
            .map(|(index, &(bus, at))| (bus, (index == 0).then_some(0), at))
            .collect();
    }
    let second = roots.iter().find(|(bus, _)| *bus >= 0x80);
    match second {
        Some(&(_, at)) if sockets == 2 => vec![(0, Some(0), roots[0].1), (0x80, Some(1), at)],
        _ => Vec::new(),
    }
}
