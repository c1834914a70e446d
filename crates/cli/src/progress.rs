//! Progress bars for what takes noticeable time.

use std::time::{Duration, Instant};

use bandgraph_simulate::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::Terminal;

/// How long a run goes on before a bar appears: nobody wants to see one flash by.
const PATIENCE: Duration = Duration::from_millis(500);
/// Steps of the bar.
const STEPS: u64 = 1000;

/// A bar that shows itself only when it is worth it.
pub(crate) struct SimulationProgress {
    bar: Option<ProgressBar>,
    started: Instant,
    shown: bool,
}

impl SimulationProgress {
    /// A bar that is not shown yet, and never will be where `terminal` has no place for it.
    pub(crate) fn new(terminal: Terminal) -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "when to show a bar is a matter of wall time, and no result depends on it"
        )]
        let started = Instant::now();
        let bar = terminal.shows_progress().then(|| {
            let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {percent:>3} %  {eta} left") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar
        });
        Self {
            bar,
            started,
            shown: false,
        }
    }

    /// Moves the bar.
    pub(crate) fn show(&mut self, progress: Progress) {
        let Some(bar) = &self.bar else {
            return;
        };
        if !self.shown && self.started.elapsed() > PATIENCE {
            bar.set_message("simulating");
            bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
        let share = progress.done / progress.total;
        if share.is_finite() {
            bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
        }
    }
}

impl Drop for SimulationProgress {
    /// Leaves no trace of the bar, however the run ended.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar over things that are counted.
pub(crate) struct CountProgress {
    bar: Option<ProgressBar>,
}

impl CountProgress {
    /// A bar with `word` in front, where `terminal` has a place for one.
    pub(crate) fn new(terminal: Terminal, word: &'static str) -> Self {
        let bar = terminal.shows_progress().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(4));
            if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len}  {eta} left") {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_message(word);
            bar
        });
        Self { bar }
    }

    /// Moves the bar.
    pub(crate) fn show(&self, done: usize, total: usize) {
        if let Some(bar) = &self.bar {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
    }
}

impl Drop for CountProgress {
    /// Leaves no trace of the bar, however the work ended.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
