//! Upgrades of the catalogue for full slots, ports and bridges: faster slots, faster cards, more cards.

use std::collections::BTreeMap;

use bandgraph_hardware::{CardPart, PcieSlotSpec};
use bandgraph_model::Scenario;
use bandgraph_solve::Limit;
use bandgraph_topology::{Bridge, Card, CardSpec, ResourceId, Role, Seat, SlotSpec, Topology};
use bandgraph_units::Bytes;

use super::options::{Options, free_id, slowest};

/// Rules out faster uplinks for full bridges: an uplink is part of its bridge.
pub(super) fn uplinks_stay(scenario: &Scenario, limit: &Limit, options: &mut Options) {
    for (index, bridge) in scenario.topology.bridges().iter().enumerate() {
        let Some(uplink) = bridge.uplink.as_ref().filter(|_| is_about_bridge(limit, index)) else {
            continue;
        };
        options.rule_out(format!(
            "The uplink of {} stays {}: the bridge supports nothing faster.",
            bridge.id, uplink.part.name
        ));
    }
}

/// `slot s1 becomes gen1 x8`, with the first few ids if there are several slots.
fn rewired(slots: &[&str], link: &str) -> String {
    const LISTED: usize = 4;
    match slots {
        [only] => format!("slot {only} becomes {link}"),
        [first @ .., last] if slots.len() <= LISTED => {
            format!("slots {} and {last} become {link}", first.join(", "))
        }
        _ => {
            let (listed, others) = slots.split_at(LISTED - 1);
            format!(
                "slots {} and {} more become {link}",
                listed.join(", "),
                others.len()
            )
        }
    }
}

/// Faster wiring of the full slots, up to the link speed of the bridge and of the card.
pub(super) fn faster_slots(scenario: &Scenario, limit: &Limit, options: &mut Options) {
    let topology = &scenario.topology;
    let mut targets: Vec<(usize, PcieSlotSpec)> = Vec::new();
    for (index, slot) in topology.slots().iter().enumerate() {
        let Some((card, seated)) = slot.card.and_then(|card| {
            let card = &topology.cards()[card];
            card.seat_in(index).map(|seated| (card, seated))
        }) else {
            continue;
        };
        let Some(endpoint) = card.part.endpoint().filter(|_| is_about_slot(limit, index)) else {
            continue;
        };
        let bridge = &topology.bridges()[slot.bridge];
        let best = PcieSlotSpec {
            generation: bridge.part.generation.min(endpoint.connector.generation),
            lanes: slot
                .connector_lanes
                .max(slot.pcie.lanes)
                .min(endpoint.connector.lanes),
        };
        if best.raw_bandwidth() > seated.trained.raw_bandwidth() {
            targets.push((index, best));
        } else {
            options.rule_out(reason_for_slot(
                &slot.id,
                seated.trained,
                endpoint.connector,
                bridge,
            ));
        }
    }
    if targets.is_empty() {
        return;
    }
    let name = |index: usize| topology.slots()[index].id.as_str();
    let mut by_best: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (index, best) in &targets {
        by_best.entry(best.to_string()).or_default().push(name(*index));
    }
    let words: Vec<String> = by_best.iter().map(|(best, slots)| rewired(slots, best)).collect();
    let sets = targets.iter().map(|(index, best)| {
        let slot = name(*index);
        (slot, format!("slot.{slot}.pcie={best}"))
    });
    let sets = topology.spec().overrides(sets);
    options.offer(scenario, words.join(", "), sets, |spec| {
        for (index, best) in &targets {
            spec.slots[*index].pcie = *best;
        }
    });
}

/// The slots without a card; their absence is a reason.
pub(super) fn free_slots<'t>(topology: &'t Topology, options: &mut Options) -> Vec<&'t str> {
    let free = topology.slots().iter().filter(|slot| slot.card.is_none());
    let free: Vec<&str> = free.map(|slot| slot.id.as_str()).collect();
    if free.is_empty() {
        options.rule_out("There is no free slot for another card.");
    }
    free
}

/// Moves cards to free slots below another bridge or switch, or with other wiring: the traffic of one of
/// these, or the traffic between them, may be the limit.
pub(super) fn moved_cards(scenario: &Scenario, options: &mut Options) {
    let topology = &scenario.topology;
    for card in topology.cards().iter().filter(|card| card.second.is_none()) {
        let Some(seated) = card.seated else { continue };
        let now = &topology.slots()[seated.slot];
        for slot in topology.slots().iter().filter(|slot| slot.card.is_none()) {
            if (slot.bridge, slot.switch, slot.pcie) == (now.bridge, now.switch, now.pcie) {
                continue;
            }
            let change = format!("{} moves from slot {} to slot {}", card.id, now.id, slot.id);
            let set = format!("card.{}.slot={}", card.id, slot.id);
            let sets = topology.spec().overrides([(&*card.id, set)]);
            options.offer_if_possible(scenario, change, "A card in another free slot", sets, |spec| {
                for moved in spec.cards.iter_mut().filter(|other| other.id == card.id) {
                    moved.seat = Seat::Slot(slot.id.clone());
                }
            });
        }
    }
}

