//! A topology, for people: its elements, what their links carry, and the routes between sockets.

use bandgraph_topology::{Resource, ResourceId, Topology};
use bandgraph_units::{Bandwidth, Bytes};

use super::words::counted;
use crate::view::{Side, Table, Tone, View};

/// Routes of more than one hop that are listed; JSON has all of them.
const ROUTES: usize = 32;

/// `topology` as text for people.
pub fn topology_view(topology: &Topology) -> View {
    let mut page = View::new();
    title(&mut page, topology);
    sockets(&mut page, topology);
    links(&mut page, topology);
    bridges(&mut page, topology);
    slots(&mut page, topology);
    cards(&mut page, topology);
    jbods(&mut page, topology);
    routes(&mut page, topology);
    page
}

fn title(page: &mut View, topology: &Topology) {
    page.title(topology.name());
    let cores: u64 = topology.sockets().iter().map(|socket| socket.part.cores).sum();
    let memory: Bytes = topology.sockets().iter().map(|socket| socket.memory.size).sum();
    page.toned(
        Tone::Plain,
        &format!(
            "{}, {}, {} of memory, {}",
            counted(topology.sockets().len() as f64, "socket"),
            counted(cores as f64, "core"),
            memory.binary(),
            counted(topology.ports().len() as f64, "network port"),
        ),
    );
}

fn sockets(page: &mut View, topology: &Topology) {
    page.heading("Sockets");
    let mut table = Table::default()
        .column("socket", Side::Left)
        .column("part", Side::Left)
        .column("cores", Side::Right)
        .column("clock", Side::Right)
        .column("memory", Side::Right)
        .optional("channels", Side::Left)
        .column("rate", Side::Right)
        .optional("usable", Side::Right);
    for socket in topology.sockets() {
        let memory = resource(topology, socket.memory_resource);
        table.row(
            Tone::Plain,
            [
                socket.id.clone(),
                socket.part.name.clone(),
                socket.part.cores.to_string(),
                socket.part.clock.to_string(),
                socket.memory.size.binary(),
                format!("{} x {}", socket.memory.channels, socket.memory.part.name),
                Bandwidth::new(memory.capacity).decimal(),
                Bandwidth::new(memory.usable()).decimal(),
            ],
        );
    }
    page.table(table);
}

fn links(page: &mut View, topology: &Topology) {
    if topology.links().is_empty() {
        return;
    }
    page.heading("Links between sockets, per direction");
    let mut table = Table::default()
        .column("link", Side::Left)
        .column("part", Side::Left)
        .column("raw", Side::Right)
        .column("usable", Side::Right);
    for link in topology.links() {
        let direction = resource(topology, link.resources[0]);
        table.row(
            Tone::Plain,
            [link.id.clone(), link.part.name.clone()]
                .into_iter()
                .chain(rates(direction)),
        );
    }
    page.table(table);
}

fn bridges(page: &mut View, topology: &Topology) {
    if topology.bridges().is_empty() {
        return;
    }
    page.heading("Bridges and their uplinks, per direction");
    let mut table = Table::default()
        .column("bridge", Side::Left)
        .column("part", Side::Left)
        .column("on", Side::Left)
        .column("uplink", Side::Left)
        .column("raw", Side::Right)
        .column("usable", Side::Right);
    for bridge in topology.bridges() {
        let uplink = bridge.uplink.as_ref();
        let [raw, usable] = uplink.map_or_else(
            || [String::new(), String::new()],
            |uplink| rates(resource(topology, uplink.outbound)),
        );
        let words = [
            bridge.id.clone(),
            bridge.part.name.clone(),
            topology.sockets()[bridge.socket].id.clone(),
            uplink.map_or_else(|| "in the socket".to_owned(), |uplink| uplink.part.name.clone()),
        ];
        table.row(Tone::Plain, words.into_iter().chain([raw, usable]));
    }
    page.table(table);
}

