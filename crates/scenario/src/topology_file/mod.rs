//! From a decoded topology to a checked [`Topology`].

mod diagnose;

use bandgraph_config::{Decoded, Problems, spread};
use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_hardware::{
    AnyPart, BridgePart, CardHeight, ChassisPart, DiskPart, DrivePart, JbodPart, MemoryPart, NicPart,
    OwnParts, PcieSwitchPart, SocketLinkPart, SocketPart,
};
use bandgraph_topology::{
    BridgeSpec, CardPart, CardSpec, JbodSpec, LinkSpec, MemorySpec, NodesSpec, RouteSpec, Seat, SecondPath,
    SlotSpec, SocketSpec, SwitchSpec, Topology, TopologyError, TopologySpec,
};
use bandgraph_units::Bytes;

use crate::counted::{copies, ids, is_counted, mismatch};
use diagnose::{diagnostic, explained_names, is_known_already, unreachable_cards};

/// Link ports of a socket whose part is not known, so that nothing is said about what is not known.
const MANY_PORTS: u64 = 64;

/// Builds the topology that a table describes. Entries that could not be read whole take part with
/// placeholders for what is missing, so that the structure of the rest is checked too; nothing is then said
/// about these entries themselves. `None` if anything is wrong.
pub(crate) fn build(
    decoded: &Decoded,
    parts: OwnParts<'_>,
    sources: &Sources,
    problems: &mut Problems,
) -> Option<Topology> {
    seats(decoded, problems);
    let spec = specification(decoded, parts);
    match Topology::build(spec) {
        Ok(topology) => decoded.sound.then_some(topology),
        Err(errors) => {
            let explained = explained_names(decoded, &errors);
            let is_torn =
                (errors.iter()).any(|error| matches!(error, TopologyError::UnreachableSocket { .. }));
            for error in errors {
                if problems.is_full() {
                    break;
                }
                let follows = match &error {
                    TopologyError::Unknown { expected, name, .. } => explained
                        .iter()
                        .any(|(kind, other)| kind == expected && other == name),
                    // The links that are missing are missing on routes too.
                    TopologyError::RouteWithoutLink { .. } => is_torn,
                    _ => false,
                };
                if follows || is_known_already(decoded, &error) {
                    continue;
                }
                problems.push(diagnostic(decoded, &error, sources));
                if let TopologyError::UnreachableSocket { socket, first, .. } = &error {
                    unreachable_cards(decoded, socket, first, problems);
                }
            }
            None
        }
    }
}

/// Every card says where it sits, and every slot and bridge what it hangs on, once.
fn seats(decoded: &Decoded, problems: &mut Problems) {
    for (kind, field, each) in [
        ("bridge", "socket", false),
        ("bridge", "uplink.to", false),
        ("slot", "bridge", false),
        ("slot", "switch", false),
        ("card", "slot", true),
        ("card", "second_slot", true),
        ("card", "bridge", false),
        ("jbod", "hba", false),
    ] {
        for entry in decoded.entries(kind) {
            let text = match field.split_once('.') {
                None => entry.text(field),
                Some((table, field)) => entry.table(table).and_then(|table| table.text(field)),
            };
            problems.extend(text.and_then(|text| mismatch(entry, field, text, each)));
        }
    }
    for bridge in decoded.entries("bridge") {
        let id = bridge.text("id").unwrap_or("?");
        match (bridge.table("uplink"), bridge.text("socket")) {
            (Some(_), Some(_)) => problems.push(
                Diagnostic::error(
                    "topology::two_seats",
                    format!("bridge `{id}` is part of a socket and has an uplink"),
                )
                .at(bridge.place_of("socket"))
                .also(bridge.place_of("uplink").label("and here"))
                .help("leave out the socket: the uplink says to which it goes"),
            ),
            (None, None) if bridge.sound => problems.push(
                Diagnostic::error(
                    "topology::no_seat",
                    format!("bridge `{id}` does not say what it hangs on"),
                )
                .at(bridge.place.clone().label("no `uplink` and no `socket`"))
                .help("write `uplink = { to = \"...\", part = \"...\" }`, or `socket = \"...\"` for a root complex that is part of it"),
            ),
            _ => {}
        }
    }
    for slot in decoded.entries("slot") {
        let id = slot.text("id").unwrap_or("?");
        match (slot.text("bridge"), slot.text("switch")) {
            (Some(_), Some(_)) => problems.push(
                Diagnostic::error(
                    "topology::two_seats",
                    format!("slot `{id}` hangs on a bridge and on a switch"),
                )
                .at(slot.place_of("switch"))
                .also(slot.place_of("bridge").label("and here"))
                .help("leave out the bridge: a switch knows its own"),
            ),
            (None, None) if slot.sound => problems.push(
                Diagnostic::error(
                    "topology::no_seat",
                    format!("slot `{id}` does not say what it hangs on"),
                )
                .at(slot.place.clone().label("no `bridge` and no `switch`"))
                .help(
                    "write `bridge = \"...\"`, or `switch = \"...\"` for a slot behind a PCI Express switch",
                ),
            ),
            _ => {}
        }
    }
    for card in decoded.entries("card") {
        let id = card.text("id").unwrap_or("?");
        if card.text("second_slot").is_some() && card.text("slot").is_none() && card.sound {
            problems.push(
                Diagnostic::error(
                    "topology::no_seat",
                    format!("card `{id}` has a second slot and no first"),
                )
                .at(card.place_of("second_slot"))
                .help("write `slot = \"...\"` too"),
            );
        }
        match (card.text("slot"), card.text("bridge")) {
            (Some(_), Some(_)) => problems.push(
                Diagnostic::error(
                    "topology::two_seats",
                    format!("card `{id}` is in a slot and on a bridge"),
                )
                .at(card.place_of("slot"))
                .also(card.place_of("bridge").label("and here"))
                .help("leave out one of the two"),
            ),
            (None, None) if card.sound => problems.push(
                Diagnostic::error(
                    "topology::no_seat",
                    format!("card `{id}` does not say where it sits"),
                )
                .at(card.place.clone().label("no `slot` and no `bridge`"))
                .help("write `slot = \"...\"`, or `bridge = \"...\"` for ports that are part of the board"),
            ),
            _ => {}
        }
    }
}

