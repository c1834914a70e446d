//! The JSON of a what-if. Its fields are a contract like those of a run: more may be added, none renamed or
//! removed while `schema` is 1.

use bandgraph_solve::Percentiles;
use bandgraph_study::{Case, Change, Difference, LinkDifference, Method, ResourceDifference};
use bandgraph_units::{Quantity, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::GainDocument;
use super::latency::{LatencyDocument, latency};
use super::run::{
    BottleneckDocument, ModeDocument, SoftwareDocument, ThroughputDocument, bottleneck, throughput,
};
use crate::WhatIfReport;

/// The version of the JSON of a what-if. It grows when a field is renamed or removed, or changes its meaning.
pub const WHATIF_SCHEMA_VERSION: u32 = 1;

/// A scenario and variants of it side by side.
///
/// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
/// percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Bandgraph what-if result")]
pub struct WhatIfDocument {
    /// Version of this format.
    pub schema: u32,
    /// Version of the program that wrote this.
    pub bandgraph: String,
    /// Name of the scenario.
    pub scenario: String,
    /// The scenario file, as it was named; null where there is none.
    #[serde(default)]
    pub file: Option<String>,
    /// Seed of all random streams.
    #[serde(default)]
    pub seed: u64,
    /// The software that the server runs in the base.
    #[serde(default)]
    pub software: SoftwareDocument,
    /// How all of them were found.
    pub mode: ModeDocument,
    /// The scenario as it is.
    pub base: CaseDocument,
    /// The variants, in the order in which they were asked for.
    pub variants: Vec<VariantDocument>,
}

/// One of the things compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseDocument {
    /// Its name: `base`, or that of the variant.
    pub name: String,
    /// Name of the topology.
    pub topology: String,
    /// The overrides that make it, in order.
    pub sets: Vec<String>,
    /// Hash of everything that went in.
    pub input_hash: String,
    /// The rates of all workloads together.
    pub throughput: ThroughputDocument,
    /// The time of one operation.
    pub latency: LatencyDocument,
    /// What holds the server back.
    pub bottleneck: BottleneckDocument,
}

/// A variant, and where it parts from the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantDocument {
    /// The variant.
    pub case: CaseDocument,
    /// Whether something else than in the base holds the server back.
    pub bottleneck_moved: bool,
    /// Where it parts from the base.
    pub difference: DifferenceDocument,
    /// How sure the gain in operations per second is; left out where no figures were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<GainDocument>,
}

/// A figure in the base and in the variant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeDocument {
    /// In the base.
    pub before: f64,
    /// In the variant.
    pub after: f64,
    /// After over before, less one; null where there was nothing before.
    pub relative: Option<f64>,
}

/// Where a variant parts from the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceDocument {
    /// Completed operations per second.
    pub ops_per_s: ChangeDocument,
    /// File data moved for clients, in bytes per second.
    pub payload_bytes_per_s: ChangeDocument,
    /// Bytes per second at the server's network ports.
    pub network_bytes_per_s: ChangeDocument,
    /// Bytes per second at the disks.
    pub disk_bytes_per_s: ChangeDocument,
    /// Mean latency, in seconds.
    pub latency_mean_s: ChangeDocument,
    /// Half of the operations took no longer, in seconds; left out unless both were simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p50_s: Option<ChangeDocument>,
    /// 95 % of the operations took no longer, in seconds; left out unless both were simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p95_s: Option<ChangeDocument>,
    /// 99 % of the operations took no longer, in seconds; left out unless both were simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p99_s: Option<ChangeDocument>,
    /// The slowest operation, in seconds; left out unless both were simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_max_s: Option<ChangeDocument>,
    /// The traffic of every directed socket link.
    pub links: Vec<LinkChangeDocument>,
    /// Every resource of either.
    pub resources: Vec<ResourceChangeDocument>,
    /// Every socket of either.
    pub sockets: Vec<SocketChangeDocument>,
}

/// What became of the traffic on one directed socket link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkChangeDocument {
    /// Id of the link.
    pub id: String,
    /// All bytes per second.
    pub bytes_per_s: ChangeDocument,
    /// Bytes per completed operation: what is left when the difference in throughput is taken out.
    pub bytes_per_op: ChangeDocument,
    /// The same for each cause.
    pub by_cause: Vec<CauseChangeDocument>,
}

/// What became of the traffic on one link for one cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CauseChangeDocument {
    /// The cause, such as `data`, `probe`, `dma data`.
    pub cause: String,
    /// Bytes per second for it.
    pub bytes_per_s: ChangeDocument,
    /// Bytes per completed operation for it.
    pub bytes_per_op: ChangeDocument,
}