fn slots(page: &mut View, topology: &Topology) {
    if topology.slots().is_empty() {
        return;
    }
    page.heading("Slots");
    let mut table = Table::default()
        .column("slot", Side::Left)
        .column("bridge", Side::Left)
        .column("wired", Side::Left)
        .optional("connector", Side::Left)
        .column("card", Side::Left)
        .column("trained", Side::Left)
        .optional("raw", Side::Right);
    for (index, slot) in topology.slots().iter().enumerate() {
        let card = slot.card.map(|card| &topology.cards()[card]);
        let seated = card.and_then(|card| card.seat_in(index));
        table.row(
            Tone::Plain,
            [
                slot.id.clone(),
                topology.bridges()[slot.bridge].id.clone(),
                slot.pcie.to_string(),
                format!("x{}", slot.connector_lanes),
                card.map_or_else(|| "-".to_owned(), |card| card.id.clone()),
                seated.map_or_else(|| "-".to_owned(), |seated| seated.trained.to_string()),
                seated.map_or_else(
                    || "-".to_owned(),
                    |seated| Bandwidth::new(resource(topology, seated.outbound).capacity).decimal(),
                ),
            ],
        );
    }
    page.table(table);
}

fn cards(page: &mut View, topology: &Topology) {
    if topology.cards().is_empty() {
        return;
    }
    page.heading("Cards");
    let mut table = Table::default()
        .column("card", Side::Left)
        .column("part", Side::Left)
        .column("ports", Side::Right)
        .column("in", Side::Left)
        .column("by bridge", Side::Left)
        .column("socket", Side::Left);
    for card in topology.cards() {
        let slots = card.seats().map(|seated| &*topology.slots()[seated.slot].id);
        let slots = slots.collect::<Vec<_>>().join(", ");
        let seat = if slots.is_empty() {
            "on board".to_owned()
        } else {
            slots
        };
        table.row(
            Tone::Plain,
            [
                card.id.clone(),
                card.part.name().to_owned(),
                card.part.ports().to_string(),
                seat,
                topology.bridges()[card.bridge].id.clone(),
                topology.sockets()[card.socket].id.clone(),
            ],
        );
    }
    page.table(table);
}

fn jbods(page: &mut View, topology: &Topology) {
    if topology.spec().jbods.is_empty() {
        return;
    }
    page.heading("Disk enclosures");
    let mut table = Table::default()
        .column("enclosure", Side::Left)
        .column("part", Side::Left)
        .column("disks", Side::Right)
        .column("disk", Side::Left)
        .column("on", Side::Left);
    for jbod in topology.jbods() {
        let Some(part) = &jbod.part else { continue };
        let ports = jbod.sas_ports().map(|port| &*topology.sas_ports()[port].id);
        table.row(
            Tone::Plain,
            [
                jbod.id.clone(),
                part.name.clone(),
                jbod.disks.len().to_string(),
                jbod.disk.part().name().to_owned(),
                ports.collect::<Vec<_>>().join(" and "),
            ],
        );
    }
    page.table(table);
}

/// The routes that pass through other sockets; the direct ones say nothing new.
fn routes(page: &mut View, topology: &Topology) {
    let mut table = Table::default()
        .column("", Side::Left)
        .column("", Side::Left)
        .column("", Side::Left);
    let mut indirect = 0;
    let count = topology.sockets().len();
    for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
        let via = stations(topology, from, to);
        if via.is_empty() {
            continue;
        }
        indirect += 1;
        if indirect <= ROUTES {
            let (from, to) = (&topology.sockets()[from].id, &topology.sockets()[to].id);
            table.row(
                Tone::Plain,
                [from.clone(), format!("to {to}"), format!("by {}", via.join(", "))],
            );
        }
    }
    if indirect > 0 {
        page.heading("Routes of more than one hop");
        page.table(table);
    }
    if indirect > ROUTES {
        page.paragraph(&format!("{} more are in the JSON.", indirect - ROUTES));
    }
}

/// The ids of the sockets between two sockets, in the order of the route.
fn stations(topology: &Topology, from: usize, to: usize) -> Vec<&str> {
    topology
        .path(from, to)
        .iter()
        .filter(|socket| **socket != from && **socket != to)
        .map(|socket| topology.sockets()[*socket].id.as_str())
        .collect()
}

fn resource(topology: &Topology, id: ResourceId) -> &Resource {
    &topology.resources()[id.index()]
}

fn rates(resource: &Resource) -> [String; 2] {
    [
        Bandwidth::new(resource.capacity).decimal(),
        Bandwidth::new(resource.usable()).decimal(),
    ]
}