/// Whether the limit is a slot: one of its directions, or the outstanding reads of its card.
pub(super) fn is_about_slot(limit: &Limit, slot: usize) -> bool {
    limit.is_about(|role| matches!(role, Role::Slot { slot: other, .. } if other == slot))
}

/// Whether a limit is the uplink of a bridge.
pub(super) fn is_about_bridge(limit: &Limit, bridge: usize) -> bool {
    limit.is_about(|role| matches!(role, Role::Bridge { bridge: other, .. } if other == bridge))
}

/// Why a slot cannot become faster: the side, or sides, with no faster link.
fn reason_for_slot(slot: &str, trained: PcieSlotSpec, card: PcieSlotSpec, bridge: &Bridge) -> String {
    let mut slow = Vec::new();
    if bridge.part.generation <= trained.generation {
        slow.push(format!("{} supports {}", bridge.id, bridge.part.generation));
    }
    if card.generation <= trained.generation {
        slow.push(format!("its card supports {}", card.generation));
    }
    if slow.is_empty() {
        slow.push(format!(
            "it has {} lanes, and its card {}",
            trained.lanes, card.lanes
        ));
    }
    format!(
        "A faster slot {slot} would still train to {trained}: {}.",
        slow.join(" and ")
    )
}

/// The cards with ports or drives that the limit concerns: those in its slots, behind its bridges, or with
/// its ports or drives.
fn cards_of(scenario: &Scenario, limit: &Limit) -> Vec<usize> {
    let topology = &scenario.topology;
    let is_full = |resource: ResourceId| limit.is_about(|role| role == topology[resource].role);
    let drives = topology.jbods().iter();
    let drives: Vec<(Option<usize>, ResourceId)> = drives.map(|jbod| (jbod.card(), jbod.disks[0])).collect();
    (0..topology.cards().len())
        .filter(|&index| {
            let card = &topology.cards()[index];
            let of_slot = card.seats().any(|seated| is_about_slot(limit, seated.slot));
            let of_port = topology.ports()[card.ports.clone()]
                .iter()
                .any(|port| is_full(port.inbound) || is_full(port.outbound));
            let mut drives = drives.iter().filter(|(on, _)| *on == Some(index));
            let of_drive = drives.any(|(_, drive)| is_full(*drive));
            let serves = card.part.network().is_some() || card.part.drive().is_some();
            serves && (of_slot || of_port || of_drive || is_about_bridge(limit, card.bridge))
        })
        .collect()
}

/// Adds one card of the full kind in each free slot that takes it. Clients and pools use it as they use the
/// existing card.
pub(super) fn more_cards(scenario: &Scenario, limit: &Limit, options: &mut Options) {
    let topology = &scenario.topology;
    let mut kinds: Vec<(&str, &CardPart)> = Vec::new();
    for index in cards_of(scenario, limit) {
        let card = &topology.cards()[index];
        if card.seated.is_some() && !kinds.iter().any(|(_, known)| **known == card.part) {
            kinds.push((&card.id, &card.part));
        }
    }
    for (like, part) in kinds {
        let id = free_id(topology, like);
        for slot in free_slots(topology, options) {
            let change = format!("one more {} ({id}) in slot {slot}", part.name());
            let upgraded = options.offer(scenario, change, Vec::new(), |spec| {
                spec.cards.push(CardSpec {
                    id: id.clone(),
                    part: part.clone(),
                    seat: Seat::Slot(slot.to_owned()),
                });
            });
            if let Some(upgraded) = upgraded {
                use_like(upgraded, like, &id);
            }
        }
    }
}

/// Lets the clients that name a port of card `like`, and the pools that name it as a drive, also use card
/// `id`.
fn use_like(scenario: &mut Scenario, like: &str, id: &str) {
    let topology = &scenario.topology;
    let ports_of = |card: &str| -> Vec<String> {
        let ports = topology.ports().iter();
        let of_card = ports.filter(|port| topology.cards()[port.card].id == card);
        of_card.map(|port| port.id.clone()).collect()
    };
    let (known, more) = (ports_of(like), ports_of(id));
    for group in &mut scenario.clients {
        if group.ports.iter().any(|port| known.contains(port)) {
            group.ports.extend(more.iter().cloned());
        }
    }
    for pool in &mut scenario.storage.pools {
        if pool.jbods.iter().any(|jbod| jbod == like) {
            pool.jbods.push(id.to_owned());
        }
    }
}

/// The capacities of a drive and of a smaller one; `None` if the other is no smaller.
fn smaller(card: &CardPart, other: &CardPart) -> Option<[Bytes; 2]> {
    let (now, then) = (card.drive()?.capacity(), other.drive()?.capacity());
    (then < now).then_some([now, then])
}

