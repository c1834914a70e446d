//! The two heights of cards.

use bandgraph_config::words;

words! {
    /// The bracket of a card. A low-profile card fits any slot; a full-height one does not fit a low-profile
    /// slot.
    #[derive(Default)]
    pub enum CardHeight: "a height of cards" {
        /// Full height.
        Full = "full",
        /// Low profile.
        #[default]
        Low = "low",
    }
}

impl CardHeight {
    /// Whether a card of this height fits a slot of height `slot`.
    pub fn fits(self, slot: Self) -> bool {
        slot == Self::Full || self == Self::Low
    }
}
