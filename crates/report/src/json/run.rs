//! The JSON of a run: serialisable twins of what a run found, and their schema.
//!
//! The fields are a contract: more may be added, none renamed and none removed while `schema` is 1. Every
//! quantity is in its base unit, and every name ends in its unit where it has one.

use bandgraph_model::Stack;
use bandgraph_solve::{Limit, Mode, Outcome, ResourceUse, SocketUse, Throughput};
use bandgraph_topology::ResourceKind;
use bandgraph_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::interval::IntervalDocument;
use super::latency::{LatencyDocument, PrecisionDocument, distribution};
use super::power::PowerDocument;
use super::replay::ReplayDocument;
use super::topology::ServerDocument;
use super::workload::{WorkloadDocument, workload};
use crate::RunReport;

/// The version of the JSON of a run. It grows when a field is renamed or removed, or changes its meaning.
pub const RUN_SCHEMA_VERSION: u32 = 1;

/// The unit of what is busy for a share of the time.
pub(crate) const BUSY: &str = "busy";

/// The result of one run of Bandgraph: what a storage server delivers under a workload, and what holds it
/// back.
///
/// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
/// percent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Bandgraph run result")]
pub struct RunDocument {
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
    /// The overrides of the command line, in order.
    #[serde(default)]
    pub overrides: Vec<String>,
    /// The software that the server runs.
    #[serde(default)]
    pub software: SoftwareDocument,
    /// Seed of all random streams.
    pub seed: u64,
    /// Hash of everything that went in: the files, the overrides, the seed. Equal hashes mean equal
    /// questions.
    pub input_hash: String,
    /// How the result was found.
    pub mode: ModeDocument,
    /// The rates of all workloads together.
    pub throughput: ThroughputDocument,
    /// The time of one operation, as its client sees it.
    pub latency: LatencyDocument,
    /// How long all jobs take, of workloads that have any, in seconds; null where none has.
    pub elapsed_s: Option<f64>,
    /// What holds the server back.
    pub bottleneck: BottleneckDocument,
    /// What would hold it back if the bottleneck had no limit; null where the bottleneck cannot be taken
    /// away.
    pub next_bottleneck: Option<NextBottleneckDocument>,
    /// Every resource, in the order of the topology.
    pub resources: Vec<ResourceDocument>,
    /// What the server is made of; left out by versions before it was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerDocument>,
    /// Every socket, in the order of the topology.
    pub sockets: Vec<SocketDocument>,
    /// What crossed each directed socket link, by what it was for.
    pub link_traffic: Vec<LinkTrafficDocument>,
    /// The share of each workload, in the order of the scenario.
    pub workloads: Vec<WorkloadDocument>,
    /// The scenario's measurements beside what was predicted.
    pub measured: Vec<MeasuredDocument>,
    /// The scenario's expectations, and whether they hold.
    pub expect: Vec<ExpectDocument>,
    /// What the server draws; null where its topology has no chassis.
    pub power: Option<PowerDocument>,
    /// What to know before relying on the result, in plain words; empty where there is nothing to say.
    pub warnings: Vec<String>,
    /// The trace that was replayed; null where none was.
    pub replay: Option<ReplayDocument>,
    /// How the simulation went; null for a prediction.
    pub simulated: Option<SimulatedDocument>,
    /// The steady-state prediction of the same run, and how far the simulation is from it; null where the
    /// result itself is the prediction.
    pub prediction: Option<PredictionDocument>,
    /// Between which values the true ones lie, from the ranges of all figures; a simulation has the relative
    /// interval of its prediction. Null where it was not asked for, or cannot be said.
    pub interval: Option<IntervalDocument>,
    /// How much of each resource was used over the time of a simulation; there only if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<TimelineDocument>,
}

/// The software that a server runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SoftwareDocument {
    /// The name of its profile; `bandgraph stacks show NAME` has its figures.
    pub profile: String,
    /// Whether it is the profile of scenarios that name none.
    pub is_default: bool,
    /// The software and the systems that the profile fits; empty where it does not say.
    pub fits: String,
    /// The first and the last year of software that it fits; null where it does not say.
    pub years: Option<[u32; 2]>,
}

