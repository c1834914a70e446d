//! Which socket a bus hangs on.

use std::collections::BTreeMap;

use crate::facts::{Conflict, Facts, PortKind};
use crate::origin::{Fact, Known, Origin, Said};
use crate::pci::PciAddress;

/// Buses and their sockets.
pub(super) struct Places {
    sockets: usize,
    /// First buses of root complexes, each with its socket, where that is known, and what says so.
    ranges: Vec<(u8, Option<u32>, Origin)>,
    /// Whether each socket has exactly one of them, so that the bus decides.
    certain: bool,
    /// Socket of each node, where a system says it.
    nodes: BTreeMap<u32, u32>,
    /// Nodes of a socket, where no system says which.
    nodes_of_socket: Option<u32>,
    /// Northbridges of a socket: processors number their dies socket by socket.
    northbridges_of_socket: Option<u32>,
}

impl Places {
    /// What the tree of functions tells.
    pub(super) fn of(facts: &Facts, sockets: usize) -> Self {
        let nodes = facts
            .nodes
            .iter()
            .filter_map(|node| Some((node.number.known()?, node.socket.known()?)))
            .collect();
        let mut places = Self {
            sockets,
            ranges: Vec::new(),
            certain: false,
            nodes,
            nodes_of_socket: nodes_of_socket(facts, sockets),
            northbridges_of_socket: facts
                .northbridges
                .first()
                .and_then(|one| share(one.nodes.known()?, sockets)),
        };
        places.ranges = places.mapped(facts);
        places.certain = sockets > 1 && !places.ranges.is_empty();
        if !places.certain {
            let roots = roots(facts);
            places.certain = sockets > 1 && roots.len() == sockets;
            places.ranges = ranges(facts, &roots, sockets);
        }
        places
    }

    /// Sockets of the machine.
    pub(super) fn sockets(&self) -> usize {
        self.sockets
    }

    /// Whether a socket of this number, from 0, can be: any can where the sockets are unknown.
    pub(super) fn has(&self, socket: u32) -> bool {
        self.sockets == 0 || (socket as usize) < self.sockets
    }

    /// The buses that the address maps of northbridges send to sockets.
    fn mapped(&self, facts: &Facts) -> Vec<(u8, Option<u32>, Origin)> {
        let ranges = facts.bus_ranges.iter().filter_map(|range| {
            let (first, node) = (range.first.as_ref()?, range.node.known()?);
            Some((first.value, Some(self.of_northbridge(node)?), first.at))
        });
        let mut ranges: Vec<_> = ranges.collect();
        ranges.sort_by_key(|&(first, ..)| first);
        ranges
    }

    /// The socket of a node of a HyperTransport fabric.
    pub(super) fn of_northbridge(&self, node: u32) -> Option<u32> {
        Some(node / self.northbridges_of_socket?).filter(|&socket| (socket as usize) < self.sockets)
    }

    /// The socket of a function: by its bus where each socket has one root, else by its node, else by its
    /// bus. A node that says otherwise than a bus that decides is a conflict.
    pub(super) fn socket(
        &self,
        address: PciAddress,
        node: Option<&Said<u32>>,
        at: Origin,
        conflicts: &mut Vec<Conflict>,
    ) -> Fact<u32> {
        if self.sockets == 1 {
            return Some(at.says(0));
        }
        let of_node = node.infer(|&node| self.of_node(node));
        let ranges = self.ranges.iter().rev();
        let range = ranges
            .clone()
            .find(|(first, ..)| *first <= address.bus && address.domain == 0);
        let of_bus = range.and_then(|range| Some(range.2.says(range.1?)));
        if !self.certain {
            return of_node.or(of_bus);
        }
        if let (Some(bus), Some(node)) = (&of_bus, &of_node)
            && bus.value != node.value
        {
            conflicts.push(Conflict {
                field: "socket",
                of: Some(address),
                kept: (bus.value.to_string(), bus.at),
                dropped: (node.value.to_string(), node.at),
            });
        }
        of_bus.or(of_node)
    }

    fn of_node(&self, node: u32) -> Option<u32> {
        if !self.nodes.is_empty() {
            return self.nodes.get(&node).copied();
        }
        Some(node / self.nodes_of_socket?).filter(|&socket| (socket as usize) < self.sockets)
    }
}

/// Nodes of a socket, if all have the same number: processors number their dies socket by socket.
fn nodes_of_socket(facts: &Facts, sockets: usize) -> Option<u32> {
    let count = super::numa_nodes(facts).known().unwrap_or_else(|| {
        let nodes = facts.devices.iter().filter_map(|device| device.numa_node.known());
        nodes
            .max()
            .map_or(0, |last| last.saturating_add(1))
            .max(sockets as u32)
    });
    share(count, sockets)
}

/// What each socket has of a number of things, if that is a whole number above 0.
pub(super) fn share(count: u32, sockets: usize) -> Option<u32> {
    let sockets = u32::try_from(sockets).ok().filter(|&sockets| sockets > 0)?;
    (count > 0 && count.is_multiple_of(sockets)).then_some(count / sockets)
}

/// The buses with root ports, in their order.
pub(super) fn roots(facts: &Facts) -> Vec<(u8, Origin)> {
    let mut is_below = [false; 256];
    for bus in facts
        .devices
        .iter()
        .filter_map(|device| device.secondary_bus.as_ref())
    {
        is_below[usize::from(bus.value)] = true;
    }
    let mut roots: Vec<(u8, Origin)> = Vec::new();
    for device in &facts.devices {
        let Some(address) = device.address.as_ref().filter(|said| said.value.domain == 0) else {
            continue;
        };
        let bus = address.value.bus;
        let is_root = match &device.kind {
            Some(kind) => kind.value == PortKind::RootPort,
            None => device.secondary_bus.is_some() && !is_below[usize::from(bus)],
        };
        if is_root && !roots.iter().any(|(root, _)| *root == bus) {
            roots.push((bus, address.at));
        }
    }
    roots.sort_unstable_by_key(|(bus, _)| *bus);
    roots
}

/// Each root bus with root ports belongs to one hub or root complex. Where there are as many as sockets, each
/// socket has one; those of EPYC divide evenly; Xeons with several root complexes begin the second socket at
/// bus 80: rules for where no file says the node, since some programs list only roots with something below.
/// The first chain of an Opteron hangs on the bootstrap processor. One hub that all sockets share belongs to
/// none.
fn ranges(facts: &Facts, roots: &[(u8, Origin)], sockets: usize) -> Vec<(u8, Option<u32>, Origin)> {
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
        return numbered(roots, roots.len() / sockets);
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
