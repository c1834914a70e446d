//! Links between sockets, from the routing tables of AMD northbridges.
//!
//! A table says over which of its own links a node reaches every other node, not what is at the other end of
//! a link. The ends are paired so that following the tables reaches every node, and every broadcast enters
//! every node once. Where more than one pairing does that, nothing is said.

use std::collections::BTreeMap;

use crate::facts::{Facts, HyperTransportLink, Northbridge};
use crate::origin::{Fact, Known, Origin, Said};
use crate::pci::PciAddress;

use super::place::Places;

/// Pairings that are tried at most. Damaged tables have many; those of a machine few.
const TRIES: usize = 4096;

/// The HyperTransport links of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fabric {
    /// Links between sockets. `None` without registers of all nodes, and where they contradict themselves.
    pub links: Option<Vec<SocketLink>>,
    /// The sockets of each way of more than one hop, its ends among them.
    pub routes: Vec<Way>,
    /// Links of sockets to I/O.
    pub uplinks: Vec<IoLink>,
}

/// Numbers of the sockets of a way, and what says so.
pub type Way = (Vec<u32>, Origin);

/// A link of a socket to I/O: a host of a chain of bridges.
#[derive(Clone, Debug, PartialEq)]
pub struct IoLink {
    /// Number of the socket.
    pub socket: u32,
    /// Bits in use.
    pub width: Fact<u8>,
    /// Clock in Hz; two transfers per cycle.
    pub clock_hz: Fact<f64>,
    /// First and last bus of each range that it leads to; none where no register says which.
    pub buses: Vec<Said<[u8; 2]>>,
}

/// A link between two sockets.
#[derive(Clone, Debug, PartialEq)]
pub struct SocketLink {
    /// Numbers of the sockets, the lower first, and what says so.
    pub ends: ([u32; 2], Origin),
    /// Bits in use.
    pub width: Fact<u8>,
    /// Clock in Hz; two transfers per cycle.
    pub clock_hz: Fact<f64>,
}

/// One end of a coherent link.
struct End<'a> {
    node: usize,
    /// Its bit in routing tables.
    bit: u16,
    link: &'a HyperTransportLink,
}

/// The nodes with their tables, and the ends of their links.
struct Nodes<'a> {
    tables: Vec<&'a Northbridge>,
    ends: Vec<End<'a>>,
}

impl Fabric {
    /// Which of the links to I/O leads to a function, and what says so.
    pub fn uplink_to(&self, address: PciAddress) -> Option<(usize, Origin)> {
        let leads = |range: &&Said<[u8; 2]>| (range.value[0]..=range.value[1]).contains(&address.bus);
        let mut uplinks = self.uplinks.iter().enumerate().filter(|_| address.domain == 0);
        uplinks.find_map(|(index, link)| Some((index, link.buses.iter().find(leads)?.at)))
    }
}

/// The number of a link of a northbridge: that of its bit in routing tables, less one.
fn number(link: &HyperTransportLink) -> Option<u16> {
    let (address, (offset, _)) = (link.address.known()?, link.capability.known()?);
    // Function 4 has the second halves of split links.
    let half = if address.function == 4 { 4 } else { 0 };
    Some(offset.checked_sub(0x80)? / 0x20 + half)
}

/// The ranges of buses that a link of a node leads to.
fn buses(facts: &Facts, node: u32, link: &HyperTransportLink) -> Vec<Said<[u8; 2]>> {
    let of = facts
        .bus_ranges
        .iter()
        .filter(|range| range.node.known() == Some(node) && range.link.known() == number(link));
    of.filter_map(|range| {
        let first = range.first.as_ref()?;
        Some(first.at.says([first.value, range.last.known()?]))
    })
    .collect()
}

/// What the registers tell of the links of a machine.
pub(super) fn fabric(facts: &Facts, places: &Places) -> Fabric {
    let mut fabric = Fabric {
        uplinks: uplinks(facts, places),
        ..Fabric::default()
    };
    match between_sockets(facts, places) {
        Some((links, routes)) => (fabric.links, fabric.routes) = (Some(links), routes),
        None => fabric.links = only_link(facts, places).map(|link| vec![link]),
    }
    fabric
}

