//! The data for evaluating the placements of one question.

use bandgraph_model::Scenario;
use bandgraph_solve::{SlotAssignmentScratch, SlotAssignments, Totals, bind_merged, predict};
use bandgraph_topology::{Seat, Topology};
use rayon::prelude::*;

use super::loads::{self, Ceiling, Loads};
use super::seats::Seats;
use super::symmetry::Symmetry;
use super::{CardInSlot, Objective, PlaceError, SlotRules, WeightedQuestion};
use crate::StudyError;

/// Scenarios, seats and bounds. A placement is a list of slot classes, in the order of [`Symmetry`].
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) seats: Seats,
    pub(super) symmetry: Symmetry,
    objective: Objective,
    served: Vec<Served>,
}

/// Scratch memory of one thread, for bounds and predictions.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    ceiling: loads::Scratch,
    /// By scenario.
    seatings: Vec<SlotAssignmentScratch>,
    by_card: Vec<usize>,
}

/// One scenario.
#[derive(Clone, Debug)]
struct Served {
    scenario: Scenario,
    name: String,
    /// Its weight over the sum of all weights.
    share: f64,
    /// The value of today's placement, in the measure of the objective.
    today: f64,
    ceiling: Ceiling,
    seatings: SlotAssignments,
}

impl Model {
    /// The weight of each scenario over the sum of all.
    pub(super) fn shares(&self) -> impl Iterator<Item = f64> {
        self.served.iter().map(|served| served.share)
    }

    pub(super) fn new(
        questions: &[WeightedQuestion],
        asked: Option<Objective>,
        rules: &SlotRules,
    ) -> Result<Self, PlaceError> {
        let first = check(questions)?;
        let seats = Seats::find(first.question.scenario.topology.spec(), rules)?;
        let loads = questions
            .iter()
            .map(|weighted| Loads::new(&weighted.question.scenario, &seats));
        let loads: Vec<(Loads, SlotAssignments)> = loads.collect::<Result<_, _>>()?;
        let (loads, seatings): (Vec<Loads>, Vec<SlotAssignments>) = loads.into_iter().unzip();
        let compared = questions.iter().zip(&loads);
        let compared: Vec<(&Topology, &Loads)> = compared
            .map(|(weighted, loads)| (&weighted.question.scenario.topology, loads))
            .collect();
        let symmetry = Symmetry::find(&compared, &seats);
        let weights: f64 = questions.iter().map(|weighted| weighted.weight).sum();
        let totals: Vec<Result<Totals, PlaceError>> = questions
            .par_iter()
            .map(|weighted| totals(&weighted.question.scenario, &weighted.question.name))
            .collect();
        let totals: Vec<Totals> = totals.into_iter().collect::<Result<_, _>>()?;
        let objective = asked.unwrap_or_else(|| suitable_objective(&totals));
        let served = questions.par_iter().zip(&totals).zip(loads).zip(seatings);
        let served = served.map(|(((weighted, totals), loads), seatings)| {
            let scenario = weighted.question.scenario.clone();
            let name = weighted.question.name.clone();
            let today = objective.value(totals);
            if !(today.is_finite() && today > 0.0) {
                return Err(PlaceError::NothingOf {
                    scenario: name,
                    objective,
                });
            }
            Ok(Served {
                ceiling: Ceiling::new(loads, objective, &symmetry.order),
                share: weighted.weight / weights,
                today,
                seatings,
                scenario,
                name,
            })
        });
        let served: Vec<Result<Served, PlaceError>> = served.collect();
        let mut model = Self {
            served: served.into_iter().collect::<Result<_, _>>()?,
            seats,
            symmetry,
            objective,
        };
        model.value_today_as_placements()?;
        Ok(model)
    }

    /// Computes today's value in the same way as that of any placement, so that today's placement scores
    /// exactly 1.
    fn value_today_as_placements(&mut self) -> Result<(), PlaceError> {
        let mut scratch = Scratch::default();
        self.seat(&self.today(), &mut scratch);
        let seated = self.served.iter_mut().zip(&mut scratch.seatings);
        for (served, memory) in seated.filter(|(served, _)| !served.scenario.couples_cards()) {
            let totals = served.seatings.predict(&scratch.by_card, memory);
            if let Some(totals) = totals.map_err(StudyError::run(&served.name))? {
                served.today = self.objective.value(&totals);
            }
        }
        Ok(())
    }

