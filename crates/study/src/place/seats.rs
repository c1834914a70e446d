//! Movable cards, their possible slots, and classes of equivalent slots.

use bandgraph_hardware::CardHeight;
use bandgraph_topology::{CardSpec, Seat, SlotSpec, TopologySpec};

use super::{PlaceError, SlotRules};

/// A movable card.
#[derive(Clone, Debug)]
pub(super) struct Movable {
    /// Its index among all cards of the topology.
    pub(super) index: usize,
    /// Its id.
    pub(super) id: String,
    /// The index of its slot among those of the topology.
    pub(super) slot: usize,
}

/// Equivalent slots: the same bridge and switch, lanes, generation, connector, settings and height.
#[derive(Clone, Debug)]
pub(super) struct SlotClass {
    /// The indices of the slots among those of the topology, in file order.
    pub(super) slots: Vec<usize>,
}

/// The movable cards and their possible slots.
#[derive(Clone, Debug)]
pub(super) struct Seats {
    /// Movable cards, in file order.
    pub(super) cards: Vec<Movable>,
    /// Classes of slots for movable cards, in file order.
    pub(super) classes: Vec<SlotClass>,
    /// Whether a card fits, by card and class.
    pub(super) fits: Vec<Vec<bool>>,
}

impl Seats {
    /// Finds the cards and slots in a valid topology.
    pub(super) fn find(spec: &TopologySpec, rules: &SlotRules) -> Result<Self, PlaceError> {
        check_names(spec, rules)?;
        let position = |id: &String| spec.slots.iter().position(|slot| slot.id == *id);
        let (mut cards, mut kept) = (Vec::new(), Vec::new());
        for (index, card) in spec.cards.iter().enumerate() {
            // A card with two hosts stays: its two slots are joined by a cable.
            if let Seat::Slots(slots) = &card.seat {
                kept.extend(slots.iter().filter_map(position));
            }
            let Seat::Slot(slot) = &card.seat else { continue };
            let Some(slot) = position(slot) else { continue };
            if rules.keep.contains(&card.id) {
                kept.push(slot);
            } else {
                cards.push(Movable {
                    index,
                    id: card.id.clone(),
                    slot,
                });
            }
        }
        if cards.is_empty() {
            return Err(PlaceError::NothingToMove);
        }
        let mut classes: Vec<SlotClass> = Vec::new();
        for slot in (0..spec.slots.len()).filter(|slot| !kept.contains(slot)) {
            let alike = classes
                .iter_mut()
                .find(|class| alike(spec, rules, class.slots[0], slot));
            match alike {
                Some(class) => class.slots.push(slot),
                None => classes.push(SlotClass { slots: vec![slot] }),
            }
        }
        let fits = cards.iter().map(|card| {
            let fits = |class: &SlotClass| fits(spec, rules, card, class.slots[0]);
            classes.iter().map(fits).collect()
        });
        let fits: Vec<Vec<bool>> = fits.collect();
        if let Some((card, _)) = cards
            .iter()
            .zip(&fits)
            .find(|(_, fits)| fits.iter().all(|fits| !fits))
        {
            return Err(PlaceError::NoSlot {
                card: card.id.clone(),
            });
        }
        Ok(Self { cards, classes, fits })
    }

    /// The class of each card's present slot.
    pub(super) fn today(&self) -> Vec<usize> {
        let class_of = |slot: usize| self.classes.iter().position(|class| class.slots.contains(&slot));
        self.cards
            .iter()
            .map(|card| class_of(card.slot).expect("the slot of a card that may move is free to others"))
            .collect()
    }

    /// Whether every card fits its class in `classes`.
    pub(super) fn allows(&self, classes: &[usize]) -> bool {
        classes.iter().zip(&self.fits).all(|(&class, fits)| fits[class])
    }

