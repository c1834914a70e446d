//! `bandgraph sweep run`: one shard of a sweep, into its journal.

use std::path::{Path, PathBuf};

use bandgraph_solve::Effort;
use bandgraph_study::{Design, Shard, estimated_operations, run_sweep};
use bandgraph_sweep::{Beginning, Journal, Places, journal_path};
use clap::Args;

use super::shard_argument::shard;
use super::{LoadedSweep, SweepArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::{Bar, RATE};
use crate::terminal::Terminal;

/// Run one shard of a sweep into a journal, for `sweep merge`
#[derive(Debug, Args)]
#[command(after_help = "Example: bandgraph sweep run SWEEP.toml --shard 2/8 --journal journals/ --resume")]
pub(super) struct Arguments {
    #[command(flatten)]
    sweep: SweepArguments,
    /// Which part of the sweep, from 1/N to N/N; with /N, the number comes from the scheduler
    #[arg(long, value_name = "[I]/N")]
    #[arg(
        long_help = "Which part of the sweep, from 1/N to N/N; with /N, the number comes from the scheduler: HQ_TASK_ID, \
                     SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX, each from 0 to N-1"
    )]
    shard: Option<String>,
    #[command(flatten)]
    journal: JournalArguments,
}

/// Where the journal is kept, and whether to resume it.
#[derive(Debug, Args)]
pub(super) struct JournalArguments {
    /// Keep the journal in this file or folder, to resume the sweep from
    #[arg(long, value_name = "PATH")]
    journal: Option<PathBuf>,
    /// Resume an interrupted sweep from its journal, or start one if there is none. The default of --journal
    /// is then SWEEP.journal.jsonl in the current folder
    #[arg(long, conflicts_with = "restart")]
    resume: bool,
    /// Start again, even if the journal is not finished; its default is that of --resume
    #[arg(long)]
    restart: bool,
}

impl Arguments {
    /// Runs the shard.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let shard = shard(self.shard.as_deref())?;
        let loaded = self.sweep.load(terminal)?;
        let path = self.journal.path(&loaded, shard)?;
        self.journal.run(&path, &loaded, shard, terminal)?;
        terminal.note(&format!("journal: {}\n", path.display()));
        Ok(Exit::Fine)
    }
}

impl JournalArguments {
    /// Whether a journal is to be kept.
    pub(super) fn is_kept(&self) -> bool {
        self.journal.is_some() || self.resume || self.restart
    }

    /// Where the journal of a shard is kept.
    pub(super) fn path(&self, loaded: &LoadedSweep, shard: Shard) -> Result<PathBuf, Failure> {
        let asked = self.journal.as_deref();
        Ok(journal_path(asked, Path::new(&loaded.sweep.path), shard)?)
    }

    /// Answers all points of a shard that the journal does not have. Returns where in it the lines are unless
    /// it has a point twice.
    pub(super) fn run(
        &self,
        path: &Path,
        loaded: &LoadedSweep,
        shard: Shard,
        terminal: Terminal,
    ) -> Result<Option<Places>, Failure> {
        let design = Design::new(&loaded.sweep);
        let note = |text: &str| terminal.note(text);
        let journal = Journal::open(path, &loaded.sources, &design, shard, self.beginning(), &note)?;
        let resumed = journal.resumed();
        let operations = estimated_operations(&design, &loaded.sources, shard);
        if operations > Effort::LONG {
            terminal.note(&format!(
                "about {operations:.1e} operations will be simulated in this shard; `mode = \"predict\"`, a \
                 shorter `run.duration` and `--shard` make it less, and a journal continues what was \
                 interrupted\n"
            ));
        }
        let bar = Bar::new(terminal, "sweeping", RATE);
        let answered = std::sync::atomic::AtomicU64::new(0);
        let keep = |record: bandgraph_study::Record| {
            answered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            journal.append(&record).map_err(Failure::from)
        };
        let known = |number| journal.contains(number);
        run_sweep(&design, &loaded.sources, shard, &known, &keep, &|progress| {
            bar.show(progress.passed, progress.candidates);
        })?;
        let places = journal.close()?;
        let (seconds, answered) = (bar.elapsed().as_secs_f64(), answered.into_inner());
        drop(bar);
        let rate = bandgraph_units::significant(answered as f64 / seconds.max(1e-9), 3);
        let points = if answered == 1 { "point" } else { "points" };
        let before = match resumed {
            0 => String::new(),
            count => format!(", {count} taken from the journal"),
        };
        terminal.note(&format!(
            "{answered} {points} answered in {seconds:.3} s ({rate} points/s){before}\n"
        ));
        Ok(places)
    }

    fn beginning(&self) -> Beginning {
        match (self.resume, self.restart) {
            (true, _) => Beginning::Resume,
            (false, true) => Beginning::Restart,
            (false, false) => Beginning::Fresh,
        }
    }
}
