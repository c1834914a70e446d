//! The steady state with cards in other slots, without binding the scenario again.
//!
//! Demands are linear in the cards: the slot of one card affects its own transfers, and their packets on
//! links, independent of other cards. So a scenario is bound once with all movable cards parked, and once
//! with each of them in each kind of slot. The differences are the contributions of that card, and any
//! placement is the parked one plus the contributions of its cards. The resources of a slot belong to its
//! card only, and are stored by card.
//!
//! The solution is that of [`predict`](crate::predict()), up to rounding; it takes a twentieth of the time,
//! because nothing is named, explained or copied.

use std::collections::BTreeMap;
use std::sync::Arc;

use bandgraph_hardware::hypertransport::PacketMix;
use bandgraph_model::{Bound, Class, Serial, SocketWork, ThreadGroup};
use bandgraph_topology::{Direction, Resource, Role, SlotResource, Unit};

use crate::RunError;
use crate::iteration::SearchMemory;
use crate::outcome::Totals;
use crate::predict::SteadyState;

/// Resources of a slot.
const OF_SLOT: [SlotResource; 3] = [
    SlotResource::Link(Direction::In),
    SlotResource::Link(Direction::Out),
    SlotResource::Reads,
];
/// Remainder of a demand after subtraction, relative to the original value, that is a rounding error.
const ROUNDING: f64 = 1e-11;

/// A bound scenario with one card in a slot, for the contribution of the card.
#[derive(Clone, Copy, Debug)]
pub struct SeatedCard<'a> {
    /// The scenario with this card in the slot and all others parked.
    pub bound: &'a Bound,
    /// The slot.
    pub slot: usize,
}

/// The contribution of a card in a slot, relative to all cards parked.
#[derive(Clone, Debug)]
struct Added {
    /// Units per operation, by class: (resource, difference).
    demand: Vec<Vec<(usize, f64)>>,
    /// The same for the demand that is waited for; empty for a class that waits for all of it.
    waited: Vec<Vec<(usize, f64)>>,
    /// The work of classes that depends on the slot of the card, by class.
    work: Vec<(usize, Class)>,
    /// Packets on socket links.
    packets: Vec<(usize, PacketMix)>,
    /// Usable capacities of the slot's own resources.
    capacities: Vec<(usize, f64)>,
}

/// A scenario with exchangeable slots of cards.
#[derive(Clone, Debug)]
pub struct SlotAssignments {
    /// The scenario with all cards parked, reduced to one thread group for equivalent ones.
    parked: Bound,
    /// Demands of its classes, by resource.
    demands: Vec<Vec<f64>>,
    /// The part of them that operations wait for; empty for a class that waits for all of it.
    waited: Vec<Vec<f64>>,
    capacities: Vec<f64>,
    /// The contribution of each card in each kind of slot; `None` if it does not fit.
    added: Vec<Vec<Option<Added>>>,
}

/// Scratch memory for [`SlotAssignments::predict`], from [`SlotAssignments::scratch`] of the same object.
#[derive(Clone, Debug)]
pub struct SlotAssignmentScratch {
    bound: Bound,
    capacities: Vec<f64>,
    dense: Vec<f64>,
    memory: SearchMemory,
}