/// The link between two sockets where no file has their tables: if one of the two has a single link that is
/// up, it leads to the other.
fn only_link(facts: &Facts, places: &Places) -> Option<SocketLink> {
    let hosts = facts.hypertransport.iter().filter_map(|link| {
        let address = link
            .address
            .as_ref()
            .filter(|_| link.is_host.known() == Some(true))?;
        Some((address.value.device, address.at, link))
    });
    let mut nodes: BTreeMap<u8, Vec<(Origin, &HyperTransportLink)>> = BTreeMap::new();
    for (node, at, link) in hosts {
        let up = nodes.entry(node).or_default();
        let is_up = link.is_up.known() == Some(true) && link.is_coherent.known() != Some(false);
        up.extend(is_up.then_some((at, link)));
    }
    let mut single = nodes.values().filter(|up| up.len() == 1).flatten();
    let &(at, link) = single
        .next()
        .filter(|_| places.sockets() == 2 && nodes.len() == 2)?;
    Some(SocketLink {
        ends: ([0, 1], at),
        width: link.width.clone(),
        clock_hz: link.clock_hz.clone(),
    })
}

/// Links to I/O as the hosts see them, else as the bridges do.
fn uplinks(facts: &Facts, places: &Places) -> Vec<IoLink> {
    let mut nodes = BTreeMap::new();
    for table in &facts.northbridges {
        if let (Some(address), Some(node)) = (table.address.known(), table.node.known()) {
            nodes.entry(address).or_insert(node);
        }
    }
    let nodes = &nodes;
    let of = |is_host: bool| {
        let is = move |link: &&HyperTransportLink| {
            let kind = link.is_coherent.known() == Some(false) || !is_host;
            kind && link.is_up.known() == Some(true) && link.is_host.known() == Some(is_host)
        };
        facts.hypertransport.iter().filter(is).filter_map(move |link| {
            let address = link.address.as_ref()?;
            let (socket, buses) = if is_host {
                let node = *nodes.get(&address.value.first_function())?;
                (places.of_northbridge(node)?, buses(facts, node, link))
            } else {
                let socket = places.socket(address.value, None, address.at, &mut Vec::new())?;
                (socket.value, Vec::new())
            };
            Some(IoLink {
                socket,
                width: link.width.clone(),
                clock_hz: link.clock_hz.clone(),
                buses,
            })
        })
    };
    let of_hosts: Vec<IoLink> = of(true).collect();
    if of_hosts.is_empty() {
        of(false).collect()
    } else {
        of_hosts
    }
}

/// The links between sockets, and the ways of more than one hop.
fn between_sockets(facts: &Facts, places: &Places) -> Option<(Vec<SocketLink>, Vec<Way>)> {
    let nodes = Nodes::of(facts)?;
    let peers = nodes.pairing()?;
    let socket = |node: usize| places.of_northbridge(node as u32);
    let sockets: Vec<u32> = (0..nodes.tables.len()).map(socket).collect::<Option<_>>()?;
    let (mut links, mut routes) = (Vec::new(), Vec::new());
    for (end, &peer) in nodes.ends.iter().zip(&peers) {
        let (one, other) = (sockets[end.node], sockets[nodes.ends[peer].node]);
        // Links between dies of one socket are inside it.
        let at = end.link.address.at();
        if let Some(at) = at.filter(|_| one < other) {
            links.push(SocketLink {
                ends: ([one, other], at),
                width: end.link.width.clone(),
                clock_hz: end.link.clock_hz.clone(),
            });
        }
    }
    // With several dies in a socket, there is not one way from socket to socket.
    let each_is_a_socket = sockets.iter().zip(0..).all(|(&socket, node)| socket == node);
    for (from, table) in nodes.tables.iter().enumerate().filter(|_| each_is_a_socket) {
        for to in 0..nodes.tables.len() {
            let way = nodes.way(&peers, from, to)?;
            if let Some(requests) = table.requests.as_ref().filter(|_| way.len() > 2) {
                let way = way.iter().map(|&node| node as u32).collect();
                routes.push((way, requests.at));
            }
        }
    }
    Some((links, routes))
}

impl<'a> Nodes<'a> {
    fn of(facts: &'a Facts) -> Option<Self> {
        let count = facts.northbridges.first()?.nodes.known()? as usize;
        let is = |node: usize| move |one: &&Northbridge| one.node.known() == Some(node as u32);
        let find = |node| facts.northbridges.iter().find(is(node));
        let tables: Vec<&Northbridge> = (0..count).map(find).collect::<Option<_>>()?;
        let ends = facts.hypertransport.iter().filter_map(|link| {
            let up = link.is_up.known() == Some(true) && link.is_coherent.known() == Some(true);
            let first = Some(link.address.known().filter(|_| up)?.first_function());
            let node = tables.iter().position(|table| table.address.known() == first)?;
            let bit = number(link)? + 1;
            Some(End { node, bit, link })
        });
        let ends: Vec<End<'_>> = ends.filter(|end| end.bit <= 8).collect();
        // Damaged dumps list a capability many times.
        (count > 1 && ends.len() <= 8 * count).then_some(Self { tables, ends })
    }

