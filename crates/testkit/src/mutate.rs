//! Deterministic damage to texts and bytes, as input of fuzz targets.
//!
//! A [`Mutator`] recognises tokens (numbers, words, quoted texts, marks) and lines, of which TOML, JSON, XML,
//! CSV and the output of most programs consist, and mixes parts of different samples. The same stream and
//! seed give the same mutations, so that a name and two numbers replay a failure.

use std::ops::Range;

/// Texts that often expose errors in readers: limits of numbers, signs, brackets, units, bytes that are not
/// UTF-8.
const TOKENS: [&[u8]; 36] = [
    b"0",
    b"-1",
    b"1e308",
    b"1e-308",
    b"NaN",
    b"inf",
    b"0.0",
    b"4294967296",
    b"18446744073709551616",
    b"99999999999999999999",
    b"0xffffffffff",
    b"\"\"",
    b"\"",
    b"'",
    b"[",
    b"]",
    b"[[",
    b"{",
    b"}",
    b"<",
    b">",
    b"</",
    b"=",
    b",",
    b";",
    b":",
    b"..",
    b"\\",
    b"#",
    b"\n",
    b"\t",
    b"\r\n",
    b"\xff\xfe",
    b"\0",
    b"null",
    b"%",
];

/// Units and numbers that are exchanged in files of this project.
const UNITS: [&str; 16] = [
    "GB/s", "GiB/s", "Gbit/s", "MB/s", "GB", "GiB", "KiB", "us", "ms", "s", "GHz", "MHz", "%", "W", "ops/s",
    "gen3 x8",
];

/// A generator of reproducible random changes (splitmix64).
#[derive(Clone, Debug)]
pub struct Mutator {
    state: u64,
}

impl Mutator {
    /// The mutator of a named stream.
    pub fn new(stream: &str, seed: u64) -> Self {
        // FNV-1a.
        let name = stream.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Self {
            state: name ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// One of `items`.
    ///
    /// # Panics
    ///
    /// Without items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// `sample` after one to four changes, with parts of `others`.
    pub fn mutate(&mut self, sample: &[u8], others: &[&[u8]]) -> Vec<u8> {
        let mut bytes = sample.to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut bytes, others);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, others: &[&[u8]]) {
        match self.below(12) {
            0 => self.change_byte(bytes),
            1 => {
                let range = self.range(bytes.len(), 200);
                bytes.drain(range);
            }
            2 => {
                let range = self.range(bytes.len(), 200);
                let part = bytes[range.clone()].to_vec();
                bytes.splice(range.start..range.start, part);
            }
            3 => {
                let range = self.range(bytes.len(), 200);
                let part: Vec<u8> = bytes.drain(range).collect();
                let to = self.below(bytes.len() + 1);
                bytes.splice(to..to, part);
            }
            4 => {
                let at = self.below(bytes.len() + 1);
                let token = *self.pick(&TOKENS);
                bytes.splice(at..at, token.iter().copied());
            }
            5 | 6 => self.change_token(bytes, others),
            7 => self.change_number(bytes),
            8 => self.change_line(bytes),
            9 => self.take_line(bytes, others),
            10 => {
                let unit = *self.pick(&UNITS);
                let at = self.token(bytes, |byte| byte.is_ascii_alphabetic() || byte == b'/');
                bytes.splice(at, unit.bytes());
            }
            _ if self.below(4) == 0 => {
                let end = self.below(bytes.len() + 1);
                bytes.truncate(end);
            }
            _ => self.change_byte(bytes),
        }
    }

    fn change_byte(&mut self, bytes: &mut [u8]) {
        let (at, bit) = (self.below(bytes.len()), self.below(8));
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << bit;
        }
    }

    fn range(&mut self, length: usize, most: usize) -> Range<usize> {
        let start = self.below(length);
        start..(start + self.below(most)).min(length)
    }

