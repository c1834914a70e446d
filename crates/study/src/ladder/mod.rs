//! The ladder of limits: relieve the bottleneck, solve again, and so on, until the clients limit or nothing
//! is left.
//!
//! There are two ways up. *As fast as it would need to be* takes each limit away entirely and says how fast
//! it would have had to be: that shows what lies behind what. *By the catalogue* makes the limit faster with
//! parts that can be had: that shows what can be bought, and ends where nothing can.

mod cards;
mod catalogue;
mod options;
mod storage;
mod unlimited;

use bandgraph_model::{Bound, Scenario};
use bandgraph_solve::{Limit, LimitKind, Throughput};
use bandgraph_topology::{ResourceKind, Unit};
use bandgraph_units::Time;

use crate::answer::answer_bound;
use crate::{Answer, Gain, Method, StudyError};

/// The most rungs of a ladder. A server has a few kinds of resources and a few places for each, so ladders
/// are far shorter; this bounds those of inputs that nobody thought of.
const RUNGS_MAX: usize = 64;
/// A relative gain in throughput below this is none.
const NO_GAIN: f64 = 1e-4;

/// How limits are relieved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Climb {
    /// With parts of the catalogue and free slots.
    #[default]
    Catalogue,
    /// By as much as it takes, whether or not there is such a part.
    Unlimited,
}

/// How fast a resource would have to be, not to be the limit of the next rung.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// The resource's id.
    pub id: String,
    /// Raw capacity now, in `unit`.
    pub capacity: f64,
    /// Raw capacity with which it would be just full at the throughput of the next rung, in `unit`.
    pub needed: f64,
    /// The unit of both.
    pub unit: Unit,
}

/// How a limit is relieved.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Its resources are made as fast as they would need to be.
    Unlimited(Vec<Need>),
    /// Something from the catalogue takes the place of something slower, or is added.
    Upgrade {
        /// What is done, in words.
        change: String,
        /// The same as overrides of the scenario, `PATH=VALUE`; empty where overrides cannot say it.
        sets: Vec<String>,
        /// What else would have been tried but cannot be done, or brings nothing, and why.
        ruled_out: Vec<String>,
    },
}

/// One limit, what the server delivers under it, and how the next rung gets past it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// What limits here.
    pub limit: Limit,
    /// What the server delivers.
    pub throughput: Throughput,
    /// Mean latency.
    pub latency_mean: Time,
    /// Operations per second over those of the rung before, less one; 0 on the first.
    pub gain: f64,
    /// Operations per second over those of the first rung, less one.
    pub total_gain: f64,
    /// How sure the gain over the rung before is; `None` on the first rung, without draws, and where limits
    /// are relieved without a limit.
    pub certainty: Option<Gain>,
    /// How the limit is relieved; `None` on the last rung.
    pub step: Option<Step>,
}

/// Why a ladder ends.
#[derive(Clone, Debug, PartialEq)]
pub enum LadderEnd {
    /// The clients ask for no more: their network cards are full, or their threads all wait.
    Clients,
    /// Each thread fills the core it runs on, and more of anything else does not help it.
    Core,
    /// Nothing in the catalogue makes this limit faster; each reason in a sentence.
    NothingToBuy(Vec<String>),
    /// The ladder is longer than ladders are allowed to be.
    TooLong,
}

/// The ladder of limits of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// How limits are relieved.
    pub climb: Climb,
    /// The limits in the order in which they come; at least one.
    pub rungs: Vec<Rung>,
    /// Why there is no further rung.
    pub end: LadderEnd,
}

/// Climbs the ladder of a scenario, by the steady state. `draws` draws, which all rungs have in common, say
/// how sure each gain is; 0 for none.
///
/// # Errors
///
/// [`StudyError::Bind`] where the scenario asks what cannot be answered; [`StudyError::Run`] where a steady
/// state is not found, which is not a user's fault.
pub fn climb(scenario: &Scenario, how: Climb, draws: u32) -> Result<Ladder, StudyError> {
    match how {
        Climb::Unlimited => unlimited::climb(scenario),
        Climb::Catalogue => catalogue::climb(scenario, draws),
    }
}

/// Rungs under construction.
#[derive(Default)]
struct Rungs {
    rungs: Vec<Rung>,
}

impl Rungs {
    /// Adds a rung, not yet relieved.
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
            gain: over(self.rungs.last()),
            total_gain: over(self.rungs.first()),
            certainty,
            step: None,
        });
    }

    /// Says how the limit of the last rung is relieved.
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
        }
    }
}

/// The steady state of a bound scenario, and what holds it back.
fn solve(bound: &Bound) -> Result<Answer, StudyError> {
    answer_bound("ladder", bound, Method::Predict)
}

/// Whether a limit is one of the clients, which no change to the server relieves.
fn is_of_clients(limit: &Limit) -> bool {
    matches!(
        limit.kind,
        LimitKind::Concurrency
            | LimitKind::Offered
            | LimitKind::Resource(ResourceKind::Client | ResourceKind::Network)
    )
}
