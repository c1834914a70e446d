//! Settings without effect: warnings for valid fields that change nothing.

use std::collections::BTreeSet;

use bandgraph_config::{Decoded, Problems};
use bandgraph_diagnostics::Diagnostic;
use bandgraph_hardware::catalogue;
use bandgraph_model::Scenario;
use bandgraph_model::storage::WriteMethod;
use bandgraph_topology::{SocketSpec, Topology, TopologySpec};
use bandgraph_workload::{ClientGroup, Medium, Workload};

use crate::counted::{copies, ids};
use crate::room::without_room;

/// Clients whose workloads all run on the server itself have no network in between, nor processors of their
/// own.
pub(crate) fn fields_of_hosts(decoded: &Decoded, workloads: &[Workload], problems: &mut Problems) {
    for entry in decoded.entries("clients") {
        let mut theirs = workloads
            .iter()
            .filter(|workload| entry.text("id") == Some(&workload.clients))
            .peekable();
        if theirs.peek().is_none() || theirs.any(|workload| workload.protocol.medium() != Medium::None) {
            continue;
        }
        let fields = ["nics", "processors", "network", "ports"];
        let reason = "workloads of these clients run on the server itself";
        let help = "leave it out, or choose a `protocol` that goes over the network";
        without_effect(entry, &fields, "scenario::unused_by_host", reason, help, problems);
    }
}

/// Warns of those of some fields that an entry gives.
fn without_effect(
    entry: &Decoded,
    fields: &[&str],
    code: &'static str,
    reason: &str,
    help: &str,
    problems: &mut Problems,
) {
    for field in fields {
        // Of a field that is not given, the place is the entry's.
        let place = entry.place_of(field);
        if place != entry.place {
            let message = format!("`{field}` has no effect: {reason}");
            problems.push(Diagnostic::warning(code, message).at(place).help(help));
        }
    }
}

/// Clients without a workload.
pub(crate) fn unused_clients(decoded: &Decoded, workloads: &[Workload], problems: &mut Problems) {
    let used: BTreeSet<&str> = workloads
        .iter()
        .map(|workload| workload.clients.as_str())
        .collect();
    for entry in decoded.entries("clients") {
        let Some(id) = entry.text("id") else { continue };
        if !used.contains(id) {
            problems.push(
                Diagnostic::warning(
                    "scenario::unused_clients",
                    format!("clients `{id}` do nothing: no workload is for them"),
                )
                .at(entry.place_of("id")),
            );
        }
    }
}

/// Fields about files, of workloads whose protocol keeps none on the server.
pub(crate) fn fields_of_files(decoded: &Decoded, workloads: &[Workload], problems: &mut Problems) {
    for (entry, workload) in decoded.entries("workload").iter().zip(workloads) {
        if workload.protocol.serves_files() {
            continue;
        }
        let fields = [
            "pool",
            "synchronous",
            "direct",
            "hit_rate",
            "files",
            "metadata_working_set",
            "metadata_hit_rate",
            "directory_entries",
            "commit_bytes",
        ];
        let reason = format!("`{}` keeps no files on the server", workload.protocol);
        let help = "leave it out, or choose a `protocol` that serves files";
        without_effect(
            entry,
            &fields,
            "scenario::unused_by_protocol",
            &reason,
            help,
            problems,
        );
    }
}

/// Costs of encryption, where no workload's protocol encrypts.
pub(crate) fn costs_of_encryption(decoded: &Decoded, workloads: &[Workload], problems: &mut Problems) {
    if workloads.is_empty() || workloads.iter().any(|workload| workload.protocol.is_encrypted()) {
        return;
    }
    let fields = [
        "aes_gcm_passes",
        "aes_gcm_cycles",
        "encryption_instructions_per_byte",
    ];
    let help = "leave it out, or choose a `protocol` that encrypts";
    if let Some(entry) = decoded.table("stack") {
        let reason = "no workload's protocol encrypts";
        without_effect(
            entry,
            &fields,
            "scenario::unused_by_protocol",
            reason,
            help,
            problems,
        );
    }
}

