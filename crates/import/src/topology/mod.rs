//! A machine as a topology file: each line names the file and line that said it, or `# assumed: ...`.

mod cards;
mod slots;
mod switches;
mod unknown;
mod writer;

use std::fmt::Write as _;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_hardware::{PartKind, catalogue};

use crate::facts::{Interface, Processor};
use crate::origin::{Known, Origin};
use crate::pci::PciAddress;
use crate::resolve::{CardKind, Machine, Memory, Socket};
use crate::table::{self, KnownProcessor};
use slots::Bridges;
use switches::Switches;
pub(crate) use writer::quoted;
use writer::{Because, Writer, gib};

/// A topology file.
#[derive(Clone, Debug)]
pub struct TopologyText {
    /// The file.
    pub text: String,
    /// What no file says and was assumed.
    pub assumptions: Vec<String>,
}

/// The topology file of a machine.
///
/// # Errors
///
/// A diagnostic if no file says what sockets it has.
pub fn topology(machine: &Machine, sources: &Sources) -> Result<TopologyText, Box<Diagnostic>> {
    if machine.sockets.is_empty() {
        return Err(Box::new(
            Diagnostic::error(
                "import::no_sockets",
                "none of the files says what sockets the machine has",
            )
            .help("add the output of `dmidecode`, `lscpu` or `lstopo --of xml`"),
        ));
    }
    let mut writer = Writer {
        sources,
        text: String::new(),
        assumptions: Vec::new(),
    };
    head(&mut writer, machine);
    unknown::parts(&mut writer, machine, |memory| memory_part(memory).is_some());
    for (index, socket) in machine.sockets.iter().enumerate() {
        self::socket(&mut writer, machine, index, socket);
    }
    links(&mut writer, machine);
    let bridges = Bridges::of(machine);
    for bridge in &bridges.all {
        slots::bridge(&mut writer, machine, bridge);
    }
    let switches = Switches::of(machine);
    switches.write(&mut writer, &bridges);
    let slots = slots::slots(&mut writer, machine, &bridges, &switches);
    let mut counts = [0; 4];
    for (card, slot) in machine.cards.iter().zip(slots) {
        let count = &mut counts[card.kind as usize];
        if cards::card(&mut writer, card, *count, slot.as_deref(), &bridges) {
            *count += 1;
        }
    }
    Ok(TopologyText {
        text: writer.text,
        assumptions: writer.assumptions,
    })
}

fn head(writer: &mut Writer<'_>, machine: &Machine) {
    writer.text.push_str("# Made by `bandgraph import`. Each line names the file and line that said it, or what was assumed.\n");
    writer.text.push_str("schema = 1\n");
    writer.fact(
        "name",
        &machine.name,
        quoted,
        ("Imported server".to_owned(), "no file names the machine"),
    );
    if let Some(name) = machine.sockets.first().and_then(|socket| socket.name.as_ref()) {
        let text = format!("{} x {}", machine.sockets.len(), name.value.trim());
        writer.field("description", quoted(text), Because::Said(name.at));
    }
    let files: Vec<&str> = writer
        .sources
        .ids()
        .map(|id| writer.sources.name(id))
        .take(8)
        .collect();
    let source = quoted(format!("imported from {}", files.join(", ")));
    let _ = writeln!(writer.text, "source = {source}");
}

fn known_of(socket: &Socket) -> Option<&'static KnownProcessor> {
    socket
        .name
        .as_ref()
        .and_then(|name| table::processor(&name.value))
}

