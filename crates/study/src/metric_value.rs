//! What an outcome says about a metric.

use bandgraph_scenario::{Measured, Metric};
use bandgraph_solve::{Outcome, Percentiles, SocketUse};
use bandgraph_topology::Role;
use bandgraph_units::Time;

/// The value of `metric` in `outcome`, in the base unit of its kind; `None` where the outcome does not say,
/// as the percentiles of a prediction.
pub fn metric_value(metric: Metric, outcome: &Outcome) -> Option<f64> {
    let throughput = &outcome.throughput;
    let percentile = |of: fn(&Percentiles) -> Time| {
        outcome
            .latency
            .percentiles
            .as_ref()
            .map(|points| of(points).get())
    };
    match metric {
        Metric::NetworkBytesPerSecond => Some(throughput.network.get()),
        Metric::PayloadBytesPerSecond => Some(throughput.payload.get()),
        Metric::DiskBytesPerSecond => Some(throughput.disk.get()),
        Metric::OperationsPerSecond => Some(throughput.operations.get()),
        Metric::LatencyMean => Some(outcome.latency.mean.get()),
        Metric::LatencyP50 => percentile(|points| points.p50),
        Metric::LatencyP95 => percentile(|points| points.p95),
        Metric::LatencyP99 => percentile(|points| points.p99),
        Metric::LatencyMax => percentile(|points| points.max),
        Metric::CpuBusy => per_cycle(outcome, |socket| socket.busy, |_| 1.0),
        Metric::CpuStalled => per_cycle(outcome, |socket| socket.stalled, |_| 1.0),
        Metric::Elapsed => outcome.elapsed.map(Time::get),
        // Cycles that are not idle over the instructions done in them.
        Metric::CyclesPerInstruction => per_cycle(
            outcome,
            |socket| socket.busy,
            |socket| socket.busy / socket.cycles_per_instruction,
        ),
        Metric::Watts => outcome.power.as_ref().map(|power| power.drawn.get()),
        Metric::IdleWatts => outcome.power.as_ref().map(|power| power.idle.get()),
        Metric::OperationsPerWatt => outcome
            .power
            .as_ref()
            .and_then(|power| power.operations_per_watt(throughput.operations.get())),
        // Those are of one resource.
        Metric::Utilisation | Metric::BytesPerSecond | Metric::MissLatency => None,
    }
}

/// What `outcome` says about the figure that was measured, in its base unit. `None` where it does not say;
/// also for a figure relative to another scenario, which takes two outcomes.
pub fn measured_value(measured: &Measured, outcome: &Outcome) -> Option<f64> {
    if measured.relative_to.is_some() {
        return None;
    }
    figure(measured, outcome)
}

/// As [`measured_value`], of this outcome alone.
pub(crate) fn figure(measured: &Measured, outcome: &Outcome) -> Option<f64> {
    let Some(id) = &measured.resource else {
        return metric_value(measured.metric, outcome);
    };
    let resource = outcome.resources.iter().find(|resource| resource.id == *id)?;
    match measured.metric {
        Metric::MissLatency => match resource.role {
            // Zero where its cores miss no line.
            Role::Cpu { socket } => {
                Some(outcome.sockets[socket].miss_latency.get()).filter(|latency| *latency > 0.0)
            }
            _ => None,
        },
        Metric::Utilisation => Some(resource.utilisation()),
        // What crosses the channels: the use of a controller counts a byte written for more than one read.
        Metric::BytesPerSecond => Some(match resource.role {
            Role::Memory { socket } => {
                let memory = &outcome.sockets[socket].memory;
                memory.reads + memory.writes
            }
            _ => resource.rate,
        }),
        _ => None,
    }
}

/// A ratio over all sockets: the sum of `numerator` over the sum of `denominator`, each per cycle of a
/// socket. Sockets count by the cycles that they have, so that a slow one weighs less than a fast one.
fn per_cycle(
    outcome: &Outcome,
    numerator: impl Fn(&SocketUse) -> f64,
    denominator: impl Fn(&SocketUse) -> f64,
) -> Option<f64> {
    let mut over = 0.0;
    let mut under = 0.0;
    for (index, socket) in outcome.sockets.iter().enumerate() {
        let cycles = cycles_per_second(outcome, index)?;
        over += cycles * numerator(socket);
        under += cycles * denominator(socket);
    }
    let ratio = over / under;
    ratio.is_finite().then_some(ratio)
}

fn cycles_per_second(outcome: &Outcome, socket: usize) -> Option<f64> {
    let mut resources = outcome.resources.iter();
    let cores = resources.find(|resource| resource.role == Role::Cpu { socket })?;
    Some(cores.capacity)
}
