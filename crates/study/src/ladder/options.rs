//! Upgrades of the catalogue for a limit.
//!
//! Only a part that the board takes is offered: a processor of the same family and package, of no earlier
//! generation, with the links, channels and lanes that the board wires and for the memory that is there;
//! memory and links that the processors take; a drive that holds the data. Bridges are soldered to the
//! board with their uplink and PCIe generation, so that they cannot be upgraded.

use std::collections::BTreeMap;
use std::fmt::Write;

use bandgraph_hardware::{MemoryPart, SocketLinkPart, SocketPart, catalogue};
use bandgraph_model::{Scenario, Stack};
use bandgraph_scenario::without_room;
use bandgraph_solve::{Limit, LimitKind};
use bandgraph_topology::{ResourceKind, Role, SocketSpec, Topology, TopologySpec};

use super::cards::{faster_cards, faster_slots, more_cards, moved_cards, uplinks_stay};
use super::memory::faster_memory;
use super::storage::{more_enclosures, other_adapters, other_disks, spread_enclosures};

/// A possible change and the scenario with it.
#[derive(Clone, Debug)]
pub(super) struct Upgrade {
    /// The change, in words.
    pub(super) change: String,
    /// The change as overrides of the scenario; empty if overrides cannot express it.
    pub(super) sets: Vec<String>,
    /// The sentence for a change without gain; equivalent changes share one.
    pub(super) in_general: String,
    /// The scenario with the change.
    pub(super) scenario: Scenario,
}

/// All upgrades that were considered.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// The possible changes, in the order of the catalogue.
    pub(super) upgrades: Vec<Upgrade>,
    /// The impossible changes: one sentence each, with the reason.
    pub(super) ruled_out: Vec<String>,
}

impl Options {
    /// Adds a change of the topology if the result is a valid topology; otherwise rules it out.
    pub(super) fn offer(
        &mut self,
        scenario: &Scenario,
        change: String,
        sets: Vec<String>,
        edit: impl FnOnce(&mut TopologySpec),
    ) -> Option<&mut Scenario> {
        let mut spec = scenario.topology.spec().clone();
        edit(&mut spec);
        match Topology::build(spec) {
            Ok(topology) => {
                let in_general = change.clone();
                let had_room = without_room(scenario).is_empty();
                let upgraded = self.add(scenario, topology, change, in_general, sets);
                let set = without_room(upgraded).first().map(|one| one.workload.working_set);
                let Some(set) = set.filter(|_| had_room) else {
                    return self.upgrades.last_mut().map(|upgrade| &mut upgrade.scenario);
                };
                self.upgrades.pop();
                // Once, however many parts of the catalogue are too small.
                let set = set.decimal();
                self.rule_out(format!(
                    "Drives on which a working set of {set} has no room are left out."
                ));
                None
            }
            Err(errors) => {
                let mut sentence = format!("{change}: cannot be");
                if let Some(error) = errors.first() {
                    // Writing to a string cannot fail.
                    let _ = write!(sentence, ", {error}");
                }
                self.ruled_out.push(format!("{sentence}."));
                None
            }
        }
    }

    /// Adds a change of the topology if the result is a valid topology. Equivalent changes without gain are
    /// reported once, with the sentence `in_general`.
    pub(super) fn offer_if_possible(
        &mut self,
        scenario: &Scenario,
        change: String,
        in_general: &str,
        sets: Vec<String>,
        edit: impl FnOnce(&mut TopologySpec),
    ) {
        let mut spec = scenario.topology.spec().clone();
        edit(&mut spec);
        if let Ok(topology) = Topology::build(spec) {
            self.add(scenario, topology, change, in_general.to_owned(), sets);
        }
    }

    fn add(
        &mut self,
        scenario: &Scenario,
        topology: Topology,
        change: String,
        in_general: String,
        sets: Vec<String>,
    ) -> &mut Scenario {
        let scenario = Scenario {
            topology,
            ..scenario.clone()
        };
        self.upgrades.push(Upgrade {
            change,
            sets,
            in_general,
            scenario,
        });
        let last = self.upgrades.len() - 1;
        &mut self.upgrades[last].scenario
    }

    /// Adds the reason why a change is impossible.
    pub(super) fn rule_out(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.ruled_out.contains(&reason) {
            self.ruled_out.push(reason);
        }
    }
}

