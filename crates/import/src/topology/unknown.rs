//! Parts of a topology file for what no file says: those of the catalogue that come nearest, with wider
//! ranges.
//!
//! A default hides that a figure is unknown. A range as wide as the parts that it could be shows in the
//! interval of every prediction.

use std::fmt::Write as _;

use bandgraph_hardware::{PartKind, catalogue};
use bandgraph_units::Time;

use super::writer::{Writer, quoted};
use super::{cards, known_of, memory_part};
use crate::facts::Slot;
use crate::inspect::slot_rate;
use crate::origin::{Fact, Known};
use crate::resolve::{Card, CardKind, Machine, Socket};

/// Memory that is assumed where no file says the processor either, and the least and the most that a channel
/// of it carries.
const MEMORY: (&str, [f64; 2]) = ("ddr3-1333", [6.4e9, 25.6e9]);

/// How far latencies and cycles per instruction of a processor may be from those of one that is like it.
const PROCESSOR: [f64; 2] = [0.7, 1.4];

/// Channels that are assumed to be in use where no file says how many a socket has, and how many there can
/// be.
const CHANNELS: (u32, [f64; 2]) = (4, [1.0, 12.0]);
/// The least share of the channels of a socket that has modules, where no file says which.
const LEAST_USED: f64 = 0.5;

/// Memory of which something is unknown: a part with the range of what a channel can carry.
pub(super) struct AssumedMemory {
    /// The name of the part.
    pub(super) name: String,
    /// What is unknown of it.
    pub(super) why: String,
    /// Channels in use.
    pub(super) channels: u32,
    base: &'static str,
    /// Bytes/s of a channel.
    rate: f64,
    range: [f64; 2],
}

impl AssumedMemory {
    /// The memory of a socket; `part` is that of the catalogue that comes nearest, where files say the
    /// technology. `None` where everything is known.
    pub(super) fn of(socket: &Socket, part: Option<&'static str>) -> Option<Self> {
        let memory = &socket.memory;
        let used = memory.channels_used.known().filter(|&used| used > 0);
        let (channels, factors, unknown_channels) = match (used, memory.channels.known()) {
            (Some(used), _) => (used, [1.0, 1.0], None),
            (None, Some(channels)) => (
                channels,
                [LEAST_USED, 1.0],
                Some((
                    "used",
                    "no file says which channels have a module: half of them to all",
                )),
            ),
            (None, None) => (
                CHANNELS.0,
                CHANNELS.1.map(|channels| channels / f64::from(CHANNELS.0)),
                Some(("channels", "no file says how many channels there are: 1 to 12")),
            ),
        };
        let known = |rate: &Fact<f64>| Some((part?, rate.known()? * 8.0));
        let (base, rate, range, unknown_rate) = if let Some((part, rate)) = known(&memory.rate) {
            (part, rate, [rate; 2], None)
        } else if let Some((part, rated)) = known(&memory.rate_capable)
            && let Some((slowest, least)) = slowest_like(part)
        {
            let why = format!(
                "files say what modules are rated for, and not what they run at: {} to that",
                slowest.to_ascii_uppercase()
            );
            (part, rated, [least.min(rated), rated], Some(why))
        } else {
            let (base, least, why) = fastest_memory(socket).unwrap_or_else(|| {
                let why = "no file says what memory it is: DDR3-800 to DDR4-3200".to_owned();
                (MEMORY.0, MEMORY.1[0], why)
            });
            let rate = catalogue().memory(base)?.transfer_rate.get();
            let most = if base == MEMORY.0 { MEMORY.1[1] } else { rate };
            (base, rate, [least, most], Some(why))
        };
        let whys: Vec<String> = [unknown_rate, unknown_channels.map(|(_, why)| why.to_owned())]
            .into_iter()
            .flatten()
            .collect();
        let suffix = unknown_channels.map_or(String::new(), |(suffix, _)| format!("-{suffix}"));
        (!whys.is_empty()).then(|| Self {
            name: format!("unknown-{base}{suffix}"),
            why: whys.join("; "),
            channels,
            base,
            rate,
            range: [range[0] * factors[0], range[1] * factors[1]],
        })
    }