    /// The figure by which placements are ranked.
    pub(super) fn objective(&self) -> Objective {
        self.objective
    }

    /// The number of movable cards.
    pub(super) fn cards(&self) -> usize {
        self.seats.cards.len()
    }

    /// Today's placement.
    pub(super) fn today(&self) -> Vec<usize> {
        self.symmetry.listed(&self.seats.today())
    }

    /// Whether a complete placement follows the rules.
    pub(super) fn allows(&self, classes: &[usize]) -> bool {
        let mut by_card = vec![0; classes.len()];
        for (&card, &class) in self.symmetry.order.iter().zip(classes) {
            by_card[card] = class;
        }
        self.seats.allows(&by_card)
    }

    /// The classes that the next card can take.
    pub(super) fn next<'a>(&'a self, placed: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        self.symmetry.next(placed, &self.seats)
    }

    /// The placements that differ by one moved card or two exchanged cards; sorted, without duplicates.
    pub(super) fn neighbours(&self, classes: &[usize]) -> Vec<Vec<usize>> {
        let order = &self.symmetry.order;
        let mut all = Vec::new();
        let mut offer = |changed: Vec<usize>| {
            let mut by_card = vec![0; changed.len()];
            for (&card, &class) in order.iter().zip(&changed) {
                by_card[card] = class;
            }
            if self.seats.allows(&by_card) {
                all.push(self.symmetry.listed(&by_card));
            }
        };
        for card in 0..classes.len() {
            for class in 0..self.seats.classes.len() {
                let taken = classes.iter().filter(|&&other| other == class).count();
                if class != classes[card] && taken < self.seats.classes[class].slots.len() {
                    let mut moved = classes.to_vec();
                    moved[card] = class;
                    offer(moved);
                }
            }
            for other in card + 1..classes.len() {
                if classes[card] != classes[other] {
                    let mut exchanged = classes.to_vec();
                    exchanged.swap(card, other);
                    offer(exchanged);
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// An upper bound of the score of any steady state with the first cards in these classes; for a complete
    /// placement, its saturation bound.
    pub(super) fn ceiling(&self, classes: &[usize], scratch: &mut Scratch) -> f64 {
        let scratch = &mut scratch.ceiling;
        let scores = self
            .served
            .iter()
            .map(|served| served.share * served.ceiling.value(classes, scratch) / served.today);
        scores.sum()
    }

    /// The score of a complete placement, from the steady state of every scenario.
    pub(super) fn predicted(&self, classes: &[usize], scratch: &mut Scratch) -> Result<f64, PlaceError> {
        self.seat(classes, scratch);
        let mut score = 0.0;
        for (served, memory) in self.served.iter().zip(&mut scratch.seatings) {
            let seated = if served.scenario.couples_cards() {
                None
            } else {
                let totals = served.seatings.predict(&scratch.by_card, memory);
                totals.map_err(StudyError::run(&served.name))?
            };
            let value = match seated {
                Some(totals) => self.objective.value(&totals),
                None => self.bound_anew(served, classes)?,
            };
            score += served.share * value / served.today;
        }
        Ok(score)
    }

    /// Sets the class of each card in `scratch`, whose memory is allocated on first use.
    fn seat(&self, classes: &[usize], scratch: &mut Scratch) {
        if scratch.seatings.is_empty() {
            let memory = self.served.iter().map(|served| served.seatings.scratch());
            scratch.seatings.extend(memory);
        }
        scratch.by_card.clear();
        scratch.by_card.resize(classes.len(), 0);
        for (&card, &class) in self.symmetry.order.iter().zip(classes) {
            scratch.by_card[card] = class;
        }
    }

    /// The value of a placement in one scenario, which is bound again. This slow method serves cards whose
    /// slots of today break the rules, and work whose placement depends on several cards.
    fn bound_anew(&self, served: &Served, classes: &[usize]) -> Result<f64, PlaceError> {
        let scenario = self.seated(&served.scenario, &self.slots(classes))?;
        let totals = totals(&scenario, &served.name)?;
        Ok(self.objective.value(&totals))
    }

    /// [`Model::predicted`], with every scenario bound again.
    #[cfg(test)]
    pub(super) fn predicted_anew(&self, classes: &[usize]) -> Result<f64, PlaceError> {
        let mut score = 0.0;
        for served in &self.served {
            score += served.share * self.bound_anew(served, classes)? / served.today;
        }
        Ok(score)
    }

    /// A slot for each card of a placement, such that the fewest cards move.
    pub(super) fn slots(&self, classes: &[usize]) -> Vec<usize> {
        self.seats
            .slots(&self.symmetry.class_of(classes, &self.seats.today()))
    }

    /// The same with names, for every movable card.
    pub(super) fn cards_in_slots(&self, classes: &[usize]) -> Vec<CardInSlot> {
        let slots = self.served[0].scenario.topology.slots();
        let cards = self.seats.cards.iter().zip(self.slots(classes));
        let named = cards.map(|(card, slot)| CardInSlot {
            card: card.id.clone(),
            slot: slots[slot].id.clone(),
            moved: card.slot != slot,
        });
        named.collect()
    }

    /// The scenarios with cards in these slots, in the order of the question.
    pub(super) fn scenarios(&self, slots: &[usize]) -> Result<Vec<Scenario>, PlaceError> {
        let served = self.served.iter();
        served
            .map(|served| self.seated(&served.scenario, slots))
            .collect()
    }

    fn seated(&self, scenario: &Scenario, slots: &[usize]) -> Result<Scenario, PlaceError> {
        let mut spec = scenario.topology.spec().clone();
        for (card, &slot) in self.seats.cards.iter().zip(slots) {
            spec.cards[card.index].seat = Seat::Slot(spec.slots[slot].id.clone());
        }
        Ok(Scenario {
            topology: Topology::build(spec).map_err(|errors| PlaceError::rebuild(&errors))?,
            ..scenario.clone()
        })
    }
}

/// The default objective: bytes on the network; file data if a scenario has no network traffic; operations if
/// it moves no file data either.
fn suitable_objective(totals: &[Totals]) -> Objective {
    let suits = |objective: &Objective| totals.iter().all(|of| objective.value(of) > 0.0);
    [Objective::Network, Objective::Payload]
        .into_iter()
        .find(suits)
        .unwrap_or(Objective::Operations)
}

/// The predicted totals of a scenario.
fn totals(scenario: &Scenario, name: &str) -> Result<Totals, PlaceError> {
    let bound = bind_merged(scenario).map_err(StudyError::from)?;
    let outcome = predict(&bound).map_err(StudyError::run(name))?;
    Ok(outcome.totals())
}

/// Checks that a placement means the same in all scenarios. Returns the first.
fn check(questions: &[WeightedQuestion]) -> Result<&WeightedQuestion, PlaceError> {
    let first = questions.first().ok_or(PlaceError::NoScenario)?;
    for weighted in questions {
        let scenario = weighted.question.name.clone();
        if !(weighted.weight.is_finite() && weighted.weight > 0.0) {
            return Err(PlaceError::Weight {
                scenario,
                weight: weighted.weight,
            });
        }
        let (here, there) = (
            first.question.scenario.topology.spec(),
            weighted.question.scenario.topology.spec(),
        );
        let differ = |what| PlaceError::DifferentServers {
            first: first.question.name.clone(),
            scenario: scenario.clone(),
            what,
        };
        if here.slots != there.slots || here.switches != there.switches {
            return Err(differ("slots"));
        }
        let bridges = |spec: &bandgraph_topology::TopologySpec| -> Vec<_> {
            let bridges = spec.bridges.iter();
            bridges
                .map(|bridge| (bridge.id.clone(), bridge.part.clone(), bridge.uplink_to.clone()))
                .collect()
        };
        if bridges(here) != bridges(there) {
            return Err(differ("bridges"));
        }
        if here.cards != there.cards {
            return Err(differ("cards"));
        }
    }
    Ok(first)
}
