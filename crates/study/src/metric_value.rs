//! The value of a metric in an outcome.

use bandgraph_scenario::{Measured, Metric};
use bandgraph_solve::{Outcome, Percentiles, SocketUse};
use bandgraph_topology::Role;
use bandgraph_units::Time;

/// The value of `metric` in `outcome`, in the base unit of its kind; `None` if the outcome does not have it,
/// such as a percentile of a prediction.
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
        // Non-idle cycles over the instructions completed in them.
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
        // These metrics belong to single resources.
        Metric::Utilisation | Metric::BytesPerSecond | Metric::MissLatency => None,
    }
}

/// The value of a measured metric in `outcome`, in its base unit. `None` if the outcome does not have it, and
/// for a measurement relative to another scenario, which needs two outcomes.
pub fn measured_value(measured: &Measured, outcome: &Outcome) -> Option<f64> {
    if measured.relative_to.is_some() {
        return None;
    }
    figure(measured, outcome)
}

/// [`measured_value`] of a single outcome, without the base scenario.
pub(crate) fn figure(measured: &Measured, outcome: &Outcome) -> Option<f64> {
    let Some(id) = &measured.resource else {
        return metric_value(measured.metric, outcome);
    };
    let resource = outcome.resources.iter().find(|resource| resource.id == *id)?;
    match measured.metric {
        Metric::MissLatency => match resource.role {
            // Zero if its cores have no cache misses.
            Role::Cpu { socket } => {
                Some(outcome.sockets[socket].miss_latency.get()).filter(|latency| *latency > 0.0)
            }
            _ => None,
        },
        Metric::Utilisation => Some(resource.utilisation()),
        // The bytes on the channels. The utilisation of a controller weights a written byte more than a read
        // one.
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

/// A ratio over all sockets: sum of `numerator` over sum of `denominator`, both per cycle of a socket and
/// weighted by the socket's cycles per second.
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
