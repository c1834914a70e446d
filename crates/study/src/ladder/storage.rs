//! Upgrades of the catalogue for full disks and full SAS ports: other disks, more enclosures, unused ports,
//! second cables, more adapters.

use bandgraph_hardware::{CardPart, DiskPart, DrivePart, PartKind, catalogue};
use bandgraph_model::Scenario;
use bandgraph_solve::Limit;
use bandgraph_topology::{CardSpec, JbodSpec, ResourceId, Role, Seat, SecondPath, Topology};
use bandgraph_units::Bytes;

use super::cards::{free_slots, is_about_bridge, is_about_slot};
use super::options::{Options, family, free_id, overrides};

/// Other disks in the full enclosures. Whether they are faster depends on the workload, and whether the data
/// fit on them depends on the scenario; solving it shows both.
pub(super) fn other_disks(scenario: &Scenario, limit: &Limit, options: &mut Options) {
    let topology = &scenario.topology;
    let jbods = &topology.spec().jbods;
    let mut kinds: Vec<&DrivePart> = Vec::new();
    for jbod in full(limit, jbods) {
        if !kinds.contains(&&jbod.disk) {
            kinds.push(&jbod.disk);
        }
    }
    for other in catalogue().each::<DiskPart>().cloned().map(DrivePart::Disk) {
        for now in kinds.iter().filter(|now| ***now != other) {
            if !jbods
                .iter()
                .filter(|jbod| jbod.disk == **now)
                .all(|jbod| takes(topology, jbod, &other))
            {
                continue;
            }
            // Families of disks: their class, and products of the same maker.
            let other_family = family(other.part().name());
            if !matches!(other_family, "sata" | "sas") && other_family != family(now.part().name()) {
                continue;
            }
            let (now_name, other_name) = (now.part().name(), other.part().name());
            let change = format!(
                "every {now_name} becomes {other_name} ({} in place of {})",
                capacity(&other),
                capacity(now)
            );
            let holds = |jbod: &JbodSpec| jbod.disk == **now;
            let changed = jbods.iter().map(|jbod| (jbod.id.as_str(), holds(jbod)));
            let sets = overrides("jbod", changed.collect(), "disk", other_name);
            options.offer(scenario, change, sets, |spec| {
                for jbod in spec.jbods.iter_mut().filter(|jbod| holds(jbod)) {
                    other.clone_into(&mut jbod.disk);
                    other_name.clone_into(&mut jbod.part.disk);
                }
            });
        }
    }
}

/// Whether the adapters of an enclosure take drives of this kind.
fn takes(topology: &Topology, jbod: &JbodSpec, drive: &DrivePart) -> bool {
    let cards = topology.spec().cards.iter();
    let mut ports = cards
        .filter(|card| card.id == jbod.hba)
        .filter_map(|card| card.part.wide_ports());
    ports.all(|ports| ports.take(drive.interface()))
}

fn capacity(drive: &DrivePart) -> Bytes {
    match drive {
        DrivePart::Disk(disk) => disk.capacity,
        DrivePart::Ssd(ssd) => ssd.capacity,
    }
}

/// The enclosures with full disks.
fn full<'t>(limit: &Limit, jbods: &'t [JbodSpec]) -> impl Iterator<Item = &'t JbodSpec> {
    let is_full =
        |jbod| limit.is_about(|role| matches!(role, Role::Disk { jbod: other, .. } if other == jbod));
    let jbods = jbods.iter().enumerate();
    jbods
        .filter(move |&(index, _)| is_full(index))
        .map(|(_, jbod)| jbod)
}

/// A wide port of an adapter, also one without enclosures (which the topology does not list).
struct WidePort {
    card: usize,
    number: u32,
    enclosures: usize,
}

/// All wide ports of all adapters, in their order.
fn wide_ports(topology: &Topology) -> Vec<WidePort> {
    let adapters = topology.cards().iter().enumerate();
    let adapters = adapters.filter_map(|(card, adapter)| Some((card, adapter.part.wide_ports()?)));
    adapters
        .flat_map(|(card, ports)| {
            (0..ports.count as u32).map(move |number| {
                let mut used = topology.sas_ports().iter();
                let used = used.find(|port| (port.card, port.number) == (card, number));
                WidePort {
                    card,
                    number,
                    enclosures: used.map_or(0, |port| port.jbods.len()),
                }
            })
        })
        .collect()
}

