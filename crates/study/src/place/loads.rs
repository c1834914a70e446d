//! The load of each card on every resource, for every class of slots.
//!
//! Demands are linear in the cards: the slot of a card changes only the demand of its own transfers. So a
//! scenario is bound once with all movable cards in extra slots ("parked"), and once for each card in each
//! class of slots. The difference is the load that the card adds there. The loads of a placement are those of
//! the parked scenario plus the differences of its cards. The load on the slot itself belongs to its card
//! alone and is stored separately.
//!
//! All loads are shares of a usable capacity, per second, at one operation per second of a kind of threads.

use std::collections::BTreeMap;
use std::ops::Range;

use bandgraph_hardware::PcieGeneration;
use bandgraph_model::{Bound, Scenario, ThreadKind};
use bandgraph_solve::{SeatedCard, SlotAssignments};
use bandgraph_topology::{Direction, Role, Seat, SlotResource, SlotSpec, Topology};
use rayon::prelude::*;

use super::packing::Packing;
use super::seats::Seats;
use super::symmetry::near;
use super::{Objective, PlaceError};
use crate::StudyError;
/// A relative difference below this is rounding.
const ROUNDING: f64 = 1e-9;

/// The loads of one scenario on all resources that matter for a placement.
#[derive(Clone, Debug)]
pub(super) struct Loads {
    /// The kinds of threads.
    pub(super) kinds: Vec<ThreadKind>,
    /// Loads on resources that cards share, with all movable cards parked: by resource, then by kind.
    parked: Vec<f64>,
    /// The load that each card adds in each class of slots, in the order of `parked`; `None` if it does not
    /// fit.
    added: Vec<Vec<Option<Added>>>,
    /// Loads on resources that no placement changes: one row of kinds per resource, without dominated rows.
    fixed: Vec<Vec<f64>>,
}

/// The load that a card adds in a slot.
#[derive(Clone, Debug)]
pub(super) struct Added {
    /// On shared resources: by resource, then by kind.
    pub(super) shared: Vec<f64>,
    /// On the slot (both directions and outstanding reads): by resource, then by kind.
    pub(super) own: Vec<f64>,
}

/// The resources of a slot: both directions, and outstanding reads.
const OWN: [SlotResource; 3] = [
    SlotResource::Link(Direction::In),
    SlotResource::Link(Direction::Out),
    SlotResource::Reads,
];

/// Loads per resource of one binding.
type Table = BTreeMap<Role, Vec<f64>>;

