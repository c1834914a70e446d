//! How far rates could grow before something that no model error changes holds them.

use bandgraph_model::Bound;
use bandgraph_scenario::Metric;
use bandgraph_solve::{SteadyState, Throughput};
use bandgraph_topology::ResourceKind;

/// Relative deviations below this are rounding.
pub(super) const NOTHING: f64 = 1e-6;

/// The factors by which all rates could grow, whatever the model misses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    /// Before a wire exceeds its signalling rate.
    pub(super) wires: f64,
    /// Before the clients do more than they ask for.
    pub(super) pace: f64,
}

impl Room {
    /// No limit.
    #[cfg(test)]
    pub(super) const INFINITE: Self = Self {
        wires: f64::INFINITY,
        pace: f64::INFINITY,
    };

    pub(super) fn in_state(bound: &Bound, steady: &SteadyState) -> Self {
        Self {
            wires: room_on_wires(bound, steady),
            pace: room_in_pace(bound, steady),
        }
    }

    /// The factor by which a metric could grow. The model may be wrong about the share of payload and about
    /// bytes per operation, but payload never exceeds the bytes on the wire. Infinite if it is no rate.
    pub(super) fn of(&self, metric: Metric, throughput: &Throughput) -> f64 {
        let on_wires = match metric {
            Metric::NetworkBytesPerSecond => self.wires,
            _ if throughput.payload.get() > 0.0 => {
                self.wires * (throughput.network.get() / throughput.payload.get()).max(1.0)
            }
            _ => f64::INFINITY,
        };
        if is_rate(metric) {
            on_wires.min(self.pace)
        } else {
            f64::INFINITY
        }
    }
}

/// Whether a metric is a rate of all operations.
pub(super) fn is_rate(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::OperationsPerSecond | Metric::PayloadBytesPerSecond | Metric::NetworkBytesPerSecond
    )
}

/// The factor by which all rates could grow before a network port exceeds its signalling rate, which no model
/// error can change.
fn room_on_wires(bound: &Bound, steady: &SteadyState) -> f64 {
    let resources = bound.resources.iter().zip(&steady.resource_rates);
    let of_wires = resources
        .filter(|(resource, _)| matches!(resource.kind, ResourceKind::Port | ResourceKind::Infiniband));
    let rooms = of_wires.map(|(resource, rate)| resource.capacity / rate);
    let rooms = rooms.filter(|room| *room >= 1.0 - NOTHING);
    rooms.fold(f64::INFINITY, f64::min).max(1.0)
}

/// The factor by which all rates could grow before the clients do more than they ask for: operations that
/// arrive, and those of threads that only pause. Infinite if a client asks as soon as it has its reply.
fn room_in_pace(bound: &Bound, steady: &SteadyState) -> f64 {
    let rooms = bound.threads.iter().map(|group| {
        let paced = group.offered().unwrap_or(group.population / group.think);
        paced / steady.served(group)
    });
    rooms.reduce(f64::max).unwrap_or(f64::INFINITY).max(1.0)
}