/// The upgrades that could relieve a limit.
pub(super) fn against(limit: &Limit, scenario: &Scenario) -> Options {
    let mut options = Options::default();
    match limit.kind {
        LimitKind::Resource(ResourceKind::SocketLink) => {
            moved_cards(scenario, &mut options);
            faster_links(scenario, &mut options);
            more_links(scenario, &mut options);
        }
        LimitKind::Resource(ResourceKind::Memory) => faster_memory(scenario, &mut options),
        LimitKind::Resource(ResourceKind::Cpu) if limit.is_about(|role| role == Role::ServerProcesses) => {
            let each = 2.0 * scenario.stack.processes_per_drive;
            let change = format!("the server has {each} processes for each drive");
            let field = ("processes_per_drive", each);
            other_software(scenario, &mut options, change, field, |stack| {
                &mut stack.processes_per_drive
            });
            faster_sockets(scenario, &mut options, |part| part.clock.get());
        }
        LimitKind::Resource(ResourceKind::Cpu)
            if limit.is_about(|role| matches!(role, Role::Array { .. })) =>
        {
            let threads = 2.0 * scenario.stack.storage.array_threads;
            let change = format!("each array has {threads} threads");
            let field = ("array_threads", threads);
            other_software(scenario, &mut options, change, field, |stack| {
                &mut stack.storage.array_threads
            });
            faster_sockets(scenario, &mut options, |part| part.clock_of(1.0).get());
        }
        LimitKind::Resource(ResourceKind::Cpu)
            if !limit.is_about(|role| matches!(role, Role::Processes { .. })) =>
        {
            faster_sockets(scenario, &mut options, |part| part.cycles_per_second().get());
        }
        LimitKind::Core | LimitKind::Resource(ResourceKind::Cpu) => {
            faster_sockets(scenario, &mut options, |part| part.clock_of(1.0).get());
        }
        LimitKind::Resource(ResourceKind::Bridge) => {
            uplinks_stay(scenario, limit, &mut options);
            other_adapters(scenario, limit, &mut options);
            moved_cards(scenario, &mut options);
            more_cards(scenario, limit, &mut options);
        }
        LimitKind::Resource(ResourceKind::Pcie) => {
            faster_slots(scenario, limit, &mut options);
            moved_cards(scenario, &mut options);
            more_cards(scenario, limit, &mut options);
            spread_enclosures(scenario, limit, &mut options);
        }
        LimitKind::Resource(ResourceKind::Port | ResourceKind::Infiniband) => {
            faster_cards(scenario, &mut options, |card| card.network().is_some());
            more_cards(scenario, limit, &mut options);
        }
        LimitKind::Resource(ResourceKind::Sas) => {
            if !spread_enclosures(scenario, limit, &mut options) {
                other_adapters(scenario, limit, &mut options);
            }
        }
        LimitKind::Resource(ResourceKind::Adapter) => {
            faster_cards(scenario, &mut options, |card| card.wide_ports().is_some());
            other_adapters(scenario, limit, &mut options);
            more_cards(scenario, limit, &mut options);
            spread_enclosures(scenario, limit, &mut options);
        }
        LimitKind::Resource(ResourceKind::Disk) => {
            other_disks(scenario, limit, &mut options);
            faster_cards(scenario, &mut options, |card| card.drive().is_some());
            more_cards(scenario, limit, &mut options);
            more_enclosures(scenario, limit, &mut options);
        }
        LimitKind::Resource(ResourceKind::Client | ResourceKind::Network)
        | LimitKind::Concurrency
        | LimitKind::Offered => {}
    }
    options
}

/// Adds the upgrade that sets one field of the software.
fn other_software(
    scenario: &Scenario,
    options: &mut Options,
    change: String,
    (field, value): (&str, f64),
    place: impl FnOnce(&mut Stack) -> &mut f64,
) {
    let sets = vec![format!("stack.{field}={value}")];
    let topology = scenario.topology.clone();
    let upgraded = options.add(scenario, topology, change.clone(), change, sets);
    *place(&mut upgraded.stack) = value;
}

/// The family of a part: its name up to the first `-`.
pub(super) fn family(name: &str) -> &str {
    name.split_once('-').map_or(name, |(family, _)| family)
}

