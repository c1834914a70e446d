//! Where a trace comes from, and how it is to be read.

use std::io;
use std::path::{Path, PathBuf};

use bandgraph_diagnostics::Diagnostic;
use bandgraph_import::trace::{Format, IologTick, ReadOptions, Reader, TraceError};
use bandgraph_scenario::open_file;
use bandgraph_simulate::ReplayError;
use bandgraph_study::StudyError;
use bandgraph_workload::Record;
use clap::Args;

use crate::arguments::one_of;
use crate::failure::Failure;
use crate::progress::{BYTES, Bar, STREAM};
use crate::terminal::Terminal;

/// Records from which the number of all records of a file is estimated.
const SAMPLED: usize = 131_072;
/// Bytes of a file below which it has no more records than are worth an estimate, however it is packed.
const WORTH_AN_ESTIMATE: u64 = 1 << 20;

/// A trace that is to be read.
#[derive(Debug, Args)]
pub(crate) struct SourceArguments {
    /// The trace; - for stdin
    #[arg(value_name = "TRACE")]
    path: PathBuf,
    /// The format, if the beginning of the trace does not show it
    #[arg(long, value_name = "FORMAT", value_parser = one_of(Format::CHOICES))]
    trace_format: Option<Format>,
    /// Stop at the first malformed line, instead of skipping and counting it
    #[arg(long)]
    strict: bool,
    /// The unit of the times of version 3 of fio's logs
    #[arg(long, value_name = "UNIT", default_value = "us", value_parser = one_of(IologTick::CHOICES))]
    iolog_tick: IologTick,
}

impl SourceArguments {
    /// A trace that is named elsewhere than on a command line of its own.
    pub(crate) fn new(path: PathBuf, trace_format: Option<Format>, strict: bool) -> Self {
        Self {
            path,
            trace_format,
            strict,
            iolog_tick: IologTick::Microsecond,
        }
    }

    /// What to call it.
    pub(crate) fn name(&self) -> String {
        if self.is_stdin() {
            "stdin".to_owned()
        } else {
            self.path.display().to_string()
        }
    }

    /// The size of the file, where it is one.
    fn size(&self) -> Option<u64> {
        if self.is_stdin() {
            return None;
        }
        let metadata = std::fs::metadata(&self.path).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Opens it.
    fn open(&self) -> Result<Reader, Failure> {
        let options = ReadOptions {
            format: self.trace_format,
            strict: self.strict,
            iolog_tick: self.iolog_tick,
        };
        let reader = if self.is_stdin() {
            Reader::open(io::stdin(), options)
        } else {
            open_file(&self.path)
                .map_err(TraceError::Source)
                .and_then(|file| Reader::open(file, options))
        };
        reader.map_err(|error| self.failure(&error))
    }

    /// About how many records a file has, by the bytes that the first ones take; `None` for a stream, and for
    /// a file of fewer than are looked at.
    pub(crate) fn estimated_records(&self) -> Result<Option<f64>, Failure> {
        let Some(size) = self.size().filter(|&size| size >= WORTH_AN_ESTIMATE) else {
            return Ok(None);
        };
        let mut reader = self.open()?;
        let read = reader.by_ref().take(SAMPLED).flatten().count();
        let share = reader.bytes_read() as f64 / size as f64;
        Ok((read == SAMPLED && share > 0.0).then_some(SAMPLED as f64 / share))
    }

    /// Opens it to read its records, with progress.
    pub(crate) fn records(&self, terminal: Terminal, doing: &'static str) -> Result<Records<'_>, Failure> {
        let size = self.size();
        Ok(Records {
            source: self,
            reader: self.open()?,
            bar: match size {
                Some(_) => Bar::new(terminal, doing, BYTES),
                None => Bar::new(terminal, doing, STREAM),
            },
            size: size.unwrap_or_default(),
            error: None,
        })
    }

    /// Why it could not be read to its end.
    pub(crate) fn failure(&self, error: &TraceError) -> Failure {
        let message = format!("{}: {error}", self.name());
        // A trace so damaged that not even its first line comes out is malformed without `--strict`, too.
        let help = error
            .help()
            .filter(|_| self.strict || !matches!(error, TraceError::Malformed(_)));
        Failure::of(Diagnostic::error(error.id(), message).help_if(help))
    }

    /// Why it could not be replayed.
    pub(crate) fn replay_failure(&self, error: ReplayError) -> Failure {
        match error {
            ReplayError::Run(error) => error.into(),
            ReplayError::Bind(error) => StudyError::Bind(error).into(),
            error => {
                let message = format!("{}: {error}", self.name());
                Failure::of(Diagnostic::error(error.id(), message).help_if(error.help()))
            }
        }
    }
}

/// The records of a trace until the first error, which is kept.
pub(crate) struct Records<'s> {
    source: &'s SourceArguments,
    pub(crate) reader: Reader,
    bar: Bar,
    size: u64,
    error: Option<TraceError>,
}

impl Records<'_> {
    /// Whether all that was read could be.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] with the first error.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.error
            .as_ref()
            .map_or(Ok(()), |error| Err(self.source.failure(error)))
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        match self.reader.next()? {
            Ok(record) => {
                let (reader, size) = (&self.reader, self.size);
                self.bar.record(|_| (reader.bytes_read(), size));
                Some(record)
            }
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }
}
