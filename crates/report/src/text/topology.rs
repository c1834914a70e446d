//! A topology, for people: its elements, what their links carry, and the routes between sockets.

use bandgraph_topology::{Resource, ResourceId, Topology};
use bandgraph_units::{Bandwidth, Bytes};

use super::busiest::{cable, named};
use super::words::{counted, none};
use crate::view::{Table, Tone, View};

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
            sockets_in_words(topology.spec().sockets.len(), topology.sockets().len()),
            counted(cores as f64, "core"),
            memory.binary(),
            counted(topology.ports().len() as f64, "network port"),
        ),
    );
}

/// The number of sockets, and of NUMA nodes where they are divided: `2 sockets in 8 NUMA nodes`.
pub(crate) fn sockets_in_words(sockets: usize, nodes: usize) -> String {
    let sockets_counted = counted(sockets as f64, "socket");
    if nodes > sockets {
        format!("{sockets_counted} in {nodes} NUMA nodes")
    } else {
        sockets_counted
    }
}

fn sockets(page: &mut View, topology: &Topology) {
    page.heading("Sockets");
    let mut table = Table::of("socket | part | >cores | >clock | >memory | ?channels | >rate | ?>usable");
    let sockets = topology.sockets().iter().map(|socket| {
        let memory = resource(topology, socket.memory_resource);
        [
            socket.id.clone(),
            socket.part.name.clone(),
            socket.part.cores.to_string(),
            socket.part.clock.to_string(),
            socket.memory.size.binary(),
            format!("{} x {}", socket.memory.channels, socket.memory.part.name),
            Bandwidth::new(memory.capacity).decimal(),
            Bandwidth::new(memory.usable()).decimal(),
        ]
    });
    rows(&mut table, &[0], &sockets.collect::<Vec<_>>());
    page.table(table);
}

fn links(page: &mut View, topology: &Topology) {
    if topology.links().is_empty() {
        return;
    }
    page.heading("Links between sockets, per direction");
    let mut table = Table::of("link | part | >raw | >usable");
    // Parallel links of a part are one row; the id of the first is that of all, but for a letter.
    let mut cables: Vec<(&str, &str, [String; 2], usize)> = Vec::new();
    for link in topology.links() {
        let rates = rates(resource(topology, link.resources[0]));
        let part = link.part.name.as_str();
        let is_parallel = |(id, other, others, _): &&mut (&str, &str, [String; 2], usize)| {
            cable(&link.id) == *id && *other == part && *others == rates
        };
        match cables.iter_mut().find(is_parallel) {
            Some((.., count)) => *count += 1,
            None => cables.push((&link.id, part, rates, 1)),
        }
    }
    for (id, part, rates, count) in cables {
        let words = [named(count, id, id), part.to_owned()];
        table.plain(words.into_iter().chain(rates));
    }
    page.table(table);
}

fn bridges(page: &mut View, topology: &Topology) {
    if topology.bridges().is_empty() {
        return;
    }
    page.heading("Bridges and their uplinks, per direction");
    let mut table = Table::of("bridge | part | on | uplink | >raw | >usable");
    let bridges = topology.bridges().iter().map(|bridge| {
        let uplink = bridge.uplink.as_ref();
        let [raw, usable] = uplink.map_or_else(
            || [String::new(), String::new()],
            |uplink| rates(resource(topology, uplink.outbound)),
        );
        [
            bridge.id.clone(),
            bridge.part.name.clone(),
            topology.sockets()[bridge.socket].id.clone(),
            uplink.map_or_else(|| "in the socket".to_owned(), |uplink| uplink.part.name.clone()),
            raw,
            usable,
        ]
    });
    rows(&mut table, &[0, 2], &bridges.collect::<Vec<_>>());
    page.table(table);
}

fn slots(page: &mut View, topology: &Topology) {
    if topology.slots().is_empty() {
        return;
    }
    page.heading("Slots");
    let mut table = Table::of("slot | bridge | wired | ?connector | card | trained | ?>raw");
    let slots = topology.slots().iter().enumerate().map(|(index, slot)| {
        let card = slot.card.map(|card| &topology.cards()[card]);
        let seated = card.and_then(|card| card.seat_in(index));
        [
            slot.id.clone(),
            topology.bridges()[slot.bridge].id.clone(),
            slot.pcie.to_string(),
            format!("x{}", slot.connector_lanes),
            card.map_or_else(none, |card| card.id.clone()),
            seated.map_or_else(none, |seated| seated.trained.to_string()),
            seated.map_or_else(none, |seated| {
                Bandwidth::new(resource(topology, seated.outbound).capacity).decimal()
            }),
        ]
    });
    rows(&mut table, &[0, 4], &slots.collect::<Vec<_>>());
    page.table(table);
}

