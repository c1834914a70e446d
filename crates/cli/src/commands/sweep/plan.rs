//! `bandgraph sweep plan`: the points of a sweep, before any of them is answered.

use bandgraph_report::sweep::{PlanRows, plan_text, write_plan};
use bandgraph_study::Design;
use clap::{Args, ValueEnum};

use super::row_file::RowFile;
use super::shard_argument::shard;
use super::{LoadedSweep, SweepArguments};
use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Show the points of a sweep with the hashes of their inputs, without running them
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph sweep plan SWEEP.toml --format csv > points.csv")]
pub(super) struct Arguments {
    #[command(flatten)]
    sweep: SweepArguments,
    /// Only the points of one shard, as `sweep run` takes it
    #[arg(long, value_name = "[I]/N")]
    shard: Option<String>,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// For people: how many points there are, and the first of them
    #[default]
    Text,
    /// All points
    Csv,
    /// All points as JSON lines
    #[value(alias = "jsonl")]
    Json,
}

impl Arguments {
    /// Writes the plan.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let shard = shard(self.shard.as_deref())?;
        let LoadedSweep { sweep, sources } = self.sweep.load(terminal)?;
        let design = Design::new(&sweep);
        let rows = match self.format {
            Format::Text => {
                self.output.write(&plan_text(&design, &sources, shard))?;
                return Ok(Exit::Fine);
            }
            Format::Csv => PlanRows::Csv,
            Format::Json => PlanRows::Json,
        };
        let mut file = RowFile::create(self.output.path())?;
        write_plan(&design, &sources, shard, rows, &mut file)?;
        file.finish().map(|()| Exit::Fine)
    }
}
