//! Branch and bound over placements.
//!
//! A node is a placement of the first cards of the order. Its bound assumes the least load of each remaining
//! card on every resource ([`Ceiling`]), so that no steady state with these cards in these slots exceeds it.
//! The node with the greatest bound is expanded first; a complete placement is predicted when its turn comes.
//! The search ends when no open bound exceeds the best prediction, which proves that one optimal, or when it
//! reaches its limit; then the greatest open bound says how much better another placement could be.
//!
//! Nodes are expanded in rounds of a fixed size. Threads share the work of a round, and its results are
//! merged in order, so that the number of threads has no influence.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use rayon::prelude::*;

use super::model::{Model, Scratch};
use super::{BOUNDS_PER_PREDICTION, PlaceError};

/// Nodes of one round.
const ROUND: usize = 32;
/// The relative difference that counts as better; the tolerance of predictions is somewhat smaller.
const TOLERANCE: f64 = 1e-6;
/// The maximum number of steps of a local search.
const CLIMB_MAX: usize = 1000;

/// The result of a search.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Predicted scores, by placement.
    pub(super) scores: BTreeMap<Vec<usize>, f64>,
    /// The number of computed bounds.
    pub(super) bounds: usize,
    /// By how much another placement could exceed the best one found, relative to it: 0 if none can.
    pub(super) gap: f64,
}

/// Searches. `today` is predicted even if the rules forbid it.
pub(super) fn search(model: &Model, today: &[usize], top: usize, limit: usize) -> Result<Found, PlaceError> {
    let mut search = Search {
        model,
        scores: BTreeMap::new(),
        bounds: 0,
        open: BinaryHeap::new(),
    };
    search.seed(today, top)?;
    let gap = search.run(limit)?;
    Ok(Found {
        scores: search.scores,
        bounds: search.bounds,
        gap,
    })
}

/// A placement of the first cards.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    bound: f64,
    classes: Vec<usize>,
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    /// By bound; of equal bounds the node with more cards placed, then the first in order.
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound
            .total_cmp(&other.bound)
            .then(self.classes.len().cmp(&other.classes.len()))
            .then_with(|| other.classes.cmp(&self.classes))
    }
}

/// The result of expanding a node.
enum Step {
    Predicted(f64),
    Children(Vec<Node>),
}

struct Search<'a> {
    model: &'a Model,
    scores: BTreeMap<Vec<usize>, f64>,
    bounds: usize,
    open: BinaryHeap<Node>,
}

impl Search<'_> {
    /// Predicts today's placement, the best and the worst that a local search reaches from it, and the `top`
    /// best neighbours of that best one, so that there is something to rank.
    fn seed(&mut self, today: &[usize], top: usize) -> Result<(), PlaceError> {
        let mut seeds = vec![today.to_vec()];
        if self.model.allows(today) {
            let best = self.climb(today, 1.0);
            let mut next: Vec<Node> = self.bounded(self.model.neighbours(&best), 1.0);
            next.sort_unstable_by(|a, b| b.cmp(a));
            seeds.extend(next.into_iter().take(top).map(|node| node.classes));
            seeds.push(best);
            seeds.push(self.climb(today, -1.0));
        }
        seeds.sort_unstable();
        seeds.dedup();
        let scores: Vec<Result<f64, PlaceError>> = seeds
            .par_iter()
            .map_init(Scratch::default, |scratch, seed| {
                self.model.predicted(seed, scratch)
            })
            .collect();
        for (seed, score) in seeds.into_iter().zip(scores) {
            self.scores.insert(seed, score?);
        }
        Ok(())
    }

    /// The placements as nodes, with their bounds times `sign`.
    fn bounded(&mut self, placements: Vec<Vec<usize>>, sign: f64) -> Vec<Node> {
        self.bounds += placements.len();
        let nodes = placements.into_par_iter();
        let nodes = nodes.map_init(Scratch::default, |scratch, classes| Node {
            bound: sign * self.model.ceiling(&classes, scratch),
            classes,
        });
        nodes.collect()
    }

    /// Moves from a placement to the neighbour with the greatest bound, times `sign`, until no neighbour is
    /// better.
    fn climb(&mut self, from: &[usize], sign: f64) -> Vec<usize> {
        let mut scratch = Scratch::default();
        let mut at = from.to_vec();
        let mut best = sign * self.model.ceiling(&at, &mut scratch);
        for _ in 0..CLIMB_MAX {
            let neighbours = self.model.neighbours(&at);
            match self.bounded(neighbours, sign).into_iter().max() {
                Some(better) if better.bound > best + TOLERANCE * best.abs() => {
                    (at, best) = (better.classes, better.bound);
                }
                _ => break,
            }
        }
        at
    }

    /// Runs the search. Returns the gap.
    fn run(&mut self, limit: usize) -> Result<f64, PlaceError> {
        self.open.push(Node {
            bound: self.model.ceiling(&[], &mut Scratch::default()),
            classes: Vec::new(),
        });
        loop {
            let best = self.scores.values().copied().fold(f64::NEG_INFINITY, f64::max);
            let enough = best * (1.0 + TOLERANCE);
            let spent = self.scores.len() + ROUND > limit || self.bounds / BOUNDS_PER_PREDICTION >= limit;
            let left = self.open.peek().map_or(f64::NEG_INFINITY, |node| node.bound);
            if left <= enough || spent {
                return Ok(if left <= enough { 0.0 } else { left / best - 1.0 });
            }
            let mut round = Vec::with_capacity(ROUND);
            while round.len() < ROUND && self.open.peek().is_some_and(|node| node.bound > enough) {
                round.extend(self.open.pop());
            }
            let steps: Vec<Result<Step, PlaceError>> = round
                .par_iter()
                .map_init(Scratch::default, |scratch, node| self.step(node, scratch))
                .collect();
            for (node, step) in round.into_iter().zip(steps) {
                match step? {
                    Step::Predicted(score) => {
                        self.scores.insert(node.classes, score);
                    }
                    Step::Children(children) => {
                        self.bounds += children.len();
                        // Nodes without a better bound than the best prediction are pruned.
                        self.open
                            .extend(children.into_iter().filter(|child| child.bound > enough));
                    }
                }
            }
        }
    }

    fn step(&self, node: &Node, scratch: &mut Scratch) -> Result<Step, PlaceError> {
        if node.classes.len() == self.model.cards() {
            let score = match self.scores.get(&node.classes) {
                Some(&known) => known,
                None => self.model.predicted(&node.classes, scratch)?,
            };
            return Ok(Step::Predicted(score));
        }
        let children = self.model.next(&node.classes).map(|class| {
            let mut classes = node.classes.clone();
            classes.push(class);
            let bound = self.model.ceiling(&classes, scratch).min(node.bound);
            Node { bound, classes }
        });
        Ok(Step::Children(children.collect()))
    }
}