impl Loads {
    /// Computes the loads of a scenario, and prepares its prediction with cards in other slots.
    pub(super) fn new(scenario: &Scenario, seats: &Seats) -> Result<(Self, SlotAssignments), PlaceError> {
        let probe = Probe::new(scenario, seats);
        let bound = probe.bind(None)?;
        let (kinds, parked) = table(&bound);
        let questions: Vec<(usize, usize)> = (0..seats.cards.len())
            .flat_map(|card| (0..seats.classes.len()).map(move |class| (card, class)))
            .filter(|&(card, class)| seats.fits[card][class])
            .collect();
        let bounds: Vec<Result<Bound, PlaceError>> = questions
            .par_iter()
            .map(|&(card, class)| probe.bind(Some((card, seats.classes[class].slots[0]))))
            .collect();
        let bounds: Vec<Bound> = bounds.into_iter().collect::<Result<_, _>>()?;
        let tables: Vec<Table> = bounds.iter().map(|bound| table(bound).1).collect();
        let differs = |role: &Role, before: &[f64]| {
            tables
                .iter()
                .any(|table| table.get(role).is_some_and(|after| part(before, after)))
        };
        let (mut shared, mut fixed) = (Vec::new(), Vec::new());
        let is_shared = |role: &&Role| !matches!(role, Role::Slot { slot, .. } if probe.is_for_cards(*slot));
        for (role, loads) in parked.iter().filter(|(role, _)| is_shared(role)) {
            if differs(role, loads) {
                shared.push(*role);
            } else {
                fixed.push(loads.clone());
            }
        }
        // Resources without load while all cards are parked: for example, a switch, or a bridge with no other
        // card.
        for role in tables.iter().flat_map(BTreeMap::keys).filter(is_shared) {
            if !parked.contains_key(role) && !shared.contains(role) {
                shared.push(*role);
            }
        }
        let nothing = vec![0.0; kinds.len()];
        let row = |table: &Table, role: &Role| table.get(role).unwrap_or(&nothing).clone();
        let base: Vec<f64> = shared.iter().flat_map(|role| row(&parked, role)).collect();
        let mut added = vec![vec![None; seats.classes.len()]; seats.cards.len()];
        for (&(card, class), table) in questions.iter().zip(&tables) {
            let slot = seats.classes[class].slots[0];
            let own = OWN
                .into_iter()
                .flat_map(|resource| row(table, &Role::Slot { slot, resource }));
            let after = shared.iter().flat_map(|role| row(table, role));
            let difference = after.zip(&base).map(|(after, before)| {
                let difference = after - before;
                if difference.abs() <= ROUNDING * before.abs() {
                    0.0
                } else {
                    difference
                }
            });
            added[card][class] = Some(Added {
                shared: difference.collect(),
                own: own.collect(),
            });
        }
        let mut seated = vec![vec![None; seats.classes.len()]; seats.cards.len()];
        for (&(card, class), bound) in questions.iter().zip(&bounds) {
            let slot = seats.classes[class].slots[0];
            seated[card][class] = Some(SeatedCard { bound, slot });
        }
        let parking: Vec<usize> = probe.parking_slots().collect();
        let seatings = SlotAssignments::new(&bound, &parking, &seated);
        let loads = Self {
            fixed: undominated(fixed),
            kinds,
            parked: base,
            added,
        };
        Ok((loads, seatings))
    }

    /// The load that a card adds in a class of slots; `None` if it does not fit.
    pub(super) fn added(&self, card: usize, class: usize) -> Option<&Added> {
        self.added[card][class].as_ref()
    }

    /// Whether two kinds of threads have the same loads on all resources that no placement changes, and on
    /// shared ones with all cards parked. A resource that only one of the two kinds uses counts as equal to
    /// one that only the other uses with the same load.
    pub(super) fn alike_elsewhere(&self, one: usize, other: usize) -> bool {
        let (mut own_one, mut own_other) = (Vec::new(), Vec::new());
        let mut rows = self.fixed.iter().map(Vec::as_slice);
        let fixed = rows.all(|row| {
            if row[other] == 0.0 && row[one] > 0.0 {
                own_one.push(row[one]);
                true
            } else if row[one] == 0.0 && row[other] > 0.0 {
                own_other.push(row[other]);
                true
            } else {
                near(row[one], row[other])
            }
        });
        own_one.sort_by(f64::total_cmp);
        own_other.sort_by(f64::total_cmp);
        fixed
            && own_one.len() == own_other.len()
            && own_one.iter().zip(&own_other).all(|(a, b)| near(*a, *b))
            && self.columns_alike((&self.parked, one), (&self.parked, other))
    }

    /// Whether kind `one` of matrix `a` has the same load on every resource as kind `other` of matrix `b`.
    pub(super) fn columns_alike(&self, (a, one): (&[f64], usize), (b, other): (&[f64], usize)) -> bool {
        let width = self.kinds.len();
        let mut rows = a.chunks_exact(width).zip(b.chunks_exact(width));
        rows.all(|(a, b)| near(a[one], b[other]))
    }
}

/// Whether two rows of loads differ by more than rounding.
fn part(a: &[f64], b: &[f64]) -> bool {
    a.iter()
        .zip(b)
        .any(|(a, b)| (a - b).abs() > ROUNDING * a.abs().max(b.abs()))
}

/// The rows that no other row dominates in all columns; of equal rows the first.
fn undominated(rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        let below = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a <= b);
        if kept.iter().any(|other| below(&row, other)) {
            continue;
        }
        kept.retain(|other| !below(other, &row));
        kept.push(row);
    }
    kept
}

