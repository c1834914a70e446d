//! `bandgraph run` where a workload is replayed from a trace.

use std::path::PathBuf;

use bandgraph_import::trace::Format;
use bandgraph_report::{ReplayReport, RunReport};
use bandgraph_scenario::{Loaded, TraceFile};
use bandgraph_simulate::{ReplayError, ReplaySettings, TIMINGS, Timing};
use bandgraph_solve::Effort;
use clap::Args;

use crate::arguments::one_of;
use crate::commands::trace::source::SourceArguments;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// How a trace is replayed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Replay")]
pub(super) struct ReplayArguments {
    /// Replay a trace as one of the workloads of the scenario; - for stdin
    #[arg(long, value_name = "TRACE")]
    trace: Option<PathBuf>,
    /// The workload that the trace replaces [default: the first]
    #[arg(long, value_name = "ID")]
    trace_workload: Option<String>,
    /// The format of the trace, if its beginning does not show it
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Format::CHOICES))]
    trace_format: Option<Format>,
    /// Stop at the first malformed line of the trace, instead of skipping and counting it
    #[arg(long)]
    strict: bool,
    /// When operations arrive [default: as-recorded]
    #[arg(long, value_name = "TIMING", value_parser = one_of(TIMINGS))]
    timing: Option<Timing>,
    /// Factor by which operations arrive faster than recorded [default: 1]
    #[arg(long, value_name = "FACTOR")]
    speed: Option<f64>,
}

impl ReplayArguments {
    /// The trace that is to be replayed: that of the command line, or that of the scenario.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] for a workload that is not there, and a speed that cannot be.
    pub(super) fn trace(&self, loaded: &Loaded) -> Result<Option<TraceFile>, Failure> {
        let mut trace = loaded.trace.clone();
        if let Some(path) = &self.trace {
            trace = Some(TraceFile {
                path: path.clone(),
                settings: trace.map_or(
                    ReplaySettings {
                        workload: 0,
                        timing: Timing::AsRecorded,
                        speed: 1.0,
                    },
                    |trace| trace.settings,
                ),
            });
        }
        let Some(trace) = &mut trace else {
            return Ok(None);
        };
        if let Some(id) = &self.trace_workload {
            let workloads = &loaded.scenario.workloads;
            trace.settings.workload = workloads
                .iter()
                .position(|workload| workload.id == *id)
                .ok_or_else(|| {
                    Failure::usage(format!("the scenario has no workload `{id}`")).help_if(
                        bandgraph_diagnostics::did_you_mean(
                            id,
                            workloads.iter().map(|workload| workload.id.as_str()),
                        ),
                    )
                })?;
        }
        if let Some(timing) = self.timing {
            trace.settings.timing = timing;
        }
        if let Some(speed) = self.speed {
            trace.settings.speed = speed;
        }
        let speed = trace.settings.speed;
        if !(speed.is_finite() && speed > 0.0) {
            return Err(
                Failure::usage(format!("a trace cannot be replayed {speed} times as fast"))
                    .help("1 is as fast as it was recorded, 2 is twice as fast"),
            );
        }
        Ok(Some(trace.clone()))
    }
}

/// Replays a trace.
pub(super) fn replay(
    loaded: &Loaded,
    trace: &TraceFile,
    arguments: &ReplayArguments,
    terminal: Terminal,
) -> Result<RunReport, Failure> {
    let source = SourceArguments::new(trace.path.clone(), arguments.trace_format, arguments.strict);
    let stops = loaded.scenario.workloads[trace.settings.workload].schedule.stop;
    if stops.is_none()
        && let Some(operations) = source.estimated_records()?
    {
        if operations > Effort::MOST_OPERATIONS {
            return Err(source.replay_failure(ReplayError::TooManyOperations { operations }));
        }
        if operations > Effort::LONG {
            terminal.note(&format!(
                "about {operations:.1e} operations of the trace will be replayed; a `stop` of the workload \
                 replays the beginning alone\n"
            ));
        }
    }
    let mut records = source.records(terminal, "replaying")?;
    let replayed = bandgraph_simulate::replay(&loaded.scenario, &trace.settings, &mut records);
    records.check()?;
    let replayed = replayed.map_err(|error| source.replay_failure(error))?;
    let mut report = RunReport::new(
        loaded,
        replayed.outcome,
        replayed.explained,
        Some(replayed.prediction),
    );
    if arguments.trace.is_some() {
        // Those of the scenario are about the load that the trace took the place of.
        report.measured.clear();
        report.expect.clear();
    }
    report.replay = Some(ReplayReport {
        name: source.name(),
        format: records.reader.format(),
        workload: loaded.scenario.workloads[trace.settings.workload].id.clone(),
        summary: replayed.summary,
        skipped: records.reader.skipped().clone(),
    });
    Ok(report)
}
