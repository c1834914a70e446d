//! The JSON of a ranking of placements. Its fields are a contract like those of a run: more may be added,
//! none renamed or removed while `schema` is 1.

use std::collections::BTreeMap;

use bandgraph_study::{CardInSlot, Objective, PlacedAnswer, RankedPlacement, WeightedQuestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GainDocument;
use super::latency::{LatencyDocument, latency};
use super::run::{BottleneckDocument, SoftwareDocument, ThroughputDocument, bottleneck, throughput};
use crate::PlaceReport;

/// The version of the JSON of placements. It grows when a field is renamed or removed, or changes its
/// meaning.
pub const PLACE_SCHEMA_VERSION: u32 = 1;

/// Which card goes in which slot: placements, ranked by what they deliver.
///
/// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
/// percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Bandgraph placements")]
pub struct PlaceDocument {
    /// Version of this format.
    pub schema: u32,
    /// Version of the program that wrote this.
    pub bandgraph: String,
    /// What a good placement is good at.
    pub objective: ObjectiveDocument,
    /// The scenarios that are to be served, in the order of the command line.
    pub scenarios: Vec<PlaceScenarioDocument>,
    /// The best placements in the order of their ranks, then today's and the worst where they are not among
    /// them.
    pub placements: Vec<PlacementDocument>,
    /// Whether the first is proven to be the best, to one part in a million.
    pub optimal: bool,
    /// How much better than the first another could be, relative to it: 0 where the first is proven to be the
    /// best.
    pub gap: f64,
    /// How many placements there are that differ in more than names; null where they were too many to count.
    pub different: Option<u64>,
    /// How many of them were predicted. Ranks are among these.
    pub predicted: u64,
    /// How many saturation bounds were looked at to find those; 0 where all were predicted.
    pub bounds: u64,
    /// Cards that nothing tells apart: exchanging them changes nothing.
    pub alike: Vec<Vec<String>>,
    /// Cards that were to stay where they are.
    pub kept: Vec<String>,
}

/// What a good placement is good at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObjectiveDocument {
    /// Completed operations per second.
    Operations,
    /// File data per second.
    Payload,
    /// Bytes per second at the server's network ports.
    Network,
    /// The mean latency: the shorter the better.
    Latency,
}

/// A scenario that placements are judged by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceScenarioDocument {
    /// Its name.
    pub name: String,
    /// Name of its topology.
    pub topology: String,
    /// The scenario file, as it was named; null where there is none.
    #[serde(default)]
    pub file: Option<String>,
    /// Seed of all random streams.
    #[serde(default)]
    pub seed: u64,
    /// The overrides of the command line, in order.
    #[serde(default)]
    pub overrides: Vec<String>,
    /// The software that the server runs.
    #[serde(default)]
    pub software: SoftwareDocument,
    /// Hash of everything that went in.
    pub input_hash: String,
    /// How much it counts; only ratios of weights matter.
    pub weight: f64,
}

/// One placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementDocument {
    /// Its rank among all that were predicted, from 1; null for today's where the rules do not allow it.
    pub rank: Option<u64>,
    /// The slot of every card that may move.
    pub cards: BTreeMap<String, String>,
    /// The other placements with the same score, which share the rank: the slot of every card that may move.
    /// At least as many cards move for each of them.
    pub ties: Vec<BTreeMap<String, String>>,
    /// What it delivers in the first scenario, by prediction.
    pub throughput: ThroughputDocument,
    /// What holds the first scenario back.
    pub bottleneck: BottleneckDocument,
    /// What it delivers over what today's delivers, in the measure of the objective, averaged over the
    /// scenarios by their weights; from predictions.
    pub score: f64,
    /// How sure the score is: what it brings over today's; left out where no figures were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_today: Option<GainDocument>,
    /// What it brings over the first of the ranking; left out where no figures were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_first: Option<GainDocument>,
    /// What its score could not exceed, by its demands alone.
    pub saturation_score: f64,
    /// Cards that are in another slot today.
    pub moved: Vec<String>,
    /// The same as overrides of a scenario, `PATH=VALUE`.
    pub sets: Vec<String>,
    /// Whether it is how the cards are now.
    pub today: bool,
    /// Whether it is the worst that was predicted.
    pub worst: bool,
    /// What it does in each scenario, in their order.
    pub scenarios: Vec<PlacedScenarioDocument>,
}

