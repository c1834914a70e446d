//! What studies found, gathered for their documents.

use bandgraph_scenario::Loaded;
use bandgraph_study::{Ladder, MarginalGains, WhatIfAnswers};

use crate::json::{ServerDocument, SoftwareDocument};
use crate::warnings::warnings;

/// A what-if with its answers.
#[derive(Clone, Debug)]
pub struct WhatIfReport {
    /// The base, the variants, and where they differ.
    pub answers: WhatIfAnswers,
    /// Warnings about files.
    pub warnings: Vec<String>,
}

/// A ladder of limits with the marginal gains at its foot.
#[derive(Clone, Debug)]
pub struct LadderReport {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the topology.
    pub topology: String,
    /// What the server is made of.
    pub server: ServerDocument,
    /// The scenario file, as it was named.
    pub file: Option<String>,
    /// Seed of all random streams.
    pub seed: u64,
    /// The overrides of the command line, in order.
    pub overrides: Vec<String>,
    /// The software that the server runs.
    pub software: SoftwareDocument,
    /// Hash of everything that went in.
    pub input_hash: String,
    /// What to know before relying on the first rung.
    pub warnings: Vec<String>,
    /// The ladder.
    pub ladder: Ladder,
    /// What a little more of each resource would bring, before anything is relieved.
    pub gains: MarginalGains,
}

impl WhatIfReport {
    /// Name of the scenario that is the base.
    pub fn scenario(&self) -> &str {
        &self.answers.base.question.scenario.name
    }
}

impl LadderReport {
    /// Gathers the ladder of `loaded`.
    pub fn new(loaded: &Loaded, ladder: Ladder, gains: MarginalGains) -> Self {
        Self {
            scenario: loaded.name.clone(),
            topology: loaded.scenario.topology.name().to_owned(),
            server: ServerDocument::new(&loaded.scenario.topology),
            file: Some(loaded.path.display().to_string()),
            seed: loaded.scenario.run.seed,
            overrides: loaded.overrides.clone(),
            software: SoftwareDocument::of(&loaded.scenario),
            input_hash: loaded.input_hash.clone(),
            warnings: warnings(&loaded.scenario, &ladder.first, None).0,
            ladder,
            gains,
        }
    }
}