/// Adds one enclosure like the first full one, on the SAS port with the fewest enclosures.
pub(super) fn more_enclosures(scenario: &Scenario, limit: &Limit, options: &mut Options) {
    let topology = &scenario.topology;
    let spec = topology.spec();
    let Some(like) = full(limit, &spec.jbods).next() else {
        return;
    };
    let Some(port) = wide_ports(topology)
        .into_iter()
        .min_by_key(|port| port.enclosures)
    else {
        return;
    };
    let card = &topology.cards()[port.card].id;
    let (hba, number) = (card.clone(), port.number);
    let id = free_id(topology, &like.id);
    let change = format!(
        "one more {} ({id}) with {} {} on {card}.{number}",
        like.part.name,
        like.part.disks,
        like.disk.part().name()
    );
    let added = JbodSpec {
        id: id.clone(),
        hba,
        port: number,
        second_path: None,
        ..like.clone()
    };
    let upgraded = options.offer(scenario, change, Vec::new(), |spec| spec.jbods.push(added));
    if let Some(upgraded) = upgraded {
        // A pool with a list of enclosures has to name the new one.
        for pool in &mut upgraded.storage.pools {
            if pool.jbods.contains(&like.id) {
                pool.jbods.push(id.clone());
            }
        }
    }
}

/// Moves every other enclosure of the full ports to an unused port of the same adapter, connects the only
/// enclosure of a port to it with a second cable, or else moves enclosures to an additional adapter of the
/// same kind in a free slot. Returns whether cables alone can relieve a full port.
pub(super) fn spread_enclosures(scenario: &Scenario, limit: &Limit, options: &mut Options) -> bool {
    let topology = &scenario.topology;
    let is_full = |resource: ResourceId| limit.is_about(|role| role == topology[resource].role);
    let ports = wide_ports(topology);
    let unused = |card: usize| {
        let mut ports = ports.iter();
        ports.find(|port| port.card == card && port.enclosures == 0)
    };
    let full = topology.sas_ports().iter().filter(|port| {
        let mut seats = topology.cards()[port.card].seats();
        let of_slot = seats.any(|seated| is_about_slot(limit, seated.slot));
        of_slot || is_full(port.inbound) || is_full(port.outbound)
    });
    let mut by_cables = false;
    for port in full {
        let is_port = is_full(port.inbound) || is_full(port.outbound);
        // The second, the fourth, and so on.
        let moving: Vec<&str> = port
            .jbods
            .iter()
            .skip(1)
            .step_by(2)
            .map(|&jbod| &topology.jbods()[jbod])
            // An enclosure with two paths already uses two ports.
            .filter(|jbod| jbod.paths.len() == 1)
            .map(|jbod| jbod.id.as_str())
            .collect();
        let card = &topology.cards()[port.card];
        if moving.is_empty() {
            let mut enclosures = port.jbods.iter().map(|&jbod| &topology.jbods()[jbod]);
            let takes_another = enclosures
                .find(|jbod| jbod.paths.len() == 1 && jbod.part.as_ref().is_some_and(|part| part.ports > 1));
            match (takes_another.filter(|_| is_port), unused(port.card)) {
                (None, _) => options.rule_out(format!(
                    "One enclosure cannot be spread over more than {}.",
                    port.id
                )),
                (_, None) => options.rule_out(format!("{} has no unused port.", card.id)),
                (Some(jbod), Some(WidePort { number, .. })) => {
                    let (id, port) = (&jbod.id, *number);
                    let change = format!("a second cable from {id} to {}.{port}, which is unused", card.id);
                    let sets = vec![format!("jbod.{id}.second_port={port}")];
                    let offered = options.offer(scenario, change, sets, |spec| {
                        for jbod in spec.jbods.iter_mut().filter(|jbod| jbod.id == *id) {
                            jbod.second_path = Some(SecondPath { hba: None, port });
                        }
                    });
                    by_cables |= offered.is_some();
                }
            }
            continue;
        }
        let enclosures = moving.join(", ");
        match unused(port.card) {
            Some(other) => {
                let sets = moving
                    .iter()
                    .map(|id| format!("jbod.{id}.port={}", other.number))
                    .collect();
                let change = format!("{enclosures} on {}.{}, which is unused", card.id, other.number);
                let offered = options.offer(scenario, change, sets, |spec| {
                    for jbod in spec
                        .jbods
                        .iter_mut()
                        .filter(|jbod| moving.contains(&jbod.id.as_str()))
                    {
                        jbod.port = other.number;
                    }
                });
                // Cables come before adapters.
                if is_port && offered.is_some() {
                    by_cables = true;
                    continue;
                }
            }
            None => options.rule_out(format!("{} has no unused port.", card.id)),
        }
        if card.seated.is_none() {
            continue;
        }
        let id = free_id(topology, &card.id);
        for slot in free_slots(topology, options) {
            let change = format!(
                "one more {} ({id}) in slot {slot}, with {enclosures} on it",
                card.part.name()
            );
            options.offer(scenario, change, Vec::new(), |spec| {
                spec.cards.push(CardSpec {
                    id: id.clone(),
                    part: card.part.clone(),
                    seat: Seat::Slot(slot.to_owned()),
                });
                for jbod in spec
                    .jbods
                    .iter_mut()
                    .filter(|jbod| moving.contains(&jbod.id.as_str()))
                {
                    jbod.hba.clone_from(&id);
                }
            });
        }
    }
    by_cables
}

