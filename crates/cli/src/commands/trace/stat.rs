//! `bandgraph trace stat`.

use bandgraph_import::trace::stat::Statistics;
use bandgraph_report::{TraceDocument, TraceReport, trace_view};
use clap::Args;

use super::source::SourceArguments;
use crate::arguments::ResultArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Summarise a trace: operations, sizes, concurrency, working set, sequential share, rates over time
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph trace stat monday.txt.gz
  zcat monday.txt.gz | bandgraph trace stat - --format json

One pass, in constant memory, whatever the length of the trace.")]
pub(super) struct Arguments {
    #[command(flatten)]
    source: SourceArguments,
    #[command(flatten)]
    result: ResultArguments,
}

impl Arguments {
    /// Reads the trace and prints what it is like.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let mut records = self.source.records(terminal, "reading")?;
        let mut statistics = Statistics::default();
        for record in records.by_ref() {
            statistics.add(&record);
        }
        records.check()?;
        let reader = &records.reader;
        let report = TraceReport {
            name: self.source.name(),
            format: reader.format(),
            compression: reader.compression(),
            bytes_read: reader.bytes_read(),
            lines: reader.lines_read(),
            summary: statistics.summary(),
            skipped: reader.skipped().clone(),
        };
        drop(records);
        self.result
            .write(&TraceDocument::new(&report), &trace_view(&report))?;
        Ok(Exit::Fine)
    }
}
