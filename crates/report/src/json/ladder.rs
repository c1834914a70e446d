//! The JSON of a ladder. Its fields are a contract like those of a run: more may be added, none renamed or
//! removed while `schema` is 1.

use bandgraph_study::{Climb, LadderEnd, Need, Rung, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GainDocument;
use super::run::{BottleneckDocument, SoftwareDocument, ThroughputDocument, bottleneck, throughput};
use crate::LadderReport;

/// The version of the JSON of a ladder. It grows when a field is renamed or removed, or changes its meaning.
pub const LADDER_SCHEMA_VERSION: u32 = 1;

/// The chain of limits of a scenario: the bottleneck, what limits once that is relieved, and so on.
///
/// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
/// percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Bandgraph ladder of limits")]
pub struct LadderDocument {
    /// Version of this format.
    pub schema: u32,
    /// Version of the program that wrote this.
    pub bandgraph: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the topology.
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
    /// How limits are relieved: with parts of the `catalogue`, or by as much as it takes, `unlimited`.
    pub relief: ReliefDocument,
    /// The limits in the order in which they come; at least one.
    pub rungs: Vec<RungDocument>,
    /// Why there is no further rung.
    pub end: EndDocument,
    /// What a little more of the parts of one kind would bring, the most worthwhile first.
    pub marginal_groups: Vec<GroupGainDocument>,
    /// What a little more of each resource alone would bring, in the order of the topology.
    pub marginal_resources: Vec<ResourceGainDocument>,
}

/// How limits are relieved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReliefDocument {
    /// With parts of the catalogue and free slots.
    Catalogue,
    /// By as much as it takes, whether or not there is such a part.
    Unlimited,
}

/// One limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RungDocument {
    /// What limits here.
    pub bottleneck: BottleneckDocument,
    /// What the server delivers.
    pub throughput: ThroughputDocument,
    /// Mean latency, in seconds.
    pub latency_mean_s: f64,
    /// Operations per second over those of the rung before, less one; 0 on the first.
    pub throughput_gain: f64,
    /// Operations per second over those of the first rung, less one.
    pub total_gain: f64,
    /// How sure the gain over the rung before is; left out on the first rung and where no figures were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<GainDocument>,
    /// How the limit is relieved; null on the last rung.
    pub step: Option<StepDocument>,
}

/// How a limit is relieved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepDocument {
    /// What is done, in words.
    pub change: String,
    /// The same as overrides of the scenario; empty where overrides cannot say it.
    pub sets: Vec<String>,
    /// How fast each resource would have to be; empty for an upgrade.
    pub needed: Vec<NeedDocument>,
    /// What else would have been tried but cannot be done, and why.
    pub ruled_out: Vec<String>,
}

/// How fast a resource would have to be, not to be the limit of the next rung.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NeedDocument {
    /// Id of the resource.
    pub id: String,
    /// The unit of both capacities.
    pub unit: String,
    /// Raw capacity now.
    pub capacity: f64,
    /// Raw capacity with which it would be just full on the next rung.
    pub needed: f64,
}

/// Why a ladder ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndDocument {
    /// The reason in a word.
    pub reason: EndReasonDocument,
    /// What was thought of and why it does not help; empty unless the reason is `nothing_to_buy`.
    pub ruled_out: Vec<String>,
}

/// Why a ladder ends, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReasonDocument {
    /// The clients ask for no more.
    Clients,
    /// Each thread fills the core it runs on.
    Core,
    /// Nothing in the catalogue makes this limit faster.
    NothingToBuy,
    /// The ladder is longer than ladders are allowed to be.
    TooLong,
}

/// What a little more of all resources of one kind and capacity would bring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupGainDocument {
    /// What kind of resources they are.
    pub kind: String,
    /// The technology of links between sockets, such as `HyperTransport` or `QPI`; left out of all other
    /// resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub technology: Option<String>,
    /// Their ids.
    pub resources: Vec<String>,
    /// Raw capacity of each.
    pub capacity: f64,
    /// The largest of their saturations, 0 to 1.
    pub saturation: f64,
    /// Relative gain in operations per second over relative gain in capacity of all of them.
    pub elasticity: f64,
}

