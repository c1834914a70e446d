//! The JSON of a ladder. Its fields are a contract like those of a run: more may be added, none renamed or
//! removed while `schema` is 1.

use bandgraph_study::{Climb, GroupGain, LadderEnd, MarginalGain, Need, Rung, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GainDocument;
use super::StatusesDocument;
use super::run::{BottleneckDocument, ModeDocument, SoftwareDocument, ThroughputDocument, represented};
use crate::LadderReport;
use crate::text::rate_words;

/// The version of the JSON of a ladder. It grows when a field is renamed or removed, or changes its meaning.
pub const LADDER_SCHEMA_VERSION: u32 = 1;

documents! {
    /// The chain of limits of a scenario: the bottleneck, what limits once that is relieved, and so on.
    ///
    /// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
    /// percent.
    #[schemars(title = "Bandgraph ladder of limits")]
    pub struct LadderDocument(report: &LadderReport) {
        let (reason, ruled_out) = match &report.ladder.end {
            LadderEnd::Clients => (EndReasonDocument::Clients, Vec::new()),
            LadderEnd::Core => (EndReasonDocument::Core, Vec::new()),
            LadderEnd::NothingToBuy(reasons) => (EndReasonDocument::NothingToBuy, reasons.clone()),
            LadderEnd::TooLong => (EndReasonDocument::TooLong, Vec::new()),
        };

        /// Version of this format.
        pub schema: u32 = LADDER_SCHEMA_VERSION,
        /// Version of the program that wrote this.
        pub bandgraph: String = crate::VERSION.to_owned(),
        /// Name of the scenario.
        pub scenario: String = report.scenario.clone(),
        /// Name of the topology.
        pub topology: String = report.topology.clone(),
        /// The scenario file, as it was named; null where there is none.
        #[serde(default)]
        pub file: Option<String> = report.file.clone(),
        /// Seed of all random streams.
        #[serde(default)]
        pub seed: u64 = report.seed,
        /// How it was found: always by prediction.
        #[serde(default)]
        pub mode: ModeDocument = ModeDocument::Predict,
        /// The overrides of the command line, in order.
        #[serde(default)]
        pub overrides: Vec<String> = report.overrides.clone(),
        /// The software that the server runs.
        #[serde(default)]
        pub software: SoftwareDocument = report.software.clone(),
        /// Hash of everything that went in.
        pub input_hash: String = report.input_hash.clone(),
        /// What to know before relying on the result, in plain words; of the load, on the first rung.
        #[serde(default)]
        pub warnings: Vec<String> = report.warnings.clone(),
        /// How the uncertain figures that matter for the first rung were found; left out where no figures
        /// were drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub statuses: Option<StatusesDocument> = StatusesDocument::of_draws(&report.ladder.weights),
        /// How limits are relieved: with parts of the `catalogue`, or by as much as it takes, `unlimited`.
        pub relief: ReliefDocument = match report.ladder.climb {
            Climb::Catalogue => ReliefDocument::Catalogue,
            Climb::Unlimited => ReliefDocument::Unlimited,
        },
        /// The limits in the order in which they come; at least one.
        pub rungs: Vec<RungDocument> = report.ladder.rungs.iter().map(RungDocument::new).collect(),
        /// Why there is no further rung.
        pub end: EndDocument = EndDocument { reason, ruled_out },
        /// What a little more of the parts of one kind would bring, the most worthwhile first.
        pub marginal_groups: Vec<GroupGainDocument> = report
            .gains
            .groups
            .iter()
            .map(GroupGainDocument::new)
            .collect(),
        /// What a little more of each resource alone would bring, in the order of the topology.
        pub marginal_resources: Vec<ResourceGainDocument> = report
            .gains
            .resources
            .iter()
            .map(ResourceGainDocument::new)
            .collect(),
    }
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

documents! {
    /// One limit.
    pub struct RungDocument(rung: &Rung) {
        /// What limits here.
        pub bottleneck: BottleneckDocument = BottleneckDocument::new(&rung.limit),
        /// What the server delivers.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&rung.throughput),
        /// Mean latency, in seconds.
        pub latency_mean_s: f64 = rung.latency_mean.get(),
        /// Whether the load exceeds the capacity: there is no steady state then, and latencies grow for as
        /// long as that lasts.
        #[serde(default)]
        pub overloaded: bool = rung.overloaded,
        /// Operations per second over those of the rung before, less one; 0 on the first.
        pub throughput_gain: f64 = rung.gain,
        /// Operations per second over those of the first rung, less one.
        pub total_gain: f64 = rung.total_gain,
        /// How sure the gain over the rung before is; left out on the first rung and where no figures were
        /// drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub gain: Option<GainDocument> = rung.certainty.as_ref().map(GainDocument::new),
        /// How the limit is relieved; null on the last rung.
        pub step: Option<StepDocument> = rung.step.as_ref().map(step),
    }

    /// How a limit is relieved.
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
    pub struct NeedDocument(need: &Need) {
        /// Id of the resource.
        pub id: String = need.id.clone(),
        /// The unit of both capacities.
        pub unit: String = need.unit.as_str().to_owned(),
        /// Raw capacity now.
        pub capacity: f64 = need.capacity,
        /// Raw capacity with which it would be just full on the next rung.
        pub needed: f64 = need.needed,
    }

    /// Why a ladder ends.
    pub struct EndDocument {
        /// The reason in a word.
        pub reason: EndReasonDocument,
        /// What was thought of and why it does not help; empty unless the reason is `nothing_to_buy`.
        pub ruled_out: Vec<String>,
    }
}

/// Why a ladder ends, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndReasonDocument {
    /// The clients ask for no more.
    Clients,
    /// Each thread fills the core it runs on.
    Core,
    /// No upgrade of the catalogue that was tried relieves this limit.
    NothingToBuy,
    /// The ladder is longer than ladders are allowed to be.
    TooLong,
}

documents! {
    /// What a little more of all resources of one kind and capacity would bring.
    pub struct GroupGainDocument(group: &GroupGain) {
        let unit = group.unit.as_str();
        let names = [Some(group.kind.as_str()), group.technology.as_deref()];
        let names = names.into_iter().flatten().collect::<Vec<_>>().join(" ");

        /// What tells the group from the others: kind, technology and capacity.
        #[serde(default)]
        pub id: String = format!("{names} at {}", rate_words(unit, group.capacity)),
        /// What kind of resources they are.
        pub kind: String = group.kind.as_str().to_owned(),
        /// The technology of a link between sockets, of a port to disks or of a drive, such as
        /// `HyperTransport`, `NVMe` or `SSD`; left out of all other resources.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub technology: Option<String> = group.technology.clone(),
        /// Their ids.
        pub resources: Vec<String> = group.ids.clone(),
        /// The number of these resources, with those that they represent; left out where each is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub count: Option<u32> = represented(group.count, group.ids.len()),
        /// The fullest of them; left out by versions before it was found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub fullest: Option<String> = Some(group.fullest.clone()),
        /// Raw capacity of each, in `unit`.
        pub capacity: f64 = group.capacity,
        /// The unit of `capacity`.
        #[serde(default)]
        pub unit: String = unit.to_owned(),
        /// The largest of their saturations, 0 to 1.
        pub saturation: f64 = group.saturation,
        /// Relative gain in operations per second over relative gain in capacity of all of them.
        pub elasticity: f64 = group.elasticity,
    }

    /// What a little more of one resource would bring.
    pub struct ResourceGainDocument(gain: &MarginalGain) {
        /// Id of the resource.
        pub id: String = gain.id.clone(),
        /// What kind of resource it is.
        pub kind: String = gain.kind.as_str().to_owned(),
        /// Rate over the capacity that can be used in practice, 0 to 1.
        pub saturation: f64 = gain.saturation,
        /// Relative gain in operations per second over relative gain in its capacity.
        pub elasticity: f64 = gain.elasticity,
    }
}

fn step(step: &Step) -> StepDocument {
    match step {
        Step::Unlimited(needs) => StepDocument {
            change: match needs.as_slice() {
                [] => "as fast as it would need to be".to_owned(),
                [only] => format!("{} as fast as it would need to be", only.id),
                [first, others @ ..] => {
                    let more = others.len();
                    format!("{} and {more} more as fast as they would need to be", first.id)
                }
            },
            sets: Vec::new(),
            needed: needs.iter().map(NeedDocument::new).collect(),
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