impl SlotAssignments {
    /// Builds from the scenario with all cards parked, and with each card in each kind of slot. `parking` are
    /// the slots of the parked cards.
    pub fn new(parked: &Bound, parking: &[usize], seated: &[Vec<Option<SeatedCard<'_>>>]) -> Self {
        let mut table = Table::new(parked, parking, seated.len());
        let mut reduced = reduced(parked);
        let of_classes = reduced.classes.iter();
        table.parked_work = of_classes
            .map(|class| (Arc::clone(&class.work), class.serial))
            .collect();
        let places = table.places(parked, None);
        let classes = reduced.classes.iter();
        let base: Vec<Vec<f64>> = classes.map(|class| table.dense(&class.demand, &places)).collect();
        let classes = reduced.classes.iter();
        let waited: Vec<Vec<f64>> = classes
            .map(|class| table.dense(&class.waited.demand, &places))
            .collect();
        let cards = seated.iter().enumerate();
        let added = cards.map(|(card, kinds)| {
            let kinds = kinds.iter().map(|seated| {
                let seated = (*seated)?;
                Some(table.added(parked, [&base, &waited], card, seated))
            });
            kinds.collect()
        });
        let added = added.collect();
        let count = table.count;
        // Only the number of the slots' own resources matters here.
        let role = Role::Slot {
            slot: 0,
            resource: SlotResource::Reads,
        };
        let of_slots = Resource::new(String::new(), role, [""; 2], 1.0, Unit::OperationsPerSecond, "");
        Arc::make_mut(&mut reduced.resources).pad(count, of_slots);
        let mut capacities = parked.usable_capacities();
        capacities.resize(count, f64::INFINITY);
        let resized = |mut demand: Vec<f64>| {
            demand.resize(count, 0.0);
            demand
        };
        Self {
            demands: base.into_iter().map(resized).collect(),
            waited: waited.into_iter().map(resized).collect(),
            parked: reduced,
            capacities,
            added,
        }
    }

    /// Scratch memory for predictions, one per thread.
    pub fn scratch(&self) -> SlotAssignmentScratch {
        SlotAssignmentScratch {
            bound: self.parked.clone(),
            capacities: Vec::new(),
            dense: Vec::new(),
            memory: SearchMemory::default(),
        }
    }

    /// The steady state with every card in a slot of this kind; `None` if one does not fit.
    ///
    /// # Errors
    ///
    /// [`RunError`]: never a usage error.
    pub fn predict(
        &self,
        kinds: &[usize],
        scratch: &mut SlotAssignmentScratch,
    ) -> Result<Option<Totals>, RunError> {
        if !self.seat(kinds, scratch) {
            return Ok(None);
        }
        let SlotAssignmentScratch {
            bound,
            capacities,
            memory,
            ..
        } = scratch;
        let steady = SteadyState::solve_over(bound, &bound.fabric, capacities, 1.0, memory)?;
        Ok(Some(steady.totals(bound)))
    }

    /// Puts every card into a slot of its kind; returns whether all fit.
    fn seat(&self, kinds: &[usize], scratch: &mut SlotAssignmentScratch) -> bool {
        let added: Option<Vec<&Added>> = self
            .added
            .iter()
            .zip(kinds)
            .map(|(of_card, &kind)| of_card.get(kind)?.as_ref())
            .collect();
        let Some(added) = added else { return false };
        let SlotAssignmentScratch {
            bound,
            capacities,
            dense,
            ..
        } = scratch;
        capacities.clone_from(&self.capacities);
        let packets_of_links = Arc::make_mut(&mut bound.packets);
        packets_of_links.clone_from_slice(&self.parked.packets);
        for added in &added {
            for &(resource, capacity) in &added.capacities {
                capacities[resource] = capacity;
            }
            for (link, packets) in &added.packets {
                packets_of_links[*link].add_all(packets, 1.0);
            }
        }
        Arc::make_mut(&mut bound.fabric).set_packets(packets_of_links);
        for (class, parked) in bound.classes.iter_mut().zip(&self.parked.classes) {
            move_work(class, parked);
        }
        for (index, with_card) in added.iter().flat_map(|added| &added.work) {
            move_work(&mut bound.classes[*index], with_card);
        }
        for (index, (class, parked)) in bound.classes.iter_mut().zip(&self.demands).enumerate() {
            let of_cards = added.iter().map(|added| added.demand[index].as_slice());
            put_together(&mut class.demand, dense, parked, of_cards);
            if class.background.is_some() {
                let of_cards = added.iter().map(|added| added.waited[index].as_slice());
                put_together(&mut class.waited.demand, dense, &self.waited[index], of_cards);
            }
        }
        true
    }
}

/// The resources of a scenario and of all cards' slots, with common numbers: first those of the parked
/// scenario.
struct Table<'a> {
    /// Work of the classes with all cards parked, and what of it is serial.
    parked_work: Vec<(Arc<[SocketWork]>, Serial)>,
    index_of: BTreeMap<Role, usize>,
    parking: &'a [usize],
    /// First number of the slots' own resources, [`OF_SLOT`] for each card.
    of_slots: BTreeMap<(usize, usize), usize>,
    count: usize,
}

impl<'a> Table<'a> {
    fn new(parked: &Bound, parking: &'a [usize], cards: usize) -> Self {
        let resources = parked.resources.iter().enumerate();
        let index_of = resources
            .map(|(index, resource)| (resource.role, index))
            .collect();
        let first = parked.resources.len();
        let own = (0..cards).flat_map(|card| (0..OF_SLOT.len()).map(move |place| (card, place)));
        let of_slots: BTreeMap<(usize, usize), usize> =
            own.enumerate().map(|(at, own)| (own, first + at)).collect();
        Self {
            parked_work: Vec::new(),
            index_of,
            parking,
            count: first + of_slots.len(),
            of_slots,
        }
    }

