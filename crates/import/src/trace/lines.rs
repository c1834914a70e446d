//! Lines of a stream, in a buffer of fixed size.

use std::io::{self, Read};

/// The longest accepted line: 64 KiB. The longest lines of any format list a directory, and are shorter.
pub const LONGEST_LINE: usize = 1 << 16;

/// Space for several of the longest lines.
const BUFFER: usize = 1 << 18;

/// One line, without its line ending.
pub(super) enum Line<'a> {
    /// A line, and whether it has a line ending, which only the last line of a file can lack.
    Text { text: &'a [u8], ended: bool },
    /// The beginning of a line longer than [`LONGEST_LINE`]; the rest is discarded.
    Long(&'a [u8]),
}

/// Splits a stream into lines.
pub(super) struct Lines<R> {
    source: R,
    buffer: Box<[u8]>,
    from: usize,
    to: usize,
    line: u64,
    exhausted: bool,
    /// Whether the rest of a long line is being discarded.
    passing: bool,
    /// An error of the source, to be returned after the lines before it.
    failure: Option<io::Error>,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            from: 0,
            to: 0,
            line: 0,
            exhausted: false,
            passing: false,
            failure: None,
        }
    }

    /// Skips a UTF-8 byte order mark at the beginning.
    pub(super) fn skip_mark(&mut self) {
        const MARK: &[u8] = "\u{feff}".as_bytes();
        while self.to - self.from < MARK.len() && !self.exhausted {
            self.read_on();
        }
        if self.buffer[self.from..self.to].starts_with(MARK) {
            self.from += MARK.len();
        }
    }

    /// The number of the latest line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.line
    }

    /// The buffered text from the next line on, and whether the source has ended. If `more`, reads from the
    /// source first.
    pub(super) fn look_ahead(&mut self, more: bool) -> (&[u8], bool) {
        if more {
            self.read_on();
        }
        (&self.buffer[self.from..self.to], self.exhausted)
    }

    /// The error of the source, unless it was returned already.
    pub(super) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// The next line, `None` at the end.
    #[inline]
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        match memchr::memchr(b'\n', &self.buffer[self.from..self.to]) {
            Some(length) if !self.passing && length <= LONGEST_LINE => Ok(Some(self.take(length))),
            _ => self.next_after_reading(),
        }
    }

    /// Returns a complete line of `length` whose end is in the buffer.
    #[inline]
    fn take(&mut self, length: usize) -> Line<'_> {
        let text = &self.buffer[self.from..self.from + length];
        self.from += length + 1;
        self.line += 1;
        Line::Text {
            text: text.strip_suffix(b"\r").unwrap_or(text),
            ended: true,
        }
    }

    fn next_after_reading(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.from..self.to]);
            match found {
                Some(length) if self.passing => {
                    self.from += length + 1;
                    self.passing = false;
                }
                None if self.passing => {
                    self.from = self.to;
                    if self.exhausted {
                        return self.failure.take().map_or(Ok(None), Err);
                    }
                    self.read_on();
                }
                Some(length) if length <= LONGEST_LINE => return Ok(Some(self.take(length))),
                _ if self.to - self.from > LONGEST_LINE => {
                    let from = self.from;
                    self.from += LONGEST_LINE;
                    self.passing = true;
                    self.line += 1;
                    return Ok(Some(Line::Long(&self.buffer[from..self.from])));
                }
                _ if !self.exhausted => self.read_on(),
                // After an error of the source, an incomplete line is not returned.
                _ if self.failure.is_some() => {
                    self.from = self.to;
                    return self.failure.take().map_or(Ok(None), Err);
                }
                _ if self.from == self.to => return Ok(None),
                _ => {
                    let (from, to) = (self.from, self.to);
                    self.from = self.to;
                    self.line += 1;
                    let text = &self.buffer[from..to];
                    return Ok(Some(Line::Text {
                        text: text.strip_suffix(b"\r").unwrap_or(text),
                        ended: false,
                    }));
                }
            }
        }
    }

    /// Appends the available bytes of the source to the buffer.
    fn read_on(&mut self) {
        if self.exhausted {
            return;
        }
        if self.to == self.buffer.len() {
            self.buffer.copy_within(self.from..self.to, 0);
            self.to -= self.from;
            self.from = 0;
        }
        if self.from == self.to {
            (self.from, self.to) = (0, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.to..]) {
                Ok(0) => self.exhausted = true,
                Ok(bytes) => self.to += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.exhausted = true;
                    self.failure = Some(error);
                }
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that returns a few bytes at a time.
    struct Dribble<'a>(&'a [u8], usize);

    impl Read for Dribble<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let bytes = self.1.min(self.0.len()).min(buffer.len());
            buffer[..bytes].copy_from_slice(&self.0[..bytes]);
            self.0 = &self.0[bytes..];
            Ok(bytes)
        }
    }

    fn lines(text: &[u8], step: usize) -> Vec<(String, bool)> {
        let mut lines = Lines::new(Dribble(text, step));
        let mut all = Vec::new();
        while let Some(line) = lines.next().expect("bytes in memory") {
            all.push(match line {
                Line::Text { text, ended } => (String::from_utf8_lossy(text).into_owned(), ended),
                Line::Long(beginning) => (format!("long {}", beginning.len()), false),
            });
        }
        all
    }

    #[test]
    fn lines_are_the_same_however_they_come() {
        let text = b"one\r\ntwo\n\nfour\nfive";
        let expected = [
            ("one", true),
            ("two", true),
            ("", true),
            ("four", true),
            ("five", false),
        ];
        for step in 1..=text.len() {
            let lines = lines(text, step);
            assert!(
                lines
                    .iter()
                    .map(|(line, ended)| (line.as_str(), *ended))
                    .eq(expected),
                "{step}"
            );
        }
    }

    #[test]
    fn long_lines_are_passed_over() {
        let mut text = b"a\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 * BUFFER + 7));
        text.extend(b"\nb\n");
        text.extend(std::iter::repeat_n(b'y', LONGEST_LINE));
        text.extend(b"\nc\n");
        text.extend(std::iter::repeat_n(b'z', LONGEST_LINE + 1));
        let long = (format!("long {LONGEST_LINE}"), false);
        let expected = [
            ("a".to_owned(), true),
            long.clone(),
            ("b".to_owned(), true),
            ("y".repeat(LONGEST_LINE), true),
            ("c".to_owned(), true),
            long,
        ];
        for step in [7919, BUFFER, usize::MAX] {
            assert_eq!(lines(&text, step), expected);
        }
    }
}
