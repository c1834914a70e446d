//! `bandgraph trace fit`.

use std::path::{Component, Path, PathBuf};

use bandgraph_diagnostics::Diagnostic;
use bandgraph_report::trace_fit_text;
use bandgraph_scenario::{Loaded, fitted_file};
use bandgraph_simulate::{ReplayError, ReplaySettings, Timing, simulate};
use bandgraph_solve::{SteadyState, bind, explain};
use bandgraph_study::{FitError, fit_trace};
use bandgraph_units::Time;
use bandgraph_workload::Schedule;
use clap::Args;

use super::source::SourceArguments;
use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::terminal::Terminal;

/// Operations of the synthetic load that are simulated, about, where the trace has more.
const OPERATIONS: f64 = 500_000.0;

/// Make a scenario file with a synthetic load that represents a trace, and compare it with a replay
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph trace fit monday.txt.gz --scenario scenarios/7410-istanbul-disk-read.toml --output scenarios/monday.toml

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
        self.check(&loaded)?;
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
        let summary = &replayed.summary;
        let mut scenario = match fit_trace(summary, &loaded.scenario) {
            Ok(scenario) => scenario,
            Err(FitError::Empty) => return Err(self.source.replay_failure(ReplayError::Empty)),
            Err(error @ FitError::NoSpan) => return Err(self.no_span(error)),
        };
        let part = (OPERATIONS / summary.operations as f64).min(1.0);
        let seconds = (summary.recorded_span.get() * part).max(1.0);
        scenario.run.duration = Time::new(seconds);
        scenario.run.keep_duration = false;
        let bound = bind(&scenario).map_err(|error| bad_input(error.id(), error.to_string()))?;
        let steady = SteadyState::solve(&bound)?;
        let found = simulate(&bound, &steady)?;
        let explained = explain(&bound, &steady, &found)?;
        drop(working);
        let mut workloads = replayed.outcome.workloads.iter().chain(&found.workloads);
        let saturated = workloads.any(|workload| workload.offered.is_some_and(|offered| offered.saturated));
        let saturated = if saturated {
            "More comes than is served: latencies are those of how long each ran, and do not compare.\n"
        } else {
            ""
        };
        let comment = format!(
            "A synthetic load for {} ({} operations in {}), on {}.\n\n{}{}",
            self.source.name(),
            summary.operations,
            summary.recorded_span,
            loaded.name,
            trace_fit_text((&replayed.outcome, &replayed.explained), (&found, &explained)),
            saturated,
        );
        terminal.note(&format!("{comment}\n"));
        let name = format!("{}: a load like that of {}", loaded.name, self.source.name());
        let include = self.include();
        let clients = scenario.clients.iter().zip(&loaded.scenario.clients);
        let clients = clients.filter(|(fitted, base)| fitted.count != base.count);
        let clients: Vec<_> = clients.map(|(fitted, _)| fitted.clone()).collect();
        self.output.write(&fitted_file(
            &comment,
            &include,
            &name,
            &scenario.workloads,
            &clients,
        ))?;
        Ok(Exit::Fine)
    }
}

impl Arguments {
    /// Refuses a scenario whose workload cannot be replaced by laying another over it.
    fn check(&self, loaded: &Loaded) -> Result<(), Failure> {
        let path = self.scenario.display();
        let message = match loaded.scenario.workloads.as_slice() {
            [_, _, ..] => format!("{path} has several workloads"),
            _ if loaded.trace.is_some() => format!("the workload of {path} is itself replayed from a trace"),
            [only] if only.schedule != Schedule::default() => {
                format!("the workload of {path} has a schedule")
            }
            _ => return Ok(()),
        };
        Err(Failure::usage(message)
            .help("a trace is fitted into a scenario with one workload all the time, whose place it takes"))
    }

    /// A trace whose operations all start at one time.
    fn no_span(&self, error: FitError) -> Failure {
        let diagnostic = Diagnostic::error("trace::no_span", format!("{}: {error}", self.source.name()))
            .help("fit a longer part of the trace, whose operations start at different times")
            .help("`bandgraph run --trace` replays it as it is");
        Failure::of(diagnostic)
    }

    /// The path of the scenario as seen from where the file will be.
    fn include(&self) -> String {
        let folder = self.output.path().and_then(Path::parent);
        let folder = folder.filter(|folder| *folder != Path::new(""));
        let seen = folder.and_then(|folder| seen_from(&self.scenario, folder));
        seen.unwrap_or_else(|| self.scenario.clone())
            .display()
            .to_string()
    }
}

/// A path as seen from a folder: up to what both have in common, and down again. `None` if one is not there.
fn seen_from(path: &Path, folder: &Path) -> Option<PathBuf> {
    let (path, folder) = (path.canonicalize().ok()?, folder.canonicalize().ok()?);
    let common = path
        .components()
        .zip(folder.components())
        .take_while(|(a, b)| a == b)
        .count();
    // On Windows, another drive has nothing in common.
    if common == 0 {
        return None;
    }
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    Some(up.chain(path.components().skip(common)).collect())
}

fn bad_input(id: &'static str, message: String) -> Failure {
    Failure::of(Diagnostic::error(id, message))
}