fn specification(decoded: &Decoded, parts: OwnParts<'_>) -> TopologySpec {
    let every = |kind| decoded.entries(kind).iter();
    TopologySpec {
        name: decoded.text_or_empty("name"),
        chassis: decoded.table("chassis").map(chassis_part),
        sockets: every("socket").flat_map(|entry| sockets(entry, parts)).collect(),
        links: every("link").flat_map(links).collect(),
        bridges: every("bridge").flat_map(bridges).collect(),
        switches: every("switch").map(switch).collect(),
        slots: every("slot").flat_map(slots).collect(),
        cards: every("card").flat_map(cards).collect(),
        jbods: every("jbod").flat_map(|entry| jbods(entry, parts)).collect(),
        routes: every("route").map(route).collect(),
        counted: ["socket", "bridge", "slot", "card", "jbod"]
            .into_iter()
            .flat_map(every)
            .filter(|entry| is_counted(entry))
            .flat_map(ids)
            .collect(),
    }
}

/// Declares how a table's part is taken as one of its kind, with a placeholder for one that could not be
/// read.
macro_rules! part_of_kind {
    ($($name:ident: $kind:ident($part:ident) or $placeholder:expr;)+) => {
        $(fn $name(entry: &Decoded) -> $part {
            match entry.made_as() {
                Some(AnyPart::$kind(part)) => part.clone(),
                _ => $placeholder,
            }
        })+
    };
}

part_of_kind! {
    socket_part: Socket(SocketPart) or SocketPart { link_ports: MANY_PORTS, ..SocketPart::default() };
    memory_part: Memory(MemoryPart) or MemoryPart::default();
    link_part: SocketLink(SocketLinkPart) or SocketLinkPart::default();
    bridge_part: Bridge(BridgePart) or BridgePart::default();
    chassis_part: Chassis(ChassisPart) or ChassisPart::default();
    switch_part: PcieSwitch(PcieSwitchPart) or PcieSwitchPart::default();
    jbod_part: Jbod(JbodPart) or JbodPart::default();
}

fn sockets<'e>(entry: &'e Decoded, parts: OwnParts<'e>) -> impl Iterator<Item = SocketSpec> + 'e {
    let memory = entry.table("memory");
    let part = socket_part(entry);
    let nodes = small(entry.count("numa_nodes")).filter(|&count| count > 1);
    let nodes = nodes.map(|count| NodesSpec {
        count,
        link: match parts.get(&part.node_link) {
            Some(AnyPart::SocketLink(link)) => link.clone(),
            _ => SocketLinkPart::default(),
        },
    });
    ids(entry).map(move |id| SocketSpec {
        id,
        part: part.clone(),
        nodes: nodes.clone(),
        memory: MemorySpec {
            part: memory.map(memory_part).unwrap_or_default(),
            channels: small(memory.and_then(|memory| memory.count("channels"))).unwrap_or(1),
            size: Bytes::new(memory.and_then(|memory| memory.amount("size")).unwrap_or(1.0)),
        },
    })
}

fn links(entry: &Decoded) -> impl Iterator<Item = LinkSpec> {
    let end = |index: usize| {
        entry
            .names("ends")
            .get(index)
            .map(|end| end.text.clone())
            .unwrap_or_default()
    };
    let link = LinkSpec {
        ends: [end(0), end(1)],
        part: link_part(entry),
        weight: entry.amount("weight").unwrap_or(1.0),
    };
    std::iter::repeat_n(link, copies(entry))
}

