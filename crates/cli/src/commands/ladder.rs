//! `bandgraph ladder`.

use bandgraph_report::{LadderDocument, LadderReport, draw_ladder, ladder_view};
use bandgraph_study::{Climb, Rung, climb, marginal_gains};
use clap::Args;

use crate::arguments::{GAIN_DRAWS, ResultArguments, ScenarioArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::terminal::Terminal;

/// Show the chain of limits: the bottleneck, what limits once that is relieved, and so on, with the gain of
/// each step
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph ladder scenarios/7410-barcelona/cached-read.toml
  bandgraph ladder scenarios/7410-barcelona/cached-read.toml --unlimited")]
pub(crate) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// Make each limit as fast as it would need to be, whether or not the catalogue has such a part
    #[arg(long)]
    unlimited: bool,
    /// Leave out the intervals of gains: no draws of uncertain figures
    #[arg(long)]
    no_interval: bool,
    #[command(flatten)]
    result: ResultArguments,
}

impl Arguments {
    /// Climbs the ladder and writes it.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let loaded = self.scenario.load(&[], terminal)?;
        let how = if self.unlimited {
            Climb::Unlimited
        } else {
            Climb::Catalogue
        };
        let draws = if self.no_interval { 0 } else { GAIN_DRAWS };
        let working = Bar::of_work(terminal, "finding the chain of limits");
        let seen = |rungs: &[Rung]| {
            if let Some(last) = rungs.last() {
                working.step(&format!("limit {} is {}", rungs.len(), last.limit.id()));
            }
        };
        let (ladder, gains) = rayon::join(
            || climb(&loaded.scenario, how, draws, &seen),
            || marginal_gains(&loaded.bound),
        );
        drop(working);
        let mut report = LadderReport::new(&loaded, ladder?, gains?);
        let of_files = self.result.warnings_of_files(&loaded.warnings);
        report.warnings.extend(of_files);
        let document = LadderDocument::new(&report);
        let mut view = ladder_view(&document);
        draw_ladder(&mut view, &report);
        view.files(loaded.files);
        self.result.write(&document, &view)?;
        Ok(Exit::Fine)
    }
}
