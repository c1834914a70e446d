//! Tokens and numbers from bytes, without copying.

use super::Reason;
use super::parse::Fault;

/// The maximum data of one operation: far more than an NFS server or a disk accepts. A larger size counts as
/// malformed.
const LARGEST_OPERATION: u64 = 1 << 30;

/// Checks that data of one operation is not too large, and ends below 2^64.
#[inline]
pub(super) fn check_extent(offset: u64, bytes: u64, at: usize) -> Result<(), Fault> {
    if bytes > LARGEST_OPERATION || offset.checked_add(bytes).is_none() {
        return Err(Fault::at(Reason::OutOfRange, at));
    }
    Ok(())
}

/// The lines of `text`; the last one only if it is complete, or if `ended` says that nothing follows.
pub(super) fn lines_of(text: &[u8], ended: bool) -> impl Iterator<Item = &[u8]> {
    let whole = if ended {
        text.len()
    } else {
        memchr::memrchr(b'\n', text).unwrap_or(0)
    };
    text[..whole].split(|byte| *byte == b'\n')
}

/// A position in a line, which moves from token to token. Blanks separate tokens.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { line, at: 0 }
    }

    /// The part that is not consumed.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.line.get(self.at..).unwrap_or_default()
    }

    /// The number of consumed bytes.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next byte.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.line.get(self.at).copied()
    }

    #[inline]
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Consumes blanks.
    #[inline]
    pub(super) fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// The next eight bytes, if there are eight.
    #[inline]
    fn word(&self) -> Option<u64> {
        self.rest().first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
    }

    /// The next token, empty at the end of the line. Consumes it and the blanks after it.
    #[inline]
    pub(super) fn token(&mut self) -> &'a [u8] {
        self.blanks();
        let from = self.at;
        // Eight bytes at a time: a byte below 0x21 sets the high bit of its place (Anderson: Bit Twiddling
        // Hacks, "hasless"); the lowest set bit is reliable.
        while let Some(word) = self.word() {
            let blank = word.wrapping_sub(0x2121_2121_2121_2121) & !word & 0x8080_8080_8080_8080;
            if blank != 0 {
                self.at += blank.trailing_zeros() as usize / 8;
                break;
            }
            self.at += 8;
        }
        while let Some(byte) = self.peek() {
            if matches!(byte, b' ' | b'\t') {
                break;
            }
            self.at += 1;
        }
        let token = self.line.get(from..self.at).unwrap_or_default();
        self.blanks();
        token
    }

    /// The next token, optimised for long ones.
    #[inline]
    pub(super) fn long_token(&mut self) -> &'a [u8] {
        self.blanks();
        let rest = self.rest();
        let token = &rest[..memchr::memchr(b' ', rest).unwrap_or(rest.len())];
        self.at += token.len();
        self.blanks();
        token
    }

    /// A decimal number that ends at a blank, comma or full stop; `until` selects which.
    #[inline]
    pub(super) fn decimal(&mut self) -> Result<u64, Fault> {
        let from = self.at;
        let mut value: u64 = 0;
        while self.at - from < 16
            && let Some(eight) = self.word().and_then(eight_digits)
        {
            value = value * 100_000_000 + eight;
            self.at += 8;
        }
        while let Some(byte) = self.peek() {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            // Nineteen digits cannot overflow.
            value = if self.at - from < 19 {
                value * 10 + u64::from(digit)
            } else {
                value
                    .checked_mul(10)
                    .and_then(|value| value.checked_add(u64::from(digit)))
                    .ok_or(Fault::at(Reason::OutOfRange, from))?
            };
            self.at += 1;
        }
        if self.at == from {
            return Err(self.no_number());
        }
        Ok(value)
    }

    /// A hexadecimal number, with any number of leading zeros.
    #[inline]
    pub(super) fn hexadecimal(&mut self) -> Result<u64, Fault> {
        let from = self.at;
        let mut value: u64 = 0;
        while let Some(byte) = self.peek() {
            let digit = HEXADECIMAL[usize::from(byte)];
            if digit > 15 {
                break;
            }
            if value >> 60 != 0 {
                return Err(Fault::at(Reason::OutOfRange, from));
            }
            value = value << 4 | u64::from(digit);
            self.at += 1;
        }
        if self.at == from {
            return Err(self.no_number());
        }
        Ok(value)
    }

    /// The error for a missing number.
    #[cold]
    fn no_number(&self) -> Fault {
        let reason = match self.rest() {
            [] => Reason::MissingField,
            [b'-', digit, ..] if digit.is_ascii_hexdigit() => Reason::Negative,
            _ => Reason::BadNumber,
        };
        Fault::at(reason, self.at)
    }

    /// Consumes the blanks that must end a number, or the end of the line.
    #[inline]
    pub(super) fn end_of_token(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(b' ' | b'\t') => {
                self.blanks();
                Ok(())
            }
            Some(_) => Err(Fault::at(Reason::BadNumber, self.at)),
        }
    }

    /// Consumes a comma.
    #[inline]
    pub(super) fn comma(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(())
            }
            None => Err(Fault::at(Reason::MissingField, self.at)),
            Some(_) => Err(Fault::at(Reason::BadNumber, self.at)),
        }
    }

    /// The text up to the next comma. Consumes both.
    #[inline]
    pub(super) fn until_comma(&mut self) -> Result<&'a [u8], Fault> {
        let from = self.at;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b',' {
                return Ok(&self.line[from..self.at - 1]);
            }
        }
        Err(Fault::at(Reason::MissingField, self.at))
    }

    /// Seconds with up to nine decimals, and the number of decimals.
    #[inline]
    pub(super) fn seconds(&mut self) -> Result<(Seconds, usize), Fault> {
        let from = self.at;
        let bad = |_| Fault::at(Reason::BadTime, from);
        let whole = self.decimal().map_err(bad)?;
        if self.peek() != Some(b'.') {
            return Ok((Seconds { whole, fraction: 0 }, 0));
        }
        self.at += 1;
        let first = self.at;
        let fraction = self.decimal().map_err(bad)?;
        Ok((Seconds { whole, fraction }, self.at - first))
    }
}

