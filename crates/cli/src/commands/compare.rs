//! `bandgraph compare`.

use std::path::PathBuf;

use bandgraph_report::{CompareGate, compare, compare_view};
use clap::Args;

use super::plot::read_result;
use crate::arguments::ResultArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Compare two results of a command: changed inputs and changed answers
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph run scenarios/7410-barcelona/cached-read.toml --format json \\
      --output before.json
  bandgraph run scenarios/7410-barcelona/cached-read.toml \\
      --set 'link.*.part=ht3-x16' --format json --output after.json
  bandgraph compare before.json after.json
  bandgraph compare before.json after.json --gate network_bytes_per_s=2% \\
      --gate '*.cpi=5%' --format markdown
  bandgraph compare before.json after.json --gate payload_bytes_per_s=-5%

Exits with 1 where a gate does not hold, or saw no figure.")]
pub(crate) struct Arguments {
    /// A result of `run`, `whatif`, `ladder`, `place`, `sweep`, `validate`, `figures` or `calibrate` as
    /// JSON; - reads it from stdin
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// Another result of the same command
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// How far figures may change, relative to the first result; repeatable. METRIC is a figure of the whole,
    /// SUBJECT.METRIC one of a resource, socket or workload, *.METRIC one of everything. With a sign, changes
    /// in one direction only: -5% lets a figure fall by up to 5 % and rise without limit, +5% the reverse
    #[arg(long = "gate", value_name = "FIGURE=SHARE", value_parser = str::parse::<CompareGate>)]
    gates: Vec<CompareGate>,
    #[command(flatten)]
    result: ResultArguments,
}

impl Arguments {
    /// Compares the results and writes what changed.
    pub(crate) fn execute(&self, _terminal: Terminal) -> Result<Exit, Failure> {
        let read =
            |path| read_result(path).map_err(|reason| refused(format!("{}: {reason}", path.display())));
        let (before, after) = (read(&self.before)?, read(&self.after)?);
        let name = |path: &PathBuf| path.display().to_string();
        let compared = compare(
            (&name(&self.before), &before),
            (&name(&self.after), &after),
            &self.gates,
        )
        .map_err(|error| refused(error.to_string()))?;
        self.result.write(&compared, &compare_view(&compared))?;
        Ok(Exit::of_gates(compared.holds()))
    }
}

fn refused(message: String) -> Failure {
    Failure::usage(message).help("give two results of one command, each written with `--format json`")
}
