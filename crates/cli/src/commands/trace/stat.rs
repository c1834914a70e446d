//! `bandgraph trace stat`.

use bandgraph_report::{TraceReport, trace_json, trace_view};
use bandgraph_workload::trace::stat::Statistics;
use clap::Args;

use super::progress::TraceBar;
use super::source::SourceArguments;
use crate::arguments::{OutputArguments, ShowFormat};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Say what a trace is like: operations, sizes, concurrency, working set, sequential share, rates over time
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph trace stat monday.txt.gz
  zcat monday.txt.gz | bandgraph trace stat - --format json

One pass, in constant memory, whatever the length of the trace.")]
pub(super) struct Arguments {
    #[command(flatten)]
    source: SourceArguments,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: ShowFormat,
    #[command(flatten)]
    output: OutputArguments,
}

impl Arguments {
    /// Reads the trace and prints what it is like.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let mut reader = self.source.open()?;
        let mut statistics = Statistics::default();
        let mut bar = TraceBar::of_bytes(terminal, "reading", self.source.size());
        while let Some(record) = reader.next() {
            statistics.add(&record.map_err(|error| self.source.failure(&error))?);
            bar.record(|_| reader.bytes_read());
        }
        drop(bar);
        let report = TraceReport {
            name: self.source.name(),
            format: reader.format(),
            compression: reader.compression(),
            bytes_read: reader.bytes_read(),
            lines: reader.lines_read(),
            summary: statistics.summary(),
            skipped: reader.skipped().clone(),
        };
        self.output.write(&match self.format {
            ShowFormat::Text => trace_view(&report).text(&self.output.text_options()),
            ShowFormat::Json => trace_json(&report),
        })?;
        Ok(Exit::Fine)
    }
}
