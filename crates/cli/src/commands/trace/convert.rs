//! `bandgraph trace convert`.

use bandgraph_import::trace::{Format, Writer};
use clap::Args;

use super::generate::TraceOutput;
use super::source::SourceArguments;
use crate::arguments::one_of;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Write a trace in another format
#[derive(Debug, Args)]
#[command(after_help = "\
Example: bandgraph trace convert usr_0.csv.gz --to iolog3 > usr_0.log

Operations on names are left out where the format has none, and counted. What a format does not say is not made up,
but where it has to say something: a trace of devices becomes one of files that have the devices' data.")]
pub(super) struct Arguments {
    #[command(flatten)]
    source: SourceArguments,
    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Format::CHOICES))]
    to: Format,
    #[command(flatten)]
    output: TraceOutput,
}

impl Arguments {
    /// Reads, and writes.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let mut records = self.source.records(terminal, "converting")?;
        let left_out = self.output.write(|out| {
            let mut writer = Writer::new(out, self.to);
            for record in records.by_ref() {
                writer
                    .record(&record)
                    .map_err(|error| self.output.failure(error))?;
            }
            records.check()?;
            let left_out = writer.left_out();
            writer.finish().map_err(|error| self.output.failure(error))?;
            Ok(left_out)
        })?;
        let reader = &records.reader;
        if left_out > 0 {
            terminal.note(&format!(
                "note: {left_out} operations are left out, which {} has no words for\n",
                self.to
            ));
        }
        for (reason, count) in reader.skipped().counts() {
            let skipped = if reason.skips() { "skipped" } else { "kept" };
            terminal.note(&format!("note: {count} × {reason} ({skipped})\n"));
        }
        for malformed in reader.skipped().first() {
            terminal.note(&format!("note: {malformed}\n"));
        }
        Ok(Exit::Fine)
    }
}
