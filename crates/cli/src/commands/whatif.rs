//! `bandgraph whatif`.

use std::path::PathBuf;

use bandgraph_report::{WhatIfDocument, WhatIfReport, draw_whatif, whatif_csv, whatif_view};
use bandgraph_study::{Method, Variant, WhatIf};
use clap::Args;

use crate::arguments::{GAIN_DRAWS, ResultArguments};
use crate::complete;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::terminal::Terminal;

/// Compare a scenario with variants of it: throughput, latency, bottleneck, and traffic per link
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph whatif scenarios/7410-barcelona/cached-read.toml \\
      --set 'link.*.part=ht3-x16'
  bandgraph whatif scenarios/7410-barcelona/cached-read.toml \\
      --variant 'one bridge: card.nic1.slot=s3' \\
      --variant 'one bridge, HT3: card.nic1.slot=s3; link.*.part=ht3-x16'

All --set together are one variant. Each --variant is another.")]
pub(crate) struct Arguments {
    /// The scenario file [default: the one of the current folder, if it has one]
    #[arg(value_name = "SCENARIO", add = complete::settings_files())]
    path: Option<PathBuf>,
    /// Override a field in the variant; repeatable, and all of them together are one variant
    ///
    /// PATH is a table, the id of one of its entries where it has several, and a field, as for `run`.
    #[arg(long = "set", value_name = "PATH=VALUE", add = complete::sets())]
    sets: Vec<String>,
    /// Add a variant: a name, a colon, and overrides with semicolons between them; repeatable
    ///
    /// The name is optional. Semicolons and colons in double quotes are part of a value.
    #[arg(long = "variant", value_name = "NAME: PATH=VALUE; …")]
    variants: Vec<String>,
    /// Override a field in the base and in every variant; repeatable
    #[arg(long = "base-set", value_name = "PATH=VALUE", add = complete::sets())]
    base_sets: Vec<String>,
    /// Simulate the base and every variant event by event, instead of predicting the steady state; without
    /// intervals, which are of predictions
    #[arg(long)]
    simulate: bool,
    /// Predict the steady state, which is the default
    #[arg(long, conflicts_with = "simulate")]
    predict: bool,
    /// Leave out the intervals of gains: no draws of uncertain figures
    #[arg(long)]
    no_interval: bool,
    #[command(flatten)]
    result: ResultArguments,
}

impl Arguments {
    /// Answers the scenario and its variants, and writes the comparison.
    pub(crate) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let variants = Variant::all(&self.sets, &self.variants).map_err(Failure::refused)?;
        let path = terminal.scenario_path(self.path.as_deref())?;
        let (what_if, sources) = terminal
            .read(|files, sources| WhatIf::load_with(files, &path, &self.base_sets, &variants, sources))?;
        terminal.warn_beside_report(&what_if.warnings, &sources);
        let method = if self.simulate {
            Method::Simulate
        } else {
            Method::Predict
        };
        let working = Bar::of_work(terminal, "comparing");
        let mut answers = what_if.answer(method)?;
        // Draws are predictions: their intervals are not those of simulations.
        if !self.no_interval && !self.simulate {
            answers.add_gains(GAIN_DRAWS);
        }
        drop(working);
        let report = &WhatIfReport {
            answers,
            warnings: self.result.warnings_of_files(&what_if.warnings),
        };
        let document = WhatIfDocument::new(report);
        let mut view = whatif_view(&document);
        draw_whatif(&mut view, report);
        view.files(sources.files_from(0));
        self.result
            .write_with_table(&document, &view, || whatif_csv(&document))?;
        Ok(Exit::Fine)
    }
}
