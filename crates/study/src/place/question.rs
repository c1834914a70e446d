//! What is asked of a placement search, and why it cannot be answered.

use bandgraph_diagnostics::did_you_mean;
use bandgraph_solve::Totals;
use bandgraph_topology::TopologyError;
use thiserror::Error;

use crate::{Question, StudyError};

/// A scenario that a placement is to serve, and how much it counts.
#[derive(Clone, Debug)]
pub struct WeightedQuestion {
    /// The scenario.
    pub question: Question,
    /// Its weight among the others: above zero. Only ratios of weights matter.
    pub weight: f64,
}

/// What a good placement is good at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Completed operations per second.
    Operations,
    /// File data per second.
    Payload,
    /// Bytes per second at the server's network ports.
    Network,
    /// The mean latency: the shorter the better.
    Latency,
}

impl Objective {
    /// Every one with the word that arguments and reports use, and what it is.
    #[rustfmt::skip]
    pub const ALL: &[(Self, &str, &str)] = &[
        (Self::Operations, "operations", "Completed operations per second"),
        (Self::Payload, "payload", "File data per second"),
        (Self::Network, "network", "Bytes per second at the server's network ports"),
        (Self::Latency, "latency", "Short mean latency"),
    ];

    /// The word that reports use.
    pub const fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// What a run is worth in one scenario; greater is better. For a latency, operations per second of one
    /// that is always under way: its inverse.
    pub(super) fn value(self, totals: &Totals) -> f64 {
        match self {
            Self::Operations => totals.throughput.operations.get(),
            Self::Payload => totals.throughput.payload.get(),
            Self::Network => totals.throughput.network.get(),
            Self::Latency => totals.mean_latency.get().recip(),
        }
    }
}

/// Which slots a card may go to, besides those that its connector does not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotRules {
    /// Cards that stay where they are.
    pub keep: Vec<String>,
    /// Slots that take no card of full height.
    pub low_profile: Vec<String>,
    /// Whether every card needs a slot that runs it with all its lanes at its own generation.
    pub full_speed: bool,
}

/// How placements are searched and told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceOptions {
    /// What a good placement is good at; `None` for bytes on the network, or, where a scenario moves none
    /// there, for file data.
    pub objective: Option<Objective>,
    /// Which slots a card may go to.
    pub rules: SlotRules,
    /// How many of the best are told.
    pub top: usize,
    /// How many of the best, and today's with them, are simulated as well.
    pub confirm: usize,
    /// How many placements are predicted at most. Where there are no more than that, all of them are;
    /// otherwise the search looks at bounds first, at up to [`BOUNDS_PER_PREDICTION`] of them for each
    /// prediction.
    pub limit: usize,
    /// Draws of uncertain figures that all placements have in common, to say how sure differences are; 0 for
    /// none.
    pub draws: u32,
}

/// Bounds that a search may look at for each placement that it may predict.
pub const BOUNDS_PER_PREDICTION: usize = 1000;

impl Default for PlaceOptions {
    fn default() -> Self {
        Self {
            objective: None,
            rules: SlotRules::default(),
            top: 10,
            confirm: 3,
            limit: 2000,
            draws: 0,
        }
    }
}

/// Why placements cannot be searched.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlaceError {
    /// There is no scenario to serve.
    #[error("there is no scenario to place cards for")]
    NoScenario,
    /// A weight is no weight.
    #[error("the weight of `{scenario}` is {weight}, which is not a number above zero")]
    Weight {
        /// The scenario's name.
        scenario: String,
        /// Its weight.
        weight: f64,
    },
    /// The scenarios are of servers in which a placement does not mean the same.
    #[error("`{scenario}` is of another server than `{first}`: {what} differ")]
    DifferentServers {
        /// The scenario that is compared with.
        first: String,
        /// The one that differs.
        scenario: String,
        /// What differs.
        what: &'static str,
    },
    /// A rule is about a card that is not there, or that sits on its bridge anyway.
    #[error("there is no card `{card}` in a slot")]
    UnknownCard {
        /// The name that is not there.
        card: String,
        /// The cards that are.
        known: Vec<String>,
    },
    /// A rule is about a slot that is not there.
    #[error("there is no slot `{slot}`")]
    UnknownSlot {
        /// The name that is not there.
        slot: String,
        /// The slots that are.
        known: Vec<String>,
    },
    /// No card may move.
    #[error("no card can be moved: all of them are kept, or sit on their bridges")]
    NothingToMove,
    /// The rules leave no slot for a card.
    #[error("the rules leave no slot for card `{card}`")]
    NoSlot {
        /// The card.
        card: String,
    },
    /// The rules leave a slot for each card, but not for all of them at once.
    #[error("the rules leave no placement of all cards")]
    NoPlacement,
    /// Today's placement has nothing of what is to be ranked by, so that nothing can be compared with it.
    #[error(
        "`{scenario}` {} with the cards as they are, so that nothing can be compared with it",
        nothing(*objective)
    )]
    NothingOf {
        /// The scenario's name.
        scenario: String,
        /// What placements were to be ranked by.
        objective: Objective,
    },
    /// A topology with its cards in other slots is not sound, although each card fits its slot; not a user's
    /// fault.
    #[error("a placement that the rules allow is none: {error}")]
    Rebuild {
        /// What the topology has against it.
        error: String,
    },
    /// A scenario could not be answered.
    #[error(transparent)]
    Study(#[from] StudyError),
}

/// What a scenario does that has nothing of an objective.
const fn nothing(objective: Objective) -> &'static str {
    match objective {
        Objective::Operations | Objective::Latency => "completes no operation",
        Objective::Payload => "moves no file data",
        Objective::Network => "moves no bytes on the network",
    }
}

impl PlaceError {
    /// What would be right, where that can be said.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownCard { card: asked, known } | Self::UnknownSlot { slot: asked, known } => {
                did_you_mean(asked, known.iter().map(String::as_str))
            }
            Self::NothingOf {
                objective: Objective::Network,
                ..
            } => {
                Some("work on the server itself crosses no network: rank by `--objective payload`".to_owned())
            }
            Self::NothingToMove => Some("leave out some `--keep`".to_owned()),
            Self::NoSlot { .. } | Self::NoPlacement => {
                Some("leave out some `--keep` or `--low-profile`, or `--full-speed`".to_owned())
            }
            Self::DifferentServers { .. } => Some(
                "a placement has to mean the same in all scenarios: the same slots, bridges and cards"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// A placement that is no topology.
    pub(super) fn rebuild(errors: &[TopologyError]) -> Self {
        Self::Rebuild {
            error: errors.first().map_or_else(String::new, ToString::to_string),
        }
    }
}
