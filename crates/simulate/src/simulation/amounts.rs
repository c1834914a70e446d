//! The work of an operation, relative to the mean of its class.

use bandgraph_engine::streams::{Exponentials, Streams};
use bandgraph_model::Bound;

/// The work of the operations in flight.
pub(super) struct Amounts {
    /// Coefficient of variation of an operation that uses cores only; 0 if all operations take the mean.
    variation: f64,
    stream: Exponentials,
    /// By the tag of the driver.
    of: Vec<f64>,
}

impl Amounts {
    /// Amounts drawn with the variation of the scenario's stack.
    pub(super) fn new(bound: &Bound) -> Self {
        Self {
            variation: bound.work_variation,
            stream: Exponentials::new(Streams::new(bound.run.seed).stream("work")),
            of: Vec::new(),
        }
    }

    /// Sets all amounts to the mean: the records of a trace have known sizes.
    pub(super) fn fix(&mut self) {
        self.variation = 0.0;
    }

    /// Coefficient of variation of an operation with `core_seconds` on a core whose client link passes at
    /// most `link_rate` operations/s; it falls in proportion if the link takes longer than the core.
    pub(super) fn variation(&self, core_seconds: f64, link_rate: f64) -> f64 {
        if core_seconds > 0.0 {
            self.variation * (core_seconds * link_rate).min(1.0)
        } else {
            0.0
        }
    }

    /// Draws the work of an operation.
    pub(super) fn draw(&mut self, tag: u64, variation: f64) -> f64 {
        let amount = if variation > 0.0 {
            self.stream.around_one(variation)
        } else {
            1.0
        };
        let number = tag as usize;
        if self.of.len() <= number {
            self.of.resize(number + 1, 1.0);
        }
        self.of[number] = amount;
        amount
    }

    /// The amount of an operation in flight.
    pub(super) fn of(&self, tag: u64) -> f64 {
        self.of[tag as usize]
    }
}
