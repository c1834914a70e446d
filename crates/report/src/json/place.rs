//! The JSON of a ranking of placements. Its fields are a contract like those of a run: more may be added,
//! none renamed or removed while `schema` is 1.

use std::collections::BTreeMap;

use bandgraph_solve::Outcome;
use bandgraph_study::{CardInSlot, Objective, PlacedAnswer, RankedPlacement, Weight, WeightedQuestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GainDocument;
use super::StatusesDocument;
use super::latency::LatencyDocument;
use super::run::{BottleneckDocument, ModeDocument, SoftwareDocument, ThroughputDocument};
use crate::PlaceReport;
use crate::warnings::warnings;

/// The version of the JSON of placements. It grows when a field is renamed or removed, or changes its
/// meaning.
pub const PLACE_SCHEMA_VERSION: u32 = 1;

documents! {
    /// Which card goes in which slot: placements, ranked by what they deliver.
    ///
    /// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
    /// percent.
    #[schemars(title = "Bandgraph placements")]
    pub struct PlaceDocument(report: &PlaceReport) {
        let placements = &report.placements;

        /// Version of this format.
        pub schema: u32 = PLACE_SCHEMA_VERSION,
        /// Version of the program that wrote this.
        pub bandgraph: String = crate::VERSION.to_owned(),
        /// How it was found: always by prediction.
        #[serde(default)]
        pub mode: ModeDocument = ModeDocument::Predict,
        /// What is doubtful about the files.
        #[serde(default)]
        pub warnings: Vec<String> = report.warnings.clone(),
        /// What a good placement is good at.
        pub objective: ObjectiveDocument = match placements.objective {
            Objective::Operations => ObjectiveDocument::Operations,
            Objective::Payload => ObjectiveDocument::Payload,
            Objective::Network => ObjectiveDocument::Network,
            Objective::Latency => ObjectiveDocument::Latency,
        },
        /// The scenarios that are to be served, in the order of the command line.
        pub scenarios: Vec<PlaceScenarioDocument> =
            placements.questions.iter().enumerate().map(|(index, weighted)| {
                let weights = placements.weights.get(index).map_or(&[][..], Vec::as_slice);
                let first = placements.placements.first().map(|first| &first.scenarios[index].answer.outcome);
                PlaceScenarioDocument::new(weighted, weights, first)
            }).collect(),
        /// The best placements in the order of their ranks, then today's and the worst where they are not
        /// among them.
        pub placements: Vec<PlacementDocument> =
            placements.placements.iter().map(PlacementDocument::new).collect(),
        /// Whether the first is proven to be the best, to one part in a million.
        pub optimal: bool = placements.optimal,
        /// How much better than the first another could be, relative to it: 0 where the first is proven to be
        /// the best.
        pub gap: f64 = placements.gap,
        /// How many placements there are that differ in more than names; null where they were too many to
        /// count.
        pub different: Option<u64> = placements.different.map(|count| count as u64),
        /// How many of them were predicted. Ranks are among these.
        pub predicted: u64 = placements.predicted as u64,
        /// How many saturation bounds were looked at to find those; 0 where all were predicted.
        pub bounds: u64 = placements.bounds as u64,
        /// Cards that nothing tells apart: exchanging them changes nothing.
        pub alike: Vec<Vec<String>> = placements.alike.clone(),
        /// Cards that were to stay where they are.
        pub kept: Vec<String> = placements.options.rules.keep.clone(),
    }
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

documents! {
    /// A scenario that placements are judged by.
    pub struct PlaceScenarioDocument(
        weighted: &WeightedQuestion,
        weights: &[Weight],
        first: Option<&Outcome>
    ) {
        /// Its name.
        pub name: String = weighted.question.name.clone(),
        /// Name of its topology.
        pub topology: String = weighted.question.scenario.topology.name().to_owned(),
        /// The scenario file, as it was named; null where there is none.
        #[serde(default)]
        pub file: Option<String> = weighted.question.file.clone(),
        /// Seed of all random streams.
        #[serde(default)]
        pub seed: u64 = weighted.question.scenario.run.seed,
        /// The overrides of the command line, in order.
        #[serde(default)]
        pub overrides: Vec<String> = weighted.question.sets.clone(),
        /// The software that the server runs.
        #[serde(default)]
        pub software: SoftwareDocument = SoftwareDocument::of(&weighted.question.scenario),
        /// Hash of everything that went in.
        pub input_hash: String = weighted.question.input_hash.clone(),
        /// What to know before relying on its figures, in plain words; of the load, with the first placement.
        #[serde(default)]
        pub warnings: Vec<String> =
            first.map_or_else(Vec::new, |first| warnings(&weighted.question.scenario, first, None).0),
        /// How much it counts; only ratios of weights matter.
        pub weight: f64 = weighted.weight,
        /// How the uncertain figures that matter for it were found; left out where no figures were drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub statuses: Option<StatusesDocument> = StatusesDocument::of_draws(weights),
    }

    /// One placement.
    pub struct PlacementDocument(placement: &RankedPlacement) {
        // There is at least one scenario.
        let first = &placement.scenarios[0].answer;
        let moved = || placement.cards.iter().filter(|card| card.moved);

        /// Its rank among all that were predicted, from 1; null for today's where the rules do not allow it.
        pub rank: Option<u64> = placement.rank.map(|rank| rank as u64),
        /// The slot of every card that may move.
        pub cards: BTreeMap<String, String> = slots(&placement.cards),
        /// The other placements with the same score, which share the rank: the slot of every card that may
        /// move. At least as many cards move for each of them.
        pub ties: Vec<BTreeMap<String, String>> = placement.ties.iter().map(|cards| slots(cards)).collect(),
        /// What it delivers in the first scenario, by prediction.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&first.outcome.throughput),
        /// What holds the first scenario back.
        pub bottleneck: BottleneckDocument = BottleneckDocument::new(&first.explained.bottleneck),
        /// What it delivers over what today's delivers, in the measure of the objective, averaged over the
        /// scenarios by their weights; from predictions.
        pub score: f64 = placement.score,
        /// How sure the score is: what it brings over today's; left out where no figures were drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub over_today: Option<GainDocument> = placement.over_today.as_ref().map(GainDocument::new),
        /// What it brings over the first of the ranking; left out where no figures were drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub over_first: Option<GainDocument> = placement.over_first.as_ref().map(GainDocument::new),
        /// What its score could not exceed, by its demands alone.
        pub saturation_score: f64 = placement.saturation_score,
        /// Cards that are in another slot today.
        pub moved: Vec<String> = moved().map(|card| card.card.clone()).collect(),
        /// The same as overrides of a scenario, `PATH=VALUE`.
        pub sets: Vec<String> =
            moved().map(|card| format!("card.{}.slot={}", card.card, card.slot)).collect(),
        /// Whether it is how the cards are now.
        pub today: bool = placement.today,
        /// Whether it is the worst that was predicted.
        pub worst: bool = placement.worst,
        /// What it does in each scenario, in their order.
        pub scenarios: Vec<PlacedScenarioDocument> =
            placement.scenarios.iter().map(PlacedScenarioDocument::new).collect(),
    }

    /// What a placement does in one scenario.
    pub struct PlacedScenarioDocument(placed: &PlacedAnswer) {
        let answer = &placed.answer;

        /// What the server delivers, by prediction.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&answer.outcome.throughput),
        /// Mean latency by prediction, in seconds.
        pub latency_mean_s: f64 = answer.outcome.latency.mean.get(),
        /// Whether the load exceeds the capacity: there is no steady state then, and latencies grow for as
        /// long as that lasts.
        #[serde(default)]
        pub overloaded: bool = answer.outcome.is_overloaded(),
        /// What holds the server back.
        pub bottleneck: BottleneckDocument = BottleneckDocument::new(&answer.explained.bottleneck),
        /// What a simulation says of the same; null where none was run.
        pub simulated: Option<ConfirmedDocument> =
            placed.simulated.as_ref().map(ConfirmedDocument::new),
    }

    /// What a simulation of a placement found.
    pub struct ConfirmedDocument(outcome: &Outcome) {
        /// What the server delivers.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&outcome.throughput),
        /// The time of one operation.
        pub latency: LatencyDocument = LatencyDocument::new(&outcome.latency, false),
    }
}

fn slots(cards: &[CardInSlot]) -> BTreeMap<String, String> {
    let slots = cards.iter();
    slots.map(|card| (card.card.clone(), card.slot.clone())).collect()
}
