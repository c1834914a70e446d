//! The JSON of what a server draws.

use bandgraph_model::ServerPower;
use bandgraph_solve::Throughput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the server draws, as far as its parts say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PowerDocument {
    /// Power in this run, at the wall, in watts.
    pub watts: f64,
    /// Power when idle, at the wall, in watts.
    pub idle_watts: f64,
    /// Operations per second for every watt.
    pub ops_per_watt: Option<f64>,
    /// What the power supplies lose, in watts; part of `watts`.
    pub supply_loss_watts: f64,
    /// Components by kind, behind the power supplies.
    pub by_kind: Vec<PowerKindDocument>,
}

/// What all components of one kind draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PowerKindDocument {
    /// The kind of part, such as `socket`, `memory`, `disk`.
    pub kind: String,
    /// How many there are: modules, for memory.
    pub count: u64,
    /// How many of them say nothing of their power, and count as nothing.
    pub unknown: u64,
    /// Power of them all in this run, in watts.
    pub watts: f64,
    /// Power of them all when idle, in watts.
    pub idle_watts: f64,
}

impl PowerDocument {
    pub(super) fn new(power: &ServerPower, throughput: &Throughput) -> Self {
        let by_kind = power.by_kind.iter().map(|kind| PowerKindDocument {
            kind: kind.kind.as_str().to_owned(),
            count: kind.count,
            unknown: kind.unknown,
            watts: kind.drawn.get(),
            idle_watts: kind.idle.get(),
        });
        Self {
            watts: power.drawn.get(),
            idle_watts: power.idle.get(),
            ops_per_watt: power.operations_per_watt(throughput.operations.get()),
            supply_loss_watts: power.supply_loss.get(),
            by_kind: by_kind.collect(),
        }
    }
}
