//! I/O logs of fio (`HOWTO`, "Trace file format"), versions 2 and 3.
//!
//! Version 2 has `filename action [offset length]`, and `wait` actions with the delay of the next I/O.
//! Version 3 puts a time before each line. The documentation does not define its unit. fio writes and reads
//! microseconds (`log_io_u` and `iolog_delay` in its `iolog.c`), other programs write milliseconds, so that
//! [`IologTick`] is an option.

use super::Reason;
use super::fields::{Cursor, check_extent, hash};
use super::parse::{Context, Fault, Parse};
use bandgraph_config::words;
use bandgraph_workload::{OperationKind, Record};

words! {
    /// The unit of times in version 3.
    #[derive(Default)]
    pub enum IologTick {
        #[default]
        Microsecond = "us": "Microseconds, as fio writes and reads them",
        Millisecond = "ms": "Milliseconds, as some other programs write them",
    }
}

impl IologTick {
    const fn nanoseconds(self) -> u64 {
        match self {
            Self::Microsecond => 1000,
            Self::Millisecond => 1_000_000,
        }
    }
}

/// Parser of both versions.
#[derive(Default)]
pub(super) struct Iolog {
    /// The unit of the times of version 3; `None` for version 2.
    tick: Option<IologTick>,
    /// The sum of the waits of version 2.
    waited_ns: u64,
    record: Option<Record>,
}

impl Iolog {
    /// Version 3 with times in ticks, or version 2.
    pub(super) fn new(tick: Option<IologTick>) -> Self {
        Self {
            tick,
            ..Self::default()
        }
    }
}

/// A number of ticks, at a position of a line, in nanoseconds.
fn nanoseconds(ticks: u64, tick: IologTick, at: usize) -> Result<u64, Fault> {
    ticks
        .checked_mul(tick.nanoseconds())
        .ok_or(Fault::at(Reason::OutOfRange, at))
}

/// The kind of an action.
enum Action {
    Operation(OperationKind),
    Wait,
    /// A file is added, opened or closed, which is not an I/O.
    File,
    NotModelled,
}

fn action(text: &[u8]) -> Option<Action> {
    Some(match text {
        b"read" => Action::Operation(OperationKind::Read),
        b"write" => Action::Operation(OperationKind::Write),
        b"sync" | b"datasync" | b"sync_file_range" => Action::Operation(OperationKind::Commit),
        b"wait" => Action::Wait,
        b"add" | b"open" | b"close" | b"unlink" => Action::File,
        b"trim" => Action::NotModelled,
        _ => return None,
    })
}

impl Parse for Iolog {
    #[inline]
    fn line(&mut self, line: &[u8], context: &mut Context) -> Result<(), Fault> {
        let mut cursor = Cursor::new(line);
        if line.starts_with(b"fio version ") {
            return Ok(());
        }
        let written = match self.tick {
            None => None,
            Some(tick) => {
                cursor.blanks();
                let written = cursor.decimal().map_err(|fault| match fault.reason {
                    Reason::BadNumber => Fault::at(Reason::BadTime, fault.at),
                    _ => fault,
                })?;
                cursor.end_of_token()?;
                Some(nanoseconds(written, tick, 0)?)
            }
        };
        let file = cursor.token();
        let action_at = cursor.at();
        if cursor.rest().is_empty() {
            return Err(Fault::at(Reason::MissingField, action_at));
        }
        let action = action(cursor.token()).ok_or(Fault::at(Reason::UnknownOperation, action_at))?;
        if matches!(action, Action::File) {
            return Ok(());
        }
        let offset_at = cursor.at();
        let offset = cursor.decimal()?;
        cursor.end_of_token()?;
        let bytes = cursor.decimal()?;
        cursor.end_of_token()?;
        let operation = match action {
            Action::Operation(operation) => operation,
            Action::Wait if self.tick.is_none() => {
                let wait_ns = nanoseconds(offset, IologTick::Microsecond, offset_at)?;
                self.waited_ns = self.waited_ns.saturating_add(wait_ns);
                return Ok(());
            }
            // Version 3 has no waits.
            Action::Wait => return Err(Fault::at(Reason::UnknownOperation, action_at)),
            Action::File => return Ok(()),
            Action::NotModelled => {
                context.skipped.add(Reason::NotModelled);
                return Ok(());
            }
        };
        if operation.moves_data() {
            check_extent(offset, bytes, offset_at)?;
        }
        let (offset, bytes) = if operation.moves_data() {
            (offset, bytes)
        } else {
            (0, 0)
        };
        self.record = Some(Record {
            start_ns: match written {
                Some(written) => context.clock.at(written, &mut context.skipped),
                None => self.waited_ns,
            },
            latency_ns: None,
            client: 0,
            file: hash(file),
            operation,
            offset,
            bytes,
            stable: false,
        });
        Ok(())
    }

    #[inline]
    fn pop(&mut self, _context: &mut Context) -> Option<Record> {
        self.record.take()
    }
}
