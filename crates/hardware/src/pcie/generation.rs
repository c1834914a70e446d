//! The generations of PCI Express.
//!
//! Sources: PCI Express Base Specification, revisions 1.1 to 6.0. Gen6 sends fixed flits of 256 bytes, of
//! which 236 carry transaction layer packets, 6 the data link layer, 8 a checksum and 6 error correction.

use bandgraph_config::words;
use bandgraph_units::{Bandwidth, Bytes, Fraction};

words! {
    /// A generation of PCI Express.
    pub enum PcieGeneration: "a generation of PCI Express, gen1 to gen6" {
        /// 2.5 GT/s, 8b/10b.
        Gen1 = "gen1",
        /// 5 GT/s, 8b/10b.
        Gen2 = "gen2",
        /// 8 GT/s, 128b/130b.
        Gen3 = "gen3",
        /// 16 GT/s, 128b/130b.
        Gen4 = "gen4",
        /// 32 GT/s, 128b/130b.
        Gen5 = "gen5",
        /// 64 GT/s, 256-byte flits.
        Gen6 = "gen6",
    }
}

impl PcieGeneration {
    /// Transfers per second of a lane, one bit each.
    pub const fn transfers_per_second(self) -> f64 {
        match self {
            Self::Gen1 => 2.5e9,
            Self::Gen2 => 5e9,
            Self::Gen3 => 8e9,
            Self::Gen4 => 16e9,
            Self::Gen5 => 32e9,
            Self::Gen6 => 64e9,
        }
    }

    /// Packet bits per transferred bit.
    pub const fn encoding(self) -> f64 {
        match self {
            Self::Gen1 | Self::Gen2 => 8.0 / 10.0,
            Self::Gen3 | Self::Gen4 | Self::Gen5 => 128.0 / 130.0,
            Self::Gen6 => 236.0 / 256.0,
        }
    }

    /// Raw bandwidth of one lane in one direction, after encoding.
    pub fn lane_bandwidth(self) -> Bandwidth {
        Bandwidth::new(self.transfers_per_second() * self.encoding() / 8.0)
    }

    /// Share of the raw bandwidth for clock compensation: at most 4 symbols per 1538 with 8b/10b, about one
    /// block in 375 with 128b/130b. Flits have the same share.
    pub fn ordered_sets(self) -> Fraction {
        Fraction::new(match self {
            Self::Gen1 | Self::Gen2 => 4.0 / 1538.0,
            _ => 1.0 / 375.0,
        })
    }

    /// The default size of completions: bridges of the first two generations split at the read completion
    /// boundary, later ones at the maximum payload of most servers.
    pub fn usual_completion(self) -> Bytes {
        Bytes::new(match self {
            Self::Gen1 | Self::Gen2 => 64.0,
            _ => 256.0,
        })
    }

    /// The default number of packets per acknowledgement of a host.
    pub const fn usual_acknowledge_every(self) -> f64 {
        match self {
            Self::Gen1 | Self::Gen2 => 4.0,
            _ => 1.0,
        }
    }

    /// Whether link layer packets take bandwidth from transaction layer packets. Flits have separate bytes
    /// for them.
    pub const fn acknowledgements_cost(self) -> bool {
        !matches!(self, Self::Gen6)
    }
}

#[cfg(test)]
mod tests {
    use super::PcieGeneration::{self, *};

    /// GB/s of sixteen lanes in one direction in the summaries of the standard (gen6: 128 GB/s of flits,
    /// 236/256 of which are packets).
    #[test]
    fn sixteen_lanes_carry_the_published_rates() {
        let published: [(PcieGeneration, f64); 6] = [
            (Gen1, 4.0),
            (Gen2, 8.0),
            (Gen3, 15.754),
            (Gen4, 31.508),
            (Gen5, 63.015),
            (Gen6, 118.0),
        ];
        for (generation, gigabytes) in published {
            let rate = generation.lane_bandwidth().get() * 16.0 / 1e9;
            assert!((rate - gigabytes).abs() < 0.001, "{generation}: {rate}");
        }
    }

    #[test]
    fn generations_are_read_and_written() {
        for generation in PcieGeneration::ALL {
            assert_eq!(generation.as_str().parse(), Ok(*generation));
        }
        assert!("gen7".parse::<PcieGeneration>().is_err());
        assert!("Gen1".parse::<PcieGeneration>().is_err());
    }
}
