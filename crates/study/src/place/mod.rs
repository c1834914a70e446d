//! Card placement: which card goes in which slot.
//!
//! The score of a placement is its predicted throughput over that of today's placement, averaged over the
//! scenarios by weight. Today's placement scores 1.
//!
//! There are three different figures. The *saturation bound* of a placement is the maximum that its resources
//! permit, computed from demands alone, tens of thousands per second; no steady state exceeds it. The
//! *prediction* is the steady state; ranks come from it. The *simulation* confirms the best placements.
//!
//! Equivalent slots and equivalent cards give equivalent placements, which count once (`symmetry`).
//! Placements with equal scores, such as mirror images, share a rank. If there are few placements, all are
//! predicted; otherwise branch and bound (`search`) finds the best one and proves it, or reports how much
//! better another could be.

mod loads;
mod model;
mod packing;
mod question;
mod search;
mod seats;
mod symmetry;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use bandgraph_simulate::simulate;
use bandgraph_solve::{Outcome, SteadyState, bind};
use rayon::prelude::*;

pub use question::{BOUNDS_PER_PREDICTION, Objective, PlaceError, PlaceOptions, SlotRules, WeightedQuestion};

use self::model::{Model, Scratch};
use self::search::{Found, search};
use crate::{Answer, CommonDraws, Gain, Method, StudyError, Weight, answer, weights};

/// Scores within this distance are equal in the ranking.
const EQUAL: f64 = 1e-9;

/// A card in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardInSlot {
    /// The card's id.
    pub card: String,
    /// The slot's id.
    pub slot: String,
    /// Whether today's slot is another.
    pub moved: bool,
}

/// The results of a placement in one scenario.
#[derive(Clone, Debug)]
pub struct PlacedAnswer {
    /// The prediction and its explanation.
    pub answer: Answer,
    /// The simulation, for the placements to confirm.
    pub simulated: Option<Outcome>,
}

/// One placement in the ranking.
#[derive(Clone, Debug)]
pub struct RankedPlacement {
    /// Its rank, from 1, among the scores of all predicted placements; `None` for today's placement if the
    /// rules forbid it.
    pub rank: Option<usize>,
    /// Every movable card, in file order.
    pub cards: Vec<CardInSlot>,
    /// Other placements with the same score; each of them moves at least as many cards.
    pub ties: Vec<Vec<CardInSlot>>,
    /// Its figure over that of today's placement, averaged over the scenarios by weight.
    pub score: f64,
    /// How certain the difference from today's placement is; `None` without draws.
    pub over_today: Option<Gain>,
    /// How certain the difference from the first placement is; `None` without draws.
    pub over_first: Option<Gain>,
    /// The saturation bound of its score.
    pub saturation_score: f64,
    /// Its results in each scenario, in the order of the question.
    pub scenarios: Vec<PlacedAnswer>,
    /// Whether it is today's placement.
    pub today: bool,
    /// Whether it is the worst predicted placement.
    pub worst: bool,
}

/// A ranking of placements.
#[derive(Clone, Debug)]
pub struct Placements {
    /// The scenarios, in the order of the question.
    pub questions: Vec<WeightedQuestion>,
    /// The options of the search.
    pub options: PlaceOptions,
    /// The figure by which placements are ranked.
    pub objective: Objective,
    /// The best placements in the order of their ranks, then today's and the worst unless they are among
    /// them.
    pub placements: Vec<RankedPlacement>,
    /// The number of distinct placements; `None` if there were too many to count.
    pub different: Option<usize>,
    /// The number of predicted placements.
    pub predicted: usize,
    /// The number of bounds computed to select them; 0 if all placements were predicted.
    pub bounds: usize,
    /// Groups of equivalent cards, each with at least two.
    pub alike: Vec<Vec<String>>,
    /// Whether the first placement is proven to be the best, to one part in a million.
    pub optimal: bool,
    /// By how much another placement could exceed the first, relative to it: 0 if the first is proven to be
    /// the best.
    pub gap: f64,
    /// By scenario, the sources of the spread of its prediction, the largest first; empty without draws.
    pub weights: Vec<Vec<Weight>>,
}