/// Host bus adapters in free slots, for the enclosures of full adapters that are part of the board: they are
/// spread over the ports of the new one.
pub(super) fn other_adapters(scenario: &Scenario, limit: &Limit, options: &mut Options) {
    let topology = &scenario.topology;
    let is_full = |card: usize| {
        let mut ports = topology.sas_ports().iter().filter(|port| port.card == card);
        let of_port = ports.any(|port| {
            let directions = [port.inbound, port.outbound];
            directions
                .iter()
                .any(|&resource| limit.is_about(|role| role == topology[resource].role))
        });
        let of_card = limit.is_about(|role| role == Role::Adapter { card });
        of_card || of_port || is_about_bridge(limit, topology.cards()[card].bridge)
    };
    for (index, card) in topology.cards().iter().enumerate() {
        if card.seated.is_some() || card.part.wide_ports().is_none() || !is_full(index) {
            continue;
        }
        let moving: Vec<&JbodSpec> = topology
            .spec()
            .jbods
            .iter()
            .filter(|jbod| jbod.hba == card.id)
            .collect();
        if moving.is_empty() {
            continue;
        }
        let mut kinds: Vec<CardPart> = Vec::new();
        let side = |part: &CardPart| (part.wide_ports(), part.processor(), part.endpoint());
        for part in catalogue().of_kind(PartKind::Hba).filter_map(CardPart::of) {
            let Some(ports) = part.wide_ports().filter(|_| part.endpoint().is_some()) else {
                continue;
            };
            let is_usable =
                !part.is_external() && moving.iter().all(|jbod| ports.take(jbod.disk.interface()));
            if is_usable && ports.technology == "SAS" && kinds.iter().all(|known| side(known) != side(&part))
            {
                kinds.push(part);
            }
        }
        let id = free_id(topology, "hba");
        let mut wirings = Vec::new();
        for name in free_slots(topology, options) {
            let slots = topology.slots().iter().filter(|slot| slot.id == name);
            // One of several slots that are the same.
            let is_new = slots
                .map(|slot| (slot.bridge, slot.switch, slot.pcie, slot.connector_lanes))
                .all(|wiring| {
                    let is_new = !wirings.contains(&wiring);
                    wirings.push(wiring);
                    is_new
                });
            if !is_new {
                continue;
            }
            for part in &kinds {
                let change = format!(
                    "the drives of {} move to a {} ({id}) in slot {name}",
                    card.id,
                    part.name()
                );
                let ports = part.ports().max(1) as u32;
                options.offer_if_possible(
                    scenario,
                    change,
                    "A host bus adapter in a free slot",
                    Vec::new(),
                    |spec| {
                        spec.cards.push(CardSpec {
                            id: id.clone(),
                            part: part.clone(),
                            seat: Seat::Slot(name.to_owned()),
                        });
                        let jbods = spec.jbods.iter_mut().filter(|jbod| jbod.hba == card.id);
                        for (number, jbod) in jbods.enumerate() {
                            jbod.hba.clone_from(&id);
                            jbod.port = number as u32 % ports;
                        }
                    },
                );
            }
        }
    }
}