/// What a placement does in one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlacedScenarioDocument {
    /// What the server delivers, by prediction.
    pub throughput: ThroughputDocument,
    /// Mean latency by prediction, in seconds.
    pub latency_mean_s: f64,
    /// What holds the server back.
    pub bottleneck: BottleneckDocument,
    /// What a simulation says of the same; null where none was run.
    pub simulated: Option<ConfirmedDocument>,
}

/// What a simulation of a placement found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmedDocument {
    /// What the server delivers.
    pub throughput: ThroughputDocument,
    /// The time of one operation.
    pub latency: LatencyDocument,
}

/// The JSON Schema of [`PlaceDocument`].
pub fn place_schema() -> serde_json::Value {
    super::schema_of::<PlaceDocument>()
}

impl PlaceDocument {
    /// The twin of `report`.
    pub fn new(report: &PlaceReport) -> Self {
        let placements = &report.placements;
        Self {
            schema: PLACE_SCHEMA_VERSION,
            bandgraph: crate::VERSION.to_owned(),
            objective: match placements.objective {
                Objective::Operations => ObjectiveDocument::Operations,
                Objective::Payload => ObjectiveDocument::Payload,
                Objective::Network => ObjectiveDocument::Network,
                Objective::Latency => ObjectiveDocument::Latency,
            },
            scenarios: placements.questions.iter().map(scenario).collect(),
            placements: placements.placements.iter().map(placement).collect(),
            optimal: placements.optimal,
            gap: placements.gap,
            different: placements.different.map(|count| count as u64),
            predicted: placements.predicted as u64,
            bounds: placements.bounds as u64,
            alike: placements.alike.clone(),
            kept: placements.options.rules.keep.clone(),
        }
    }
}

fn scenario(weighted: &WeightedQuestion) -> PlaceScenarioDocument {
    PlaceScenarioDocument {
        name: weighted.question.name.clone(),
        topology: weighted.question.scenario.topology.name().to_owned(),
        file: weighted.question.file.clone(),
        seed: weighted.question.scenario.run.seed,
        overrides: weighted.question.sets.clone(),
        software: SoftwareDocument::of(&weighted.question.scenario.stack),
        input_hash: weighted.question.input_hash.clone(),
        weight: weighted.weight,
    }
}

fn placement(placement: &RankedPlacement) -> PlacementDocument {
    // There is at least one scenario.
    let first = &placement.scenarios[0].answer;
    let moved = || placement.cards.iter().filter(|card| card.moved);
    PlacementDocument {
        rank: placement.rank.map(|rank| rank as u64),
        cards: slots(&placement.cards),
        ties: placement.ties.iter().map(|cards| slots(cards)).collect(),
        throughput: throughput(&first.outcome.throughput),
        bottleneck: bottleneck(&first.explained.bottleneck),
        score: placement.score,
        over_today: placement.over_today.as_ref().map(GainDocument::of),
        over_first: placement.over_first.as_ref().map(GainDocument::of),
        saturation_score: placement.saturation_score,
        moved: moved().map(|card| card.card.clone()).collect(),
        sets: moved()
            .map(|card| format!("card.{}.slot={}", card.card, card.slot))
            .collect(),
        today: placement.today,
        worst: placement.worst,
        scenarios: placement.scenarios.iter().map(placed).collect(),
    }
}

fn slots(cards: &[CardInSlot]) -> BTreeMap<String, String> {
    let slots = cards.iter();
    slots.map(|card| (card.card.clone(), card.slot.clone())).collect()
}

fn placed(placed: &PlacedAnswer) -> PlacedScenarioDocument {
    let answer = &placed.answer;
    PlacedScenarioDocument {
        throughput: throughput(&answer.outcome.throughput),
        latency_mean_s: answer.outcome.latency.mean.get(),
        bottleneck: bottleneck(&answer.explained.bottleneck),
        simulated: placed.simulated.as_ref().map(|outcome| ConfirmedDocument {
            throughput: throughput(&outcome.throughput),
            latency: latency(&outcome.latency),
        }),
    }
}