/// Ranks the placements of the cards of a server, for one or several scenarios. The result does not depend on
/// the number of threads.
///
/// # Errors
///
/// [`PlaceError`]: the scenarios or the rules leave nothing to rank, or a scenario cannot be answered.
pub fn place(questions: &[WeightedQuestion], options: &PlaceOptions) -> Result<Placements, PlaceError> {
    let model = Model::new(questions, options.objective, &options.rules)?;
    let today = model.today();
    let all = model.symmetry.all(&model.seats, options.limit);
    let different = all.as_ref().map(Vec::len);
    let found = match all {
        Some(all) => exhaust(&model, all, &today)?,
        None => search(&model, &today, options.top, options.limit)?,
    };
    let ranked = rank(&model, &found.scores, &today);
    if ranked.iter().all(|scored| scored.rank.is_none()) {
        return Err(PlaceError::NoPlacement);
    }
    let placements = describe(&model, &ranked, &today, options)?;
    let scenarios = questions.iter().filter(|_| options.draws > 0);
    let weights = scenarios
        .map(|weighted| weights(&weighted.question.scenario))
        .collect();
    let alike = model
        .symmetry
        .groups()
        .into_iter()
        .filter(|group| group.len() > 1)
        .map(|group| {
            let ids = group.into_iter().map(|card| model.seats.cards[card].id.clone());
            ids.collect()
        });
    Ok(Placements {
        questions: questions.to_vec(),
        options: options.clone(),
        objective: model.objective(),
        placements,
        different,
        predicted: found.scores.len(),
        bounds: found.bounds,
        alike: alike.collect(),
        optimal: found.gap == 0.0,
        gap: found.gap,
        weights,
    })
}

/// The saturation bounds of many placements, computed in sequence on the calling thread. Benchmarks use it to
/// measure a search.
#[derive(Clone, Debug)]
pub struct SaturationBounds {
    model: Model,
    placements: Vec<Vec<usize>>,
}

impl SaturationBounds {
    /// Prepares the bounds of up to `most` placements.
    ///
    /// # Errors
    ///
    /// As [`place`].
    pub fn new(
        questions: &[WeightedQuestion],
        options: &PlaceOptions,
        most: usize,
    ) -> Result<Self, PlaceError> {
        let model = Model::new(questions, options.objective, &options.rules)?;
        let mut placements = Vec::new();
        let mut open = vec![Vec::new()];
        while let Some(placed) = open.pop() {
            if placements.len() == most {
                break;
            }
            if placed.len() == model.cards() {
                placements.push(placed);
                continue;
            }
            for class in model.next(&placed) {
                let mut longer = placed.clone();
                longer.push(class);
                open.push(longer);
            }
        }
        Ok(Self { model, placements })
    }

    /// The number of placements.
    pub fn count(&self) -> usize {
        self.placements.len()
    }