    /// A token of letters that satisfy `is_part`, or an empty range if there is none nearby.
    fn token(&mut self, bytes: &[u8], is_part: impl Fn(u8) -> bool) -> Range<usize> {
        let from = self.below(bytes.len());
        let Some(start) = bytes[from..].iter().position(|&byte| is_part(byte)) else {
            return from..from;
        };
        let start = from + start;
        let length = bytes[start..].iter().position(|&byte| !is_part(byte));
        start..length.map_or(bytes.len(), |length| start + length)
    }

    /// Replaces a word by another word of the same text or of another.
    fn change_token(&mut self, bytes: &mut Vec<u8>, others: &[&[u8]]) {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:".contains(&byte);
        let other = if others.is_empty() || self.below(3) > 0 {
            bytes.clone()
        } else {
            self.pick(others).to_vec()
        };
        let from = self.token(&other, is_part);
        let to = self.token(bytes, is_part);
        bytes.splice(to, other[from].iter().copied());
    }

    /// Makes a number slightly or much larger or smaller, or a limit.
    fn change_number(&mut self, bytes: &mut Vec<u8>) {
        let at = self.token(bytes, |byte| byte.is_ascii_digit() || byte == b'.');
        let number = String::from_utf8_lossy(&bytes[at.clone()])
            .parse::<f64>()
            .unwrap_or(1.0);
        let changed = match self.below(8) {
            0 => number + 1.0,
            1 => number - 1.0,
            2 => number * 2.0,
            3 => number / 2.0,
            4 => number * 1e6,
            5 => number * 1e-6,
            6 => 0.0,
            _ => -number,
        };
        bytes.splice(at, changed.to_string().into_bytes());
    }

    /// Removes, duplicates or moves a line.
    fn change_line(&mut self, bytes: &mut Vec<u8>) {
        let line = self.line(bytes);
        let part = bytes[line.clone()].to_vec();
        let what = self.below(3);
        if what != 1 {
            bytes.drain(line);
        }
        if what > 0 {
            let to = self.line(bytes).start;
            bytes.splice(to..to, part);
        }
    }

    /// Inserts lines of another text.
    fn take_line(&mut self, bytes: &mut Vec<u8>, others: &[&[u8]]) {
        if others.is_empty() {
            return;
        }
        let other = *self.pick(others);
        let first = self.line(other);
        let after = other[first.end..].split_inclusive(|&byte| byte == b'\n');
        let end = first.end + after.take(self.below(6)).map(<[u8]>::len).sum::<usize>();
        let to = self.line(bytes).start;
        bytes.splice(to..to, other[first.start..end].iter().copied());
    }

    /// A line with its line ending.
    fn line(&mut self, bytes: &[u8]) -> Range<usize> {
        let at = self.below(bytes.len());
        let start = bytes[..at].iter().rposition(|&byte| byte == b'\n');
        let end = bytes[at..].iter().position(|&byte| byte == b'\n');
        start.map_or(0, |start| start + 1)..end.map_or(bytes.len(), |end| at + end + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_and_a_seed_give_the_same_mutations() {
        let sample = b"[[card]]\nid = \"nic0\"\nports = 2\n";
        let all = |stream: &str, seed| -> Vec<Vec<u8>> {
            let mut mutator = Mutator::new(stream, seed);
            (0..200).map(|_| mutator.mutate(sample, &[b"x = 1\n"])).collect()
        };
        assert_eq!(all("a", 1), all("a", 1));
        assert_ne!(all("a", 1), all("b", 1));
        assert_ne!(all("a", 1), all("a", 2));
        let changed = all("a", 1).iter().filter(|bytes| bytes[..] != sample[..]).count();
        assert!(changed > 150, "{changed} of 200 differ from the sample");
    }

    #[test]
    fn empty_texts_can_be_changed() {
        let mut mutator = Mutator::new("empty", 1);
        for _ in 0..1000 {
            mutator.mutate(b"", &[]);
            mutator.mutate(b"\n", &[b""]);
        }
    }
}
