//! `bandgraph trace generate`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;

use bandgraph_import::trace::{Format, Generator, Recipe, Writer, parse_mix, parse_sizes};
use bandgraph_scenario::WholeFile;
use bandgraph_units::{Bytes, Time};
use bandgraph_workload::Mix;
use clap::Args;

use crate::arguments::one_of;
use crate::exit::Exit;
use crate::failure::{Failure, Unwritable};
use crate::progress::{Bar, RATE};
use crate::terminal::Terminal;

/// Generate a trace of any length; the same seed gives the same trace
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bandgraph trace generate --operations 10000000 --trace-format nfsdump \\
      | bandgraph trace stat -
  bandgraph trace generate --mix specsfs2008 --sizes '8 KiB=3,32 KiB=1' \\
      --sequential 0.6 --zipf 0.9 --output made.txt")]
pub(super) struct Arguments {
    /// The format to write
    #[arg(long, value_name = "FORMAT", default_value = "nfsdump", value_parser = one_of(Format::CHOICES))]
    trace_format: Format,
    /// Seed of everything that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of operations
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    operations: u64,
    /// A published mix by its name, or operations with weights: read=7,write=3
    #[arg(long, value_name = "MIX", default_value = "read=7,write=3", value_parser = parse_mix)]
    mix: Mix,
    /// Sizes of reads and writes, with weights where there are several: '8 KiB=3,64 KiB=1'
    #[arg(long, value_name = "SIZES", default_value = "8 KiB", value_parser = parse_sizes)]
    sizes: Sizes,
    /// Number of files
    #[arg(long, value_name = "N", default_value_t = 100)]
    files: u64,
    /// Size of each file
    #[arg(long, value_name = "SIZE", default_value = "1 MiB", value_parser = quantity::<Bytes>)]
    file_size: Bytes,
    /// Clients, each of which reads and writes on its own
    #[arg(long, value_name = "N", default_value_t = 10)]
    clients: u32,
    /// The share of reads and writes that begin where the client's last one ended, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    sequential: f64,
    /// How much more popular some places are than others: 0 for all equal
    #[arg(long, value_name = "EXPONENT", default_value_t = 0.0)]
    zipf: f64,
    /// Operations a second, all clients together, at random times
    #[arg(long, value_name = "RATE", default_value_t = 1000.0)]
    rate: f64,
    /// The mean latency
    #[arg(long, value_name = "TIME", default_value = "1 ms", value_parser = quantity::<Time>)]
    latency: Time,
    /// The share of writes that must be on stable storage before their reply, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    stable: f64,
    #[command(flatten)]
    output: TraceOutput,
}

/// Sizes with their weights: a name, for what clap would take for repeated values.
type Sizes = Vec<(Bytes, f64)>;

fn quantity<Quantity: FromStr>(text: &str) -> Result<Quantity, String>
where
    Quantity::Err: ToString,
{
    text.parse().map_err(|error: Quantity::Err| error.to_string())
}

/// Where a trace goes.
#[derive(Debug, Args)]
pub(super) struct TraceOutput {
    /// Write to FILE instead of stdout, completely or not at all; gzip if its name ends in .gz
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl TraceOutput {
    /// Lets `write` write. A reader of stdout that has seen enough and left is no failure.
    pub(super) fn write<Answer: Default>(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<Answer, Failure>,
    ) -> Result<Answer, Failure> {
        let Some(path) = &self.output else {
            let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
            return match write(&mut out) {
                Err(Failure::Output(unwritable)) if unwritable.error.kind() == io::ErrorKind::BrokenPipe => {
                    // What is still in the buffer has nobody to go to.
                    let _ = out.into_parts();
                    Ok(Answer::default())
                }
                answer => answer,
            };
        };
        let file = WholeFile::create(path).map_err(|error| self.failure(error))?;
        self.fill(file, write)
    }

    fn fill<Answer>(
        &self,
        file: WholeFile,
        write: impl FnOnce(&mut dyn Write) -> Result<Answer, Failure>,
    ) -> Result<Answer, Failure> {
        let compressed = self
            .output
            .as_ref()
            .and_then(|path| path.extension())
            .is_some_and(|extension| extension == "gz");
        let mut out = BufWriter::with_capacity(1 << 16, file);
        let answer = if compressed {
            let mut encoder = flate2::write::GzEncoder::new(&mut out, flate2::Compression::default());
            let answer = write(&mut encoder)?;
            encoder.finish().map_err(|error| self.failure(error))?;
            answer
        } else {
            write(&mut out)?
        };
        out.into_inner()
            .map_err(io::IntoInnerError::into_error)
            .and_then(WholeFile::finish)
            .map_err(|error| self.failure(error))?;
        Ok(answer)
    }

    /// Why nothing could be written.
    pub(super) fn failure(&self, error: io::Error) -> Failure {
        match &self.output {
            Some(path) => Failure::output(path, error),
            None => Unwritable::new("to stdout", error).into(),
        }
    }
}

impl Arguments {
    /// Makes the trace.
    pub(super) fn execute(&self, terminal: Terminal) -> Result<Exit, Failure> {
        let generator = Generator::new(self.recipe()).map_err(|problems| {
            Failure::usage(
                problems
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join("; "),
            )
        })?;
        let mut bar = Bar::new(terminal, "generating", RATE);
        let operations = generator.operations();
        let left_out = self.output.write(|out| {
            let mut writer = Writer::new(out, self.trace_format);
            for record in generator {
                bar.record(|records| (records, operations));
                writer
                    .record(&record)
                    .map_err(|error| self.output.failure(error))?;
            }
            let left_out = writer.left_out();
            writer.finish().map_err(|error| self.output.failure(error))?;
            Ok(left_out)
        })?;
        drop(bar);
        if left_out > 0 {
            terminal.note(&format!(
                "note: {left_out} operations are left out, which the format has no words for\n"
            ));
        }
        Ok(Exit::Fine)
    }

    fn recipe(&self) -> Recipe {
        Recipe {
            seed: self.seed,
            operations: self.operations,
            mix: self.mix.clone(),
            sizes: self.sizes.clone(),
            files: self.files,
            file_size: self.file_size,
            clients: self.clients,
            sequential: self.sequential,
            zipf: self.zipf,
            rate: self.rate,
            latency: self.latency,
            stable: self.stable,
        }
    }
}