    /// The greatest saturation bound of all placements, as a score.
    pub fn greatest(&self) -> f64 {
        let mut scratch = Scratch::default();
        let bounds = self
            .placements
            .iter()
            .map(|classes| self.model.ceiling(classes, &mut scratch));
        bounds.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The greatest predicted score of the first `most` placements.
    ///
    /// # Errors
    ///
    /// A scenario cannot be answered.
    pub fn greatest_prediction(&self, most: usize) -> Result<f64, PlaceError> {
        let mut greatest = f64::NEG_INFINITY;
        let mut scratch = Scratch::default();
        for classes in self.placements.iter().take(most) {
            greatest = greatest.max(self.model.predicted(classes, &mut scratch)?);
        }
        Ok(greatest)
    }
}

/// Predicts all placements, and today's if the rules exclude it.
fn exhaust(model: &Model, mut all: Vec<Vec<usize>>, today: &[usize]) -> Result<Found, PlaceError> {
    if !all.iter().any(|classes| classes == today) {
        all.push(today.to_vec());
    }
    let scores: Vec<Result<f64, PlaceError>> = all
        .par_iter()
        .map_init(Scratch::default, |scratch, classes| {
            model.predicted(classes, scratch)
        })
        .collect();
    let mut found = BTreeMap::new();
    for (classes, score) in all.into_iter().zip(scores) {
        found.insert(classes, score?);
    }
    Ok(Found {
        scores: found,
        bounds: 0,
        gap: 0.0,
    })
}

/// A placement with its score and, if the rules allow it, its rank.
struct Scored {
    rank: Option<usize>,
    classes: Vec<usize>,
    score: f64,
    /// Other placements with the same score.
    ties: Vec<Vec<usize>>,
}

/// Sorts by score, the best first. Of equal placements, the one that moves the fewest cards represents all. A
/// placement that the rules forbid comes last.
fn rank(model: &Model, scores: &BTreeMap<Vec<usize>, f64>, today: &[usize]) -> Vec<Scored> {
    let is_outside = |classes: &[usize]| classes == today && !model.allows(today);
    let mut sorted: Vec<(&Vec<usize>, f64)> =
        scores.iter().map(|(classes, &score)| (classes, score)).collect();
    sorted.sort_by(|a, b| {
        let outside = is_outside(a.0).cmp(&is_outside(b.0));
        outside.then(b.1.total_cmp(&a.1))
    });
    let ties = sorted.chunk_by(|a, b| is_outside(a.0) == is_outside(b.0) && a.1 - b.1 <= EQUAL);
    let moves = |classes: &[usize]| {
        let slots = model.slots(classes);
        let cards = model.seats.cards.iter().zip(&slots);
        cards.filter(|(card, slot)| card.slot != **slot).count()
    };
    ties.enumerate()
        .map(|(at, ties)| {
            let mut ties = ties.to_vec();
            ties.sort_by_cached_key(|&(classes, _)| (moves(classes), classes));
            let (classes, score) = ties[0];
            Scored {
                rank: (!is_outside(classes)).then_some(at + 1),
                classes: classes.clone(),
                score,
                ties: ties[1..].iter().map(|&(classes, _)| classes.clone()).collect(),
            }
        })
        .collect()
}

/// Computes the reported results of the selected placements.
fn describe(
    model: &Model,
    ranked: &[Scored],
    today: &[usize],
    options: &PlaceOptions,
) -> Result<Vec<RankedPlacement>, PlaceError> {
    let worst = ranked.iter().rposition(|scored| scored.rank.is_some());
    let told = ranked
        .iter()
        .enumerate()
        .filter(|&(at, scored)| at < options.top.max(1) || scored.classes == today || Some(at) == worst);
    let told: Vec<(usize, &Scored)> = told.collect();
    let placements: Vec<Result<RankedPlacement, PlaceError>> = told
        .par_iter()
        .map(|&(at, scored)| {
            let is_today = scored.classes == today;
            let slots = model.slots(&scored.classes);
            let scenarios = model.scenarios(&slots)?;
            let confirm = at < options.confirm || (is_today && options.confirm > 0);
            let answers = scenarios
                .iter()
                .map(|scenario| -> Result<PlacedAnswer, PlaceError> {
                    let simulated = if confirm {
                        let bound = bind(scenario).map_err(StudyError::from)?;
                        let simulated =
                            SteadyState::solve(&bound).and_then(|steady| simulate(&bound, &steady));
                        Some(simulated.map_err(StudyError::run(&scenario.name))?)
                    } else {
                        None
                    };
                    Ok(PlacedAnswer {
                        answer: answer(&scenario.name, scenario, Method::Predict)?,
                        simulated,
                    })
                });
            Ok(RankedPlacement {
                rank: scored.rank,
                cards: model.cards_in_slots(&scored.classes),
                ties: scored
                    .ties
                    .iter()
                    .map(|ties| model.cards_in_slots(ties))
                    .collect(),
                score: scored.score,
                over_today: None,
                over_first: None,
                saturation_score: model.ceiling(&scored.classes, &mut Scratch::default()),
                scenarios: answers.collect::<Result<_, _>>()?,
                today: is_today,
                worst: Some(at) == worst,
            })
        })
        .collect();
    let mut placements: Vec<RankedPlacement> = placements.into_iter().collect::<Result<_, _>>()?;
    if options.draws > 0 {
        let told = told.iter().map(|(_, scored)| scored.classes.as_slice());
        add_gains(model, &mut placements, &told.collect::<Vec<_>>(), today, options)?;
    }
    Ok(placements)
}

/// Adds the certainty of their scores to placements, given their classes.
fn add_gains(
    model: &Model,
    placements: &mut [RankedPlacement],
    classes: &[&[usize]],
    today: &[usize],
    options: &PlaceOptions,
) -> Result<(), PlaceError> {
    let drawn = |classes: &[usize]| -> Result<Vec<Option<CommonDraws>>, PlaceError> {
        let scenarios = model.scenarios(&model.slots(classes))?;
        Ok(scenarios
            .iter()
            .map(|scenario| CommonDraws::of(scenario, options.draws))
            .collect())
    };
    let base = drawn(today)?;
    let mut first: Option<Vec<Option<f64>>> = None;
    for (placement, classes) in placements.iter_mut().zip(classes) {
        // The score by draw: the mean of the scenarios' ratios to today's, by their weights.
        let mut scores = vec![Some(0.0); options.draws as usize];
        for ((here, there), share) in drawn(classes)?.iter().zip(&base).zip(model.shares()) {
            let ratios = here
                .as_ref()
                .zip(there.as_ref())
                .map(|(here, there)| model.objective().ratios(here, there));
            for (draw, score) in scores.iter_mut().enumerate() {
                let ratio = ratios.as_ref().and_then(|ratios| ratios[draw]);
                *score = score.zip(ratio).map(|(score, ratio)| score + share * ratio);
            }
        }
        placement.over_today = Gain::of(scores.iter().copied());
        let best = first.get_or_insert_with(|| scores.clone());
        let ratios = scores.iter().zip(best.iter());
        placement.over_first = Gain::of(ratios.map(|(here, best)| Some((*here)? / (*best)?)));
    }
    Ok(())
}
