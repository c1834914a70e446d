//! Links between sockets of a topology file.

#![expect(clippy::ref_option, reason = "a fact is one type, known or not")]

use bandgraph_hardware::{PartKind, catalogue};

use super::writer::{Because, Writer, quoted};
use super::{known_of, nearest};
use crate::origin::{Fact, Known, Origin};
use crate::resolve::{Machine, SocketLink};

/// Ports that a socket can have of which no file says how many.
pub(super) const MOST_PORTS: usize = 64;

/// Writes the links between sockets, and the ways of more than one hop.
pub(super) fn links(writer: &mut Writer<'_>, machine: &Machine) {
    let known = machine.sockets.first().and_then(known_of);
    let part = known.and_then(|known| known.link).unwrap_or("qpi-6400");
    if let Some(links) = machine.fabric.links.as_ref().filter(|links| !links.is_empty()) {
        let part = if part.starts_with("ht") { part } else { "ht1-x16" };
        read_links(writer, machine, links, part);
        return;
    }
    let sockets = machine.sockets.len();
    // With two sockets all links of one lead to the other.
    let counted = machine
        .facts
        .system
        .socket_links
        .clone()
        .filter(|links| sockets == 2 && (1..=4).contains(&links.value));
    let count = match &counted {
        Some(links) => links.value,
        None => known.and_then(|known| known.links).unwrap_or(1),
    };
    // Dell prints the rate of the socket links as the external clock: 7200 for 7.2 GT/s.
    let rate = machine
        .facts
        .processors
        .first()
        .and_then(|processor| processor.external_clock_mhz.clone())
        .filter(|clock| clock.value >= 2000.0);
    let megatransfers = rate.as_ref().map(|rate| rate.value);
    let intel = ["qpi-", "upi-"];
    let part = intel
        .into_iter()
        .filter(|_| intel.iter().any(|prefix| part.starts_with(prefix)))
        .filter_map(|prefix| nearest(PartKind::SocketLink, prefix, megatransfers))
        .min_by_key(|name| {
            let number = name[4..].parse::<f64>().unwrap_or(0.0);
            (number - megatransfers.unwrap_or(0.0)).abs() as u64
        })
        .unwrap_or(part);
    let neighbours = neighbours(machine);
    // What no file says fits the ports of the sockets: of each pair, else of each pair in a ring.
    let ports = ports_for_links(machine);
    let reaches_all = sockets.saturating_sub(1) <= ports;
    let others = if reaches_all { sockets.saturating_sub(1) } else { 2 };
    let count = match neighbours {
        None if counted.is_none() => count.min((ports / others.max(1)).max(1) as u32),
        _ => count,
    };
    for first in 0..sockets {
        for second in first + 1..sockets {
            let is_joined = match &neighbours {
                Some((pairs, _)) => pairs.contains(&(first, second)),
                None => reaches_all || second == first + 1 || (first, second) == (0, sockets - 1),
            };
            if !is_joined {
                continue;
            }
            for _ in 0..count {
                writer.table("[link]");
                let ends = format!("[\"cpu{first}\", \"cpu{second}\"]");
                let why = if sockets == 2 {
                    format!("{count} between two sockets of this family")
                } else if reaches_all {
                    "every socket is joined to every other".to_owned()
                } else {
                    format!("a ring: a socket has ports for {ports} links to others")
                };
                let said = counted.as_ref().map(|links| links.at);
                let said = said.or(neighbours.as_ref().map(|&(_, at)| at));
                writer.field("ends", ends, Because::of(said, why));
                kind(writer, machine, part);
                if let Some(rate) = &rate {
                    // Two transfers a cycle; HyperTransport prints its clock and not its transfers.
                    let transfers = if part.starts_with("ht") { 1.0 } else { 2.0 };
                    let clock = quoted(format!("{} MHz", rate.value / transfers));
                    writer.field("clock", clock, rate.at);
                }
            }
        }
    }
}

/// The most links of a socket of any processor: those of Opterons with HyperTransport 3 and of recent Xeons.
const MOST_LINKS: u64 = 4;

