//! `bandgraph sweep SWEEP.toml`: a whole sweep on this machine.

use std::path::PathBuf;

use bandgraph_study::{Design, Shard};
use bandgraph_sweep::{Records, UnkeptJournal};
use clap::Args;

use super::SweepArguments;
use super::results::ResultArguments;
use super::run::JournalArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Run all of a sweep, and report it.
#[derive(Debug, Args)]
#[command(mut_arg("path", |path| path.required(false)))]
pub(super) struct WholeArguments {
    #[command(flatten)]
    sweep: SweepArguments,
    /// Further sweep files, which are refused
    #[arg(hide = true, index = 2)]
    others: Vec<PathBuf>,
    #[command(flatten)]
    journal: JournalArguments,
    #[command(flatten)]
    results: ResultArguments,
}

impl WholeArguments {
    /// Runs the sweep and writes its results.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        if let Some(other) = self.others.first() {
            return Err(Failure::usage(format!(
                "one sweep at a time: {} is another file",
                other.display()
            ))
            .help(
                "run each by a command of its own; `bandgraph sweep merge` puts journals of one together",
            ));
        }
        let loaded = self.sweep.load(terminal)?;
        let baseline = self.results.prepare(&loaded.sweep)?;
        let unkept = if self.journal.is_kept() {
            None
        } else {
            Some(UnkeptJournal::new()?)
        };
        let path = match &unkept {
            Some(unkept) => unkept.path(),
            None => self.journal.path(&loaded, Shard::WHOLE)?,
        };
        let places = self.journal.run(&path, &loaded, Shard::WHOLE, terminal)?;
        let design = Design::new(&loaded.sweep);
        let mut records = match places {
            Some(places) => Records::at_places(vec![path], places, &design),
            None => Records::open(&[path], &loaded.sources, &design)?,
        };
        self.results.write(&design, &mut records, baseline, terminal)
    }
}