/// A time as written: seconds, and the digits after the decimal point.
#[derive(Clone, Copy)]
pub(super) struct Seconds {
    whole: u64,
    fraction: u64,
}

/// The value of the last decimal in nanoseconds, by number of decimals.
const DECIMALS: [u64; 10] = [
    0,
    100_000_000,
    10_000_000,
    1_000_000,
    100_000,
    10_000,
    1000,
    100,
    10,
    1,
];

impl Seconds {
    /// In nanoseconds, for a fraction with `decimals` decimals; `None` beyond nine decimals, or beyond 2^64.
    #[inline]
    pub(super) fn nanoseconds(self, decimals: usize) -> Option<u64> {
        let scale = *DECIMALS.get(decimals)?;
        // Nine decimals of nanoseconds are less than a second.
        self.whole
            .checked_mul(1_000_000_000)?
            .checked_add(self.fraction * scale)
    }

    /// In nanoseconds, for a fraction that is a number of microseconds printed without leading zeros.
    pub(super) fn nanoseconds_of_microseconds(self) -> Option<u64> {
        if self.fraction >= 1_000_000 {
            return None;
        }
        self.whole
            .checked_mul(1_000_000_000)?
            .checked_add(self.fraction * 1000)
    }
}

/// The value of each byte as a hexadecimal digit; 255 for other bytes.
const HEXADECIMAL: [u8; 256] = {
    let mut table = [255; 256];
    let mut digit = 0;
    while digit < 16 {
        let upper = b"0123456789ABCDEF"[digit];
        table[upper as usize] = digit as u8;
        table[upper.to_ascii_lowercase() as usize] = digit as u8;
        digit += 1;
    }
    table
};

/// The number of eight digits, the first of which is in the lowest byte; `None` unless all are digits.
///
/// Digits are combined in pairs, pairs of pairs, and once more (Lemire: Quickly parsing eight digits).
#[inline]
const fn eight_digits(word: u64) -> Option<u64> {
    let high = word & 0xf0f0_f0f0_f0f0_f0f0;
    let carried = word.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    if (high | carried >> 4) != 0x3333_3333_3333_3333 {
        return None;
    }
    let digits = word.wrapping_sub(0x3030_3030_3030_3030);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff)
}

