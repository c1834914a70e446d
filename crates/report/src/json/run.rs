//! The JSON of a run: serialisable twins of what a run found, and their schema.
//!
//! The fields are a contract: more may be added, none renamed and none removed while `schema` is 1. Every
//! quantity is in its base unit, and every name ends in its unit where it has one.

use bandgraph_hardware::hypertransport::Cause;
use bandgraph_model::{LinkTraffic, Stack, profile};
use bandgraph_scenario::Metric;
use bandgraph_simulate::Stretch;
use bandgraph_solve::{Limit, Mode, Outcome, Relief, ResourceUse, SimulatedRun, SocketUse, Throughput};
use bandgraph_study::{Method, is_checked};
use bandgraph_topology::ResourceKind;
use bandgraph_units::{Bandwidth, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::interval::IntervalDocument;
use super::latency::{LatencyDocument, PrecisionDocument};
use super::path::PathDocument;
use super::power::PowerDocument;
use super::replay::ReplayDocument;
use super::topology::ServerDocument;
use super::workload::WorkloadDocument;
use crate::RunReport;

/// The version of the JSON of a run. It grows when a field is renamed or removed, or changes its meaning.
pub const RUN_SCHEMA_VERSION: u32 = 1;

/// The unit of what is busy for a share of the time.
pub(crate) const BUSY: &str = "busy";

documents! {
    /// The result of one run of Bandgraph: what a storage server delivers under a workload, and what holds it
    /// back.
    ///
    /// All quantities are in SI base units: bytes, seconds, and their quotients. Shares are 0 to 1, never
    /// percent.
    #[schemars(title = "Bandgraph run result")]
    pub struct RunDocument(report: &RunReport) {
        let outcome = &report.outcome;

        /// Version of this format.
        pub schema: u32 = RUN_SCHEMA_VERSION,
        /// Version of the program that wrote this.
        pub bandgraph: String = crate::VERSION.to_owned(),
        /// Name of the scenario.
        pub scenario: String = report.scenario.clone(),
        /// Name of the topology.
        pub topology: String = report.topology.clone(),
        /// The scenario file, as it was named; null where there is none.
        #[serde(default)]
        pub file: Option<String> = report.file.clone(),
        /// The overrides of the command line, in order.
        #[serde(default)]
        pub overrides: Vec<String> = report.overrides.clone(),
        /// The software that the server runs.
        #[serde(default)]
        pub software: SoftwareDocument = report.software.clone(),
        /// Seed of all random streams.
        pub seed: u64 = report.seed,
        /// Hash of everything that went in: the files, the overrides, the seed. Equal hashes mean equal
        /// questions.
        pub input_hash: String = report.input_hash.clone(),
        /// How the result was found.
        pub mode: ModeDocument = match outcome.mode {
            Mode::Predict => ModeDocument::Predict,
            Mode::Simulate => ModeDocument::Simulate,
        },
        /// The rates of all workloads together.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&outcome.throughput),
        /// The rates of the cluster that the server is one of; left out where it is alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub cluster: Option<ClusterDocument> =
            (report.servers > 1).then(|| ClusterDocument::new(report.servers, &outcome.throughput)),
        /// The time of one operation, as its client sees it.
        pub latency: LatencyDocument = LatencyDocument::new(&outcome.latency, true),
        /// How long all jobs take, of workloads that have any, in seconds; null where none has.
        pub elapsed_s: Option<f64> = outcome.elapsed.map(Time::get),
        /// Between which values `elapsed_s` is with a probability of 90 %: low, high; left out where no
        /// figures were drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub elapsed_interval_s: Option<[f64; 2]> = report.elapsed_interval.map(|found| {
            let [low, high] = report.interval_factors(Metric::Elapsed);
            [found.low * low, found.high * high]
        }),
        /// Whether `bottleneck` and `next_bottleneck` are those of the predicted steady state, with its
        /// figures, since the simulation delivers something else.
        #[serde(default)]
        pub limits_of_steady_state: bool = report.explained.of_steady,
        /// What holds the server back.
        pub bottleneck: BottleneckDocument = BottleneckDocument::new(&report.explained.bottleneck),
        /// What would hold it back if the bottleneck had no limit; null where the bottleneck cannot be taken
        /// away.
        pub next_bottleneck: Option<NextBottleneckDocument> = report
            .explained
            .relief
            .as_ref()
            .map(NextBottleneckDocument::new),
        /// Every resource, in the order of the topology.
        pub resources: Vec<ResourceDocument> = outcome.resources.iter().map(ResourceDocument::new).collect(),
        /// What the server is made of; left out by versions before it was drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub server: Option<ServerDocument> = report.server.clone(),
        /// The way of each kind of operation through the server, step by step.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub paths: Vec<PathDocument> = report.paths.clone(),
        /// Every socket, in the order of the topology.
        pub sockets: Vec<SocketDocument> = outcome.sockets.iter().map(SocketDocument::new).collect(),
        /// What crossed each directed socket link, by what it was for.
        pub link_traffic: Vec<LinkTrafficDocument> =
            outcome.link_traffic.iter().map(|link| LinkTrafficDocument::new(link, outcome)).collect(),
        /// The share of each workload, in the order of the scenario.
        pub workloads: Vec<WorkloadDocument> =
            outcome.workloads.iter().map(WorkloadDocument::new).collect(),
        /// The scenario's measurements beside what was predicted.
        pub measured: Vec<MeasuredDocument> = report.measured.iter().map(MeasuredDocument::new).collect(),
        /// The scenario's expectations, and whether they hold.
        pub expect: Vec<ExpectDocument> = report.expect.iter().map(ExpectDocument::new).collect(),
        /// What the server draws; null where its topology has no chassis.
        pub power: Option<PowerDocument> =
            outcome.power.as_ref().map(|power| PowerDocument::new(power, &outcome.throughput)),
        /// What to know before relying on the result, in plain words; empty where there is nothing to say.
        pub warnings: Vec<String> = report.warnings.clone(),
        /// The trace that was replayed; null where none was.
        pub replay: Option<ReplayDocument> = report.replay.as_ref().map(ReplayDocument::new),
        /// How the simulation went; null for a prediction.
        pub simulated: Option<SimulatedDocument> = outcome.simulated.map(SimulatedDocument::new),
        /// The steady-state prediction of the same run, and how far the simulation is from it; null where the
        /// result itself is the prediction.
        pub prediction: Option<PredictionDocument> =
            report.prediction.as_ref().map(|prediction| PredictionDocument::new(prediction, report)),
        /// Between which values the true ones lie, from the ranges of all figures; a simulation has the
        /// relative interval of its prediction. Null where it was not asked for, or cannot be said.
        pub interval: Option<IntervalDocument> = report
            .uncertainty
            .as_ref()
            .map(|found| IntervalDocument::new(found, |metric| report.interval_factors(metric))),
        /// How much of each resource was used over the time of a simulation; there only if it was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub timeline: Option<TimelineDocument> = report.timeline.as_ref().map(|timeline| TimelineDocument {
            warm_up_s: report.outcome.simulated.as_ref().map_or(0.0, |run| run.warm_up.get()),
            stretches: timeline.stretches.iter().map(StretchDocument::new).collect(),
        }),
    }

    /// The software that a server runs.
    #[derive(Default, Eq)]
    pub struct SoftwareDocument(stack: &Stack, warning: Option<String>) {
        /// The name of its profile; `bandgraph stacks show NAME` has its figures.
        pub profile: String = stack.name.clone(),
        /// Whether the scenario names none, so that it is the usual one of its server.
        pub is_default: bool = stack.is_default,
        /// The software and the systems that the profile fits; empty where it does not say.
        pub fits: String = stack.fits.clone(),
        /// The first and the last year of software that it fits; null where it does not say.
        pub years: Option<[u32; 2]> = stack.years,
        /// That the processors are of other years, in words; null if they are not.
        pub warning: Option<String> = warning,
        /// Whether the profile comes with the program, and no published measurement checks predictions
        /// with it.
        #[serde(default)]
        pub unchecked: bool = profile(&stack.name).is_some() && !is_checked(&stack.name),
    }
}

