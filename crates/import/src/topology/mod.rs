//! A machine as a topology file: each line names the file and line that said it, or `# assumed: ...`.

mod cards;
mod links;
mod slots;
mod switches;
mod unknown;
mod writer;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_hardware::{PartKind, SocketPart, catalogue};
use bandgraph_topology::MAX_SOCKETS;

use crate::facts::{Interface, Processor, Slot};
use crate::origin::{Fact, Known, Said};
use crate::pci::PciAddress;
use crate::resolve::{CardKind, Machine, Memory, Socket};
use crate::table::{self, KnownProcessor};
use slots::Bridges;
use switches::Switches;
use unknown::AssumedMemory;
pub use writer::Assumption;
pub(crate) use writer::quoted;
use writer::{Writer, gib};

/// A topology file.
#[derive(Clone, Debug)]
pub struct TopologyText {
    /// The file.
    pub text: String,
    /// What no file says and was assumed.
    pub assumptions: Vec<Assumption>,
    /// Cards that stay where they are: those outside all slots of firmware that knows what is in them.
    pub fixed_cards: Vec<String>,
}

/// The topology file of a machine.
///
/// # Errors
///
/// A diagnostic if no file says what sockets it has, or if they are too many.
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
    if machine.sockets.len() > MAX_SOCKETS {
        let count = machine.sockets.len();
        let message = format!("the files list {count} sockets; a server has at most {MAX_SOCKETS}");
        return Err(Box::new(
            Diagnostic::error("import::too_many_sockets", message)
                .help("give the files of one machine; `inspect --each FOLDER/*` takes each folder and file there as one"),
        ));
    }
    let mut writer = Writer {
        sources,
        text: String::new(),
        assumptions: Vec::new(),
    };
    head(&mut writer, machine);
    unknown::parts(&mut writer, machine);
    for (index, socket) in machine.sockets.iter().enumerate() {
        self::socket(&mut writer, machine, index, socket);
    }
    links::links(&mut writer, machine);
    let bridges = Bridges::of(machine);
    for bridge in &bridges.all {
        slots::bridge(&mut writer, machine, bridge);
    }
    let switches = Switches::of(machine);
    switches.write(&mut writer, &bridges);
    let slots = slots::slots(&mut writer, machine, &bridges, &switches);
    let is_seated = |slot: &Slot| slot.address.is_some() && slot.in_use.known() == Some(true);
    let knows_cards = machine.slots.iter().any(is_seated);
    let mut cards_of_slots: BTreeMap<&str, u32> = BTreeMap::new();
    for slot in machine.cards.iter().filter_map(|card| card.slot.as_ref()) {
        *cards_of_slots.entry(&slot.value).or_default() += 1;
    }
    let mut fixed_cards = Vec::new();
    let mut counts = [0; 4];
    for (card, slot) in machine.cards.iter().zip(slots) {
        let count = &mut counts[card.kind as usize];
        if cards::card(&mut writer, machine, card, *count, &slot, &bridges) {
            // Of several cards in one slot, none leaves it alone.
            let of_slot = (card.slot.as_ref()).map(|slot| cards_of_slots[slot.value.as_str()]);
            if knows_cards && card.has_link && of_slot != Some(1) {
                fixed_cards.push(format!("{}{count}", card.kind.as_str()));
            }
            *count += 1;
        }
    }
    Ok(TopologyText {
        text: writer.text,
        assumptions: writer.assumptions,
        fixed_cards,
    })
}