/// A 64-bit hash of bytes, eight at a time: the same on every machine, and good enough to distinguish names.
#[inline]
pub(super) fn hash(bytes: &[u8]) -> u64 {
    // The multiplier of splitmix64 (Steele, Lea, Flood, OOPSLA 2014), and its finaliser.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = (state ^ u64::from_le_bytes(*word)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 32;
    }
    let last = match (bytes.last_chunk::<8>(), rest.is_empty()) {
        (_, true) => 0,
        // The last eight bytes may overlap earlier ones; the hash includes the length.
        (Some(last), false) => u64::from_le_bytes(*last),
        (None, false) => rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    mix(state ^ last)
}

/// Mixes the bits of a word.
#[inline]
pub(super) const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_to_the_last_that_fits() {
        let read = |text: &str| {
            Cursor::new(text.as_bytes())
                .decimal()
                .map_err(|fault| fault.reason)
        };
        assert_eq!(read("0"), Ok(0));
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(read("18446744073709551616"), Err(Reason::OutOfRange));
        assert_eq!(read("99999999999999999999999"), Err(Reason::OutOfRange));
        assert_eq!(read("-1"), Err(Reason::Negative));
        assert_eq!(read("x"), Err(Reason::BadNumber));
        assert_eq!(read(""), Err(Reason::MissingField));
    }

    /// Compared with the standard library, for every length and around every limit.
    #[test]
    fn decimals_are_those_of_the_standard_library() {
        let powers = (0..20).map(|power| 10_u64.pow(power));
        let numbers = powers
            .flat_map(|power| {
                [
                    power - 1,
                    power,
                    power + 1,
                    power.wrapping_mul(7),
                    u64::MAX / power,
                ]
            })
            .chain([u64::MAX, 1_234_567_890_123_456_789]);
        for number in numbers {
            for rest in ["", " ", ",rest of the line", "x12345678", "/:"] {
                let text = format!("{number}{rest}");
                let mut cursor = Cursor::new(text.as_bytes());
                assert_eq!(cursor.decimal(), Ok(number), "{text}");
                assert_eq!(cursor.rest(), rest.as_bytes());
            }
        }
    }

    #[test]
    fn tokens_end_at_blanks_wherever_these_stand() {
        for length in 1..20 {
            for after in ["", " ", "  b", " a token of more than eight bytes", "\t\u{e9}"] {
                let token = "é!~".repeat(7)[..].chars().take(length).collect::<String>();
                let text = format!("  {token}{after}");
                let mut cursor = Cursor::new(text.as_bytes());
                assert_eq!(cursor.token(), token.as_bytes(), "{text}");
                assert_eq!(cursor.rest(), after.trim_start().as_bytes(), "{text}");
            }
        }
    }

    #[test]
    fn hexadecimals_are_read_to_the_last_that_fits() {
        let read = |text: &str| {
            Cursor::new(text.as_bytes())
                .hexadecimal()
                .map_err(|fault| fault.reason)
        };
        assert_eq!(read("1cf0d105"), Ok(0x1cf0_d105));
        assert_eq!(read("FFFFffffFFFFffff"), Ok(u64::MAX));
        assert_eq!(read("000000000000000000ff"), Ok(255));
        assert_eq!(read("10000000000000000"), Err(Reason::OutOfRange));
        assert_eq!(read("-1"), Err(Reason::Negative));
        assert_eq!(read("g"), Err(Reason::BadNumber));
    }

    #[test]
    fn seconds_keep_their_decimals() {
        let read = |text: &str| {
            let (seconds, decimals) = Cursor::new(text.as_bytes()).seconds().ok()?;
            seconds.nanoseconds(decimals)
        };
        assert_eq!(read("1006231504.285023"), Some(1_006_231_504_285_023_000));
        assert_eq!(read("0.000000001"), Some(1));
        assert_eq!(read("5"), Some(5_000_000_000));
        assert_eq!(read("5."), None);
        assert_eq!(read("5.0000000001"), None);
        assert_eq!(read("18446744074.0"), None);
    }

    #[test]
    fn hashes_tell_names_apart() {
        let names: Vec<Vec<u8>> = (0..=40)
            .map(|length| vec![0; length])
            .chain((0..1000).map(|n: u32| n.to_string().into_bytes()))
            .collect();
        let mut hashes: Vec<u64> = names.iter().map(|name| hash(name)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), names.len());
    }
}
