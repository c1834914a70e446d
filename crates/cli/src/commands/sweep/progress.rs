//! How far a sweep has come, on a terminal; and how fast it was.

use std::time::{Duration, Instant};

use bandgraph_study::SweepProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::Terminal;

/// A bar for a sweep.
pub(super) struct SweepBar {
    bar: Option<ProgressBar>,
    started: Instant,
}

impl SweepBar {
    /// A bar, where `terminal` has a place for one.
    pub(super) fn new(terminal: Terminal) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "how fast a sweep goes is a matter of wall time, and no result depends on it"
        )]
        let started = Instant::now();
        let bar = terminal.shows_progress().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4));
            let template = "sweeping [{bar:40}] {pos}/{len} points  {per_sec}  {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self { bar, started }
    }

    /// Moves the bar.
    pub(super) fn show(&self, progress: SweepProgress) {
        if let Some(bar) = &self.bar {
            bar.set_length(progress.candidates);
            bar.set_position(progress.passed);
        }
    }

    /// Takes the bar away, and says how long it was there.
    pub(super) fn finish(self) -> Duration {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.started.elapsed()
    }
}
