//! I/O logs of fio (`HOWTO`, "Trace file format"), versions 2 and 3.
//!
//! Version 2 has `filename action [offset length]`, and `wait` actions with the delay of the next I/O.
//! Version 3 puts a time before each line. The documentation does not define its unit. fio writes and reads
//! microseconds (`log_io_u` and `iolog_delay` in its `iolog.c`), other programs write milliseconds, so that
//! [`IologTick`] is an option.

use super::Reason;
use super::fields::{Cursor, check_extent, hash};
use super::parse::{Context, Fault, Parse};
use bandgraph_workload::{OperationKind, Record};

/// The unit of times in version 3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IologTick {
    /// Microseconds, as fio itself writes and reads them.
    #[default]
    Microsecond,
    /// Milliseconds.
    Millisecond,
}

impl IologTick {
    /// Each unit with its name and description, for arguments.
    #[rustfmt::skip]
    pub const CHOICES: &[(Self, &str, &str)] = &[
        (Self::Microsecond, "us", "Microseconds, as fio writes and reads them"),
        (Self::Millisecond, "ms", "Milliseconds, as some other programs write them"),
    ];

    const fn nanoseconds(self) -> u64 {
        match self {
            Self::Microsecond => 1000,
            Self::Millisecond => 1_000_000,
        }
    }
}

/// The version of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Two,
    Three,
}

/// Parser of both versions.
pub(super) struct Iolog {
    version: Version,
    tick_ns: u64,
    /// The sum of the waits of version 2.
    waited_ns: u64,
    record: Option<Record>,
}

impl Iolog {
    /// Version 2.
    pub(super) fn two() -> Self {
        Self {
            version: Version::Two,
            tick_ns: 1000,
            waited_ns: 0,
            record: None,
        }
    }

    /// Version 3, with times in ticks.
    pub(super) fn three(tick: IologTick) -> Self {
        Self {
            version: Version::Three,
            tick_ns: tick.nanoseconds(),
            waited_ns: 0,
            record: None,
        }
    }
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
        let written = match self.version {
            Version::Two => None,
            Version::Three => {
                cursor.blanks();
                let written = cursor.decimal().map_err(|fault| match fault.reason {
                    Reason::BadNumber => Fault::at(Reason::BadTime, fault.at),
                    _ => fault,
                })?;
                cursor.end_of_token()?;
                Some(
                    written
                        .checked_mul(self.tick_ns)
                        .ok_or(Fault::at(Reason::OutOfRange, 0))?,
                )
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
            Action::Wait if self.version == Version::Two => {
                let wait_ns = offset
                    .checked_mul(self.tick_ns)
                    .ok_or(Fault::at(Reason::OutOfRange, offset_at))?;
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
