//! The reader of traces.

use bandgraph_workload::Record;
use std::io::Read;

use super::blkparse::Blkparse;
use super::decompress::{Gauge, Plain, decompress};
use super::iolog::Iolog;
use super::lines::{Line, Lines};
use super::msr::Msr;
use super::nfsdump::Nfsdump;
use super::parse::{Context, Fault, Parse};
use super::{Format, IologTick, LONGEST_LINE, Malformed, Reason, Skipped, TraceError};
use crate::compression::Compression;

/// Options for reading a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; `None` to detect it.
    pub format: Option<Format>,
    /// Whether to stop at the first malformed line, instead of skipping and counting it.
    pub strict: bool,
    /// The unit of time in version 3 of fio's logs.
    pub iolog_tick: IologTick,
}

/// The parser of each format.
enum Parser {
    Nfsdump(Nfsdump),
    Iolog(Iolog),
    Msr(Msr),
    Blkparse(Blkparse),
}

impl Parser {
    fn new(format: Format, options: ReadOptions) -> Self {
        match format {
            Format::Nfsdump => Self::Nfsdump(Nfsdump::default()),
            Format::Iolog2 => Self::Iolog(Iolog::new(None)),
            Format::Iolog3 => Self::Iolog(Iolog::new(Some(options.iolog_tick))),
            Format::Msr => Self::Msr(Msr::default()),
            Format::Blkparse => Self::Blkparse(Blkparse::default()),
        }
    }
}

/// The records of a trace, in order of their start.
///
/// Malformed lines are skipped and counted ([`Reader::skipped`]); only a strict reader stops at them. An
/// error is the last item.
pub struct Reader {
    parser: Parser,
    input: Input,
    format: Format,
    compression: Compression,
    /// The start of the first record, on the clock of the trace.
    base_ns: Option<u64>,
}

/// The lines of a trace, before parsing.
struct Input {
    lines: Lines<Box<dyn Read + Send>>,
    gauge: Gauge,
    context: Context,
    strict: bool,
    over: bool,
}

impl Reader {
    /// Opens a trace, and detects its format from the beginning unless `options` give it.
    ///
    /// # Errors
    ///
    /// Any [`TraceError`] but [`TraceError::Malformed`].
    pub fn open(source: impl Read + Send + 'static, options: ReadOptions) -> Result<Self, TraceError> {
        let Plain {
            source,
            compression,
            gauge,
        } = decompress(source)?;
        let mut lines = Lines::new(source);
        lines.skip_mark();
        let format = match options.format {
            Some(format) => format,
            None => detect(&mut lines, &gauge)?,
        };
        Ok(Self {
            parser: Parser::new(format, options),
            input: Input {
                lines,
                gauge,
                context: Context::default(),
                strict: options.strict,
                over: false,
            },
            format,
            compression,
            base_ns: None,
        })
    }

    /// The format of the trace.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its compression.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The lines skipped so far, by reason.
    pub fn skipped(&self) -> &Skipped {
        &self.input.context.skipped
    }

    /// Bytes of the source read so far, before decompression, for a progress bar.
    pub fn bytes_read(&self) -> u64 {
        self.input.gauge.bytes()
    }

    /// Lines read so far.
    pub fn lines_read(&self) -> u64 {
        self.input.lines.number()
    }
}

/// Reads until a line determines the format.
fn detect(lines: &mut Lines<Box<dyn Read + Send>>, gauge: &Gauge) -> Result<Format, TraceError> {
    let mut more = false;
    loop {
        if gauge.failed()
            && let Some(error) = lines.take_failure()
        {
            return Err(error.into());
        }
        // Of a damaged archive, the decompressed part is used.
        let (text, ended) = lines.look_ahead(more);
        if let Some(format) = Format::detect(text, ended) {
            return Ok(format);
        }
        if !ended && text.len() <= LONGEST_LINE {
            more = true;
            continue;
        }
        let blank = text.iter().all(u8::is_ascii_whitespace);
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let beginning = Malformed::new(Reason::NotALine, 1, 0, line).excerpt;
        return Err(if lines.take_failure().is_some() {
            TraceError::Malformed(Malformed::new(Reason::DamagedArchive, 1, 0, &[]))
        } else if blank {
            TraceError::Empty
        } else {
            TraceError::UnknownFormat { beginning }
        });
    }
}

impl Input {
    /// The next record of `parser`.
    #[inline]
    fn next(&mut self, parser: &mut impl Parse) -> Option<Result<Record, TraceError>> {
        loop {
            if let Some(record) = parser.pop(&mut self.context) {
                return Some(Ok(record));
            }
            if self.over {
                return None;
            }
            let fault = match self.lines.next() {
                Ok(Some(Line::Text { text, ended })) => {
                    if text.is_empty() {
                        continue;
                    }
                    match parser.line(text, &mut self.context) {
                        Ok(()) => continue,
                        // A last line without a line ending is truncated, whatever its error.
                        Err(fault) if !ended => (Fault::at(Reason::CutOff, fault.at), text),
                        Err(fault) => (fault, text),
                    }
                }
                Ok(Some(Line::Long(beginning))) => (Fault::at(Reason::LongLine, 0), beginning),
                Ok(None) => {
                    self.over = true;
                    parser.finish();
                    continue;
                }
                Err(error) => {
                    self.over = true;
                    if self.gauge.failed() {
                        return Some(Err(error.into()));
                    }
                    parser.finish();
                    (Fault::at(Reason::DamagedArchive, 0), &[][..])
                }
            };
            let (Fault { reason, at }, text) = fault;
            let rest = text.get(at..).unwrap_or_default().to_vec();
            let line = self.lines.number() + u64::from(reason == Reason::DamagedArchive);
            let malformed = || Malformed::new(reason, line, at, &rest);
            self.context.skipped.add_bad(reason, malformed);
            if self.strict {
                self.over = true;
                return Some(Err(TraceError::Malformed(malformed())));
            }
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Record, TraceError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let input = &mut self.input;
        let mut record = match &mut self.parser {
            Parser::Nfsdump(parser) => input.next(parser),
            Parser::Iolog(parser) => input.next(parser),
            Parser::Msr(parser) => input.next(parser),
            Parser::Blkparse(parser) => input.next(parser),
        };
        if let Some(Ok(record)) = &mut record {
            let base = *self.base_ns.get_or_insert(record.start_ns);
            record.start_ns -= base;
        }
        record
    }
}