/// What became of one resource. What one of the two does not have counts as 0 there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceChangeDocument {
    /// Id of the resource.
    pub id: String,
    /// What kind of resource it is.
    pub kind: String,
    /// The unit of `capacity` and `rate`.
    pub unit: String,
    /// Raw capacity, in `unit`.
    pub capacity: ChangeDocument,
    /// Units used per second.
    pub rate: ChangeDocument,
    /// Rate over the capacity that can be used in practice, 0 to 1.
    pub saturation: ChangeDocument,
}

/// What became of the cores of one socket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SocketChangeDocument {
    /// Id of the socket.
    pub id: String,
    /// Share of its cycles not idle, 0 to 1.
    pub busy: ChangeDocument,
    /// Share of its cycles spent waiting for memory, 0 to 1.
    pub stalled: ChangeDocument,
    /// Cycles per instruction.
    pub cpi: ChangeDocument,
}

impl ChangeDocument {
    /// After less before.
    pub(crate) fn absolute(&self) -> f64 {
        self.after - self.before
    }
}

/// The JSON Schema of [`WhatIfDocument`].
pub fn whatif_schema() -> serde_json::Value {
    super::schema_of::<WhatIfDocument>()
}

impl WhatIfDocument {
    /// The twin of `report`.
    pub fn new(report: &WhatIfReport) -> Self {
        let answers = &report.answers;
        Self {
            schema: WHATIF_SCHEMA_VERSION,
            bandgraph: crate::VERSION.to_owned(),
            scenario: report.scenario().to_owned(),
            file: answers.base.question.file.clone(),
            seed: answers.base.question.scenario.run.seed,
            software: SoftwareDocument::of(&answers.base.question.scenario.stack),
            mode: match answers.method {
                Method::Predict => ModeDocument::Predict,
                Method::Simulate => ModeDocument::Simulate,
            },
            base: case_document(&answers.base),
            variants: answers
                .variants
                .iter()
                .map(|case| VariantDocument {
                    case: case_document(case),
                    bottleneck_moved: case.bottleneck_moved(&answers.base),
                    difference: difference(&case.difference),
                    gain: case.gain.as_ref().map(GainDocument::of),
                })
                .collect(),
        }
    }
}

fn case_document(case: &Case) -> CaseDocument {
    let outcome = &case.answer.outcome;
    CaseDocument {
        name: case.question.name.clone(),
        topology: case.question.scenario.topology.name().to_owned(),
        sets: case.question.sets.clone(),
        input_hash: case.question.input_hash.clone(),
        throughput: throughput(&outcome.throughput),
        latency: latency(&outcome.latency),
        bottleneck: bottleneck(&case.answer.explained.bottleneck),
    }
}

fn difference(difference: &Difference) -> DifferenceDocument {
    let percentile = |of: fn(&Percentiles) -> Time| {
        difference.percentiles.map(|Change { before, after }| {
            quantity(Change {
                before: of(&before),
                after: of(&after),
            })
        })
    };
    DifferenceDocument {
        ops_per_s: quantity(difference.operations),
        payload_bytes_per_s: quantity(difference.payload),
        network_bytes_per_s: quantity(difference.network),
        disk_bytes_per_s: quantity(difference.disk),
        latency_mean_s: quantity(difference.latency_mean),
        latency_p50_s: percentile(|points| points.p50),
        latency_p95_s: percentile(|points| points.p95),
        latency_p99_s: percentile(|points| points.p99),
        latency_max_s: percentile(|points| points.max),
        links: difference.links.iter().map(link).collect(),
        resources: difference.resources.iter().map(resource).collect(),
        sockets: difference
            .sockets
            .iter()
            .map(|socket| SocketChangeDocument {
                id: socket.id.clone(),
                busy: number(socket.busy),
                stalled: number(socket.stalled),
                cpi: number(socket.cycles_per_instruction),
            })
            .collect(),
    }
}

fn link(link: &LinkDifference) -> LinkChangeDocument {
    let causes = link.by_cause.iter().zip(&link.per_operation_by_cause);
    LinkChangeDocument {
        id: link.id.clone(),
        bytes_per_s: quantity(link.rate),
        bytes_per_op: quantity(link.per_operation),
        by_cause: causes
            .map(|((cause, rate), (_, per_operation))| CauseChangeDocument {
                cause: cause.as_str().to_owned(),
                bytes_per_s: quantity(*rate),
                bytes_per_op: quantity(*per_operation),
            })
            .collect(),
    }
}

fn resource(resource: &ResourceDifference) -> ResourceChangeDocument {
    ResourceChangeDocument {
        id: resource.id.clone(),
        kind: resource.kind.as_str().to_owned(),
        unit: resource.unit.as_str().to_owned(),
        capacity: number(resource.capacity),
        rate: number(resource.rate),
        saturation: number(resource.saturation),
    }
}

fn quantity<Q: Quantity>(change: Change<Q>) -> ChangeDocument {
    number(change.in_base_units())
}

fn number(change: Change<f64>) -> ChangeDocument {
    ChangeDocument {
        before: change.before,
        after: change.after,
        relative: change.relative(),
    }
}