fn head(writer: &mut Writer<'_>, machine: &Machine) {
    writer.text.push_str(
        "# Made by `bandgraph import`. Each line names its source, or the reason of an assumption.\n",
    );
    writer.text.push_str("schema = 1\n");
    writer.fact(
        "name",
        &machine.name,
        quoted,
        ("Imported server".to_owned(), "no file names the machine"),
    );
    if let Some(name) = machine.sockets.first().and_then(|socket| socket.name.as_ref()) {
        let text = format!("{} x {}", machine.sockets.len(), name.value.trim());
        writer.field("description", quoted(text), name.at);
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

/// The nodes of a socket, if a topology can say that it is divided in them: its processor is known for it,
/// each node has whole memory channels, and no routes between whole sockets are known.
fn nodes_of(machine: &Machine, socket: usize) -> Fact<u32> {
    let nodes = machine.nodes_of(socket);
    let socket = &machine.sockets[socket];
    let part = part_of(socket)?;
    let memory = &socket.memory;
    // Where no file says which channels have modules, all are assumed to.
    let channels = memory.channels_used.known().or(memory.channels.known())?;
    nodes.filter(|&Said { value: nodes, .. }| {
        part.is_divided_in(u64::from(nodes))
            && channels.is_multiple_of(nodes)
            && machine.fabric.routes.is_empty()
    })
}

/// The part of the catalogue that a processor is, or the one that it is like.
fn part_of(socket: &Socket) -> Option<&'static SocketPart> {
    let like = known_of(socket).and_then(|known| known.like);
    catalogue().socket(socket.part.or(like)?)
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
    if let (Some(part), Some(name)) = (socket.part, name) {
        writer.field("part", quoted(part), name.at);
    } else {
        let like = known.and_then(|known| known.like).unwrap_or("epyc-9354");
        let what = name.map_or("the processor is unknown".to_owned(), |name| {
            format!("the catalogue has no {}", name.value.trim())
        });
        let why = format!("{what}; latencies and CPI are like those of {like}");
        writer.field("part", quoted(unknown::processor(like)), why);
    }
    writer.known("cores", &socket.cores, |cores| cores);
    writer.known("numa_nodes", &nodes_of(machine, index), |nodes| nodes);
    // The catalogue has the clock of its parts under load; names and firmware have the one at rated power.
    let named = name.and_then(|name| Some((format!("{} GHz", clock_in(&name.value)?), name.at)));
    let clock_mhz = processor.clock_mhz.as_ref();
    let rated = named.or_else(|| clock_mhz.map(|clock| (format!("{} MHz", clock.value), clock.at)));
    if let (None, Some((clock, at))) = (socket.part, rated) {
        writer.field("clock", quoted(&clock), at);
        writer.field("base_clock", quoted(&clock), at);
    }
    let (links, sockets) = (
        known.and_then(|known| known.links).unwrap_or(1),
        machine.sockets.len(),
    );
    let links = machine.facts.system.socket_links.known().unwrap_or(links);
    let is_of_socket = |bridge: &str| bridge.starts_with("root-complex");
    if socket.part.is_none() || known.and_then(|known| known.bridge).is_some_and(is_of_socket) {
        let ports = (links.min(16) as usize * (sockets - 1) + 8).min(links::MOST_PORTS);
        writer.field("link_ports", ports, "enough for its links and for bridges");
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
        .filter(|clock| (0.1..100.0).contains(clock))
}

/// The memory of the catalogue that comes nearest, where files say its technology and rate.
fn memory_part(memory: &Memory) -> Option<&'static str> {
    let technology = memory.technology.known().unwrap_or_default().to_ascii_lowercase();
    let rate = memory.rate.known().or(memory.rate_capable.known());
    let rate = rate.map(|rate| rate / 1e6);
    nearest(PartKind::Memory, &format!("{technology}-"), rate)
}

fn memory(writer: &mut Writer<'_>, socket: &Socket) {
    let memory = &socket.memory;
    writer.table("socket.memory");
    let part = memory_part(memory);
    match (AssumedMemory::of(socket, part), part, &memory.rate) {
        (Some(assumed), ..) => {
            writer.field("part", quoted(&assumed.name), assumed.why.clone());
            let used = memory.channels_used.clone().filter(|used| used.value > 0);
            writer.fact(
                "channels",
                &used,
                |channels| channels,
                (assumed.channels, &assumed.why),
            );
        }
        (None, Some(part), Some(rate)) => {
            writer.field("part", quoted(part), rate.at);
            let bandwidth = quoted(format!("{} GB/s", rate.value * 8.0 / 1e9));
            writer.field("transfer_rate", bandwidth, rate.at);
            writer.known("channels", &memory.channels_used, |channels| channels);
        }
        (None, ..) => {}
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
fn nearest(kind: PartKind, prefix: &str, rate: Option<f64>) -> Option<&'static str> {
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

/// The port of an interface in the topology file: `port.nic0.1` for the second interface of the first card.
pub(crate) fn port_of(machine: &Machine, interface: &str) -> Option<String> {
    let address = |name: &str| {
        let is = |one: &&Interface| one.name.is(|said| *said == name);
        machine.facts.interfaces.iter().find(is)?.address.known()
    };
    let wanted = address(interface)?;
    let mut cards = machine.cards.iter().filter(|card| card.kind == CardKind::Nic);
    let card = cards.position(|card| {
        let second = card.second.as_ref().and_then(|link| link.address);
        let mut hosts = [card.address, second].into_iter().flatten();
        hosts.any(|address| address.first_function() == wanted.first_function())
    })?;
    let mut of_card: Vec<(PciAddress, &str)> = (machine.facts.interfaces.iter())
        .filter_map(|one| Some((one.address.known()?, one.name.value()?.as_str())))
        .filter(|(address, _)| address.first_function() == wanted.first_function())
        .collect();
    of_card.sort_unstable();
    let port = of_card.iter().position(|&(_, name)| name == interface)?;
    Some(format!("port.nic{card}.{port}"))
}