/// Pools, where no workload's protocol keeps files on the server.
pub(crate) fn pools_without_files(decoded: &Decoded, workloads: &[Workload], problems: &mut Problems) {
    if workloads.is_empty() || workloads.iter().any(|workload| workload.protocol.serves_files()) {
        return;
    }
    for entry in decoded.entries("pool") {
        let id = entry.text("id").unwrap_or_default();
        let message = format!("pool `{id}` has no effect: no workload's protocol keeps files on the server");
        problems.push(
            Diagnostic::warning("scenario::unused_by_protocol", message)
                .at(entry.place_of("id"))
                .help("leave it out, or choose a `protocol` that serves files"),
        );
    }
}

/// Shares of hits below 100 %, where there is no pool that the other reads could go to.
pub(crate) fn hits_without_pools(decoded: &Decoded, workloads: &[Workload], problems: &mut Problems) {
    if !decoded.entries("pool").is_empty() {
        return;
    }
    for (entry, workload) in decoded.entries("workload").iter().zip(workloads) {
        if workload.protocol.serves_files() && workload.hit_rate.is_some_and(|rate| rate.get() < 1.0) {
            let reason = "without a pool every read is from memory";
            let help = "add a `[[pool]]` with the drives that hold the data";
            without_effect(
                entry,
                &["hit_rate"],
                "scenario::hits_without_pools",
                reason,
                help,
                problems,
            );
        }
    }
}

/// Direct I/O to drives, where there is no pool that it could go to.
pub(crate) fn direct_without_pools(decoded: &Decoded, scenario: &Scenario, problems: &mut Problems) {
    if !scenario.storage.pools.is_empty() || scenario.topology.jbods().is_empty() {
        return;
    }
    let is_direct = scenario.stack.storage.writes == WriteMethod::InPlace;
    for (entry, workload) in decoded.entries("workload").iter().zip(&scenario.workloads) {
        let moves_data = workload.mix.shares().iter().any(|(kind, _)| kind.moves_data());
        let meets_drives = moves_data && workload.protocol.serves_files() && workload.gpus.is_empty();
        if meets_drives && (workload.direct || is_direct) && workload.hit_rate.is_none() {
            let message = format!(
                "workload `{}` does direct I/O, and all of it is in memory: the scenario has no pool",
                workload.id
            );
            problems.push(
                Diagnostic::warning("scenario::hits_without_pools", message)
                    .at(entry.place_of("direct"))
                    .help("add a `[[pool]]` with the drives that hold the data"),
            );
        }
    }
}

/// Slots that ask for a later generation of PCI Express than the bridge or switch speaks that they hang on.
pub(crate) fn fast_slots(decoded: &Decoded, topology: &Topology, problems: &mut Problems) {
    for entry in decoded.entries("slot") {
        let Some(index) = ids(entry).next().and_then(|id| topology.slot_index(&id)) else {
            continue;
        };
        let slot = &topology.slots()[index];
        let bridge = &topology.bridges()[slot.bridge];
        let (host, speaks) = match slot.switch {
            Some(switch) => {
                let switch = &topology.switches()[switch];
                (&switch.id, switch.part.generation)
            }
            None => (&bridge.id, bridge.part.generation),
        };
        if slot.pcie.generation > speaks {
            problems.push(
                Diagnostic::warning(
                    "topology::fast_slot",
                    format!(
                        "the slot is {}, and `{host}` supports {speaks}: cards in it train to {speaks} at most",
                        slot.pcie.generation
                    ),
                )
                .at(entry.place_of("pcie"))
                .help(format!(
                    "write \"{speaks} x{}\", or choose a part for `{host}` that supports {}",
                    slot.pcie.lanes, slot.pcie.generation
                )),
            );
        }
    }
}

/// Drives that are faster than the lanes to them.
pub(crate) fn fast_drives(decoded: &Decoded, topology: &Topology, problems: &mut Problems) {
    for entry in decoded.entries("jbod") {
        let Some(id) = ids(entry).next() else { continue };
        let mut both = topology.spec().jbods.iter().zip(topology.jbods());
        let Some((of_file, connected)) = both.find(|(jbod, _)| jbod.id == id) else {
            continue;
        };
        let (rate, carried) = (of_file.disk.fastest_rate(), connected.disk.fastest_rate());
        if carried < rate {
            let drive = of_file.disk.part().name();
            problems.push(
                Diagnostic::warning(
                    "topology::fast_drive",
                    format!("`{drive}` moves {rate}, and its lanes carry {carried}"),
                )
                .at(entry.place_of("hba"))
                .help("adapters with a higher `lane_rate`, or a second path, let it move more"),
            );
        }
    }
}

