//! `bandgraph sweep merge`: the results of the journals of all shards.

use std::path::PathBuf;

use bandgraph_study::Design;
use bandgraph_sweep::Records;
use clap::Args;

use super::SweepArguments;
use super::results::ResultArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Merge the journals of shards into the results of the sweep, identical to those of one process
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph sweep merge SWEEP.toml journals/*.jsonl --csv results.csv")]
pub(super) struct Arguments {
    #[command(flatten)]
    sweep: SweepArguments,
    /// The journals, in any order
    #[arg(value_name = "JOURNAL", required = true, index = 2)]
    journals: Vec<PathBuf>,
    #[command(flatten)]
    results: ResultArguments,
}

impl Arguments {
    /// Merges the journals and writes the results.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let loaded = self.sweep.load(terminal)?;
        let baseline = self.results.prepare(&loaded.sweep)?;
        let design = Design::new(&loaded.sweep);
        let mut records = Records::open(&self.journals, &loaded.sources, &design)?;
        self.results.write(&design, &mut records, baseline, terminal)
    }
}