    fn write(&self, writer: &mut Writer<'_>) {
        head(writer, &self.name, "memory", self.base);
        let figure = format!(
            "{{ value = \"{} GB/s\", range = [\"{} GB/s\", \"{} GB/s\"], status = \"assumed\" }}",
            self.rate / 1e9,
            self.range[0] / 1e9,
            self.range[1] / 1e9
        );
        writer.field("transfer_rate", figure, self.why.clone());
    }
}

/// The fastest memory that the processor of a socket takes, bytes/s of a channel of the slowest of its kind,
/// and why both are assumed.
fn fastest_memory(socket: &Socket) -> Option<(&'static str, f64, String)> {
    let like = known_of(socket).and_then(|known| known.like);
    let fastest = catalogue().socket(socket.part.or(like)?)?.memory.as_str();
    let (slowest, least) = slowest_like(fastest)?;
    let why = format!(
        "such processors take {} to {}",
        slowest.to_ascii_uppercase(),
        fastest.to_ascii_uppercase()
    );
    Some((fastest, least, why))
}

/// The slowest memory of the catalogue of the same technology, and bytes/s of a channel of it.
fn slowest_like(part: &str) -> Option<(&'static str, f64)> {
    let (technology, _) = part.split_once('-')?;
    let modules = catalogue().names(PartKind::Memory).filter(|name| {
        let rate = name
            .strip_prefix(technology)
            .and_then(|name| name.strip_prefix('-'));
        rate.is_some_and(|rate| rate.bytes().all(|byte| byte.is_ascii_digit()))
    });
    let rate = |name: &str| Some(catalogue().memory(name)?.transfer_rate.get());
    modules
        .filter_map(|name| Some((name, rate(name)?)))
        .min_by(|one, other| one.1.total_cmp(&other.1))
}

/// Rate of a port of which no file says it, nor the link of its card, and the least and the most that it can
/// be at least, in bit/s.
const PORT_RATE: (f64, [f64; 2]) = (10e9, [1e9, 100e9]);
/// Rates of ports.
const PORT_RATES: [f64; 7] = [1e9, 10e9, 25e9, 40e9, 100e9, 200e9, 400e9];
/// Ports that a card can have, of which one is assumed.
const PORTS: [f64; 2] = [1.0, 4.0];
/// The least share of a card's lanes that its slot has, where no file says the link.
const LEAST_LANES: u8 = 4;

/// A network card, NVMe drive or host adapter of which something is unknown: a part with the ranges of what
/// it could be.
pub(super) struct AssumedCard {
    /// The name of the part.
    pub(super) name: String,
    /// What is unknown of it.
    pub(super) why: String,
    kind: CardKind,
    /// The part whose other figures it has.
    base: &'static str,
    /// Fields with figures in bit/s and their ranges.
    fields: Vec<(&'static str, f64, [f64; 2])>,
}

impl AssumedCard {
    /// The card with this number among those of its kind. `None` for other cards, and where files or the
    /// catalogue say everything.
    pub(super) fn of(machine: &Machine, card: &Card, index: u32) -> Option<Self> {
        let base = cards::part_like(card, true);
        let (whys, fields) = match card.kind {
            CardKind::Nic => nic(machine, card, base)?,
            CardKind::Nvme => nvme(machine, card, base)?,
            CardKind::Hba => hba(machine, card, base)?,
            CardKind::Gpu => return None,
        };
        (!whys.is_empty()).then(|| Self {
            name: format!("unknown-{}{index}", card.kind.as_str()),
            why: whys.join("; "),
            kind: card.kind,
            base,
            fields,
        })
    }

    /// Whether it says this field.
    pub(super) fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|&(name, ..)| name == field)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        head(writer, &self.name, self.kind.as_str(), self.base);
        for &(field, value, [least, most]) in &self.fields {
            let rate = |rate: f64| quoted(format!("{:.3} Gbit/s", rate / 1e9));
            let (value, range) = (rate(value), [rate(least), rate(most)].join(", "));
            let figure = format!("{{ value = {value}, range = [{range}], status = \"assumed\" }}");
            writer.field(field, figure, self.why.clone());
        }
    }
}