/// How a result was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeDocument {
    /// The steady state, solved without events.
    Predict,
    /// Event by event.
    Simulate,
}

/// Rates, averaged over the measured window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThroughputDocument {
    /// Completed operations per second.
    pub ops_per_s: f64,
    /// File data moved for clients, in bytes per second, without any header.
    pub payload_bytes_per_s: f64,
    /// Bytes per second at the server's network ports, received and sent, frame headers and checksums
    /// included, preamble and inter-frame gap not.
    pub network_bytes_per_s: f64,
    /// Bytes per second at the disks; 0 for cached workloads.
    pub disk_bytes_per_s: f64,
}

/// What holds the server back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BottleneckDocument {
    /// Id of the fullest resource, or the kind where the limit is no resource.
    pub id: String,
    /// The kind of that resource, `core` where one thread cannot use more than one core, `concurrency` where
    /// the clients have too few operations outstanding, or `offered` where all operations come at a rate that
    /// is served.
    pub kind: String,
    /// The technology of links between sockets, such as `HyperTransport` or `QPI`; left out of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub technology: Option<String>,
    /// Rate over raw capacity, 0 to 1; 0 where the limit is no resource.
    pub utilisation: f64,
    /// What is full, how full, and why, in plain words.
    pub explanation: String,
    /// Ids of all resources that are full together, the fullest first; empty where the limit is no resource.
    pub resources: Vec<String>,
}

/// What would hold the server back next, and what it would deliver then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NextBottleneckDocument {
    /// Id of the fullest resource, or the kind where the limit is no resource.
    pub id: String,
    /// The kind, with the words of `bottleneck.kind`.
    pub kind: String,
    /// The technology, as `bottleneck.technology`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub technology: Option<String>,
    /// Rate over raw capacity after the relief, 0 to 1; 0 where the limit is no resource.
    pub utilisation: f64,
    /// What is full, how full, and why, in plain words.
    pub explanation: String,
    /// Ids of all resources that are full together, the fullest first; empty where the limit is no resource.
    pub resources: Vec<String>,
    /// Operations per second after the relief over those before it, less one: 0.18 is 18 % more.
    pub throughput_gain: f64,
    /// The rates after the relief.
    pub throughput: ThroughputDocument,
}

/// How much of one directed resource was used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceDocument {
    /// Id, such as `link.cpu0-cpu1`, `slot.s1.out`, `memory.cpu0`.
    pub id: String,
    /// What kind of resource it is, such as `socket-link`, `pcie`, `memory`, `cpu`, `ethernet`.
    pub kind: String,
    /// The technology of a link between sockets, such as `HyperTransport` or `QPI`; left out of all other
    /// resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub technology: Option<String>,
    /// Where its traffic comes from.
    pub from: String,
    /// Where its traffic goes.
    pub to: String,
    /// Raw capacity, in `unit`.
    pub capacity: f64,
    /// The unit of `capacity` and `rate`: `bytes/s`, `cycles/s`, `ops/s`, or of disks `busy`: the share of
    /// time in which they work, seeks included.
    pub unit: String,
    /// Units used per second, averaged over the measured window. Of memory, a byte written counts for as many
    /// bytes read as its controller could move in that time; `sockets` has the bytes themselves.
    pub rate: f64,
    /// Rate over raw capacity, 0 to 1.
    pub utilisation: f64,
    /// The share of the raw capacity that can be used in practice, 0 to 1.
    pub ceiling: f64,
    /// Rate over the capacity that can be used in practice, 0 to 1: 1 is full.
    pub saturation: f64,
}

/// What the cores of one socket did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SocketDocument {
    /// Id of the socket.
    pub id: String,
    /// Share of its cycles not idle, 0 to 1, stalled cycles included: what an operating system calls busy.
    pub busy: f64,
    /// Share of its cycles spent waiting for memory, 0 to 1; part of `busy`.
    pub stalled: f64,
    /// Cycles per instruction.
    pub cpi: f64,
    /// The mean time that a core waits for a cache line under this load, in seconds.
    pub miss_latency_s: f64,
    /// What its memory reads, in bytes per second.
    pub memory_read_bytes_per_s: f64,
    /// What its memory writes, in bytes per second.
    pub memory_written_bytes_per_s: f64,
}

