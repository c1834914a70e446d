//! The JSON of what a server draws.

use bandgraph_model::{PowerUse, ServerPower};
use bandgraph_solve::Throughput;

documents! {
    /// What the server draws, as far as its parts say.
    pub struct PowerDocument(power: &ServerPower, throughput: &Throughput) {
        let by_kind = power.by_kind.iter().map(PowerKindDocument::new);

        /// Power in this run, at the wall, in watts.
        pub watts: f64 = power.drawn.get(),
        /// Power when idle, at the wall, in watts.
        pub idle_watts: f64 = power.idle.get(),
        /// Operations per second for every watt.
        pub ops_per_watt: Option<f64> = power.operations_per_watt(throughput.operations.get()),
        /// What the power supplies lose, in watts; part of `watts`.
        pub supply_loss_watts: f64 = power.supply_loss.get(),
        /// Components by kind, behind the power supplies.
        pub by_kind: Vec<PowerKindDocument> = by_kind.collect(),
    }

    /// What all components of one kind draw.
    pub struct PowerKindDocument(kind: &PowerUse) {
        /// The kind of part, such as `socket`, `memory`, `disk`.
        pub kind: String = kind.kind.as_str().to_owned(),
        /// How many there are: modules, for memory.
        pub count: u64 = kind.count,
        /// How many of them say nothing of their power, and count as nothing.
        pub unknown: u64 = kind.unknown,
        /// Power of them all in this run, in watts.
        pub watts: f64 = kind.drawn.get(),
        /// Power of them all when idle, in watts.
        pub idle_watts: f64 = kind.idle.get(),
    }
}
