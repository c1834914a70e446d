//! `bandgraph run`.

mod replay;

use bandgraph_model::Bound;
use bandgraph_report::{RunDocument, RunReport, run_view};
use bandgraph_scenario::Loaded;
use bandgraph_simulate::{Progress, Timeline, effort_of, simulate_with_progress, simulate_with_timeline};
use bandgraph_solve::{Effort, Outcome, SteadyState, bind, explain_beside};
use bandgraph_study::{StudyError, elapsed_interval, uncertainty, usual_draws};
use bandgraph_units::significant;
use clap::Args;

use crate::arguments::{ResultArguments, ResultFormat, ScenarioArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::{Bar, SHARE};
use crate::terminal::Terminal;
use replay::{ReplayArguments, replay};

/// Run a scenario: what the server delivers, what limits it, and what would limit it next
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph run scenarios/7410-barcelona/cached-read.toml
  bandgraph run scenarios/7410-barcelona/cached-read.toml \\
      --set link.cpu0-cpu1.part=ht3-x16
  bandgraph run scenarios/7410-istanbul/cached-read.toml --predict \\
      --format json
  bandgraph run --from dmidecode.txt lspci.txt --workload read-1m --predict
  zcat monday.txt.gz \\
      | bandgraph run scenarios/7410-istanbul/disk-read.toml --trace - \\
      --speed 2
  bandgraph run scenarios/7410-istanbul/cached-read.toml --timeline \\
      --format json | bandgraph plot - > use.svg

Exits with 1 where an [[expect]] of the scenario does not hold.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Find the steady state only, without simulating events and without percentiles of latency
    #[arg(long)]
    predict: bool,
    /// Seed of all random streams; the same as --set run.seed=N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: Option<u64>,
    /// Also record how much of each resource is used in each of N parts of the run, in JSON, for `bandgraph
    /// plot`
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "100", conflicts_with = "predict")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=400))]
    timeline: Option<u32>,
    /// Also show how many operations took how long, of all workloads together and of each; JSON always has
    /// this, in finer steps
    #[arg(long, conflicts_with = "predict")]
    histogram: bool,
    /// Leave out the intervals: no draws of uncertain figures
    #[arg(long)]
    no_interval: bool,
    #[command(flatten)]
    replay: ReplayArguments,
    #[command(flatten)]
    result: ResultArguments,
}

impl Arguments {
    /// Runs the scenario and writes the report.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let seed = self.seed.map(|seed| format!("run.seed={seed}"));
        let loaded = self.scenario.load(seed.as_slice(), terminal)?;
        let mut report = self.run(&loaded, terminal)?;
        let of_files = self.result.warnings_of_files(&loaded.warnings);
        report.warnings.extend(of_files);
        let document = RunDocument::new(&report);
        if self.timeline.is_some() && self.result.format != ResultFormat::Json {
            terminal
                .note("the timeline is in JSON only: add `--format json`, which `bandgraph plot` draws\n");
        }
        let mut view = run_view(&document, self.histogram);
        view.files(loaded.files);
        self.result.write(&document, &view)?;
        Ok(Exit::of_gates(report.expectations_hold()))
    }

    fn run(&self, loaded: &Loaded, terminal: Terminal) -> Result<RunReport, Failure> {
        if let Some(trace) = self.replay.trace(loaded)?.filter(|_| !self.predict) {
            if self.timeline.is_some() {
                return Err(
                    Failure::usage("the replay of a trace has no timeline").help("leave out `--timeline`")
                );
            }
            let mut report = replay(loaded, &trace, &self.replay, terminal)?;
            if !self.no_interval {
                report.has_no_interval("a trace is replayed once, with the figures as they are");
            }
            return Ok(report);
        }
        let of_simulation = (!self.predict).then(|| bind(&loaded.scenario)).transpose();
        let of_simulation = of_simulation.map_err(StudyError::from)?;
        let bound = of_simulation.as_ref().unwrap_or(&loaded.bound);
        let steady = SteadyState::solve(bound)?;
        let predicted = steady.prediction(bound)?;
        let (outcome, prediction, timeline) = if self.predict {
            (predicted, None, None)
        } else {
            announce(&effort_of(bound, &steady)?, terminal);
            let (outcome, timeline) = simulate(bound, &steady, self.timeline, terminal)?;
            (outcome, Some(predicted), timeline)
        };
        let explained = explain_beside(bound, &steady, &outcome, prediction.as_ref())?;
        let mut report = RunReport::new(loaded, outcome, explained, prediction);
        report.timeline = timeline;
        let asked = loaded.expect.iter().any(|row| row.probability.is_some());
        if self.no_interval {
            if !asked {
                return Ok(report);
            }
            terminal.note(
                "an expectation with a `probability` needs the intervals: `--no-interval` has no effect\n",
            );
        }
        if report.outcome.elapsed.is_some() {
            let _working = Bar::of_work(terminal, "varying uncertain figures");
            match elapsed_interval(&loaded.scenario, usual_draws(&loaded.bound)) {
                Some(found) => report.elapsed_interval = Some(found),
                None => report.has_no_interval("fewer than half of the draws of the figures have an answer"),
            }
        } else {
            let _working = Bar::of_work(terminal, "varying uncertain figures");
            match uncertainty(&loaded.scenario, usual_draws(&loaded.bound)) {
                Ok(found) => report.set_uncertainty(found, &loaded.expect),
                Err(reason) => report.has_no_interval(reason),
            }
        }
        Ok(report)
    }
}

/// Says that a run will take long.
fn announce(effort: &Effort, terminal: Terminal) {
    if effort.operations > Effort::LONG {
        terminal.note(&format!(
            "about {} million operations will be simulated; `--predict` gives the steady state at once, and \
             a shorter `run.duration` makes it less\n",
            significant(effort.operations / 1e6, 2)
        ));
    }
}

fn simulate(
    bound: &Bound,
    steady: &SteadyState,
    timeline: Option<u32>,
    terminal: Terminal,
) -> Result<(Outcome, Option<Timeline>), Failure> {
    let bar = Bar::new(terminal, "simulating", SHARE);
    let mut show = |progress: Progress| bar.show_share(progress.done / progress.total);
    Ok(match timeline {
        None => (simulate_with_progress(bound, steady, &mut show)?, None),
        Some(stretches) => {
            let (outcome, timeline) = simulate_with_timeline(bound, steady, stretches, &mut show)?;
            (outcome, Some(timeline))
        }
    })
}
