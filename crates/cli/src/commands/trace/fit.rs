//! `bandgraph trace fit`.

use std::path::PathBuf;

use bandgraph_diagnostics::Diagnostic;
use bandgraph_report::trace_fit_comment;
use bandgraph_scenario::{fitted_file, seen_from};
use bandgraph_simulate::{ReplayError, ReplaySettings, Timing};
use bandgraph_study::{FitError, check_fit, fit_trace, simulate_fit};
use clap::Args;

use super::source::SourceArguments;
use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::terminal::Terminal;

/// Make a scenario file with a synthetic load that represents a trace, and compare it with a replay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph trace fit monday.txt.gz \\
      --scenario scenarios/7410-istanbul/disk-read.toml \\
      --output scenarios/monday.toml

The scenario must have one workload, whose place the synthetic ones take; the file written includes it.")]
pub(super) struct Arguments {
    #[command(flatten)]
    source: SourceArguments,
    /// The server and the clients
    #[arg(long, value_name = "SCENARIO")]
    scenario: PathBuf,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Replays the trace, fits a load to it, simulates that too, and writes the file.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let loaded = terminal.scenario(&self.scenario, &[])?;
        check_fit(&loaded).map_err(Failure::refused)?;
        let mut records = self.source.records(terminal, "replaying")?;
        let settings = ReplaySettings {
            workload: 0,
            timing: Timing::AsRecorded,
            speed: 1.0,
        };
        let replayed = bandgraph_simulate::replay(&loaded.scenario, &settings, &mut records);
        records.check()?;
        let replayed = replayed.map_err(|error| self.source.replay_failure(error))?;
        drop(records);
        let working = Bar::of_work(terminal, "simulating");
        let mut fitted = match fit_trace(&replayed.summary, &loaded.scenario) {
            Ok(fitted) => fitted,
            Err(FitError::Empty) => return Err(self.source.replay_failure(ReplayError::Empty)),
            Err(error @ FitError::NoSpan) => return Err(self.no_span(error)),
        };
        let found = simulate_fit(&mut fitted, &replayed.summary)?;
        drop(working);
        let trace = self.source.name();
        let comment = trace_fit_comment(&trace, &loaded.name, &replayed, &found);
        terminal.note(&format!("{comment}\n"));
        let name = format!("{}: a load like that of {trace}", loaded.name);
        let include = seen_from(&self.scenario, self.output.path());
        let groups = fitted.clients.iter().zip(&loaded.scenario.clients);
        let changed = groups.filter(|(fitted, base)| fitted.count != base.count);
        let clients: Vec<_> = changed.map(|(group, _)| group.clone()).collect();
        let text = fitted_file(&comment, &include, &name, &fitted.workloads, &clients);
        self.output.write(&text)?;
        Ok(Exit::Fine)
    }

    /// A trace whose operations all start at one time.
    fn no_span(&self, error: FitError) -> Failure {
        let diagnostic = Diagnostic::error("trace::no_span", format!("{}: {error}", self.source.name()))
            .help("fit a longer part of the trace, whose operations start at different times")
            .help("`bandgraph run --trace` replays it as it is");
        Failure::of(diagnostic)
    }
}
