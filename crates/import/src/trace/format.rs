//! The formats of traces, detected by content.

use super::fields::{Cursor, lines_of};
use bandgraph_config::words;

words! {
    /// The format of a trace.
    pub enum Format: "a trace format" {
        /// The text of nfsdump (Ellard, Harvard): one line per call, one per reply.
        Nfsdump = "nfsdump": "The text of nfsdump",
        /// An I/O log of fio, version 2: waits between I/Os.
        Iolog2 = "iolog2": "A log of fio, version 2",
        /// An I/O log of fio, version 3: a time on every line.
        Iolog3 = "iolog3": "A log of fio, version 3",
        /// The block traces of Microsoft Research Cambridge: comma-separated values.
        Msr = "msr": "The CSV of the Microsoft Research Cambridge traces",
        /// The default text of blkparse: one line per step of a request through the Linux block layer.
        Blkparse = "blkparse": "The default text of blkparse",
    }
}

impl Format {
    /// Whether its operations are those of a file server, not of a block device.
    pub const fn has_files(self) -> bool {
        matches!(self, Self::Nfsdump)
    }

    /// Detects the format from `text`, the beginning of a trace; `None` if no complete line matches a format.
    /// `ended` says that the text is complete, so that its last line is complete too.
    pub(super) fn detect(text: &[u8], ended: bool) -> Option<Self> {
        lines_of(text, ended).find_map(Self::of_line)
    }

    fn of_line(line: &[u8]) -> Option<Self> {
        if line.starts_with(b"fio version 2 iolog") {
            return Some(Self::Iolog2);
        }
        if line.starts_with(b"fio version 3 iolog") {
            return Some(Self::Iolog3);
        }
        let commas = memchr::memchr_iter(b',', line).count();
        let mut cursor = Cursor::new(line);
        let first = cursor.token();
        let number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        if commas == 6 {
            let mut fields = line.split(|byte| *byte == b',');
            let kind = fields.clone().nth(3)?;
            if fields.next().is_some_and(number) && is_read_or_write(kind) {
                return Some(Self::Msr);
            }
        }
        let mut numbers = first.split(|byte| *byte == b',');
        if first.contains(&b',') && numbers.all(number) {
            let (cpu, sequence) = (cursor.token(), cursor.token());
            if number(cpu) && number(sequence) {
                return Some(Self::Blkparse);
            }
            return None;
        }
        let direction = [cursor.token(), cursor.token(), cursor.token(), cursor.token()][3];
        matches!(direction, b"C3" | b"R3" | b"C2" | b"R2").then_some(Self::Nfsdump)
    }
}

fn is_read_or_write(kind: &[u8]) -> bool {
    kind.eq_ignore_ascii_case(b"read") || kind.eq_ignore_ascii_case(b"write")
}
