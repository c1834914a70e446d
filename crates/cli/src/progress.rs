//! Progress of what takes noticeable time: a bar on a terminal, and a line now and then where there is none.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::terminal::Terminal;

/// How long work takes before it is shown, so that nothing flashes by.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest time without a line where there is no terminal.
const SILENCE: Duration = Duration::from_secs(10);
/// Looks at the terminal in a second.
const HERTZ: u8 = 4;
/// Steps of a bar of shares.
const STEPS: u64 = 1000;
/// Records between two looks at a bar.
const STRIDE: u64 = 1 << 14;

/// What a bar shows of things that are counted.
pub(crate) const COUNT: &str = "{msg} [{bar:40}] {pos}/{len}  {eta} left";
/// The same, with how fast they are done.
pub(crate) const RATE: &str = "{msg} [{bar:40}] {pos}/{len}  {per_sec}  {eta} left";
/// Of a share.
pub(crate) const SHARE: &str = "{msg} [{bar:40}] {percent:>3} %  {eta} left";
/// Of bytes that are read, where their number is known.
pub(crate) const BYTES: &str = "{msg} [{bar:40}] {percent:>3} %  {bytes_per_sec}  {eta} left";
/// Of bytes of a stream.
pub(crate) const STREAM: &str = "{msg} {bytes}  {bytes_per_sec}";

/// Lines of a thread of its own, since work without an end in sight reports nothing.
struct Lines {
    /// What is done, in steps.
    done: Arc<AtomicU64>,
    /// Ends the thread when it is dropped.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    /// `None` where a thread cannot be had.
    fn start(terminal: Terminal, word: &'static str) -> Option<Self> {
        let done = Arc::new(AtomicU64::new(0));
        let (end, ended) = channel();
        let seen = Arc::clone(&done);
        let say = move |after: Duration| {
            let share = match seen.load(Ordering::Relaxed) {
                0 => String::new(),
                done => format!(", {} %", done * 100 / STEPS),
            };
            terminal.note(&format!("{word}: {} s so far{share}\n", after.as_secs()));
        };
        // What was done before, without a line, counts: a command of many short phases is not silent.
        let first = Duration::from_secs(SILENCE.as_secs() - since_first_work().as_secs() % SILENCE.as_secs());
        let thread = std::thread::Builder::new().spawn(move || every_while(&ended, first, SILENCE, say));
        Some(Self {
            done,
            end: Some(end),
            thread: Some(thread.ok()?),
        })
    }
}

impl Drop for Lines {
    /// No line comes after the work.
    fn drop(&mut self) {
        self.end = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// The time since the first work of the command began.
fn since_first_work() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(now).elapsed()
}

#[expect(
    clippy::disallowed_methods,
    reason = "when to show progress is a matter of wall time, and no result depends on it"
)]
fn now() -> Instant {
    Instant::now()
}

/// Calls `say` after the first time, and then again after each of the second, until the other side of the
/// channel ends.
fn every_while(ended: &Receiver<()>, first: Duration, each: Duration, mut say: impl FnMut(Duration)) {
    let (mut wait, mut so_far) = (first, first);
    while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        say(so_far);
        (wait, so_far) = (each, so_far + each);
    }
}

/// Progress that shows itself only when it is worth it. On a terminal it leaves no trace.
pub(crate) struct Bar {
    drawn: Option<ProgressBar>,
    lines: Option<Lines>,
    started: Instant,
    records: u64,
}

impl Bar {
    /// Of work whose end is not known: the word and the time that it has taken.
    pub(crate) fn of_work(terminal: Terminal, word: &'static str) -> Self {
        let late = move |state: &ProgressState, line: &mut dyn std::fmt::Write| {
            if state.elapsed() > PATIENCE {
                // What cannot be drawn is not drawn.
                let _ = write!(line, "{word}: {} s", state.elapsed().as_secs());
            }
        };
        let working = Self::new(terminal, word, "");
        if let Some(bar) = &working.drawn {
            if let Ok(style) = ProgressStyle::with_template("{late}") {
                bar.set_style(style.with_key("late", late));
            }
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(HERTZ));
            bar.enable_steady_tick(PATIENCE);
        }
        working
    }

    /// A bar with a word, and one of the texts above.
    pub(crate) fn new(terminal: Terminal, word: &'static str, template: &str) -> Self {
        let started = now();
        let drawn = terminal.shows_progress().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_message(word);
            bar
        });
        let lines = (drawn.is_none() && !terminal.quiet)
            .then(|| Lines::start(terminal, word))
            .flatten();
        Self {
            drawn,
            lines,
            started,
            records: 0,
        }
    }

    /// Moves the bar.
    pub(crate) fn show(&self, done: u64, total: u64) {
        if let Some(lines) = &self.lines {
            let steps = u128::from(done) * u128::from(STEPS) / u128::from(total.max(1));
            lines
                .done
                .store(steps.min(STEPS.into()) as u64, Ordering::Relaxed);
        }
        let Some(bar) = &self.drawn else {
            return;
        };
        if bar.is_hidden() && self.started.elapsed() > PATIENCE {
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(HERTZ));
        }
        bar.set_length(total);
        bar.set_position(done);
    }

    /// Moves a bar of shares, from 0 to 1.
    pub(crate) fn show_share(&self, share: f64) {
        if share.is_finite() {
            self.show((share.clamp(0.0, 1.0) * STEPS as f64) as u64, STEPS);
        }
    }

    /// One record further. How far that is, of how much, is only asked now and then.
    pub(crate) fn record(&mut self, place: impl FnOnce(u64) -> (u64, u64)) {
        self.records += 1;
        if self.records.is_multiple_of(STRIDE) {
            let (done, total) = place(self.records);
            self.show(done, total);
        }
    }

    /// How long it has taken so far.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for Bar {
    /// Leaves no trace of the bar, however the work ended.
    fn drop(&mut self) {
        if let Some(bar) = &self.drawn {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_at_even_times_until_the_work_ends() {
        let (end, ended) = channel::<()>();
        let (mut end, mut said) = (Some(end), Vec::new());
        every_while(
            &ended,
            Duration::from_millis(1),
            Duration::from_millis(3),
            |after| {
                said.push(after.as_millis());
                if said.len() == 3 {
                    end = None;
                }
            },
        );
        assert_eq!(said, [1, 4, 7]);
    }
}