/// Warns of memory that a socket's part does not take: of more channels than it has, faster than its fastest
/// or of another generation. Only of what its part states.
pub(crate) fn parts_beyond_sockets(decoded: &Decoded, topology: &Topology, problems: &mut Problems) {
    for (entry, SocketSpec { part, memory, .. }) in sockets_of(decoded, topology) {
        let (channels, most) = (u64::from(memory.channels), part.memory_channels);
        if most > 0 && channels > most {
            problems.push(
                Diagnostic::warning(
                    "topology::many_channels",
                    format!("{channels} memory channels, and `{}` has {most}", part.name),
                )
                .at(entry.place_of("memory.channels"))
                .help(format!(
                    "write {most}, choose a processor with more, or correct `memory_channels` of its part"
                )),
            );
        }
        let Some(fastest) = catalogue().memory(&part.memory) else {
            continue;
        };
        let (id, words) = if memory.part.is_faster_than(fastest) {
            ("topology::fast_memory", "faster than the memory")
        } else if memory.part.is_of_another_generation(fastest) {
            ("topology::other_memory", "of another generation than the memory")
        } else {
            continue;
        };
        let (memory, part, most) = (&memory.part.name, &part.name, &fastest.name);
        problems.push(
            Diagnostic::warning(
                id,
                format!("`{memory}` is {words} that `{part}` takes: {most} at most"),
            )
            .at(entry.place_of("memory.part"))
            .help(format!("write \"{most}\", or choose a processor that takes it")),
        );
    }
}

/// Warns of a clock below the base clock, as one that firmware fixes, while few busy cores still run at the
/// turbo clock of the part.
pub(crate) fn clocks_below_turbo(decoded: &Decoded, topology: &Topology, problems: &mut Problems) {
    for (entry, SocketSpec { part, .. }) in sockets_of(decoded, topology) {
        // Of a field that is not given, the place is the entry's.
        let is_given = |field: &str| entry.place_of(field) != entry.place;
        let is_fixed = part.clock < part.base_clock.min(part.turbo_clock);
        if is_given("clock") && !is_given("turbo_clock") && is_fixed {
            let (clock, turbo) = (part.clock, part.turbo_clock);
            problems.push(
                Diagnostic::warning(
                    "topology::clock_below_turbo",
                    format!("`clock` is {clock}, and few busy cores still run at up to {turbo}"),
                )
                .at(entry.place_of("clock"))
                .help(format!(
                    "write `turbo_clock = \"{clock}\"` too if the clock is fixed"
                )),
            );
        }
    }
}

/// The entries of sockets, each with the first of its sockets.
fn sockets_of<'t>(
    decoded: &'t Decoded,
    topology: &'t Topology,
) -> impl Iterator<Item = (&'t Decoded, &'t SocketSpec)> {
    decoded.entries("socket").iter().filter_map(|entry| {
        let id = ids(entry).next()?;
        let mut sockets = topology.spec().sockets.iter();
        Some((entry, sockets.find(|socket| socket.id == id)?))
    })
}

