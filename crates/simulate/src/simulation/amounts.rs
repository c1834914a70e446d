//! How much work an operation is, relative to the mean of its class.

use bandgraph_engine::streams::{Exponentials, Streams};
use bandgraph_model::Bound;

/// The work of the operations in flight.
pub(super) struct Amounts {
    /// Coefficient of variation of what takes cores alone; 0 where the mean is taken for all.
    variation: f64,
    stream: Exponentials,
    /// By the driver's tag.
    of: Vec<f64>,
}

impl Amounts {
    /// Drawn as the software of a scenario has it.
    pub(super) fn new(bound: &Bound) -> Self {
        Self {
            variation: bound.work_variation,
            stream: Exponentials::new(Streams::new(bound.run.seed).stream("work")),
            of: Vec::new(),
        }
    }

    /// The mean for all: what is known of the operations of a trace is their size.
    pub(super) fn fix(&mut self) {
        self.variation = 0.0;
    }

    /// How much operations vary that take a core for `seconds` while a link of their client lets at
    /// most a given number through a second: none where the link always takes longer.
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

    /// That of an operation in flight.
    pub(super) fn of(&self, tag: u64) -> f64 {
        self.of[tag as usize]
    }
}