/// The links to other sockets that each socket has ports for: those that the hub of the first leaves. Of a
/// processor that the catalogue does not have, one with HyperTransport has the ports of the one that it is
/// like.
fn ports_for_links(machine: &Machine) -> usize {
    let first = machine.sockets.first();
    let known = first.and_then(known_of);
    let is_hypertransport = |link: &str| link.starts_with("ht");
    let like = known.filter(|known| known.link.is_some_and(is_hypertransport));
    let part = first
        .and_then(|socket| socket.part)
        .or(like.and_then(|known| known.like));
    let ports = part.and_then(|part| catalogue().socket(part));
    let ports = ports.map_or(MOST_LINKS, |part| part.link_ports) as usize;
    let is_hub = |bridge: &str| !bridge.starts_with("root-complex");
    let hubs = known.and_then(|known| known.bridge).is_some_and(is_hub);
    ports.saturating_sub(usize::from(hubs))
}

/// Writes the kind of link, which follows from the processor.
fn kind(writer: &mut Writer<'_>, machine: &Machine, part: &str) {
    let name = machine.sockets[0].name.as_ref();
    let is_known = known_of(&machine.sockets[0]).is_some_and(|known| known.link.is_some());
    let said = name.filter(|_| is_known).at();
    writer.field(
        "part",
        quoted(part),
        Because::of(said, "the kind of link is unknown"),
    );
}

/// Writes links that registers tell of.
fn read_links(writer: &mut Writer<'_>, machine: &Machine, links: &[SocketLink], part: &str) {
    for link in links {
        let ([one, other], at) = link.ends;
        writer.table("[link]");
        writer.field("ends", format!("[\"cpu{one}\", \"cpu{other}\"]"), at);
        kind(writer, machine, part);
        wire(writer, &link.width, &link.clock_hz);
    }
    for (way, at) in &machine.fabric.routes {
        let [from, via @ .., to] = &way[..] else { continue };
        writer.table("[route]");
        writer.field("from", quoted(format!("cpu{from}")), *at);
        writer.field("to", quoted(format!("cpu{to}")), *at);
        let via: Vec<String> = via.iter().map(|socket| quoted(format!("cpu{socket}"))).collect();
        writer.field("via", format!("[{}]", via.join(", ")), *at);
    }
}

/// Writes the width and the clock of a HyperTransport link.
pub(super) fn wire(writer: &mut Writer<'_>, width: &Fact<u8>, clock_hz: &Fact<f64>) {
    writer.known("width_bits", width, |bits| bits);
    let gigahertz = |hertz: f64| quoted(format!("{} GHz", hertz / 1e9));
    writer.known("clock", clock_hz, gigahertz);
}

/// The pairs of sockets that are a hop apart, by the distances that firmware gives: the least between
/// sockets. `None` where there are two sockets, where firmware gives none, and where the pairs do not join
/// all sockets.
fn neighbours(machine: &Machine) -> Option<(Vec<(usize, usize)>, Origin)> {
    let sockets = machine.sockets.len();
    let said = machine.facts.system.distances.as_ref().filter(|_| sockets > 2)?;
    let nodes = &machine.facts.nodes;
    let of_node: Option<Vec<usize>> = match nodes.len() {
        0 if said.value.len() == sockets => Some((0..sockets).collect()),
        count if count == said.value.len() => nodes
            .iter()
            .map(|node| Some(node.socket.known()? as usize))
            .collect(),
        _ => None,
    };
    let of_node = of_node.filter(|of_node| of_node.iter().all(|&socket| socket < sockets))?;
    let between = of_node.iter().enumerate().flat_map(|(row, &first)| {
        let others = of_node
            .iter()
            .enumerate()
            .filter(move |&(_, &second)| first < second);
        others.map(move |(column, &second)| ((first, second), (row, column)))
    });
    let between: Vec<_> = between
        .filter_map(|(pair, (row, column))| Some((pair, *said.value.get(row)?.get(column)?)))
        .collect();
    let least = between.iter().map(|&(_, distance)| distance).min()?;
    let mut pairs: Vec<(usize, usize)> = (between.into_iter())
        .filter(|&(_, distance)| distance == least)
        .map(|(pair, _)| pair)
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut reached = vec![0];
    let mut next = 0;
    while let Some(&socket) = reached.get(next) {
        next += 1;
        for &(first, second) in &pairs {
            let other = if first == socket { second } else { first };
            if (first == socket || second == socket) && !reached.contains(&other) {
                reached.push(other);
            }
        }
    }
    (reached.len() == sockets).then_some((pairs, said.at))
}
