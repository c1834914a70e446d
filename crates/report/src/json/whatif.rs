//! The JSON of a what-if. Its fields are a contract like those of a run: more may be added, none renamed or
//! removed while `schema` is 1.

use bandgraph_scenario::other_decade;
use bandgraph_solve::Percentiles;
use bandgraph_study::{Case, Change, Difference, LinkDifference, ResourceDifference, SocketDifference};
use bandgraph_units::{Quantity, Time};

use super::GainDocument;
use super::StatusesDocument;
use super::latency::LatencyDocument;
use super::run::{BottleneckDocument, ModeDocument, SoftwareDocument, ThroughputDocument};
use crate::WhatIfReport;
use crate::warnings::warnings;

/// The version of the JSON of a what-if. It grows when a field is renamed or removed, or changes its meaning.
pub const WHATIF_SCHEMA_VERSION: u32 = 1;

documents! {
    /// A scenario and variants of it side by side.
    ///
    /// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
    /// percent.
    #[schemars(title = "Bandgraph what-if result")]
    pub struct WhatIfDocument(report: &WhatIfReport) {
        let answers = &report.answers;

        /// Version of this format.
        pub schema: u32 = WHATIF_SCHEMA_VERSION,
        /// Version of the program that wrote this.
        pub bandgraph: String = crate::VERSION.to_owned(),
        /// Name of the scenario.
        pub scenario: String = report.scenario().to_owned(),
        /// The scenario file, as it was named; null where there is none.
        #[serde(default)]
        pub file: Option<String> = answers.base.question.file.clone(),
        /// Seed of all random streams.
        #[serde(default)]
        pub seed: u64 = answers.base.question.scenario.run.seed,
        /// The overrides of the base, and so of every variant too, in order.
        #[serde(default)]
        pub overrides: Vec<String> = answers.base.question.sets.clone(),
        /// The software that the server runs in the base.
        #[serde(default)]
        pub software: SoftwareDocument = SoftwareDocument::of(&answers.base.question.scenario),
        /// How the uncertain figures that matter for the base were found; left out where no figures were
        /// drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub statuses: Option<StatusesDocument> = StatusesDocument::of_draws(&answers.weights),
        /// What is doubtful about the files.
        #[serde(default)]
        pub warnings: Vec<String> = report.warnings.clone(),
        /// How all of them were found.
        pub mode: ModeDocument = ModeDocument::of(answers.method),
        /// The scenario as it is.
        pub base: CaseDocument = CaseDocument::new(&answers.base),
        /// The variants, in the order in which they were asked for.
        pub variants: Vec<VariantDocument> = answers
            .variants
            .iter()
            .map(|case| VariantDocument::new(case, &answers.base))
            .collect(),
    }

    /// One of the things compared.
    pub struct CaseDocument(case: &Case) {
        let outcome = &case.answer.outcome;

        /// Its name: `base`, or that of the variant.
        pub name: String = case.question.name.clone(),
        /// Name of the topology.
        pub topology: String = case.question.scenario.topology.name().to_owned(),
        /// The overrides that make it, in order: of the file for the base, of the base for a variant.
        pub sets: Vec<String> = case.question.sets.clone(),
        /// That its processors are of other years than its software, in words; null if they are not.
        #[serde(default)]
        pub software_warning: Option<String> = other_decade(&case.question.scenario),
        /// What to know before relying on its figures, in plain words.
        #[serde(default)]
        pub warnings: Vec<String> =
            warnings(&case.question.scenario, outcome, case.answer.prediction.as_ref()).0,
        /// Whether the load exceeds the capacity: there is no steady state then, and latencies grow for as
        /// long as that lasts.
        #[serde(default)]
        pub overloaded: bool = outcome.is_overloaded(),
        /// Whether the bottleneck is that of the predicted steady state, with its figures, since the
        /// simulation delivers something else.
        #[serde(default)]
        pub limits_of_steady_state: bool = case.answer.explained.of_steady,
        /// Hash of everything that went in.
        pub input_hash: String = case.question.input_hash.clone(),
        /// The rates of all workloads together.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&outcome.throughput),
        /// Operations per second with a probability of 90 %: low, high; left out where no figures were drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ops_per_s_interval: Option<[f64; 2]> = case.interval.map(|found| [found.low, found.high]),
        /// The time of one operation.
        pub latency: LatencyDocument = LatencyDocument::new(&outcome.latency, false),
        /// What holds the server back.
        pub bottleneck: BottleneckDocument = BottleneckDocument::new(&case.answer.explained.bottleneck),
    }

    /// A variant, and how it differs from the base.
    pub struct VariantDocument(case: &Case, base: &Case) {
        let overloaded = [base, case].map(|case| case.answer.outcome.is_overloaded());

        /// The variant.
        pub case: CaseDocument = CaseDocument::new(case),
        /// Whether something else than in the base holds the server back.
        pub bottleneck_moved: bool = case.bottleneck_moved(base),
        /// How it differs from the base.
        pub difference: DifferenceDocument = DifferenceDocument::new(&case.difference, overloaded),
        /// How sure the gain in operations per second is; left out where no figures were drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub gain: Option<GainDocument> = case.gain.as_ref().map(GainDocument::new),
    }

    /// A figure in the base and in the variant.
    #[derive(Copy)]
    pub struct ChangeDocument {
        /// In the base.
        pub before: f64,
        /// In the variant.
        pub after: f64,
        /// After over before, less one; null where there was nothing before.
        pub relative: Option<f64>,
    }

    /// How a variant differs from the base.
    pub struct DifferenceDocument(difference: &Difference, overloaded: [bool; 2]) {
        // A latency that grows is not compared.
        let latency = |change: ChangeDocument| ChangeDocument {
            relative: change.relative.filter(|_| overloaded == [false; 2]),
            ..change
        };
        let percentile = |of: fn(&Percentiles) -> Time| {
            difference.percentiles.map(|Change { before, after }| {
                latency(quantity(Change {
                    before: of(&before),
                    after: of(&after),
                }))
            })
        };

        /// Completed operations per second.
        pub ops_per_s: ChangeDocument = quantity(difference.operations),
        /// File data moved for clients, in bytes per second.
        pub payload_bytes_per_s: ChangeDocument = quantity(difference.payload),
        /// Bytes per second at the server's network ports.
        pub network_bytes_per_s: ChangeDocument = quantity(difference.network),
        /// Bytes per second at the disks.
        pub disk_bytes_per_s: ChangeDocument = quantity(difference.disk),
        /// Mean latency, in seconds.
        pub latency_mean_s: ChangeDocument = latency(quantity(difference.latency_mean)),
        /// Half of the operations took no longer, in seconds; left out unless both were simulated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub latency_p50_s: Option<ChangeDocument> = percentile(|points| points.p50),
        /// 95 % of the operations took no longer, in seconds; left out unless both were simulated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub latency_p95_s: Option<ChangeDocument> = percentile(|points| points.p95),
        /// 99 % of the operations took no longer, in seconds; left out unless both were simulated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub latency_p99_s: Option<ChangeDocument> = percentile(|points| points.p99),
        /// The slowest operation, in seconds; left out unless both were simulated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub latency_max_s: Option<ChangeDocument> = percentile(|points| points.max),
        /// The traffic of every directed socket link.
        pub links: Vec<LinkChangeDocument> = difference.links.iter().map(LinkChangeDocument::new).collect(),
        /// Every resource of either.
        pub resources: Vec<ResourceChangeDocument> =
            difference.resources.iter().map(ResourceChangeDocument::new).collect(),
        /// Every socket of either.
        pub sockets: Vec<SocketChangeDocument> = difference
            .sockets
            .iter()
            .map(SocketChangeDocument::new)
            .collect(),
    }

    /// What became of the traffic on one directed socket link.
    pub struct LinkChangeDocument(link: &LinkDifference) {
        let causes = link.by_cause.iter().zip(&link.per_operation_by_cause);

        /// Id of the link.
        pub id: String = link.id.clone(),
        /// All bytes per second.
        pub bytes_per_s: ChangeDocument = quantity(link.rate),
        /// Bytes per completed operation: what is left when the difference in throughput is taken out.
        pub bytes_per_op: ChangeDocument = quantity(link.per_operation),
        /// The same for each cause.
        pub by_cause: Vec<CauseChangeDocument> = causes
            .map(|((cause, rate), (_, per_operation))| CauseChangeDocument {
                cause: cause.as_str().to_owned(),
                bytes_per_s: quantity(*rate),
                bytes_per_op: quantity(*per_operation),
            })
            .collect(),
    }

    /// What became of the traffic on one link for one cause.
    pub struct CauseChangeDocument {
        /// The cause, such as `data`, `probe`, `dma data`.
        pub cause: String,
        /// Bytes per second for it.
        pub bytes_per_s: ChangeDocument,
        /// Bytes per completed operation for it.
        pub bytes_per_op: ChangeDocument,
    }

    /// What became of one resource. What one of the two does not have counts as 0 there.
    pub struct ResourceChangeDocument(resource: &ResourceDifference) {
        /// Id of the resource.
        pub id: String = resource.id.clone(),
        /// What kind of resource it is.
        pub kind: String = resource.kind.as_str().to_owned(),
        /// The unit of `capacity` and `rate`.
        pub unit: String = resource.unit.as_str().to_owned(),
        /// The number of equal resources that it represents, as those of equal clients; left out where it is
        /// never more than one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub count: Option<ChangeDocument> =
            (resource.count.before > 1.0 || resource.count.after > 1.0).then(|| number(resource.count)),
        /// Raw capacity of each, in `unit`.
        pub capacity: ChangeDocument = number(resource.capacity),
        /// Units used per second of each.
        pub rate: ChangeDocument = number(resource.rate),
        /// Rate over the capacity that can be used in practice, 0 to 1.
        pub saturation: ChangeDocument = number(resource.saturation),
    }

    /// What became of the cores of one socket.
    pub struct SocketChangeDocument(socket: &SocketDifference) {
        /// Id of the socket.
        pub id: String = socket.id.clone(),
        /// Share of its cycles not idle, 0 to 1.
        pub busy: ChangeDocument = number(socket.busy),
        /// Share of its cycles spent waiting for memory, 0 to 1.
        pub stalled: ChangeDocument = number(socket.stalled),
        /// Cycles per instruction.
        pub cpi: ChangeDocument = number(socket.cycles_per_instruction),
    }
}

impl ChangeDocument {
    /// After less before.
    pub(crate) fn absolute(&self) -> f64 {
        self.after - self.before
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
