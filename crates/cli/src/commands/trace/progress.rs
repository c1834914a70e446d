//! How far a trace has been read or written, on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::Terminal;

/// Records between two looks at the bar.
const STRIDE: u64 = 1 << 14;

/// A bar with the rate, and the time that is left where the end is known.
pub(crate) struct TraceBar {
    bar: Option<ProgressBar>,
    records: u64,
}

impl TraceBar {
    /// A bar for so many bytes, or for a stream without a known end.
    pub(crate) fn of_bytes(terminal: Terminal, doing: &'static str, bytes: Option<u64>) -> Self {
        let template = if bytes.is_some() {
            "{prefix} [{bar:30}] {percent:>3} %  {bytes_per_sec}  {msg}  {eta} left"
        } else {
            "{prefix} {spinner} {bytes}  {bytes_per_sec}  {msg}"
        };
        Self::new(terminal, doing, bytes, template)
    }

    /// A bar for so many records.
    pub(crate) fn of_records(terminal: Terminal, doing: &'static str, records: u64) -> Self {
        let template = "{prefix} [{bar:30}] {percent:>3} %  {per_sec}  {eta} left";
        Self::new(terminal, doing, Some(records), template)
    }

    fn new(terminal: Terminal, doing: &'static str, length: Option<u64>, template: &str) -> Self {
        let bar = terminal.shows_progress().then(|| {
            let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(4));
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_prefix(doing);
            bar
        });
        Self { bar, records: 0 }
    }

    /// One record further. Where that is on the bar is only asked now and then.
    pub(crate) fn record(&mut self, position: impl FnOnce(u64) -> u64) {
        self.records += 1;
        if self.records.is_multiple_of(STRIDE)
            && let Some(bar) = &self.bar
        {
            bar.set_position(position(self.records));
            bar.set_message(format!("{:.1} million records", self.records as f64 / 1e6));
        }
    }
}

impl Drop for TraceBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