/// The next free id in the numbering of an element: `nic2` if `nic0` and `nic1` exist.
pub(super) fn free_id(topology: &Topology, like: &str) -> String {
    let spec = topology.spec();
    let taken = |id: &str| {
        spec.cards.iter().any(|card| card.id == id)
            || spec.sockets.iter().any(|socket| socket.id == id)
            || spec.bridges.iter().any(|bridge| bridge.id == id)
            || spec.slots.iter().any(|slot| slot.id == id)
            || spec.jbods.iter().any(|jbod| jbod.id == id)
    };
    let stem = like.trim_end_matches(|c: char| c.is_ascii_digit());
    (0..=u32::MAX)
        .map(|number| format!("{stem}{number}"))
        .find(|id| !taken(id))
        .expect("there are fewer elements than numbers")
}

/// The slowest part by `speed`.
pub(super) fn slowest<'a, P>(parts: impl Iterator<Item = &'a P>, speed: impl Fn(&P) -> f64) -> Option<&'a P> {
    parts.min_by(|a, b| speed(a).total_cmp(&speed(b)))
}

/// The overrides that set a field of the marked elements to a value: a single one if all elements are marked.
pub(super) fn overrides(table: &str, elements: Vec<(&str, bool)>, field: &str, value: &str) -> Vec<String> {
    if elements.iter().all(|(_, marked)| *marked) {
        return vec![format!("{table}.*.{field}={value}")];
    }
    let marked = elements.into_iter().filter(|(_, marked)| *marked);
    marked
        .map(|(id, _)| format!("{table}.{id}.{field}={value}"))
        .collect()
}

/// The words for the elements that an upgrade replaces.
pub(super) fn all_or_slower(mut replaced: impl Iterator<Item = bool>) -> &'static str {
    if replaced.all(|replaced| replaced) {
        "all"
    } else {
        "the slower"
    }
}

/// Whether a processor can replace that of a socket: the board takes it, and it takes the memory and the
/// links that are there, or those given.
pub(super) fn replaces(
    topology: &Topology,
    socket: usize,
    part: &SocketPart,
    links: Option<&SocketLinkPart>,
    given: Option<&MemoryPart>,
) -> bool {
    let SocketSpec {
        id,
        part: now,
        memory,
        nodes,
    } = &topology.spec().sockets[socket];
    let mut here = topology.spec().links.iter().filter(|link| link.ends.contains(id));
    let count = here.clone().count() as u64;
    family(&part.name) == family(&now.name)
        && part.fits_board_of(now)
        && nodes
            .as_ref()
            .is_none_or(|nodes| part.is_divided_in(u64::from(nodes.count)))
        && part.takes(given.unwrap_or(&memory.part))
        && (count <= part.socket_links || part.socket_links >= now.socket_links)
        && here.all(|link| part.joins_by(links.unwrap_or(&link.part)))
}

/// The overrides that replace the processors of the marked sockets.
pub(super) fn other_processors(spec: &TopologySpec, marked: &[bool], part: &str) -> Vec<String> {
    let sockets = spec.sockets.iter().zip(marked);
    let sockets = sockets.map(|(socket, marked)| (socket.id.as_str(), *marked));
    overrides("socket", sockets.collect(), "part", part)
}

