//! `bandgraph figures`.

use bandgraph_report::{FiguresDocument, figures_csv, figures_view};
use bandgraph_study::uncertainty;
use clap::Args;

use crate::arguments::{ResultArguments, ScenarioArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::terminal::Terminal;

/// List the uncertain figures of a scenario: value, range, status and source, and how much the answer depends
/// on each
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph figures scenarios/7410-barcelona/cached-read.toml")]
pub(crate) struct Arguments {
    #[command(flatten)]
    scenario: ScenarioArguments,
    /// How many sets of figures are drawn and predicted
    #[arg(long, value_name = "N", default_value_t = 400)]
    #[arg(value_parser = clap::value_parser!(u32).range(20..=100_000))]
    draws: u32,
    #[command(flatten)]
    result: ResultArguments,
}

impl Arguments {
    /// Draws, and prints the figures with their weights.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let loaded = self.scenario.load(&[], terminal)?;
        let working = Bar::of_work(terminal, "varying uncertain figures");
        let found = uncertainty(&loaded.scenario, self.draws).map_err(|reason| {
            Failure::usage(format!("there is no interval: {reason}"))
                .help("`bandgraph run --predict` says what is wrong with the scenario itself")
        })?;
        drop(working);
        let document = FiguresDocument::new(&loaded, &found);
        let mut view = figures_view(&document, &found);
        view.files(loaded.files);
        self.result
            .write_with_table(&document, &view, || figures_csv(&document))?;
        Ok(Exit::Fine)
    }
}