/// Warns of slots and switches with more lanes than the socket has whose root complexes they are on. Only of
/// what its part states; chipsets, and bridges with a link of another kind to the socket, have lanes of their
/// own.
pub(crate) fn lanes_beyond_sockets(decoded: &Decoded, topology: &Topology, problems: &mut Problems) {
    let spec = topology.spec();
    for (entry, socket) in sockets_of(decoded, topology) {
        let is_own = |bridge: &str| {
            let found = spec.bridges.iter().find(|one| one.id == bridge);
            found.is_some_and(|one| {
                let uplink = one.uplink.as_ref().map(|part| part.technology.as_str());
                one.uplink_to == socket.id && matches!(uplink, None | Some("Infinity Fabric" | "mesh"))
            })
        };
        let slots = spec.slots.iter().filter(|slot| slot.switch.is_none());
        let slots = slots.map(|slot| (&slot.bridge, slot.pcie.lanes));
        let switches = spec.switches.iter().filter(|switch| !switch.part.chipset);
        let switches = switches.map(|switch| (&switch.bridge, switch.pcie.lanes));
        let all = slots.chain(switches).filter(|(bridge, _)| is_own(bridge));
        let lanes: u64 = all.map(|(_, lanes)| u64::from(lanes)).sum();
        let most = socket.part.pcie_lanes;
        if most > 0 && lanes > most {
            let (id, name) = (&socket.id, &socket.part.name);
            problems.push(
                Diagnostic::warning(
                    "topology::many_lanes",
                    format!("slots with {lanes} PCIe lanes on `{id}`, and `{name}` has {most}"),
                )
                .at(entry.place_of("part"))
                .help("leave slots out, or put them behind a switch or on another socket"),
            );
        }
    }
}

/// Warns of links that a socket's part does not have: of another technology or faster than its fastest, and
/// more than it has. Only of what its part states.
pub(crate) fn links_beyond_sockets(decoded: &Decoded, topology: &Topology, problems: &mut Problems) {
    let TopologySpec { sockets, links, .. } = topology.spec();
    for (entry, socket) in sockets_of(decoded, topology) {
        let part = &socket.part;
        let count = links.iter().filter(|link| link.ends.contains(&socket.id)).count() as u64;
        let is_stated = part.socket_links > 0 || !part.socket_link.is_empty();
        if is_stated && count > part.socket_links {
            let (id, name, most) = (&socket.id, &part.name, part.socket_links);
            problems.push(
                Diagnostic::warning(
                    "topology::many_links",
                    format!("{count} links to other sockets on `{id}`, and `{name}` has {most}"),
                )
                .at(entry.place_of("part"))
                .help(format!(
                    "leave {} out, or choose a processor with more",
                    count - most
                )),
            );
        }
    }
    let mut first = 0;
    for entry in decoded.entries("link") {
        let link = links.get(first);
        first += copies(entry);
        let Some(link) = link else { continue };
        let mut parts = sockets.iter().filter(|socket| link.ends.contains(&socket.id));
        let Some(part) = parts.find(|socket| !socket.part.joins_by(&link.part)) else {
            continue;
        };
        let (part, link) = (&part.part, &link.part);
        let own = catalogue().socket_link(&part.socket_link);
        let (id, message) = if own.is_some_and(|own| own.technology == link.technology) {
            let words = "faster than the links of";
            let most = &part.socket_link;
            let message = format!("`{}` is {words} `{}`: {most} at most", link.name, part.name);
            ("topology::fast_link", message)
        } else {
            let message = format!(
                "`{}` is a {} link, and the links of `{}` are like {}",
                link.name, link.technology, part.name, part.socket_link
            );
            ("topology::other_link", message)
        };
        problems.push(
            Diagnostic::warning(id, message)
                .at(entry.place_of("part"))
                .help(format!(
                    "write \"{}\", or choose other processors",
                    part.socket_link
                )),
        );
    }
}

/// The id of the warning of a working set for which its pool has no room.
pub const NO_ROOM: &str = "scenario::set_beyond_disks";

/// Warns of working sets for which their pools have no room.
pub(crate) fn sets_beyond_disks(decoded: &Decoded, scenario: &Scenario, problems: &mut Problems) {
    for found in without_room(scenario) {
        let entries = decoded.entries("workload");
        let entry = entries.iter().zip(&scenario.workloads);
        let entry = entry.filter(|(_, workload)| workload.id == found.workload.id);
        for (entry, _) in entry {
            problems.push(
                Diagnostic::warning(NO_ROOM, found.to_string())
                    .at(entry.place_of("working_set"))
                    .help("is the unit right, and are all enclosures there? Copies and parity take room too"),
            );
        }
    }
}

