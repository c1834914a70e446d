//! Writers of traces.

mod pending;

use std::io::{self, Write};

use super::Format;
use super::nfsdump::PROCEDURES;
use bandgraph_workload::{OperationKind, Record};
use pending::Pending;

/// Nanoseconds of a second.
const SECOND_NS: u64 = 1_000_000_000;

/// The written time of the first record, in seconds since 1970: an hour of the published nfsdump traces.
const EPOCH_S: u64 = 1_006_231_504;

/// Windows ticks of 100 ns from 1601 to 1970.
const WINDOWS_EPOCH_TICKS: u64 = 116_444_736_000_000_000;

/// Writes records in a format, in order of their start.
///
/// Formats for devices have no operations on names: those are omitted and counted.
pub struct Writer<W> {
    out: W,
    format: Format,
    lines: u64,
    left_out: u64,
    started: bool,
    /// The time of the last record in version 2 of fio's logs.
    last_us: u64,
    /// Replies and completions to write later.
    pending: Pending,
}

impl<W: Write> Writer<W> {
    /// A writer to `out`, which should be buffered.
    pub fn new(out: W, format: Format) -> Self {
        Self {
            out,
            format,
            lines: 0,
            left_out: 0,
            started: false,
            last_us: 0,
            pending: Pending::default(),
        }
    }

    /// The number of records that the format cannot express.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Writes a record, after the ends that precede its start.
    pub fn record(&mut self, record: &Record) -> io::Result<()> {
        if !self.format.has_files()
            && !matches!(
                record.operation,
                OperationKind::Read | OperationKind::Write | OperationKind::Commit
            )
        {
            self.left_out += 1;
            return Ok(());
        }
        if !std::mem::replace(&mut self.started, true) {
            self.begin()?;
        }
        match self.format {
            Format::Nfsdump => {
                self.ends_until(record.start_ns)?;
                self.call(record)
            }
            Format::Iolog2 | Format::Iolog3 => self.io(record),
            Format::Msr => self.comma_separated(record),
            Format::Blkparse => {
                self.ends_until(record.start_ns)?;
                self.step(record, record.start_ns, 'Q')?;
                self.pending.add(record, self.lines);
                Ok(())
            }
        }
    }

