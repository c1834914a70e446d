//! `bandgraph trace fit`.

use std::path::{Path, PathBuf};

use bandgraph_diagnostics::{Diagnostic, Sources};
use bandgraph_report::trace_fit_text;
use bandgraph_scenario::{Loaded, fitted_file};
use bandgraph_simulate::{ReplayError, ReplaySettings, Timing, simulate};
use bandgraph_solve::{SteadyState, bind, explain};
use bandgraph_study::{FitError, fit_trace};
use bandgraph_units::Time;
use bandgraph_workload::Schedule;
use clap::Args;

use super::progress::TraceBar;
use super::source::SourceArguments;
use crate::arguments::OutputArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Operations of the synthetic load that are simulated, about, where the trace has more.
const OPERATIONS: f64 = 500_000.0;

/// Make a scenario file whose synthetic load stands for a trace, and say how far it is from replaying it
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
        let mut sources = Sources::new();
        let loaded = match bandgraph_scenario::load_with(terminal.files(), &self.scenario, &[], &mut sources)
        {
            Ok(loaded) => loaded,
            Err(diagnostics) => return Err(Failure::Input { diagnostics, sources }),
        };
        self.check(&loaded)?;
        let mut reader = self.source.open()?;
        let mut bar = TraceBar::of_bytes(terminal, "replaying", self.source.size());
        let mut error = None;
        let mut records = std::iter::from_fn(|| match reader.next()? {
            Ok(record) => {
                bar.record(|_| reader.bytes_read());
                Some(record)
            }
            Err(found) => {
                error = Some(found);
                None
            }
        });
        let settings = ReplaySettings {
            workload: 0,
            timing: Timing::AsRecorded,
            speed: 1.0,
        };
        let replayed = bandgraph_simulate::replay(&loaded.scenario, &settings, &mut records);
        if let Some(error) = error {
            return Err(self.source.failure(&error));
        }
        let replayed = replayed.map_err(|error| self.source.replay_failure(error))?;
        drop(bar);
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
        Err(Failure::Usage {
            message,
            help: Some(
                "a trace is fitted into a scenario with one workload all the time, whose place it takes"
                    .to_owned(),
            ),
        })
    }

    /// A trace whose operations all start at one time.
    fn no_span(&self, error: FitError) -> Failure {
        let diagnostic = Diagnostic::error("trace::no_span", format!("{}: {error}", self.source.name()))
            .help("fit a longer part of the trace, whose operations start at different times")
            .help("`bandgraph run --trace` replays it as it is");
        Failure::Input {
            diagnostics: vec![diagnostic],
            sources: Sources::new(),
        }
    }

    /// The path of the scenario as seen from where the file will be.
    fn include(&self) -> String {
        let folder = self.output.path().and_then(Path::parent);
        let seen = match folder {
            Some(folder) if folder != Path::new("") => match self.scenario.strip_prefix(folder) {
                Ok(below) => below.to_owned(),
                Err(_) => std::path::absolute(&self.scenario).unwrap_or_else(|_| self.scenario.clone()),
            },
            _ => self.scenario.clone(),
        };
        seen.display().to_string()
    }
}

fn bad_input(id: &'static str, message: String) -> Failure {
    Failure::Input {
        diagnostics: vec![Diagnostic::error(id, message)],
        sources: Sources::new(),
    }
}