    /// A slot for each card, given its class, such that the fewest cards move: cards that are already in the
    /// right class stay, and the others take the first free slots.
    pub(super) fn slots(&self, classes: &[usize]) -> Vec<usize> {
        let mut left: Vec<Vec<usize>> = self.classes.iter().map(|class| class.slots.clone()).collect();
        let mut slots = vec![None; self.cards.len()];
        for (place, (card, &class)) in slots.iter_mut().zip(self.cards.iter().zip(classes)) {
            if let Some(at) = left[class].iter().position(|&slot| slot == card.slot) {
                *place = Some(left[class].remove(at));
            }
        }
        slots
            .into_iter()
            .zip(classes)
            .map(|(place, &class)| place.unwrap_or_else(|| left[class].remove(0)))
            .collect()
    }
}

fn check_names(spec: &TopologySpec, rules: &SlotRules) -> Result<(), PlaceError> {
    let in_slots = |card: &&CardSpec| matches!(card.seat, Seat::Slot(_) | Seat::Slots(_));
    let known: Vec<String> = spec
        .cards
        .iter()
        .filter(in_slots)
        .map(|card| card.id.clone())
        .collect();
    if let Some(card) = rules.keep.iter().find(|card| !known.contains(card)) {
        return Err(PlaceError::UnknownCard {
            card: card.clone(),
            known,
        });
    }
    let known: Vec<String> = spec.slots.iter().map(|slot| slot.id.clone()).collect();
    if let Some(slot) = rules.low_profile.iter().find(|slot| !known.contains(slot)) {
        return Err(PlaceError::UnknownSlot {
            slot: slot.clone(),
            known,
        });
    }
    Ok(())
}

/// Whether two slots differ only by their ids.
fn alike(spec: &TopologySpec, rules: &SlotRules, a: usize, b: usize) -> bool {
    // Behind a switch, the bridge is that of the switch; the slot's own field is ignored.
    let host = |slot: usize| match &spec.slots[slot].switch {
        Some(switch) => (Some(switch), None),
        None => (None, Some(&spec.slots[slot].bridge)),
    };
    host(a) == host(b) && settings(spec, rules, a) == settings(spec, rules, b)
}

/// The properties that distinguish slots of one host: the slot without names, with its connector, and whether
/// a rule excludes full-height cards.
fn settings(spec: &TopologySpec, rules: &SlotRules, slot: usize) -> (SlotSpec, bool) {
    let slot = &spec.slots[slot];
    let nameless = SlotSpec {
        id: String::new(),
        bridge: String::new(),
        switch: None,
        connector_lanes: Some(connector(slot)),
        ..slot.clone()
    };
    (nameless, rules.low_profile.contains(&slot.id))
}

fn connector(slot: &SlotSpec) -> u32 {
    slot.connector_lanes.unwrap_or(slot.pcie.lanes)
}

fn fits(spec: &TopologySpec, rules: &SlotRules, card: &Movable, slot: usize) -> bool {
    let (part, slot) = (&spec.cards[card.index].part, &spec.slots[slot]);
    let Some(endpoint) = part.endpoint() else {
        return false;
    };
    let slot_height = if rules.low_profile.contains(&slot.id) {
        CardHeight::Low
    } else {
        slot.height
    };
    let too_high = !part.height().fits(slot_height);
    let trained = slot.pcie.train(endpoint.connector);
    let generation = trained.generation.min(host_generation(spec, slot));
    let slowed = trained != endpoint.connector || generation != endpoint.connector.generation;
    // A drive is made for a bay, whose connector no slot for cards has.
    let is_wide_enough = if part.drive().is_some() {
        connector(slot) == connector(&spec.slots[card.slot])
    } else {
        endpoint.connector.lanes <= connector(slot)
    };
    is_wide_enough && !too_high && !(rules.full_speed && slowed)
}

/// The PCIe generation of the bridge or switch above a slot.
fn host_generation(spec: &TopologySpec, slot: &SlotSpec) -> bandgraph_hardware::PcieGeneration {
    let bridge = |id: &str| spec.bridges.iter().find(|bridge| bridge.id == id);
    let switch = slot
        .switch
        .as_ref()
        .and_then(|id| spec.switches.iter().find(|switch| switch.id == *id));
    match switch {
        Some(switch) => switch.part.generation,
        None => bridge(&slot.bridge).map_or(slot.pcie.generation, |bridge| bridge.part.generation),
    }
}