/// What is unknown, and the fields that it is of.
type Unknown = (Vec<&'static str>, Vec<(&'static str, f64, [f64; 2])>);

const UNKNOWN_LINK: &str = "no file says the link: a quarter of its lanes to all";

fn nic(machine: &Machine, card: &Card, base: &str) -> Option<Unknown> {
    let part = catalogue().nic(base)?;
    let of_part = card.part.map(|_| (part.port_rate.get() * 8.0, part.ports as f64));
    let rate = card.port_rate.known().or(of_part.map(|(rate, _)| rate));
    let ports = of_part
        .map(|(_, ports)| ports)
        .or(card.ports.known().map(f64::from));
    let (mut whys, mut fields) = (Vec::new(), Vec::new());
    if rate.is_none() {
        whys.push("no file says the rate of a port");
    }
    if ports.is_none() {
        whys.push("no file says how many ports it has: 1 to 4");
    }
    let of_ports = if ports.is_some() { [1.0; 2] } else { PORTS };
    let (value, range) = match rate {
        Some(rate) => (rate, [rate; 2]),
        None => port_rate(card, ports.unwrap_or(1.0)),
    };
    if !whys.is_empty() {
        fields.push((
            "port_rate",
            value,
            [range[0] * of_ports[0], range[1] * of_ports[1]],
        ));
    }
    let needed = value * ports.unwrap_or(1.0).max(1.0);
    let hosts = card.by_host();
    let least = hosts.iter().find_map(|link| least_of_link(machine, link));
    // The slot has all lanes, and limits where they carry less than the ports.
    if let Some(least) = least.filter(|&least| least < needed) {
        whys.push(UNKNOWN_LINK);
        fields.push(("card_rate", needed, [least, needed]));
    }
    Some((whys, fields))
}

/// The rate of a port of which no file says it: the highest that the link of the card carries for all its
/// ports, since cards are made so.
pub(super) fn port_rate(card: &Card, ports: f64) -> (f64, [f64; 2]) {
    let link = &card.pcie;
    let lanes = link.lanes_capable.known().or(link.lanes.known());
    let generation = link.generation_capable.known().or(link.generation.known());
    let carried = lanes
        .zip(generation)
        .and_then(|(lanes, generation)| slot_rate(generation, lanes));
    let fits = |rate: &&f64| carried.is_some_and(|carried| **rate * ports.max(1.0) <= carried * 8.0);
    let (assumed, [least, most]) = PORT_RATE;
    let likely = PORT_RATES.iter().rfind(fits).copied().unwrap_or(assumed);
    (likely, [least, most.max(likely)])
}

fn nvme(machine: &Machine, card: &Card, base: &str) -> Option<Unknown> {
    let part = catalogue().nvme(base)?;
    let Some(least) = least_of_link(machine, card) else {
        return Some((Vec::new(), Vec::new()));
    };
    let rates = [("read_rate", part.read_rate), ("write_rate", part.write_rate)];
    let fields = rates.map(|(field, rate)| (field, rate.get() * 8.0, [least, rate.get() * 8.0]));
    let fields: Vec<_> = (fields.into_iter())
        .filter(|(_, rate, [least, _])| least < rate)
        .collect();
    let whys = if fields.is_empty() {
        Vec::new()
    } else {
        vec![UNKNOWN_LINK]
    };
    Some((whys, fields))
}

fn hba(machine: &Machine, card: &Card, base: &str) -> Option<Unknown> {
    let part = catalogue().hba(base)?;
    let least = least_of_link(machine, card)?;
    // Of an adapter whose processor is no limit, what its link carries in both directions is.
    let rate = Some(part.data_rate.get() * 8.0).filter(|&rate| rate > 0.0);
    let rate = rate.unwrap_or(least * f64::from(LEAST_LANES) * 2.0);
    let fields = vec![("data_rate", rate, [least, rate])];
    (least < rate).then(|| (vec![UNKNOWN_LINK], fields))
}

