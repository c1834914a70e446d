//! Words that return flow-control buffers.
//!
//! A receiver of HyperTransport returns buffers with words of 4 bytes in the opposite direction. A packet
//! without data holds one buffer, a packet with data two: one for its command, one for its data. A word has
//! fields for all kinds of buffers, so that a link with little time for such words returns several buffers
//! with one.
//!
//! How many words an idle link sends is derived from AMD 40555, appendix A: a core that reads a neighbour's
//! memory loads the link toward it with 752 MB/s and the link from it with 2.2 GB/s. The ratio is 0.34;
//! requests, responses and data alone give 0.14, and one word for every buffer gives 0.35. How few a full
//! link sends is not published.

use crate::parts::SocketLinkPart;

/// Bytes of a word.
pub const RELEASE_WORD: f64 = 4.0;

/// How many words a link sends for a buffer that it returns, by its load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReleaseWords {
    /// Words for a buffer on a link with nothing else to send.
    idle: f64,
    /// Share of them that is left on a link that is full, above 0.
    full_share: f64,
}

impl ReleaseWords {
    /// Those of a link.
    pub fn of(part: &SocketLinkPart) -> Self {
        Self {
            idle: part.release_words,
            full_share: part.release_words_full.get(),
        }
    }

    /// Bytes for a buffer on a full link: what capacity has to allow for.
    pub fn full_bytes(self) -> f64 {
        self.idle * self.full_share * RELEASE_WORD
    }

    /// How many times more words a link sends than a full one does, at a saturation from 0 to 1. Between an
    /// idle and a full link the share falls in a straight line.
    pub fn relative_to_full(self, saturation: f64) -> f64 {
        let share = 1.0 - (1.0 - self.full_share) * saturation.clamp(0.0, 1.0);
        share / self.full_share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_thin_out_in_a_straight_line() {
        let words = ReleaseWords {
            idle: 1.0,
            full_share: 0.2,
        };
        assert_eq!(words.full_bytes(), 0.8);
        for (saturation, relative) in [(0.0, 5.0), (0.5, 3.0), (1.0, 1.0), (2.0, 1.0)] {
            let found = words.relative_to_full(saturation);
            assert!((found - relative).abs() < 1e-12, "{saturation}: {found}");
        }
    }
}