fn cards(page: &mut View, topology: &Topology) {
    if topology.cards().is_empty() {
        return;
    }
    page.heading("Cards");
    let mut table = Table::of("card | part | >ports | in | by bridge | socket");
    let cards = topology.cards().iter().map(|card| {
        let slots = card.seats().map(|seated| &*topology.slots()[seated.slot].id);
        let slots = slots.collect::<Vec<_>>().join(", ");
        let seat = if slots.is_empty() {
            "on board".to_owned()
        } else {
            slots
        };
        [
            card.id.clone(),
            card.part.name().to_owned(),
            card.part.ports().to_string(),
            seat,
            topology.bridges()[card.bridge].id.clone(),
            topology.sockets()[card.socket].id.clone(),
        ]
    });
    rows(&mut table, &[0, 3], &cards.collect::<Vec<_>>());
    page.table(table);
}

fn jbods(page: &mut View, topology: &Topology) {
    if topology.spec().jbods.is_empty() {
        return;
    }
    page.heading("Disk enclosures");
    let mut table = Table::of("enclosure | part | >disks | disk | on");
    let jbods = topology.jbods().iter().filter_map(|jbod| {
        let part = jbod.part.as_ref()?;
        let ports = jbod.sas_ports().map(|port| &*topology.sas_ports()[port].id);
        Some([
            jbod.id.clone(),
            part.name.clone(),
            jbod.disks.len().to_string(),
            jbod.disk.part().name().to_owned(),
            ports.collect::<Vec<_>>().join(" and "),
        ])
    });
    rows(&mut table, &[0, 4], &jbods.collect::<Vec<_>>());
    page.table(table);
}

/// The routes that pass through other sockets; the direct ones say nothing new.
fn routes(page: &mut View, topology: &Topology) {
    let mut table = Table::of("(from) | (to) | (by)");
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
            table.plain([from.clone(), format!("to {to}"), format!("by {}", via.join(", "))]);
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

/// The least number of identical things that share a row.
const MANY: usize = 3;

/// Adds rows to a table. Several that differ in nothing but the numbers at the ends of their `names`, and
/// whose numbers count up, share a row: `bay[0-11]`, as files write it.
fn rows<const N: usize>(table: &mut Table, names: &[usize], rows: &[[String; N]]) {
    let mut rest = rows;
    while let Some((first, others)) = rest.split_first() {
        let identical = others
            .iter()
            .enumerate()
            .take_while(|(at, row)| continues(first, row, names, at + 1));
        let count = identical.count() + 1;
        if count < MANY {
            table.plain(first.clone());
            rest = others;
            continue;
        }
        let mut shared = first.clone();
        for &name in names {
            if let Some((stem, number)) = numbered(&first[name]) {
                shared[name] = format!("{stem}[{number}-{}]", number + count as u64 - 1);
            }
        }
        table.plain(shared);
        rest = &rest[count..];
    }
}

/// Whether `row` is what comes `steps` rows after `first` where they count up.
fn continues<const N: usize>(first: &[String; N], row: &[String; N], names: &[usize], steps: usize) -> bool {
    (0..N).all(|column| {
        let is_next = || {
            let (stem, number) = numbered(&first[column])?;
            Some(row[column] == format!("{stem}{}", number + steps as u64))
        };
        if names.contains(&column) {
            is_next().unwrap_or(first[column] == row[column])
        } else {
            first[column] == row[column]
        }
    })
}

/// A name taken apart: `bay`, 11.
fn numbered(name: &str) -> Option<(&str, u64)> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    Some((stem, name[stem.len()..].parse().ok()?))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::TextOptions;

    fn folded(all: &[[&str; 3]]) -> Vec<String> {
        let mut table = Table::of("slot | bridge | card");
        let all: Vec<[String; 3]> = all.iter().map(|row| row.map(str::to_owned)).collect();
        rows(&mut table, &[0, 2], &all);
        let mut page = View::new();
        page.table(table);
        let text = page.text(&TextOptions::default());
        let words = text
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        words.collect()
    }

    #[test]
    fn identical_slots_that_count_up_share_a_row() {
        let bays = [
            ["s1", "rc0", "nic"],
            ["bay8", "rc0", "nvme8"],
            ["bay9", "rc0", "nvme9"],
            ["bay10", "rc0", "nvme10"],
            ["bay11", "rc1", "nvme11"],
            ["bay12", "rc1", "-"],
            ["bay13", "rc1", "-"],
            ["bay14", "rc1", "-"],
        ];
        assert_eq!(
            folded(&bays),
            [
                "s1 rc0 nic",
                "bay[8-10] rc0 nvme[8-10]",
                "bay11 rc1 nvme11",
                "bay[12-14] rc1 -"
            ]
        );
    }

    #[test]
    fn cards_in_another_order_than_their_slots_keep_their_rows() {
        let crossed = [["a0", "rc0", "n2"], ["a1", "rc0", "n1"], ["a2", "rc0", "n0"]];
        assert_eq!(folded(&crossed), ["a0 rc0 n2", "a1 rc0 n1", "a2 rc0 n0"]);
    }
}