/// Network cards of clients that are faster than the port of the server that they use, where other ports have
/// no client: a card uses one port, and does not share its traffic out over several.
pub(crate) fn unused_ports(decoded: &Decoded, scenario: &Scenario, problems: &mut Problems) {
    let is_remote = |group: &&ClientGroup| {
        let mut of_group = scenario
            .workloads
            .iter()
            .filter(|workload| workload.clients == group.id);
        of_group.any(|workload| workload.protocol.medium() != Medium::None)
    };
    let remote: Vec<&ClientGroup> = scenario.clients.iter().filter(is_remote).collect();
    let ports = scenario.topology.ports();
    let cards = remote
        .iter()
        .map(|group| u64::from(group.count) * u64::from(group.nics.count));
    let (cards, of_server) = (cards.sum::<u64>(), ports.len() as u64);
    if cards >= of_server || remote.iter().any(|group| !group.ports.is_empty()) {
        return;
    }
    let fastest = ports
        .iter()
        .map(|port| port.kind.rate)
        .max_by(|a, b| a.get().total_cmp(&b.get()));
    for entry in decoded.entries("clients") {
        let group = remote
            .iter()
            .find(|group| Some(group.id.as_str()) == entry.text("id"));
        let faster = group.zip(fastest).filter(|(group, rate)| group.nics.rate > *rate);
        if let Some((group, rate)) = faster {
            problems.push(
                Diagnostic::warning(
                    "scenario::unused_ports",
                    format!(
                        "a network card of `{}` has {}, and uses one port of the server, of at most {rate}: {} of \
                         its {of_server} ports have no client",
                        group.id,
                        group.nics.rate,
                        of_server - cards,
                    ),
                )
                .at(entry.place_of("nics"))
                .help("give each client a card for each port (`nics.count`), or name the `ports` that are in use"),
            );
        }
    }
}

/// Warns of routes that say what the only shortest path says anyway.
pub(crate) fn unused_routes(decoded: &Decoded, topology: &Topology, problems: &mut Problems) {
    let sockets: Vec<&str> = decoded
        .entries("socket")
        .iter()
        .filter_map(|entry| entry.text("id"))
        .collect();
    let index = |id: Option<&str>| sockets.iter().position(|socket| Some(*socket) == id);
    let mut neighbours = vec![Vec::new(); sockets.len()];
    for link in decoded.entries("link") {
        let ends: Vec<usize> = link
            .names("ends")
            .iter()
            .filter_map(|end| index(Some(&end.text)))
            .collect();
        if let [a, b] = ends[..]
            && !neighbours[a].contains(&b)
        {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
    }
    for route in decoded.entries("route") {
        let (Some(from), Some(to)) = (index(route.text("from")), index(route.text("to"))) else {
            continue;
        };
        let (length, paths) = shortest_paths(&neighbours, from, to);
        if paths == 1 && route.names("via").len() + 1 == length {
            problems.push(
                Diagnostic::warning(
                    "topology::idle_route",
                    format!(
                        "this route changes nothing: it is the only shortest path in {}",
                        topology.name()
                    ),
                )
                .at(route.place.clone())
                .help("leave it out, unless it is there to say so"),
            );
        }
    }
}

/// The length of the shortest paths between two sockets in hops, and how many there are.
fn shortest_paths(neighbours: &[Vec<usize>], from: usize, to: usize) -> (usize, u64) {
    let mut paths = vec![0_u64; neighbours.len()];
    let mut seen = vec![false; neighbours.len()];
    paths[from] = 1;
    seen[from] = true;
    let mut level = vec![from];
    let mut length = 0;
    while !level.is_empty() && paths[to] == 0 {
        length += 1;
        let mut next: Vec<usize> = Vec::new();
        for at in &level {
            for neighbour in neighbours[*at].iter().filter(|neighbour| !seen[**neighbour]) {
                paths[*neighbour] = paths[*neighbour].saturating_add(paths[*at]);
                if !next.contains(neighbour) {
                    next.push(*neighbour);
                }
            }
        }
        for at in &next {
            seen[*at] = true;
        }
        level = next;
    }
    (length, paths[to])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_paths_are_counted() {
        // The square of the 7410: two ways to the far corner, one to each neighbour.
        let square = vec![vec![1, 2], vec![0, 3], vec![0, 3], vec![1, 2]];
        assert_eq!(shortest_paths(&square, 0, 3), (2, 2));
        assert_eq!(shortest_paths(&square, 1, 2), (2, 2));
        assert_eq!(shortest_paths(&square, 0, 1), (1, 1));
    }
}
