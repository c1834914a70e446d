//! Progress of what takes noticeable time: a bar on a terminal, and a line now and then where there is none.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::terminal::Terminal;

/// How long work takes before it is shown, so that nothing flashes by.
const PATIENCE: Duration = Duration::from_millis(500);
/// The longest time without a line where there is no terminal.
const SILENCE: Duration = Duration::from_secs(8);
/// How long work is measured before the first estimate of all of it.
const TRIAL: Duration = Duration::from_secs(2);
/// Looks at the terminal in a second.
const HERTZ: u8 = 4;
/// Steps of a bar of shares.
const STEPS: u64 = 100_000;
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

/// Where work without an end in sight is, in words with a comma at their end; empty where it has no steps.
type Step = Arc<Mutex<String>>;

fn words_of(step: &Step) -> String {
    step.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

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
    fn start(terminal: Terminal, word: &'static str, step: Step) -> Option<Self> {
        let done = Arc::new(AtomicU64::new(0));
        let (end, ended) = channel();
        let seen = Arc::clone(&done);
        // What was done before, without a line, counts: a command of many short phases is not silent.
        let first = Duration::from_secs(SILENCE.as_secs() - since_first_work().as_secs() % SILENCE.as_secs());
        let say = move |after: Duration| {
            let left = match seen.load(Ordering::Relaxed) {
                0 => String::new(),
                // The first steps of a simulation are slow: they say little about the others.
                done if done < STEPS / 20 => format!(", {} %", done * 100 / STEPS),
                done => {
                    let left = words(left(after, done));
                    format!(", {} %, about {left} left", done * 100 / STEPS)
                }
            };
            let step = words_of(&step);
            terminal.note(&format!("{word}: {step}{} s so far{left}\n", after.as_secs()));
        };
        let tried = Arc::clone(&done);
        let lines = move || {
            if ended.recv_timeout(TRIAL) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            if let Some(all) = estimate(TRIAL, tried.load(Ordering::Relaxed)) {
                let (trial, all) = (TRIAL.as_secs(), words(all));
                terminal.note(&format!("{word}: about {all}, by the first {trial} s\n"));
            }
            every_while(&ended, first.saturating_sub(TRIAL), SILENCE, |after| {
                say(after + TRIAL);
            });
        };
        let thread = std::thread::Builder::new().spawn(lines);
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

/// How much longer work takes of which these steps were done in this time, at the same speed.
fn left(elapsed: Duration, done: u64) -> Duration {
    elapsed.mul_f64(STEPS.saturating_sub(done) as f64 / done.max(1) as f64)
}

/// How long all of some work takes, where that is worth a line.
fn estimate(elapsed: Duration, done: u64) -> Option<Duration> {
    let all = elapsed + left(elapsed, done);
    (done >= STEPS / 100 && all > SILENCE).then_some(all)
}

/// A time as precise as an estimate is.
fn words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ ..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
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
    step: Step,
    started: Instant,
    records: u64,
}

impl Bar {
    /// Of work whose end is not known: the word and the time that it has taken.
    pub(crate) fn of_work(terminal: Terminal, word: &'static str) -> Self {
        let working = Self::new(terminal, word, "");
        let step = Arc::clone(&working.step);
        let late = move |state: &ProgressState, line: &mut dyn std::fmt::Write| {
            if state.elapsed() > PATIENCE {
                // What cannot be drawn is not drawn.
                let _ = write!(line, "{word}: {}{} s", words_of(&step), state.elapsed().as_secs());
            }
        };
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
        let step = Step::default();
        let lines = (drawn.is_none() && !terminal.quiet)
            .then(|| Lines::start(terminal, word, Arc::clone(&step)))
            .flatten();
        Self {
            drawn,
            lines,
            step,
            started,
            records: 0,
        }
    }

    /// Says where work without an end in sight is.
    pub(crate) fn step(&self, words: &str) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = format!("{words}, ");
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

    /// 1 % in two seconds are 200 s; nothing done says nothing, and short work needs no line.
    #[test]
    fn the_first_part_says_how_long_all_takes() {
        assert_eq!(estimate(TRIAL, STEPS / 100), Some(Duration::from_secs(200)));
        assert_eq!(left(TRIAL, STEPS / 100), Duration::from_secs(198));
        assert_eq!(estimate(TRIAL, STEPS / 1000), None);
        assert_eq!(estimate(TRIAL, STEPS / 2), None);
        assert_eq!(
            [90, 1626, 90_000].map(|s| words(Duration::from_secs(s))),
            ["90 s", "27 min", "25 h"]
        );
    }

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