fn bridges(entry: &Decoded) -> impl Iterator<Item = BridgeSpec> {
    let uplink = entry.table("uplink");
    let socket = uplink.map_or_else(
        || entry.text_or_empty("socket"),
        |uplink| uplink.text_or_empty("to"),
    );
    let sockets = spread(&socket, copies(entry));
    ids(entry).zip(sockets).map(move |(id, uplink_to)| BridgeSpec {
        id,
        part: bridge_part(entry),
        uplink_to,
        uplink: uplink.map(link_part),
    })
}

/// The slots of an entry: as many as it counts.
fn slots(entry: &Decoded) -> impl Iterator<Item = SlotSpec> {
    let bridges = spread(entry.text("bridge").unwrap_or_default(), copies(entry));
    let switches = spread(entry.text("switch").unwrap_or_default(), copies(entry));
    let above = bridges.zip(switches);
    ids(entry).zip(above).map(|(id, (bridge, switch))| SlotSpec {
        id,
        bridge,
        pcie: entry
            .custom::<bandgraph_hardware::PcieSlotSpec>("pcie")
            .copied()
            .unwrap_or(bandgraph_hardware::PcieSlotSpec {
                generation: bandgraph_hardware::PcieGeneration::Gen1,
                lanes: bandgraph_topology::MAX_LANES,
            }),
        connector_lanes: small(entry.count("connector_lanes")),
        height: entry
            .text("height")
            .and_then(|word| word.parse().ok())
            .unwrap_or(CardHeight::Full),
        switch: entry.text("switch").map(|_| switch),
        maximum_payload: entry.amount("maximum_payload").map(Bytes::new),
        maximum_read_request: entry.amount("maximum_read_request").map(Bytes::new),
    })
}

fn switch(entry: &Decoded) -> SwitchSpec {
    SwitchSpec {
        id: entry.text_or_empty("id"),
        part: switch_part(entry),
        bridge: entry.text_or_empty("bridge"),
        pcie: entry
            .custom::<bandgraph_hardware::PcieSlotSpec>("pcie")
            .copied()
            .unwrap_or(SlotSpec::default().pcie),
    }
}

/// The cards of an entry: as many as it counts, each in a slot of its own.
fn cards(entry: &Decoded) -> impl Iterator<Item = CardSpec> {
    let part = entry.made_as().and_then(CardPart::of);
    let part = part.unwrap_or_else(|| NicPart::default().into());
    let (seat, place): (fn(String) -> Seat, _) = match (entry.text("slot"), entry.text("bridge")) {
        (None, Some(bridge)) => (Seat::Bridge, bridge),
        (slot, _) => (Seat::Slot, slot.unwrap_or_default()),
    };
    let second = entry.text("second_slot").map(str::to_owned);
    let places = spread(place, copies(entry));
    ids(entry).zip(places).map(move |(id, place)| CardSpec {
        id,
        part: part.clone(),
        seat: match (&second, seat(place)) {
            (Some(second), Seat::Slot(first)) => Seat::Slots([first, second.clone()]),
            (_, seat) => seat,
        },
    })
}

/// The enclosures of an entry: as many as it counts, spread over the adapters that it names.
fn jbods(entry: &Decoded, parts: OwnParts<'_>) -> impl Iterator<Item = JbodSpec> + use<> {
    let part = jbod_part(entry);
    let disk: DrivePart = match parts.get(&part.disk) {
        Some(AnyPart::Disk(disk)) => disk.clone().into(),
        Some(AnyPart::Ssd(ssd)) => ssd.clone().into(),
        _ => DiskPart::default().into(),
    };
    let port = small(entry.count("port")).unwrap_or(0);
    let second_path = second_path(entry);
    let adapters = spread(&entry.text_or_empty("hba"), copies(entry));
    let all: Vec<(String, String)> = ids(entry).zip(adapters).collect();
    all.into_iter().map(move |(id, hba)| JbodSpec {
        id,
        part: part.clone(),
        disk: disk.clone(),
        hba,
        port,
        second_path: second_path.clone(),
    })
}

/// The second path to an enclosure, of which either field can be left out.
fn second_path(entry: &Decoded) -> Option<SecondPath> {
    let (hba, port) = (entry.text("second_hba"), small(entry.count("second_port")));
    (hba.is_some() || port.is_some()).then(|| SecondPath {
        hba: hba.map(str::to_owned),
        port: port.unwrap_or(0),
    })
}

fn route(entry: &Decoded) -> RouteSpec {
    RouteSpec {
        from: entry.text_or_empty("from"),
        to: entry.text_or_empty("to"),
        via: names(entry, "via"),
        responses_via: Some(names(entry, "responses_via")).filter(|names| !names.is_empty()),
    }
}

fn names(entry: &Decoded, field: &str) -> Vec<String> {
    entry.names(field).iter().map(|name| name.text.clone()).collect()
}

/// A count that the tables of fields keep below 2^32.
fn small(count: Option<u64>) -> Option<u32> {
    count.and_then(|count| u32::try_from(count).ok())
}