/// A scenario with parked movable cards.
struct Probe<'a> {
    scenario: &'a Scenario,
    seats: &'a Seats,
    parking: Vec<SlotSpec>,
}

impl<'a> Probe<'a> {
    fn new(scenario: &'a Scenario, seats: &'a Seats) -> Self {
        let spec = scenario.topology.spec();
        let taken = |id: &str| {
            let ids = spec.sockets.iter().map(|element| &element.id);
            ids.chain(spec.bridges.iter().map(|element| &element.id))
                .chain(spec.switches.iter().map(|element| &element.id))
                .chain(spec.slots.iter().map(|element| &element.id))
                .chain(spec.cards.iter().map(|element| &element.id))
                .chain(spec.jbods.iter().map(|element| &element.id))
                .any(|other| other == id)
        };
        let names = (0_u64..).map(|number| format!("parking{number}"));
        let names = names.filter(|name| !taken(name)).take(seats.cards.len());
        let parking = names.zip(&seats.cards).map(|(id, card)| {
            let endpoint = spec.cards[card.index].part.endpoint();
            let mut slot = SlotSpec {
                id,
                bridge: spec.bridges[0].id.clone(),
                ..SlotSpec::default()
            };
            slot.pcie.generation = PcieGeneration::Gen1;
            slot.pcie.lanes = endpoint.map_or(8, |endpoint| endpoint.connector.lanes);
            slot
        });
        Self {
            parking: parking.collect(),
            scenario,
            seats,
        }
    }

    /// The slots for parked cards: they follow the slots of the server.
    fn parking_slots(&self) -> Range<usize> {
        let first = self.scenario.topology.slots().len();
        first..first + self.parking.len()
    }

    /// Whether movable cards can use a slot.
    fn is_for_cards(&self, slot: usize) -> bool {
        let mut classes = self.seats.classes.iter();
        self.parking_slots().contains(&slot) || classes.any(|class| class.slots.contains(&slot))
    }

    /// Binds the scenario with all cards parked, except `seated`: a card and its slot.
    fn bind(&self, seated: Option<(usize, usize)>) -> Result<Bound, PlaceError> {
        let mut spec = self.scenario.topology.spec().clone();
        for (place, card) in self.seats.cards.iter().enumerate() {
            let slot = match seated {
                Some((other, slot)) if other == place => spec.slots[slot].id.clone(),
                _ => self.parking[place].id.clone(),
            };
            spec.cards[card.index].seat = Seat::Slot(slot);
        }
        spec.slots.extend(self.parking.iter().cloned());
        let topology = Topology::build(spec).map_err(|errors| PlaceError::rebuild(&errors))?;
        let bound = bandgraph_solve::bind_merged(&Scenario {
            topology,
            ..self.scenario.clone()
        });
        Ok(bound.map_err(StudyError::from)?)
    }
}

/// The kinds of threads and their loads.
fn table(bound: &Bound) -> (Vec<ThreadKind>, Table) {
    let kinds = bound.thread_kinds();
    let mut table = Table::new();
    for (at, kind) in kinds.iter().enumerate() {
        for &(resource, units) in &kind.demand {
            let resource = &bound.resources()[resource];
            let row = table
                .entry(resource.role)
                .or_insert_with(|| vec![0.0; kinds.len()]);
            row[at] = units / resource.usable();
        }
    }
    (kinds, table)
}

/// Upper bounds of one scenario, for placements that are extended card by card in a fixed order.
#[derive(Clone, Debug)]
pub(super) struct Ceiling {
    loads: Loads,
    objective: Objective,
    /// The cards in that order.
    order: Vec<usize>,
    /// In that order: the least load that each card adds, over all classes of slots.
    least: Vec<Added>,
    /// In that order: the least load that this and all later cards add to shared resources.
    rest: Vec<Vec<f64>>,
}

