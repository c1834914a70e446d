//! A pseudorandom permutation of the numbers below n, with random access.
//!
//! A Feistel network is a bijection for any round function (Luby and Rackoff, *How to construct pseudorandom
//! permutations from pseudorandom functions*, 1988). Its domain is a power of four. A result of n or more is
//! permuted again until one is below n (cycle walking: Black and Rogaway, *Ciphers with arbitrary finite
//! domains*, 2002). The domain is smaller than 4 n, so that this takes fewer than four rounds on average.

/// Enough for a statistical shuffle; three make a pseudorandom permutation.
const ROUNDS: u64 = 6;

/// A fixed shuffle of the numbers from 0 to below a size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    size: u64,
    /// Bits of each half.
    half: u32,
    seed: u64,
}

impl Permutation {
    /// The permutation of `size` numbers for a seed.
    pub(crate) fn new(size: u64, seed: u64) -> Self {
        let bits = u64::BITS - size.max(2).saturating_sub(1).leading_zeros();
        Self {
            size,
            half: bits.div_ceil(2),
            seed,
        }
    }

    /// The image of `index`, which is below the size.
    pub(crate) fn at(&self, index: u64) -> u64 {
        self.walk(index, |round, right| self.scrambled(round, right))
    }

    /// The images of all numbers, in order. Many numbers of few bits share the values of the round function,
    /// each of which is computed once.
    pub(crate) fn images(&self) -> Vec<u32> {
        let halves = 1 << self.half;
        let rounds = (0..ROUNDS).flat_map(|round| (0..halves).map(move |right| self.scrambled(round, right)));
        let rounds: Vec<u64> = rounds.collect();
        let scrambled = |round: u64, right: u64| rounds[(round * halves + right) as usize];
        (0..self.size)
            .map(|index| self.walk(index, scrambled) as u32)
            .collect()
    }

    /// The image of `index` for a round function.
    fn walk(&self, index: u64, scrambled: impl Fn(u64, u64) -> u64) -> u64 {
        if self.size < 2 {
            return 0;
        }
        let mask = (1 << self.half) - 1;
        let mut value = index;
        // A bijection of the whole domain: the cycle of an index below the size returns below it.
        loop {
            let (mut left, mut right) = (value >> self.half, value & mask);
            for round in 0..ROUNDS {
                (left, right) = (right, left ^ (scrambled(round, right) & mask));
            }
            value = left << self.half | right;
            if value < self.size {
                return value;
            }
        }
    }

    fn scrambled(&self, round: u64, right: u64) -> u64 {
        mix(self.seed ^ mix(right ^ (round << 48)))
    }
}

/// The finalizer of `SplitMix64` (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*,
/// 2014).
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number from 0 to below 1, derived from three integers.
pub(crate) fn share(seed: u64, axis: u64, index: u64) -> f64 {
    let bits = mix(mix(mix(seed) ^ axis) ^ index);
    // The 53 bits that a double can hold below 1.
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_met_once() {
        for size in [1, 2, 3, 4, 5, 7, 16, 17, 100, 1023, 1024, 1025, 4097] {
            for seed in [0, 1, u64::MAX] {
                let permutation = Permutation::new(size, seed);
                let mut seen: Vec<u64> = (0..size).map(|index| permutation.at(index)).collect();
                let images: Vec<u64> = permutation.images().into_iter().map(u64::from).collect();
                assert_eq!(images, seen, "{size} {seed}");
                seen.sort_unstable();
                assert_eq!(seen, (0..size).collect::<Vec<_>>(), "{size} {seed}");
            }
        }
    }

    #[test]
    fn seeds_give_different_orders() {
        let order = |seed| -> Vec<u64> {
            let permutation = Permutation::new(1000, seed);
            (0..1000).map(|index| permutation.at(index)).collect()
        };
        let same = order(1)
            .iter()
            .zip(order(2))
            .filter(|(one, other)| **one == *other)
            .count();
        assert!(same < 10, "{same} of 1000 are at the same place");
    }

    #[test]
    fn shares_are_even() {
        let shares: Vec<f64> = (0..10_000).map(|index| share(7, 3, index)).collect();
        assert!(shares.iter().all(|share| (0.0..1.0).contains(share)));
        for tenth in 0..10 {
            let low = f64::from(tenth) / 10.0;
            let inside = shares
                .iter()
                .filter(|share| (low..low + 0.1).contains(share))
                .count();
            // Binomial: 1000 with a standard deviation of 30.
            assert!((880..1120).contains(&inside), "{inside} in tenth {tenth}");
        }
    }
}
