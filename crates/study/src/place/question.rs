//! The question of a placement search, and why it cannot be answered.

use bandgraph_config::words;
use bandgraph_diagnostics::did_you_mean;
use bandgraph_scenario::Metric;
use bandgraph_solve::Totals;
use bandgraph_topology::TopologyError;
use thiserror::Error;

use crate::{CommonDraws, Question, StudyError};

/// A scenario to find a placement for, with its weight.
#[derive(Clone, Debug)]
pub struct WeightedQuestion {
    /// The scenario.
    pub question: Question,
    /// Its weight among the others: above zero. Only ratios of weights matter.
    pub weight: f64,
}

words! {
    /// The figure that placements are compared by.
    pub enum Objective {
        Operations = "operations": "Completed operations per second",
        Payload = "payload": "File data per second",
        Network = "network": "Bytes per second at the server's network ports",
        Latency = "latency": "Short mean latency",
    }
}

impl Objective {
    /// The value of a run in one scenario; greater is better. For latency it is the inverse.
    pub(super) fn value(self, totals: &Totals) -> f64 {
        match self {
            Self::Operations => totals.throughput.operations.get(),
            Self::Payload => totals.throughput.payload.get(),
            Self::Network => totals.throughput.network.get(),
            Self::Latency => totals.mean_latency.get().recip(),
        }
    }

    /// The ratio of its value to that of another scenario, by draw.
    pub(super) fn ratios(self, here: &CommonDraws, there: &CommonDraws) -> Vec<Option<f64>> {
        match self {
            Self::Operations => here.ratios(there, Metric::OperationsPerSecond),
            Self::Payload => here.ratios(there, Metric::PayloadBytesPerSecond),
            Self::Network => here.ratios(there, Metric::NetworkBytesPerSecond),
            Self::Latency => there.ratios(here, Metric::LatencyMean),
        }
    }
}

/// Restrictions on slots, in addition to connectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotRules {
    /// Cards that do not move.
    pub keep: Vec<String>,
    /// Slots without room for a full-height card.
    pub low_profile: Vec<String>,
    /// Whether every card needs a slot with all its lanes at its own generation.
    pub full_speed: bool,
}

/// The options of a search and of its report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceOptions {
    /// The objective; `None` for bytes on the network or, if a scenario moves none, for file data.
    pub objective: Option<Objective>,
    /// Restrictions on slots.
    pub rules: SlotRules,
    /// The number of reported placements.
    pub top: usize,
    /// How many of the best are simulated too, with today's placement in addition.
    pub confirm: usize,
    /// The maximum number of predicted placements. If there are no more than that, all are predicted;
    /// otherwise the search computes bounds first, up to [`BOUNDS_PER_PREDICTION`] of them per prediction.
    pub limit: usize,
    /// The number of draws of uncertain figures, common to all placements, from which the certainty of
    /// differences follows; 0 for none.
    pub draws: u32,
}

/// The maximum number of bounds per predicted placement.
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

/// Why a placement search is impossible.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlaceError {
    /// There is no scenario.
    #[error("there is no scenario to place cards for")]
    NoScenario,
    /// A weight is not a finite number above zero.
    #[error("the weight of `{scenario}` is {weight}, which is not a number above zero")]
    Weight {
        /// The scenario's name.
        scenario: String,
        /// Its weight.
        weight: f64,
    },
    /// A placement does not mean the same in the servers of all scenarios.
    #[error("`{scenario}` is of another server than `{first}`: {what} differ")]
    DifferentServers {
        /// The reference scenario.
        first: String,
        /// The scenario that differs.
        scenario: String,
        /// What differs.
        what: &'static str,
    },
    /// A rule names a card that does not exist or is part of its bridge.
    #[error("there is no card `{card}` in a slot")]
    UnknownCard {
        /// The unknown name.
        card: String,
        /// The existing cards.
        known: Vec<String>,
    },
    /// A rule names a slot that does not exist.
    #[error("there is no slot `{slot}`")]
    UnknownSlot {
        /// The unknown name.
        slot: String,
        /// The existing slots.
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
    /// The rules leave a slot for each card, but not for all at the same time.
    #[error("the rules leave no placement of all cards")]
    NoPlacement,
    /// The objective of today's placement is zero, so that nothing can be compared with it.
    #[error(
        "`{scenario}` {} with the cards as they are, so that nothing can be compared with it",
        nothing(*objective)
    )]
    NothingOf {
        /// The scenario's name.
        scenario: String,
        /// The objective.
        objective: Objective,
    },
    /// A topology with cards in other slots is invalid although each card fits its slot: a defect of the
    /// program.
    #[error("a placement that the rules allow is none: {error}")]
    Rebuild {
        /// The error of the topology.
        error: String,
    },
    /// A scenario could not be answered.
    #[error(transparent)]
    Study(#[from] StudyError),
}

/// The end of the sentence about a scenario in which an objective is zero.
const fn nothing(objective: Objective) -> &'static str {
    match objective {
        Objective::Operations | Objective::Latency => "completes no operation",
        Objective::Payload => "moves no file data",
        Objective::Network => "moves no bytes on the network",
    }
}

impl PlaceError {
    /// What would be right, if that is known.
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

    /// The error for a placement that is not a valid topology.
    pub(super) fn rebuild(errors: &[TopologyError]) -> Self {
        Self::Rebuild {
            error: errors.first().map_or_else(String::new, ToString::to_string),
        }
    }
}
