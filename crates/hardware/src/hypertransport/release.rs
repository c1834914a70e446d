//! Words that return flow-control buffers.
//!
//! A HyperTransport receiver returns buffers with words of 4 bytes in the opposite direction. A packet
//! without data occupies one buffer, a packet with data two: one for its command, one for its data. A word
//! has fields for all kinds of buffers, so that a busy link returns several buffers with one word.
//!
//! The number of words on an idle link is derived from AMD 40555, appendix A: a core that reads a neighbour's
//! memory causes 752 MB/s on the link toward it and 2.2 GB/s on the link from it. The ratio is 0.34;
//! requests, responses and data alone give 0.14, and one word per buffer gives 0.35. The number on a full
//! link is not published.

use crate::parts::SocketLinkPart;

/// Bytes of a word.
pub const RELEASE_WORD: f64 = 4.0;

/// The number of words per returned buffer, by load of the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReleaseWords {
    /// Words per buffer on an otherwise idle link.
    idle: f64,
    /// Words on a full link, as a share of those on an idle one, above 0.
    full_share: f64,
}

impl ReleaseWords {
    /// The words of a link.
    pub fn of(part: &SocketLinkPart) -> Self {
        Self {
            idle: part.release_words,
            full_share: part.release_words_full.get(),
        }
    }

    /// Bytes of words per buffer on a full link, which its capacity has to include.
    pub fn full_bytes(self) -> f64 {
        self.idle * self.full_share * RELEASE_WORD
    }

    /// Words at a saturation from 0 to 1, relative to those on a full link. The number falls linearly from an
    /// idle to a full link.
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