/// What a little more of one resource would bring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceGainDocument {
    /// Id of the resource.
    pub id: String,
    /// What kind of resource it is.
    pub kind: String,
    /// Rate over the capacity that can be used in practice, 0 to 1.
    pub saturation: f64,
    /// Relative gain in operations per second over relative gain in its capacity.
    pub elasticity: f64,
}

/// The JSON Schema of [`LadderDocument`].
pub fn ladder_schema() -> serde_json::Value {
    super::schema_of::<LadderDocument>()
}

impl LadderDocument {
    /// The twin of `report`.
    pub fn new(report: &LadderReport) -> Self {
        let (reason, ruled_out) = match &report.ladder.end {
            LadderEnd::Clients => (EndReasonDocument::Clients, Vec::new()),
            LadderEnd::Core => (EndReasonDocument::Core, Vec::new()),
            LadderEnd::NothingToBuy(reasons) => (EndReasonDocument::NothingToBuy, reasons.clone()),
            LadderEnd::TooLong => (EndReasonDocument::TooLong, Vec::new()),
        };
        Self {
            schema: LADDER_SCHEMA_VERSION,
            bandgraph: crate::VERSION.to_owned(),
            scenario: report.scenario.clone(),
            topology: report.topology.clone(),
            file: report.file.clone(),
            seed: report.seed,
            overrides: report.overrides.clone(),
            software: report.software.clone(),
            input_hash: report.input_hash.clone(),
            relief: match report.ladder.climb {
                Climb::Catalogue => ReliefDocument::Catalogue,
                Climb::Unlimited => ReliefDocument::Unlimited,
            },
            rungs: report.ladder.rungs.iter().map(rung).collect(),
            end: EndDocument { reason, ruled_out },
            marginal_groups: report
                .gains
                .groups
                .iter()
                .map(|group| GroupGainDocument {
                    kind: group.kind.as_str().to_owned(),
                    technology: group.technology.clone(),
                    resources: group.ids.clone(),
                    capacity: group.capacity,
                    saturation: group.saturation,
                    elasticity: group.elasticity,
                })
                .collect(),
            marginal_resources: report
                .gains
                .resources
                .iter()
                .map(|gain| ResourceGainDocument {
                    id: gain.id.clone(),
                    kind: gain.kind.as_str().to_owned(),
                    saturation: gain.saturation,
                    elasticity: gain.elasticity,
                })
                .collect(),
        }
    }
}

fn rung(rung: &Rung) -> RungDocument {
    RungDocument {
        bottleneck: bottleneck(&rung.limit),
        throughput: throughput(&rung.throughput),
        latency_mean_s: rung.latency_mean.get(),
        throughput_gain: rung.gain,
        total_gain: rung.total_gain,
        gain: rung.certainty.as_ref().map(GainDocument::of),
        step: rung.step.as_ref().map(step),
    }
}

fn step(step: &Step) -> StepDocument {
    match step {
        Step::Unlimited(needs) => StepDocument {
            change: "as fast as it would need to be".to_owned(),
            sets: Vec::new(),
            needed: needs.iter().map(need).collect(),
            ruled_out: Vec::new(),
        },
        Step::Upgrade {
            change,
            sets,
            ruled_out,
        } => StepDocument {
            change: change.clone(),
            sets: sets.clone(),
            needed: Vec::new(),
            ruled_out: ruled_out.clone(),
        },
    }
}

fn need(need: &Need) -> NeedDocument {
    NeedDocument {
        id: need.id.clone(),
        unit: need.unit.as_str().to_owned(),
        capacity: need.capacity,
        needed: need.needed,
    }
}