    /// The number of every resource of a binding; `None` for those of parking slots. `seat` is the card that
    /// is not parked, and its slot.
    fn places(&mut self, bound: &Bound, seat: Option<(usize, usize)>) -> Vec<Option<usize>> {
        let resources = bound.resources.iter();
        resources
            .map(|resource| {
                if let Role::Slot { slot, resource } = resource.role {
                    if self.parking.contains(&slot) {
                        return None;
                    }
                    if let Some((card, _)) = seat.filter(|&(_, own)| own == slot)
                        && let Some(place) = OF_SLOT.iter().position(|of_slot| *of_slot == resource)
                    {
                        return Some(self.of_slots[&(card, place)]);
                    }
                }
                let next = self.count;
                let index = *self.index_of.entry(resource.role).or_insert(next);
                self.count += usize::from(index == next);
                Some(index)
            })
            .collect()
    }

    /// A demand by number of the resource.
    fn dense(&self, demand: &[(usize, f64)], places: &[Option<usize>]) -> Vec<f64> {
        let mut dense = vec![0.0; self.count];
        for &(resource, units) in demand {
            if let Some(place) = places[resource] {
                dense[place] += units;
            }
        }
        dense
    }

    /// Non-zero differences of a demand from a base, by resource.
    fn differences(
        &self,
        demand: &[(usize, f64)],
        places: &[Option<usize>],
        base: &[f64],
    ) -> Vec<(usize, f64)> {
        let dense = self.dense(demand, places);
        let differences = dense.iter().enumerate().map(|(resource, &units)| {
            let before = base.get(resource).copied().unwrap_or(0.0);
            (resource, units - before, before)
        });
        differences
            .filter(|&(_, difference, before)| difference.abs() > ROUNDING * before)
            .map(|(resource, difference, _)| (resource, difference))
            .collect()
    }

    /// The contribution of a card in a slot.
    fn added(
        &mut self,
        parked: &Bound,
        [base, waited]: [&[Vec<f64>]; 2],
        card: usize,
        seated: SeatedCard<'_>,
    ) -> Added {
        let bound = seated.bound;
        let places = self.places(bound, Some((card, seated.slot)));
        let with_card = reduced(bound);
        let classes = with_card.classes.iter().zip(base);
        let demand = classes.map(|(class, base)| self.differences(&class.demand, &places, base));
        let demand = demand.collect();
        let classes = with_card.classes.iter().zip(waited);
        let waited = classes.map(|(class, base)| self.differences(&class.waited.demand, &places, base));
        let waited = waited.collect();
        let classes = with_card.classes.into_iter().zip(&self.parked_work).enumerate();
        let work =
            classes.filter(|(_, (class, (work, serial)))| class.work != *work || class.serial != *serial);
        let work = work.map(|(index, (class, _))| (index, class));
        let links = bound.fabric.links().map(|link| {
            let mut packets = bound.packets[link];
            let place = places[link].expect("links between sockets are not of a slot");
            packets.add_all(&parked.packets[place], -1.0);
            (place, packets)
        });
        let packets = links.collect();
        let capacities = bound.resources.iter().zip(&places);
        let capacities = capacities
            .filter_map(|(resource, place)| Some(((*place)?, resource.usable())))
            .filter(|&(place, _)| place >= parked.resources.len());
        Added {
            demand,
            waited,
            work: work.collect(),
            packets,
            capacities: capacities.collect(),
        }
    }
}

/// Copies the work of a class from the same class with a card elsewhere.
fn move_work(class: &mut Class, other: &Class) {
    class.work = Arc::clone(&other.work);
    class.bound_work = Arc::clone(&other.bound_work);
    class.free = Arc::clone(&other.free);
    class.waited.work.clone_from(&other.waited.work);
    class.serial = other.serial;
}

/// Builds a demand from the one with all cards parked and the contributions of each card.
fn put_together<'a>(
    demand: &mut Vec<(usize, f64)>,
    dense: &mut Vec<f64>,
    parked: &[f64],
    added: impl Iterator<Item = &'a [(usize, f64)]>,
) {
    dense.clear();
    dense.extend_from_slice(parked);
    for &(resource, units) in added.flatten() {
        dense[resource] += units;
    }
    let used = dense.iter().zip(parked).enumerate();
    let used = used.filter(|&(_, (&units, &parked))| units > ROUNDING * parked);
    demand.clear();
    demand.extend(used.map(|(resource, (&units, _))| (resource, units)));
}

/// A binding with one thread group for equivalent ones, and the classes of those.
fn reduced(bound: &Bound) -> Bound {
    let mut groups: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut threads: Vec<ThreadGroup> = Vec::new();
    let mut classes = Vec::new();
    for group in bound.threads.iter() {
        let index = *groups
            .entry((group.workload, group.kind))
            .or_insert(threads.len());
        if index < threads.len() {
            threads[index].members += group.members;
            continue;
        }
        let mut first = group.clone();
        for (class, _) in &mut first.visits {
            classes.push(bound.classes[*class].clone());
            *class = classes.len() - 1;
        }
        threads.push(first);
    }
    Bound {
        classes,
        threads: threads.into(),
        ..bound.clone()
    }
}
