//! The ladder of limits: relieve the bottleneck, solve again, and repeat until the clients limit or nothing
//! is left to upgrade.
//!
//! There are two ways. [`Climb::Unlimited`] removes each limit and reports the speed that the next rung
//! needs: it shows the sequence of limits. [`Climb::Catalogue`] upgrades the limit with available parts: it
//! shows what to buy, and ends if no part helps.

mod cards;
mod catalogue;
mod memory;
mod options;
mod storage;
#[cfg(test)]
mod tests;
mod unlimited;

use bandgraph_model::{Bound, Scenario};
use bandgraph_solve::{Limit, LimitKind, Outcome, Throughput};
use bandgraph_topology::{ResourceKind, Unit};
use bandgraph_units::Time;

use crate::answer::answer_bound;
use crate::{Answer, Gain, Method, StudyError, Weight};

/// The maximum number of rungs. A server has few kinds of resources and few places for each, so that real
/// ladders are far shorter; this bounds unusual inputs.
const RUNGS_MAX: usize = 64;
/// A relative gain in throughput below this counts as no gain.
const NO_GAIN: f64 = 1e-4;

/// How limits are relieved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Climb {
    /// With parts of the catalogue and free slots.
    #[default]
    Catalogue,
    /// By as much as necessary, even without such a part.
    Unlimited,
}

/// The speed that a resource needs on the next rung.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// The resource's id.
    pub id: String,
    /// Raw capacity today, in `unit`.
    pub capacity: f64,
    /// Raw capacity at which it would be just full at the next rung's throughput, in `unit`.
    pub needed: f64,
    /// The unit of both capacities.
    pub unit: Unit,
}

/// How a limit is relieved.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Its resources get the capacity that the next rung needs.
    Unlimited(Vec<Need>),
    /// A part of the catalogue replaces a slower one, or is added.
    Upgrade {
        /// The change, in words.
        change: String,
        /// The change as overrides of the scenario, `PATH=VALUE`; empty if overrides cannot express it.
        sets: Vec<String>,
        /// Other upgrades that are impossible or without gain, each with the reason.
        ruled_out: Vec<String>,
    },
}

/// One limit, the throughput under it, and the step to the next rung.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// The limit.
    pub limit: Limit,
    /// The throughput.
    pub throughput: Throughput,
    /// Mean latency.
    pub latency_mean: Time,
    /// Whether the load exceeds the capacity, so that there is no steady state.
    pub overloaded: bool,
    /// Operations per second over those of the previous rung, less one; 0 on the first rung.
    pub gain: f64,
    /// Operations per second over those of the first rung, less one.
    pub total_gain: f64,
    /// How certain the gain over the previous rung is; `None` on the first rung, without draws, and for
    /// [`Climb::Unlimited`].
    pub certainty: Option<Gain>,
    /// How the limit is relieved; `None` on the last rung.
    pub step: Option<Step>,
}

/// Why a ladder ends.
#[derive(Clone, Debug, PartialEq)]
pub enum LadderEnd {
    /// The clients limit: their network ports are full, or all their threads wait.
    Clients,
    /// Each thread saturates its core, and no other resource helps it.
    Core,
    /// No upgrade that was tried relieves this limit; one reason per sentence.
    NothingToBuy(Vec<String>),
    /// The ladder reached its maximum length.
    TooLong,
}

/// The ladder of limits of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// How limits are relieved.
    pub climb: Climb,
    /// The limits in the order in which they appear; at least one.
    pub rungs: Vec<Rung>,
    /// Why there is no further rung.
    pub end: LadderEnd,
    /// The sources of the spread of the first rung, the largest first; empty without draws.
    pub weights: Vec<Weight>,
    /// The outcome of the first rung, before any limit is relieved.
    pub first: Outcome,
}

/// Climbs the ladder of a scenario by prediction. `draws` is the number of draws, common to all rungs, from
/// which the certainty of each gain follows; 0 for none. `seen` gets the rungs so far at each new one.
///
/// # Errors
///
/// [`StudyError::Bind`] if the scenario cannot be bound; [`StudyError::Run`] if no steady state is found,
/// which is a defect of the program.
pub fn climb(
    scenario: &Scenario,
    how: Climb,
    draws: u32,
    seen: &(dyn Fn(&[Rung]) + Sync),
) -> Result<Ladder, StudyError> {
    match how {
        Climb::Unlimited => unlimited::climb(scenario, seen),
        Climb::Catalogue => catalogue::climb(scenario, draws, seen),
    }
}

/// Rungs under construction.
struct Climbed<'s> {
    rungs: Vec<Rung>,
    first: Outcome,
    seen: &'s dyn Fn(&[Rung]),
}

impl<'s> Climbed<'s> {
    /// No rungs yet of a ladder whose first is this answer.
    fn begin(first: &Answer, seen: &'s dyn Fn(&[Rung])) -> Self {
        Self {
            rungs: Vec::new(),
            first: first.outcome.clone(),
            seen,
        }
    }

    /// Adds a rung without a step.
    fn add(&mut self, answer: &Answer, certainty: Option<Gain>) {
        let throughput = answer.outcome.throughput;
        let over = |rung: Option<&Rung>| {
            rung.map_or(0.0, |rung| {
                throughput.operations / rung.throughput.operations - 1.0
            })
        };
        self.rungs.push(Rung {
            limit: answer.explained.bottleneck.clone(),
            throughput,
            latency_mean: answer.outcome.latency.mean,
            overloaded: answer.outcome.is_overloaded(),
            gain: over(self.rungs.last()),
            total_gain: over(self.rungs.first()),
            certainty,
            step: None,
        });
        (self.seen)(&self.rungs);
    }

    /// Sets the step of the last rung.
    fn relieve(&mut self, step: Step) {
        if let Some(last) = self.rungs.last_mut() {
            last.step = Some(step);
        }
    }

    fn is_full(&self) -> bool {
        self.rungs.len() >= RUNGS_MAX
    }

    fn finish(self, climb: Climb, end: LadderEnd) -> Ladder {
        Ladder {
            climb,
            rungs: self.rungs,
            end,
            weights: Vec::new(),
            first: self.first,
        }
    }
}

/// The answer of a bound scenario by prediction.
fn solve(bound: &Bound) -> Result<Answer, StudyError> {
    answer_bound("ladder", bound, Method::Predict)
}

/// Whether the limit is on the clients' side, where no change of the server helps.
fn is_of_clients(limit: &Limit) -> bool {
    matches!(
        limit.kind,
        LimitKind::Concurrency
            | LimitKind::Offered
            | LimitKind::Resource(ResourceKind::Client | ResourceKind::Network)
    )
}