/// Scratch memory for [`Ceiling::value`].
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    shared: Vec<f64>,
    most: Vec<f64>,
    packing: Packing,
}

impl Ceiling {
    /// Prepares the bounds for cards in a given order.
    pub(super) fn new(loads: Loads, objective: Objective, order: &[usize]) -> Self {
        let least: Vec<Added> = order
            .iter()
            .map(|&card| {
                let all = loads.added[card].iter().flatten();
                all.cloned()
                    .reduce(|a, b| Added {
                        shared: smaller(&a.shared, &b.shared),
                        own: smaller(&a.own, &b.own),
                    })
                    .expect("a card fits somewhere")
            })
            .collect();
        let mut rest = vec![vec![0.0; loads.parked.len()]; order.len() + 1];
        for place in (0..order.len()).rev() {
            let sum = rest[place + 1].iter().zip(&least[place].shared);
            rest[place] = sum.map(|(a, b)| a + b).collect();
        }
        Self {
            loads,
            objective,
            order: order.to_vec(),
            least,
            rest,
        }
    }

    /// An upper bound of [`Objective::value`] over all steady states in which the first cards are in these
    /// classes of slots.
    pub(super) fn value(&self, classes: &[usize], scratch: &mut Scratch) -> f64 {
        let kinds = &self.loads.kinds;
        let width = kinds.len();
        scratch.shared.clone_from(&self.loads.parked);
        let placed = |place: usize, class: usize| {
            self.loads
                .added(self.order[place], class)
                .unwrap_or(&self.least[place])
        };
        let seated = classes
            .iter()
            .enumerate()
            .map(|(place, &class)| placed(place, class));
        for added in seated.clone() {
            add(&mut scratch.shared, &added.shared);
        }
        add(&mut scratch.shared, &self.rest[classes.len()]);
        let own = seated
            .chain(&self.least[classes.len()..])
            .flat_map(|added| added.own.chunks_exact(width));
        let fixed = self.loads.fixed.iter().map(Vec::as_slice);
        let rows = scratch.shared.chunks_exact(width).chain(own).chain(fixed);
        // For each kind alone: its threads spend at least their delays, and no rate exceeds that of its
        // slowest resource.
        scratch.most.clear();
        scratch.most.extend(kinds.iter().map(|kind| kind.service_s));
        for row in rows.clone() {
            for (most, load) in scratch.most.iter_mut().zip(row) {
                *most = most.max(*load);
            }
        }
        for (most, kind) in scratch.most.iter_mut().zip(kinds) {
            *most = kind.threads / (kind.delay_s + kind.think_s + *most);
        }
        let worth = kinds.iter().map(|kind| match self.objective {
            Objective::Operations | Objective::Latency => 1.0,
            Objective::Payload => kind.payload,
            Objective::Network => kind.network,
        });
        scratch
            .packing
            .begin(worth.zip(&scratch.most).map(|(worth, most)| worth * most));
        for row in rows {
            let loads = row.iter().zip(&scratch.most);
            scratch
                .packing
                .resource(loads.map(|(load, most)| load.max(0.0) * most));
        }
        let bound = scratch.packing.upper_bound();
        match self.objective {
            Objective::Latency => self.inverse_latency(bound),
            _ => bound,
        }
    }

    /// An upper bound of the inverse of the mean latency, given the maximum operations per second. By
    /// Little's law, threads = operations × (latency + think time).
    fn inverse_latency(&self, operations: f64) -> f64 {
        let kinds = &self.loads.kinds;
        let threads: f64 = kinds.iter().map(|kind| kind.threads).sum();
        let think = kinds.iter().map(|kind| kind.think_s).fold(0.0, f64::max);
        let idle = kinds.iter().map(|kind| kind.delay_s + kind.service_s);
        let idle = idle.fold(f64::INFINITY, f64::min);
        (threads / operations - think).max(idle).recip()
    }
}

fn add(sum: &mut [f64], more: &[f64]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

fn smaller(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a.min(*b)).collect()
}