/// What crossed one directed socket link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkTrafficDocument {
    /// Id of the link.
    pub id: String,
    /// Bytes per second for each cause; they add up to the link's rate.
    pub by_cause: Vec<CauseDocument>,
}

/// What a part of a link's traffic was for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CauseDocument {
    /// The cause, such as `data`, `probe`, `response`, `dma_data`.
    pub cause: String,
    /// Bytes per second for it.
    pub bytes_per_s: f64,
}

/// One measurement beside what was predicted for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredDocument {
    /// Id of the measurement; for published ones, of its row in the list of measurements. Null without.
    pub id: Option<String>,
    /// What was measured. The name ends in its unit where it has one.
    pub metric: String,
    /// The unit of `measured` and `predicted`; `1` for shares, ratios and plain numbers.
    #[serde(default)]
    pub unit: String,
    /// The value measured, in that unit.
    pub measured: f64,
    /// The value measured, as its file writes it.
    #[serde(default)]
    pub text: String,
    /// The value predicted, in the same unit; null where this run has none.
    pub predicted: Option<f64>,
    /// (predicted - measured) / measured; null where there is no prediction or the measurement is 0.
    pub relative_error: Option<f64>,
    /// What kind of value was published, such as `average`, `peak`; null where that is unknown.
    pub statistic: Option<String>,
    /// Where the measurement comes from; null where that is not said.
    pub source: Option<String>,
    /// Whether some figure of the model was fitted to it; otherwise it is unseen.
    #[serde(default)]
    pub calibrated: bool,
    /// The scenario file that the figure is a ratio to. Left out for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_to: Option<String>,
}

/// One expectation, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectDocument {
    /// What is expected of. The name ends in its unit where it has one.
    pub metric: String,
    /// Whether the value lies within the bounds. A metric without a value does not.
    pub ok: bool,
    /// The value found, in the unit of the metric; null where this run has none.
    pub value: Option<f64>,
    /// The least value expected; null where there is no lower bound.
    pub min: Option<f64>,
    /// The greatest value expected; null where there is no upper bound.
    pub max: Option<f64>,
    /// How likely it must be that the true value is within the bounds; left out where only the value counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// How likely it is; left out as `probability`, and where no figures were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<f64>,
}

/// What a simulation did to find its result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulatedDocument {
    /// Simulated time before the measured window, in seconds.
    pub warm_up_s: f64,
    /// Length of the measured window, in simulated seconds.
    pub measured_s: f64,
    /// Operations completed inside the measured window.
    pub operations: u64,
    /// Events handled in all, warm-up included.
    pub events: u64,
    /// How exact the figures are; null for the replay of a trace, and where the window is too short to say.
    #[serde(default)]
    pub precision: Option<PrecisionDocument>,
}

/// How much of each resource was used over the time of a simulation, warm-up included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineDocument {
    /// Where measuring began, in seconds; before it the run warms up.
    pub warm_up_s: f64,
    /// Stretches of about equal length, in the order of time.
    pub stretches: Vec<StretchDocument>,
}

/// How much of each resource was used in a stretch of simulated time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StretchDocument {
    /// Where it begins, in seconds.
    pub start_s: f64,
    /// Where it ends, in seconds.
    pub end_s: f64,
    /// Rate over raw capacity, 0 to 1, of each of `resources` in their order.
    pub utilisation: Vec<f64>,
}

/// The steady-state prediction beside a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictionDocument {
    /// The rates predicted.
    pub throughput: ThroughputDocument,
    /// The mean latency predicted, in seconds.
    pub latency_mean_s: f64,
    /// Operations per second simulated over those predicted, less one; null where none are predicted.
    pub throughput_difference: Option<f64>,
    /// Mean latency simulated over that predicted, less one; null where the prediction is 0.
    pub latency_difference: Option<f64>,
}