    /// Writes the remaining ends, and returns the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.ends_until(u64::MAX)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn begin(&mut self) -> io::Result<()> {
        match self.format {
            Format::Iolog2 => self.out.write_all(b"fio version 2 iolog\n"),
            Format::Iolog3 => self.out.write_all(b"fio version 3 iolog\n"),
            Format::Nfsdump | Format::Msr | Format::Blkparse => Ok(()),
        }
    }

    /// Writes all ends up to this time.
    fn ends_until(&mut self, now_ns: u64) -> io::Result<()> {
        while let Some((end_ns, number, record)) = self.pending.pop_until(now_ns) {
            match self.format {
                Format::Nfsdump => self.reply(&record, end_ns, number)?,
                _ => self.step(&record, end_ns, 'C')?,
            }
        }
        Ok(())
    }

    /// The time, endpoints and names at the beginning of an nfsdump line.
    fn nfsdump_head(&mut self, record: &Record, at_ns: u64, number: u64, call: bool) -> io::Result<()> {
        let seconds = EPOCH_S + at_ns / SECOND_NS;
        let microseconds = at_ns % SECOND_NS / 1000;
        // Clients have addresses from 10.0.0.0 and port 1021; the server is 10.255.255.254, port 2049.
        let client = 0x0a00_0000 | record.client & 0x00ff_ffff;
        let mut procedures = (0..).zip(PROCEDURES);
        let procedure = procedures.find(|(_, (_, operation))| *operation == record.operation);
        let (procedure, (name, _)) = procedure.expect("every operation is a procedure");
        write!(self.out, "{seconds}.{microseconds:06} ")?;
        if call {
            write!(self.out, "{client:x}.03fd afffffe.0801 T C3 ")?;
        } else {
            write!(self.out, "afffffe.0801 {client:x}.03fd T R3 ")?;
        }
        write!(self.out, "{:x} {procedure:x} {name} ", number as u32)
    }

    fn call(&mut self, record: &Record) -> io::Result<()> {
        self.lines += 1;
        let number = self.lines;
        self.nfsdump_head(record, record.start_ns, number, true)?;
        let field = if record.operation == OperationKind::Commit {
            "file"
        } else {
            "fh"
        };
        // Handles of 32 bytes, as in the published traces.
        write!(self.out, "{field} {:016x}{:048x} ", record.file, 0x0100_0a01_u32)?;
        match record.operation {
            OperationKind::Read => write!(self.out, "off {:x} count {:x} ", record.offset, record.bytes)?,
            OperationKind::Write => {
                let stable = if record.stable { 'F' } else { 'U' };
                write!(
                    self.out,
                    "off {:x} count {:x} stable {stable} ",
                    record.offset, record.bytes
                )?;
            }
            OperationKind::Commit => self.out.write_all(b"off 0 count 0 ")?,
            _ => {}
        }
        self.out.write_all(b"con = 82 len = 96\n")?;
        self.pending.add(record, number);
        Ok(())
    }

    fn reply(&mut self, record: &Record, end_ns: u64, number: u64) -> io::Result<()> {
        self.nfsdump_head(record, end_ns, number, false)?;
        self.out.write_all(b"OK ")?;
        if record.operation == OperationKind::Read {
            // Attributes are part of every read reply.
            write!(
                self.out,
                "ftype 1 mode 1a4 nlink 1 uid 0 gid 0 size {:x} used {:x} rdev 0 rdev2 0 fsid 1 fileid {:x} \
                 atime {EPOCH_S}.000000 mtime {EPOCH_S}.000000 ctime {EPOCH_S}.000000 count {:x} eof 0 ",
                record.offset + record.bytes,
                record.offset + record.bytes,
                record.file,
                record.bytes
            )?;
        }
        self.out.write_all(b"status=0 pl = 6c con = 82 len = 96\n")
    }

    fn io(&mut self, record: &Record) -> io::Result<()> {
        let at_us = record.start_ns / 1000;
        let action = match record.operation {
            OperationKind::Read => "read",
            OperationKind::Write => "write",
            _ => "sync",
        };
        if self.format == Format::Iolog3 {
            write!(self.out, "{at_us} ")?;
        } else if at_us > self.last_us {
            writeln!(self.out, "/f{:x} wait {} 0", record.file, at_us - self.last_us)?;
            self.last_us = at_us;
        }
        writeln!(
            self.out,
            "/f{:x} {action} {} {}",
            record.file, record.offset, record.bytes
        )
    }

    fn comma_separated(&mut self, record: &Record) -> io::Result<()> {
        let kind = match record.operation {
            OperationKind::Read => "Read",
            OperationKind::Write => "Write",
            _ => {
                self.left_out += 1;
                return Ok(());
            }
        };
        writeln!(
            self.out,
            "{},c{},{},{kind},{},{},{}",
            WINDOWS_EPOCH_TICKS + EPOCH_S * 10_000_000 + record.start_ns / 100,
            record.client,
            record.file,
            record.offset,
            record.bytes,
            record.latency_ns.unwrap_or(0) / 100
        )
    }

    /// Writes a line of blkparse. Files become devices, and sizes are whole sectors.
    fn step(&mut self, record: &Record, at_ns: u64, action: char) -> io::Result<()> {
        self.lines += 1;
        let (seconds, nanoseconds) = (at_ns / SECOND_NS, at_ns % SECOND_NS);
        let rwbs = match record.operation {
            OperationKind::Read => "R",
            OperationKind::Write if record.stable => "WFS",
            OperationKind::Write => "W",
            _ => "FN",
        };
        write!(
            self.out,
            "{:>3},{:<3} {:>2} {:>8} {seconds:>5}.{nanoseconds:09} {:>5} {action:>2} {rwbs:>3} ",
            8 + record.file / 256,
            record.file % 256,
            record.client,
            self.lines,
            record.client + 1000
        )?;
        if record.operation.moves_data() {
            write!(
                self.out,
                "{} + {} ",
                record.offset / 512,
                record.bytes.div_ceil(512)
            )?;
        }
        self.out
            .write_all(if action == 'C' { b"[0]\n" } else { b"[client]\n" })
    }
}
