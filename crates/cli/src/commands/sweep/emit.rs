//! `bandgraph sweep emit`: a job file for a scheduler.

use bandgraph_sweep::emit::{Engine, Job, job_file, job_name};
use clap::Args;

use super::SweepArguments;
use crate::arguments::{OutputArguments, one_of};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Write the job file that runs a sweep on many machines, for a scheduler
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph sweep emit SWEEP.toml --engine slurm --shards 8 > job.sh")]
pub(super) struct Arguments {
    #[command(flatten)]
    sweep: SweepArguments,
    /// The scheduler
    #[arg(long, value_name = "ENGINE", value_parser = one_of(Engine::ALL))]
    engine: Engine,
    /// How many shards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    shards: u64,
    /// The folder of the journals, which all machines share
    #[arg(long, value_name = "DIR", default_value = "journals")]
    journals: String,
    /// The program, as the machines call it
    #[arg(long, value_name = "PATH", default_value = "bandgraph")]
    program: String,
    /// The image with the program and the files, for Kubernetes
    #[arg(long, value_name = "IMAGE", default_value = "bandgraph:latest")]
    image: String,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Checks the sweep, and writes the job file.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        // A mistake in the sweep is to show here, and not on a thousand machines.
        self.sweep.load(terminal)?;
        let path = &self.sweep.path(terminal)?;
        let job = Job {
            sweep: path.to_string_lossy().into_owned(),
            sets: self.sweep.sets(),
            draws: self.sweep.draws,
            name: job_name(path),
            shards: self.shards,
            journals: self.journals.trim_end_matches('/').to_owned(),
            program: self.program.clone(),
            image: self.image.clone(),
        };
        let text = job_file(self.engine, &job).map_err(|error| Failure::usage(error.to_string()))?;
        self.output.write(&text)?;
        Ok(Exit::Fine)
    }
}