impl RunDocument {
    /// The twin of `report`.
    pub fn new(report: &RunReport) -> Self {
        let outcome = &report.outcome;
        Self {
            schema: RUN_SCHEMA_VERSION,
            bandgraph: crate::VERSION.to_owned(),
            scenario: report.scenario.clone(),
            topology: report.topology.clone(),
            file: report.file.clone(),
            overrides: report.overrides.clone(),
            software: report.software.clone(),
            seed: report.seed,
            input_hash: report.input_hash.clone(),
            mode: match outcome.mode {
                Mode::Predict => ModeDocument::Predict,
                Mode::Simulate => ModeDocument::Simulate,
            },
            throughput: throughput(&outcome.throughput),
            latency: distribution(&outcome.latency, report.histogram),
            elapsed_s: outcome.elapsed.map(Time::get),
            bottleneck: bottleneck(&report.explained.bottleneck),
            next_bottleneck: report
                .explained
                .relief
                .as_ref()
                .map(|relief| NextBottleneckDocument {
                    id: relief.next.id().to_owned(),
                    kind: relief.next.kind.as_str().to_owned(),
                    technology: relief.next.technology().map(str::to_owned),
                    utilisation: relief.next.utilisation,
                    explanation: relief.next.explanation.clone(),
                    resources: relief.next.ids(),
                    throughput_gain: relief.throughput_gain,
                    throughput: throughput(&relief.throughput),
                }),
            resources: outcome.resources.iter().map(resource).collect(),
            server: report.server.clone(),
            sockets: outcome.sockets.iter().map(socket).collect(),
            link_traffic: link_traffic(outcome),
            workloads: outcome
                .workloads
                .iter()
                .map(|found| workload(found, report.histogram))
                .collect(),
            measured: report.measured.iter().map(measured).collect(),
            expect: report.expect.iter().map(expect).collect(),
            power: outcome
                .power
                .as_ref()
                .map(|power| PowerDocument::new(power, &outcome.throughput)),
            warnings: report.warnings.clone(),
            replay: report.replay.as_ref().map(ReplayDocument::new),
            simulated: outcome.simulated.map(|run| SimulatedDocument {
                warm_up_s: run.warm_up.get(),
                measured_s: run.measured.get(),
                operations: run.operations,
                events: run.events,
                precision: run.precision.as_ref().map(PrecisionDocument::new),
            }),
            interval: report
                .uncertainty
                .as_ref()
                .map(|found| IntervalDocument::new(found, |metric| report.interval_factor(metric))),
            timeline: report.timeline.as_ref().map(|timeline| TimelineDocument {
                warm_up_s: report
                    .outcome
                    .simulated
                    .as_ref()
                    .map_or(0.0, |run| run.warm_up.get()),
                stretches: timeline
                    .stretches
                    .iter()
                    .map(|stretch| StretchDocument {
                        start_s: stretch.start.get(),
                        end_s: stretch.end.get(),
                        utilisation: stretch.utilisation.clone(),
                    })
                    .collect(),
            }),
            prediction: report.prediction.as_ref().map(|prediction| PredictionDocument {
                throughput: throughput(&prediction.throughput),
                latency_mean_s: prediction.latency.mean.get(),
                throughput_difference: report.throughput_difference(),
                latency_difference: report.latency_difference(),
            }),
        }
    }
}

impl SoftwareDocument {
    /// The twin of a stack.
    pub(crate) fn of(stack: &Stack) -> Self {
        Self {
            profile: stack.name.clone(),
            is_default: stack.name == Stack::DEFAULT,
            fits: stack.fits.clone(),
            years: stack.years,
        }
    }
}

impl NextBottleneckDocument {
    /// What is full then.
    pub(crate) fn limit(&self) -> BottleneckDocument {
        BottleneckDocument {
            id: self.id.clone(),
            kind: self.kind.clone(),
            technology: self.technology.clone(),
            utilisation: self.utilisation,
            explanation: self.explanation.clone(),
            resources: self.resources.clone(),
        }
    }
}

/// The JSON Schema of [`RunDocument`], draft 2020-12.
pub fn run_schema() -> serde_json::Value {
    super::schema_of::<RunDocument>()
}

pub(super) fn throughput(throughput: &Throughput) -> ThroughputDocument {
    ThroughputDocument {
        ops_per_s: throughput.operations.get(),
        payload_bytes_per_s: throughput.payload.get(),
        network_bytes_per_s: throughput.network.get(),
        disk_bytes_per_s: throughput.disk.get(),
    }
}