/// The least that the link of a card carries of which no file says it, in bit/s.
fn least_of_link(machine: &Machine, card: &Card) -> Option<f64> {
    if !has_unknown_link(machine, card) {
        return None;
    }
    let family = machine.sockets.first().and_then(known_of);
    let family = family.and_then(|known| known.generation).unwrap_or(3);
    let generation = card.pcie.generation_capable.known().unwrap_or(3).min(family);
    let lanes = (card.pcie.lanes_capable.known())
        .or(cards::lanes_of_part(card))
        .unwrap_or(8);
    Some(slot_rate(generation, (lanes / LEAST_LANES).max(1))? * 8.0)
}

/// Whether no file says the link of a card that has one, nor the slot that it is in.
fn has_unknown_link(machine: &Machine, card: &Card) -> bool {
    let is_slot = |slot: &&Slot| slot.name.known() == card.slot.known() && slot.name.is_some();
    let slot = machine.slots.iter().find(is_slot);
    let is_wired = slot.is_some_and(|slot| slot.generation.is_some() && slot.lanes.is_some());
    let in_force = card.pcie.generation.is_some() && card.pcie.lanes.is_some();
    card.has_link && !in_force && card.pcie.carries.is_none() && !is_wired
}

/// The name of the processor that is assumed where the catalogue has only one like it.
pub(super) fn processor(like: &str) -> String {
    format!("like-{like}")
}

/// Writes the parts that sockets of the machine need.
pub(super) fn parts(writer: &mut Writer<'_>, machine: &Machine) {
    let catalogue = catalogue();
    let mut done: Vec<String> = Vec::new();
    for socket in &machine.sockets {
        let known = known_of(socket);
        let like = known.and_then(|known| known.like).unwrap_or("epyc-9354");
        let is_like = socket.part.is_none() && !done.contains(&processor(like));
        if let Some(part) = catalogue.socket(like).filter(|_| is_like) {
            done.push(processor(like));
            head(writer, &processor(like), "socket", like);
            let why = format!("the latency of {like}, 30 % less to 40 % more");
            let nanoseconds = |time: Time, factor: f64| format!("\"{:.1} ns\"", time.get() * factor * 1e9);
            let latency = |time: Time| range(&|factor| nanoseconds(time, factor));
            writer.field("local_latency", latency(part.local_latency), why.clone());
            writer.field("probe_latency", latency(part.probe_latency), why);
            let why = format!("that of {like}, 30 % less to 40 % more");
            let cpi = range(&|factor| format!("{:.3}", part.base_cpi * factor));
            writer.field("base_cpi", cpi, why);
        }
        let assumed = AssumedMemory::of(socket, memory_part(&socket.memory));
        if let Some(assumed) = assumed.filter(|assumed| !done.contains(&assumed.name)) {
            assumed.write(writer);
            done.push(assumed.name);
        }
    }
    for kind in [CardKind::Nic, CardKind::Nvme, CardKind::Hba] {
        let cards = machine.cards.iter().filter(|card| card.kind == kind);
        let modelled = cards.filter(|card| kind != CardKind::Nvme || card.has_link);
        for (card, index) in modelled.zip(0..) {
            if let Some(assumed) = AssumedCard::of(machine, card, index) {
                assumed.write(writer);
            }
        }
    }
}

fn head(writer: &mut Writer<'_>, name: &str, kind: &str, base: &str) {
    writer.table("[part]");
    let _ = writeln!(
        writer.text,
        "name = {}\nkind = \"{kind}\"\nbase = \"{base}\"",
        quoted(name)
    );
    let _ = writeln!(writer.text, "source = \"no file says it\"");
}

/// A figure with the range of a processor that is like another.
fn range(show: &dyn Fn(f64) -> String) -> String {
    format!(
        "{{ value = {}, range = [{}, {}], status = \"assumed\" }}",
        show(1.0),
        show(PROCESSOR[0]),
        show(PROCESSOR[1])
    )
}
