//! The effort of a simulation, estimated in advance.

use bandgraph_units::Time;

/// The estimated effort of a simulation, from the steady state of the same scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Simulated time, including the warm-up.
    pub simulated: Time,
    /// Operations in that time, with the longest waits for transaction groups.
    pub operations: f64,
    /// Operations in flight at the end, each of which takes memory.
    pub in_flight: f64,
}

impl Effort {
    /// Number of operations above which a run is announced as long.
    pub const LONG: f64 = 5e7;
    /// Maximum number of simulated operations: hours or days on one core.
    pub const MOST_OPERATIONS: f64 = 1e10;
    /// Maximum number of operations in flight, including those that wait in their clients. A simulation with
    /// more ends.
    pub const MOST_IN_FLIGHT: u32 = 10_000_000;
    /// Maximum bytes of memory per operation in flight: 50 on average, and more while a queue grows.
    pub const BYTES_IN_FLIGHT: f64 = 128.0;

    /// Maximum memory of the operations in flight, bytes.
    pub fn memory(&self) -> f64 {
        self.in_flight * Self::BYTES_IN_FLIGHT
    }
}