/// How a result was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeDocument {
    /// The steady state, solved without events.
    #[default]
    Predict,
    /// Event by event.
    Simulate,
}

impl ModeDocument {
    /// The word in JSON and CSV.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Simulate => "simulate",
        }
    }

    /// The mode of a method.
    pub(crate) const fn of(method: Method) -> Self {
        match method {
            Method::Predict => Self::Predict,
            Method::Simulate => Self::Simulate,
        }
    }
}

documents! {
    /// Rates, averaged over the measured window.
    #[derive(Copy)]
    pub struct ThroughputDocument(throughput: &Throughput) {
        /// Completed operations per second.
        pub ops_per_s: f64 = throughput.operations.get(),
        /// File data moved for clients, in bytes per second, without any header.
        pub payload_bytes_per_s: f64 = throughput.payload.get(),
        /// Bytes per second at the server's network ports, received and sent, frame headers and checksums
        /// included, preamble and inter-frame gap not.
        pub network_bytes_per_s: f64 = throughput.network.get(),
        /// Bytes per second at the disks; 0 for cached workloads.
        pub disk_bytes_per_s: f64 = throughput.disk.get(),
    }

    /// The rates of all servers of a cluster together, each with the same load.
    #[derive(Copy)]
    pub struct ClusterDocument(servers: u32, throughput: &Throughput) {
        /// Number of servers.
        pub servers: u32 = servers,
        /// Completed operations per second.
        pub ops_per_s: f64 = f64::from(servers) * throughput.operations.get(),
        /// File data moved for clients, in bytes per second.
        pub payload_bytes_per_s: f64 = f64::from(servers) * throughput.payload.get(),
    }

    /// What holds the server back.
    pub struct BottleneckDocument(limit: &Limit) {
        /// Id of the fullest resource, or the kind where the limit is no resource.
        pub id: String = limit.id().to_owned(),
        /// The kind of that resource, `core` where one thread cannot use more than one core, `concurrency`
        /// where the clients have too few operations outstanding, or `offered` where all operations come at a
        /// rate that is served.
        pub kind: String = limit.kind.as_str().to_owned(),
        /// The technology of a link between sockets, of a port to disks or of a drive, such as
        /// `HyperTransport`, `NVMe` or `SSD`; left out of all other resources.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub technology: Option<String> = limit.technology().map(str::to_owned),
        /// Rate over the capacity that can be used in practice, 0 to 1; 0 where the limit is no resource.
        pub utilisation: f64 = limit.utilisation,
        /// What is full, how full, and why, in plain words.
        pub explanation: String = limit.explanation.clone(),
        /// Ids of all resources that are full together, the fullest first; empty where the limit is no
        /// resource.
        pub resources: Vec<String> = limit.ids(),
        /// The number of these resources, with those that they represent; left out where each is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub count: Option<u32> = represented(limit.count(), limit.resources.len()),
        /// Ids of resources of other kinds that are full at about the same rate: relief means these too. Left
        /// out where there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub together: Vec<String> = limit.together.iter().map(|resource| resource.id.clone()).collect(),
    }

    /// What would hold the server back next, and what it would deliver then.
    pub struct NextBottleneckDocument(relief: &Relief) {
        /// Id of the fullest resource, or the kind where the limit is no resource.
        pub id: String = relief.next.id().to_owned(),
        /// The kind, with the words of `bottleneck.kind`.
        pub kind: String = relief.next.kind.as_str().to_owned(),
        /// The technology, as `bottleneck.technology`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub technology: Option<String> = relief.next.technology().map(str::to_owned),
        /// The same after the relief, 0 to 1; 0 where the limit is no resource.
        pub utilisation: f64 = relief.next.utilisation,
        /// What is full, how full, and why, in plain words.
        pub explanation: String = relief.next.explanation.clone(),
        /// Ids of all resources that are full together, the fullest first; empty where the limit is no
        /// resource.
        pub resources: Vec<String> = relief.next.ids(),
        /// The number of these resources, with those that they represent; left out where each is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub count: Option<u32> = represented(relief.next.count(), relief.next.resources.len()),
        /// Operations per second after the relief over those before it, less one: 0.18 is 18 % more.
        pub throughput_gain: f64 = relief.throughput_gain,
        /// The rates after the relief.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&relief.throughput),
    }

    /// How much of one directed resource was used.
    pub struct ResourceDocument(resource: &ResourceUse) {
        // The rate of a disk is how busy it is, seeks included.
        let is_disk = resource.kind == ResourceKind::Disk;
        let (capacity, rate, unit) = if is_disk {
            (1.0, resource.utilisation(), BUSY)
        } else {
            (resource.capacity, resource.rate, resource.unit.as_str())
        };

        /// Id, such as `link.cpu0-cpu1`, `slot.s1.out`, `memory.cpu0`.
        pub id: String = resource.id.clone(),
        /// What kind of resource it is, such as `socket-link`, `pcie`, `memory`, `cpu`, `ethernet`.
        pub kind: String = resource.kind.as_str().to_owned(),
        /// The technology of a link between sockets, of a port to disks or of a drive, such as
        /// `HyperTransport`, `NVMe` or `SSD`; left out of all other resources.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub technology: Option<String> = resource.technology.clone(),
        /// Where its traffic comes from.
        pub from: String = resource.from.clone(),
        /// Where its traffic goes.
        pub to: String = resource.to.clone(),
        /// The number of equal resources that it represents, each with its capacity and rate: in predictions
        /// equal clients have those of the first. Left out where it is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub count: Option<u32> = represented(resource.count, 1),
        /// Raw capacity, in `unit`.
        pub capacity: f64,
        /// The unit of `capacity` and `rate`: `bytes/s`, `cycles/s`, `ops/s`, or of disks `busy`: the share
        /// of time in which they work, seeks included.
        pub unit: String = unit.to_owned(),
        /// Units used per second, averaged over the measured window. Of memory, a byte written counts for as
        /// many bytes read as its controller could move in that time; `sockets` has the bytes themselves.
        pub rate: f64,
        /// Rate over raw capacity, 0 to 1.
        pub utilisation: f64 = resource.utilisation(),
        /// The share of the raw capacity that can be used in practice, 0 to 1.
        pub ceiling: f64 = resource.ceiling,
        /// Rate over the capacity that can be used in practice, 0 to 1: 1 is full.
        pub saturation: f64 = resource.saturation(),
        /// Commands per second of a disk or an SSD; left out of all other resources.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub ops_per_s: Option<f64> = resource.device.map(|device| device.commands),
        /// Bytes per second of a disk or an SSD, both directions; left out of all other resources.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub bytes_per_s: Option<f64> = resource.device.map(|device| device.bytes),
    }

    /// What the cores of one socket did.
    pub struct SocketDocument(socket: &SocketUse) {
        /// Id of the socket.
        pub id: String = socket.id.clone(),
        /// Share of its cycles not idle, 0 to 1, stalled cycles included: what an operating system calls
        /// busy.
        pub busy: f64 = socket.busy,
        /// Share of its cycles spent waiting for memory, 0 to 1; part of `busy`.
        pub stalled: f64 = socket.stalled,
        /// Cycles per instruction.
        pub cpi: f64 = socket.cycles_per_instruction,
        /// The mean time that a core waits for a cache line under this load, in seconds.
        pub miss_latency_s: f64 = socket.miss_latency.get(),
        /// What its memory reads, in bytes per second.
        pub memory_read_bytes_per_s: f64 = socket.memory.reads,
        /// What its memory writes, in bytes per second.
        pub memory_written_bytes_per_s: f64 = socket.memory.writes,
    }

    /// What crossed one directed socket link.
    pub struct LinkTrafficDocument(link: &LinkTraffic, outcome: &Outcome) {
        let counted = link.by_cause.iter().map(|(_, rate)| rate.get()).sum();
        let resource = outcome.resources.iter().find(|resource| resource.id == link.id);
        let factor = resource.map_or(1.0, |resource| carried_over_counted(resource.rate, counted));

        /// Id of the link.
        pub id: String = link.id.clone(),
        /// Bytes per second for each cause; they add up to the link's rate.
        pub by_cause: Vec<CauseDocument> =
            link.by_cause.iter().map(|one| CauseDocument::new(one, factor)).collect(),
    }

    /// What a part of a link's traffic was for.
    pub struct CauseDocument(one: &(Cause, Bandwidth), factor: f64) {
        let (cause, rate) = one;

        /// The cause, such as `data`, `probe`, `response`, `dma_data`.
        pub cause: String = cause.as_str().to_owned(),
        /// Bytes per second for it.
        pub bytes_per_s: f64 = rate.get() * factor,
    }

    /// One measurement beside what was predicted for it.
    pub struct MeasuredDocument(comparison: &crate::Comparison) {
        /// Id of the measurement; for published ones, of its row in the list of measurements. Null without.
        pub id: Option<String> = comparison.id.clone(),
        /// What was measured. The name ends in its unit where it has one.
        pub metric: String = comparison.metric.clone(),
        /// The unit of `measured` and `predicted`; `1` for shares, ratios and plain numbers.
        #[serde(default)]
        pub unit: String = comparison.unit().to_owned(),
        /// The value measured, in that unit.
        pub measured: f64 = comparison.measured,
        /// The value measured, as its file writes it.
        #[serde(default)]
        pub text: String = comparison.text.clone(),
        /// The value predicted, in the same unit; null where this run has none.
        pub predicted: Option<f64> = comparison.predicted,
        /// (predicted - measured) / measured; null where there is no prediction or the measurement is 0.
        pub relative_error: Option<f64> = comparison.relative_error(),
        /// What kind of value was published, such as `average`, `peak`; null where that is unknown.
        pub statistic: Option<String> = comparison.statistic.clone(),
        /// Where the measurement comes from; null where that is not said.
        pub source: Option<String> = comparison.source.clone(),
        /// Whether some figure of the model was fitted to it; otherwise it is unseen.
        #[serde(default)]
        pub calibrated: bool = comparison.calibrated,
        /// The scenario file that the figure is a ratio to. Left out for others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub relative_to: Option<String> = comparison.relative_to.clone(),
    }

    /// One expectation, and whether it holds.
    pub struct ExpectDocument(verdict: &crate::Verdict) {
        /// What is expected of. The name ends in its unit where it has one.
        pub metric: String = verdict.metric.clone(),
        /// Whether the value lies within the bounds. A metric without a value does not.
        pub ok: bool = verdict.ok(),
        /// The value found, in the unit of the metric; null where this run has none.
        pub value: Option<f64> = verdict.value,
        /// The least value expected; null where there is no lower bound.
        pub min: Option<f64> = verdict.min,
        /// The greatest value expected; null where there is no upper bound.
        pub max: Option<f64> = verdict.max,
        /// How likely it must be that the true value is within the bounds; left out where only the value
        /// counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub probability: Option<f64> = verdict.probability.map(|(asked, _)| asked),
        /// How likely it is; left out as `probability`, and where no figures were drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub likelihood: Option<f64> = verdict.probability.and_then(|(_, found)| found),
    }

    /// What a simulation did to find its result.
    #[derive(Copy)]
    pub struct SimulatedDocument(run: SimulatedRun) {
        /// Simulated time before the measured window, in seconds.
        pub warm_up_s: f64 = run.warm_up.get(),
        /// Length of the measured window, in simulated seconds.
        pub measured_s: f64 = run.measured.get(),
        /// Operations completed inside the measured window.
        pub operations: u64 = run.operations,
        /// Events handled in all, warm-up included.
        pub events: u64 = run.events,
        /// How exact the figures are; null for the replay of a trace, and where the window is too short to
        /// say.
        #[serde(default)]
        pub precision: Option<PrecisionDocument> = run.precision.as_ref().map(PrecisionDocument::new),
    }

    /// How much of each resource was used over the time of a simulation, warm-up included.
    pub struct TimelineDocument {
        /// Where measuring began, in seconds; before it the run warms up.
        pub warm_up_s: f64,
        /// Stretches of about equal length, in the order of time.
        pub stretches: Vec<StretchDocument>,
    }

    /// How much of each resource was used in a stretch of simulated time.
    pub struct StretchDocument(stretch: &Stretch) {
        /// Where it begins, in seconds.
        pub start_s: f64 = stretch.start.get(),
        /// Where it ends, in seconds.
        pub end_s: f64 = stretch.end.get(),
        /// Rate over raw capacity, 0 to 1, of each of `resources` in their order.
        pub utilisation: Vec<f64> = stretch.utilisation.clone(),
    }

    /// The steady-state prediction beside a simulation.
    #[derive(Copy)]
    pub struct PredictionDocument(prediction: &Outcome, report: &RunReport) {
        /// The rates predicted.
        pub throughput: ThroughputDocument = ThroughputDocument::new(&prediction.throughput),
        /// The mean latency predicted, in seconds.
        pub latency_mean_s: f64 = prediction.latency.mean.get(),
        /// Operations per second simulated over those predicted, less one; null where none are predicted.
        pub throughput_difference: Option<f64> = report.throughput_difference(),
        /// Mean latency simulated over that predicted, less one; null where the prediction is 0.
        pub latency_difference: Option<f64> = report.latency_difference(),
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
            count: self.count,
            together: Vec::new(),
        }
    }
}

/// The number of resources with those that they represent, if there are more of these than of those.
pub(crate) fn represented(count: u32, ids: usize) -> Option<u32> {
    (count as usize > ids).then_some(count)
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
