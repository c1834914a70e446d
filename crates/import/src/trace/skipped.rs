//! Deviations from a format: counted by reason, with the first malformed lines.

use std::fmt;

/// The number of malformed lines to keep.
pub const KEPT_BAD_LINES: usize = 10;

/// The maximum length of an excerpt of a malformed line, in characters.
const EXCERPT: usize = 60;

/// Declares the reasons with their names and words.
macro_rules! reasons {
    ($($(#[$doc:meta])* $reason:ident => $name:literal, $kind:ident, $words:literal);+ $(;)?) => {
        /// Why a part of a trace was skipped or adjusted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $($(#[$doc])* $reason),+
        }

        impl Reason {
            /// Every reason, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$reason),+];

            /// The name in reports: `"bad_number"`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$reason => $name),+ }
            }

            /// The description, for people.
            pub const fn words(self) -> &'static str {
                match self { $(Self::$reason => $words),+ }
            }

            const fn kind(self) -> Kind {
                match self { $(Self::$reason => Kind::$kind),+ }
            }
        }
    };
}

/// The consequence of a reason.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The text is malformed; the line is skipped, and stops a strict reader.
    Bad,
    /// The text is valid but gives no record; skipped.
    Left,
    /// A record was made, with a remark.
    Kept,
}

reasons! {
    /// A missing field: the line ends too early.
    MissingField => "missing_field", Bad, "a field is missing";
    /// A number was expected.
    BadNumber => "bad_number", Bad, "not a number";
    /// A time was expected.
    BadTime => "bad_time", Bad, "not a time";
    /// An operation that the format does not have.
    UnknownOperation => "unknown_operation", Bad, "not an operation of this format";
    /// A size, offset or latency below zero.
    Negative => "negative", Bad, "a number below zero";
    /// A number that is too large, an operation of more than a GiB, or data that ends beyond 2^64.
    OutOfRange => "out_of_range", Bad, "a number out of range";
    /// A line longer than [`LONGEST_LINE`](super::LONGEST_LINE).
    LongLine => "long_line", Bad, "a line too long for any format";
    /// A line that does not match the format at all.
    NotALine => "not_a_line", Bad, "not a line of this format";
    /// The last line is truncated.
    CutOff => "cut_off", Bad, "the last line breaks off";
    /// A compressed file that is truncated, or damaged from here on.
    DamagedArchive => "damaged_archive", Bad, "the compressed file breaks off or is damaged";
    /// A packet that the capture truncated.
    ShortPacket => "short_packet", Left, "a packet that was captured in part";
    /// A reply whose call is missing, or too long ago.
    ReplyWithoutCall => "reply_without_call", Left, "a reply without its call";
    /// A retransmitted call, while the first one waits for its reply.
    RepeatedCall => "repeated_call", Left, "a call sent again";
    /// A known operation that is not modelled: trim, discard.
    NotModelled => "not_modelled", Left, "an operation that is not modelled";
    /// A call without a reply. It is replayed, without a latency.
    CallWithoutReply => "call_without_reply", Kept, "a call without its reply";
    /// A line slightly earlier than the previous one. It counts as simultaneous.
    OutOfOrder => "out_of_order", Kept, "a line out of order";
    /// A clock that was set back. Time continues from the last value.
    ClockWentBack => "clock_went_back", Kept, "the clock went back";
    /// A clock that was set forward by more than [`LONGEST_GAP_NS`](super::LONGEST_GAP_NS). Time continues
    /// from the last value.
    ClockJumped => "clock_jumped", Kept, "the clock jumped";
}

impl Reason {
    /// Whether the text is malformed, so that a strict reader stops.
    pub const fn is_bad(self) -> bool {
        matches!(self.kind(), Kind::Bad)
    }