    /// The end at a node that leads to another node, by the table of requests.
    fn toward(&self, from: usize, to: usize) -> Option<usize> {
        let ways = *self.tables[from].requests.as_ref()?.value.get(to)?;
        (self.ends.iter()).position(|end| end.node == from && ways & 1 << end.bit != 0)
    }

    /// The peer of each end; `None` if there is none or more than one pairing.
    fn pairing(&self) -> Option<Vec<usize>> {
        let mut search = Search {
            nodes: self,
            peers: vec![None; self.ends.len()],
            found: Vec::new(),
            tries: 0,
        };
        search.run();
        if search.tries > TRIES {
            return None;
        }
        if search.found.len() > 1 {
            search.found.retain(|peers| self.broadcasts_reach_all(peers));
        }
        let [peers] = &mut search.found[..] else {
            return None;
        };
        Some(std::mem::take(peers))
    }

    /// The nodes from one to another, both among them.
    fn way(&self, peers: &[usize], from: usize, to: usize) -> Option<Vec<usize>> {
        let mut way = vec![from];
        while let Some(&last) = way.last().filter(|&&last| last != to) {
            let next = self.ends[peers[self.toward(last, to)?]].node;
            if way.contains(&next) {
                return None;
            }
            way.push(next);
        }
        Some(way)
    }

    /// Whether each broadcast enters each other node once.
    fn broadcasts_reach_all(&self, peers: &[usize]) -> bool {
        (0..self.tables.len()).all(|source| {
            let mut reached = vec![source];
            let mut next = 0;
            while let Some(&node) = reached.get(next) {
                next += 1;
                let ways = self.tables[node].broadcasts.as_ref();
                let ways = ways.and_then(|said| said.value.get(source).copied()).unwrap_or(0);
                for (end, &peer) in self.ends.iter().zip(peers) {
                    if end.node == node && ways & 1 << end.bit != 0 {
                        reached.push(self.ends[peer].node);
                    }
                }
                if reached.len() > self.tables.len() {
                    return false;
                }
            }
            reached.sort_unstable();
            reached.iter().copied().eq(0..self.tables.len())
        })
    }
}

/// A search for pairings, end by end.
struct Search<'a> {
    nodes: &'a Nodes<'a>,
    peers: Vec<Option<usize>>,
    found: Vec<Vec<usize>>,
    tries: usize,
}

impl Search<'_> {
    fn run(&mut self) {
        self.tries += 1;
        if self.tries > TRIES {
            return;
        }
        let Some(open) = self.next() else {
            self.keep();
            return;
        };
        let end = &self.nodes.ends[open];
        for node in (0..self.nodes.tables.len()).filter(|&node| node != end.node) {
            // Neighbours reach each other over the link between them.
            let peer = self.nodes.toward(node, end.node);
            let is_toward = self.nodes.toward(end.node, node) == Some(open);
            let Some(peer) = peer.filter(|&peer| is_toward && self.peers[peer].is_none()) else {
                continue;
            };
            self.peers[open] = Some(peer);
            self.peers[peer] = Some(open);
            self.run();
            self.peers[open] = None;
            self.peers[peer] = None;
        }
    }

    /// The first end without a peer that a table uses.
    fn next(&self) -> Option<usize> {
        let nodes = 0..self.nodes.tables.len();
        (0..self.peers.len()).find(|&open| {
            let from = self.nodes.ends[open].node;
            let is_used = |to: usize| self.nodes.toward(from, to) == Some(open);
            self.peers[open].is_none() && nodes.clone().any(is_used)
        })
    }

    /// Keeps the pairing if following it reaches every node. Ends that no table uses are those of second
    /// links between two nodes: they are paired where only two nodes have some, and equally many.
    fn keep(&mut self) {
        let mut peers = self.peers.clone();
        let unused: Vec<usize> = (0..peers.len()).filter(|&end| peers[end].is_none()).collect();
        if let Some(&first) = unused.first() {
            let node = |end: usize| self.nodes.ends[end].node;
            let (one, other): (Vec<usize>, Vec<usize>) =
                (unused.iter()).partition(|&&end| node(end) == node(first));
            let is_one_node = other.iter().all(|&end| node(end) == node(other[0]));
            if one.len() == other.len() && is_one_node {
                for (&one, &other) in one.iter().zip(&other) {
                    peers[one] = Some(other);
                    peers[other] = Some(one);
                }
            }
        }
        let Some(peers) = peers.into_iter().collect::<Option<Vec<usize>>>() else {
            return;
        };
        let count = self.nodes.tables.len();
        let mut pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
        if pairs.all(|(from, to)| self.nodes.way(&peers, from, to).is_some()) {
            self.found.push(peers);
        }
    }
}