/// The slots that hold a card like this one, with what each feeds: the wiring of the slot, as far as its
/// bridge goes.
fn slots_of<'t>(topology: &'t Topology, part: &CardPart) -> Vec<(&'t SlotSpec, PcieSlotSpec)> {
    let cards = topology.cards().iter().filter(|card| card.part == *part);
    cards
        .flat_map(Card::seats)
        .map(|seated| {
            let slot = &topology.slots()[seated.slot];
            let bridge = topology.bridges()[slot.bridge].part.generation;
            (&topology.spec().slots[seated.slot], slot.pcie.at_most(bridge))
        })
        .collect()
}

/// The cards that fit the slots, in the order of their rates, without network cards that these slots feed no
/// better than a slower card with as many ports.
fn fed(slots: &[(&SlotSpec, PcieSlotSpec)], mut cards: Vec<CardPart>) -> Vec<CardPart> {
    cards.retain(|card| {
        card.endpoint().is_some_and(|endpoint| {
            slots.iter().all(|(slot, _)| {
                let lanes = slot.connector_lanes.unwrap_or(slot.pcie.lanes);
                endpoint.connector.lanes <= lanes && card.height().fits(slot.height)
            })
        })
    });
    cards.sort_by(|a, b| a.total_rate().get().total_cmp(&b.total_rate().get()));
    let mut starved: Vec<(u64, PcieSlotSpec)> = Vec::new();
    cards.retain(|card| {
        let Some((endpoint, ports)) = card.endpoint().zip(card.network()) else {
            return true;
        };
        let trained = slots.iter().map(|(_, fed)| fed.train(endpoint.connector));
        let slowest = trained.min_by(|a, b| a.raw_bandwidth().get().total_cmp(&b.raw_bandwidth().get()));
        let Some(link) = slowest.filter(|link| link.raw_bandwidth() < card.total_rate()) else {
            return true;
        };
        let is_new = !starved.contains(&(ports.count, link));
        starved.push((ports.count, link));
        is_new
    });
    cards
}

/// Faster parts for all cards equal to the slowest in a slot, among the parts that `concerned` selects.
pub(super) fn faster_cards(scenario: &Scenario, options: &mut Options, concerned: fn(&CardPart) -> bool) {
    let spec = scenario.topology.spec();
    let seated = spec
        .cards
        .iter()
        .filter(|card| matches!(card.seat, Seat::Slot(_)));
    let cards = seated.map(|card| &card.part).filter(|part| concerned(part));
    let Some(now) = slowest(cards, |part| part.total_rate().get()) else {
        return;
    };
    let faster = now.faster();
    if faster.is_empty() {
        options.rule_out(format!("The catalogue has no faster card than {}.", now.name()));
    }
    let fitting = fed(&slots_of(&scenario.topology, now), faster.clone());
    if let Some(other) = faster.iter().find(|_| fitting.is_empty()) {
        let other = other.name();
        options.rule_out(format!(
            "The slots of {} take no faster card of the catalogue, such as {other}.",
            now.name()
        ));
    }
    let mut too_small = Vec::new();
    for faster in fitting {
        let is_same = faster.name() == now.name();
        let (change, field, value) = if is_same {
            let (all, used) = (faster.ports(), now.ports());
            let change = format!("every {} uses all its {all} ports instead of {used}", now.name());
            (change, "ports", all.to_string())
        } else {
            let change = format!("every {} becomes {}", now.name(), faster.name());
            (change, "part", faster.name().to_owned())
        };
        let slower = |card: &CardSpec| card.part == *now;
        if let Some([capacity, less]) = smaller(now, &faster) {
            too_small.push((format!("{} ({less})", faster.name()), capacity));
            continue;
        }
        let cards = spec.cards.iter().filter(|card| slower(card));
        let sets = cards.map(|card| (&*card.id, format!("card.{}.{field}={value}", card.id)));
        let sets = spec.overrides(sets);
        options.offer(scenario, change, sets, |spec| {
            for card in spec.cards.iter_mut().filter(|card| slower(card)) {
                card.part = faster.clone();
            }
        });
    }
    if let Some((_, capacity)) = too_small.first() {
        let drives: Vec<&str> = too_small.iter().map(|(drive, _)| drive.as_str()).collect();
        options.rule_out(format!(
            "Faster drives that hold less than {} ({capacity}): {}.",
            now.name(),
            drives.join(", ")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::rewired;

    #[test]
    fn many_slots_are_one_sentence() {
        assert_eq!(rewired(&["s1"], "gen1 x8"), "slot s1 becomes gen1 x8");
        assert_eq!(
            rewired(&["a", "b", "c"], "gen5 x4"),
            "slots a, b and c become gen5 x4"
        );
        let bays = ["bay0", "bay1", "bay2", "bay3", "bay4"];
        assert_eq!(
            rewired(&bays, "gen5 x4"),
            "slots bay0, bay1, bay2 and 2 more become gen5 x4"
        );
    }
}
