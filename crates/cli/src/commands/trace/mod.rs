//! `bandgraph trace`: recorded workloads, looked at, made and converted.

mod convert;
mod fit;
mod generate;
pub(crate) mod source;
mod stat;

use clap::{Args, Subcommand};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Summarise, generate, convert and fit traces: nfsdump, fio, MSR Cambridge, blkparse; plain or compressed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph trace stat monday.txt.gz
  blkparse -i sda | bandgraph trace stat -
  bandgraph trace generate --operations 1000000 --seed 7 \\
      --trace-format nfsdump > made.txt
  bandgraph trace convert usr_0.csv --to iolog3 > usr_0.log")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Subcommand)]
enum Step {
    Stat(stat::Arguments),
    Generate(Box<generate::Arguments>),
    Convert(convert::Arguments),
    Fit(fit::Arguments),
}

impl Arguments {
    /// Does what was asked for.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        match &self.step {
            Step::Stat(arguments) => arguments.execute(terminal),
            Step::Generate(arguments) => arguments.execute(terminal),
            Step::Convert(arguments) => arguments.execute(terminal),
            Step::Fit(arguments) => arguments.execute(terminal),
        }
    }
}
