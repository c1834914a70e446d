//! How much a simulation will have to do, before it begins.

use bandgraph_units::Time;

/// What a simulation will have to do, by the steady state of the same scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Simulated time, warm-up included.
    pub simulated: Time,
    /// Operations in that time.
    pub operations: f64,
    /// Operations in flight at its end, each of which takes memory.
    pub in_flight: f64,
}

impl Effort {
    /// Operations from which a run is worth a word before it begins: about a minute on one core.
    pub const LONG: f64 = 5e7;
    /// The most operations that are simulated: some hours on one core.
    pub const MOST_OPERATIONS: f64 = 1e10;
    /// The most operations in flight at a time, those that wait in their clients included. More end a
    /// simulation.
    pub const MOST_IN_FLIGHT: u32 = 10_000_000;
    /// Bytes of memory that an operation in flight takes at most: 50 on average, and more while a queue
    /// grows.
    pub const BYTES_IN_FLIGHT: f64 = 128.0;

    /// Memory that the operations in flight take at most, in bytes.
    pub fn memory(&self) -> f64 {
        self.in_flight * Self::BYTES_IN_FLIGHT
    }
}