pub(crate) fn bottleneck(limit: &Limit) -> BottleneckDocument {
    BottleneckDocument {
        id: limit.id().to_owned(),
        kind: limit.kind.as_str().to_owned(),
        technology: limit.technology().map(str::to_owned),
        utilisation: limit.utilisation,
        explanation: limit.explanation.clone(),
        resources: limit.ids(),
    }
}

fn resource(resource: &ResourceUse) -> ResourceDocument {
    // Of a disk the model knows how busy it is, seeks included, and no bytes.
    let is_disk = resource.kind == ResourceKind::Disk;
    let (capacity, rate, unit) = if is_disk {
        (1.0, resource.utilisation(), BUSY)
    } else {
        (resource.capacity, resource.rate, resource.unit.as_str())
    };
    ResourceDocument {
        id: resource.id.clone(),
        kind: resource.kind.as_str().to_owned(),
        technology: resource.technology.clone(),
        from: resource.from.clone(),
        to: resource.to.clone(),
        capacity,
        unit: unit.to_owned(),
        rate,
        utilisation: resource.utilisation(),
        ceiling: resource.ceiling,
        saturation: resource.saturation(),
    }
}

fn socket(socket: &SocketUse) -> SocketDocument {
    SocketDocument {
        id: socket.id.clone(),
        busy: socket.busy,
        stalled: socket.stalled,
        cpi: socket.cycles_per_instruction,
        miss_latency_s: socket.miss_latency.get(),
        memory_read_bytes_per_s: socket.memory.reads,
        memory_written_bytes_per_s: socket.memory.writes,
    }
}

fn link_traffic(outcome: &Outcome) -> Vec<LinkTrafficDocument> {
    let links = outcome.link_traffic.iter().map(|link| {
        let counted = link.by_cause.iter().map(|(_, rate)| rate.get()).sum();
        let resource = outcome.resources.iter().find(|resource| resource.id == link.id);
        let factor = resource.map_or(1.0, |resource| carried_over_counted(resource.rate, counted));
        LinkTrafficDocument {
            id: link.id.clone(),
            by_cause: link
                .by_cause
                .iter()
                .map(|(cause, rate)| CauseDocument {
                    cause: cause.as_str().to_owned(),
                    bytes_per_s: rate.get() * factor,
                })
                .collect(),
        }
    });
    links.collect()
}

/// What a link carried over what completed operations account for, by which the bytes of each cause grow: the
/// operations of a replay, and those in flight at the ends of a short window, differ from the mean that is
/// counted for each.
fn carried_over_counted(carried: f64, counted: f64) -> f64 {
    const ROUNDING: f64 = 1e-3;
    let factor = carried / counted;
    if factor.is_finite() && (factor - 1.0).abs() > ROUNDING {
        factor
    } else {
        1.0
    }
}

fn measured(comparison: &crate::Comparison) -> MeasuredDocument {
    MeasuredDocument {
        id: comparison.id.clone(),
        metric: comparison.metric.clone(),
        unit: comparison.unit().to_owned(),
        measured: comparison.measured,
        text: comparison.text.clone(),
        predicted: comparison.predicted,
        relative_error: comparison.relative_error(),
        statistic: comparison.statistic.clone(),
        source: comparison.source.clone(),
        calibrated: comparison.calibrated,
        relative_to: comparison.relative_to.clone(),
    }
}

fn expect(verdict: &crate::Verdict) -> ExpectDocument {
    ExpectDocument {
        metric: verdict.metric.clone(),
        ok: verdict.ok(),
        value: verdict.value,
        min: verdict.min,
        max: verdict.max,
        probability: verdict.probability.map(|(asked, _)| asked),
        likelihood: verdict.probability.and_then(|(_, found)| found),
    }
}

#[cfg(test)]
mod tests {
    use super::carried_over_counted;

    #[test]
    fn causes_grow_to_what_a_link_carried() {
        assert_eq!(carried_over_counted(110.0, 152.0), 110.0 / 152.0);
        assert_eq!(carried_over_counted(100.0, 100.01), 1.0);
        assert_eq!(carried_over_counted(100.0, 0.0), 1.0);
        assert_eq!(carried_over_counted(0.0, 0.0), 1.0);
    }
}