fn socket(writer: &mut Writer<'_>, machine: &Machine, index: usize, socket: &Socket) {
    let unnamed = Processor::default();
    let processor = machine.facts.processors.get(index).unwrap_or(&unnamed);
    let known = known_of(socket);
    writer.table("[socket]");
    let _ = writeln!(writer.text, "id = \"cpu{index}\"");
    let name = socket.name.as_ref();
    if let (Some(part), Some(name)) = (known.and_then(|known| known.part), name) {
        writer.field("part", quoted(part), Because::Said(name.at));
    } else {
        let like = known.and_then(|known| known.like).unwrap_or("epyc-9354");
        let what = name.map_or("an unknown processor", |name| name.value.trim());
        let why = format!("the catalogue has no {what}; latencies and CPI are like those of {like}");
        writer.field("part", quoted(unknown::processor(like)), Because::Assumed(why));
    }
    writer.known("cores", &socket.cores, |cores| cores);
    match name.and_then(|name| Some((name.at, clock_in(&name.value)?))) {
        Some((at, clock)) => writer.field("clock", quoted(format!("{clock} GHz")), Because::Said(at)),
        None => writer.known("clock", &processor.clock_mhz, |clock| {
            quoted(format!("{clock} MHz"))
        }),
    }
    let (links, sockets) = (
        known.and_then(|known| known.links).unwrap_or(1),
        machine.sockets.len(),
    );
    let links = machine.facts.system.socket_links.known().unwrap_or(links);
    if known.and_then(|known| known.part).is_none() {
        let ports = links.min(16) as usize * (sockets - 1) + 8;
        let why = "as many as its links and bridges need".to_owned();
        writer.field("link_ports", ports, Because::Assumed(why));
    }
    memory(writer, socket);
}

/// The clock that Intel prints into names, in GHz: `@ 2.90GHz`.
fn clock_in(name: &str) -> Option<f64> {
    let (_, clock) = name.split_once("@ ")?;
    clock
        .trim()
        .strip_suffix("GHz")?
        .trim()
        .parse()
        .ok()
        .filter(|&clock| clock > 0.1)
}

/// The memory of the catalogue that comes nearest, where files say its technology and rate.
fn memory_part(memory: &Memory) -> Option<&'static str> {
    let technology = memory.technology.known().unwrap_or_default().to_ascii_lowercase();
    let rate = memory.rate.known().map(|rate| rate / 1e6);
    nearest("memory", &format!("{technology}-"), rate)
}

fn memory(writer: &mut Writer<'_>, socket: &Socket) {
    let memory = &socket.memory;
    writer.table("socket.memory");
    if let (Some(part), Some(rate)) = (memory_part(memory), &memory.rate) {
        writer.field("part", quoted(part), Because::Said(rate.at));
        let bandwidth = rate.value * 8.0 / 1e9;
        writer.field(
            "transfer_rate",
            quoted(format!("{bandwidth} GB/s")),
            Because::Said(rate.at),
        );
    } else {
        let (part, why) = unknown::memory(memory);
        writer.field("part", quoted(part), Because::Assumed(why.to_owned()));
    }
    let used = memory.channels_used.clone().filter(|used| used.value > 0);
    match (used, &memory.channels) {
        (Some(used), _) => writer.field("channels", used.value, Because::Said(used.at)),
        (None, Some(channels)) => {
            let why = "all channels of the socket are in use".to_owned();
            writer.field("channels", channels.value, Because::Assumed(why));
        }
        (None, None) => writer.field(
            "channels",
            2,
            Because::Assumed("no file says how many".to_owned()),
        ),
    }
    let size = memory.size_bytes.clone().filter(|size| size.value > 0);
    writer.fact(
        "size",
        &size,
        gib,
        (1 << 34, "no file says how much this socket has"),
    );
}

/// The part of the catalogue whose name begins with `prefix` and ends with the number nearest to `rate`.
fn nearest(kind: &str, prefix: &str, rate: Option<f64>) -> Option<&'static str> {
    let kind = *PartKind::ALL.iter().find(|one| one.as_str() == kind)?;
    let rate = rate?;
    let names = catalogue().names(kind);
    let rated = names.filter_map(|name| {
        let number: f64 = name
            .strip_prefix(prefix)
            .filter(|_| prefix.len() > 1)?
            .parse()
            .ok()?;
        Some((name, (number - rate).abs()))
    });
    rated.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name)
}

