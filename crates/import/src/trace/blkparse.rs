//! The default text of blkparse: `major,minor cpu sequence time pid action rwbs sector + sectors [process]`
//! (blkparse(1), "OUTPUT DESCRIPTION AND FORMATTING").
//!
//! A request has a line when it is queued (`Q`), and others until its completion (`C`). Its start is the
//! queueing, or, in traces without it, the issue to the device (`D`). Its end is the completion with the same
//! device, direction and first sector. A request that is merged into another (`M`, `F`) has no completion of
//! its own, and therefore no latency. All requests belong to one client: the traced machine.

use super::Reason;
use super::fields::{Cursor, check_extent, hash, mix};
use super::parse::{Context, Fault, Parse};
use super::window::Window;
use bandgraph_workload::{OperationKind, Record};

/// Bytes of a sector in traces of any device.
const SECTOR: u64 = 512;

/// Parser of the format.
#[derive(Default)]
pub(super) struct Blkparse {
    window: Window,
    /// Requests have a line when they are queued, so that the line of their issue is redundant.
    queued: bool,
    /// Whether the summary at the end has started.
    ended: bool,
    lines: bool,
}

/// The contents of the `rwbs` field.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    operation: Option<OperationKind>,
    /// Write-through to stable storage (FUA).
    stable: bool,
    /// A flush of earlier writes.
    flush: bool,
}

/// Parses the `rwbs` field: a letter for the direction; an `F` before it is a flush, an `F` after it is FUA.
fn kind(rwbs: &[u8]) -> Option<Kind> {
    let mut kind = Kind {
        operation: None,
        stable: false,
        flush: false,
    };
    let mut directed = false;
    for letter in rwbs {
        match letter {
            b'R' if !directed => (kind.operation, directed) = (Some(OperationKind::Read), true),
            b'W' if !directed => (kind.operation, directed) = (Some(OperationKind::Write), true),
            // Discard; none.
            b'D' | b'N' if !directed => directed = true,
            b'F' if directed => kind.stable = true,
            b'F' => kind.flush = true,
            // Barrier, synchronous, metadata, read-ahead, secure erase: the context of a request, not its
            // kind.
            b'B' | b'S' | b'M' | b'A' | b'E' => {}
            _ => return None,
        }
    }
    (directed || kind.flush).then_some(kind)
}

impl Blkparse {
    /// Processes a line of the summary, or a malformed line.
    #[cold]
    fn other(&mut self, line: &[u8]) -> Result<(), Fault> {
        let begins = |word: &[u8]| line.starts_with(word);
        if self.lines && (begins(b"CPU") || begins(b"Total") || begins(b"Throughput") || begins(b"Events")) {
            self.ended = true;
            return Ok(());
        }
        // Lines of the summary are indented.
        if self.ended && (begins(b" ") || begins(b"Skips")) {
            return Ok(());
        }
        Err(Fault::at(Reason::NotALine, 0))
    }
}

impl Parse for Blkparse {
    #[inline]
    fn line(&mut self, line: &[u8], context: &mut Context) -> Result<(), Fault> {
        let mut cursor = Cursor::new(line);
        let device = cursor.token();
        if !device.first().is_some_and(u8::is_ascii_digit) || !device.contains(&b',') {
            return self.other(line);
        }
        self.lines = true;
        let (_processor, _sequence) = (cursor.token(), cursor.token());
        let time = cursor;
        let _time = cursor.token();
        let _process = cursor.token();
        let action = cursor.token();
        if !matches!(action, b"Q" | b"D" | b"C" | b"M" | b"F") {
            // Intermediate steps, messages, plugging, remapping.
            return if action.is_empty() {
                Err(Fault::at(Reason::MissingField, cursor.at()))
            } else {
                Ok(())
            };
        }
        let written = {
            let mut time = time;
            let at = time.at();
            let (seconds, decimals) = time.seconds()?;
            time.end_of_token()?;
            seconds
                .nanoseconds(decimals)
                .ok_or(Fault::at(Reason::BadTime, at))?
        };
        let rwbs_at = cursor.at();
        let kind = kind(cursor.token()).ok_or(Fault::at(
            if cursor.rest().is_empty() && rwbs_at == line.len() {
                Reason::MissingField
            } else {
                Reason::UnknownOperation
            },
            rwbs_at,
        ))?;
        let sector_at = cursor.at();
        // A flush has no sectors: the name of the process, or an error code, follows.
        let place = match cursor.peek() {
            Some(b'[') | None => None,
            _ => {
                let sector = cursor.decimal()?;
                cursor.end_of_token()?;
                if cursor.peek() == Some(b'+') {
                    cursor.skip(1);
                    cursor.blanks();
                    let sectors = cursor.decimal()?;
                    cursor.end_of_token()?;
                    Some((sector, sectors))
                } else {
                    None
                }
            }
        };
        let (operation, offset, bytes) = match (kind.operation, place) {
            (Some(operation), Some((sector, sectors))) if sectors > 0 => {
                let offset = sector.checked_mul(SECTOR);
                let bytes = sectors.checked_mul(SECTOR);
                let (Some(offset), Some(bytes)) = (offset, bytes) else {
                    return Err(Fault::at(Reason::OutOfRange, sector_at));
                };
                check_extent(offset, bytes, sector_at)?;
                (operation, offset, bytes)
            }
            _ if kind.flush => (OperationKind::Commit, 0, 0),
            (None, _) => {
                if action == b"Q" {
                    context.skipped.add(Reason::NotModelled);
                }
                return Ok(());
            }
            (Some(_), _) => return Err(Fault::at(Reason::MissingField, cursor.at())),
        };
        let now = context.clock.at(written, &mut context.skipped);
        let device = hash(device);
        let key = mix(device ^ mix(offset ^ operation as u64));
        match action {
            b"Q" | b"D" => {
                if action == b"Q" {
                    self.queued = true;
                } else if self.queued {
                    return Ok(());
                }
                let record = Record {
                    start_ns: now,
                    latency_ns: None,
                    client: 0,
                    file: device,
                    operation,
                    offset,
                    bytes,
                    stable: kind.stable,
                };
                self.window.call(key, record);
            }
            b"C" => match self.window.answer(key) {
                Some(record) => record.latency_ns = Some(now - record.start_ns),
                None => context.skipped.add(Reason::ReplyWithoutCall),
            },
            // A merged request ends with another.
            _ => {
                self.window.answer(key);
            }
        }
        Ok(())
    }

    #[inline]
    fn pop(&mut self, context: &mut Context) -> Option<Record> {
        self.window.pop(&mut context.skipped)
    }

    fn finish(&mut self) {
        self.window.finish();
    }
}
