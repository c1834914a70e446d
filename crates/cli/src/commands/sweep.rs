//! `bandgraph sweep`: a scenario at many points, on one machine or on many.

mod emit;
mod merge;
mod plan;
mod results;
mod row_file;
mod run;
mod shard_argument;
mod whole;

use std::path::{Path, PathBuf};

use bandgraph_diagnostics::Sources;
use bandgraph_scenario::{SweepFile, load_sweep_with, only_sweep_of};
use clap::{Args, Subcommand};

use crate::arguments::SetArguments;
use crate::complete;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Run a scenario at many points: a grid, a sample, on one machine or on many; with gates for CI
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
Examples:
  bandgraph sweep scenarios/sweeps/7410-io-size.toml
  bandgraph sweep scenarios/sweeps/7410-io-size.toml --resume \\
      --csv results.csv --junit junit.xml
  bandgraph sweep scenarios/sweeps/7410-io-size.toml --baseline old.csv \\
      --tolerance 2%

On many machines:
  bandgraph sweep run SWEEP.toml --shard 2/8 --journal journals/
  bandgraph sweep merge SWEEP.toml journals/*.jsonl --csv results.csv
  bandgraph sweep emit SWEEP.toml --engine slurm --shards 8 > job.sh

Exits with 1 where an expectation does not hold, or a result deviates from the baseline.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    step: Option<Box<Step>>,
    #[command(flatten)]
    whole: Box<whole::WholeArguments>,
}

#[derive(Debug, Subcommand)]
enum Step {
    Plan(plan::Arguments),
    Run(run::Arguments),
    Merge(merge::Arguments),
    Emit(emit::Arguments),
}

impl Arguments {
    /// Runs the whole sweep, or the step of it that was asked for.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        match self.step.as_deref() {
            None => self.whole.execute(terminal),
            Some(Step::Plan(arguments)) => arguments.execute(terminal),
            Some(Step::Run(arguments)) => arguments.execute(terminal),
            Some(Step::Merge(arguments)) => arguments.execute(terminal),
            Some(Step::Emit(arguments)) => arguments.execute(terminal),
        }
    }
}

/// The sweep that a command is about.
#[derive(Debug, Args)]
pub(crate) struct SweepArguments {
    /// The sweep file
    #[arg(value_name = "SWEEP", required = true, index = 1, add = complete::settings_files())]
    path: Option<PathBuf>,
    #[command(flatten)]
    sets: SetArguments,
    /// Seed of all random streams of every point; the same as --set run.seed=N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Draws of all uncertain figures for each point, for intervals of rates and latency: 100 suit most
    /// sweeps, and cost as much as 100 more predictions a point [default: what the file says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(20..=10_000))]
    draws: Option<u32>,
}

/// A sweep with the texts that it was read from.
pub(crate) struct LoadedSweep {
    pub(crate) sweep: SweepFile,
    pub(crate) sources: Sources,
}

impl SweepArguments {
    /// The overrides, with the seed as the last of them.
    pub(crate) fn sets(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        self.sets.as_slice().iter().cloned().chain(seed).collect()
    }

    /// The file as it was asked for, or else the sweep of the current folder, where it has one and no more.
    pub(crate) fn path(&self, terminal: Terminal) -> Result<PathBuf, Failure> {
        if let Some(path) = &self.path {
            return Ok(path.clone());
        }
        let path = only_sweep_of(terminal.files(), Path::new(".")).map_err(Failure::refused)?;
        terminal.note(&format!("{}, the only sweep of this folder\n", path.display()));
        Ok(path)
    }

    /// Reads the sweep, and notes what is doubtful about it.
    pub(crate) fn load(&self, terminal: Terminal) -> Result<LoadedSweep, Failure> {
        let path = self.path(terminal)?;
        let (mut sweep, sources) =
            terminal.read(|files, sources| load_sweep_with(files, &path, &self.sets(), sources))?;
        if let Some(draws) = self.draws {
            sweep.set_draws(draws);
        }
        terminal.warn(&sweep.warnings, &sources);
        Ok(LoadedSweep { sweep, sources })
    }
}