fn links(writer: &mut Writer<'_>, machine: &Machine) {
    let known = machine.sockets.first().and_then(known_of);
    let part = known.and_then(|known| known.link).unwrap_or("qpi-6400");
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
    let coherent = machine.facts.hypertransport.iter().find(|link| {
        let up = link.is_up.known() == Some(true) && link.is_host.known() == Some(true);
        up && link.address.as_ref().is_some_and(|said| said.value.device > 0x18)
    });
    let megatransfers = rate.as_ref().map(|rate| rate.value);
    let intel = ["qpi-", "upi-"];
    let part = intel
        .into_iter()
        .filter(|_| intel.iter().any(|prefix| part.starts_with(prefix)))
        .filter_map(|prefix| nearest("socket-link", prefix, megatransfers))
        .min_by_key(|name| {
            let number = name[4..].parse::<f64>().unwrap_or(0.0);
            (number - megatransfers.unwrap_or(0.0)).abs() as u64
        })
        .unwrap_or(part);
    let neighbours = neighbours(machine);
    for first in 0..sockets {
        for second in first + 1..sockets {
            let is_apart = |(pairs, _): &(Vec<(usize, usize)>, Origin)| !pairs.contains(&(first, second));
            if neighbours.as_ref().is_some_and(is_apart) {
                continue;
            }
            for _ in 0..count {
                writer.table("[link]");
                let ends = format!("[\"cpu{first}\", \"cpu{second}\"]");
                let why = if sockets == 2 {
                    format!("{count} between two sockets of this family")
                } else {
                    "every socket is joined to every other".to_owned()
                };
                let said = counted.as_ref().map(|links| links.at);
                let said = said.or(neighbours.as_ref().map(|&(_, at)| at));
                let because = said.map_or(Because::Assumed(why), Because::Said);
                writer.field("ends", ends, because);
                let name = machine.sockets[0].name.as_ref();
                match name.filter(|_| known.is_some_and(|known| known.link.is_some())) {
                    Some(name) => writer.field("part", quoted(part), Because::Said(name.at)),
                    None => writer.field(
                        "part",
                        quoted(part),
                        Because::Assumed("the kind of link is unknown".to_owned()),
                    ),
                }
                match (coherent.and_then(|link| link.clock_hz.as_ref()), &rate) {
                    (Some(clock), _) => {
                        let value = quoted(format!("{} GHz", clock.value / 1e9));
                        writer.field("clock", value, Because::Said(clock.at));
                    }
                    // Two transfers a cycle; HyperTransport prints its clock and not its transfers.
                    (None, Some(rate)) => {
                        let clock = if part.starts_with("ht") {
                            rate.value
                        } else {
                            rate.value / 2.0
                        };
                        writer.field("clock", quoted(format!("{clock} MHz")), Because::Said(rate.at));
                    }
                    (None, None) => {}
                }
            }
        }
    }
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

/// The port of an interface in the topology file: `port.nic0.1` for the second interface of the first card.
pub(crate) fn port_of(machine: &Machine, interface: &str) -> Option<String> {
    let address = |name: &str| {
        let is = |one: &&Interface| one.name.as_ref().is_some_and(|said| said.value == name);
        machine.facts.interfaces.iter().find(is)?.address.known()
    };
    let wanted = address(interface)?;
    let mut cards = machine.cards.iter().filter(|card| card.kind == CardKind::Nic);
    let card = cards.position(|card| card.address.first_function() == wanted.first_function())?;
    let mut of_card: Vec<(PciAddress, &str)> = (machine.facts.interfaces.iter())
        .filter_map(|one| Some((one.address.known()?, one.name.as_ref()?.value.as_str())))
        .filter(|(address, _)| address.first_function() == wanted.first_function())
        .collect();
    of_card.sort_unstable();
    let port = of_card.iter().position(|&(_, name)| name == interface)?;
    Some(format!("port.nic{card}.{port}"))
}