pub(super) fn faster_links(scenario: &Scenario, options: &mut Options) {
    let speed = |part: &SocketLinkPart| part.raw_bandwidth().get() * part.usable_share().get();
    let topology = &scenario.topology;
    let spec = topology.spec();
    let Some(now) = slowest(spec.links.iter().map(|link| &link.part), speed) else {
        return;
    };
    let mut any = false;
    let alike = |part: &&SocketLinkPart| part.technology == now.technology;
    let all = catalogue().each::<SocketLinkPart>();
    for faster in all.filter(alike).filter(|part| speed(part) > speed(now)) {
        // Processors whose links are slower are replaced too, if there is one for all of them.
        let sockets = spec.sockets.iter();
        let slow: Vec<bool> = sockets.map(|socket| !socket.part.joins_by(faster)).collect();
        let fits = |part: &&SocketPart| {
            let mut places = (0..slow.len()).filter(|&socket| slow[socket]);
            places.all(|socket| replaces(topology, socket, part, Some(faster), None))
        };
        let replaced = slow.contains(&true);
        let processor = replaced.then(|| catalogue().each::<SocketPart>().find(fits));
        let Some(processor) = processor.map_or(Some(None), |found| found.map(Some)) else {
            options.rule_out(format!(
                "The processors of this board have no links as fast as {}.",
                faster.name
            ));
            continue;
        };
        any = true;
        // Those between the nodes of a socket are not in the file.
        let links = topology.links().iter().take(spec.links.len());
        let links = links.map(|link| (link.id.as_str(), speed(&link.part) < speed(faster)));
        let links: Vec<(&str, bool)> = links.collect();
        let which = all_or_slower(links.iter().map(|(_, slower)| *slower));
        let mut change = format!("{which} links between sockets become {}", faster.name);
        let mut sets = overrides("link", links, "part", &faster.name);
        match processor {
            Some(part) => {
                let which = all_or_slower(slow.iter().copied());
                change = format!(
                    "{change}, and {which} sockets {} (with a board that supports it)",
                    part.name
                );
                sets.extend(other_processors(spec, &slow, &part.name));
            }
            None => change.push_str(" (with a board that supports it)"),
        }
        options.offer(scenario, change, sets, |spec| {
            for link in spec
                .links
                .iter_mut()
                .filter(|link| speed(&link.part) < speed(faster))
            {
                link.part.clone_from(faster);
            }
            for (socket, _) in spec.sockets.iter_mut().zip(&slow).filter(|(_, slow)| **slow) {
                if let Some(part) = processor {
                    socket.part.clone_from(part);
                }
            }
        });
    }
    if !any {
        options.rule_out(format!(
            "The catalogue has no faster link between sockets than {} for this board.",
            now.name
        ));
    }
    options.rule_out("The uplinks of the I/O bridges stay as they are: the bridges support nothing faster.");
}

/// Adds the upgrade by one more link between all sockets that are joined, if the processors have as many.
pub(super) fn more_links(scenario: &Scenario, options: &mut Options) {
    let spec = scenario.topology.spec();
    // The last link of each pair, after which the new one goes.
    let mut last: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    for (place, link) in spec.links.iter().enumerate() {
        let [a, b] = link.ends.each_ref().map(String::as_str);
        last.insert([a.min(b), a.max(b)], place);
    }
    let has_ports = spec.sockets.iter().all(|socket| {
        let links = spec.links.iter().filter(|link| link.ends.contains(&socket.id));
        let more = last.keys().filter(|pair| pair.contains(&socket.id.as_str()));
        (links.count() + more.count()) as u64 <= socket.part.socket_links
    });
    if !has_ports {
        options.rule_out("The processors have no port for a further link between sockets.");
        return;
    }
    let change = match last.len() {
        1 => "one more link joins the sockets",
        _ => "one more link joins each pair of joined sockets",
    };
    let is_single = last.len() == spec.links.len();
    let sets = is_single.then(|| "link.*.count=2".to_owned());
    let mut places: Vec<usize> = last.into_values().collect();
    places.sort_unstable_by(|a, b| b.cmp(a));
    let change = format!("{change} (with a board that wires it)");
    options.offer(scenario, change, Vec::from_iter(sets), |spec| {
        for place in places {
            spec.links.insert(place + 1, spec.links[place].clone());
        }
    });
}

pub(super) fn faster_sockets(scenario: &Scenario, options: &mut Options, speed: fn(&SocketPart) -> f64) {
    let spec = scenario.topology.spec();
    let Some(now) = slowest(spec.sockets.iter().map(|socket| &socket.part), speed) else {
        return;
    };
    let topology = &scenario.topology;
    let mut any = false;
    for faster in catalogue()
        .each::<SocketPart>()
        .filter(|part| speed(part) > speed(now))
    {
        let sockets = spec.sockets.iter();
        let slower: Vec<bool> = sockets
            .map(|socket| speed(&socket.part) < speed(faster))
            .collect();
        let mut places = (0..slower.len()).filter(|&socket| slower[socket]);
        if !places.all(|socket| replaces(topology, socket, faster, None, None)) {
            continue;
        }
        any = true;
        let which = all_or_slower(slower.iter().copied());
        let change = format!("{which} sockets become {}", faster.name);
        let sets = other_processors(spec, &slower, &faster.name);
        options.offer(scenario, change, sets, |spec| {
            for (socket, _) in spec
                .sockets
                .iter_mut()
                .zip(&slower)
                .filter(|(_, slower)| **slower)
            {
                socket.part.clone_from(faster);
            }
        });
    }
    if !any {
        options.rule_out(format!(
            "The catalogue has no processor faster than {} that this board takes.",
            now.name
        ));
    }
}
