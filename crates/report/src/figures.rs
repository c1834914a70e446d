//! Every number of a run as one flat list, each with what it is of and its unit.

use bandgraph_solve::{Latency, Outcome, Throughput};
use bandgraph_units::QuantityKind;

use crate::RunReport;

/// One number of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is of: the id of a resource, socket, workload or kind of part; `run` for the whole.
    pub subject: String,
    /// What kind of thing that is: `run`, `prediction`, `next_bottleneck`, `workload`, `socket`, the kind of
    /// a resource, `power`, or `measured`.
    pub kind: &'static str,
    /// What the number says, with the names of the JSON.
    pub metric: String,
    /// The number, in `unit`.
    pub value: f64,
    /// Its unit; `1` for shares and ratios.
    pub unit: &'static str,
}

/// Every number of `report`: rates and latencies of the whole, of the prediction beside it, and of the
/// workloads; then resources, sockets and link traffic in the order of the topology; then measured against
/// predicted.
pub fn figures(report: &RunReport) -> Vec<Figure> {
    let mut list = List::default();
    let outcome = &report.outcome;
    list.throughput("run", "run", &outcome.throughput);
    list.latency("run", "run", &outcome.latency);
    if let Some(elapsed) = outcome.elapsed {
        list.add("run", "run", "elapsed_s", elapsed.get(), TIME);
    }
    if let Some(simulated) = &outcome.simulated {
        list.add("run", "run", "warm_up_s", simulated.warm_up.get(), TIME);
        list.add("run", "run", "measured_s", simulated.measured.get(), TIME);
        list.add("run", "run", "operations", simulated.operations as f64, "ops");
        list.add("run", "run", "events", simulated.events as f64, "events");
    }
    if let Some(prediction) = &report.prediction {
        list.throughput("prediction", "prediction", &prediction.throughput);
        list.latency("prediction", "prediction", &prediction.latency);
    }
    let bottleneck = &report.explained.bottleneck;
    list.add(
        bottleneck.id(),
        "bottleneck",
        "utilisation",
        bottleneck.utilisation,
        ONE,
    );
    if let Some(relief) = &report.explained.relief {
        let next = relief.next.id();
        list.add(
            next,
            "next_bottleneck",
            "utilisation",
            relief.next.utilisation,
            ONE,
        );
        list.add(
            next,
            "next_bottleneck",
            "throughput_gain",
            relief.throughput_gain,
            ONE,
        );
        list.throughput(next, "next_bottleneck", &relief.throughput);
    }
    for workload in &outcome.workloads {
        list.throughput(&workload.id, "workload", &workload.throughput);
        list.latency(&workload.id, "workload", &workload.latency);
        if let Some(elapsed) = workload.elapsed {
            list.add(&workload.id, "workload", "elapsed_s", elapsed.get(), TIME);
        }
        list.add(
            &workload.id,
            "workload",
            "outstanding",
            workload.outstanding,
            "ops",
        );
        if let Some(offered) = &workload.offered {
            for (metric, value, unit) in [
                ("offered_ops_per_s", offered.rate.get(), OPERATIONS),
                ("backlog", offered.backlog, "ops"),
                ("backlog_growth_per_s", offered.growth, OPERATIONS),
            ] {
                list.add(&workload.id, "workload", metric, value, unit);
            }
        }
    }
    list.hardware(outcome);
    for row in &report.measured {
        let subject = row.id.as_deref().unwrap_or("measured");
        let unit = row.unit();
        list.add(
            subject,
            "measured",
            &format!("{}.measured", row.metric),
            row.measured,
            unit,
        );
        if let Some(predicted) = row.predicted {
            list.add(
                subject,
                "measured",
                &format!("{}.predicted", row.metric),
                predicted,
                unit,
            );
        }
        if let Some(error) = row.relative_error() {
            list.add(
                subject,
                "measured",
                &format!("{}.relative_error", row.metric),
                error,
                ONE,
            );
        }
    }
    list.figures
}

const ONE: &str = "1";
const TIME: &str = QuantityKind::Time.base_unit();
const BANDWIDTH: &str = QuantityKind::Bandwidth.base_unit();
const POWER: &str = QuantityKind::Power.base_unit();
const OPERATIONS: &str = QuantityKind::OperationRate.base_unit();

/// A list of figures under construction.
#[derive(Default)]
struct List {
    figures: Vec<Figure>,
}

impl List {
    fn add(&mut self, subject: &str, kind: &'static str, metric: &str, value: f64, unit: &'static str) {
        self.figures.push(Figure {
            subject: subject.to_owned(),
            kind,
            metric: metric.to_owned(),
            value,
            unit,
        });
    }

    fn throughput(&mut self, subject: &str, kind: &'static str, throughput: &Throughput) {
        self.add(
            subject,
            kind,
            "ops_per_s",
            throughput.operations.get(),
            OPERATIONS,
        );
        self.add(
            subject,
            kind,
            "payload_bytes_per_s",
            throughput.payload.get(),
            BANDWIDTH,
        );
        self.add(
            subject,
            kind,
            "network_bytes_per_s",
            throughput.network.get(),
            BANDWIDTH,
        );
        self.add(
            subject,
            kind,
            "disk_bytes_per_s",
            throughput.disk.get(),
            BANDWIDTH,
        );
    }

    fn latency(&mut self, subject: &str, kind: &'static str, latency: &Latency) {
        self.add(subject, kind, "latency_mean_s", latency.mean.get(), TIME);
        if let Some(points) = &latency.percentiles {
            self.add(subject, kind, "latency_p50_s", points.p50.get(), TIME);
            self.add(subject, kind, "latency_p95_s", points.p95.get(), TIME);
            self.add(subject, kind, "latency_p99_s", points.p99.get(), TIME);
            self.add(subject, kind, "latency_max_s", points.max.get(), TIME);
        }
    }

    /// What resources, sockets and links did.
    fn hardware(&mut self, outcome: &Outcome) {
        for resource in &outcome.resources {
            let (id, kind, unit) = (&resource.id, resource.kind.as_str(), resource.unit.as_str());
            self.add(id, kind, "capacity", resource.capacity, unit);
            self.add(id, kind, "rate", resource.rate, unit);
            self.add(id, kind, "utilisation", resource.utilisation(), ONE);
            self.add(id, kind, "ceiling", resource.ceiling, ONE);
            self.add(id, kind, "saturation", resource.saturation(), ONE);
        }
        for socket in &outcome.sockets {
            self.add(&socket.id, "socket", "busy", socket.busy, ONE);
            self.add(&socket.id, "socket", "stalled", socket.stalled, ONE);
            self.add(
                &socket.id,
                "socket",
                "cpi",
                socket.cycles_per_instruction,
                "cycles",
            );
            self.add(
                &socket.id,
                "socket",
                "miss_latency_s",
                socket.miss_latency.get(),
                TIME,
            );
        }
        if let Some(power) = &outcome.power {
            self.add("run", "power", "watts", power.drawn.get(), POWER);
            self.add("run", "power", "idle_watts", power.idle.get(), POWER);
            for kind in &power.by_kind {
                self.add(kind.kind.as_str(), "power", "watts", kind.drawn.get(), POWER);
                self.add(kind.kind.as_str(), "power", "idle_watts", kind.idle.get(), POWER);
            }
        }
        for link in &outcome.link_traffic {
            for (cause, rate) in &link.by_cause {
                let metric = format!("{}_bytes_per_s", cause.as_str());
                self.add(&link.id, "link_traffic", &metric, rate.get(), BANDWIDTH);
            }
        }
    }
}
