//! PCIe width: the generation and number of lanes of a slot, a card or a trained link.

use std::fmt;
use std::str::FromStr;

use bandgraph_units::Bandwidth;
use thiserror::Error;

use super::PcieGeneration;

/// A PCIe generation with a number of lanes, written `"gen1 x8"`.
///
/// ```
/// use bandgraph_hardware::PcieSlotSpec;
///
/// let slot: PcieSlotSpec = "gen2 x16".parse()?;
/// let card: PcieSlotSpec = "gen1 x8".parse()?;
/// assert_eq!(slot.train(card).to_string(), "gen1 x8");
/// # Ok::<(), bandgraph_hardware::SlotSpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PcieSlotSpec {
    /// The fastest supported generation.
    pub generation: PcieGeneration,
    /// Its lanes: 1, 2, 4, 8, 12, 16 or 32.
    pub lanes: u32,
}

/// The lane counts of the standard.
const WIDTHS: [u32; 7] = [1, 2, 4, 8, 12, 16, 32];

impl PcieSlotSpec {
    /// The trained link of a slot and a card: the slower generation, the smaller number of lanes.
    #[must_use]
    pub fn train(self, other: Self) -> Self {
        Self {
            generation: self.generation.min(other.generation),
            lanes: self.lanes.min(other.lanes),
        }
    }

    /// The same lanes below a device of this generation, if that is slower.
    #[must_use]
    pub fn at_most(self, generation: PcieGeneration) -> Self {
        Self {
            generation: self.generation.min(generation),
            ..self
        }
    }

    /// Raw bandwidth of one direction, after encoding: 2.0 GB/s for gen1 x8.
    pub fn raw_bandwidth(self) -> Bandwidth {
        self.generation.lane_bandwidth() * f64::from(self.lanes)
    }
}

impl fmt::Display for PcieSlotSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} x{}", self.generation, self.lanes))
    }
}

impl FromStr for PcieSlotSpec {
    type Err = SlotSpecError;

    fn from_str(text: &str) -> Result<Self, SlotSpecError> {
        let Some((generation, lanes)) = text.trim().split_once(char::is_whitespace) else {
            return Err(SlotSpecError::Form(text.to_owned()));
        };
        let generation = generation
            .parse()
            .map_err(|_| SlotSpecError::Generation(generation.to_owned()))?;
        lanes
            .trim()
            .strip_prefix('x')
            .and_then(|digits| digits.parse().ok())
            .filter(|lanes| WIDTHS.contains(lanes))
            .map(|lanes| Self { generation, lanes })
            .ok_or_else(|| SlotSpecError::Lanes(lanes.trim().to_owned()))
    }
}

/// Why a text is not a PCIe link.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SlotSpecError {
    /// Not two words.
    #[error("`{0}` is not a PCIe link such as \"gen1 x8\"")]
    Form(String),
    /// The first word is not a generation.
    #[error("`{0}` is not a PCIe generation: gen1 to gen6")]
    Generation(String),
    /// The second word is not a number of lanes.
    #[error("`{0}` is not a PCIe width: x1, x2, x4, x8, x12, x16 or x32")]
    Lanes(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_links() {
        for text in ["gen1 x8", "gen6 x32", "gen3 x1"] {
            let spec: PcieSlotSpec = text.parse().expect("it is a link");
            assert_eq!(spec.to_string(), text);
        }
        let parse = |text: &str| text.parse::<PcieSlotSpec>();
        assert_eq!(parse("gen1x8"), Err(SlotSpecError::Form("gen1x8".to_owned())));
        assert_eq!(parse(""), Err(SlotSpecError::Form(String::new())));
        assert_eq!(
            parse("gen9 x8"),
            Err(SlotSpecError::Generation("gen9".to_owned()))
        );
        for lanes in ["8", "x3", "x0", "x-8", "x99999999999", "x8 x8"] {
            assert_eq!(
                parse(&format!("gen1 {lanes}")),
                Err(SlotSpecError::Lanes(lanes.to_owned()))
            );
        }
    }

    #[test]
    fn trains_down_to_what_both_have() {
        let spec = |text: &str| text.parse::<PcieSlotSpec>().expect("it is a link");
        assert_eq!(spec("gen3 x4").train(spec("gen1 x16")), spec("gen1 x4"));
        assert_eq!(spec("gen1 x8").raw_bandwidth(), Bandwidth::new(2e9));
    }
}
