//! The block traces of Microsoft Research Cambridge: one line per I/O with seven fields, separated by commas.
//!
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, times in Windows ticks of 100 ns
//! (Narayanan, Donnelly, Rowstron: Write Off-Loading, FAST 2008; the readme of the traces at SNIA).

use super::Reason;
use super::fields::{Cursor, check_extent, hash, mix};
use super::parse::{Context, Fault, Parse};
use bandgraph_workload::{OperationKind, Record};

/// Nanoseconds of a Windows tick.
const TICK_NS: u64 = 100;

/// Parser of the format.
#[derive(Default)]
pub(super) struct Msr {
    record: Option<Record>,
}

impl Parse for Msr {
    #[inline]
    fn line(&mut self, line: &[u8], context: &mut Context) -> Result<(), Fault> {
        let mut cursor = Cursor::new(line);
        let ticks = |ticks: u64, at| {
            ticks
                .checked_mul(TICK_NS)
                .ok_or(Fault::at(Reason::OutOfRange, at))
        };
        let written = cursor.decimal()?;
        let written = ticks(written, 0)?;
        cursor.comma()?;
        let host = hash(cursor.until_comma()?);
        let disk = hash(cursor.until_comma()?);
        let kind_at = cursor.at();
        let operation = match cursor.until_comma()? {
            b"Read" => OperationKind::Read,
            b"Write" => OperationKind::Write,
            kind if kind.eq_ignore_ascii_case(b"read") => OperationKind::Read,
            kind if kind.eq_ignore_ascii_case(b"write") => OperationKind::Write,
            _ => return Err(Fault::at(Reason::UnknownOperation, kind_at)),
        };
        let offset_at = cursor.at();
        let offset = cursor.decimal()?;
        cursor.comma()?;
        let bytes = cursor.decimal()?;
        check_extent(offset, bytes, offset_at)?;
        cursor.comma()?;
        let latency_at = cursor.at();
        let latency = cursor.decimal()?;
        let latency = ticks(latency, latency_at)?;
        cursor.end_of_token()?;
        self.record = Some(Record {
            start_ns: context.clock.at(written, &mut context.skipped),
            latency_ns: Some(latency),
            client: context.clients.number(host),
            file: mix(host ^ disk.rotate_left(1)),
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