    /// Whether no record was made.
    pub const fn skips(self) -> bool {
        !matches!(self.kind(), Kind::Kept)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

/// A malformed line, with its position in the uncompressed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The problem.
    pub reason: Reason,
    /// The line number, from 1.
    pub line: u64,
    /// The byte of the line at which the problem is, from 1.
    pub column: u32,
    /// An excerpt of the line from that position on, without control characters.
    pub excerpt: String,
}

impl Malformed {
    pub(super) fn new(reason: Reason, line: u64, column: usize, rest: &[u8]) -> Self {
        // A character has at most four bytes.
        let shown = &rest[..rest.len().min(4 * EXCERPT)];
        let mut characters = String::from_utf8_lossy(shown)
            .chars()
            .map(|c| if c.is_control() { '\u{fffd}' } else { c })
            .collect::<Vec<_>>();
        if characters.len() > EXCERPT || shown.len() < rest.len() {
            characters.truncate(EXCERPT - 1);
            characters.push('…');
        }
        Self {
            reason,
            line,
            column: u32::try_from(column.saturating_add(1)).unwrap_or(u32::MAX),
            excerpt: characters.into_iter().collect(),
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.reason)?;
        if self.excerpt.is_empty() {
            return Ok(());
        }
        write!(f, ": `{}`", self.excerpt)
    }
}

/// Counts of skipped and adjusted parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    counts: [u64; Reason::ALL.len()],
    first: Vec<Malformed>,
}

impl Skipped {
    /// The number of occurrences.
    pub fn count(&self, reason: Reason) -> u64 {
        self.counts[reason as usize]
    }

    /// Every reason with a count above zero, in order of declaration.
    pub fn counts(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        Reason::ALL
            .iter()
            .map(|reason| (*reason, self.count(*reason)))
            .filter(|(_, count)| *count > 0)
    }

    /// The total number of malformed lines.
    pub fn bad_lines(&self) -> u64 {
        self.counts()
            .filter(|(reason, _)| reason.is_bad())
            .map(|(_, count)| count)
            .sum()
    }

    /// The first [`KEPT_BAD_LINES`] malformed lines, in order.
    pub fn first(&self) -> &[Malformed] {
        &self.first
    }

    #[inline]
    pub(super) fn add(&mut self, reason: Reason) {
        self.counts[reason as usize] += 1;
    }

    /// Counts a malformed line. `malformed` is called only if there is space to keep it.
    pub(super) fn add_bad(&mut self, reason: Reason, malformed: impl FnOnce() -> Malformed) {
        self.add(reason);
        if self.first.len() < KEPT_BAD_LINES {
            self.first.push(malformed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_their_places() {
        for (index, reason) in Reason::ALL.iter().enumerate() {
            assert_eq!(*reason as usize, index);
            assert!(!reason.is_bad() || reason.skips());
            assert!(
                Reason::ALL[..index]
                    .iter()
                    .all(|other| other.name() != reason.name())
            );
        }
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        let long = Malformed::new(Reason::BadNumber, 7, 3, "é\u{7}".repeat(500).as_bytes());
        assert_eq!(long.excerpt.chars().count(), EXCERPT);
        assert!(long.excerpt.ends_with('…'));
        assert!(!long.excerpt.chars().any(char::is_control));
        assert!(long.to_string().starts_with("line 7, column 4: not a number: `é"));
        let short = Malformed::new(Reason::BadNumber, 7, 3, b"xyz");
        assert_eq!(short.to_string(), "line 7, column 4: not a number: `xyz`");
    }

    #[test]
    fn only_the_first_bad_lines_are_kept() {
        let mut skipped = Skipped::default();
        for line in 1..=100 {
            skipped.add_bad(Reason::BadNumber, || {
                Malformed::new(Reason::BadNumber, line, 0, b"x")
            });
        }
        assert_eq!(skipped.bad_lines(), 100);
        assert_eq!(skipped.first().len(), KEPT_BAD_LINES);
        assert_eq!(skipped.first()[9].line, 10);
    }
}
