//! `bandgraph ladder`.

use std::path::PathBuf;

use bandgraph_diagnostics::{Sources, render};
use bandgraph_report::{LadderDocument, LadderReport, ladder_view};
use bandgraph_study::{Climb, climb, marginal_gains};
use clap::Args;

use crate::arguments::{GAIN_DRAWS, OutputArguments, ResultFormat, SetArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Show the chain of limits: the bottleneck, what limits once that is relieved, and so on, with the gain of
/// each step
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph ladder scenarios/7410-barcelona-cached-read.toml
  bandgraph ladder scenarios/7410-barcelona-cached-read.toml --unlimited")]
pub(crate) struct Arguments {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    path: PathBuf,
    /// Make each limit as fast as it would need to be, whether or not the catalogue has such a part
    #[arg(long)]
    unlimited: bool,
    /// Leave out how sure gains are: no draws of uncertain figures
    #[arg(long)]
    no_interval: bool,
    #[command(flatten)]
    sets: SetArguments,
    /// Format of the result
    #[arg(long, value_enum, default_value_t)]
    format: ResultFormat,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Climbs the ladder and writes it.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let mut sources = Sources::new();
        let loaded = match bandgraph_scenario::load_with(
            terminal.files(),
            &self.path,
            self.sets.as_slice(),
            &mut sources,
        ) {
            Ok(loaded) => loaded,
            Err(diagnostics) => return Err(Failure::Input { diagnostics, sources }),
        };
        if !loaded.warnings.is_empty() {
            terminal.note(&render::full(&loaded.warnings, &sources, false));
        }
        let how = if self.unlimited {
            Climb::Unlimited
        } else {
            Climb::Catalogue
        };
        let draws = if self.no_interval { 0 } else { GAIN_DRAWS };
        let (ladder, gains) = rayon::join(
            || climb(&loaded.scenario, how, draws),
            || marginal_gains(&loaded.bound),
        );
        let document = LadderDocument::new(&LadderReport::new(&loaded, ladder?, gains?));
        self.output
            .write_result(self.format, &document, &ladder_view(&document))?;
        Ok(Exit::Fine)
    }
}
